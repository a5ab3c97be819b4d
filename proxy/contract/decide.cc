#include "proxy/contract/decide.h"

namespace sworn::contract {
namespace {

bool has_bound_key(const journal::Record& record) {
    return record.validated && !record.validated->key.empty() &&
           !record.validated->remote_contract.empty();
}

bool is_repeatable(const journal::Record& record) {
    return record.validated && (record.validated->repeatable || record.validated->safe);
}

Verdict when_due(const journal::Projection& state, WallTime now, std::string_view why) {
    const bool ahead = state.retry_at && *state.retry_at > now;
    return {ahead ? Decision::wait : Decision::new_generation, state.retry_at, why};
}

Verdict of_not_attempted(const journal::Projection& state, WallTime now) {
    if (state.retry == Retry::backoff) return when_due(state, now, "Nothing was sent.");
    return {Decision::stop_for_correction, std::nullopt,
            "Nothing was sent, and the same request would be stopped again."};
}

Verdict of_unknown(const journal::Record& record, const journal::Projection& state, WallTime now) {
    if (state.retry == Retry::never) {
        return {Decision::return_recorded, std::nullopt, "Nothing can tell what became of it."};
    }
    if (state.retry == Retry::same_idempotency_key && has_bound_key(record)) {
        return when_due(state, now, "The target promised to apply this key once.");
    }
    if (state.retry == Retry::backoff && is_repeatable(record)) {
        return when_due(state, now, "The operation may be repeated.");
    }
    return {Decision::reconcile, std::nullopt, "The target may have applied it."};
}

bool is_due(const journal::Projection& state, WallTime now) {
    return !state.retry_at || *state.retry_at <= now;
}

/// A corrected cause lets this invocation go on if it is still the same request.
Repeat corrected(bool binding_unchanged) {
    return binding_unchanged ? Repeat::new_generation : Repeat::new_invocation;
}

Repeat repeat_of_not_attempted(const journal::Record& first, const journal::Projection& state,
                               bool binding_unchanged) {
    // An exhausted record takes no further generation.
    const bool room =
        first.validated && first.generations.size() < first.validated->generations_max;
    switch (state.retry) {
        case Retry::backoff:
            return Repeat::new_generation;
        case Retry::after_correction:
            return corrected(binding_unchanged && room);
        case Retry::never:
        case Retry::fetch_result:
        case Retry::same_idempotency_key:
        case Retry::reconcile:
            return Repeat::recorded_envelope;
    }
    return Repeat::recorded_envelope;
}

Repeat repeat_of_rejected(const journal::Projection& state, WallTime now) {
    switch (state.retry) {
        case Retry::backoff:
            return is_due(state, now) ? Repeat::new_generation : Repeat::recorded_envelope;
        // A final refusal closes its record (contract section 2, rule 3), so what was corrected
        // on the remote's side is asked in a new one.
        case Retry::after_correction:
            return Repeat::new_invocation;
        case Retry::never:
        case Retry::fetch_result:
        case Retry::same_idempotency_key:
        case Retry::reconcile:
            return Repeat::replay;
    }
    return Repeat::replay;
}

}  // namespace

std::string_view to_string(Decision decision) noexcept {
    switch (decision) {
        case Decision::fetch_result:
            return "fetch_result";
        case Decision::new_generation:
            return "new_generation";
        case Decision::wait:
            return "wait";
        case Decision::stop_for_correction:
            return "stop_for_correction";
        case Decision::reconcile:
            return "reconcile";
        case Decision::return_recorded:
            return "return_recorded";
    }
    return "return_recorded";
}

Verdict decide(const journal::Record& record, WallTime now) {
    const auto state = journal::project(record, now);
    if (state.retry == Retry::fetch_result) {
        return {Decision::fetch_result, std::nullopt, "The answer is read, nothing is sent."};
    }
    // What cannot be read may have been a dispatch.
    if (record.corrupt) {
        return {Decision::reconcile, std::nullopt, "The record cannot be read whole."};
    }
    switch (state.outcome) {
        case Outcome::not_attempted:
            return of_not_attempted(state, now);
        case Outcome::unknown:
            return of_unknown(record, state, now);
        case Outcome::rejected:
            if (state.retry == Retry::backoff) {
                return when_due(state, now, "The target asked to come back later.");
            }
            break;
        case Outcome::committed:
            break;
    }
    return {Decision::return_recorded, std::nullopt, "The target has answered."};
}

Repeat repeat_of(const journal::Record& first, const Digest& fingerprint, bool binding_unchanged,
                 WallTime now) {
    if (!first.accepted || first.accepted->fingerprint != fingerprint) return Repeat::mismatch;
    const auto state = journal::project(first, now);
    if (state.running) return Repeat::join;
    if (first.corrupt) return Repeat::recorded_envelope;
    switch (state.outcome) {
        case Outcome::not_attempted:
            return repeat_of_not_attempted(first, state, binding_unchanged);
        case Outcome::unknown: {
            const bool same_key =
                state.retry == Retry::same_idempotency_key && has_bound_key(first);
            return same_key ? Repeat::new_generation : Repeat::recorded_envelope;
        }
        case Outcome::rejected:
            return repeat_of_rejected(state, now);
        case Outcome::committed:
            return Repeat::replay;
    }
    return Repeat::recorded_envelope;
}

}  // namespace sworn::contract
