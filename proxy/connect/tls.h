// TLS towards the target: TLS 1.2 or later, the peer verified against the configured roots and the
// very name (RFC 9525: subject alternative names only, no partial wildcards), SNI, ALPN http/1.1,
// no resumption, no renegotiation. Certificate revocation lists in the CA file are honoured.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "proxy/io/tls_stream.h"

namespace sworn::connect {

struct SslContextFree {
    void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
};
using SslContextPtr = std::unique_ptr<SSL_CTX, SslContextFree>;

/// Contexts by CA file. A file that changed is read again; one that cannot be read trusts nobody.
class TlsClient {
public:
    /// A client session for `host` (a name or an address literal), ready for the handshake. `ca`
    /// empty: the system's roots. Null: the CA file holds no certificate that can be read.
    [[nodiscard]] io::SslPtr session(const std::string& host, const std::filesystem::path& ca);

private:
    struct Entry {
        SslContextPtr context;
        std::filesystem::file_time_type changed{};
    };
    std::map<std::filesystem::path, Entry> entries_;
};

/// The name as it is verified and sent: without the root's dot.
[[nodiscard]] std::string verified_name(const std::string& host);
/// Whether the leaf's public key is one of `pins` ("sha256/BASE64" of the SPKI). None: true.
[[nodiscard]] bool pin_matches(SSL* ssl, std::span<const std::string> pins);
/// Hex of the SHA-256 of the leaf certificate.
[[nodiscard]] std::string leaf_sha256(SSL* ssl);

}  // namespace sworn::connect
