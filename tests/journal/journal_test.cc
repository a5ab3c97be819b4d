// What the journal refuses and gives back, on both stores.
#include "journal/journal.h"

#include <gtest/gtest.h>

#include <thread>

#include "journal/part_file.h"
#include "tests/journal/rig.h"

namespace sworn::journal {
namespace {

using namespace std::chrono_literals;
using rig::Action;
using rig::keyed;
using rig::post;
using rig::repeatable;
using rig::Rig;
using rig::Wait;

enum class Kind { fake, rocksdb };

class JournalTest : public testing::TestWithParam<Kind> {
protected:
    void SetUp() override { open(); }
    void open() { GetParam() == Kind::fake ? rig.open() : rig.open_rocksdb(); }
    void reopen() {
        rig.journal.reset();
        open();
    }
    Rig rig;
};

INSTANTIATE_TEST_SUITE_P(Stores, JournalTest, testing::Values(Kind::fake, Kind::rocksdb),
                         [](const auto& each) {
                             return each.param == Kind::fake ? "Fake" : "RocksDb";
                         });

TEST_P(JournalTest, ReadsBackWhatTheLedgerHolds) {
    Action action{rig};
    ASSERT_TRUE(action.dispatch());
    ASSERT_TRUE(action.stage_result().submit());
    const auto stored = rig.journal->read(action.id);
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->events.size(), 8U);
    EXPECT_FALSE(stored->record.corrupt);
    EXPECT_EQ(stored->record.next_ordinal, action.ledger.record().next_ordinal);
    EXPECT_EQ(project(stored->record, rig.clock.now()).outcome, Outcome::committed);
    EXPECT_FALSE(rig.journal->read(new_invocation_id(rig.clock.now())));
}

TEST_P(JournalTest, ShowsABufferedAppendToEveryReadThatFollows) {
    for (int n = 0; n < 20; ++n) {
        Action action{rig};
        action.stage_accepted();
        rig.buffer(action.ledger);
        const auto stored = rig.journal->read(action.id);
        ASSERT_TRUE(stored);
        EXPECT_TRUE(stored->record.running);
    }
}

TEST_P(JournalTest, WritesAllOfAnAppendOrNothing) {
    Action action{rig};
    ASSERT_TRUE(action.stage_accepted().submit());
    Append append;
    append.id = action.id;
    Event legal;
    legal.ordinal = 2;
    legal.body = CredentialAuthorized{"stripe", "1", "header"};
    Event illegal;
    illegal.ordinal = 3;
    illegal.body = ResultCommitted{};
    append.events = {legal, illegal};
    EXPECT_EQ(rig.submit(std::move(append)).refusal, Refusal::illegal_transition);
    EXPECT_EQ(rig.journal->read(action.id)->events.size(), 2U);
    EXPECT_TRUE(action.stage_dispatch().submit().dispatch);
}

TEST_P(JournalTest, RefusesAnOrdinalThatWasTaken) {
    Action action{rig};
    ASSERT_TRUE(action.stage_accepted().submit());
    Append again;
    again.id = action.id;
    again.events.push_back(Event{.body = action.accepted});
    EXPECT_EQ(rig.submit(std::move(again)).refusal, Refusal::illegal_transition);
    reopen();
    Append after;
    after.id = action.id;
    after.events.push_back(Event{.body = action.accepted});
    EXPECT_EQ(rig.submit(std::move(after)).refusal, Refusal::illegal_transition);
}

TEST_P(JournalTest, BindsATokenToOneInvocationOfItsCaller) {
    Action first{rig}, again{rig}, other{rig, 2}, stranger{rig};
    first.accepted.token = again.accepted.token = other.accepted.token = "tok";
    stranger.accepted.token = "tok";
    stranger.accepted.caller = "someone else";
    ASSERT_TRUE(first.dispatch(repeatable()));
    const AppendOutcome same = again.dispatch(repeatable());
    EXPECT_EQ(same.refusal, Refusal::token_bound);
    EXPECT_EQ(same.other, first.id);
    EXPECT_TRUE(same.same_fingerprint);
    const AppendOutcome differs = other.dispatch(repeatable());
    EXPECT_EQ(differs.refusal, Refusal::token_bound);
    EXPECT_FALSE(differs.same_fingerprint);
    EXPECT_TRUE(stranger.dispatch(repeatable()));
    EXPECT_FALSE(rig.journal->read(again.id));

    const auto found = rig.journal->find_token("agent", "tok");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].id, first.id);
    reopen();
    Action later{rig};
    later.accepted.token = "tok";
    EXPECT_EQ(later.dispatch(repeatable()).other, first.id);
}

