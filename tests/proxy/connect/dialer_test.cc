#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <sys/socket.h>

#include "tests/proxy/connect/dialer_fixture.h"
#include "tests/support/stub_dns.h"

namespace sworn::connect {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;
using test::ClosedPort;
using test::Listener;

TEST(Dialer, ConnectsInClearAndVerifiesNobody) {
    Listener listener;
    Dialling dialling;
    const Dialled got = dialling.dial(Dialling::clear_origin(listener.port()));
    ASSERT_TRUE(got.connection);
    EXPECT_TRUE(got.attempts.empty());
    EXPECT_TRUE(got.connection->id.starts_with("c-"));
    EXPECT_EQ(got.connection->address, "127.0.0.1:" + std::to_string(listener.port()));
    EXPECT_FALSE(got.connection->reused);
    EXPECT_FALSE(got.connection->peer.verified);
    EXPECT_EQ(got.connection->peer.sha256, "");
    EXPECT_TRUE(Dialer::fit(*got.connection));
    EXPECT_EQ(dialling.dialer.counts().active, 1U);
}

TEST(Dialer, IdsAreNeverGivenTwice) {
    Listener listener;
    Dialling one, two;
    const Dialled first = one.dial(Dialling::clear_origin(listener.port()));
    const Dialled second = two.dial(Dialling::clear_origin(listener.port()));
    EXPECT_NE(first.connection->id, second.connection->id);
}

TEST(Dialer, ARefusedPortIsToldAsThat) {
    ClosedPort closed;
    Dialling dialling;
    const Dialled got = dialling.dial(Dialling::clear_origin(closed.port()));
    EXPECT_FALSE(got.connection);
    ASSERT_EQ(got.attempts.size(), 1U);
    EXPECT_EQ(got.attempts[0].stage, Stage::tcp_connect);
    EXPECT_EQ(got.attempts[0].code, AttemptCode::ECONNREFUSED_);
    EXPECT_EQ(got.attempts[0].ends_with, Code::connection_failed);
    EXPECT_EQ(got.attempts[0].address, "127.0.0.1:" + std::to_string(closed.port()));
}

/// A listener whose queue is full: the kernel drops further SYNs, as a black hole does.
class BlackHole {
public:
    explicit BlackHole(Listener& listener) {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(listener.port());
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        for (int i = 0; i < 8; ++i) {
            const int filler = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
            static_cast<void>(::connect(filler, reinterpret_cast<sockaddr*>(&to), sizeof to));
            fillers_.emplace_back(filler);
        }
    }

private:
    std::vector<test::FarEnd> fillers_;
};

TEST(Dialer, ASilentAddressTimesOutAndTheNextOneIsTried) {
    Listener full{"127.0.0.1", 0};
    const BlackHole hole{full};
    Dialling dialling{loopback_network({"127.0.0.3", "127.0.0.1", "127.0.0.2"})};
    dialling.timeouts.connect = 100ms;
    const Dialled got = dialling.dial(Dialling::clear_origin(full.port()));
    EXPECT_FALSE(got.connection);
    ASSERT_EQ(got.attempts.size(), 3U);
    EXPECT_EQ(got.attempts[0].code, AttemptCode::ECONNREFUSED_);
    EXPECT_EQ(got.attempts[1].code, AttemptCode::ETIMEDOUT_);
    EXPECT_EQ(got.attempts[1].ends_with, Code::connection_failed);
    EXPECT_EQ(got.attempts[1].proxy_error, ProxyError::connection_timeout);
    EXPECT_GE(got.attempts[1].elapsed, 100ms);
    EXPECT_EQ(got.attempts[2].code, AttemptCode::ECONNREFUSED_);
}

TEST(Dialer, TriesEveryAddressAndReportsEachFailure) {
    Listener listener;
    Dialling dialling{loopback_network({"127.0.0.2", "127.0.0.3", "127.0.0.1"})};
    const Dialled got = dialling.dial(Dialling::clear_origin(listener.port()));
    ASSERT_TRUE(got.connection);
    ASSERT_EQ(got.attempts.size(), 2U);
    EXPECT_TRUE(got.attempts[0].address.starts_with("127.0.0.2:"));
    EXPECT_TRUE(got.attempts[1].address.starts_with("127.0.0.3:"));
    EXPECT_TRUE(got.connection->address.starts_with("127.0.0.1:"));
}

TEST(Dialer, TheBudgetBoundsTheDialsNotTheAddressesThatAreNeverDialled) {
    Listener listener;
    Dialling dialling{loopback_network({"10.0.0.1", "127.0.0.2", "10.0.0.2", "127.0.0.1"})};
    const auto origin = Dialling::clear_origin(listener.port());
    EXPECT_TRUE(dialling.dial(origin, 2).connection);
    const Dialled one = dialling.dial(origin, 1);
    EXPECT_FALSE(one.connection);
    ASSERT_EQ(one.attempts.size(), 3U);
    EXPECT_EQ(one.attempts[0].code, AttemptCode::ADDRESS_FORBIDDEN);
    EXPECT_EQ(one.attempts[1].code, AttemptCode::ECONNREFUSED_);
    EXPECT_EQ(one.attempts[2].code, AttemptCode::ADDRESS_FORBIDDEN);
    EXPECT_EQ(dialling.dial(origin, 0).attempts.size(), 3U) << "one dial is always made";
}

TEST(Dialer, AForbiddenAddressIsAnAttemptAndIsNeverDialled) {
    Listener listener;
    config::Network network;
    network.resolve["api.example.test"] = {"127.0.0.1", "::ffff:127.0.0.1", "::1"};
    Dialling dialling{network};
    const Dialled got = dialling.dial(Dialling::clear_origin(listener.port()));
    EXPECT_FALSE(got.connection);
    ASSERT_EQ(got.attempts.size(), 3U);
    for (const auto& attempt : got.attempts) {
        EXPECT_EQ(attempt.stage, Stage::address_policy);
        EXPECT_EQ(attempt.code, AttemptCode::ADDRESS_FORBIDDEN);
        EXPECT_EQ(attempt.ends_with, Code::address_forbidden);
        EXPECT_EQ(attempt.proxy_error, ProxyError::destination_ip_prohibited);
    }
    EXPECT_FALSE(listener.has_caller());
}

TEST(Dialer, NeverDialsItsOwnListeners) {
    Listener listener;
    const tcp::endpoint wildcard{boost::asio::ip::address_v4::any(), listener.port()};
    Dialling dialling{loopback_network({"127.0.0.1"}), {}, {wildcard}};
    const Dialled got = dialling.dial(Dialling::clear_origin(listener.port()));
    EXPECT_FALSE(got.connection);
    ASSERT_EQ(got.attempts.size(), 1U);
    EXPECT_EQ(got.attempts[0].ends_with, Code::address_forbidden);
    EXPECT_EQ(got.attempts[0].proxy_error, ProxyError::proxy_loop_detected);
    EXPECT_FALSE(listener.has_caller());
}

TEST(Dialer, AFailedResolutionIsOneAttemptWithItsCode) {
    const struct {
        const char* name;
        std::optional<unsigned> rcode;
        AttemptCode code;
        ProxyError proxy_error;
        const char* text;
    } rows[] = {
        {"NXDOMAIN", 3, AttemptCode::NXDOMAIN, ProxyError::dns_error, "NXDOMAIN"},
        {"SERVFAIL", 2, AttemptCode::DNS_FAILED, ProxyError::dns_error, "SERVFAIL"},
        {"silence", std::nullopt, AttemptCode::DNS_TIMEOUT, ProxyError::dns_timeout, ""},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        test::StubDns dns{[&row](const test::DnsQuestion& q) -> std::optional<std::string> {
            if (!row.rcode) return std::nullopt;
            return test::DnsReply{q, *row.rcode}.bytes();
        }};
        config::Network network;
        network.nameservers = {dns.server()};
        Dialling dialling{network};
        dialling.timeouts.resolve = 150ms;
        const Dialled got = dialling.dial(Dialling::clear_origin(443));
        EXPECT_FALSE(got.connection);
        ASSERT_EQ(got.attempts.size(), 1U);
        EXPECT_EQ(got.attempts[0].stage, Stage::name_resolution);
        EXPECT_EQ(got.attempts[0].code, row.code);
        EXPECT_EQ(got.attempts[0].ends_with, Code::name_resolution_failed);
        EXPECT_EQ(got.attempts[0].proxy_error, row.proxy_error);
        EXPECT_EQ(got.attempts[0].rcode, row.text);
        EXPECT_EQ(got.attempts[0].address, "");
    }
}

TEST(Dialer, ANameThatTurnsPrivateIsJudgedOnEveryResolution) {
    Listener listener;
    std::atomic<int> asked{0};
    test::StubDns dns{[&asked](const test::DnsQuestion& q) -> std::optional<std::string> {
        if (q.type != 1) return test::DnsReply{q}.bytes();
        return test::DnsReply{q}.a(q.name, ++asked == 1 ? "127.0.0.1" : "10.0.0.1").bytes();
    }};
    config::Network network = loopback_network({});
    network.resolve.clear();
    network.nameservers = {dns.server()};
    Dialling dialling{network};
    const auto origin = Dialling::clear_origin(listener.port());
    EXPECT_TRUE(dialling.dial(origin).connection);
    const Dialled second = dialling.dial(origin);
    EXPECT_FALSE(second.connection);
    ASSERT_EQ(second.attempts.size(), 1U);
    EXPECT_EQ(second.attempts[0].code, AttemptCode::ADDRESS_FORBIDDEN);
    EXPECT_EQ(asked, 2) << "one question per family and resolution";
}

}  // namespace
}  // namespace sworn::connect
