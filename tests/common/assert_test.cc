#include "common/assert.h"

#include <gtest/gtest.h>

namespace sworn {
namespace {

TEST(Assert, LetsAHoldingConditionPassAndReadsItOnce) {
    int reads = 0;
    SWORN_ASSERT(++reads == 1);
    EXPECT_EQ(reads, 1);
}

TEST(Assert, StopsTheProcessAndNamesExpressionAndPlace) {
    const int secret = 42;
    EXPECT_DEATH(SWORN_ASSERT(secret == 0), "assert_test.cc:[0-9]+: .*secret == 0");
}

TEST(Assert, IsAnExpression) {
    const auto checked = [](int value) { return SWORN_ASSERT(value > 0), value; };
    EXPECT_EQ(checked(3), 3);
}

}  // namespace
}  // namespace sworn
