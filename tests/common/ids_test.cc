#include "common/ids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

namespace sworn {
namespace {

constexpr std::string_view known = "act_01ARZ3NDEKTSV4RRFFQ69G5FAV";

WallTime at(std::int64_t milliseconds) {
    return WallTime{std::chrono::milliseconds{milliseconds}};
}

TEST(InvocationId, ReadsAKnownUlid) {
    const auto id = parse_invocation_id(known);
    ASSERT_TRUE(id);
    EXPECT_EQ(id->text(), known);
    EXPECT_EQ(id->time(), at(1'469'922'850'259));
}

TEST(InvocationId, CoversTheWholeRange) {
    InvocationId least;
    EXPECT_EQ(least.text(), "act_00000000000000000000000000");
    InvocationId most;
    most.bytes.fill(0xff);
    EXPECT_EQ(most.text(), "act_7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
    EXPECT_EQ(parse_invocation_id(least.text()), least);
    EXPECT_EQ(parse_invocation_id(most.text()), most);
}

TEST(InvocationId, EveryBitSurvivesItsText) {
    for (std::size_t bit = 0; bit < 128; ++bit) {
        InvocationId id;
        id.bytes[bit / 8] = static_cast<std::uint8_t>(1U << bit % 8);
        EXPECT_EQ(parse_invocation_id(id.text()), id) << bit;
    }
}

struct Bad {
    const char* name;
    std::string text;
};

const Bad bad[] = {
    {"Empty", ""},
    {"PrefixOnly", "act_"},
    {"OtherPrefix", "req_01ARZ3NDEKTSV4RRFFQ69G5FAV"},
    {"NoPrefix", "01ARZ3NDEKTSV4RRFFQ69G5FAV"},
    {"UpperPrefix", "ACT_01ARZ3NDEKTSV4RRFFQ69G5FAV"},
    {"LowerDigits", "act_01arz3ndektsv4rrffq69g5fav"},
    {"OneLowerDigit", "act_01ARZ3NDEKTSV4RRFFQ69G5FAv"},
    {"TooShort", "act_01ARZ3NDEKTSV4RRFFQ69G5FA"},
    {"TooLong", "act_01ARZ3NDEKTSV4RRFFQ69G5FAV0"},
    {"MoreThan128Bits", "act_81ARZ3NDEKTSV4RRFFQ69G5FAV"},
    {"LetterI", "act_01ARZ3NDEKTSV4RRFFQ69G5FAI"},
    {"LetterL", "act_01ARZ3NDEKTSV4RRFFQ69G5FAL"},
    {"LetterO", "act_01ARZ3NDEKTSV4RRFFQ69G5FAO"},
    {"LetterU", "act_01ARZ3NDEKTSV4RRFFQ69G5FAU"},
    {"LetterFirst", "act_A1ARZ3NDEKTSV4RRFFQ69G5FAV"},
    {"Hyphen", "act_01ARZ3NDEK-SV4RRFFQ69G5FAV"},
    {"BlankBefore", " act_01ARZ3NDEKTSV4RRFFQ69G5FAV"},
    {"NulInside", std::string{"act_01ARZ3NDEKTSV4RRFFQ69G5FA\0", 30}},
};

class BadId : public testing::TestWithParam<Bad> {};

TEST_P(BadId, IsNothing) {
    EXPECT_FALSE(parse_invocation_id(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(Table, BadId, testing::ValuesIn(bad),
                         [](const auto& row) { return std::string{row.param.name}; });

TEST(NewInvocationId, CarriesItsMillisecond) {
    // Later than every other time that this file hands out, so that it is the newest.
    const WallTime now = at(9'000'000'000'000) + std::chrono::microseconds{999};
    EXPECT_EQ(new_invocation_id(now).time(), at(9'000'000'000'000));
}

TEST(NewInvocationId, RisesWithinAMillisecondAndWhenTheClockGoesBack) {
    InvocationId last = new_invocation_id(at(9'100'000'000'000));
    for (const std::int64_t milliseconds :
         {9'100'000'000'000, 9'100'000'000'000, 9'000'000'000'000, std::int64_t{0},
          std::int64_t{-1}, 9'100'000'000'001, 9'100'000'000'000}) {
        const InvocationId next = new_invocation_id(at(milliseconds));
        EXPECT_LT(last, next) << milliseconds;
        EXPECT_LT(last.text(), next.text()) << "texts sort as ids do";
        last = next;
    }
}

TEST(NewInvocationId, NeverRepeatsAcrossThreads) {
    constexpr std::size_t per_thread = 2'000;
    std::mutex mutex;
    std::set<InvocationId> seen;
    const auto make = [&mutex, &seen] {
        std::vector<InvocationId> mine;
        for (std::size_t i = 0; i < per_thread; ++i)
            mine.push_back(new_invocation_id(at(1)));
        EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
        const std::lock_guard lock{mutex};
        seen.insert(mine.begin(), mine.end());
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back(make);
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(seen.size(), 4 * per_thread);
}

TEST(NewInvocationId, HashesApartWithinAMillisecond) {
    std::unordered_set<std::size_t> hashes;
    for (int i = 0; i < 1'000; ++i)
        hashes.insert(InvocationIdHash{}(new_invocation_id(at(1))));
    EXPECT_EQ(hashes.size(), 1'000U);
}

}  // namespace
}  // namespace sworn
