#include "proxy/cli/authority.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace sworn::cli {

namespace {

template <class T, void (*free_one)(T*)>
struct Free {
    void operator()(T* one) const noexcept { free_one(one); }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509, X509_free>>;
using Memory = std::unique_ptr<BIO, Free<BIO, BIO_free_all>>;

constexpr long validity_seconds = 10L * 365 * 24 * 3600;

/// What was written to it; lives as long as it does.
std::string_view text_of(BIO* memory) {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(memory, &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

bool add_extension(X509* certificate, int kind, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value);
    if (extension == nullptr) return false;
    const bool added = X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return added;
}

bool set_serial(X509* certificate) {
    unsigned char bytes[16];
    if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
    bytes[0] &= 0x7f;
    BIGNUM* number = BN_bin2bn(bytes, sizeof bytes, nullptr);
    const bool set = BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr;
    BN_free(number);
    return set;
}

Certificate self_signed(EVP_PKEY* key) {
    Certificate certificate{X509_new()};
    char host[256] = "localhost";
    ::gethostname(host, sizeof host - 1);
    const std::string name = "Sworn local CA " + std::string{host};
    X509_set_version(certificate.get(), X509_VERSION_3);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -300);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), validity_seconds);
    X509_set_pubkey(certificate.get(), key);
    X509_NAME* subject = X509_get_subject_name(certificate.get());
    const auto cut = name.substr(0, 64);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(cut.data()),
                               static_cast<int>(cut.size()), -1, 0);
    X509_set_issuer_name(certificate.get(), subject);
    const bool made =
        set_serial(certificate.get()) &&
        add_extension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
        add_extension(certificate.get(), NID_key_usage, "critical,keyCertSign,cRLSign") &&
        add_extension(certificate.get(), NID_subject_key_identifier, "hash") &&
        X509_sign(certificate.get(), key, EVP_sha256()) > 0;
    return made ? std::move(certificate) : nullptr;
}

std::string time_text(const ASN1_TIME* time) {
    Memory memory{BIO_new(BIO_s_mem())};
    ASN1_TIME_print(memory.get(), time);
    return std::string{text_of(memory.get())};
}

}  // namespace

Result<Done, AuthorityError> write_new_file(const std::filesystem::path& path,
                                            std::string_view content) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return AuthorityError{errno == EEXIST
                                  ? path.string() + " is there already; nothing was overwritten"
                                  : "cannot write " + path.string() + ": " + std::strerror(errno)};
    }
    const auto written = ::write(file, content.data(), content.size());
    const bool synced = ::fsync(file) == 0;
    ::close(file);
    if (written != static_cast<ssize_t>(content.size()) || !synced) {
        return AuthorityError{"cannot write " + path.string() + " whole"};
    }
    return Done{};
}

Result<Done, AuthorityError> make_authority(const std::filesystem::path& directory) {
    for (const char* name : {"ca.pem", "ca.key"}) {
        std::error_code hidden;
        if (std::filesystem::exists(std::filesystem::symlink_status(directory / name, hidden))) {
            return AuthorityError{(directory / name).string() +
                                  " is there already; nothing was overwritten"};
        }
    }
    const Key key{EVP_EC_gen("P-256")};
    const Certificate certificate = key ? self_signed(key.get()) : nullptr;
    if (!certificate) return AuthorityError{"the certificate authority could not be made"};
    Memory key_text{BIO_new(BIO_s_secmem())};
    Memory certificate_text{BIO_new(BIO_s_mem())};
    PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    PEM_write_bio_X509(certificate_text.get(), certificate.get());
    if (auto done = write_new_file(directory / "ca.key", text_of(key_text.get())); !done) {
        return done.error();
    }
    return write_new_file(directory / "ca.pem", text_of(certificate_text.get()));
}

Result<AuthorityInfo, AuthorityError> read_authority(const std::filesystem::path& certificate) {
    Memory file{BIO_new_file(certificate.c_str(), "r")};
    Certificate read{file ? PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr) : nullptr};
    if (!read) {
        return AuthorityError{certificate.string() + " is no readable PEM certificate"};
    }
    AuthorityInfo info;
    Memory name{BIO_new(BIO_s_mem())};
    X509_NAME_print_ex(name.get(), X509_get_subject_name(read.get()), 0, XN_FLAG_RFC2253);
    info.subject = text_of(name.get());
    info.not_before = time_text(X509_get0_notBefore(read.get()));
    info.not_after = time_text(X509_get0_notAfter(read.get()));
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    X509_digest(read.get(), EVP_sha256(), digest, &size);
    for (unsigned i = 0; i < size; ++i) {
        char pair[3];
        std::snprintf(pair, sizeof pair, "%02x", digest[i]);
        info.sha256 += pair;
    }
    return info;
}

}  // namespace sworn::cli