TEST_P(JournalTest, BindsAnIdempotencyKeyAcrossCallersAndTellsAStrangerNothing) {
    Action first{rig}, again{rig}, stranger{rig};
    ASSERT_TRUE(first.dispatch(keyed("req_1")));
    const AppendOutcome same = again.dispatch(keyed("req_1"));
    EXPECT_EQ(same.refusal, Refusal::token_bound);
    EXPECT_EQ(same.other, first.id);
    EXPECT_TRUE(same.same_fingerprint);
    stranger.accepted.caller = "someone else";
    const AppendOutcome refused = stranger.dispatch(keyed("req_1"));
    EXPECT_EQ(refused.refusal, Refusal::token_bound);
    EXPECT_FALSE(refused.other);
    EXPECT_FALSE(refused.same_fingerprint);
    EXPECT_EQ(rig.journal->find_key("payments.create", "req_1")->id, first.id);
    EXPECT_FALSE(rig.journal->find_key("payments.create", "req_2"));
}

TEST_P(JournalTest, LeavesAKeyWithoutAContractUnbound) {
    PreflightValidated forwarded = keyed("req_1");
    forwarded.remote_contract.clear();
    Action first{rig}, second{rig, 2};
    ASSERT_TRUE(first.dispatch(forwarded));
    EXPECT_TRUE(second.dispatch(forwarded));
}

TEST_P(JournalTest, LetsATokenMoveOnlyFromWhatAwaitsACorrection) {
    Action first{rig}, unlinked{rig, 2}, linked{rig, 3};
    for (Action* each : {&first, &unlinked, &linked})
        each->accepted.token = "tok";
    ASSERT_TRUE(first.stage_accepted().submit());
    linked.accepted.previous = first.id;
    Action early{rig, 3};
    early.accepted = linked.accepted;
    EXPECT_EQ(early.dispatch().refusal, Refusal::token_bound) << "it still runs";

    ASSERT_TRUE(first.stage(ActionRefused{.code = Code::vault_locked}).submit());
    EXPECT_EQ(unlinked.dispatch().refusal, Refusal::token_bound) << "no link back";
    EXPECT_TRUE(linked.dispatch());
    const auto found = rig.journal->find_token("agent", "tok");
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].id, linked.id);
    EXPECT_EQ(found[1].id, first.id);

    Action next{rig, 4};
    next.accepted.token = "tok";
    next.accepted.previous = linked.id;
    ASSERT_TRUE(linked.stage_broken().submit());
    EXPECT_EQ(next.dispatch().refusal, Refusal::token_bound) << "unknown keeps its token";
}

TEST_P(JournalTest, StopsABlindRepeatAcrossAReopenUntilItsWindowEnds) {
    Action first{rig};
    ASSERT_TRUE(first.dispatch());
    EXPECT_FALSE(rig.journal->guarded("agent", first.accepted.fingerprint));
    ASSERT_TRUE(first.stage_broken().submit());
    EXPECT_EQ(rig.journal->guarded("agent", first.accepted.fingerprint), first.id);
    reopen();
    EXPECT_EQ(rig.journal->guarded("agent", first.accepted.fingerprint), first.id);
    EXPECT_EQ(rig.journal->unsettled(), 1U);

    Action repeat{rig};
    const AppendOutcome refused = repeat.dispatch();
    EXPECT_EQ(refused.refusal, Refusal::guard_armed);
    EXPECT_EQ(refused.other, first.id);
    EXPECT_FALSE(rig.journal->read(repeat.id));

    Action different{rig, 2}, free{rig}, off{rig};
    EXPECT_TRUE(different.dispatch());
    EXPECT_TRUE(free.dispatch(repeatable()));
    PreflightValidated unguarded = post();
    unguarded.guard = false;
    EXPECT_TRUE(off.dispatch(unguarded));
    Action stranger{rig};
    stranger.accepted.caller = "someone else";
    EXPECT_TRUE(stranger.dispatch());

    rig.clock.move(25h);
    EXPECT_FALSE(rig.journal->guarded("agent", first.accepted.fingerprint));
    Action late{rig};
    EXPECT_TRUE(late.dispatch());
}

