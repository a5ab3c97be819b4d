// One exchange: its answer, a caller that leaves, a restart.
#include "tests/journal/walk.h"

namespace sworn::journal {
namespace {

using namespace story;

const Scenario plain_answers[] = {
    {"r01_small_200_and_a_next_request",
     [] { return begin().exchange().answered(200).delivered(); }, "RD, committed, never, null, no"},
    {"r02_half_of_a_large_response", [] { return begin().exchange().responding().part(0); },
     "RE, unknown, fetch_result, null, yes"},
    {"r02_then_its_end",
     [] { return begin().exchange().responding().part(0).part(1).complete().commit().delivered(); },
     "RD, committed, never, null, no"},
    {"r03_remote_cuts", [] { return begin().exchange().responding().part().broken(); },
     "RE, unknown, reconcile, REMOTE_RESULT_INCOMPLETE, no", true},
    {"r04_event_stream_confirmed",
     [] { return begin().exchange().answered(200).delivered("closed"); },
     "RD, committed, never, null, no"},
    {"r04_closed_before_our_terminator", [] { return begin().exchange().answered(200); },
     "RD, committed, never, null, no"},
    {"r12_pooled_connection_dead_at_the_look",
     [] {
         return begin()
             .authorized_with(post())
             .ready(true)
             .connection_lost()
             .ready()
             .dispatch()
             .sent()
             .answered(200)
             .delivered();
     },
     "RD, committed, never, null, no"},
    {"r13_pooled_connection_dead_after_the_append",
     [] {
         return begin().authorized_with(post()).ready(true).dispatch().attempt_failed().broken(
             never_handed_over());
     },
     "RE, unknown, reconcile, REMOTE_OUTCOME_UNKNOWN, no", true},
    {"r20_post_429_with_retry_after",
     [] { return begin().exchange().rejected(429, Retry::never).delivered(); },
     "RE, rejected, never, REMOTE_REJECTED, no"},
    {"r20_with_a_bound_key",
     [] { return begin().exchange(keyed()).rejected(429, Retry::backoff).delivered(); },
     "RE, rejected, backoff, REMOTE_REJECTED, no"},
    {"r25_202_with_location", [] { return begin().exchange().answered(202).delivered(); },
     "RD, committed, never, null, no"},
    {"r26_502_passed_on", [] { return begin().exchange().gateway_error(); },
     "RE, unknown, reconcile, INTERMEDIARY_ERROR, no", true},
    {"r27_307_not_followed", [] { return begin().exchange().answered(307).delivered(); },
     "RD, committed, never, null, no"},
    {"r27_redirect_refused",
     [] {
         return begin()
             .exchange()
             .answered(307, Outcome::committed, Retry::never, Code::redirect_refused)
             .delivered();
     },
     "RE, committed, never, REDIRECT_REFUSED, no"},
    {"r28_parent_of_a_hop_that_failed",
     [] {
         return begin().exchange().answered(303, Outcome::committed, Retry::reconcile).delivered();
     },
     "RD, committed, reconcile, null, no", true},
    {"r28_child_refused_by_tcp",
     [] {
         return begin().authorized_with(get()).attempt_failed().refused(Code::connection_failed);
     },
     "CS, not_attempted, backoff, CONNECTION_FAILED, no"},
    {"r29_tunnel_closed_in_order",
     [] { return begin().exchange(post(), Protocol::tunnel).answered(0).delivered(); },
     "RD, committed, never, null, no"},
    {"r29_tunnel_reset",
     [] { return begin().exchange(post(), Protocol::tunnel).responding(0).broken(); },
     "RE, unknown, never, REMOTE_RESULT_INCOMPLETE, no"},
    {"r41_batch_of_five_with_four_answers",
     [] {
         return begin().exchange().answered(200, Outcome::committed, Retry::reconcile).delivered();
     },
     "RD, committed, reconcile, null, no", true},
    {"r41_the_fifth_item", [] { return begin().exchange().responding().broken(); },
     "RE, unknown, reconcile, REMOTE_RESULT_INCOMPLETE, no", true},
    {"r43_over_max_result_and_delivered",
     [] { return begin().exchange().responding().complete().commit(not_retained()).delivered(); },
     "RD, committed, never, null, no"},
    {"r43_over_max_result_and_lost",
     [] {
         return begin().exchange().responding().complete().commit(not_retained()).delivery_failed();
     },
     "RD, committed, reconcile, DELIVERY_FAILED, no", true},
};
INSTANTIATE_TEST_SUITE_P(Answers, Walk, testing::ValuesIn(plain_answers), plain_name);

const Scenario callers_that_leave[] = {
    {"r05_reset_while_connecting",
     [] { return begin().authorized_with(post()).cancelled().refused(Code::caller_cancelled); },
     "CS, not_attempted, never, CALLER_CANCELLED, no"},
    {"r06_reset_while_running", [] { return begin().exchange().cancelled(); },
     "RE, unknown, fetch_result, CALLER_CANCELLED, yes", true},
    {"r06_half_close_while_running", [] { return begin().exchange().half_closed(); },
     "RE, unknown, fetch_result, null, yes", true},
    {"r06_the_answer_comes_later",
     [] { return begin().exchange().cancelled().answered(200).delivery_failed(); },
     "RD, committed, fetch_result, DELIVERY_FAILED, no", true},
    {"r07_fetched_by_token",
     [] {
         return begin().exchange().cancelled().answered(200).delivery_failed().delivered("fetched");
     },
     "RD, committed, never, null, no"},
    {"r08_an_operator_reads_the_result",  // A read leaves no event.
     [] { return begin().exchange().cancelled().answered(200).delivery_failed().later(1h); },
     "RD, committed, fetch_result, DELIVERY_FAILED, no", true},
    {"left_and_then_the_remote_breaks_off", [] { return begin().exchange().cancelled().broken(); },
     "RE, unknown, reconcile, CALLER_CANCELLED, no", true},
};
INSTANTIATE_TEST_SUITE_P(Callers, Walk, testing::ValuesIn(callers_that_leave), plain_name);

const Scenario restarts[] = {
    {"r09_killed_after_the_permit", [] { return begin().authorized_with(post()).recovered(); },
     "CS, not_attempted, backoff, BROKER_INTERRUPTED, no"},
    {"r10_killed_after_dispatch",
     [] { return begin().authorized_with(post()).ready().dispatch().recovered(); },
     "RE, unknown, reconcile, BROKER_INTERRUPTED, no", true},
    {"r10_killed_before_the_commit_is_durable",
     [] { return begin().exchange().responding().part().recovered(); },
     "RE, unknown, reconcile, BROKER_INTERRUPTED, no", true},
    {"r11_killed_after_the_commit", [] { return begin().exchange().answered(200).recovered(); },
     "RD, committed, fetch_result, null, no", true},
    {"r11_ten_minutes_later",
     [] { return begin().exchange().answered(200).recovered().later(10min); },
     "RD, committed, fetch_result, null, no"},
    {"r38_result_not_stored_but_settled",
     [] { return begin().exchange().responding().complete(unstored()); },
     "RD, committed, reconcile, RESULT_STORE_FAILED, no", true},
    {"r38_settling_event_not_durable", [] { return begin().exchange().responding().recovered(); },
     "RE, unknown, reconcile, BROKER_INTERRUPTED, no", true},
    {"r39_sync_of_the_dispatch_failed",  // What a restart finds, if the event reached the disk.
     [] { return begin().authorized_with(post()).ready().dispatch().recovered(); },
     "RE, unknown, reconcile, BROKER_INTERRUPTED, no", true},
    {"r40_journal_unavailable", [] { return begin().refused(Code::journal_unavailable); },
     "V, not_attempted, backoff, JOURNAL_UNAVAILABLE, no"},
};
INSTANTIATE_TEST_SUITE_P(Restarts, Walk, testing::ValuesIn(restarts), plain_name);

// --- Rows that say more than a state ---

TEST(WalkFacts, RecoveryLeavesUnseenMarkersNull) {
    const Story told = begin().authorized_with(post()).ready().dispatch().recovered();
    const Markers& markers = told.record.generations.back().markers;
    EXPECT_FALSE(markers.handed_over.has_value());
    EXPECT_FALSE(markers.request_headers_sent.has_value());
    EXPECT_FALSE(markers.response_complete.has_value());
}

TEST(WalkFacts, AnUnusedTicketIsToldAndBothAttemptsAreListed) {
    const Story told =
        begin().authorized_with(post()).ready(true).dispatch().attempt_failed().broken(
            never_handed_over());
    EXPECT_EQ(told.record.generations.back().markers.handed_over, false);
    ASSERT_EQ(told.record.attempts.size(), 2U);
    EXPECT_TRUE(told.record.attempts[0].dispatched);
    EXPECT_EQ(told.record.attempts[0].outcome, Outcome::unknown);
    EXPECT_EQ(told.record.attempts[1].outcome, Outcome::not_attempted);
    EXPECT_EQ(told.record.attempts[1].code, AttemptCode::ECONNREFUSED_);
}

TEST(WalkFacts, EachGenerationKeepsItsOwnOutcome) {
    const Story told = begin().exchange(keyed()).broken().again().answered(200);
    ASSERT_EQ(told.record.generations.size(), 2U);
    EXPECT_EQ(told.record.generations[0].outcome, Outcome::unknown);
    EXPECT_EQ(told.record.generations[1].outcome, Outcome::committed);
    EXPECT_EQ(told.projection().generation, 2U);
}

TEST(WalkFacts, AFindingSettlesTheInvocationNotTheGeneration) {
    const Story told = begin().exchange().broken().attested(Finding::applied);
    EXPECT_EQ(told.record.generations[0].outcome, Outcome::unknown);
    EXPECT_EQ(told.projection().settled_by, Source::operator_attested);
    EXPECT_FALSE(told.record.generations[0].result.has_value());
}

TEST(WalkFacts, AQuerySettlesAsAQuery) {
    const Story told = begin().exchange().broken().reconciled(Finding::not_applied);
    EXPECT_EQ(told.projection().settled_by, Source::remote_query);
}

TEST(WalkFacts, AContradictionIsKeptWithItsPlaceInTheJournal) {
    Story told = begin().exchange().broken().attested(Finding::applied);
    told.reconciled(Finding::not_applied);
    ASSERT_EQ(told.record.conflicts.size(), 1U);
    EXPECT_EQ(told.record.conflicts[0].seq, told.record.last_seq);
}

TEST(WalkFacts, AStaleWorkerLosesItsLeaseAndNothingIsSent) {
    Story told = begin().authorized_with(post()).ready();
    told.leased().authorized();
    EXPECT_EQ(told.as_generation(1).attempt(DispatchStarted{}),
              IllegalTransition::stale_generation);
    told.refused(Code::lease_lost);  // Of generation 1; generation 2 goes on.
    EXPECT_TRUE(told.record.running);
    told.as_generation(0).ready().dispatch().sent().answered(200).delivered();
    EXPECT_EQ(told.state(), "RD, committed, never, null, no");
    EXPECT_EQ(told.record.generations[0].outcome, Outcome::not_attempted);
}

TEST(WalkFacts, ARejectionCarriesWhenToComeBack) {
    Story told = begin().exchange(get());
    const WallTime due = told.now() + 5s;
    told.rejected(429, Retry::backoff).delivered();
    EXPECT_EQ(told.projection().retry_at, due);
    told.again();
    EXPECT_FALSE(told.projection().retry_at.has_value());
}

}  // namespace
}  // namespace sworn::journal
