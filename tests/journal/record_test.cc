// What apply() refuses for more than the step, and what it keeps.
#include "journal/record.h"

#include <gtest/gtest.h>

#include "tests/journal/story.h"

namespace sworn::journal {
namespace {

using namespace story;

TEST(Dispatch, IsRefusedToAStaleGeneration) {
    Story told = Story{}.exchange(get()).broken().leased();
    EXPECT_EQ(told.as_generation(1).attempt(DispatchStarted{}),
              IllegalTransition::stale_generation);
    EXPECT_EQ(told.as_generation(3).attempt(DispatchStarted{}), IllegalTransition::not_allowed);
}

TEST(Dispatch, IsRefusedOnceTheInvocationIsSettled) {
    EXPECT_EQ(Story{}.exchange().answered(200).attempt(DispatchStarted{}),
              IllegalTransition::already_settled);
    EXPECT_EQ(Story{}.exchange().rejected(404).attempt(DispatchStarted{}),
              IllegalTransition::already_settled);
    EXPECT_EQ(Story{}.exchange().broken().attested(Finding::applied).attempt(DispatchStarted{}),
              IllegalTransition::already_settled);
}

TEST(Dispatch, IsRefusedWhenLateEvidenceSettledAnOlderGeneration) {
    Story told = Story{}.exchange(get()).recovered().leased().authorized().ready();
    told.as_generation(1).answered(200).as_generation(0);
    EXPECT_EQ(told.attempt(DispatchStarted{}), IllegalTransition::already_settled);
    EXPECT_EQ(told.projection().outcome, Outcome::committed);
}

TEST(Dispatch, HappensOncePerGeneration) {
    Story told = Story{}.exchange();
    EXPECT_EQ(told.attempt(DispatchStarted{}), IllegalTransition::not_allowed);
}

TEST(Dispatch, IsRefusedOnACorruptRecord) {
    Story told = Story{}.authorized_with(post()).ready();
    told.record.corrupt = true;
    EXPECT_EQ(told.attempt(DispatchStarted{}), IllegalTransition::not_allowed);
}

TEST(Completion, ThatSettlesAloneHoldsASettledOutcome) {
    for (const Outcome outcome : {Outcome::not_attempted, Outcome::unknown}) {
        Story told = Story{}.exchange().responding();
        RemoteResponseComplete lost;
        lost.result_stored = false;
        lost.outcome = outcome;
        EXPECT_EQ(told.attempt(lost), IllegalTransition::not_allowed) << to_string(outcome);
        EXPECT_EQ(told.projection().outcome, Outcome::unknown);
        EXPECT_EQ(replay({}, told.stored()).corrupt, false);
    }
}

TEST(Ordinals, HaveNoGapAndNoRepeat) {
    Story told = Story{}.accepted();
    Event event = told.make(post());
    for (const std::uint32_t wrong : {0U, 2U, 7U}) {
        event.ordinal = wrong;
        const auto got = apply(told.record, event);
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error(), IllegalTransition::missing_ordinal);
    }
    event.ordinal = 1;
    EXPECT_TRUE(apply(told.record, event));
}

TEST(Approval, IsConsumedByOneDispatch) {
    Story told = Story{}.accepted().validated(approved()).asked().granted().authorized().ready();
    EXPECT_TRUE(told.record.approval_granted);
    told.dispatch();
    EXPECT_FALSE(told.record.approval_granted);
    told.broken().leased("bob");
    EXPECT_EQ(told.attempt(CredentialAuthorized{}), IllegalTransition::not_allowed);
    told.asked().granted().authorized();
    EXPECT_EQ(told.record.generations.back().step, Step::authorized);
}

TEST(Approval, IsKeptOverASetupFailure) {
    Story told = Story{}.accepted().validated(approved()).asked().granted().authorized();
    told.attempt_failed().refused(Code::connection_failed).leased().authorized();
    EXPECT_EQ(told.record.generations.back().step, Step::authorized);
}

TEST(Connection, MayChangeWhileTheTicketIsUnused) {
    Story told = Story{}.authorized_with(post()).ready(true).dispatch();
    told.connection_lost().ready();
    EXPECT_EQ(told.record.generations.back().step, Step::dispatched);
    ASSERT_EQ(told.record.attempts.size(), 2U);
    EXPECT_TRUE(told.record.attempts[1].dispatched);
    told.sent();
    EXPECT_EQ(told.attempt(ConnectionReady{}), IllegalTransition::not_allowed);
    EXPECT_EQ(told.attempt(AttemptFailed{}), IllegalTransition::not_allowed);
}

TEST(Connection, ThatWasLostHasToBeReplacedBeforeDispatch) {
    Story told = Story{}.authorized_with(post()).ready(true).connection_lost();
    EXPECT_EQ(told.attempt(DispatchStarted{}), IllegalTransition::not_allowed);
    EXPECT_FALSE(told.record.generations.back().connection.has_value());
    told.ready().dispatch();
    EXPECT_EQ(told.record.generations.back().connection->n, 2U);
}

TEST(Attempts, AreNumberedAcrossGenerationsAndKeepTheirOutcome) {
    Story told = Story{}.authorized_with(get()).attempt_failed(AttemptCode::ETIMEDOUT_);
    told.ready().dispatch().sent().broken().again().answered(200);
    const auto& attempts = told.record.attempts;
    ASSERT_EQ(attempts.size(), 3U);
    EXPECT_EQ(attempts[0].outcome, Outcome::not_attempted);
    EXPECT_EQ(attempts[0].code, AttemptCode::ETIMEDOUT_);
    EXPECT_EQ(attempts[1].outcome, Outcome::unknown);
    EXPECT_EQ(attempts[1].stage, Stage::tls_handshake);
    EXPECT_EQ(attempts[2].outcome, Outcome::committed);
    EXPECT_EQ(attempts[2].generation, 2U);
}

struct Rule {
    const char* peer_rule;
    Stage stage;
};

TEST(Attempts, NameTheLastStageThatTheirPeerRuleHas) {
    for (const Rule& rule :
         {Rule{"tls", Stage::tls_handshake}, Rule{"tls+pin", Stage::tls_handshake},
          Rule{"ssh", Stage::ssh_channel}, Rule{"clear", Stage::tcp_connect}}) {
        PreflightValidated bound = post();
        bound.peer_rule = rule.peer_rule;
        const Story told = Story{}.authorized_with(bound).ready();
        EXPECT_EQ(told.record.attempts[0].stage, rule.stage) << rule.peer_rule;
    }
}

TEST(Result, NeedsACompletionThatSettlesAndIsStored) {
    EXPECT_EQ(
        Story{}.exchange().responding().complete(completion(false)).attempt(ResultCommitted{}),
        IllegalTransition::not_allowed);
    EXPECT_EQ(Story{}
                  .exchange()
                  .responding()
                  .complete(completion(true, false))
                  .attempt(ResultCommitted{}),
              IllegalTransition::not_allowed);
    for (const Outcome outcome : {Outcome::not_attempted, Outcome::unknown}) {
        ResultCommitted result;
        result.outcome = outcome;
        EXPECT_EQ(Story{}.exchange().responding().complete(completion(true)).attempt(result),
                  IllegalTransition::not_allowed);
    }
}

TEST(Result, CannotBreakOnceItIsProvenComplete) {
    Story told = Story{}.exchange().responding().complete(completion(true));
    EXPECT_EQ(told.attempt(ExchangeBroken{}), IllegalTransition::not_allowed);
}

TEST(Result, ExpiresOnce) {
    Story told = Story{}.exchange().answered(200).expired();
    EXPECT_EQ(told.attempt(ResultExpired{}), IllegalTransition::not_allowed);
}

TEST(Delivery, SpeaksOfTheGenerationThatHasAResult) {
    Story told = Story{}.exchange(get()).rejected(429, Retry::backoff).delivery_failed();
    EXPECT_EQ(told.record.delivery, Delivery::failed);
    told.delivered("fetched").again().answered(200);
    EXPECT_EQ(told.record.delivery, Delivery::none);
    EXPECT_FALSE(told.record.fetched);
}

TEST(Delivery, OfAnOlderResultIsStillHeardAfterARefusedRepeat) {
    Story told = Story{}.exchange(get()).rejected(429, Retry::backoff).leased().authorized();
    told.attempt_failed().refused(Code::connection_failed).delivered("fetched");
    EXPECT_TRUE(told.record.fetched);
}

TEST(Delivery, OnceConfirmedIsNotUndoneByABrokenRead) {
    const Story told = Story{}.exchange().answered(200).delivered().delivery_failed();
    EXPECT_EQ(told.record.delivery, Delivery::delivered);
}

TEST(Lease, WaitsForTheDeadlineOfTheOneThatIsHeld) {
    Story told = Story{}.exchange(get()).broken().leased();
    EXPECT_EQ(told.attempt(RetryLeased{}), IllegalTransition::not_allowed);
    told.later(30s).leased();
    EXPECT_EQ(told.record.generations.size(), 3U);
}

TEST(Lease, IsNotGivenWhileADispatchedGenerationRuns) {
    RetryLeased forced;
    forced.forced_by = "bob";
    EXPECT_EQ(Story{}.exchange(get()).attempt(forced), IllegalTransition::not_allowed);
}

TEST(Lease, IsNotGivenOnASettledInvocationNotEvenByForce) {
    RetryLeased forced;
    forced.forced_by = "bob";
    EXPECT_EQ(Story{}.exchange().answered(200).attempt(forced), IllegalTransition::not_allowed);
    EXPECT_EQ(Story{}.exchange().rejected(404).attempt(forced), IllegalTransition::not_allowed);
    EXPECT_EQ(Story{}.exchange().broken().attested(Finding::applied).attempt(forced),
              IllegalTransition::not_allowed);
}

TEST(Lease, MayBeForcedPastReconcile) {
    Story told = Story{}.exchange().broken();
    EXPECT_EQ(told.attempt(RetryLeased{}), IllegalTransition::not_allowed);
    told.again("bob");
    EXPECT_EQ(told.record.generations.size(), 2U);
}

TEST(Lease, KeepsToTheGenerationBudgetUnlessForced) {
    Story told = Story{}.exchange(with_budget(get(), 9, 2)).broken().again().broken();
    EXPECT_EQ(told.attempt(RetryLeased{}), IllegalTransition::not_allowed);
    told.leased("bob");
    EXPECT_EQ(told.record.generations.size(), 3U);
}

TEST(Lease, BeginsExactlyTheNextGeneration) {
    Story told = Story{}.exchange(get()).broken();
    for (const std::uint32_t wrong : {1U, 3U}) {
        EXPECT_EQ(told.as_generation(wrong).attempt(RetryLeased{}), IllegalTransition::not_allowed);
    }
    told.as_generation(0).leased();
    EXPECT_EQ(told.record.generations.back().number, 2U);
    EXPECT_EQ(told.record.generations.back().step, Step::validated);
    EXPECT_EQ(told.record.lease_holder, "worker");
    EXPECT_TRUE(told.record.running);
}

TEST(Findings, WaitUntilNothingRuns) {
    Story told = Story{}.exchange(get()).broken().leased();
    EXPECT_EQ(told.attempt(Attested{}), IllegalTransition::not_allowed);
}

TEST(Findings, AreHeardAlthoughALaterRepeatWasRefused) {
    Story told = Story{}.exchange(keyed()).broken().leased().authorized().attempt_failed();
    told.refused(Code::connection_failed).attested(Finding::applied);
    EXPECT_EQ(told.projection().outcome, Outcome::committed);
}

TEST(Findings, AreHeardWhenOnlyTheLostBodyAsksForThem) {
    Story told = Story{}.exchange().answered(200).delivery_failed();
    EXPECT_EQ(told.attempt(Attested{}), IllegalTransition::not_allowed);
    told.expired().attested(Finding::applied);
    EXPECT_EQ(told.projection().retry, Retry::never);
}

TEST(LateEvidence, SettlesAnInterruptedGeneration) {
    Story told = Story{}.exchange().recovered().responding();
    EXPECT_FALSE(told.record.running);
    EXPECT_EQ(told.record.generations.back().step, Step::interrupted);
    EXPECT_EQ(told.record.generations.back().interrupted_at, Step::responding);
    told.complete(completion(true)).commit();
    EXPECT_EQ(told.state(), "RD, committed, never, null, no");
}

TEST(LateEvidence, NeverLetsAnInterruptedGenerationDispatch) {
    Story told = Story{}.authorized_with(post()).ready().recovered();
    EXPECT_EQ(told.attempt(DispatchStarted{}), IllegalTransition::not_allowed);
    EXPECT_EQ(told.attempt(ConnectionReady{}), IllegalTransition::not_allowed);
}

TEST(Markers, AreFalseOnlyWhereTheEndStatesIt) {
    ExchangeBroken broken;
    broken.request_headers_sent = false;
    broken.response_headers_received = false;
    const Story told =
        Story{}.authorized_with(post()).ready().dispatch().add(RequestSent{true}).broken(broken);
    const Markers& markers = told.record.generations.back().markers;
    EXPECT_EQ(markers.handed_over, true);
    EXPECT_EQ(markers.request_headers_sent, true);  // Seen stays seen.
    EXPECT_FALSE(markers.request_body_sent.has_value());
    EXPECT_EQ(markers.response_headers_received, false);
    EXPECT_FALSE(markers.response_complete.has_value());
}

TEST(Markers, FollowACompleteExchange) {
    const Story told = Story{}.exchange().answered(200);
    const Generation& generation = told.record.generations.back();
    EXPECT_EQ(generation.markers.request_headers_sent, true);
    EXPECT_EQ(generation.markers.request_body_sent, true);
    EXPECT_EQ(generation.markers.response_headers_received, true);
    EXPECT_EQ(generation.markers.response_complete, true);
    EXPECT_EQ(generation.status, 200U);
    EXPECT_EQ(generation.parts, 1U);
    EXPECT_TRUE(generation.dispatched_at.has_value());
    EXPECT_GT(generation.dispatch_seq, 0U);
}

TEST(IllegalTransitions, HaveNames) {
    EXPECT_EQ(to_string(IllegalTransition::not_allowed), "not_allowed");
    EXPECT_EQ(to_string(IllegalTransition::stale_generation), "stale_generation");
    EXPECT_EQ(to_string(IllegalTransition::already_settled), "already_settled");
    EXPECT_EQ(to_string(IllegalTransition::missing_ordinal), "missing_ordinal");
}

}  // namespace
}  // namespace sworn::journal
