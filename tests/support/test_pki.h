// Certificates made in the test: an authority, and leaves that are right or wrong in one respect.
#pragma once

#include <openssl/ssl.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace sworn::test {

struct X509Free {
    void operator()(X509* x) const noexcept { X509_free(x); }
};
struct KeyFree {
    void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
struct ContextFree {
    void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
};
using X509Ptr = std::unique_ptr<X509, X509Free>;
using KeyPtr = std::unique_ptr<EVP_PKEY, KeyFree>;
using ContextPtr = std::unique_ptr<SSL_CTX, ContextFree>;

/// What a test does not set is right: valid now, P-256, SHA-256, server use, no names.
struct CertificateOptions {
    std::string common_name = "leaf";
    std::string alternative_names;  ///< As in openssl.cnf: "DNS:a.test,IP:127.0.0.1"
    std::string extended_use = "serverAuth";
    std::string name_constraints;  ///< "permitted;DNS:.example.test"
    int from_days = -1, to_days = 30;
    bool authority = false;
    int path_length = -1;   ///< Of an authority; -1: no limit.
    unsigned rsa_bits = 0;  ///< 0: P-256.
    bool sha1 = false;
};

struct Identity {
    X509Ptr certificate;
    KeyPtr key;
};

/// Signed by `issuer`; by itself where `issuer` is null.
[[nodiscard]] Identity make_identity(const CertificateOptions& options, const Identity* issuer);
[[nodiscard]] Identity make_authority(const std::string& name);

/// Writes certificates as PEM, and a list that revokes `revoked` where that is given.
void write_trust(const std::filesystem::path& file, const Identity& authority,
                 const Identity* revoked = nullptr);

/// A server that shows `leaf` and `chain`.
[[nodiscard]] ContextPtr server_context(const Identity& leaf,
                                        const std::vector<const Identity*>& chain = {});
/// "sha256/BASE64" of the public key.
[[nodiscard]] std::string pin_of(const Identity& identity);

}  // namespace sworn::test
