// The committer: what shares a sync, what a failed one does, and that no proof is given out before
// its event is on the disk.
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "tests/journal/rig.h"

namespace sworn::journal {
namespace {

using rig::Action;
using rig::Rig;
using rig::Wait;

/// A gate that a sync waits at.
class Gate {
public:
    void pass() {
        std::unique_lock lock{mutex_};
        arrived_ = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return open_; });
    }
    void wait_for_arrival() {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return arrived_; });
    }
    void open() {
        const std::lock_guard lock{mutex_};
        open_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool arrived_ = false, open_ = false;
};

/// Counts its calls and completes what it is given at once.
class CountingWaker final : public Waker {
public:
    void wake(std::vector<Finished> finished) noexcept override {
        ++calls;
        for (Finished& each : finished)
            each.completion->complete(std::move(each.outcome));
    }
    std::atomic<std::size_t> calls{0};
};

/// Looks at the disk in the moment of its completion.
class LookAtDisk final : public Completion {
public:
    explicit LookAtDisk(std::shared_ptr<FakeDisk> disk) : disk_{std::move(disk)} {}
    void complete(AppendOutcome outcome) noexcept override {
        const auto store = disk_->crash()->open();
        std::string seen;
        EXPECT_TRUE(
            store->scan(Column::events, "", "", [&](std::string_view, std::string_view row) {
                seen += row;
                return true;
            }));
        promise_.set_value({std::move(outcome), std::move(seen)});
    }
    std::pair<AppendOutcome, std::string> get() { return promise_.get_future().get(); }

private:
    std::shared_ptr<FakeDisk> disk_;
    std::promise<std::pair<AppendOutcome, std::string>> promise_;
};

bool holds(std::string_view rows, EventType type) {
    while (!rows.empty()) {
        const auto event = decode(rows);
        if (!event) return false;
        if (type_of(event->body) == type) return true;
    }
    return false;
}

TEST(GroupCommit, GivesOutNoTicketBeforeItsEventIsOnTheDisk) {
    Rig rig;
    rig.open();
    Action action{rig};
    LookAtDisk dispatched{rig.disk}, committed{rig.disk};
    action.stage_accepted().stage_dispatch();
    rig.journal->append(action.ledger.take(Durability::durable, nullptr, &dispatched));
    auto [first, after_dispatch] = dispatched.get();
    ASSERT_TRUE(first.dispatch);
    EXPECT_EQ(first.dispatch->id(), action.id);
    EXPECT_EQ(first.dispatch->deadline(), rig.clock.steady() + rig.options.lease);
    EXPECT_FALSE(first.commit);
    EXPECT_TRUE(holds(after_dispatch, EventType::dispatch_started));

    action.stage_result();
    rig.journal->append(action.ledger.take(Durability::durable, nullptr, &committed));
    auto [second, after_commit] = committed.get();
    EXPECT_TRUE(second.commit);
    EXPECT_FALSE(second.dispatch);
    EXPECT_TRUE(holds(after_commit, EventType::result_committed));
}

TEST(GroupCommit, GivesNoTicketForWhatIsOnlyWritten) {
    Rig rig;
    rig.open();
    Action action{rig};
    action.stage_accepted().stage_dispatch();
    const AppendOutcome outcome = action.submit(Durability::written);
    EXPECT_TRUE(outcome);
    EXPECT_FALSE(outcome.dispatch);
    EXPECT_EQ(rig.disk->crash()->keys(Column::events).size(), 0U);
    EXPECT_EQ(rig.disk->keys(Column::events).size(), 1U);
}

TEST(GroupCommit, GivesACommitTicketForABrokenExchangeAndForALostResult) {
    Rig rig;
    rig.open();
    Action broken{rig};
    ASSERT_TRUE(broken.dispatch().dispatch);
    EXPECT_TRUE(broken.stage_broken().submit().commit);

    Action lost{rig, 2};
    ASSERT_TRUE(lost.dispatch().dispatch);
    RemoteResponseComplete complete;
    complete.status = 200;
    complete.outcome = Outcome::committed;
    complete.result_stored = false;
    EXPECT_TRUE(lost.stage_response().stage(std::move(complete)).submit().commit);
}

