#include "journal/retention.h"

#include <gtest/gtest.h>

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

void settle(Action& action, PreflightValidated bound = post()) {
    ASSERT_TRUE(action.dispatch(std::move(bound)));
    ASSERT_TRUE(action.stage_result().stage(ResultDelivered{"ack"}).submit());
}

std::size_t sweep_after(Rig& rig, std::chrono::hours time) {
    rig.clock.move(time);
    return rig.journal->sweep(rig.clock.now());
}

TEST(Retention, RemovesABodyOnceItsTimeIsOverAndKeepsTheRecord) {
    Rig rig;
    rig.open();
    Action action{rig};
    settle(action);
    EXPECT_EQ(sweep_after(rig, 71h), 0U);
    EXPECT_TRUE(rig.journal->result(action.id));
    EXPECT_EQ(sweep_after(rig, 1h), 1U);
    EXPECT_FALSE(rig.journal->result(action.id));
    EXPECT_FALSE(rig.journal->read_part(action.id, 0, Stream::body));
    EXPECT_TRUE(rig.disk->keys(Column::parts).empty());
    const auto stored = rig.journal->read(action.id);
    EXPECT_TRUE(stored->record.result_expired);
    EXPECT_EQ(project(stored->record, rig.clock.now()).outcome, Outcome::committed);
    EXPECT_EQ(sweep_after(rig, 1h), 0U);
}

TEST(Retention, RemovesThePartFileAfterTheEventIsDurable) {
    Rig rig;
    rig.open();
    Action action{rig};
    ASSERT_TRUE(action.dispatch());
    auto file = PartFile::create(rig.journal->results_directory(), action.id, 1);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("body"));
    const auto synced = file->sync();
    ASSERT_TRUE(synced);
    RemoteResponseComplete complete;
    complete.outcome = Outcome::committed;
    ResultCommitted result;
    result.bytes = synced->bytes();
    result.result_digest = synced->digest();
    result.part_file = synced->name();
    ASSERT_TRUE(action.stage_response().stage(complete).stage(result).submit());
    file->keep();
    EXPECT_EQ(sweep_after(rig, 72h), 1U);
    EXPECT_FALSE(std::filesystem::exists(rig.journal->results_directory() / synced->name()));
    rig.crash();
    EXPECT_TRUE(rig.journal->read(action.id)->record.result_expired);
}

TEST(Retention, LeavesATombstoneThatAnswersForItsTokenAndKey) {
    Rig rig;
    rig.open();
    Action action{rig};
    action.accepted.token = "tok";
    settle(action, keyed("req_1"));
    EXPECT_GE(sweep_after(rig, 24h * 91), 1U);
    EXPECT_TRUE(rig.disk->keys(Column::events).empty());
    EXPECT_TRUE(rig.journal->list({}).records.empty());
    const auto found = rig.journal->find_token("agent", "tok");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].id, action.id);
    const auto stored = rig.journal->read(action.id);
    ASSERT_TRUE(stored);
    EXPECT_TRUE(stored->events.empty());
    EXPECT_TRUE(stored->record.result_expired);
    EXPECT_EQ(stored->record.accepted->fingerprint, action.accepted.fingerprint);
    EXPECT_EQ(project(stored->record, rig.clock.now()).outcome, Outcome::committed);
    rig.crash();
    Action repeat{rig};
    repeat.accepted.token = "tok";
    const AppendOutcome refused = repeat.dispatch();
    EXPECT_EQ(refused.refusal, Refusal::token_bound);
    EXPECT_EQ(refused.other, action.id);

    EXPECT_GE(sweep_after(rig, 24h * 400), 1U);
    EXPECT_TRUE(rig.journal->find_token("agent", "tok").empty());
    EXPECT_FALSE(rig.journal->find_key("payments.create", "req_1"));
    EXPECT_FALSE(rig.journal->read(action.id));
}

TEST(Retention, NeverRemovesWhatIsUnknownAndNotRepeatable) {
    Rig rig;
    rig.open();
    Action unknown{rig}, safe{rig, 2}, running{rig, 3};
    ASSERT_TRUE(unknown.dispatch());
    ASSERT_TRUE(unknown.stage_broken().submit());
    ASSERT_TRUE(safe.dispatch(repeatable()));
    ASSERT_TRUE(safe.stage_broken().submit());
    ASSERT_TRUE(running.dispatch());
    EXPECT_EQ(rig.journal->unsettled(), 2U);
    EXPECT_EQ(sweep_after(rig, 24h * 1000), 1U);
    EXPECT_TRUE(rig.journal->read(unknown.id));
    EXPECT_TRUE(rig.journal->read(running.id));
    EXPECT_FALSE(rig.journal->read(safe.id));
    EXPECT_EQ(rig.journal->unsettled(), 1U);
}

TEST(Retention, MakesRoomWithTheOldestResultsFirst) {
    Rig rig;
    rig.options.max_size = 1000;
    rig.open();
    Action older{rig}, newer{rig, 2};
    settle(older);
    settle(newer);
    rig.disk->set_bytes_used(1001);
    EXPECT_EQ(rig.journal->sweep(rig.clock.now()), 1U);
    EXPECT_FALSE(rig.journal->result(older.id));
    EXPECT_TRUE(rig.journal->result(newer.id));
}

TEST(Retention, TellsWhenNothingMoreMayGo) {
    Rig rig;
    rig.options.max_size = 1000;
    rig.open();
    Action unknown{rig};
    ASSERT_TRUE(unknown.dispatch());
    ASSERT_TRUE(unknown.stage_broken().submit());
    rig.disk->set_bytes_used(5000);
    EXPECT_EQ(rig.journal->sweep(rig.clock.now()), 0U);
    EXPECT_FALSE(rig.journal->available());
    EXPECT_FALSE(rig.observer.can_write);
    EXPECT_TRUE(unknown.stage(Attested{.finding = Finding::applied}).submit())
        << "settling goes on";
    rig.disk->set_bytes_used(10);
    EXPECT_EQ(rig.journal->sweep(rig.clock.now()), 0U);
    EXPECT_TRUE(rig.journal->available());
    EXPECT_TRUE(rig.observer.can_write);
}

}  // namespace
}  // namespace sworn::journal