TEST_P(JournalTest, ReleasesTheGuardWhenAFindingSettles) {
    Action first{rig}, second{rig};
    ASSERT_TRUE(first.dispatch());
    ASSERT_TRUE(first.stage_broken().submit());
    Attested attested;
    attested.finding = Finding::not_applied;
    ASSERT_TRUE(first.stage(std::move(attested)).submit());
    EXPECT_FALSE(rig.journal->guarded("agent", first.accepted.fingerprint));
    EXPECT_TRUE(second.dispatch());
}

TEST_P(JournalTest, ArmsTheGuardWhenTheCallerOfARunningExchangeLeaves) {
    Action running{rig}, repeat{rig};
    ASSERT_TRUE(running.dispatch());
    rig.journal->note_half_closed(running.id);
    EXPECT_TRUE(rig.journal->read(running.id)->record.caller_half_closed);
    EXPECT_EQ(repeat.dispatch().other, running.id);
    ASSERT_TRUE(running.stage_result().submit());
    EXPECT_FALSE(rig.journal->guarded("agent", running.accepted.fingerprint));
}

TEST_P(JournalTest, RemembersAHalfCloseThatCameBeforeTheFirstAppend) {
    Action early{rig};
    rig.journal->note_half_closed(early.id);
    ASSERT_TRUE(early.dispatch());
    EXPECT_EQ(rig.journal->guarded("agent", early.accepted.fingerprint), early.id);
}

TEST_P(JournalTest, FencesAStaleGenerationAndASettledInvocation) {
    Action action{rig};
    ASSERT_TRUE(action.dispatch(repeatable()));
    Ledger stale{action.id, rig.clock, rig.journal->read(action.id)->record};
    ASSERT_TRUE(action.stage_broken().submit());
    RetryLeased lease;
    lease.holder = "broker";
    lease.deadline = rig.clock.now() + 30s;
    ASSERT_TRUE(action.stage(lease).submit());

    Append late;
    late.id = action.id;
    Event event;
    event.ordinal = rig.journal->read(action.id)->record.next_ordinal;
    event.generation = 1;
    event.body = DispatchStarted{};
    late.events.push_back(event);
    EXPECT_EQ(rig.submit(late).refusal, Refusal::lease_lost);

    ASSERT_TRUE(action.stage_dispatch().submit().dispatch);
    ASSERT_TRUE(action.stage_result().submit().commit);
    late.events[0].generation = 2;
    late.events[0].ordinal = rig.journal->read(action.id)->record.next_ordinal;
    EXPECT_EQ(rig.submit(late).refusal, Refusal::settled);
}

TEST_P(JournalTest, LetsOneOfTwoRacingThreadsHaveTheToken) {
    for (int round = 0; round < 20; ++round) {
        Action one{rig}, two{rig};
        one.accepted.token = two.accepted.token = "race" + std::to_string(round);
        one.stage_accepted(repeatable()).stage_dispatch();
        two.stage_accepted(repeatable()).stage_dispatch();
        AppendOutcome first, second;
        std::thread racer{[&] { first = one.submit(); }};
        second = two.submit();
        racer.join();
        EXPECT_NE(static_cast<bool>(first), static_cast<bool>(second));
        const AppendOutcome& refused = first ? second : first;
        EXPECT_EQ(refused.refusal, Refusal::token_bound);
        EXPECT_EQ(refused.other, first ? one.id : two.id);
    }
}