TEST(GroupCommit, SharesOneSyncAndOneWakeAmongAThousand) {
    constexpr std::size_t count = 1000;
    Rig rig;
    rig.open();
    Gate gate;
    rig.disk->on_sync([&] { gate.pass(); });
    const std::size_t syncs_before = rig.disk->syncs();
    CountingWaker waker;
    std::deque<Wait> waits;
    const auto start = [&](std::size_t n) {
        Action action{rig, static_cast<std::uint8_t>(n)};
        action.stage_accepted(rig::repeatable()).stage_dispatch();
        rig.journal->append(action.ledger.take(Durability::durable, &waker, &waits.emplace_back()));
    };
    start(0);
    gate.wait_for_arrival();
    for (std::size_t n = 1; n < count; ++n)
        start(n);
    gate.open();
    for (Wait& each : waits)
        EXPECT_TRUE(each.get().dispatch);
    EXPECT_LE(rig.disk->syncs() - syncs_before, 3U);
    EXPECT_LE(waker.calls.load(), 3U);
}

TEST(GroupCommit, NumbersEventsInTheOrderOfTheirAppends) {
    Rig rig;
    rig.open();
    Action first{rig}, second{rig, 2};
    const AppendOutcome a = first.stage_accepted().submit(Durability::written);
    const AppendOutcome b = second.stage_accepted().submit(Durability::written);
    const AppendOutcome c = first.stage_dispatch().submit();
    EXPECT_EQ(a.last_seq, 2U);
    EXPECT_EQ(b.last_seq, 4U);
    EXPECT_EQ(c.last_seq, 7U);
}

TEST(GroupCommit, MakesBufferedAppendsDurableWithTheNextSync) {
    Rig rig;
    rig.open();
    Action earlier{rig}, later{rig, 2};
    earlier.stage_accepted();
    rig.buffer(earlier.ledger);
    ASSERT_TRUE(later.dispatch());
    rig.crash();
    EXPECT_TRUE(rig.journal->read(earlier.id));
    EXPECT_TRUE(rig.journal->read(later.id));
}

TEST(GroupCommit, FailsEveryMemberOfAFailedSyncAndAllThatFollow) {
    Rig rig;
    rig.open();
    EXPECT_TRUE(rig.observer.can_write);
    Gate gate;
    rig.disk->on_sync([&] { gate.pass(); });
    rig.disk->fail_sync_at(2);
    std::deque<Wait> waits;
    std::deque<Action> actions;
    const auto start = [&](Durability durability) {
        Action& action = actions.emplace_back(rig, static_cast<std::uint8_t>(actions.size()));
        action.stage_accepted().stage_dispatch();
        rig.journal->append(action.ledger.take(durability, nullptr, &waits.emplace_back()));
    };
    start(Durability::durable);
    gate.wait_for_arrival();
    for (int n = 0; n < 5; ++n)
        start(n % 2 == 0 ? Durability::durable : Durability::written);
    gate.open();
    EXPECT_TRUE(waits[0].get().dispatch);
    for (std::size_t n = 1; n < waits.size(); ++n) {
        const AppendOutcome outcome = waits[n].get();
        EXPECT_EQ(outcome.refusal, Refusal::unavailable) << n;
        EXPECT_TRUE(outcome.may_be_on_disk) << n;
        EXPECT_FALSE(outcome.dispatch) << n;
    }
    EXPECT_FALSE(rig.journal->available());
    EXPECT_FALSE(rig.observer.can_write);
    Action late{rig, 99};
    const AppendOutcome outcome = late.dispatch();
    EXPECT_EQ(outcome.refusal, Refusal::unavailable);
    EXPECT_FALSE(outcome.may_be_on_disk);
}

TEST(GroupCommit, StopsWhenTheStoreFailsInTheBackground) {
    Rig rig;
    rig.open();
    rig.disk->fail_in_background();
    EXPECT_FALSE(rig.journal->available());
    Action action{rig};
    const AppendOutcome outcome = action.dispatch();
    EXPECT_EQ(outcome.refusal, Refusal::unavailable);
    EXPECT_FALSE(outcome.may_be_on_disk);
    EXPECT_FALSE(rig.observer.can_write);
}

