#include <gtest/gtest.h>

#include <random>

#include "proxy/contract/settle.h"
#include "tests/proxy/contract/vector_file.h"

namespace sworn::contract {
namespace {

using namespace std::chrono;

constexpr WallTime noon = sys_days{2026y / November / 30} + 12h;

std::string shown(const std::optional<seconds>& got) {
    return got ? std::to_string(got->count()) : "none";
}

TEST(RetryAfter, ReadsEveryRowOfItsTable) {
    const auto rows = test::read_rows("retry_after.txt");
    ASSERT_GT(rows.size(), 40u);
    for (const test::Row& row : rows) {
        ASSERT_EQ(row.columns.size(), 3u) << "line " << row.line;
        EXPECT_EQ(shown(parse_retry_after(test::unquoted(row.columns[1]), noon)), row.columns[2])
            << "retry_after.txt:" << row.line << " " << row.columns[0];
    }
}

TEST(RetryAfter, AFractionOfASecondIsRoundedUp) {
    EXPECT_EQ(parse_retry_after("Mon, 30 Nov 2026 12:00:30 GMT", noon + 200ms), 30s);
}

TEST(RetryAfter, EveryPrefixOfADateIsNonsense) {
    for (const std::string whole : {"Mon, 30 Nov 2026 12:00:30 GMT",
                                    "Monday, 30-Nov-26 12:01:00 GMT", "Mon Nov 30 12:00:05 2026"}) {
        ASSERT_TRUE(parse_retry_after(whole, noon)) << whole;
        for (std::size_t end = 0; end < whole.size(); ++end) {
            EXPECT_FALSE(parse_retry_after(whole.substr(0, end), noon)) << whole << " " << end;
        }
    }
}

TEST(RetryAfter, WhateverComesStaysInItsBounds) {
    std::mt19937 random{3};
    const std::string alphabet = "0123456789MonNv:, -GMT+.";
    const std::string seed = "Mon, 30 Nov 2026 12:00:30 GMT";
    for (int round = 0; round < 20000; ++round) {
        auto text = seed;
        for (auto edits = random() % 4; edits > 0; --edits) {
            text[random() % text.size()] = alphabet[random() % alphabet.size()];
        }
        const auto got = parse_retry_after(text, noon);
        if (!got) continue;
        EXPECT_GE(*got, 0s) << text;
        EXPECT_LE(*got, 24h) << text;
    }
}

}  // namespace
}  // namespace sworn::contract
