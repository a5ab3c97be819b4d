#include "common/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>

namespace sworn {
namespace {

static_assert(!std::is_constructible_v<Literal, std::string>, "run-time text stays out of errors");
static_assert(!std::is_constructible_v<Literal, std::string_view>);

Result<int> half(int value) {
    if (value % 2 != 0) return Error{Code::malformed_request, "The number is odd.", "value"};
    return value / 2;
}

TEST(Result, HoldsAValueOrTheErrorThatStoppedIt) {
    const auto good = half(4);
    ASSERT_TRUE(good);
    EXPECT_EQ(*good, 2);
    const auto bad = half(3);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().code, Code::malformed_request);
    EXPECT_EQ(bad.error().why.view(), "The number is odd.");
    EXPECT_EQ(bad.error().field.view(), "value");
    EXPECT_EQ(bad.error().status, 0);
}

TEST(Result, MovesItsValueOut) {
    Result<std::unique_ptr<int>> held{std::make_unique<int>(7)};
    const std::unique_ptr<int> taken = *std::move(held);
    EXPECT_EQ(*taken, 7);
}

TEST(Result, AbortsWhenTheSideThatIsNotThereIsRead) {
    EXPECT_DEATH(static_cast<void>(*half(3)), "broken invariant");
    EXPECT_DEATH(static_cast<void>(half(4).error()), "broken invariant");
}

TEST(Status, IsDoneOrAnError) {
    const Status done = Done{};
    EXPECT_TRUE(done);
    const Status failed = Error{Code::broker_draining, "The broker is stopping."};
    EXPECT_FALSE(failed);
    EXPECT_TRUE(failed.error().field.empty());
}

struct Field {
    const char* name;
    std::string text;
    std::string shown;
};

const Field fields[] = {
    {"Empty", "", ""},
    {"HeaderName", "Content-Length", "Content-Length"},
    {"ConfigKey", "routes[3].upstream", "routes[3].upstream"},
    {"LineEnd", "X\r\nInjected: 1", "X??Injected:?1"},
    {"Utf8", "caf\xc3\xa9", "caf??"},
    {"Terminal", "\x1b[31m", "?[31m"},
    {"Delete", "a\x7f", "a?"},
    {"Longest", std::string(63, 'x'), std::string(63, 'x')},
    {"OneTooLong", std::string(64, 'x'), std::string(63, 'x')},
};

class FieldPathOf : public testing::TestWithParam<Field> {};

TEST_P(FieldPathOf, IsSafeToShow) {
    EXPECT_EQ(FieldPath{GetParam().text}.view(), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(Table, FieldPathOf, testing::ValuesIn(fields),
                         [](const auto& row) { return std::string{row.param.name}; });

}  // namespace
}  // namespace sworn