TEST(GroupCommit, StopsWhenATokenCannotBeLookedUp) {
    Rig rig;
    rig.open();
    rig.disk->fail_reads(Column::index);
    Action action{rig};
    action.accepted.token = "t-1";
    EXPECT_EQ(action.dispatch().refusal, Refusal::unavailable);
    EXPECT_FALSE(rig.journal->available());
}

TEST(GroupCommit, RefusesWhatDoesNotFitTheQueue) {
    Rig rig;
    rig.options.queue_max = 2;
    rig.open();
    Gate gate;
    rig.disk->on_sync([&] { gate.pass(); });
    std::deque<Wait> waits;
    std::deque<Action> actions;
    const auto start = [&] {
        Action& action = actions.emplace_back(rig, static_cast<std::uint8_t>(actions.size()));
        action.stage_accepted().stage_dispatch();
        rig.journal->append(
            action.ledger.take(Durability::durable, nullptr, &waits.emplace_back()));
    };
    start();
    gate.wait_for_arrival();
    for (int n = 0; n < 3; ++n)
        start();
    gate.open();
    EXPECT_TRUE(waits[0].get().dispatch);
    EXPECT_TRUE(waits[1].get().dispatch);
    EXPECT_TRUE(waits[2].get().dispatch);
    const AppendOutcome refused = waits[3].get();
    EXPECT_EQ(refused.refusal, Refusal::unavailable);
    EXPECT_FALSE(refused.may_be_on_disk);
    EXPECT_TRUE(rig.journal->available());
}

TEST(GroupCommit, WritesWhatIsQueuedBeforeItEnds) {
    Rig rig;
    rig.open();
    Action action{rig};
    action.stage_accepted();
    rig.buffer(action.ledger);
    rig.journal.reset();
    EXPECT_EQ(rig.disk->crash()->keys(Column::events).size(), 1U);
}

TEST(GroupCommit, CountsGroupsEventsAndTheUnsettled) {
    Rig rig;
    rig.open();
    Action action{rig};
    ASSERT_TRUE(action.dispatch());
    EXPECT_EQ(rig.observer.events, 5U);
    EXPECT_EQ(rig.observer.open, 0U);
    ASSERT_TRUE(action.stage_broken().submit());
    EXPECT_EQ(rig.observer.open, 1U);
    EXPECT_EQ(rig.journal->unsettled(), 1U);
    Attested attested;
    attested.finding = Finding::applied;
    attested.by = "ops";
    ASSERT_TRUE(action.stage(std::move(attested)).submit());
    EXPECT_EQ(rig.observer.open, 0U);
}

// The happy path once per write with that write failing, and once per sync: whatever was confirmed
// survives, whatever was refused may or may not.
class Sweep : public testing::TestWithParam<bool> {};

TEST_P(Sweep, LosesNothingThatWasConfirmedWhicheverWriteFails) {
    for (std::size_t nth = 1; nth <= 6; ++nth) {
        Rig rig;
        rig.open();
        GetParam() ? rig.disk->fail_sync_at(nth) : rig.disk->fail_write_at(nth);
        Action action{rig};
        std::size_t confirmed = 0;
        const auto step = [&](const AppendOutcome& outcome, std::size_t events) {
            if (outcome) confirmed = events;
            return static_cast<bool>(outcome);
        };
        if (step(action.dispatch(), 5) && step(action.stage_result().submit(), 8)) {
            step(action.stage(ResultDelivered{"ack"}).submit(), 9);
        }
        rig.journal.reset();
        for (const auto& left : {rig.disk->crash(), rig.disk->copy()}) {
            rig.disk = left;
            rig.open();
            const auto stored = rig.journal->read(action.id);
            ASSERT_EQ(stored.has_value() || confirmed == 0, true) << nth;
            if (stored) {
                EXPECT_GE(stored->events.size(), confirmed) << nth;
                EXPECT_FALSE(stored->record.corrupt) << nth;
                EXPECT_FALSE(stored->record.running) << nth;
            }
            rig.journal.reset();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Faults, Sweep, testing::Bool(),
                         [](const auto& each) { return each.param ? "Syncs" : "Writes"; });

}  // namespace
}  // namespace sworn::journal
