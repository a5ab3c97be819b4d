#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <ostream>
#include <string>
#include <vector>

#include "tests/proxy/connect/tls_fixture.h"

namespace sworn::connect {
namespace {

using namespace std::chrono_literals;

TEST_F(TlsDialling, VerifiesThePeerAndRecordsWhoItWas) {
    const Identity right = leaf();
    const auto context = test::server_context(right);
    const Dialled got = dial_against(context.get(), origin());
    ASSERT_TRUE(got.connection);
    EXPECT_TRUE(last.handshake);
    EXPECT_EQ(last.sni, "api.example.test");
    EXPECT_EQ(last.alpn, "http/1.1");
    EXPECT_TRUE(got.connection->peer.verified);
    EXPECT_EQ(got.connection->peer.name, "api.example.test");
    unsigned char digest[32];
    unsigned int size = 0;
    X509_digest(right.certificate.get(), EVP_sha256(), digest, &size);
    std::string hex;
    for (const unsigned char byte : digest) {
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    EXPECT_EQ(got.connection->peer.sha256, hex);
}

/// Named so that a failing row is found; everything else about the certificate is right.
struct Row {
    const char* name;
    CertificateOptions options;
    AttemptCode want;
    const char* host = "api.example.test";
};
void PrintTo(const Row& row, std::ostream* out) {
    *out << row.name;
}

CertificateOptions with(std::function<void(CertificateOptions&)> change) {
    CertificateOptions options;
    options.alternative_names = "DNS:api.example.test";
    change(options);
    return options;
}
CertificateOptions named(std::string names) {
    return with([&names](auto& o) { o.alternative_names = names; });
}

class RefusedCertificate : public TlsDialling, public testing::WithParamInterface<Row> {};

TEST_P(RefusedCertificate, IsAnIdentityMismatchBeforeAnyByte) {
    const Row& row = GetParam();
    const Identity wrong = test::make_identity(row.options, &authority);
    const auto context = test::server_context(wrong);
    Origin to = origin();
    to.host = row.host;
    expect_refused(dial_against(context.get(), to), row.want, Code::peer_identity_mismatch,
                   ProxyError::tls_certificate_error);
}

std::vector<Row> refused_rows() {
    using enum AttemptCode;
    return {
        {"Expired", with([](auto& o) { o.from_days = -9, o.to_days = -1; }), CERT_EXPIRED},
        {"NotYetValid", with([](auto& o) { o.from_days = 1, o.to_days = 9; }), CERT_NOT_YET_VALID},
        {"WrongHost", named("DNS:other.example.test"), CERT_HOST_MISMATCH},
        {"CommonNameOnly", with([](auto& o) {
             o.alternative_names.clear();
             o.common_name = "api.example.test";
         }),
         CERT_HOST_MISMATCH},
        {"PartialWildcard", named("DNS:a*.example.test"), CERT_HOST_MISMATCH},
        {"BareWildcard", named("DNS:*"), CERT_HOST_MISMATCH},
        {"WildcardForTwoLabels", named("DNS:*.example.test"), CERT_HOST_MISMATCH,
         "a.b.example.test"},
        {"WildcardForItsOwnDomain", named("DNS:*.example.test"), CERT_HOST_MISMATCH,
         "example.test"},
        {"SuffixOnly", named("DNS:example.test"), CERT_HOST_MISMATCH},
        {"AddressNamedAsDns", named("DNS:127.0.0.1"), CERT_HOST_MISMATCH, "127.0.0.1"},
        {"ClientUseOnly", with([](auto& o) { o.extended_use = "clientAuth"; }), CERT_UNTRUSTED},
        {"Rsa1024", with([](auto& o) { o.rsa_bits = 1024; }), CERT_UNTRUSTED},
        {"Sha1", with([](auto& o) { o.sha1 = true; }), CERT_UNTRUSTED},
    };
}
INSTANTIATE_TEST_SUITE_P(Table, RefusedCertificate, testing::ValuesIn(refused_rows()),
                         [](const auto& param) { return std::string{param.param.name}; });

TEST_F(TlsDialling, AcceptsWildcardsForOneLabelAndAddressesNamedAsSuch) {
    const Identity wildcard = leaf(named("DNS:*.example.test"));
    EXPECT_TRUE(dial_against(test::server_context(wildcard).get(), origin()).connection);
    const Identity address = leaf(named("IP:127.0.0.1"));
    Origin literal = origin();
    literal.host = "127.0.0.1";
    const auto context = test::server_context(address);
    EXPECT_TRUE(dial_against(context.get(), literal).connection);
    EXPECT_EQ(last.sni, "") << "an address is no server name";
}

TEST_F(TlsDialling, TrustsOnlyTheGivenRoots) {
    const Identity self = test::make_identity(named("DNS:api.example.test"), nullptr);
    expect_refused(dial_against(test::server_context(self).get(), origin()),
                   AttemptCode::CERT_UNTRUSTED, Code::peer_identity_mismatch,
                   ProxyError::tls_certificate_error);
    const Identity other = test::make_authority("Other CA");
    const Identity stranger = test::make_identity(named("DNS:api.example.test"), &other);
    expect_refused(dial_against(test::server_context(stranger, {&other}).get(), origin()),
                   AttemptCode::CERT_UNTRUSTED, Code::peer_identity_mismatch,
                   ProxyError::tls_certificate_error);
    Origin system = origin();
    system.ca.clear();
    const Identity right = leaf();
    expect_refused(dial_against(test::server_context(right).get(), system),
                   AttemptCode::CERT_UNTRUSTED, Code::peer_identity_mismatch,
                   ProxyError::tls_certificate_error);
}

TEST_F(TlsDialling, FollowsAChainButNotThroughALeafALimitOrAConstraint) {
    const auto authority_with = [this](auto change) {
        CertificateOptions options;
        options.common_name = "Intermediate";
        options.authority = true;
        change(options);
        return test::make_identity(options, &authority);
    };
    const Identity good = authority_with([](auto&) {});
    const Identity under_good = test::make_identity(named("DNS:api.example.test"), &good);
    EXPECT_TRUE(dial_against(test::server_context(under_good, {&good}).get(), origin()).connection);
    expect_refused(dial_against(test::server_context(under_good).get(), origin()),
                   AttemptCode::CERT_UNTRUSTED, Code::peer_identity_mismatch,
                   ProxyError::tls_certificate_error);

    const Identity no_authority = leaf();
    const Identity under_leaf = test::make_identity(named("DNS:api.example.test"), &no_authority);
    const Identity excluded =
        authority_with([](auto& o) { o.name_constraints = "permitted;DNS:.other.test"; });
    const Identity under_excluded = test::make_identity(named("DNS:api.example.test"), &excluded);
    const Identity last_one = authority_with([](auto& o) { o.path_length = 0; });
    CertificateOptions deeper;
    deeper.common_name = "Deeper";
    deeper.authority = true;
    const Identity too_deep = test::make_identity(deeper, &last_one);
    const Identity under_deep = test::make_identity(named("DNS:api.example.test"), &too_deep);
    const struct {
        const char* name;
        const Identity& server;
        std::vector<const Identity*> chain;
    } rows[] = {
        {"leaf as authority", under_leaf, {&no_authority}},
        {"name constraint", under_excluded, {&excluded}},
        {"path length", under_deep, {&too_deep, &last_one}},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        expect_refused(dial_against(test::server_context(row.server, row.chain).get(), origin()),
                       AttemptCode::CERT_UNTRUSTED, Code::peer_identity_mismatch,
                       ProxyError::tls_certificate_error);
    }
}

TEST_F(TlsDialling, ReadsTheTrustFileAgainWhenItChanges) {
    const Identity right = leaf();
    const auto context = test::server_context(right);
    EXPECT_TRUE(dial_against(context.get(), origin()).connection);
    test::write_trust(ca_file, authority, &right);
    std::filesystem::last_write_time(ca_file, std::filesystem::last_write_time(ca_file) + 1s);
    expect_refused(dial_against(context.get(), origin()), AttemptCode::CERT_REVOKED,
                   Code::peer_identity_mismatch, ProxyError::tls_certificate_error);
}

TEST_F(TlsDialling, ATrustFileThatCannotBeReadTrustsNobody) {
    Origin to = origin();
    to.ca = "/nonexistent/ca.pem";
    const Dialled got = dialling.dial(to, 1, Dialer::Reuse::never);
    expect_refused(got, AttemptCode::CERT_UNTRUSTED, Code::peer_identity_mismatch,
                   ProxyError::tls_certificate_error);
}

TEST_F(TlsDialling, APinIsCheckedBesideTheChain) {
    const Identity right = leaf(), other = leaf();
    const auto context = test::server_context(right);
    Origin to = origin();
    to.pins = {test::pin_of(other), test::pin_of(right)};
    EXPECT_TRUE(dial_against(context.get(), to).connection);
    to.pins = {test::pin_of(other)};
    expect_refused(dial_against(context.get(), to), AttemptCode::CERT_PIN_MISMATCH,
                   Code::peer_identity_mismatch, ProxyError::tls_certificate_error);
    const Identity stranger = test::make_identity(named("DNS:api.example.test"), nullptr);
    to.pins = {test::pin_of(stranger)};
    expect_refused(dial_against(test::server_context(stranger).get(), to),
                   AttemptCode::CERT_UNTRUSTED, Code::peer_identity_mismatch,
                   ProxyError::tls_certificate_error);
}

TEST_F(TlsDialling, NeverResumesASession) {
    const Identity right = leaf();
    const auto context = test::server_context(right);
    SSL_CTX_set_session_id_context(context.get(), reinterpret_cast<const unsigned char*>("t"), 1);
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(dial_against(context.get(), origin()).connection);
    EXPECT_EQ(SSL_CTX_sess_hits(context.get()), 0);
}

TEST_F(TlsDialling, TlsOneOneAndAlertsAreToldApartFromCertificates) {
    const Identity right = leaf();
    const auto old = test::server_context(right);
    SSL_CTX_set_max_proto_version(old.get(), TLS1_1_VERSION);
    expect_refused(dial_against(old.get(), origin()), AttemptCode::TLS_ALERT, Code::tls_failed,
                   ProxyError::tls_alert_received);
    const auto wants_certificate = test::server_context(right);
    SSL_CTX_set_max_proto_version(wants_certificate.get(), TLS1_2_VERSION);
    SSL_CTX_set_verify(wants_certificate.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                       nullptr);
    expect_refused(dial_against(wants_certificate.get(), origin()), AttemptCode::TLS_ALERT,
                   Code::tls_failed, ProxyError::tls_alert_received);
}

TEST_F(TlsDialling, AnAlertAfterTheHandshakeMakesTheConnectionUnfit) {
    const Identity right = leaf();
    const auto context = test::server_context(right);
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    auto served = std::async(std::launch::async, [&] { return serve(context.get()); });
    // On TLS 1.3 the client is done before the server missed its certificate.
    const Dialled got = dialling.dial(origin(), 1, Dialer::Reuse::never);
    ASSERT_TRUE(got.connection);
    EXPECT_FALSE(served.get().handshake);
    EXPECT_TRUE(test::run(dialling.thread, got.connection->stream->wait_readable()).ok());
    EXPECT_FALSE(Dialer::fit(*got.connection));
}

TEST_F(TlsDialling, WhatIsNoTlsServerFailsByItsOwnName) {
    const struct {
        const char* name;
        void (*act)(FarEnd&);
        AttemptCode want;
    } rows[] = {
        {"plain HTTP", [](FarEnd& far) { far.write("HTTP/1.1 400 Bad Request\r\n\r\n"); },
         AttemptCode::TLS_PROTOCOL},
        {"FIN", [](FarEnd& far) { far.fin(); }, AttemptCode::ECONNRESET_},
        {"RST", [](FarEnd& far) { far.reset(); }, AttemptCode::ECONNRESET_},
        {"fatal alert",
         [](FarEnd& far) {
             far.write(std::string_view{"\x15\x03\x03\x00\x02\x02\x28", 7});
         },
         AttemptCode::TLS_ALERT},
        {"silence", [](FarEnd&) {}, AttemptCode::ETIMEDOUT_},
    };
    dialling.timeouts.tls = 300ms;
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        auto served = std::async(std::launch::async, [&] {
            FarEnd far = listener.accept();
            EXPECT_EQ(far.read(3), std::string_view("\x16\x03\x01", 3)) << "a ClientHello";
            row.act(far);
            if (far.descriptor() >= 0) far.read_all();
        });
        const Dialled got = dialling.dial(origin(), 1, Dialer::Reuse::never);
        served.get();
        const auto error = row.want == AttemptCode::TLS_ALERT ? ProxyError::tls_alert_received
                                                              : ProxyError::tls_protocol_error;
        expect_refused(got, row.want, Code::tls_failed, error);
    }
}

TEST_F(TlsDialling, AFailedHandshakeIsFollowedByTheNextAddress) {
    // Both addresses lead to the one listener; the first connection meets no TLS.
    Listener wildcard{"0.0.0.0"};
    Dialling both{loopback_network({"127.0.0.2", "127.0.0.1"})};
    const Identity right = leaf();
    const auto context = test::server_context(right);
    auto served = std::async(std::launch::async, [&] {
        FarEnd first = wildcard.accept();
        first.write("no TLS here");
        first.read_all();
        FarEnd second = wildcard.accept();
        return second.accept_tls(context.get());
    });
    Origin to = origin();
    to.port = wildcard.port();
    const Dialled got = both.dial(to, 2);
    EXPECT_TRUE(served.get());
    ASSERT_TRUE(got.connection);
    ASSERT_EQ(got.attempts.size(), 1U);
    EXPECT_EQ(got.attempts[0].code, AttemptCode::TLS_PROTOCOL);
}

TEST_F(TlsDialling, AnIdleTlsConnectionIsFitThroughItsTicketsOnly) {
    const Identity right = leaf();
    const auto context = test::server_context(right);
    std::promise<void> go;
    auto served = std::async(std::launch::async, [&, told = go.get_future()]() mutable {
        FarEnd far = listener.accept();
        const bool done = far.accept_tls(context.get()) && far.read(1) == "x" && far.write("y");
        told.wait();
        far.close_notify();
        return done;
    });
    Dialled got = dialling.dial(origin(), 1, Dialer::Reuse::never);
    ASSERT_TRUE(got.connection);
    io::Stream& stream = *got.connection->stream;
    const std::vector<boost::asio::const_buffer> out{boost::asio::buffer("x", 1)};
    EXPECT_TRUE(test::run(dialling.thread, stream.write(out, 1s)).ok());
    char answer = 0;
    EXPECT_TRUE(
        test::run(dialling.thread, stream.read_some(boost::asio::buffer(&answer, 1), 1s)).ok());
    dialling.dialer.give_back(std::move(got.connection));
    EXPECT_EQ(dialling.dialer.counts().idle, 1U) << "tickets came before the answer";
    go.set_value();
    EXPECT_TRUE(served.get());
    EXPECT_TRUE(test::run(dialling.thread, stream.wait_readable()).ok());
    EXPECT_EQ(dialling.dialer.take_idle(origin()), nullptr);
}

}  // namespace
}  // namespace sworn::connect
