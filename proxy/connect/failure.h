// From what went wrong to the closed lists of docs/contract.md section 3. Pure.
#pragma once

#include <chrono>
#include <string>

#include "proxy/connect/address_policy.h"
#include "proxy/connect/dialer.h"
#include "proxy/connect/resolver.h"

namespace sworn::connect {

[[nodiscard]] Attempt resolution_failed(const Resolution& resolution);
/// A forbidden address is never dialled; one of our own listeners is a loop.
[[nodiscard]] Attempt address_refused(Verdict why);
/// An errno of connect(); ETIMEDOUT also for our own deadline.
[[nodiscard]] Attempt connect_failed(int error);

/// How a TLS handshake ended that did not end well.
struct HandshakeFailure {
    io::IoEnd end = io::IoEnd::tls_failure;
    bool alert_received = false;
    long verify_result = 0;  ///< An X509_V_ code; X509_V_OK if the certificate was not refused.
    bool pin_mismatch = false;
};
[[nodiscard]] Attempt handshake_failed(const HandshakeFailure& failure);

}  // namespace sworn::connect
