// The projection: phase, outcome and retry of a record now. Every rule of contract sections 1, 2
// and 5 that decides one of them stands here, once, as a small function.
#include <algorithm>

#include "journal/record.h"
#include "journal/verdict.h"

namespace sworn::journal {
namespace {

bool cancelled_in(const Record& record, const Generation& generation) {
    return record.cancelled && record.cancelled_generation == generation.number;
}

// Section 1: a running invocation has no code but these.
std::optional<Code> running_code(const Record& record, const Generation& generation) {
    if (cancelled_in(record, generation)) return Code::caller_cancelled;
    if (generation.step == Step::pending) return Code::approval_pending;
    return std::nullopt;
}

Projection running(const Record& record, const Verdict& verdict) {
    const Generation& newest = record.generations.back();
    return {.phase = phase_of(last_boundary(newest)),
            .outcome = verdict.outcome,
            .retry = Retry::fetch_result,
            .code = running_code(record, newest),
            .running = true,
            .generation = newest.number};
}

// The cause of a stop before dispatch. One that no event names is the broker's own end.
Code cause_of_stop(const Record& record, const Generation& generation) {
    if (generation.code) return *generation.code;
    if (cancelled_in(record, generation)) return Code::caller_cancelled;
    if (generation.step == Step::pending) return Code::approval_pending;
    return Code::broker_interrupted;
}

// The usual directive of a code, refined by the attempt that it names (section 3).
Retry retry_of_stop(Code code, std::optional<AttemptCode> attempt) {
    if (code == Code::caller_cancelled) return Retry::never;
    if (code == Code::broker_interrupted) return Retry::backoff;
    if (code == Code::name_resolution_failed && attempt == AttemptCode::NXDOMAIN) {
        return Retry::after_correction;
    }
    if (code == Code::tunnel_failed && attempt == AttemptCode::PROXY_AUTH_REQUIRED) {
        return Retry::after_correction;
    }
    if (code == Code::channel_failed && attempt == AttemptCode::ENV_REFUSED) {
        return Retry::after_correction;
    }
    const bool transient =
        attempt == AttemptCode::ECONNRESET_ || attempt == AttemptCode::ETIMEDOUT_;
    if (code == Code::tls_failed && transient) return Retry::backoff;
    return code_info(code).retry;
}

std::optional<AttemptCode> last_attempt_code(const Record& record, const Generation& generation) {
    if (record.attempts.empty()) return std::nullopt;
    const Attempt& last = record.attempts.back();
    return last.generation == generation.number ? last.code : std::nullopt;
}

bool named_by_event(const Generation& generation) {
    return generation.step == Step::refused || generation.step == Step::denied;
}

Projection stopped(const Record& record, const Generation& generation, WallTime now) {
    const Code code = cause_of_stop(record, generation);
    Retry retry = retry_of_stop(code, last_attempt_code(record, generation));
    if (retry == Retry::backoff && !budget_left(record, now)) retry = Retry::after_correction;
    return {.phase =
                named_by_event(generation) ? generation.phase : phase_of(last_boundary(generation)),
            .outcome = Outcome::not_attempted,
            .retry = retry,
            .code = code,
            .generation = generation.number};
}

bool key_protects(const Record& record, WallTime now) {
    const auto expires = key_expires_at(record);
    return expires && now < *expires;
}

// Section 5's unknown rules, in their order.
Retry retry_of_unknown(const Record& record, bool later_refusal, WallTime now) {
    if (is_tunnel(record)) return Retry::never;
    if (record.corrupt || later_refusal || !budget_left(record, now)) return Retry::reconcile;
    if (key_protects(record, now)) return Retry::same_idempotency_key;
    if (is_repeatable(record)) return Retry::backoff;
    return Retry::reconcile;
}

// An end names its cause (`apply` keeps the first one); without an end it is as above.
Code cause_of_unknown(const Record& record, const Generation& generation) {
    return generation.code.value_or(cancelled_in(record, generation) ? Code::caller_cancelled
                                                                     : Code::broker_interrupted);
}

Projection unknown(const Record& record, const Verdict& verdict, WallTime now) {
    return {.phase = Phase::remote_execution,
            .outcome = Outcome::unknown,
            .retry = retry_of_unknown(record, verdict.later_refusal, now),
            .code = cause_of_unknown(record, *verdict.generation),
            .generation = verdict.generation->number};
}

bool is_remote_refusal(std::optional<Code> code) {
    return code == Code::remote_rejected || code == Code::remote_exec_refused ||
           code == Code::redirect_refused;
}

bool result_retrievable(const Record& record, const Generation& generation) {
    return generation.result && generation.result->retained && !record.result_expired;
}

bool body_lost(const Record& record, const Verdict& verdict) {
    if (verdict.settled_by || record.fetched) return false;
    if (newest_committed(record) != verdict.generation) return false;
    return record.delivery == Delivery::failed || record.delivery == Delivery::unconfirmed;
}

// fetch_result lasts while a body is there; then the table's directive returns, but a
// non-repeatable operation whose body was never had needs reconciling.
void weigh_delivery(const Record& record, const Verdict& verdict, Projection& state) {
    if (!body_lost(record, verdict)) return;
    if (record.delivery == Delivery::failed) {
        state.phase = Phase::result_delivery;
        state.code = Code::delivery_failed;
    }
    if (result_retrievable(record, *verdict.generation)) {
        state.retry = Retry::fetch_result;
    } else if (!is_repeatable(record)) {
        state.retry = Retry::reconcile;
    }
}

// Section 6: on a settled record a finding settles the directive, not the outcome.
void weigh_finding(const Verdict& verdict, Projection& state) {
    if (state.retry != Retry::reconcile || !verdict.finding) return;
    state.retry = *verdict.finding == Finding::applied ? Retry::never : Retry::after_correction;
}

Projection base_of_settled(const Verdict& verdict) {
    const Generation& generation = *verdict.generation;
    Projection state{.phase = Phase::result_delivery,
                     .outcome = verdict.outcome,
                     .retry = verdict.directive,
                     .generation = generation.number};
    if (verdict.settled_by) {
        state.phase = Phase::remote_execution;
        state.settled_by = verdict.settled_by;
        return state;
    }
    state.code = generation.code;
    if (is_remote_refusal(generation.code)) state.phase = Phase::remote_execution;
    return state;
}

Projection settled(const Record& record, const Verdict& verdict, WallTime now) {
    Projection state = base_of_settled(verdict);
    if (state.retry == Retry::backoff && !budget_left(record, now)) state.retry = Retry::never;
    weigh_delivery(record, verdict, state);
    weigh_finding(verdict, state);
    if (!record.conflicts.empty()) state.retry = Retry::reconcile;
    if (state.retry == Retry::backoff && !verdict.settled_by) {
        state.retry_at = verdict.generation->retry_at;
    }
    return state;
}

// Rule 5: what cannot be read may have been a dispatch.
Projection corrupt(const Record& record, const Verdict& verdict, WallTime now) {
    const bool has_cause = verdict.outcome == Outcome::unknown;
    return {.phase = Phase::remote_execution,
            .outcome = Outcome::unknown,
            .retry = retry_of_unknown(record, verdict.later_refusal, now),
            .code = has_cause ? cause_of_unknown(record, *verdict.generation)
                              : Code::broker_interrupted,
            .generation = verdict.generation->number};
}

}  // namespace

std::optional<WallTime> key_expires_at(const Record& record) {
    if (!record.validated) return std::nullopt;
    const PreflightValidated& bound = *record.validated;
    const bool has_contract = !bound.key.empty() && !bound.remote_contract.empty();
    if (!has_contract || bound.key_origin == KeyOrigin::none) return std::nullopt;
    if (bound.fingerprint_covers == "command") return std::nullopt;
    const auto first = std::ranges::find_if(record.generations, was_dispatched);
    if (first == record.generations.end()) return std::nullopt;
    return *first->dispatched_at + bound.key_lifetime;
}

bool budget_left(const Record& record, WallTime now) {
    if (!record.validated) return true;
    const PreflightValidated& bound = *record.validated;
    if (record.attempts.size() >= bound.attempts_max) return false;
    if (record.generations.size() >= bound.generations_max) return false;
    return !record.accepted_at || now < *record.accepted_at + bound.deadline;
}

Projection project(const Record& record, WallTime now) {
    if (record.generations.empty()) return {};
    const WallTime decided_at = record.last_at ? std::max(now, *record.last_at) : now;
    const Verdict verdict = judge(record);
    if (record.corrupt && !record.ended_before_dispatch) {
        return corrupt(record, verdict, decided_at);
    }
    if (record.running) return running(record, verdict);
    switch (verdict.outcome) {
        case Outcome::not_attempted:
            return stopped(record, *verdict.generation, decided_at);
        case Outcome::unknown:
            return unknown(record, verdict, decided_at);
        case Outcome::rejected:
        case Outcome::committed:
            return settled(record, verdict, decided_at);
    }
    return {};
}

}  // namespace sworn::journal
