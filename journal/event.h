// The events of a record: plain structs, one per row of contract section 2. A record is an
// append-only list of these; state is only ever projected from them (journal/record.h).
//
// Each struct lists its fields once, in `fields(event, visit)`, as visit(tag, name, field) with
// tags that rise and never change meaning. The codec (journal/codec.h), the JSON view and the tests
// all walk that list. Secrets never appear: a credential is its id and version.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "common/clock.h"
#include "common/vocabulary.h"
#include "journal/event_action.h"
#include "journal/event_exchange.h"
#include "journal/event_result.h"
#include "journal/event_type.h"

namespace sworn::journal {

using EventBody =
    std::variant<ActionAccepted, ActionRefused, PreflightValidated, ApprovalRequested,
                 ApprovalGranted, ApprovalDenied, ApprovalExpired, CredentialAuthorized,
                 AttemptFailed, ConnectionReady, DispatchStarted, RequestSent,
                 InformationalResponse, RemoteResponseStarted, ResultPart, RemoteResponseComplete,
                 ExchangeBroken, CallerCancelled, ResultCommitted, ResultDelivered, DeliveryFailed,
                 RetryLeased, Reconciled, Attested, BrokerRecovered, ResultExpired>;

[[nodiscard]] EventType type_of(const EventBody& body) noexcept;

/// One event as it is stored and read back.
struct Event {
    std::uint64_t seq = 0;      ///< Journal-wide; the only ordering that counts. 0 = not written.
    std::uint32_t ordinal = 0;  ///< 0, 1, 2 … within the record: a gap proves a loss.
    WallTime at{};              ///< For people.
    std::uint32_t generation = 1;
    std::optional<Source> source{};  ///< Present where the event is evidence.
    EventBody body{};
};

}  // namespace sworn::journal
