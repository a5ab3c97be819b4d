#include "proxy/connect/failure.h"

#include <openssl/x509_vfy.h>

#include <cerrno>

namespace sworn::connect {
namespace {

Attempt failed(Stage stage, AttemptCode code, Code ends_with, ProxyError proxy_error) {
    Attempt attempt;
    attempt.stage = stage;
    attempt.code = code;
    attempt.ends_with = ends_with;
    attempt.proxy_error = proxy_error;
    return attempt;
}

AttemptCode certificate_code(long verify_result) noexcept {
    switch (verify_result) {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return AttemptCode::CERT_EXPIRED;
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return AttemptCode::CERT_NOT_YET_VALID;
        case X509_V_ERR_CERT_REVOKED:
            return AttemptCode::CERT_REVOKED;
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            return AttemptCode::CERT_HOST_MISMATCH;
        default:
            return AttemptCode::CERT_UNTRUSTED;
    }
}

AttemptCode handshake_code(io::IoEnd end) noexcept {
    switch (end) {
        case io::IoEnd::timed_out:
            return AttemptCode::ETIMEDOUT_;
        case io::IoEnd::eof:
        case io::IoEnd::truncated:
        case io::IoEnd::reset:
        case io::IoEnd::cancelled:
        case io::IoEnd::failed:
            return AttemptCode::ECONNRESET_;
        case io::IoEnd::tls_failure:
        case io::IoEnd::ok:
            return AttemptCode::TLS_PROTOCOL;
    }
    return AttemptCode::TLS_PROTOCOL;
}

}  // namespace

Attempt resolution_failed(const Resolution& resolution) {
    const bool timeout = resolution.failure == AttemptCode::DNS_TIMEOUT;
    Attempt attempt =
        failed(Stage::name_resolution, resolution.failure, Code::name_resolution_failed,
               timeout ? ProxyError::dns_timeout : ProxyError::dns_error);
    attempt.rcode = resolution.rcode;
    return attempt;
}

Attempt address_refused(Verdict why) {
    return failed(Stage::address_policy, AttemptCode::ADDRESS_FORBIDDEN, Code::address_forbidden,
                  why == Verdict::own_listener ? ProxyError::proxy_loop_detected
                                               : ProxyError::destination_ip_prohibited);
}

Attempt connect_failed(int error) {
    const auto attempt = [](AttemptCode code, ProxyError proxy_error) {
        return failed(Stage::tcp_connect, code, Code::connection_failed, proxy_error);
    };
    switch (error) {
        case ECONNREFUSED:
            return attempt(AttemptCode::ECONNREFUSED_, ProxyError::connection_refused);
        case ECONNRESET:
        case ECONNABORTED:
        case EPIPE:
            return attempt(AttemptCode::ECONNRESET_, ProxyError::connection_refused);
        case ETIMEDOUT:
            return attempt(AttemptCode::ETIMEDOUT_, ProxyError::connection_timeout);
        case ENETUNREACH:
        case ENETDOWN:
        case EAFNOSUPPORT:
        case EADDRNOTAVAIL:
        case EACCES:
        case EPERM:
            return attempt(AttemptCode::ENETUNREACH_, ProxyError::destination_ip_unroutable);
        default:
            return attempt(AttemptCode::EHOSTUNREACH_, ProxyError::destination_ip_unroutable);
    }
}

Attempt handshake_failed(const HandshakeFailure& failure) {
    if (failure.pin_mismatch || failure.verify_result != X509_V_OK) {
        const AttemptCode code = failure.pin_mismatch ? AttemptCode::CERT_PIN_MISMATCH
                                                      : certificate_code(failure.verify_result);
        return failed(Stage::tls_handshake, code, Code::peer_identity_mismatch,
                      ProxyError::tls_certificate_error);
    }
    if (failure.alert_received) {
        return failed(Stage::tls_handshake, AttemptCode::TLS_ALERT, Code::tls_failed,
                      ProxyError::tls_alert_received);
    }
    return failed(Stage::tls_handshake, handshake_code(failure.end), Code::tls_failed,
                  ProxyError::tls_protocol_error);
}

}  // namespace sworn::connect
