// The words of the contract itself.
#include "common/vocabulary.h"

#include "common/vocabulary_words.h"

namespace sworn {

static constexpr std::string_view word(Phase value) noexcept {
    using enum Phase;
    switch (value) {
        case validation:
            return "validation";
        case credential_injection:
            return "credential_injection";
        case connection_setup:
            return "connection_setup";
        case remote_execution:
            return "remote_execution";
        case result_delivery:
            return "result_delivery";
    }
    return {};
}

static constexpr std::string_view word(Outcome value) noexcept {
    using enum Outcome;
    switch (value) {
        case not_attempted:
            return "not_attempted";
        case rejected:
            return "rejected";
        case committed:
            return "committed";
        case unknown:
            return "unknown";
    }
    return {};
}

static constexpr std::string_view word(Retry value) noexcept {
    using enum Retry;
    switch (value) {
        case never:
            return "never";
        case after_correction:
            return "after_correction";
        case backoff:
            return "backoff";
        case same_idempotency_key:
            return "same_idempotency_key";
        case reconcile:
            return "reconcile";
        case fetch_result:
            return "fetch_result";
    }
    return {};
}

static constexpr std::string_view word(Source value) noexcept {
    using enum Source;
    switch (value) {
        case transport_observed:
            return "transport_observed";
        case remote_response:
            return "remote_response";
        case remote_query:
            return "remote_query";
        case operator_attested:
            return "operator_attested";
    }
    return {};
}

static constexpr std::string_view word(Code value) noexcept {
    using enum Code;
    switch (value) {
        case invalid_target:
            return "INVALID_TARGET";
        case missing_field:
            return "MISSING_FIELD";
        case malformed_request:
            return "MALFORMED_REQUEST";
        case forbidden_header:
            return "FORBIDDEN_HEADER";
        case idempotency_key_required:
            return "IDEMPOTENCY_KEY_REQUIRED";
        case unsupported_action:
            return "UNSUPPORTED_ACTION";
        case payload_limit:
            return "PAYLOAD_LIMIT";
        case target_not_allowed:
            return "TARGET_NOT_ALLOWED";
        case caller_not_authorized:
            return "CALLER_NOT_AUTHORIZED";
        case unknown_credential:
            return "UNKNOWN_CREDENTIAL";
        case snapshot_mismatch:
            return "SNAPSHOT_MISMATCH";
        case idempotency_mismatch:
            return "IDEMPOTENCY_MISMATCH";
        case unresolved_duplicate:
            return "UNRESOLVED_DUPLICATE";
        case idempotency_key_expired:
            return "IDEMPOTENCY_KEY_EXPIRED";
        case lease_lost:
            return "LEASE_LOST";
        case broker_overloaded:
            return "BROKER_OVERLOADED";
        case broker_draining:
            return "BROKER_DRAINING";
        case journal_unavailable:
            return "JOURNAL_UNAVAILABLE";
        case vault_locked:
            return "VAULT_LOCKED";
        case credential_missing:
            return "CREDENTIAL_MISSING";
        case injection_unsupported:
            return "INJECTION_UNSUPPORTED";
        case decrypt_failed:
            return "DECRYPT_FAILED";
        case credential_expired:
            return "CREDENTIAL_EXPIRED";
        case credential_source_unavailable:
            return "CREDENTIAL_SOURCE_UNAVAILABLE";
        case approval_pending:
            return "APPROVAL_PENDING";
        case approval_denied:
            return "APPROVAL_DENIED";
        case approval_expired:
            return "APPROVAL_EXPIRED";
        case name_resolution_failed:
            return "NAME_RESOLUTION_FAILED";
        case address_forbidden:
            return "ADDRESS_FORBIDDEN";
        case connection_failed:
            return "CONNECTION_FAILED";
        case tunnel_failed:
            return "TUNNEL_FAILED";
        case tls_failed:
            return "TLS_FAILED";
        case peer_identity_mismatch:
            return "PEER_IDENTITY_MISMATCH";
        case remote_authentication_failed:
            return "REMOTE_AUTHENTICATION_FAILED";
        case channel_failed:
            return "CHANNEL_FAILED";
        case remote_rejected:
            return "REMOTE_REJECTED";
        case remote_exec_refused:
            return "REMOTE_EXEC_REFUSED";
        case remote_outcome_unknown:
            return "REMOTE_OUTCOME_UNKNOWN";
        case remote_result_incomplete:
            return "REMOTE_RESULT_INCOMPLETE";
        case remote_timeout:
            return "REMOTE_TIMEOUT";
        case caller_cancelled:
            return "CALLER_CANCELLED";
        case broker_interrupted:
            return "BROKER_INTERRUPTED";
        case intermediary_error:
            return "INTERMEDIARY_ERROR";
        case redirect_refused:
            return "REDIRECT_REFUSED";
        case delivery_failed:
            return "DELIVERY_FAILED";
        case result_store_failed:
            return "RESULT_STORE_FAILED";
        case result_expired:
            return "RESULT_EXPIRED";
        case result_not_retained:
            return "RESULT_NOT_RETAINED";
    }
    return {};
}

static constexpr std::string_view word(Finding value) noexcept {
    using enum Finding;
    switch (value) {
        case applied:
            return "applied";
        case not_applied:
            return "not_applied";
        case inconclusive:
            return "inconclusive";
    }
    return {};
}

static constexpr std::string_view word(Framing value) noexcept {
    using enum Framing;
    switch (value) {
        case content_length:
            return "content_length";
        case chunked:
            return "chunked";
        case no_body:
            return "no_body";
        case close_delimited:
            return "close_delimited";
    }
    return {};
}

std::string_view to_string(Phase value) noexcept {
    return word(value);
}
std::string_view to_string(Outcome value) noexcept {
    return word(value);
}
std::string_view to_string(Retry value) noexcept {
    return word(value);
}
std::string_view to_string(Source value) noexcept {
    return word(value);
}
std::string_view to_string(Code value) noexcept {
    return word(value);
}
std::string_view to_string(Finding value) noexcept {
    return word(value);
}
std::string_view to_string(Framing value) noexcept {
    return word(value);
}

template std::optional<Phase> parse<Phase>(std::string_view) noexcept;
template std::span<const Phase> all_values<Phase>() noexcept;
template std::optional<Outcome> parse<Outcome>(std::string_view) noexcept;
template std::span<const Outcome> all_values<Outcome>() noexcept;
template std::optional<Retry> parse<Retry>(std::string_view) noexcept;
template std::span<const Retry> all_values<Retry>() noexcept;
template std::optional<Source> parse<Source>(std::string_view) noexcept;
template std::span<const Source> all_values<Source>() noexcept;
template std::optional<Code> parse<Code>(std::string_view) noexcept;
template std::span<const Code> all_values<Code>() noexcept;
template std::optional<Finding> parse<Finding>(std::string_view) noexcept;
template std::span<const Finding> all_values<Finding>() noexcept;
template std::optional<Framing> parse<Framing>(std::string_view) noexcept;
template std::span<const Framing> all_values<Framing>() noexcept;

}  // namespace sworn
