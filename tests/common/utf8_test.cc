#include "common/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace sworn {
namespace {

struct Case {
    const char* name;
    std::string_view bytes;
    bool valid;
};

constexpr Case cases[] = {
    {"Empty", "", true},
    {"Ascii", "plain", true},
    {"Nul", std::string_view{"\0", 1}, true},
    {"TwoBytes", "\xc3\xa9", true},
    {"ThreeBytes", "\xe2\x82\xac", true},
    {"FourBytes", "\xf0\x9f\x98\x80", true},
    {"First", "\xc2\x80", true},
    {"LastBeforeSurrogates", "\xed\x9f\xbf", true},
    {"FirstAfterSurrogates", "\xee\x80\x80", true},
    {"Last", "\xf4\x8f\xbf\xbf", true},
    {"BareContinuation", "\x80", false},
    {"OverlongTwo", "\xc0\x80", false},
    {"OverlongTwoLast", "\xc1\xbf", false},
    {"OverlongThree", "\xe0\x9f\xbf", false},
    {"OverlongFour", "\xf0\x8f\xbf\xbf", false},
    {"Surrogate", "\xed\xa0\x80", false},
    {"PastTheEnd", "\xf4\x90\x80\x80", false},
    {"FiveBytes", "\xf8\x88\x80\x80\x80", false},
    {"CutTwo", "\xc3", false},
    {"CutThree", "\xe2\x82", false},
    {"CutFour", "\xf0\x9f\x98", false},
    {"AsciiInside", "\xe2\x82z", false},
    {"Latin1", "caf\xe9", false},
    {"FF", "\xff", false},
};

class Utf8 : public testing::TestWithParam<Case> {};

TEST_P(Utf8, IsToldFromOtherBytes) {
    EXPECT_EQ(is_utf8(GetParam().bytes), GetParam().valid);
}

INSTANTIATE_TEST_SUITE_P(Table, Utf8, testing::ValuesIn(cases),
                         [](const auto& row) { return std::string{row.param.name}; });

}  // namespace
}  // namespace sworn
