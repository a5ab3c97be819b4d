// The running broker's form of the scenarios that end in one exchange: what the caller gets, what
// the record then says, and how often the origin was asked.
#include <gtest/gtest.h>

#include "tests/support/broker_rig.h"

namespace sworn::test {
namespace {

constexpr const char* delivered = "result_delivery committed never null";

TEST(Walk, ASmallResultIsCommittedAndDelivered) {
    BrokerRig rig;
    auto caller = rig.caller();
    const auto first = caller.send(post()).read_response();
    EXPECT_EQ(first.status, 200);
    EXPECT_EQ(first.body, "done");
    EXPECT_EQ(rig.state(first.id()), delivered);
    const auto second = caller.send(post()).read_response();
    EXPECT_EQ(second.status, 200);
    EXPECT_EQ(rig.evidence(first.id())["delivery"], "delivered");
    EXPECT_EQ(rig.upstream.count(), 2U);
}

}  // namespace
}  // namespace sworn::test
