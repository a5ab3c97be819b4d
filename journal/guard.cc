// The guard against blind repeats: contract section 6, cases (a), (b), (c) and the running one.
#include <algorithm>

#include "journal/record.h"
#include "journal/verdict.h"

namespace sworn::journal {
namespace {

bool is_guarded(const Record& record) {
    if (!record.validated || is_tunnel(record) || is_repeatable(record)) return false;
    // A fingerprint of the command alone would stop actions that differ in their input.
    return record.validated->guard && record.validated->fingerprint_covers != "command";
}

// A repeat under the caller's own key is the remote's to recognise.
bool has_own_key(const Record& record, WallTime now) {
    const auto expires = key_expires_at(record);
    return record.validated->key_origin == KeyOrigin::caller && expires && now < *expires;
}

// A running exchange whose caller left, or one that repeats what is still unresolved.
bool running_is_armed(const Record& record, const Verdict& verdict, WallTime now) {
    if (has_own_key(record, now)) return false;
    const bool caller_left = record.cancelled.has_value() || record.caller_half_closed;
    const bool earlier_unknown =
        verdict.outcome == Outcome::unknown && verdict.generation != &record.generations.back();
    return caller_left || earlier_unknown;
}

WallTime exchange_end(const Record& record) {
    WallTime end = record.accepted_at.value_or(WallTime{});
    for (const Generation& generation : record.generations) {
        if (was_dispatched(generation) && generation.ended_at) {
            end = std::max(end, *generation.ended_at);
        }
    }
    if (record.corrupt) end = std::max(end, record.last_at.value_or(end));
    return end;
}

bool is_unresolved(const Record& record, const Verdict& verdict, const Projection& state) {
    // The table's own directive counts too: fetch_result only stands before it.
    if (state.retry == Retry::reconcile || verdict.directive == Retry::reconcile) return true;
    const bool own_key = state.retry == Retry::same_idempotency_key &&
                         record.validated->key_origin == KeyOrigin::caller;
    return state.outcome == Outcome::unknown && !own_key;
}

bool delivery_is(const Record& record, const Verdict& verdict, Delivery delivery) {
    const bool decides = newest_committed(record) == verdict.generation;
    return decides && !verdict.settled_by && !record.fetched && record.delivery == delivery;
}

}  // namespace

GuardState guard_state(const Record& record, WallTime now) {
    if (record.generations.empty() || !is_guarded(record)) return {};
    const WallTime at = record.last_at ? std::max(now, *record.last_at) : now;
    const PreflightValidated& bound = *record.validated;
    const Verdict verdict = judge(record);
    if (record.running) {
        return {running_is_armed(record, verdict, at), at + bound.guard_window};
    }
    const Projection state = project(record, at);
    if (state.outcome == Outcome::not_attempted) return {};
    if ((verdict.finding || verdict.settled_by) && record.conflicts.empty()) return {};

    WallTime until{};
    if (is_unresolved(record, verdict, state) || delivery_is(record, verdict, Delivery::failed)) {
        until = exchange_end(record) + bound.guard_window;
    } else if (delivery_is(record, verdict, Delivery::unconfirmed)) {
        until = record.recovered_at.value_or(exchange_end(record)) + bound.guard_unconfirmed;
    }
    return {at < until, until};
}

}  // namespace sworn::journal
