// The closed vocabularies of the evidence contract (docs/contract.md sections 1 and 3): the one
// place where each word is spelled. JSON, headers, metrics, logs and the CLI all read it here.
// Pure: no I/O, no state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sworn {

/// Where the broker stopped. Diagnosis only; never retry policy.
enum class Phase : std::uint8_t {
    validation,
    credential_injection,
    connection_setup,
    remote_execution,
    result_delivery,
};

/// What is known of the remote side.
enum class Outcome : std::uint8_t { not_attempted, rejected, committed, unknown };

/// What automation may do now.
enum class Retry : std::uint8_t {
    never,
    after_correction,
    backoff,
    same_idempotency_key,
    reconcile,
    fetch_result,
};

/// How a piece of evidence is known.
enum class Source : std::uint8_t {
    transport_observed,
    remote_response,
    remote_query,
    operator_attested,
};

/// Why an action ended other than by an ordinary complete answer. Contract section 3.
enum class Code : std::uint8_t {
    // validation
    invalid_target,
    missing_field,
    malformed_request,
    forbidden_header,
    idempotency_key_required,
    unsupported_action,
    payload_limit,
    target_not_allowed,
    caller_not_authorized,
    unknown_credential,
    snapshot_mismatch,
    idempotency_mismatch,
    unresolved_duplicate,
    idempotency_key_expired,
    lease_lost,
    broker_overloaded,
    broker_draining,
    journal_unavailable,
    // credential_injection
    vault_locked,
    credential_missing,
    injection_unsupported,
    decrypt_failed,
    credential_expired,
    credential_source_unavailable,
    approval_pending,
    approval_denied,
    approval_expired,
    // connection_setup
    name_resolution_failed,
    address_forbidden,
    connection_failed,
    tunnel_failed,
    tls_failed,
    peer_identity_mismatch,
    remote_authentication_failed,
    channel_failed,
    // remote_execution
    remote_rejected,
    remote_exec_refused,
    remote_outcome_unknown,
    remote_result_incomplete,
    remote_timeout,
    caller_cancelled,
    broker_interrupted,
    intermediary_error,
    redirect_refused,
    // result_delivery
    delivery_failed,
    result_store_failed,
    result_expired,
    result_not_retained,
};

/// The step of a connection attempt.
enum class Stage : std::uint8_t {
    name_resolution,
    address_policy,
    tcp_connect,
    proxy_tunnel,
    tls_handshake,
    ssh_transport,
    ssh_host_key,
    ssh_auth,
    ssh_channel,
    ssh_environment,
};

/// Why a connection attempt failed: POSIX names and our own closed list.
enum class AttemptCode : std::uint8_t {
    ECONNREFUSED_,  // Trailing underscore: the bare names are macros.
    ETIMEDOUT_,
    ENETUNREACH_,
    EHOSTUNREACH_,
    ECONNRESET_,
    NXDOMAIN,
    DNS_TIMEOUT,
    DNS_FAILED,
    ADDRESS_FORBIDDEN,
    CERT_EXPIRED,
    CERT_NOT_YET_VALID,
    CERT_UNTRUSTED,
    CERT_HOST_MISMATCH,
    CERT_REVOKED,
    CERT_PIN_MISMATCH,
    TLS_ALERT,
    TLS_PROTOCOL,
    PROXY_REFUSED,
    PROXY_AUTH_REQUIRED,
    SSH_KEX_FAILED,
    HOST_KEY_UNKNOWN,
    HOST_KEY_MISMATCH,
    AUTH_FAILED,
    CHANNEL_REFUSED,
    ENV_REFUSED,
};

/// Registered Proxy-Status error types (RFC 9209 section 2.3) that Sworn emits.
enum class ProxyError : std::uint8_t {
    none,
    dns_timeout,
    dns_error,
    destination_ip_prohibited,
    destination_ip_unroutable,
    connection_refused,
    connection_terminated,
    connection_timeout,
    connection_read_timeout,
    connection_limit_reached,
    tls_protocol_error,
    tls_certificate_error,
    tls_alert_received,
    http_request_error,
    http_request_denied,
    http_response_incomplete,
    http_response_timeout,
    http_protocol_error,
    proxy_internal_error,
    proxy_configuration_error,
    proxy_loop_detected,
};

/// What a finding about an unsettled invocation says (RECONCILED, ATTESTED).
enum class Finding : std::uint8_t { applied, not_applied, inconclusive };

/// How the end of a message was proven. Contract section 4.
enum class Framing : std::uint8_t { content_length, chunked, no_body, close_delimited };

/// Everything that one code fixes. `status` 0: the remote's own status is passed on.
struct CodeInfo {
    std::string_view name;
    Phase phase;
    Outcome outcome;
    Retry retry;  ///< The usual directive; contract sections 5 and 6 refine it.
    int status;
    ProxyError proxy_error;
    std::string_view title;  ///< "Remote outcome unknown"
};

[[nodiscard]] const CodeInfo& code_info(Code code) noexcept;

[[nodiscard]] std::string_view to_string(Phase value) noexcept;
[[nodiscard]] std::string_view to_string(Outcome value) noexcept;
[[nodiscard]] std::string_view to_string(Retry value) noexcept;
[[nodiscard]] std::string_view to_string(Source value) noexcept;
[[nodiscard]] std::string_view to_string(Code value) noexcept;
[[nodiscard]] std::string_view to_string(Stage value) noexcept;
[[nodiscard]] std::string_view to_string(AttemptCode value) noexcept;
[[nodiscard]] std::string_view to_string(ProxyError value) noexcept;  ///< none is ""
[[nodiscard]] std::string_view to_string(Finding value) noexcept;
[[nodiscard]] std::string_view to_string(Framing value) noexcept;

/// The exact word back to its value; nothing for any other spelling.
template <class E>
[[nodiscard]] std::optional<E> parse(std::string_view word) noexcept;

/// All values of a vocabulary in declaration order (for metrics and exhaustive tests).
template <class E>
[[nodiscard]] std::span<const E> all_values() noexcept;

}  // namespace sworn
