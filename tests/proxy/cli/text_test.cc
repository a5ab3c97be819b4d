#include "proxy/cli/text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/utf8.h"

namespace sworn::cli {
namespace {

TEST(Text, IsShownWithoutWhatMovesTheCursor) {
    struct Row {
        const char* name;
        std::string_view text;
        const char* want;
    };
    const Row table[] = {
        {"plain", "GET /a?b=c", "GET /a?b=c"},
        {"empty", "", ""},
        {"UTF-8", "Jörg €5 🙂 …", "Jörg €5 🙂 …"},
        {"an escape code", "a\x1b[2Jb", "a\\x1b[2Jb"},
        {"a line end and a tab", "a\r\n\tb", "a\\x0d\\x0a\\x09b"},
        {"NUL and DEL", std::string_view{"a\0\x7f", 3}, "a\\x00\\x7f"},
        {"C1",
         "a\xc2\x9b"
         "2J",
         "a\\xc2\\x9b2J"},
        {"a right-to-left override", "a\xe2\x80\xae", "a\\xe2\\x80\\xae"},
        {"an isolate", "\xe2\x81\xa6z", "\\xe2\\x81\\xa6z"},
        {"a lone continuation", "a\x80z", "a\\x80z"},
        {"cut in mid-character", "a\xe2\x82", "a\\xe2\\x82"},
        {"overlong", "\xc0\xaf", "\\xc0\\xaf"},
        {"Latin-1", "J\xf6rg", "J\\xf6rg"},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(shown(row.text), row.want);
    }
}

TEST(Text, IsHarmlessForEveryByteThatThereIs) {
    for (int first = 0; first < 256; ++first) {
        for (int second = 0; second < 256; ++second) {
            const std::string text{static_cast<char>(first), static_cast<char>(second)};
            const auto safe = shown(text);
            EXPECT_TRUE(is_utf8(safe)) << first << " " << second;
            EXPECT_TRUE(
                std::ranges::none_of(safe, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
                << first << " " << second;
        }
    }
}

TEST(Text, IsMeasuredByWhatIsSeen) {
    EXPECT_EQ(width(""), 0u);
    EXPECT_EQ(width("abc"), 3u);
    EXPECT_EQ(width("ö…€🙂"), 4u);
}

TEST(Text, IsCutBetweenCharacters) {
    struct Row {
        const char* text;
        std::size_t columns;
        const char* want;
    };
    const Row table[] = {
        {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abcd", 1, "…"}, {"", 1, ""},
        {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"€€€", 2, "€…"}, {"🙂🙂🙂", 2, "🙂…"},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(std::string{row.text} + " to " + std::to_string(row.columns));
        EXPECT_EQ(cut(row.text, row.columns), row.want);
    }
}

TEST(Text, IsPaddedToItsColumn) {
    EXPECT_EQ(padded("ab", 4), "ab  ");
    EXPECT_EQ(padded("a…", 4), "a…  ");
    EXPECT_EQ(padded("abcd", 4), "abcd");
    EXPECT_EQ(padded("abcde", 4), "abcde");
}

}  // namespace
}  // namespace sworn::cli
