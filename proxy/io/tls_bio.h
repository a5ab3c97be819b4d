// A BIO over a socket that never blocks, never raises SIGPIPE, and remembers how the transport
// ended: OpenSSL's own error queue cannot tell a FIN from a reset reliably.
#pragma once

#include <openssl/bio.h>

#include <string>

namespace sworn::io {

/// What the BIO and its stream share. Must outlive the SSL that uses the BIO.
struct SocketBioState {
    int descriptor = -1;
    std::string ahead{};  ///< Bytes that were read before TLS began; they come first.
    std::size_t ahead_taken = 0;
    bool fin_seen = false;
    int error = 0;  ///< The last errno that was not "try again".
};

/// Freed by SSL_free(). Never null: an allocation failure aborts.
[[nodiscard]] BIO* make_socket_bio(SocketBioState& state);

}  // namespace sworn::io
