#include "proxy/connect/failure.h"

#include <gtest/gtest.h>
#include <openssl/x509_vfy.h>

#include <cerrno>

namespace sworn::connect {
namespace {

TEST(ConnectFailed, MapsEveryErrnoToTheContractsWords) {
    const struct {
        int error;
        AttemptCode code;
        ProxyError proxy_error;
    } rows[] = {
        {ECONNREFUSED, AttemptCode::ECONNREFUSED_, ProxyError::connection_refused},
        {ECONNRESET, AttemptCode::ECONNRESET_, ProxyError::connection_refused},
        {ETIMEDOUT, AttemptCode::ETIMEDOUT_, ProxyError::connection_timeout},
        {ENETUNREACH, AttemptCode::ENETUNREACH_, ProxyError::destination_ip_unroutable},
        {EAFNOSUPPORT, AttemptCode::ENETUNREACH_, ProxyError::destination_ip_unroutable},
        {EHOSTUNREACH, AttemptCode::EHOSTUNREACH_, ProxyError::destination_ip_unroutable},
        {EINVAL, AttemptCode::EHOSTUNREACH_, ProxyError::destination_ip_unroutable},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.error);
        const Attempt attempt = connect_failed(row.error);
        EXPECT_EQ(attempt.stage, Stage::tcp_connect);
        EXPECT_EQ(attempt.code, row.code);
        EXPECT_EQ(attempt.ends_with, Code::connection_failed);
        EXPECT_EQ(attempt.proxy_error, row.proxy_error);
    }
}

TEST(HandshakeFailed, ACertificateThatIsRefusedIsAnIdentityMismatch) {
    const struct {
        long verify;
        AttemptCode code;
    } rows[] = {
        {X509_V_ERR_CERT_HAS_EXPIRED, AttemptCode::CERT_EXPIRED},
        {X509_V_ERR_CERT_NOT_YET_VALID, AttemptCode::CERT_NOT_YET_VALID},
        {X509_V_ERR_CERT_REVOKED, AttemptCode::CERT_REVOKED},
        {X509_V_ERR_HOSTNAME_MISMATCH, AttemptCode::CERT_HOST_MISMATCH},
        {X509_V_ERR_IP_ADDRESS_MISMATCH, AttemptCode::CERT_HOST_MISMATCH},
        {X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, AttemptCode::CERT_UNTRUSTED},
        {X509_V_ERR_INVALID_PURPOSE, AttemptCode::CERT_UNTRUSTED},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.verify);
        HandshakeFailure failure;
        failure.verify_result = row.verify;
        const Attempt attempt = handshake_failed(failure);
        EXPECT_EQ(attempt.stage, Stage::tls_handshake);
        EXPECT_EQ(attempt.code, row.code);
        EXPECT_EQ(attempt.ends_with, Code::peer_identity_mismatch);
        EXPECT_EQ(attempt.proxy_error, ProxyError::tls_certificate_error);
    }
}

TEST(HandshakeFailed, WhatTheTransportOrThePeerEndedIsATlsFailure) {
    const struct {
        io::IoEnd end;
        AttemptCode code;
    } rows[] = {
        {io::IoEnd::timed_out, AttemptCode::ETIMEDOUT_},
        {io::IoEnd::truncated, AttemptCode::ECONNRESET_},
        {io::IoEnd::eof, AttemptCode::ECONNRESET_},
        {io::IoEnd::reset, AttemptCode::ECONNRESET_},
        {io::IoEnd::tls_failure, AttemptCode::TLS_PROTOCOL},
    };
    for (const auto& row : rows) {
        HandshakeFailure failure;
        failure.end = row.end;
        const Attempt attempt = handshake_failed(failure);
        EXPECT_EQ(attempt.code, row.code);
        EXPECT_EQ(attempt.ends_with, Code::tls_failed);
        EXPECT_EQ(attempt.proxy_error, ProxyError::tls_protocol_error);
    }
    HandshakeFailure alert;
    alert.alert_received = true;
    EXPECT_EQ(handshake_failed(alert).code, AttemptCode::TLS_ALERT);
    EXPECT_EQ(handshake_failed(alert).proxy_error, ProxyError::tls_alert_received);
}

}  // namespace
}  // namespace sworn::connect
