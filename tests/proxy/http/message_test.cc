#include "proxy/http/message.h"

#include <gtest/gtest.h>

#include "proxy/http/head_scan.h"
#include "tests/support/vectors.h"

namespace sworn::http {
namespace {

std::string framing_text(BodyFraming framing) {
    switch (framing.kind) {
        case BodyFraming::Kind::none:
            return "none";
        case BodyFraming::Kind::length:
            return "length " + std::to_string(framing.length);
        case BodyFraming::Kind::chunked:
            return "chunked";
        case BodyFraming::Kind::until_close:
            return "until_close";
    }
    return "?";
}

/// What a reader makes of bytes that arrive: it parses up to the head's end, wherever that is.
std::string judge_request(std::string_view bytes) {
    const auto end = find_head_end(bytes);
    if (!end) return "no end";
    const auto head = parse_request_head(bytes.substr(0, *end));
    if (!head) {
        EXPECT_EQ(head.error().code, Code::malformed_request);
        return "refused " + std::to_string(head.error().status) + " " +
               std::string{head.error().field.view()};
    }
    auto text = "ok " + framing_text(head->framing);
    if (!head->keep_alive) text += " close";
    if (head->expects_continue) text += " continue";
    return text;
}

std::string judge_response(std::string_view bytes, std::string_view method) {
    const auto end = find_head_end(bytes);
    if (!end) return "no end";
    const auto head = parse_response_head(bytes.substr(0, *end), method);
    if (!head) return head.error() == BadHead::malformed ? "malformed" : "too_large";
    auto text = "ok " + std::to_string(head->status) + " " + framing_text(head->framing);
    if (!head->keep_alive) text += " close";
    return text;
}

TEST(RequestHead, IsJudgedAsTheTableSays) {
    for (const auto& row : test::read_vectors("request_head.txt")) {
        SCOPED_TRACE(row.at("case"));
        EXPECT_EQ(judge_request(test::unescape(row.at("bytes"))), row.at("expect"));
    }
}

TEST(ResponseHead, IsJudgedAsTheTableSays) {
    for (const auto& row : test::read_vectors("response_head.txt")) {
        SCOPED_TRACE(row.at("case"));
        const auto method = row.count("method") != 0 ? row.at("method") : "GET";
        EXPECT_EQ(judge_response(test::unescape(row.at("bytes")), method), row.at("expect"));
    }
}

TEST(RequestHead, NoPrefixOfAGoodHeadHasAnEnd) {
    const std::string whole =
        "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\n";
    for (std::size_t size = 0; size < whole.size(); ++size) {
        EXPECT_EQ(find_head_end(whole.substr(0, size)), std::nullopt) << size;
        EXPECT_FALSE(parse_request_head(whole.substr(0, size))) << size;
    }
    EXPECT_EQ(find_head_end(whole + "extra"), whole.size());
    EXPECT_FALSE(parse_request_head(whole + "extra"));
}

TEST(HeadEnd, FindsTheSameEndWhereverTheBytesAreCut) {
    for (const auto& row : test::read_vectors("request_head.txt")) {
        SCOPED_TRACE(row.at("case"));
        const auto bytes = test::unescape(row.at("bytes"));
        HeadEnd growing;
        std::optional<std::size_t> found;
        for (std::size_t size = 0; size <= bytes.size() && !found; ++size)
            found = growing.find(std::string_view{bytes}.substr(0, size));
        EXPECT_EQ(found, find_head_end(bytes));
    }
}

/// R06: every octet at four places around both framing fields; only blanks round the value pass.
TEST(RequestHead, NoStrayOctetNearAFramingFieldPasses) {
    const std::array<std::pair<std::string, std::string>, 2> fields{
        {{"Transfer-Encoding", "chunked"}, {"Content-Length", "5"}}};
    for (const auto& [name, value] : fields) {
        for (unsigned octet = 1; octet < 256; ++octet) {
            if (octet >= 0x20 && octet < 0x7f) continue;
            const std::string stray(1, static_cast<char>(octet));
            const std::array lines{stray + name + ": " + value, name + stray + ": " + value,
                                   name + ":" + stray + value, name + ": " + value + stray};
            for (std::size_t place = 0; place < lines.size(); ++place) {
                const bool blank_at_value = octet == '\t' && place >= 2;
                const auto verdict = judge_request(
                    "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\n" + lines[place] + "\r\n\r\n");
                EXPECT_EQ(verdict.starts_with("ok "), blank_at_value)
                    << name << " octet " << octet << " place " << place << ": " << verdict;
            }
        }
    }
}

TEST(RequestHead, KeepsFieldsInOrderWithoutBlanks) {
    const auto head = parse_request_head(
        "GET http://a.test/x?y HTTP/1.1\r\nHost: a.test\r\nB:  two \t\r\na:\r\nB: three\r\n\r\n");
    ASSERT_TRUE(head);
    EXPECT_EQ(head->method, "GET");
    EXPECT_EQ(head->target, "http://a.test/x?y");
    const Fields want{{"Host", "a.test"}, {"B", "two"}, {"a", ""}, {"B", "three"}};
    EXPECT_EQ(head->fields, want);
}

TEST(RequestHead, CountsFieldsUpToTheLimit) {
    for (const std::size_t extra : {std::size_t{0}, std::size_t{1}}) {
        std::string bytes = "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n";
        for (std::size_t i = 1; i < fields_max + extra; ++i)
            bytes += "X: y\r\n";
        bytes += "\r\n";
        EXPECT_EQ(judge_request(bytes), extra == 0 ? "ok none" : "refused 431 header");
    }
}

TEST(ResponseHead, CountsFieldsUpToTheLimit) {
    for (const std::size_t extra : {std::size_t{0}, std::size_t{1}}) {
        std::string bytes = "HTTP/1.1 200 OK\r\n";
        for (std::size_t i = 0; i < fields_max + extra; ++i)
            bytes += "X: y\r\n";
        bytes += "\r\n";
        EXPECT_EQ(judge_response(bytes, "GET"),
                  extra == 0 ? "ok 200 until_close close" : "too_large");
    }
}

}  // namespace
}  // namespace sworn::http
