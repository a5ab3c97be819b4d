// The type of an event and the small enumerations that only events use.
#pragma once

#include <cstdint>
#include <string_view>

namespace sworn::journal {

/// Numbers are the stored format: append only, never renumber.
enum class EventType : std::uint8_t {
    action_accepted = 1,
    action_refused = 2,
    preflight_validated = 3,
    approval_requested = 4,
    approval_granted = 5,
    approval_denied = 6,
    approval_expired = 7,
    credential_authorized = 8,
    attempt_failed = 9,
    connection_ready = 10,
    dispatch_started = 11,
    request_sent = 12,
    informational_response = 13,
    remote_response_started = 14,
    result_part = 15,
    remote_response_complete = 16,
    exchange_broken = 17,
    caller_cancelled = 18,
    result_committed = 19,
    result_delivered = 20,
    delivery_failed = 21,
    retry_leased = 22,
    reconciled = 23,
    attested = 24,
    broker_recovered = 25,
    result_expired = 26,
};

/// "ACTION_ACCEPTED" …
[[nodiscard]] std::string_view to_string(EventType type) noexcept;

enum class Protocol : std::uint8_t { http, ssh, tunnel };
enum class KeyOrigin : std::uint8_t { none, caller, generated };
enum class Stream : std::uint8_t { body, out, err };

/// "http", "caller", "body" …: the words of the JSON view.
[[nodiscard]] std::string_view to_string(Protocol value) noexcept;
[[nodiscard]] std::string_view to_string(KeyOrigin value) noexcept;
[[nodiscard]] std::string_view to_string(Stream value) noexcept;

}  // namespace sworn::journal
