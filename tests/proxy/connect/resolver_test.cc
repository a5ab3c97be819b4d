#include "proxy/connect/resolver.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/run_task.h"
#include "tests/support/stub_dns.h"

namespace sworn::connect {
namespace {

using namespace std::chrono_literals;
using test::DnsQuestion;
using test::DnsReply;
using test::StubDns;

constexpr std::uint16_t type_a = 1;
using Reply = std::optional<std::string>;

std::vector<std::string> texts(const Resolution& resolution) {
    std::vector<std::string> out;
    for (const auto& address : resolution.addresses)
        out.push_back(address.to_string());
    return out;
}

Resolution ask(const StubDns& dns, std::string name, std::chrono::milliseconds limit = 5s) {
    io::ThreadContext thread;
    config::Network network;
    network.nameservers = {dns.server()};
    Resolver resolver{thread, network};
    return test::run(thread, resolver.resolve(std::move(name), limit));
}

using Texts = std::vector<std::string>;

TEST(Resolver, MixesBothFamiliesInTheOrderOfTheAnswers) {
    StubDns dns{[](const DnsQuestion& q) -> Reply {
        DnsReply reply{q};
        if (q.type == type_a) return reply.a(q.name, "8.8.8.8").a(q.name, "10.0.0.1").bytes();
        return reply.aaaa(q.name, "2606::1")
            .aaaa(q.name, "2606::2")
            .aaaa(q.name, "2606::3")
            .bytes();
    }};
    const Resolution got = ask(dns, "API.Example.test.");
    EXPECT_EQ(texts(got), (Texts{"8.8.8.8", "2606::1", "10.0.0.1", "2606::2", "2606::3"}));
    EXPECT_EQ(dns.questions(), 2) << "one per family";
}

struct Failure {
    const char* name;
    std::optional<unsigned> rcode_a, rcode_aaaa;  ///< Nothing: silence.
    AttemptCode want;
    const char* rcode;
};

TEST(Resolver, KeepsTheResponseCodeOfAFailure) {
    const Failure rows[] = {
        {"NXDOMAIN", 3, 3, AttemptCode::NXDOMAIN, "NXDOMAIN"},
        {"SERVFAIL", 2, 2, AttemptCode::DNS_FAILED, "SERVFAIL"},
        {"REFUSED", 5, 5, AttemptCode::DNS_FAILED, "REFUSED"},
        {"no addresses", 0, 0, AttemptCode::DNS_FAILED, "NOERROR"},
        {"silence", std::nullopt, std::nullopt, AttemptCode::DNS_TIMEOUT, ""},
        {"no A, silence", 0, std::nullopt, AttemptCode::DNS_TIMEOUT, ""},
        {"NXDOMAIN, SERVFAIL", 3, 2, AttemptCode::NXDOMAIN, "NXDOMAIN"},
        {"no A, SERVFAIL", 0, 2, AttemptCode::DNS_FAILED, "SERVFAIL"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        StubDns dns{[&row](const DnsQuestion& q) -> Reply {
            const auto rcode = q.type == type_a ? row.rcode_a : row.rcode_aaaa;
            if (!rcode) return std::nullopt;
            return DnsReply{q, *rcode}.bytes();
        }};
        const Resolution got = ask(dns, "api.example.test", 300ms);
        EXPECT_TRUE(got.addresses.empty());
        EXPECT_EQ(got.failure, row.want);
        EXPECT_EQ(got.rcode, row.rcode);
    }
}

TEST(Resolver, AServerThatRefusesIsNotTheLastWordWhereThereIsAnother) {
    StubDns refuses{[](const DnsQuestion& q) -> Reply { return DnsReply{q, 5}.bytes(); }};
    StubDns knows{[](const DnsQuestion& q) -> Reply {
        if (q.type != type_a) return DnsReply{q}.bytes();
        return DnsReply{q}.a(q.name, "8.8.8.8").bytes();
    }};
    StubDns fails{[](const DnsQuestion& q) -> Reply { return DnsReply{q, 2}.bytes(); }};
    io::ThreadContext thread;
    config::Network network;
    network.nameservers = {refuses.server(), knows.server()};
    Resolver better{thread, network};
    EXPECT_EQ(texts(test::run(thread, better.resolve("api.example.test", 5s))), Texts{"8.8.8.8"});
    network.nameservers = {refuses.server(), fails.server()};
    Resolver no_better{thread, network};
    EXPECT_EQ(test::run(thread, no_better.resolve("api.example.test", 5s)).rcode, "REFUSED");
}

TEST(Resolver, ASilentFamilyDoesNotHoldUpTheOther) {
    StubDns dns{[](const DnsQuestion& q) -> Reply {
        if (q.type != type_a) return std::nullopt;
        return DnsReply{q}.a(q.name, "8.8.8.8").bytes();
    }};
    const auto from = std::chrono::steady_clock::now();
    EXPECT_EQ(texts(ask(dns, "api.example.test")), Texts{"8.8.8.8"});
    EXPECT_LT(std::chrono::steady_clock::now() - from, 3s);
}

TEST(Resolver, FollowsAChainOfAliasesInTheAnswer) {
    StubDns dns{[](const DnsQuestion& q) -> Reply {
        if (q.type != type_a) return DnsReply{q}.bytes();
        DnsReply reply{q};
        std::string owner = q.name;
        for (int i = 0; i < 10; ++i) {
            const std::string next = "c" + std::to_string(i) + ".example.test";
            reply.cname(owner, next);
            owner = next;
        }
        return reply.a(owner, "127.0.0.9").bytes();
    }};
    EXPECT_EQ(texts(ask(dns, "api.example.test")), Texts{"127.0.0.9"});
}

TEST(Resolver, AnAnswerForAnotherNameIsNone) {
    StubDns dns{[](const DnsQuestion& q) -> Reply {
        if (q.type != type_a) return DnsReply{q}.bytes();
        return DnsReply{q}.a("other.example.test", "8.8.8.8").bytes();
    }};
    EXPECT_TRUE(ask(dns, "api.example.test").addresses.empty());
}

TEST(Resolver, AsksAgainOverTcpWhenTheAnswerWasCut) {
    StubDns dns{[](const DnsQuestion& q) -> Reply {
        if (q.type != type_a) return DnsReply{q}.bytes();
        if (!q.tcp) return DnsReply{q}.truncated().bytes();
        return DnsReply{q}.a(q.name, "8.8.4.4").bytes();
    }};
    EXPECT_EQ(texts(ask(dns, "api.example.test")), Texts{"8.8.4.4"});
    EXPECT_EQ(dns.tcp_questions(), 1);
}

TEST(Resolver, BoundsTheNumberOfAddresses) {
    StubDns dns{[](const DnsQuestion& q) -> Reply {
        if (q.type != type_a) return DnsReply{q}.bytes();
        if (!q.tcp) return DnsReply{q}.truncated().bytes();
        DnsReply reply{q};
        for (int i = 0; i < 48; ++i)
            reply.a(q.name, "8.8.8." + std::to_string(i));
        return reply.bytes();
    }};
    EXPECT_EQ(ask(dns, "api.example.test").addresses.size(), Resolver::addresses_max);
}

TEST(Resolver, NeverAddsASearchDomain) {
    std::atomic<int> others{0};
    StubDns dns{[&others](const DnsQuestion& q) -> Reply {
        if (q.name != "api") ++others;
        return DnsReply{q, 3}.bytes();
    }};
    EXPECT_EQ(ask(dns, "api").failure, AttemptCode::NXDOMAIN);
    EXPECT_EQ(others, 0);
}

TEST(Resolver, ANameThatCannotBeAskedForFailsAtOnce) {
    StubDns dns{[](const DnsQuestion&) -> Reply { return std::nullopt; }};
    for (const std::string& name :
         {std::string{}, std::string(64, 'a') + ".test", std::string{"a..test"}}) {
        SCOPED_TRACE(name);
        const Resolution got = ask(dns, name);
        EXPECT_TRUE(got.addresses.empty());
        EXPECT_EQ(got.failure, AttemptCode::DNS_FAILED);
    }
    EXPECT_EQ(dns.questions(), 0);
}

TEST(Resolver, FixedAnswersLiteralsAndTheHostsFileNeedNoServer) {
    io::ThreadContext thread;
    StubDns dns{[](const DnsQuestion& q) -> Reply { return DnsReply{q, 3}.bytes(); }};
    config::Network network;
    network.nameservers = {dns.server()};
    network.resolve["api.example.test"] = {"::1", "127.0.0.1", "127.0.0.2"};
    Resolver resolver{thread, network};
    const auto get = [&](std::string name) {
        return texts(test::run(thread, resolver.resolve(std::move(name), 1s)));
    };
    EXPECT_EQ(get("Api.example.test"), (Texts{"::1", "127.0.0.1", "127.0.0.2"}));
    EXPECT_EQ(get("192.0.2.7"), Texts{"192.0.2.7"});
    EXPECT_EQ(get("2001:db8::7"), Texts{"2001:db8::7"});
    EXPECT_EQ(get("localhost").front(), "127.0.0.1");
    EXPECT_EQ(dns.questions(), 0);
    EXPECT_EQ(get("127.1"), Texts{}) << "no address literal: asked, and unknown";
}

TEST(Resolver, ManyQuestionsAtOnceEachGetTheirOwnAnswer) {
    StubDns dns{[](const DnsQuestion& q) -> Reply {
        if (q.type != type_a) return DnsReply{q}.bytes();
        return DnsReply{q}.a(q.name, "8.8.8." + q.name.substr(0, q.name.find('.'))).bytes();
    }};
    io::ThreadContext thread;
    config::Network network;
    network.nameservers = {dns.server()};
    Resolver resolver{thread, network};
    std::vector<std::unique_ptr<test::Running<Resolution>>> running;
    for (int i = 0; i < 50; ++i) {
        auto task = resolver.resolve(std::to_string(i) + ".test", 5s);
        running.push_back(std::make_unique<test::Running<Resolution>>(thread, std::move(task)));
    }
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(texts(running[static_cast<std::size_t>(i)]->wait_for()),
                  Texts{"8.8.8." + std::to_string(i)});
    }
}

TEST(Resolver, MayGoWhileSomebodyWaits) {
    StubDns dns{[](const DnsQuestion&) -> Reply { return std::nullopt; }};
    io::ThreadContext thread;
    config::Network network;
    network.nameservers = {dns.server()};
    auto resolver = std::make_unique<Resolver>(thread, network);
    test::Running<Resolution> running{thread, resolver->resolve("api.example.test", 10s)};
    thread.context.poll();
    resolver.reset();
    EXPECT_TRUE(running.wait_for().addresses.empty());
    EXPECT_EQ(running.wait_for().failure, AttemptCode::DNS_FAILED);
}

TEST(Resolver, MayGoAfterAQuestionRanOutOfTime) {
    StubDns dns{[](const DnsQuestion&) -> Reply { return std::nullopt; }};
    io::ThreadContext thread;
    config::Network network;
    network.nameservers = {dns.server()};
    auto resolver = std::make_unique<Resolver>(thread, network);
    const auto got = test::run(thread, resolver->resolve("api.example.test", 60ms));
    EXPECT_EQ(got.failure, AttemptCode::DNS_TIMEOUT);
    resolver.reset();
    thread.context.restart();
    thread.context.run();  // Ends: no descriptor, timer or question is left.
}

}  // namespace
}  // namespace sworn::connect