TEST_P(JournalTest, ListsNewestFirstPageByPage) {
    std::vector<InvocationId> ids;
    for (std::uint8_t n = 0; n < 5; ++n) {
        Action action{rig, n};
        ASSERT_TRUE(action.dispatch());
        if (n % 2 == 0) {
            ASSERT_TRUE(action.stage_broken().submit());
        }
        ids.push_back(action.id);
    }
    ListQuery query;
    query.limit = 2;
    Page page = rig.journal->list(query);
    ASSERT_EQ(page.records.size(), 2U);
    EXPECT_EQ(page.records[0].id, ids[4]);
    EXPECT_TRUE(page.records[1].running);
    ASSERT_TRUE(page.next);
    query.before = page.next;
    query.limit = 3;
    page = rig.journal->list(query);
    ASSERT_EQ(page.records.size(), 3U);
    EXPECT_EQ(page.records[0].id, ids[2]);
    EXPECT_FALSE(page.next);

    ListQuery running;
    running.keep = [](const Record&, const Projection& state) { return state.running; };
    EXPECT_EQ(rig.journal->list(running).records.size(), 2U);
    ListQuery unsettled;
    unsettled.unsettled_only = true;
    page = rig.journal->list(unsettled);
    ASSERT_EQ(page.records.size(), 3U);
    EXPECT_EQ(page.records[0].id, ids[4]);
    EXPECT_EQ(page.records[2].id, ids[0]);
}

TEST_P(JournalTest, GivesBackAnInlineResult) {
    Action action{rig};
    ASSERT_TRUE(action.dispatch());
    EXPECT_TRUE(rig.journal->result(action.id)->parts.empty());
    ASSERT_TRUE(action.stage_result("hello").submit());
    const auto result = rig.journal->result(action.id);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->head.substr(0, 15), "HTTP/1.1 200 OK");
    EXPECT_TRUE(result->file.empty());
    ASSERT_EQ(result->parts.size(), 1U);
    EXPECT_EQ(result->parts[0].size, 5U);
    EXPECT_EQ(rig.journal->read_part(action.id, 0, Stream::body), "hello");
    EXPECT_FALSE(rig.journal->read_part(action.id, 1, Stream::body));
    EXPECT_FALSE(rig.journal->result(new_invocation_id(rig.clock.now())));
}

TEST_P(JournalTest, GivesBackAResultFromItsPartFile) {
    Action action{rig};
    ASSERT_TRUE(action.dispatch());
    auto file = PartFile::create(rig.journal->results_directory(), action.id, 1);
    ASSERT_TRUE(file);
    const std::string body = std::string(part_bytes, 'a') + "tail";
    ASSERT_TRUE(file->write(body));
    const auto synced = file->sync();
    ASSERT_TRUE(synced);
    RemoteResponseComplete complete;
    complete.outcome = Outcome::committed;
    ResultCommitted result;
    result.bytes = synced->bytes();
    result.result_digest = synced->digest();
    result.part_file = synced->name();
    action.stage_response().stage(std::move(complete)).stage(std::move(result));
    ASSERT_TRUE(action.submit());
    file->keep();
    reopen();
    const auto stored = rig.journal->result(action.id);
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->file.filename(), part_file_name(action.id, 1));
    ASSERT_EQ(stored->parts.size(), 2U);
    EXPECT_EQ(rig.journal->read_part(action.id, 1, Stream::body), "tail");
}

TEST_P(JournalTest, TellsWaitersOnceWhenARecordEnds) {
    Action action{rig};
    ASSERT_TRUE(action.dispatch());
    Wait waiting, forgotten, late;
    rig.journal->when_ended(action.id, nullptr, &waiting);
    rig.journal->when_ended(action.id, nullptr, &forgotten);
    EXPECT_TRUE(rig.journal->forget_waiter(&forgotten));
    EXPECT_FALSE(rig.journal->forget_waiter(&forgotten));
    ASSERT_TRUE(action.stage_result().submit());
    EXPECT_TRUE(waiting.get());
    rig.journal->when_ended(action.id, nullptr, &late);
    EXPECT_TRUE(late.get());
}

TEST(Journal, TellsWaitersWhenItCanNoLongerKnow) {
    Rig rig;
    rig.open();
    Action action{rig};
    ASSERT_TRUE(action.dispatch());
    Wait waiting;
    rig.journal->when_ended(action.id, nullptr, &waiting);
    rig.disk->fail_write_at(1);
    EXPECT_EQ(action.stage_result().submit().refusal, Refusal::unavailable);
    EXPECT_TRUE(waiting.get());
}

TEST(Journal, ArmsTheGuardWithinTheGroupOfTheBreak) {
    Rig rig;
    rig.open();
    Action first{rig}, repeat{rig};
    ASSERT_TRUE(first.dispatch());
    first.stage_broken();
    rig.buffer(first.ledger);
    EXPECT_EQ(repeat.dispatch().other, first.id);
}

}  // namespace
}  // namespace sworn::journal
