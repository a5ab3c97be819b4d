// What each code fixes: contract section 3, row by row. Where the contract gives several values,
// the row holds the usual one and the maker of the error overrides it.
#include <array>
#include <cstddef>

#include "common/assert.h"
#include "common/vocabulary.h"

namespace sworn {
namespace {

struct Row {
    Code code;
    Phase phase;
    Outcome outcome;
    Retry retry;
    int status;
    ProxyError proxy_error;
    std::string_view title;
};

using enum Code;
using enum Phase;
using enum Outcome;
using enum Retry;
using enum ProxyError;

constexpr auto rows = std::to_array<Row>({
    {invalid_target, validation, not_attempted, after_correction, 400, http_request_error,
     "Invalid target"},
    {missing_field, validation, not_attempted, after_correction, 400, http_request_error,
     "Missing field"},
    {malformed_request, validation, not_attempted, after_correction, 400, http_request_error,
     "Malformed request"},
    {forbidden_header, validation, not_attempted, after_correction, 400, http_request_error,
     "Forbidden header"},
    {idempotency_key_required, validation, not_attempted, after_correction, 400, http_request_error,
     "Idempotency key required"},
    {unsupported_action, validation, not_attempted, after_correction, 405, http_request_error,
     "Unsupported action"},
    {payload_limit, validation, not_attempted, after_correction, 413, http_request_error,
     "Payload limit"},
    {target_not_allowed, validation, not_attempted, after_correction, 403, http_request_denied,
     "Target not allowed"},
    {caller_not_authorized, validation, not_attempted, after_correction, 403, http_request_denied,
     "Caller not authorized"},
    {unknown_credential, validation, not_attempted, after_correction, 500,
     proxy_configuration_error, "Unknown credential"},
    {snapshot_mismatch, validation, not_attempted, after_correction, 409, proxy_internal_error,
     "Snapshot mismatch"},
    {idempotency_mismatch, validation, not_attempted, after_correction, 422, http_request_error,
     "Idempotency mismatch"},
    {unresolved_duplicate, validation, not_attempted, reconcile, 424, http_request_denied,
     "Unresolved duplicate"},
    {idempotency_key_expired, validation, not_attempted, reconcile, 424, http_request_denied,
     "Idempotency key expired"},
    {lease_lost, validation, not_attempted, fetch_result, 409, proxy_internal_error, "Lease lost"},
    {broker_overloaded, validation, not_attempted, backoff, 503, connection_limit_reached,
     "Broker overloaded"},
    {broker_draining, validation, not_attempted, backoff, 503, proxy_internal_error,
     "Broker draining"},
    {journal_unavailable, validation, not_attempted, backoff, 503, proxy_internal_error,
     "Journal unavailable"},
    {vault_locked, credential_injection, not_attempted, after_correction, 500,
     proxy_configuration_error, "Vault locked"},
    {credential_missing, credential_injection, not_attempted, after_correction, 500,
     proxy_configuration_error, "Credential missing"},
    {injection_unsupported, credential_injection, not_attempted, after_correction, 500,
     proxy_configuration_error, "Injection unsupported"},
    {decrypt_failed, credential_injection, not_attempted, after_correction, 500,
     proxy_configuration_error, "Decrypt failed"},
    {credential_expired, credential_injection, not_attempted, after_correction, 500,
     proxy_configuration_error, "Credential expired"},
    {credential_source_unavailable, credential_injection, not_attempted, backoff, 503,
     proxy_internal_error, "Credential source unavailable"},
    {approval_pending, credential_injection, not_attempted, fetch_result, 403, http_request_denied,
     "Approval pending"},
    {approval_denied, credential_injection, not_attempted, never, 403, http_request_denied,
     "Approval denied"},
    {approval_expired, credential_injection, not_attempted, after_correction, 403,
     http_request_denied, "Approval expired"},
    {name_resolution_failed, connection_setup, not_attempted, backoff, 502, dns_error,
     "Name resolution failed"},
    {address_forbidden, connection_setup, not_attempted, after_correction, 502,
     destination_ip_prohibited, "Address forbidden"},
    {connection_failed, connection_setup, not_attempted, backoff, 502, connection_refused,
     "Connection failed"},
    {tunnel_failed, connection_setup, not_attempted, backoff, 502, connection_refused,
     "Tunnel failed"},
    {tls_failed, connection_setup, not_attempted, after_correction, 502, tls_protocol_error,
     "TLS failed"},
    {peer_identity_mismatch, connection_setup, not_attempted, after_correction, 502,
     tls_certificate_error, "Peer identity mismatch"},
    {remote_authentication_failed, connection_setup, not_attempted, after_correction, 0, none,
     "Remote authentication failed"},
    {channel_failed, connection_setup, not_attempted, backoff, 0, none, "Channel failed"},
    {remote_rejected, remote_execution, rejected, after_correction, 0, none, "Remote rejected"},
    {remote_exec_refused, remote_execution, rejected, after_correction, 0, none,
     "Remote exec refused"},
    {remote_outcome_unknown, remote_execution, unknown, reconcile, 502, connection_terminated,
     "Remote outcome unknown"},
    {remote_result_incomplete, remote_execution, unknown, reconcile, 502, http_response_incomplete,
     "Remote result incomplete"},
    {remote_timeout, remote_execution, unknown, reconcile, 504, http_response_timeout,
     "Remote timeout"},
    {caller_cancelled, remote_execution, unknown, reconcile, 502, proxy_internal_error,
     "Caller cancelled"},
    {broker_interrupted, remote_execution, unknown, reconcile, 502, proxy_internal_error,
     "Broker interrupted"},
    {intermediary_error, remote_execution, unknown, reconcile, 0, none, "Intermediary error"},
    {redirect_refused, remote_execution, committed, never, 0, none, "Redirect refused"},
    {delivery_failed, result_delivery, committed, fetch_result, 0, none, "Delivery failed"},
    {result_store_failed, result_delivery, unknown, reconcile, 500, proxy_internal_error,
     "Result store failed"},
    {result_expired, result_delivery, committed, never, 404, none, "Result expired"},
    {result_not_retained, result_delivery, committed, never, 404, none, "Result not retained"},
});

constexpr bool in_declaration_order() {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].code != static_cast<Code>(i)) return false;
    }
    return true;
}
static_assert(in_declaration_order(), "code_info() finds a row by its place");

std::array<CodeInfo, rows.size()> make_infos() {
    std::array<CodeInfo, rows.size()> infos{};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        infos[i] = {to_string(row.code), row.phase,       row.outcome, row.retry,
                    row.status,          row.proxy_error, row.title};
    }
    return infos;
}

}  // namespace

const CodeInfo& code_info(Code code) noexcept {
    static const auto infos = make_infos();
    const auto place = static_cast<std::size_t>(code);
    SWORN_ASSERT(place < infos.size());
    return infos[place];
}

}  // namespace sworn
