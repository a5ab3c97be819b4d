#include "proxy/io/deadline.h"

#include <gtest/gtest.h>

#include <vector>

#include "proxy/io/thread_context.h"

namespace sworn::io {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

struct Note final : Expiry {
    explicit Note(std::vector<int>& list, int own) : order{list}, number{own} {}
    void expired() noexcept override {
        order.push_back(number);
        at = steady_clock::now();
        if (then != nullptr) then->disarm();
    }
    std::vector<int>& order;
    int number;
    Deadline* then = nullptr;
    SteadyTime at{};
};

TEST(DeadlineWheel, NeverFiresEarlyAndThenLetsTheContextEnd) {
    for (const auto after : {0ms, 1ms, 49ms, 50ms, 51ms, 120ms}) {
        SCOPED_TRACE(after.count());
        ThreadContext thread;
        std::vector<int> order;
        Note note{order, 1};
        Deadline deadline{thread.wheel, note};
        const auto armed = steady_clock::now();
        deadline.arm(after);
        thread.context.run();  // Ends: nothing keeps the timer running once it fired.
        ASSERT_EQ(order, std::vector<int>{1});
        EXPECT_GE(note.at - armed, after);
        EXPECT_TRUE(deadline.fired());
    }
}

TEST(DeadlineWheel, FiresInTheOrderOfTheTimesNotOfTheArming) {
    ThreadContext thread;
    std::vector<int> order;
    Note first{order, 1}, second{order, 2}, third{order, 3};
    Deadline late{thread.wheel, third}, middle{thread.wheel, second}, early{thread.wheel, first};
    late.arm(260ms);
    middle.arm(130ms);
    early.arm(10ms);
    thread.context.run();
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(DeadlineWheel, AnExpiryMayDisarmItsNeighbourInTheSameSlot) {
    ThreadContext thread;
    std::vector<int> order;
    Note one{order, 1}, two{order, 2};
    Deadline a{thread.wheel, one}, b{thread.wheel, two};
    one.then = &b;
    two.then = &a;
    a.arm(60ms);
    b.arm(60ms);
    thread.context.run();
    EXPECT_EQ(order.size(), 1U) << "whichever came first spared the other";
    EXPECT_NE(a.fired(), b.fired());
}

TEST(DeadlineWheel, ADisarmedDeadlineNeverFiresAndMayBeArmedAgain) {
    ThreadContext thread;
    std::vector<int> order;
    Note note{order, 1}, other{order, 2};
    Deadline deadline{thread.wheel, note}, later{thread.wheel, other};
    deadline.arm(1ms);
    later.arm(150ms);
    deadline.disarm();
    thread.context.run();
    EXPECT_EQ(order, std::vector<int>{2});
    EXPECT_FALSE(deadline.fired());
    deadline.arm(1ms);
    thread.context.restart();
    thread.context.run();
    EXPECT_EQ(order, (std::vector<int>{2, 1}));
}

TEST(DeadlineWheel, ADeadlineMayOutliveItsWheel) {
    std::vector<int> order;
    Note note{order, 1};
    boost::asio::io_context context{1};
    auto wheel = std::make_unique<DeadlineWheel>(context);
    Deadline deadline{*wheel, note};
    deadline.arm(1ms);
    wheel.reset();
    context.run();
    EXPECT_TRUE(order.empty());
}

}  // namespace
}  // namespace sworn::io
