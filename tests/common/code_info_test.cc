#include <gtest/gtest.h>

#include <string>

#include "common/vocabulary.h"

namespace sworn {
namespace {

struct Case {
    std::string_view code, phase, outcome, retry;
    int status;
    std::string_view proxy_error, title;
};

/// docs/contract.md section 3, row by row.
constexpr std::string_view vld = "validation", inj = "credential_injection",
                           con = "connection_setup", exe = "remote_execution",
                           dlv = "result_delivery";
constexpr std::string_view not_attempted = "not_attempted", after = "after_correction";
constexpr std::string_view request_error = "http_request_error", denied = "http_request_denied",
                           internal = "proxy_internal_error",
                           configuration = "proxy_configuration_error";

constexpr Case cases[] = {
    {"INVALID_TARGET", vld, not_attempted, after, 400, request_error, "Invalid target"},
    {"MISSING_FIELD", vld, not_attempted, after, 400, request_error, "Missing field"},
    {"MALFORMED_REQUEST", vld, not_attempted, after, 400, request_error, "Malformed request"},
    {"FORBIDDEN_HEADER", vld, not_attempted, after, 400, request_error, "Forbidden header"},
    {"IDEMPOTENCY_KEY_REQUIRED", vld, not_attempted, after, 400, request_error,
     "Idempotency key required"},
    {"UNSUPPORTED_ACTION", vld, not_attempted, after, 405, request_error, "Unsupported action"},
    {"PAYLOAD_LIMIT", vld, not_attempted, after, 413, request_error, "Payload limit"},
    {"TARGET_NOT_ALLOWED", vld, not_attempted, after, 403, denied, "Target not allowed"},
    {"CALLER_NOT_AUTHORIZED", vld, not_attempted, after, 403, denied, "Caller not authorized"},
    {"UNKNOWN_CREDENTIAL", vld, not_attempted, after, 500, configuration, "Unknown credential"},
    {"SNAPSHOT_MISMATCH", vld, not_attempted, after, 409, internal, "Snapshot mismatch"},
    {"IDEMPOTENCY_MISMATCH", vld, not_attempted, after, 422, request_error, "Idempotency mismatch"},
    {"UNRESOLVED_DUPLICATE", vld, not_attempted, "reconcile", 424, denied, "Unresolved duplicate"},
    {"IDEMPOTENCY_KEY_EXPIRED", vld, not_attempted, "reconcile", 424, denied,
     "Idempotency key expired"},
    {"LEASE_LOST", vld, not_attempted, "fetch_result", 409, internal, "Lease lost"},
    {"BROKER_OVERLOADED", vld, not_attempted, "backoff", 503, "connection_limit_reached",
     "Broker overloaded"},
    {"BROKER_DRAINING", vld, not_attempted, "backoff", 503, internal, "Broker draining"},
    {"JOURNAL_UNAVAILABLE", vld, not_attempted, "backoff", 503, internal, "Journal unavailable"},
    {"VAULT_LOCKED", inj, not_attempted, after, 500, configuration, "Vault locked"},
    {"CREDENTIAL_MISSING", inj, not_attempted, after, 500, configuration, "Credential missing"},
    {"INJECTION_UNSUPPORTED", inj, not_attempted, after, 500, configuration,
     "Injection unsupported"},
    {"DECRYPT_FAILED", inj, not_attempted, after, 500, configuration, "Decrypt failed"},
    {"CREDENTIAL_EXPIRED", inj, not_attempted, after, 500, configuration, "Credential expired"},
    {"CREDENTIAL_SOURCE_UNAVAILABLE", inj, not_attempted, "backoff", 503, internal,
     "Credential source unavailable"},
    {"APPROVAL_PENDING", inj, not_attempted, "fetch_result", 403, denied, "Approval pending"},
    {"APPROVAL_DENIED", inj, not_attempted, "never", 403, denied, "Approval denied"},
    {"APPROVAL_EXPIRED", inj, not_attempted, after, 403, denied, "Approval expired"},
    {"NAME_RESOLUTION_FAILED", con, not_attempted, "backoff", 502, "dns_error",
     "Name resolution failed"},
    {"ADDRESS_FORBIDDEN", con, not_attempted, after, 502, "destination_ip_prohibited",
     "Address forbidden"},
    {"CONNECTION_FAILED", con, not_attempted, "backoff", 502, "connection_refused",
     "Connection failed"},
    {"TUNNEL_FAILED", con, not_attempted, "backoff", 502, "connection_refused", "Tunnel failed"},
    {"TLS_FAILED", con, not_attempted, after, 502, "tls_protocol_error", "TLS failed"},
    {"PEER_IDENTITY_MISMATCH", con, not_attempted, after, 502, "tls_certificate_error",
     "Peer identity mismatch"},
    {"REMOTE_AUTHENTICATION_FAILED", con, not_attempted, after, 0, "",
     "Remote authentication failed"},
    {"CHANNEL_FAILED", con, not_attempted, "backoff", 0, "", "Channel failed"},
    {"REMOTE_REJECTED", exe, "rejected", after, 0, "", "Remote rejected"},
    {"REMOTE_EXEC_REFUSED", exe, "rejected", after, 0, "", "Remote exec refused"},
    {"REMOTE_OUTCOME_UNKNOWN", exe, "unknown", "reconcile", 502, "connection_terminated",
     "Remote outcome unknown"},
    {"REMOTE_RESULT_INCOMPLETE", exe, "unknown", "reconcile", 502, "http_response_incomplete",
     "Remote result incomplete"},
    {"REMOTE_TIMEOUT", exe, "unknown", "reconcile", 504, "http_response_timeout", "Remote timeout"},
    {"CALLER_CANCELLED", exe, "unknown", "reconcile", 502, internal, "Caller cancelled"},
    {"BROKER_INTERRUPTED", exe, "unknown", "reconcile", 502, internal, "Broker interrupted"},
    {"INTERMEDIARY_ERROR", exe, "unknown", "reconcile", 0, "", "Intermediary error"},
    {"REDIRECT_REFUSED", exe, "committed", "never", 0, "", "Redirect refused"},
    {"DELIVERY_FAILED", dlv, "committed", "fetch_result", 0, "", "Delivery failed"},
    {"RESULT_STORE_FAILED", dlv, "unknown", "reconcile", 500, internal, "Result store failed"},
    {"RESULT_EXPIRED", dlv, "committed", "never", 404, "", "Result expired"},
    {"RESULT_NOT_RETAINED", dlv, "committed", "never", 404, "", "Result not retained"},
};

class CodeTable : public testing::TestWithParam<Case> {};

TEST_P(CodeTable, SaysWhatTheContractSays) {
    const Case& want = GetParam();
    const auto code = parse<Code>(want.code);
    ASSERT_TRUE(code);
    const CodeInfo& info = code_info(*code);
    EXPECT_EQ(info.name, want.code);
    EXPECT_EQ(to_string(info.phase), want.phase);
    EXPECT_EQ(to_string(info.outcome), want.outcome);
    EXPECT_EQ(to_string(info.retry), want.retry);
    EXPECT_EQ(info.status, want.status);
    EXPECT_EQ(to_string(info.proxy_error), want.proxy_error);
    EXPECT_EQ(info.title, want.title);
}

INSTANTIATE_TEST_SUITE_P(Contract, CodeTable, testing::ValuesIn(cases),
                         [](const auto& row) { return std::string{row.param.code}; });

TEST(CodeTable, CoversEveryCode) {
    EXPECT_EQ(std::size(cases), all_values<Code>().size());
}

TEST(CodeTable, OnlyRemoteExecutionAndDeliveryLeaveNotAttempted) {
    for (const Code code : all_values<Code>()) {
        const CodeInfo& info = code_info(code);
        const bool before_dispatch =
            info.phase != Phase::remote_execution && info.phase != Phase::result_delivery;
        EXPECT_EQ(info.outcome == Outcome::not_attempted, before_dispatch) << info.name;
    }
}

TEST(CodeTable, AnUnknownOutcomeNeverInvitesABlindRepeat) {
    for (const Code code : all_values<Code>()) {
        const CodeInfo& info = code_info(code);
        if (info.outcome != Outcome::unknown) continue;
        EXPECT_EQ(info.retry, Retry::reconcile) << info.name;
    }
}

TEST(CodeTable, AbortsForWhatIsNoCode) {
    EXPECT_DEATH(static_cast<void>(code_info(static_cast<Code>(200))), "broken invariant");
}

}  // namespace
}  // namespace sworn
