// The guard against blind repeats: when it stands, and until when (contract section 6).
#include <gtest/gtest.h>

#include "journal/record.h"
#include "tests/journal/story.h"

namespace sworn::journal {
namespace {

using namespace story;

PreflightValidated guard_off() {
    PreflightValidated bound = post();
    bound.guard = false;
    return bound;
}

PreflightValidated by_command() {
    PreflightValidated bound = post();
    bound.fingerprint_covers = "command";
    return bound;
}

Story five_hundred(PreflightValidated bound = post()) {
    return Story{}.exchange(std::move(bound)).answered(500, Outcome::committed, Retry::reconcile);
}

struct Row {
    const char* name;
    Story told;
    bool armed;
};

TEST(Guard, StandsExactlyWhereARepeatCouldDoHarm) {
    const Row rows[] = {
        // Nothing was sent.
        {"accepted", Story{}.accepted(), false},
        {"refused", Story{}.authorized_with(post()).refused(Code::connection_failed), false},
        {"interrupted before dispatch", Story{}.authorized_with(post()).recovered(), false},
        // (a) unknown
        {"unknown", Story{}.exchange().broken(), true},
        {"unknown after a restart", Story{}.exchange().recovered(), true},
        {"unknown, inconclusive finding",
         Story{}.exchange().broken().attested(Finding::inconclusive), true},
        {"unknown under the caller's own key", Story{}.exchange(keyed()).broken(), false},
        {"unknown under the caller's key, expired", Story{}.exchange(keyed()).broken().later(23h),
         true},
        {"unknown under the caller's key, budget spent",
         Story{}.exchange(with_budget(keyed(), 1, 1)).broken(), true},
        {"unknown under a key of ours", Story{}.exchange(keyed(KeyOrigin::generated)).broken(),
         true},
        {"gateway error passed on", Story{}.exchange().gateway_error(), true},
        // (b) reconcile
        {"500 delivered", five_hundred().delivered(), true},
        {"500 not confirmed", five_hundred(), true},
        {"500 lost, fetch_result stands before", five_hundred().delivery_failed(), true},
        {"500 unconfirmed, after ten minutes", five_hundred().recovered().later(11min), true},
        {"500 attested applied", five_hundred().delivered().attested(Finding::applied), false},
        {"500 attested not applied", five_hundred().delivered().attested(Finding::not_applied),
         false},
        {"500 attested, then contradicted",
         five_hundred().delivered().attested(Finding::applied).attested(Finding::not_applied),
         true},
        {"unknown attested applied", Story{}.exchange().broken().attested(Finding::applied), false},
        {"unknown attested not applied", Story{}.exchange().broken().attested(Finding::not_applied),
         false},
        // (c) delivery
        {"200 delivered", Story{}.exchange().answered(200).delivered(), false},
        {"200 neither confirmed nor broken", Story{}.exchange().answered(200), false},
        {"200 delivery failed", Story{}.exchange().answered(200).delivery_failed(), true},
        {"200 delivery failed, then fetched",
         Story{}.exchange().answered(200).delivery_failed().delivered("fetched"), false},
        {"200 delivery failed, then acknowledged",
         Story{}.exchange().answered(200).delivery_failed().delivered("ack"), false},
        {"200 unconfirmed", Story{}.exchange().answered(200).recovered(), true},
        {"200 unconfirmed, then fetched",
         Story{}.exchange().answered(200).recovered().delivered("fetched"), false},
        {"404 delivered", Story{}.exchange().rejected(404).delivered(), false},
        // Running
        {"running", Story{}.exchange(), false},
        {"running, caller reset", Story{}.exchange().cancelled(), true},
        {"running, caller half closed", Story{}.exchange().half_closed(), true},
        {"running before dispatch, half closed", Story{}.authorized_with(post()).half_closed(),
         true},
        {"running under the caller's own key, reset", Story{}.exchange(keyed()).cancelled(), false},
        {"running again by force, the first unknown", Story{}.exchange().broken().leased("bob"),
         true},
        // Outside of it
        {"safe", Story{}.exchange(get()).broken(), false},
        {"repeatable", Story{}.exchange(put()).broken(), false},
        {"repeatable, running, reset", Story{}.exchange(put()).cancelled(), false},
        {"switched off", Story{}.exchange(guard_off()).broken(), false},
        {"a fingerprint of the command only", Story{}.exchange(by_command()).broken(), false},
        {"a tunnel", Story{}.exchange(post(), Protocol::tunnel).broken(), false},
    };
    for (const Row& row : rows)
        EXPECT_EQ(row.told.guarded(), row.armed) << row.name;
}

TEST(Guard, EndsWithItsWindowAfterTheExchange) {
    const Story told = Story{}.exchange().later(1h).broken();
    const WallTime ended = *told.record.generations.back().ended_at;
    const GuardState guard = guard_state(told.record, told.now());
    EXPECT_EQ(guard.until, ended + 24h);
    EXPECT_TRUE(guard_state(told.record, ended + 24h - 1us).armed);
    EXPECT_FALSE(guard_state(told.record, ended + 24h).armed);
}

TEST(Guard, EndsSoonForAnUnconfirmedDelivery) {
    const Story told = Story{}.exchange().answered(200).later(2h).recovered();
    const WallTime found = *told.record.recovered_at;
    EXPECT_EQ(guard_state(told.record, told.now()).until, found + 10min);
    EXPECT_TRUE(guard_state(told.record, found + 10min - 1us).armed);
    EXPECT_FALSE(guard_state(told.record, found + 10min).armed);
}

TEST(Guard, KeepsTheWindowThatWasBound) {
    PreflightValidated bound = post();
    bound.guard_window = 5s;
    const Story told = Story{}.exchange(bound).broken();
    EXPECT_TRUE(told.guarded());
    EXPECT_FALSE(Story{told}.later(5s).guarded());
}

TEST(Guard, IsNotEndedByAClockThatRunsBehind) {
    const Story told = Story{}.exchange().later(1h).broken();
    EXPECT_TRUE(guard_state(told.record, start - 48h).armed);
}

TEST(Guard, OfARunningExchangeMovesOnWithTheTime) {
    const Story told = Story{}.exchange().cancelled().later(48h);
    const GuardState guard = guard_state(told.record, told.now());
    EXPECT_TRUE(guard.armed);
    EXPECT_EQ(guard.until, told.now() + 24h);
}

TEST(Guard, OfNothingIsNotArmed) {
    EXPECT_FALSE(guard_state(Record{}, start).armed);
    EXPECT_FALSE(Story{}.refused(Code::malformed_request).guarded());
}

TEST(Guard, StandsForACorruptRecordThatMayHaveDispatched) {
    const Story told = Story{}.exchange().answered(200).delivered();
    auto stored = told.stored();
    stored.back().event.reset();
    const Record corrupt = replay(told.record.id, stored);
    EXPECT_TRUE(guard_state(corrupt, told.now()).armed);
}

}  // namespace
}  // namespace sworn::journal
