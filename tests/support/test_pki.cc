#include "tests/support/test_pki.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>

namespace sworn::test {
namespace {

void must(bool condition) {
    if (!condition) std::abort();
}

void add_extension(X509* certificate, const X509* issuer, int nid, const std::string& value) {
    if (value.empty()) return;
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, const_cast<X509*>(issuer), certificate, nullptr, nullptr, 0);
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
    must(extension != nullptr);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

void set_name(X509* certificate, const std::string& common_name) {
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                               0);
}

std::string basic_constraints(const CertificateOptions& options) {
    if (!options.authority) return "critical,CA:FALSE";
    if (options.path_length < 0) return "critical,CA:TRUE";
    return "critical,CA:TRUE,pathlen:" + std::to_string(options.path_length);
}

}  // namespace

Identity make_identity(const CertificateOptions& options, const Identity* issuer) {
    static long serial = 1'000;
    Identity made;
    made.key.reset(options.rsa_bits == 0 ? EVP_EC_gen("P-256") : EVP_RSA_gen(options.rsa_bits));
    made.certificate.reset(X509_new());
    X509* const certificate = made.certificate.get();
    must(made.key != nullptr);
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 86'400L * options.from_days);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86'400L * options.to_days);
    set_name(certificate, options.common_name);
    X509* const by = issuer != nullptr ? issuer->certificate.get() : certificate;
    X509_set_issuer_name(certificate, X509_get_subject_name(by));
    X509_set_pubkey(certificate, made.key.get());
    add_extension(certificate, by, NID_basic_constraints, basic_constraints(options));
    add_extension(certificate, by, NID_key_usage,
                  options.authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature");
    if (!options.authority) add_extension(certificate, by, NID_ext_key_usage, options.extended_use);
    add_extension(certificate, by, NID_subject_alt_name, options.alternative_names);
    add_extension(certificate, by, NID_name_constraints, options.name_constraints);
    EVP_PKEY* const signer = issuer != nullptr ? issuer->key.get() : made.key.get();
    must(X509_sign(certificate, signer, options.sha1 ? EVP_sha1() : EVP_sha256()) > 0);
    return made;
}

Identity make_authority(const std::string& name) {
    CertificateOptions options;
    options.common_name = name;
    options.authority = true;
    return make_identity(options, nullptr);
}

void write_trust(const std::filesystem::path& file, const Identity& authority,
                 const Identity* revoked) {
    std::FILE* const out = std::fopen(file.c_str(), "w");
    must(out != nullptr);
    PEM_write_X509(out, authority.certificate.get());
    if (revoked != nullptr) {
        X509_CRL* const list = X509_CRL_new();
        X509_CRL_set_version(list, 1);
        X509_CRL_set_issuer_name(list, X509_get_subject_name(authority.certificate.get()));
        ASN1_TIME* const time = ASN1_TIME_new();
        X509_gmtime_adj(time, -60);
        X509_CRL_set1_lastUpdate(list, time);
        X509_gmtime_adj(time, 86'400);
        X509_CRL_set1_nextUpdate(list, time);
        X509_REVOKED* const entry = X509_REVOKED_new();
        X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(revoked->certificate.get()));
        X509_gmtime_adj(time, -60);
        X509_REVOKED_set_revocationDate(entry, time);
        X509_CRL_add0_revoked(list, entry);
        must(X509_CRL_sign(list, authority.key.get(), EVP_sha256()) > 0);
        PEM_write_X509_CRL(out, list);
        ASN1_TIME_free(time);
        X509_CRL_free(list);
    }
    std::fclose(out);
}

ContextPtr server_context(const Identity& leaf, const std::vector<const Identity*>& chain) {
    ContextPtr context{SSL_CTX_new(TLS_server_method())};
    // The client is what is tested: the server shows whatever it is given.
    SSL_CTX_set_security_level(context.get(), 0);
    must(SSL_CTX_use_certificate(context.get(), leaf.certificate.get()) == 1);
    must(SSL_CTX_use_PrivateKey(context.get(), leaf.key.get()) == 1);
    for (const Identity* link : chain)
        SSL_CTX_add1_chain_cert(context.get(), link->certificate.get());
    return context;
}

std::string pin_of(const Identity& identity) {
    unsigned char* bytes = nullptr;
    const int size = i2d_PUBKEY(identity.key.get(), &bytes);
    must(size > 0);
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(bytes, static_cast<std::size_t>(size), digest);
    OPENSSL_free(bytes);
    unsigned char text[64];
    const int length = EVP_EncodeBlock(text, digest, sizeof digest);
    return "sha256/" + std::string{reinterpret_cast<char*>(text), static_cast<std::size_t>(length)};
}

}  // namespace sworn::test
