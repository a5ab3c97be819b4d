#include "proxy/connect/tls.h"

#include <boost/asio/ip/address.hpp>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "common/assert.h"
#include "common/digest.h"

namespace sworn::connect {
namespace {

constexpr std::string_view alpn_http11{"\x08http/1.1"};
/// 112 bits: refuses RSA-1024 keys and SHA-1 signatures anywhere in the chain.
constexpr int security_level = 2;

bool holds_revocations(X509_STORE* store) {
    const STACK_OF(X509_OBJECT)* const objects = X509_STORE_get0_objects(store);
    for (int i = 0; i < sk_X509_OBJECT_num(objects); ++i) {
        if (X509_OBJECT_get_type(sk_X509_OBJECT_value(objects, i)) == X509_LU_CRL) return true;
    }
    return false;
}

bool load_roots(SSL_CTX* context, const std::filesystem::path& ca) {
    if (ca.empty()) return SSL_CTX_set_default_verify_paths(context) == 1;
    if (SSL_CTX_load_verify_file(context, ca.c_str()) != 1) return false;
    X509_STORE* const store = SSL_CTX_get_cert_store(context);
    if (holds_revocations(store)) X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
    return true;
}

SslContextPtr make_context(const std::filesystem::path& ca) {
    SslContextPtr context{SSL_CTX_new(TLS_client_method())};
    SWORN_ASSERT(context != nullptr);
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_security_level(context.get(), security_level);
    SSL_CTX_set_options(context.get(),
                        SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    const bool loaded = load_roots(context.get(), ca);
    ERR_clear_error();
    if (!loaded) context.reset();
    return context;
}

/// Binds the session to the one name that its peer has to prove.
bool expect_peer(SSL* ssl, const std::string& name) {
    SSL_set_hostflags(ssl,
                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    boost::system::error_code not_an_address;
    const auto address = boost::asio::ip::make_address(name, not_an_address);
    if (!not_an_address) {
        // RFC 6066: an address is no server name.
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), address.to_string().c_str()) == 1;
    }
    return SSL_set1_host(ssl, name.c_str()) == 1 &&
           SSL_set_tlsext_host_name(ssl, name.c_str()) == 1;
}

std::string base64(const Digest& digest) {
    std::array<unsigned char, 64> text{};
    const int size =
        EVP_EncodeBlock(text.data(), digest.bytes.data(), static_cast<int>(digest.bytes.size()));
    return {reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(size)};
}

template <class Object, class Encode>
std::string der(Object* object, Encode encode) {
    unsigned char* bytes = nullptr;
    const int size = encode(object, &bytes);
    if (size <= 0) return {};
    std::string out{reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)};
    OPENSSL_free(bytes);
    return out;
}

}  // namespace

io::SslPtr TlsClient::session(const std::string& host, const std::filesystem::path& ca) {
    std::error_code unreadable;
    std::filesystem::file_time_type changed{};
    if (!ca.empty()) changed = std::filesystem::last_write_time(ca, unreadable);
    if (unreadable) return nullptr;
    Entry& entry = entries_[ca];
    if (!entry.context || entry.changed != changed) {
        entry.context = make_context(ca);
        entry.changed = changed;
    }
    if (!entry.context) return nullptr;
    io::SslPtr ssl{SSL_new(entry.context.get())};
    SWORN_ASSERT(ssl != nullptr);
    if (!expect_peer(ssl.get(), verified_name(host))) return nullptr;
    const auto* const protocols = reinterpret_cast<const unsigned char*>(alpn_http11.data());
    SSL_set_alpn_protos(ssl.get(), protocols, static_cast<unsigned>(alpn_http11.size()));
    SSL_set_connect_state(ssl.get());
    return ssl;
}

std::string verified_name(const std::string& host) {
    const bool rooted = host.size() > 1 && host.back() == '.';
    return rooted ? host.substr(0, host.size() - 1) : host;
}

bool pin_matches(SSL* ssl, std::span<const std::string> pins) {
    if (pins.empty()) return true;
    X509* const leaf = SSL_get0_peer_certificate(ssl);
    if (leaf == nullptr) return false;
    const std::string key = der(X509_get_X509_PUBKEY(leaf), i2d_X509_PUBKEY);
    if (key.empty()) return false;
    return std::ranges::find(pins, "sha256/" + base64(sha256(key))) != pins.end();
}

std::string leaf_sha256(SSL* ssl) {
    X509* const leaf = SSL_get0_peer_certificate(ssl);
    SWORN_ASSERT(leaf != nullptr);
    constexpr std::string_view prefix{"sha256:"};
    return sha256(der(leaf, i2d_X509)).text().substr(prefix.size());
}

}  // namespace sworn::connect
