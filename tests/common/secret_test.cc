#include "common/secret.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

namespace sworn {
namespace {

static_assert(!std::is_copy_constructible_v<Secret>, "a copy is asked for by name: clone()");
static_assert(!std::is_copy_assignable_v<Secret>);
static_assert(std::is_nothrow_move_constructible_v<Secret>);
static_assert(!std::is_convertible_v<std::string, Secret>);
static_assert(!std::is_convertible_v<Secret, std::string_view>);

const std::string short_text = "hunter2";  // Kept inside of the string object itself.
const std::string long_text = "sk_live_0123456789abcdefghijklmnopqrstuvwxyz";  // On the heap.

/// All bytes that the string still owns, those behind its end included.
std::string_view storage(const std::string& text) {
    return {text.data(), text.capacity()};
}

class SecretOf : public testing::TestWithParam<std::string> {};

TEST_P(SecretOf, WipesTheStringThatItWasMadeFrom) {
    std::string source = GetParam();
    const Secret secret{std::move(source)};
    EXPECT_EQ(secret.bytes(), GetParam());
    EXPECT_TRUE(source.empty());  // NOLINT(bugprone-use-after-move): this is what is tested.
    EXPECT_EQ(storage(source).find(GetParam().substr(1)), std::string_view::npos);
}

TEST_P(SecretOf, MovesAndLeavesNothingBehind) {
    Secret first{std::string{GetParam()}};
    Secret second{std::move(first)};
    EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(second.bytes(), GetParam());
    Secret third{std::string{"another one"}};
    third = std::move(second);
    EXPECT_TRUE(second.empty());  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(third.bytes(), GetParam());
    Secret& same = third;
    third = std::move(same);
    EXPECT_EQ(third.bytes(), GetParam()) << "moved onto itself";
}

TEST_P(SecretOf, WipesItsBytesWhenItEnds) {
    alignas(Secret) std::byte place[sizeof(Secret)];
    auto* const secret = ::new (place) Secret{std::string{GetParam()}};
    const char* const bytes = secret->bytes().data();
    const auto* const first = reinterpret_cast<const char*>(place);
    const bool inside = bytes >= first && bytes < first + sizeof place;
    secret->~Secret();
    // Only bytes inside of the object can be looked at after its end.
    if (inside) {
        const std::string_view left{first, sizeof place};
        EXPECT_EQ(left.find(GetParam()), std::string_view::npos);
    } else {
        EXPECT_EQ(GetParam(), long_text);
    }
}

TEST_P(SecretOf, ClonesIntoItsOwnStorage) {
    const Secret original{std::string{GetParam()}};
    const Secret copy = original.clone();
    EXPECT_EQ(copy.bytes(), original.bytes());
    EXPECT_NE(copy.bytes().data(), original.bytes().data());
    EXPECT_EQ(copy.size(), GetParam().size());
}

TEST_P(SecretOf, EqualsItselfOnly) {
    const Secret secret{std::string{GetParam()}};
    EXPECT_TRUE(secret.equals(GetParam()));
    for (std::size_t i = 0; i < GetParam().size(); ++i) {
        std::string other = GetParam();
        other[i] = static_cast<char>(other[i] ^ 1);
        EXPECT_FALSE(secret.equals(other)) << i;
        EXPECT_FALSE(secret.equals(GetParam().substr(0, i))) << i;
    }
    EXPECT_FALSE(secret.equals(GetParam() + "x"));
    EXPECT_FALSE(secret.equals(GetParam() + std::string(1, '\0'))) << "padding is no byte of it";
}

TEST_P(SecretOf, PrintsAFixedWord) {
    std::ostringstream out;
    out << Secret{std::string{GetParam()}};
    EXPECT_EQ(out.str(), "[secret]");
}

INSTANTIATE_TEST_SUITE_P(Sizes, SecretOf, testing::Values(short_text, long_text),
                         [](const auto& row) {
                             return row.param == short_text ? "Short" : "Long";
                         });

TEST(Secret, StartsEmpty) {
    const Secret secret;
    EXPECT_TRUE(secret.empty());
    EXPECT_EQ(secret.size(), 0U);
    EXPECT_TRUE(secret.equals(""));
    EXPECT_FALSE(secret.equals("x"));
    EXPECT_FALSE(secret.equals(std::string_view{"\0", 1}));
}

TEST(Wipe, ReachesBytesBehindTheEnd) {
    std::string text = long_text;
    const char* const bytes = text.data();
    text.resize(3);
    wipe(text);
    EXPECT_TRUE(text.empty());
    EXPECT_EQ(text.data(), bytes) << "the same storage, or the test looks at nothing";
    // Grown within its capacity, the string owns these bytes again.
    text.resize(long_text.size());
    EXPECT_EQ(text, std::string(long_text.size(), '\0'));
}

}  // namespace
}  // namespace sworn
