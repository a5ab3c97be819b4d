#include "common/clock.h"

#include <gtest/gtest.h>

#include <string>

namespace sworn {
namespace {

using namespace std::chrono_literals;

WallTime at(std::int64_t microseconds) {
    return WallTime{std::chrono::microseconds{microseconds}};
}

struct Good {
    const char* name;
    std::string_view text;
    std::int64_t microseconds;
};

constexpr Good good[] = {
    {"Epoch", "1970-01-01T00:00:00Z", 0},
    {"OwnForm", "2026-11-30T12:00:00.000000Z", 1'796'040'000'000'000},
    {"Microsecond", "2026-11-30T12:00:00.000001Z", 1'796'040'000'000'001},
    {"Millisecond", "2026-11-30T12:00:00.5Z", 1'796'040'000'500'000},
    {"NanosecondsAreCut", "2026-11-30T12:00:00.123456789Z", 1'796'040'000'123'456},
    {"EastOfGreenwich", "2026-11-30T13:30:00+01:30", 1'796'040'000'000'000},
    {"WestOfGreenwich", "2026-11-30T07:00:00-05:00", 1'796'040'000'000'000},
    {"LeapDay", "2024-02-29T00:00:00Z", 1'709'164'800'000'000},
    {"BeforeTheEpoch", "1969-12-31T23:59:59.999999Z", -1},
};

class GoodTime : public testing::TestWithParam<Good> {};

TEST_P(GoodTime, IsRead) {
    EXPECT_EQ(parse_rfc3339(GetParam().text), at(GetParam().microseconds));
}

TEST_P(GoodTime, IsNothingWhenCutAnywhere) {
    const std::string_view text = GetParam().text;
    for (std::size_t size = 0; size < text.size(); ++size) {
        EXPECT_FALSE(parse_rfc3339(text.substr(0, size))) << size;
    }
}

TEST_P(GoodTime, ComesBackFromItsOwnForm) {
    const WallTime time = at(GetParam().microseconds);
    EXPECT_EQ(parse_rfc3339(format_rfc3339(time)), time);
}

INSTANTIATE_TEST_SUITE_P(Table, GoodTime, testing::ValuesIn(good),
                         [](const auto& row) { return std::string{row.param.name}; });

struct Bad {
    const char* name;
    std::string_view text;
};

constexpr Bad bad[] = {
    {"NoZone", "2026-11-30T12:00:00"},
    {"Blank", "2026-11-30 12:00:00Z"},
    {"SmallLetters", "2026-11-30t12:00:00z"},
    {"DayZero", "2026-11-00T12:00:00Z"},
    {"NoSuchDay", "2026-02-29T12:00:00Z"},
    {"MonthThirteen", "2026-13-01T12:00:00Z"},
    {"HourTwentyFour", "2026-11-30T24:00:00Z"},
    {"MinuteSixty", "2026-11-30T12:60:00Z"},
    {"LeapSecond", "2016-12-31T23:59:60Z"},
    {"NoFractionDigit", "2026-11-30T12:00:00.Z"},
    {"TenFractionDigits", "2026-11-30T12:00:00.0123456789Z"},
    {"OffsetHour", "2026-11-30T12:00:00+24:00"},
    {"OffsetWithoutColon", "2026-11-30T12:00:00+0100"},
    {"TrailingByte", "2026-11-30T12:00:00Z "},
    {"LeadingByte", " 2026-11-30T12:00:00Z"},
    {"Sign", "+026-11-30T12:00:00Z"},
    {"ShortYear", "26-11-30T12:00:00Z"},
};

class BadTime : public testing::TestWithParam<Bad> {};

TEST_P(BadTime, IsNothing) {
    EXPECT_FALSE(parse_rfc3339(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(Table, BadTime, testing::ValuesIn(bad),
                         [](const auto& row) { return std::string{row.param.name}; });

TEST(FormatTime, HasMicrosecondsAndZ) {
    EXPECT_EQ(format_rfc3339(at(0)), "1970-01-01T00:00:00.000000Z");
    EXPECT_EQ(format_rfc3339(at(1'796'040'000'000'001)), "2026-11-30T12:00:00.000001Z");
    EXPECT_EQ(format_rfc3339(at(-1)), "1969-12-31T23:59:59.999999Z");
}

TEST(FormatTime, StaysWithinFourYearDigits) {
    EXPECT_EQ(format_rfc3339(WallTime::max()), "9999-12-31T23:59:59.999999Z");
    EXPECT_EQ(format_rfc3339(WallTime::min()), "0000-01-01T00:00:00.000000Z");
}

TEST(SystemClock, GoesOn) {
    const SystemClock clock;
    const SteadyTime first = clock.steady();
    EXPECT_LE(first, clock.steady());
    EXPECT_GT(clock.now(), WallTime{std::chrono::sys_days{2026y / 1 / 1} - 366 * 24h});
}

}  // namespace
}  // namespace sworn
