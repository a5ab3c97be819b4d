// The projected state of one invocation: what its events prove. `apply` is the only mutation, for
// live appends and for replay alike, and the one place where an illegal step is refused
// (contract section 2). `project` is the one total function that decides phase, outcome and retry.
// Pure: no I/O, no clock; `now` is an argument.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "common/vocabulary.h"
#include "journal/event.h"
#include "journal/transitions.h"

namespace sworn::journal {

struct Attempt {
    std::uint32_t n = 0, generation = 1;
    Stage stage = Stage::tcp_connect;
    Outcome outcome = Outcome::not_attempted;
    std::optional<AttemptCode> code{};  ///< None on the attempt that got a connection.
    std::optional<Code> ends_with{};
    std::string address{};
    bool dispatched = false;
};

/// Null = not recorded (contract section 2, rule 6).
struct Markers {
    std::optional<bool> handed_over{}, request_headers_sent{}, request_body_sent{},
        response_headers_received{}, response_complete{};
};

enum class Delivery : std::uint8_t { none, delivered, failed, unconfirmed };

struct Generation {
    std::uint32_t number = 1;
    Step step = Step::absent;
    Step interrupted_at = Step::absent;        ///< With `interrupted`.
    Outcome outcome = Outcome::not_attempted;  ///< Its own; stays although a later one settles.
    std::optional<Code> code{};
    Phase phase = Phase::validation;
    Retry directive = Retry::never;  ///< Contract section 5's row, for a settled one.
    std::optional<WallTime> retry_at{};
    std::optional<WallTime> dispatched_at{}, ended_at{};
    std::uint64_t dispatch_seq = 0;
    Markers markers{};
    std::optional<std::uint32_t> status{};  ///< As received.
    ProxyError proxy_error = ProxyError::none;
    std::optional<ConnectionReady> connection{};
    std::optional<RemoteResponseStarted> response{};
    std::optional<RemoteResponseComplete> completion{};
    std::optional<ResultCommitted> result{};
    std::uint32_t parts = 0;
    std::optional<Finding> finding{};    ///< Conclusive, about everything up to this generation.
    std::optional<Source> settled_by{};  ///< `finding` settled what was unknown up to here.
};

struct Conflict {
    std::uint64_t seq = 0;
    std::string what{};  ///< A literal of ours.
};

/// All that the events of one invocation prove. A value: copy it freely.
struct Record {
    InvocationId id;
    std::optional<ActionAccepted> accepted{};
    std::optional<PreflightValidated> validated{};
    std::optional<ApprovalRequested> approval{};
    std::optional<ActionRefused> refused{};
    bool approval_granted = false;        ///< A grant that no DISPATCH_STARTED consumed yet.
    std::vector<Generation> generations;  ///< At least one once anything was applied.
    std::vector<Attempt> attempts;
    std::optional<CallerCancelled> cancelled{};
    std::uint32_t cancelled_generation = 0;
    std::optional<Finding> finding{};
    std::optional<Source> settled_by{};  ///< remote_query / operator_attested.
    Delivery delivery = Delivery::none;
    bool fetched = false;  ///< The caller had the whole result, or acknowledged.
    bool result_expired = false;
    bool caller_half_closed = false;  ///< Live only: the caller sent FIN (arms the guard).
    std::vector<Conflict> conflicts;
    bool corrupt = false;
    bool running = false;
    bool ended_before_dispatch = false;  ///< With `corrupt`: readable events prove it (rule 5).
    std::optional<WallTime> accepted_at{}, last_at{};
    std::optional<WallTime> recovered_at{};  ///< A restart found this record and restated it.
    std::uint64_t last_seq = 0;
    std::uint32_t next_ordinal = 0;
    std::string lease_holder{};
    std::optional<WallTime> lease_deadline{};
};

enum class IllegalTransition : std::uint8_t {
    not_allowed,       ///< The state does not allow this event.
    stale_generation,  ///< DISPATCH_STARTED of a generation that is not the newest: LEASE_LOST.
    already_settled,   ///< DISPATCH_STARTED on a settled invocation.
    missing_ordinal,   ///< Replay: an event is missing before this one.
};
[[nodiscard]] std::string_view to_string(IllegalTransition why) noexcept;

/// Applies one event, or refuses it and leaves `record` as it was. On a live append
/// `event.ordinal` must be `record.next_ordinal`.
[[nodiscard]] Result<Done, IllegalTransition> apply(Record& record, const Event& event);

/// What a record says now; contract section 1.
struct Projection {
    Phase phase = Phase::validation;
    Outcome outcome = Outcome::not_attempted;
    Retry retry = Retry::never;
    std::optional<Code> code{};
    bool running = false;
    std::optional<Source> settled_by{};
    std::optional<WallTime> retry_at{};
    std::uint32_t generation = 1;  ///< The one that decides.
};
[[nodiscard]] Projection project(const Record& record, WallTime now);

/// When the idempotency key bound under a contract stops to protect: generation 1's dispatch +
/// retention − margin, never moved. Nothing without such a key or before dispatch.
[[nodiscard]] std::optional<WallTime> key_expires_at(const Record& record);
/// Attempts, generations and time since acceptance, against the bound maxima.
[[nodiscard]] bool budget_left(const Record& record, WallTime now);

/// Whether this record stops a blind repeat now (contract section 6), and until when.
struct GuardState {
    bool armed = false;
    WallTime until{};
};
[[nodiscard]] GuardState guard_state(const Record& record, WallTime now);

/// A record from stored frames, in order. Never fails: what cannot be read makes it corrupt
/// (contract section 2, rule 5).
struct StoredEvent {
    std::uint64_t seq = 0;         ///< From the key, so that unreadable ones are ordered too.
    std::optional<Event> event{};  ///< None: unreadable.
};
[[nodiscard]] Record replay(InvocationId id, const std::vector<StoredEvent>& events);

}  // namespace sworn::journal
