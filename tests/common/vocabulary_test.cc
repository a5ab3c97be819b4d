#include "common/vocabulary.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace sworn {
namespace {

using Words = std::vector<std::string_view>;

/// The words of docs/contract.md sections 1 to 4, typed out once more: a change of spelling is a
/// change of a public name.
template <class E>
Words contract_words();

template <>
Words contract_words<Phase>() {
    return {"validation", "credential_injection", "connection_setup", "remote_execution",
            "result_delivery"};
}

template <>
Words contract_words<Outcome>() {
    return {"not_attempted", "rejected", "committed", "unknown"};
}

template <>
Words contract_words<Retry>() {
    return {"never",     "after_correction", "backoff", "same_idempotency_key",
            "reconcile", "fetch_result"};
}

template <>
Words contract_words<Source>() {
    return {"transport_observed", "remote_response", "remote_query", "operator_attested"};
}

template <>
Words contract_words<Code>() {
    return {"INVALID_TARGET",
            "MISSING_FIELD",
            "MALFORMED_REQUEST",
            "FORBIDDEN_HEADER",
            "IDEMPOTENCY_KEY_REQUIRED",
            "UNSUPPORTED_ACTION",
            "PAYLOAD_LIMIT",
            "TARGET_NOT_ALLOWED",
            "CALLER_NOT_AUTHORIZED",
            "UNKNOWN_CREDENTIAL",
            "SNAPSHOT_MISMATCH",
            "IDEMPOTENCY_MISMATCH",
            "UNRESOLVED_DUPLICATE",
            "IDEMPOTENCY_KEY_EXPIRED",
            "LEASE_LOST",
            "BROKER_OVERLOADED",
            "BROKER_DRAINING",
            "JOURNAL_UNAVAILABLE",
            "VAULT_LOCKED",
            "CREDENTIAL_MISSING",
            "INJECTION_UNSUPPORTED",
            "DECRYPT_FAILED",
            "CREDENTIAL_EXPIRED",
            "CREDENTIAL_SOURCE_UNAVAILABLE",
            "APPROVAL_PENDING",
            "APPROVAL_DENIED",
            "APPROVAL_EXPIRED",
            "NAME_RESOLUTION_FAILED",
            "ADDRESS_FORBIDDEN",
            "CONNECTION_FAILED",
            "TUNNEL_FAILED",
            "TLS_FAILED",
            "PEER_IDENTITY_MISMATCH",
            "REMOTE_AUTHENTICATION_FAILED",
            "CHANNEL_FAILED",
            "REMOTE_REJECTED",
            "REMOTE_EXEC_REFUSED",
            "REMOTE_OUTCOME_UNKNOWN",
            "REMOTE_RESULT_INCOMPLETE",
            "REMOTE_TIMEOUT",
            "CALLER_CANCELLED",
            "BROKER_INTERRUPTED",
            "INTERMEDIARY_ERROR",
            "REDIRECT_REFUSED",
            "DELIVERY_FAILED",
            "RESULT_STORE_FAILED",
            "RESULT_EXPIRED",
            "RESULT_NOT_RETAINED"};
}

template <>
Words contract_words<Stage>() {
    return {"name_resolution", "address_policy", "tcp_connect", "proxy_tunnel", "tls_handshake",
            "ssh_transport",   "ssh_host_key",   "ssh_auth",    "ssh_channel",  "ssh_environment"};
}

template <>
Words contract_words<AttemptCode>() {
    return {"ECONNREFUSED",       "ETIMEDOUT",         "ENETUNREACH",         "EHOSTUNREACH",
            "ECONNRESET",         "NXDOMAIN",          "DNS_TIMEOUT",         "DNS_FAILED",
            "ADDRESS_FORBIDDEN",  "CERT_EXPIRED",      "CERT_NOT_YET_VALID",  "CERT_UNTRUSTED",
            "CERT_HOST_MISMATCH", "CERT_REVOKED",      "CERT_PIN_MISMATCH",   "TLS_ALERT",
            "TLS_PROTOCOL",       "PROXY_REFUSED",     "PROXY_AUTH_REQUIRED", "SSH_KEX_FAILED",
            "HOST_KEY_UNKNOWN",   "HOST_KEY_MISMATCH", "AUTH_FAILED",         "CHANNEL_REFUSED",
            "ENV_REFUSED"};
}

/// RFC 9209 section 2.3, those that Sworn emits.
template <>
Words contract_words<ProxyError>() {
    return {"",
            "dns_timeout",
            "dns_error",
            "destination_ip_prohibited",
            "destination_ip_unroutable",
            "connection_refused",
            "connection_terminated",
            "connection_timeout",
            "connection_read_timeout",
            "connection_limit_reached",
            "tls_protocol_error",
            "tls_certificate_error",
            "tls_alert_received",
            "http_request_error",
            "http_request_denied",
            "http_response_incomplete",
            "http_response_timeout",
            "http_protocol_error",
            "proxy_internal_error",
            "proxy_configuration_error",
            "proxy_loop_detected"};
}

template <>
Words contract_words<Finding>() {
    return {"applied", "not_applied", "inconclusive"};
}

template <>
Words contract_words<Framing>() {
    return {"content_length", "chunked", "no_body", "close_delimited"};
}

template <class E>
class Vocabulary : public testing::Test {};

using Vocabularies = testing::Types<Phase, Outcome, Retry, Source, Code, Stage, AttemptCode,
                                    ProxyError, Finding, Framing>;
TYPED_TEST_SUITE(Vocabulary, Vocabularies);

TYPED_TEST(Vocabulary, IsSpelledAsTheContractSpellsIt) {
    Words spelled;
    for (const TypeParam value : all_values<TypeParam>())
        spelled.push_back(to_string(value));
    EXPECT_EQ(spelled, contract_words<TypeParam>());
}

TYPED_TEST(Vocabulary, EveryWordLeadsBackToItsValue) {
    for (const TypeParam value : all_values<TypeParam>()) {
        const auto word = to_string(value);
        SCOPED_TRACE(word);
        const auto back = parse<TypeParam>(word);
        if (word.empty()) {
            EXPECT_FALSE(back) << "the absence of a word is no word";
        } else {
            EXPECT_EQ(back, value);
        }
    }
}

TYPED_TEST(Vocabulary, ListsItsValuesInDeclarationOrderAndOnce) {
    std::size_t place = 0;
    std::set<std::string_view> words;
    for (const TypeParam value : all_values<TypeParam>()) {
        EXPECT_EQ(static_cast<std::size_t>(value), place++);
        words.insert(to_string(value));
    }
    EXPECT_EQ(words.size(), place);
}

TYPED_TEST(Vocabulary, RefusesEveryOtherSpelling) {
    for (const std::string_view word : contract_words<TypeParam>()) {
        if (word.empty()) continue;
        SCOPED_TRACE(word);
        std::string other{word};
        other[0] = static_cast<char>(other[0] ^ 0x20);
        EXPECT_FALSE(parse<TypeParam>(other)) << "the other case";
        EXPECT_FALSE(parse<TypeParam>(std::string{word} + " ")) << "a blank after it";
        EXPECT_FALSE(parse<TypeParam>(" " + std::string{word})) << "a blank before it";
        EXPECT_FALSE(parse<TypeParam>(std::string{word} + std::string(1, '\0'))) << "a NUL";
        EXPECT_FALSE(parse<TypeParam>(word.substr(1))) << "a part";
    }
    EXPECT_FALSE(parse<TypeParam>(""));
    EXPECT_FALSE(parse<TypeParam>("known")) << "rejected and committed are never merged";
}

TEST(AttemptCode, NeverShowsTheUnderscoreThatItsMacroNeeds) {
    EXPECT_EQ(to_string(AttemptCode::ECONNREFUSED_), "ECONNREFUSED");
    EXPECT_EQ(parse<AttemptCode>("ECONNREFUSED"), AttemptCode::ECONNREFUSED_);
    EXPECT_FALSE(parse<AttemptCode>("ECONNREFUSED_"));
}

}  // namespace
}  // namespace sworn
