// The one table of the record: which event may follow which step of a generation, and the step it
// leads to (contract section 2, column "from state"). `apply` (journal/record.h) is its only user
// on the way of an event; a pair that is not here is refused. What depends on more than the step
// (an unused ticket, a settled invocation, an older generation) is checked in record.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "journal/event_type.h"

namespace sworn::journal {

/// The steps of one generation.
enum class Step : std::uint8_t {
    absent,  ///< No event yet.
    accepted,
    validated,
    pending,  ///< Approval asked for.
    authorized,
    ready,  ///< A connection is there.
    dispatched,
    responding,
    complete,     ///< REMOTE_RESPONSE_COMPLETE
    committed,    ///< RESULT_COMMITTED
    broken,       ///< EXCHANGE_BROKEN
    refused,      ///< ACTION_REFUSED: stopped before dispatch.
    interrupted,  ///< BROKER_RECOVERED: an earlier process stopped here.
    granted,      ///< Approval given, not yet used.
    denied,       ///< Approval denied or expired.
};
inline constexpr std::array all_steps{
    Step::absent,   Step::accepted,   Step::validated, Step::pending,    Step::granted,
    Step::denied,   Step::authorized, Step::ready,     Step::dispatched, Step::responding,
    Step::complete, Step::committed,  Step::broken,    Step::refused,    Step::interrupted,
};

struct Transition {
    Step from;
    EventType event;
    Step to;
};

inline constexpr auto transitions = [] {
    using enum Step;
    using E = EventType;
    return std::to_array<Transition>({
        // Up to the permit.
        {absent, E::action_accepted, accepted},
        {accepted, E::preflight_validated, validated},
        {validated, E::approval_requested, pending},
        {pending, E::approval_granted, granted},
        {pending, E::approval_denied, denied},
        {pending, E::approval_expired, denied},
        {validated, E::credential_authorized, authorized},
        {granted, E::credential_authorized, authorized},
        // A connection; on a dispatched generation only while its ticket is unused.
        {authorized, E::attempt_failed, authorized},
        {ready, E::attempt_failed, authorized},
        {dispatched, E::attempt_failed, dispatched},
        {authorized, E::connection_ready, ready},
        {ready, E::connection_ready, ready},
        {dispatched, E::connection_ready, dispatched},
        // The exchange. A response may start before the request is sent whole.
        {ready, E::dispatch_started, dispatched},
        {dispatched, E::request_sent, dispatched},
        {responding, E::request_sent, responding},
        {dispatched, E::informational_response, dispatched},
        {dispatched, E::remote_response_started, responding},
        {responding, E::result_part, responding},
        {responding, E::remote_response_complete, complete},
        {complete, E::result_committed, committed},
        {dispatched, E::exchange_broken, broken},
        {responding, E::exchange_broken, broken},
        {complete, E::exchange_broken, broken},
        // The terminal stop before dispatch.
        {absent, E::action_refused, refused},
        {accepted, E::action_refused, refused},
        {validated, E::action_refused, refused},
        {pending, E::action_refused, refused},
        {granted, E::action_refused, refused},
        {denied, E::action_refused, refused},
        {authorized, E::action_refused, refused},
        {ready, E::action_refused, refused},
        // The caller leaves: noted while nothing is settled, ends nothing.
        {accepted, E::caller_cancelled, accepted},
        {validated, E::caller_cancelled, validated},
        {pending, E::caller_cancelled, pending},
        {granted, E::caller_cancelled, granted},
        {authorized, E::caller_cancelled, authorized},
        {ready, E::caller_cancelled, ready},
        {dispatched, E::caller_cancelled, dispatched},
        {responding, E::caller_cancelled, responding},
        {complete, E::caller_cancelled, complete},
        {broken, E::caller_cancelled, broken},
        {interrupted, E::caller_cancelled, interrupted},
        // The way of the result.
        {committed, E::result_delivered, committed},
        {committed, E::delivery_failed, committed},
        {committed, E::result_expired, committed},
        // From the newest generation's step to the first step of the next one.
        {validated, E::retry_leased, validated},
        {granted, E::retry_leased, validated},
        {authorized, E::retry_leased, validated},
        {ready, E::retry_leased, validated},
        {refused, E::retry_leased, validated},
        {denied, E::retry_leased, validated},
        {interrupted, E::retry_leased, validated},
        {broken, E::retry_leased, validated},
        {committed, E::retry_leased, validated},
        // Findings about an exchange that ended.
        {broken, E::reconciled, broken},
        {interrupted, E::reconciled, interrupted},
        {complete, E::reconciled, complete},
        {committed, E::reconciled, committed},
        {broken, E::attested, broken},
        {interrupted, E::attested, interrupted},
        {complete, E::attested, complete},
        {committed, E::attested, committed},
        // A restart. A pending approval survives it; a result may be found unconfirmed.
        {accepted, E::broker_recovered, interrupted},
        {validated, E::broker_recovered, interrupted},
        {pending, E::broker_recovered, pending},
        {granted, E::broker_recovered, interrupted},
        {authorized, E::broker_recovered, interrupted},
        {ready, E::broker_recovered, interrupted},
        {dispatched, E::broker_recovered, interrupted},
        {responding, E::broker_recovered, interrupted},
        {complete, E::broker_recovered, interrupted},
        {committed, E::broker_recovered, committed},
    });
}();

/// Where `event` leads from `from`; nothing where it may not follow.
[[nodiscard]] constexpr std::optional<Step> next_step(Step from, EventType event) noexcept {
    for (const Transition& row : transitions) {
        if (row.from == from && row.event == event) return row.to;
    }
    return std::nullopt;
}

static_assert(!next_step(Step::authorized, EventType::dispatch_started),
              "no dispatch without a connection");
static_assert(!next_step(Step::pending, EventType::credential_authorized),
              "no permit while an approval is open");
static_assert(!next_step(Step::dispatched, EventType::action_refused),
              "nothing returns a dispatched generation to a stop before dispatch");
static_assert(!next_step(Step::broken, EventType::result_committed),
              "a broken exchange has no result");

}  // namespace sworn::journal
