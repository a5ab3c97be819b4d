#include "common/units.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace sworn {
namespace {

using std::chrono::milliseconds;

struct Size {
    const char* name;
    std::string_view text;
    std::optional<std::uint64_t> bytes;
};

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

constexpr Size sizes[] = {
    {"Zero", "0B", 0},
    {"One", "1B", 1},
    {"Kibi", "64KiB", 65'536},
    {"Mebi", "1MiB", 1'048'576},
    {"Gibi", "3GiB", 3'221'225'472},
    {"Tebi", "1TiB", 1'099'511'627'776},
    {"Most", "18446744073709551615B", most},
    {"OneTooMany", "18446744073709551616B", std::nullopt},
    {"MostTebi", "16777215TiB", 16'777'215ULL << 40},
    {"OneTebiTooMany", "16777216TiB", std::nullopt},
    {"MostKibi", "18014398509481983KiB", 18'014'398'509'481'983ULL << 10},
    {"OneKibiTooMany", "18014398509481984KiB", std::nullopt},
    {"Empty", "", std::nullopt},
    {"Bare", "64", std::nullopt},
    {"BareZero", "0", std::nullopt},
    {"UnitOnly", "KiB", std::nullopt},
    {"Decimal", "1.5KiB", std::nullopt},
    {"Decimal1000", "64KB", std::nullopt},
    {"LowerCase", "64kib", std::nullopt},
    {"Short", "64K", std::nullopt},
    {"BlankBetween", "64 KiB", std::nullopt},
    {"BlankBefore", " 64KiB", std::nullopt},
    {"BlankAfter", "64KiB ", std::nullopt},
    {"Negative", "-1B", std::nullopt},
    {"Plus", "+1B", std::nullopt},
    {"LeadingZero", "064B", std::nullopt},
    {"Hex", "0x40B", std::nullopt},
    {"Duration", "64s", std::nullopt},
    {"Twice", "1KiB1B", std::nullopt},
};

class ParseSize : public testing::TestWithParam<Size> {};

TEST_P(ParseSize, ReadsOrRefuses) {
    EXPECT_EQ(parse_size(GetParam().text), GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(Table, ParseSize, testing::ValuesIn(sizes),
                         [](const auto& row) { return std::string{row.param.name}; });

struct Duration {
    const char* name;
    std::string_view text;
    std::optional<milliseconds> value;
};

constexpr Duration durations[] = {
    {"Zero", "0s", milliseconds{0}},
    {"Millisecond", "1ms", milliseconds{1}},
    {"Second", "15s", milliseconds{15'000}},
    {"Minute", "10m", milliseconds{600'000}},
    {"Hour", "24h", milliseconds{86'400'000}},
    {"Day", "30d", milliseconds{2'592'000'000}},
    {"Most", "9223372036854775807ms", milliseconds::max()},
    {"OneTooMany", "9223372036854775808ms", std::nullopt},
    {"MostDays", "106751991167d", milliseconds{106'751'991'167LL * 86'400'000}},
    {"OneDayTooMany", "106751991168d", std::nullopt},
    {"Empty", "", std::nullopt},
    {"Bare", "15", std::nullopt},
    {"UnitOnly", "s", std::nullopt},
    {"Decimal", "1.5s", std::nullopt},
    {"Compound", "1m30s", std::nullopt},
    {"Upper", "15S", std::nullopt},
    {"Word", "15sec", std::nullopt},
    {"Microsecond", "15us", std::nullopt},
    {"Negative", "-1s", std::nullopt},
    {"BlankBetween", "15 s", std::nullopt},
    {"BlankAfter", "15s ", std::nullopt},
    {"LeadingZero", "015s", std::nullopt},
    {"Size", "15B", std::nullopt},
};

class ParseDuration : public testing::TestWithParam<Duration> {};

TEST_P(ParseDuration, ReadsOrRefuses) {
    EXPECT_EQ(parse_duration(GetParam().text), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(Table, ParseDuration, testing::ValuesIn(durations),
                         [](const auto& row) { return std::string{row.param.name}; });

}  // namespace
}  // namespace sworn
