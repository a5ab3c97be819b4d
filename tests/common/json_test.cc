#include "common/json.h"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <string>

namespace sworn {
namespace {

std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

TEST(ParseJson, TakesOneDocument) {
    const auto value = parse_json(R"({"a":[1,2.5,"x",true,null]})");
    ASSERT_TRUE(value);
    EXPECT_EQ(*value, boost::json::parse(R"({"a":[1,2.5,"x",true,null]})"));
}

TEST(ParseJson, RefusesEverythingElse) {
    for (const std::string_view text :
         {"", " ", "{", "{}{}", "{} x", "[1,]", "{\"a\":1,}", "{'a':1}", "nul", "01", "NaN",
          "\"\x01\"", "\"\xff\"", "// c\n1", "\"a"}) {
        EXPECT_FALSE(parse_json(text)) << text;
    }
}

TEST(ParseJson, StopsAtItsDepth) {
    EXPECT_TRUE(parse_json(nested(32)));
    EXPECT_FALSE(parse_json(nested(33)));
    EXPECT_FALSE(parse_json(std::string(100'000, '[')));
}

const boost::json::value sample = boost::json::parse(
    R"({"a":{"b":[10,{"c":"deep"}]},"":"empty key","x/y":1,"m~n":2,"t":true,"z":null,"f":1.5})");

struct Pointer {
    const char* name;
    std::string_view pointer;
    std::optional<std::string> text;
};

const Pointer pointers[] = {
    {"Deep", "/a/b/1/c", "deep"},
    {"Element", "/a/b/0", "10"},
    {"EmptyKey", "/", "empty key"},
    {"EscapedSlash", "/x~1y", "1"},
    {"EscapedTilde", "/m~0n", "2"},
    {"Truth", "/t", "true"},
    {"Fraction", "/f", "1.5E0"},
    {"Null", "/z", std::nullopt},
    {"Object", "/a", std::nullopt},
    {"Array", "/a/b", std::nullopt},
    {"Whole", "", std::nullopt},
    {"Missing", "/nope", std::nullopt},
    {"PastTheEnd", "/a/b/2", std::nullopt},
    {"AppendPlace", "/a/b/-", std::nullopt},
    {"LeadingZero", "/a/b/00", std::nullopt},
    {"NoIndex", "/a/b/x", std::nullopt},
    {"IntoAText", "/a/b/1/c/d", std::nullopt},
    {"NoSlash", "a", std::nullopt},
    {"BadEscape", "/m~2n", std::nullopt},
    {"OpenEscape", "/m~", std::nullopt},
};

class JsonPointer : public testing::TestWithParam<Pointer> {};

TEST_P(JsonPointer, GivesTextOrNothing) {
    EXPECT_EQ(json_pointer_text(sample, GetParam().pointer), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(Table, JsonPointer, testing::ValuesIn(pointers),
                         [](const auto& row) { return std::string{row.param.name}; });

TEST(JsonPointer, PointsIntoTheDocumentItself) {
    EXPECT_EQ(json_pointer(sample, ""), &sample);
    EXPECT_EQ(json_pointer(sample, "/a/b/0"), &sample.at("a").at("b").at(0));
    EXPECT_EQ(json_pointer(sample, "/nope"), nullptr);
}

TEST(Pretty, IndentsByTwo) {
    EXPECT_EQ(to_pretty(boost::json::parse(R"({"a":1,"b":[true,"x\n"],"c":{},"d":[]})")),
              "{\n"
              "  \"a\": 1,\n"
              "  \"b\": [\n"
              "    true,\n"
              "    \"x\\n\"\n"
              "  ],\n"
              "  \"c\": {},\n"
              "  \"d\": []\n"
              "}\n");
    EXPECT_EQ(to_pretty(nullptr), "null\n");
    EXPECT_EQ(to_pretty("x"), "\"x\"\n");
}

TEST(Pretty, SaysTheSame) {
    EXPECT_EQ(boost::json::parse(to_pretty(sample)), sample);
}

TEST(Pretty, StopsIndentingInTheDepths) {
    boost::json::value value = 1;
    for (int i = 0; i < 40; ++i)
        value = boost::json::array{value};
    const std::string text = to_pretty(value);
    EXPECT_NE(text.find("[[[[[[[[1]]]]]]]]"), std::string::npos) << text;
    EXPECT_EQ(text.find("[[[[[[[[[1"), std::string::npos) << text;
}

struct Bytes {
    const char* name;
    std::string bytes;
    std::size_t bytes_max;
    std::string shown;
};

const Bytes bytes[] = {
    {"Empty", "", 8, ""},
    {"Text", "GET / HTTP", 64, "GET / HTTP"},
    {"LineEnd", "a\r\nb", 64, "a\\x0d\\x0ab"},
    {"Escape", "\x1b[2J", 64, "\\x1b[2J"},
    {"Nul", std::string{"\0", 1}, 64, "\\x00"},
    {"High", "\xff\x80", 64, "\\xff\\x80"},
    {"Delete", "\x7f", 64, "\\x7f"},
    {"Backslash", "\\x0d", 64, "\\\\x0d"},
    {"JustFits", "abcd", 4, "abcd"},
    {"OneTooMany", "abcde", 4, "abcd…"},
    {"NothingAllowed", "a", 0, "…"},
};

class Printable : public testing::TestWithParam<Bytes> {};

TEST_P(Printable, IsSafeToShow) {
    EXPECT_EQ(printable(GetParam().bytes, GetParam().bytes_max), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(Table, Printable, testing::ValuesIn(bytes),
                         [](const auto& row) { return std::string{row.param.name}; });

}  // namespace
}  // namespace sworn
