#include "proxy/contract/masker.h"

#include <gtest/gtest.h>

namespace sworn::contract {
namespace {

std::vector<Secret> secrets(std::initializer_list<const char*> texts) {
    std::vector<Secret> made;
    for (const char* const text : texts)
        made.emplace_back(std::string{text});
    return made;
}

/// What comes out when `text` arrives in pieces of `piece` bytes.
std::string fed(const std::vector<Secret>& needles, std::string_view text, std::size_t piece) {
    Masker masker{needles};
    std::string out;
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
        out += masker.feed(text.substr(0, piece));
    return out + masker.finish();
}

TEST(Masker, MasksEveryNeedleWhereverTheBytesAreCut) {
    struct Case {
        const char* name;
        std::vector<Secret> needles;
        std::string text, masked;
    };
    const Case cases[] = {
        {"inside", secrets({"secret-key"}), "a secret-key b", "a ********** b"},
        {"twice in a row", secrets({"secret-key"}), "secret-keysecret-key", std::string(20, '*')},
        {"a beginning only", secrets({"secret-key"}), "a secret-ke", "a secret-ke"},
        {"a false start", secrets({"aabaabaac"}), "aabaabaabaac", "aab*********"},
        {"a longer one that begins with a shorter one", secrets({"secret-key-long", "secret-key"}),
         "secret-key-long", std::string(15, '*')},
        {"a shorter one where a longer one broke off", secrets({"secret-key-long", "secret-key"}),
         "secret-key-lo!", "**********-lo!"},
        {"a shorter one at the end", secrets({"secret-key-long", "secret-key"}), "secret-key",
         "**********"},
        {"two that overlap", secrets({"abcdefgh", "defghijk"}), "abcdefghijk", "********ijk"},
        {"one too short to look for", secrets({"short"}), "short", "short"},
        {"none", {}, "a secret-key b", "a secret-key b"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        for (std::size_t piece = 1; piece <= one.text.size(); ++piece)
            EXPECT_EQ(fed(one.needles, one.text, piece), one.masked) << piece;
        auto whole = one.text;
        Masker{one.needles}.mask(whole);
        EXPECT_EQ(whole, one.masked);
    }
}

TEST(Masker, HoldsBackOnlyWhatCouldBeginANeedle) {
    const auto needles = secrets({"secret-key"});
    Masker masker{needles};
    EXPECT_EQ(masker.feed("text"), "text");
    EXPECT_EQ(masker.feed("a sec"), "a ");
    EXPECT_EQ(masker.feed("ond"), "second");
    EXPECT_EQ(masker.finish(), "");
}

TEST(Masker, CountsWhatItMasked) {
    const auto needles = secrets({"secret-key-long", "secret-key"});
    Masker masker{needles};
    EXPECT_EQ(masker.feed("secret-key, secret-key-long, secret-ke"),
              "**********, ***************, ");
    EXPECT_EQ(masker.count(), 2U);
    EXPECT_EQ(masker.feed("y"), "");
    EXPECT_EQ(masker.finish(), "**********");
    EXPECT_EQ(masker.count(), 3U);
}

}  // namespace
}  // namespace sworn::contract
