// A dialer against a blocking TLS server of one authority, for certificates right and wrong.
#pragma once

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <filesystem>
#include <future>
#include <string>
#include <unistd.h>

#include "tests/proxy/connect/dialer_fixture.h"
#include "tests/support/test_pki.h"

namespace sworn::connect {
using test::CertificateOptions;
using test::FarEnd;
using test::Identity;
using test::Listener;

/// What the blocking server of one connection saw.
struct Served {
    bool handshake = false;
    std::string received;  ///< Application bytes until the client closed.
    std::string sni, alpn;
};

inline int choose_alpn(SSL*, const unsigned char** out, unsigned char* size,
                       const unsigned char* in, unsigned int, void*) {
    *out = in + 1;
    *size = in[0];
    return SSL_TLSEXT_ERR_OK;
}

class TlsDialling : public testing::Test {
protected:
    TlsDialling() {
        ca_file = std::filesystem::temp_directory_path() /
                  ("sworn-connect-" + std::to_string(::getpid()) + ".pem");
        test::write_trust(ca_file, authority);
    }
    ~TlsDialling() override { std::filesystem::remove(ca_file); }

    [[nodiscard]] Origin origin() const {
        Origin to = Dialling::clear_origin(listener.port());
        to.tls = true;
        to.ca = ca_file;
        return to;
    }

    [[nodiscard]] Identity leaf(CertificateOptions options = {}) const {
        if (options.alternative_names.empty()) options.alternative_names = "DNS:api.example.test";
        return test::make_identity(options, &authority);
    }

    Served serve(SSL_CTX* context) {
        FarEnd far = listener.accept();
        Served out;
        SSL_CTX_set_alpn_select_cb(context, choose_alpn, nullptr);
        out.handshake = far.accept_tls(context);
        const char* const name = SSL_get_servername(far.ssl(), TLSEXT_NAMETYPE_host_name);
        if (name != nullptr) out.sni = name;
        const unsigned char* protocol = nullptr;
        unsigned int size = 0;
        SSL_get0_alpn_selected(far.ssl(), &protocol, &size);
        if (size > 0) out.alpn.assign(reinterpret_cast<const char*>(protocol), size);
        if (out.handshake) out.received = far.read_all();
        return out;
    }

    /// Dials once against a server with `context`, and ends the connection.
    Dialled dial_against(SSL_CTX* context, const Origin& to) {
        auto served = std::async(std::launch::async, [&] { return serve(context); });
        Dialled got = dialling.dial(to, 1, Dialer::Reuse::never);
        if (got.connection) got.connection->stream->close();
        last = served.get();
        return got;
    }

    void expect_refused(const Dialled& got, AttemptCode code, Code ends_with, ProxyError error) {
        EXPECT_FALSE(got.connection);
        ASSERT_EQ(got.attempts.size(), 1U);
        EXPECT_EQ(got.attempts[0].stage, Stage::tls_handshake);
        EXPECT_EQ(to_string(got.attempts[0].code), to_string(code));
        EXPECT_EQ(got.attempts[0].ends_with, ends_with);
        EXPECT_EQ(got.attempts[0].proxy_error, error);
        EXPECT_EQ(last.received, "");
    }

    Identity authority = test::make_authority("Test CA");
    std::filesystem::path ca_file;
    Listener listener;
    /// Every name that a test dials leads to the listener.
    static config::Network names() {
        config::Network network = loopback_network({"127.0.0.1"});
        for (const char* const name : {"example.test", "a.b.example.test"})
            network.resolve[name] = {"127.0.0.1"};
        return network;
    }
    Dialling dialling{names()};
    Served last;
};

}  // namespace sworn::connect
