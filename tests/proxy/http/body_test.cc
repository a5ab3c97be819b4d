#include "proxy/http/body.h"

#include <gtest/gtest.h>

#include "proxy/http/body_decoder.h"
#include "tests/support/vectors.h"

namespace sworn::http {
namespace {

constexpr BodyFraming chunked{BodyFraming::Kind::chunked, 0};
constexpr BodyFraming until_close{BodyFraming::Kind::until_close, 0};

struct Decoded {
    BodyDecoder::State state = BodyDecoder::State::more;
    std::string data;
    std::size_t left = 0;
};

/// Feeds `pieces` one after the other, as a reader does.
Decoded decode(BodyFraming framing, const std::vector<std::string_view>& pieces) {
    BodyDecoder decoder{framing};
    Decoded result;
    for (auto piece : pieces) {
        while (!piece.empty() && decoder.state() == BodyDecoder::State::more) {
            const auto step = decoder.next(piece);
            result.data += step.data;
            piece.remove_prefix(step.consumed);
        }
        result.left += piece.size();
    }
    result.state = decoder.state();
    return result;
}

std::string judge(const Decoded& got) {
    const auto data = got.data.empty() ? std::string{"-"} : got.data;
    switch (got.state) {
        case BodyDecoder::State::more:
            return "more " + data;
        case BodyDecoder::State::complete:
            return "complete " + data + " " + std::to_string(got.left);
        case BodyDecoder::State::malformed:
            return "malformed";
    }
    return "?";
}

TEST(BodyDecoder, JudgesChunksAsTheTableSaysWhereverTheyAreCut) {
    for (const auto& row : test::read_vectors("chunked.txt")) {
        SCOPED_TRACE(row.at("case"));
        const auto bytes = test::unescape(row.at("bytes"));
        const std::string_view view = bytes;
        EXPECT_EQ(judge(decode(chunked, {view})), row.at("expect"));
        if (bytes.size() > 10'000) continue;
        for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
            EXPECT_EQ(judge(decode(chunked, {view.substr(0, cut), view.substr(cut)})),
                      row.at("expect"))
                << "cut at " << cut;
        }
        std::vector<std::string_view> octets;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            octets.push_back(view.substr(i, 1));
        EXPECT_EQ(judge(decode(chunked, octets)), row.at("expect"));
    }
}

TEST(BodyDecoder, NoPrefixOfAChunkedBodyIsComplete) {
    const std::string whole = "5;x=y\r\nhello\r\n3\r\nabc\r\n0\r\nT: v\r\n\r\n";
    for (std::size_t size = 0; size < whole.size(); ++size) {
        BodyDecoder decoder{chunked};
        auto rest = std::string_view{whole}.substr(0, size);
        while (!rest.empty())
            rest.remove_prefix(decoder.next(rest).consumed);
        EXPECT_EQ(decoder.state(), BodyDecoder::State::more) << size;
        EXPECT_EQ(decoder.at_end(), BodyDecoder::State::more) << size;
    }
}

TEST(BodyDecoder, FailsForEver) {
    BodyDecoder decoder{chunked};
    EXPECT_EQ(decoder.next("zz\r\n").state, BodyDecoder::State::malformed);
    const auto again = decoder.next("0\r\n\r\n");
    EXPECT_EQ(again.state, BodyDecoder::State::malformed);
    EXPECT_EQ(again.consumed, 0U);
    EXPECT_EQ(decoder.at_end(), BodyDecoder::State::malformed);
}

TEST(BodyDecoder, TakesExactlyTheLength) {
    const auto got = decode({BodyFraming::Kind::length, 5}, {"hel", "loGET"});
    EXPECT_EQ(judge(got), "complete hello 3");
    EXPECT_EQ(BodyDecoder({BodyFraming::Kind::length, 0}).state(), BodyDecoder::State::complete);
    EXPECT_EQ(BodyDecoder({BodyFraming::Kind::none, 0}).state(), BodyDecoder::State::complete);
    BodyDecoder cut{{BodyFraming::Kind::length, 5}};
    EXPECT_EQ(cut.next("hell").consumed, 4U);
    EXPECT_EQ(cut.at_end(), BodyDecoder::State::more);
}

TEST(BodyDecoder, OnlyTheCloseEndsACloseDelimitedBody) {
    BodyDecoder decoder{until_close};
    EXPECT_EQ(decoder.next("abc").data, "abc");
    EXPECT_EQ(decoder.state(), BodyDecoder::State::more);
    EXPECT_EQ(decoder.at_end(), BodyDecoder::State::complete);
}

TEST(BodyDecoder, TakesManySmallChunks) {
    std::string bytes;
    for (int i = 0; i < 100'000; ++i)
        bytes += "1\r\nx\r\n";
    bytes += "0\r\n\r\n";
    const auto got = decode(chunked, {bytes});
    EXPECT_EQ(got.state, BodyDecoder::State::complete);
    EXPECT_EQ(got.data.size(), 100'000U);
}

std::string read_all(const Body& body) {
    std::string bytes(static_cast<std::size_t>(body.size()) + 10, '?');
    const auto got = body.read(0, bytes.data(), bytes.size());
    EXPECT_TRUE(got);
    bytes.resize(*got);
    return bytes;
}

TEST(Body, MovesToAFileJustPastTheLimit) {
    Body body{testing::TempDir()};
    const std::string at_limit(body_in_memory_bytes_max, 'a');
    EXPECT_FALSE(body.would_spool(at_limit.size()));
    ASSERT_TRUE(body.append(at_limit));
    EXPECT_FALSE(body.spooled());
    EXPECT_EQ(body.memory().size(), at_limit.size());
    EXPECT_TRUE(body.would_spool(1));
    ASSERT_TRUE(body.append("b"));
    ASSERT_TRUE(body.append("cd"));
    EXPECT_TRUE(body.spooled());
    EXPECT_EQ(body.size(), at_limit.size() + 3);
    const auto whole = at_limit + "bcd";
    EXPECT_EQ(body.digest(), sha256(whole));
    EXPECT_TRUE(read_all(body) == whole);
    char two[2];
    const auto tail = body.read(at_limit.size(), two, 2);
    ASSERT_TRUE(tail);
    EXPECT_EQ(*tail, 2U);
    EXPECT_EQ((std::string_view{two, 2}), "bc");
}

TEST(Body, ContentOutlivesIt) {
    BodyContentPtr content;
    {
        Body body{testing::TempDir()};
        ASSERT_TRUE(body.append("hello"));
        content = body.content();
    }
    char bytes[8];
    const auto got = content->read(1, bytes, sizeof bytes);
    ASSERT_TRUE(got);
    EXPECT_EQ((std::string_view{bytes, *got}), "ello");
}

TEST(Body, ReportsASpoolThatCannotBeMade) {
    Body body{"/nonexistent/spool"};
    const std::string large(body_in_memory_bytes_max + 1, 'a');
    const auto kept = body.append(large);
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().code, Code::broker_overloaded);
}

}  // namespace
}  // namespace sworn::http
