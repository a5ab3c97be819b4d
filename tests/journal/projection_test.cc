// The rules of project() for what runs, stopped or is unknown: contract sections 1, 2 and 5.
#include <gtest/gtest.h>

#include "journal/record.h"
#include "tests/journal/story.h"

namespace sworn::journal {
namespace {

using namespace story;

TEST(Projection, OfNothingClaimsNothing) {
    EXPECT_EQ(describe(project(Record{}, start)), "V, not_attempted, never, null, no");
}

// --- Running ---

struct Point {
    const char* name;
    Story told;
    const char* state;
};

TEST(RunningProjection, FollowsTheLastBoundary) {
    RemoteResponseComplete unsettled;
    unsettled.settles = false;
    const Point points[] = {
        {"accepted", Story{}.accepted(), "V, not_attempted, fetch_result, null, yes"},
        {"validated", Story{}.accepted().validated(), "CI, not_attempted, fetch_result, null, yes"},
        {"pending", Story{}.accepted().validated(approved()).asked(),
         "CI, not_attempted, fetch_result, APPROVAL_PENDING, yes"},
        {"granted", Story{}.accepted().validated(approved()).asked().granted(),
         "CI, not_attempted, fetch_result, null, yes"},
        {"authorized", Story{}.authorized_with(post()),
         "CS, not_attempted, fetch_result, null, yes"},
        {"failing", Story{}.authorized_with(post()).attempt_failed(),
         "CS, not_attempted, fetch_result, null, yes"},
        {"ready", Story{}.authorized_with(post()).ready(),
         "CS, not_attempted, fetch_result, null, yes"},
        {"dispatched", Story{}.authorized_with(post()).ready().dispatch(),
         "RE, unknown, fetch_result, null, yes"},
        {"informed", Story{}.exchange().informational(), "RE, unknown, fetch_result, null, yes"},
        {"responding", Story{}.exchange().responding(), "RE, unknown, fetch_result, null, yes"},
        {"complete", Story{}.exchange().responding().complete(),
         "RE, unknown, fetch_result, null, yes"},
        {"complete without settling", Story{}.exchange().responding().complete(unsettled),
         "RE, unknown, fetch_result, null, yes"},
        {"left before dispatch", Story{}.authorized_with(post()).cancelled(),
         "CS, not_attempted, fetch_result, CALLER_CANCELLED, yes"},
        {"left while pending", Story{}.accepted().validated(approved()).asked().cancelled(),
         "CI, not_attempted, fetch_result, CALLER_CANCELLED, yes"},
        {"a repeat of an unknown, in setup", Story{}.exchange(get()).broken().leased().authorized(),
         "CS, unknown, fetch_result, null, yes"},
        {"a repeat of a rejection, in setup",
         Story{}.exchange(get()).rejected(429, Retry::backoff).leased(),
         "CI, rejected, fetch_result, null, yes"},
        {"a repeat of a rejection, dispatched",
         Story{}.exchange(get()).rejected(429, Retry::backoff).again(),
         "RE, unknown, fetch_result, null, yes"},
        {"a repeat whose first caller had left",
         Story{}.exchange(get()).cancelled().broken().again(),
         "RE, unknown, fetch_result, null, yes"},
    };
    for (const Point& point : points)
        EXPECT_EQ(point.told.state(), point.state) << point.name;
}

// --- Stops before dispatch ---

TEST(StoppedProjection, OfARecordThatJustStopsClaimsNothingSent) {
    // As read from disk before recovery restates it.
    Point points[] = {
        {"accepted", Story{}.accepted(), "V, not_attempted, backoff, BROKER_INTERRUPTED, no"},
        {"validated", Story{}.accepted().validated(),
         "CI, not_attempted, backoff, BROKER_INTERRUPTED, no"},
        {"pending", Story{}.accepted().validated(approved()).asked(),
         "CI, not_attempted, fetch_result, APPROVAL_PENDING, no"},
        {"authorized", Story{}.authorized_with(post()),
         "CS, not_attempted, backoff, BROKER_INTERRUPTED, no"},
        {"ready", Story{}.authorized_with(post()).ready(),
         "CS, not_attempted, backoff, BROKER_INTERRUPTED, no"},
        {"left", Story{}.authorized_with(post()).cancelled(),
         "CS, not_attempted, never, CALLER_CANCELLED, no"},
        {"dispatched", Story{}.exchange(), "RE, unknown, reconcile, BROKER_INTERRUPTED, no"},
        {"dispatched and left", Story{}.exchange().cancelled(),
         "RE, unknown, reconcile, CALLER_CANCELLED, no"},
        {"complete, not committed", Story{}.exchange().responding().complete(),
         "RE, unknown, reconcile, BROKER_INTERRUPTED, no"},
    };
    for (Point& point : points) {
        point.told.record.running = false;
        EXPECT_EQ(point.told.state(), point.state) << point.name;
    }
}

TEST(StoppedProjection, RestatedByRecoveryIsTheSame) {
    const Point points[] = {
        {"accepted", Story{}.accepted(), "V, not_attempted, backoff, BROKER_INTERRUPTED, no"},
        {"validated", Story{}.accepted().validated(),
         "CI, not_attempted, backoff, BROKER_INTERRUPTED, no"},
        {"granted", Story{}.accepted().validated(approved()).asked().granted(),
         "CI, not_attempted, backoff, BROKER_INTERRUPTED, no"},
        {"ready", Story{}.authorized_with(post()).ready(),
         "CS, not_attempted, backoff, BROKER_INTERRUPTED, no"},
        {"left", Story{}.authorized_with(post()).cancelled(),
         "CS, not_attempted, never, CALLER_CANCELLED, no"},
        {"dispatched and left", Story{}.exchange().cancelled(),
         "RE, unknown, reconcile, CALLER_CANCELLED, no"},
    };
    for (Point point : points) {
        point.told.recovered();
        EXPECT_EQ(point.told.state(), point.state) << point.name;
    }
}

struct Refusal {
    Code code;
    const char* state;
};

TEST(RefusedProjection, HasTheCodesOwnPhaseAndDirective) {
    const Refusal after_validation[] = {
        {Code::malformed_request, "V, not_attempted, after_correction, MALFORMED_REQUEST, no"},
        {Code::idempotency_key_expired, "V, not_attempted, reconcile, IDEMPOTENCY_KEY_EXPIRED, no"},
        {Code::lease_lost, "V, not_attempted, fetch_result, LEASE_LOST, no"},
        {Code::broker_overloaded, "V, not_attempted, backoff, BROKER_OVERLOADED, no"},
        {Code::vault_locked, "CI, not_attempted, after_correction, VAULT_LOCKED, no"},
        {Code::credential_source_unavailable,
         "CI, not_attempted, backoff, CREDENTIAL_SOURCE_UNAVAILABLE, no"},
        {Code::caller_cancelled, "CI, not_attempted, never, CALLER_CANCELLED, no"},
        {Code::broker_interrupted, "CI, not_attempted, backoff, BROKER_INTERRUPTED, no"},
    };
    for (const Refusal& refusal : after_validation) {
        EXPECT_EQ(Story{}.accepted().validated().refused(refusal.code).state(), refusal.state);
    }
    const Refusal after_the_permit[] = {
        {Code::unresolved_duplicate, "V, not_attempted, reconcile, UNRESOLVED_DUPLICATE, no"},
        {Code::broker_interrupted, "CS, not_attempted, backoff, BROKER_INTERRUPTED, no"},
        {Code::caller_cancelled, "CS, not_attempted, never, CALLER_CANCELLED, no"},
        {Code::address_forbidden, "CS, not_attempted, after_correction, ADDRESS_FORBIDDEN, no"},
    };
    for (const Refusal& refusal : after_the_permit) {
        EXPECT_EQ(Story{}.authorized_with(post()).ready().refused(refusal.code).state(),
                  refusal.state);
    }
    EXPECT_EQ(Story{}.refused(Code::broker_interrupted).state(),
              "V, not_attempted, backoff, BROKER_INTERRUPTED, no");
}

struct SetupFailure {
    AttemptCode attempt;
    Code code;
    Retry retry;
};

TEST(RefusedProjection, RefinesTheDirectiveByTheLastAttempt) {
    const SetupFailure failures[] = {
        {AttemptCode::NXDOMAIN, Code::name_resolution_failed, Retry::after_correction},
        {AttemptCode::DNS_TIMEOUT, Code::name_resolution_failed, Retry::backoff},
        {AttemptCode::DNS_FAILED, Code::name_resolution_failed, Retry::backoff},
        {AttemptCode::ECONNREFUSED_, Code::connection_failed, Retry::backoff},
        {AttemptCode::PROXY_REFUSED, Code::tunnel_failed, Retry::backoff},
        {AttemptCode::PROXY_AUTH_REQUIRED, Code::tunnel_failed, Retry::after_correction},
        {AttemptCode::TLS_ALERT, Code::tls_failed, Retry::after_correction},
        {AttemptCode::TLS_PROTOCOL, Code::tls_failed, Retry::after_correction},
        {AttemptCode::ECONNRESET_, Code::tls_failed, Retry::backoff},
        {AttemptCode::ETIMEDOUT_, Code::tls_failed, Retry::backoff},
        {AttemptCode::CERT_EXPIRED, Code::peer_identity_mismatch, Retry::after_correction},
        {AttemptCode::AUTH_FAILED, Code::remote_authentication_failed, Retry::after_correction},
        {AttemptCode::CHANNEL_REFUSED, Code::channel_failed, Retry::backoff},
        {AttemptCode::ENV_REFUSED, Code::channel_failed, Retry::after_correction},
    };
    for (const SetupFailure& failure : failures) {
        Story told = Story{}.authorized_with(post()).attempt_failed(failure.attempt);
        const Projection state = told.refused(failure.code).projection();
        EXPECT_EQ(state.retry, failure.retry) << to_string(failure.attempt);
        EXPECT_EQ(state.phase, Phase::connection_setup) << to_string(failure.attempt);
        EXPECT_EQ(state.outcome, Outcome::not_attempted) << to_string(failure.attempt);
    }
}

TEST(RefusedProjection, IsNotRefinedByAnAttemptOfAnOlderGeneration) {
    Story told = Story{}.authorized_with(post()).attempt_failed(AttemptCode::NXDOMAIN);
    told.refused(Code::name_resolution_failed).leased().refused(Code::name_resolution_failed);
    EXPECT_EQ(told.projection().retry, Retry::backoff);
}

TEST(RefusedProjection, KeepsADenialAsTheFirstCause) {
    Story told = Story{}.accepted().validated(approved()).asked().denied();
    told.refused(Code::caller_cancelled);
    EXPECT_EQ(told.state(), "CI, not_attempted, never, APPROVAL_DENIED, no");
}

TEST(RefusedProjection, OfTheNewestGenerationSpeaksWhereNoneDispatched) {
    Story told = Story{}.authorized_with(post()).attempt_failed().refused(Code::connection_failed);
    told.leased().refused(Code::vault_locked);
    EXPECT_EQ(told.state(), "CI, not_attempted, after_correction, VAULT_LOCKED, no");
    EXPECT_EQ(told.projection().generation, 2U);
}

// --- Budgets ---

Story failed_setup(PreflightValidated bound, int attempts) {
    Story told = Story{}.authorized_with(std::move(bound));
    for (int i = 0; i < attempts; ++i)
        told.attempt_failed();
    return told.refused(Code::connection_failed);
}

TEST(Budget, OfAttemptsEndsAtItsMaximum) {
    EXPECT_EQ(failed_setup(with_budget(post(), 3, 9), 2).projection().retry, Retry::backoff);
    EXPECT_EQ(failed_setup(with_budget(post(), 3, 9), 3).projection().retry,
              Retry::after_correction);
}

TEST(Budget, OfGenerationsEndsAtItsMaximum) {
    Story told = Story{}.exchange(with_budget(get(), 9, 2)).broken();
    EXPECT_EQ(told.projection().retry, Retry::backoff);
    told.again().broken();
    EXPECT_EQ(told.projection().retry, Retry::reconcile);
}

TEST(Budget, OfTimeRunsFromTheAcceptance) {
    Story told = Story{}.exchange(get()).broken();
    const WallTime end = start + 1h;
    EXPECT_EQ(project(told.record, end - 1us).retry, Retry::backoff);
    EXPECT_EQ(project(told.record, end).retry, Retry::reconcile);
    EXPECT_TRUE(budget_left(told.record, end - 1us));
    EXPECT_FALSE(budget_left(told.record, end));
}

TEST(Budget, ThatIsSpentNeverUpgradesADirective) {
    EXPECT_EQ(Story{}.exchange(with_budget(get(), 1, 1)).rejected(404).projection().retry,
              Retry::after_correction);
    EXPECT_EQ(
        Story{}.exchange(with_budget(get(), 1, 1)).rejected(429, Retry::backoff).projection().retry,
        Retry::never);
    EXPECT_EQ(Story{}.exchange(with_budget(keyed(), 1, 1)).broken().projection().retry,
              Retry::reconcile);
    EXPECT_EQ(Story{}
                  .exchange(with_budget(post(), 1, 1))
                  .broken()
                  .attested(Finding::not_applied)
                  .projection()
                  .retry,
              Retry::never);
}

// --- Unknown ---

TEST(UnknownProjection, TakesTheFirstRuleThatFits) {
    PreflightValidated no_contract = keyed();
    no_contract.remote_contract.clear();
    PreflightValidated no_key = keyed();
    no_key.key.clear();
    PreflightValidated keyed_put = keyed();
    keyed_put.repeatable = true;
    PreflightValidated by_command = keyed_put;
    by_command.fingerprint_covers = "command";
    struct Row {
        const char* name;
        PreflightValidated bound;
        Retry retry;
    };
    const Row rows[] = {
        {"a plain POST", post(), Retry::reconcile},
        {"a repeatable method", put(), Retry::backoff},
        {"a safe method", get(), Retry::backoff},
        {"the caller's key", keyed(), Retry::same_idempotency_key},
        {"our key", keyed(KeyOrigin::generated), Retry::same_idempotency_key},
        {"a key before repeatable", keyed_put, Retry::same_idempotency_key},
        {"a key without a contract", no_contract, Retry::reconcile},
        {"a contract without a key", no_key, Retry::reconcile},
        {"no origin", keyed(KeyOrigin::none), Retry::reconcile},
        {"a fingerprint of the command only", by_command, Retry::reconcile},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(Story{}.exchange(row.bound).broken().projection().retry, row.retry) << row.name;
    }
}

TEST(UnknownProjection, FallsBackWhenTheKeyExpires) {
    PreflightValidated keyed_put = keyed();
    keyed_put.repeatable = true;
    keyed_put.deadline = 48h;
    const Story told = Story{}.exchange(keyed_put).broken();
    const auto expires = key_expires_at(told.record);
    ASSERT_TRUE(expires.has_value());
    EXPECT_EQ(*expires, *told.record.generations[0].dispatched_at + 23h);
    EXPECT_EQ(project(told.record, *expires - 1us).retry, Retry::same_idempotency_key);
    EXPECT_EQ(project(told.record, *expires).retry, Retry::backoff);
}

TEST(UnknownProjection, ExpiresTheKeyByTheFirstDispatchOnly) {
    Story told = Story{}.exchange(keyed()).broken();
    const auto before = key_expires_at(told.record);
    told.later(10min).again().broken();
    EXPECT_EQ(key_expires_at(told.record), before);
    EXPECT_FALSE(key_expires_at(Story{}.authorized_with(keyed()).record).has_value());
}

TEST(UnknownProjection, DoesNotTrustAClockThatRunsBehindTheJournal) {
    const Story told = Story{}.exchange(get()).later(2h).broken();
    EXPECT_EQ(project(told.record, start).retry, Retry::reconcile);
}

TEST(UnknownProjection, OfTwoUnknownsIsTheNewer) {
    Story told = Story{}.exchange(get()).broken(Code::remote_timeout);
    told.again().broken(Code::remote_result_incomplete);
    EXPECT_EQ(told.projection().code, Code::remote_result_incomplete);
    EXPECT_EQ(told.projection().generation, 2U);
}

// --- Rule 4: what settles an earlier unknown ---

TEST(LaterGeneration, SettlesAnEarlierUnknownOnlyAsTheContractSays) {
    struct Row {
        const char* name;
        PreflightValidated bound;
        std::uint32_t status;
        Outcome outcome;
        bool settles;
    };
    const Row rows[] = {
        {"GET 200", get(), 200, Outcome::committed, true},
        {"GET 404", get(), 404, Outcome::rejected, true},
        {"GET 500", get(), 500, Outcome::committed, true},
        {"GET 302", get(), 302, Outcome::committed, true},
        {"PUT 200", put(), 200, Outcome::committed, true},
        {"PUT 299", put(), 299, Outcome::committed, true},
        {"PUT 300", put(), 300, Outcome::committed, false},
        {"PUT 409", put(), 409, Outcome::rejected, false},
        {"PUT 500", put(), 500, Outcome::committed, false},
        {"key 201", keyed(), 201, Outcome::committed, true},
        {"key 409", keyed(), 409, Outcome::rejected, false},
        {"key 500", keyed(), 500, Outcome::committed, false},
    };
    for (const Row& row : rows) {
        const Story told = Story{}.exchange(row.bound).broken().again().answered(
            row.status, row.outcome, Retry::never);
        const Outcome expected = row.settles ? row.outcome : Outcome::unknown;
        EXPECT_EQ(told.projection().outcome, expected) << row.name;
        EXPECT_EQ(told.record.generations[0].outcome, Outcome::unknown) << row.name;
        EXPECT_EQ(told.projection().generation, row.settles ? 2U : 1U) << row.name;
    }
}

TEST(LaterGeneration, ForcedWithoutAKeySettlesNothing) {
    const Story told = Story{}.exchange().broken().again("bob").answered(200);
    EXPECT_EQ(told.projection().outcome, Outcome::unknown);
}

TEST(LaterGeneration, UnderAKeyThatHadExpiredSettlesNothing) {
    PreflightValidated bound = keyed();
    bound.deadline = 48h;
    const Story told = Story{}.exchange(bound).broken().later(24h).again("bob").answered(200);
    EXPECT_EQ(told.projection().outcome, Outcome::unknown);
}

TEST(LaterGeneration, RejectedForGoodLeavesAnUnknownToAPerson) {
    Story told = Story{}.exchange(put()).broken().again().rejected(409);
    EXPECT_EQ(told.projection().retry, Retry::reconcile);
    EXPECT_EQ(
        Story{}.exchange(put()).broken().again().rejected(429, Retry::backoff).projection().retry,
        Retry::backoff);
}

}  // namespace
}  // namespace sworn::journal
