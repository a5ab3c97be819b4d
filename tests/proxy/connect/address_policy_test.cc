#include "proxy/connect/address_policy.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace sworn::connect {
namespace {

namespace ip = boost::asio::ip;

config::Cidr block(const std::string& address, unsigned prefix) {
    const auto parsed = ip::make_address(address);
    config::Cidr out;
    out.prefix = prefix;
    if (parsed.is_v4()) {
        const auto bytes = parsed.to_v4().to_bytes();
        out.bytes.assign(bytes.begin(), bytes.end());
    } else {
        const auto bytes = parsed.to_v6().to_bytes();
        out.bytes.assign(bytes.begin(), bytes.end());
    }
    return out;
}

ip::tcp::endpoint at(const std::string& address, std::uint16_t port = 443) {
    return {ip::make_address(address), port};
}

struct Case {
    const char* name;
    const char* address;
    Verdict want;
};
void PrintTo(const Case& value, std::ostream* out) {
    *out << value.address;
}

class JudgeAddress : public testing::TestWithParam<Case> {};

TEST_P(JudgeAddress, WithoutExceptions) {
    EXPECT_EQ(judge_address(at(GetParam().address), {}, {}), GetParam().want);
}

constexpr Verdict no = Verdict::forbidden, yes = Verdict::allowed;
constexpr Case cases[] = {
    {"Loopback", "127.0.0.1", no},
    {"LoopbackEnd", "127.255.255.255", no},
    {"AfterLoopback", "128.0.0.1", yes},
    {"Unspecified", "0.0.0.0", no},
    {"ThisNetwork", "0.1.2.3", no},
    {"AfterThisNetwork", "1.0.0.1", yes},
    {"TenStart", "10.0.0.0", no},
    {"TenEnd", "10.255.255.255", no},
    {"BeforeTen", "9.255.255.255", yes},
    {"AfterTen", "11.0.0.0", yes},
    {"SharedBefore", "100.63.255.254", yes},
    {"SharedStart", "100.64.0.1", no},
    {"AlibabaMetadata", "100.100.100.200", no},
    {"SharedEnd", "100.127.255.255", no},
    {"SharedAfter", "100.128.0.1", yes},
    {"CloudMetadata", "169.254.169.254", no},
    {"TaskMetadata", "169.254.170.2", no},
    {"LinkLocalBefore", "169.253.255.255", yes},
    {"LinkLocalAfter", "169.255.0.0", yes},
    {"PrivateBBefore", "172.15.255.255", yes},
    {"PrivateBStart", "172.16.0.0", no},
    {"PrivateBEnd", "172.31.255.255", no},
    {"PrivateBAfter", "172.32.0.0", yes},
    {"ProtocolAssignments", "192.0.0.1", no},
    {"OracleMetadata", "192.0.0.192", no},
    {"AfterProtocolAssignments", "192.0.1.0", yes},
    {"Documentation1", "192.0.2.1", no},
    {"Documentation2", "198.51.100.1", no},
    {"Documentation3", "203.0.113.5", no},
    {"SixToFourRelay", "192.88.99.1", no},
    {"PrivateC", "192.168.1.1", no},
    {"PrivateCBefore", "192.167.255.255", yes},
    {"PrivateCAfter", "192.169.0.0", yes},
    {"BenchmarkBefore", "198.17.255.255", yes},
    {"Benchmark", "198.18.0.1", no},
    {"BenchmarkEnd", "198.19.255.255", no},
    {"BenchmarkAfter", "198.20.0.0", yes},
    {"BeforeMulticast", "223.255.255.255", yes},
    {"Multicast", "224.0.0.1", no},
    {"Reserved", "240.0.0.1", no},
    {"Broadcast", "255.255.255.255", no},
    {"AzureHostAgent", "168.63.129.16", no},
    {"BesideAzureHostAgent", "168.63.129.17", yes},
    {"PublicDns", "8.8.8.8", yes},
    {"Unspecified6", "::", no},
    {"Loopback6", "::1", no},
    {"MappedMetadata", "::ffff:169.254.169.254", no},
    {"MappedAlibaba", "::ffff:100.100.100.200", no},
    {"MappedLoopback", "::ffff:127.0.0.1", no},
    {"MappedPublic", "::ffff:8.8.8.8", yes},
    {"CompatibleMetadata", "::169.254.169.254", no},
    {"CompatiblePublic", "::8.8.8.8", no},
    {"SixToFourMetadata", "2002:a9fe:a9fe::", no},
    {"SixToFourPrivate", "2002:0a00:0001::1", no},
    {"SixToFourPublic", "2002:0808:0808::1", yes},
    {"Nat64Private", "64:ff9b::a00:1", no},
    {"Nat64Public", "64:ff9b::808:808", yes},
    {"Nat64LocalUse", "64:ff9b:1::a00:1", no},
    {"Nat64LocalUsePublic", "64:ff9b:1::808:808", no},
    {"TeredoPrivate", "2001:0:4136:e378:8000:63bf:f5ff:fffe", no},
    {"TeredoPublic", "2001:0:4136:e378:8000:63bf:f7f7:f7f7", no},
    {"Orchid", "2001:20::1", no},
    {"Benchmark6", "2001:2::1", no},
    {"ProtocolAssignments6End", "2001:1ff:ffff::1", no},
    {"AfterProtocolAssignments6", "2001:200::1", yes},
    {"Documentation6", "2001:db8::1", no},
    {"AfterDocumentation6", "2001:db9::1", yes},
    {"Documentation6New", "3fff:fff::1", no},
    {"LinkLocal6", "fe80::1", no},
    {"LinkLocal6Zone", "fe80::1%1", no},
    {"SiteLocal6", "fec0::1", no},
    {"UniqueLocal", "fc00::1", no},
    {"AwsMetadata6", "fd00:ec2::254", no},
    {"Multicast6", "ff02::1", no},
    {"DiscardOnly", "100::1", no},
    {"SegmentRouting", "5f00::1", no},
    {"PublicDns6", "2606:4700:4700::1111", yes},
    {"GlobalUnicastStart", "2000::1", yes},
    {"BeforeGlobalUnicast", "1fff::1", no},
    {"AfterGlobalUnicast", "4000::1", no},
};
INSTANTIATE_TEST_SUITE_P(Table, JudgeAddress, testing::ValuesIn(cases),
                         [](const auto& param) { return std::string{param.param.name}; });

TEST(AllowPrivate, OpensExactlyItsBlocks) {
    const std::vector<config::Cidr> allow{block("10.1.0.0", 16), block("127.0.0.1", 32),
                                          block("fd00::", 8), block("192.168.3.4", 31)};
    const struct {
        const char* address;
        Verdict want;
    } rows[] = {
        {"10.1.255.255", yes},    {"10.2.0.0", no},           {"127.0.0.1", yes},
        {"127.0.0.2", no},        {"fd00::1", yes},           {"fc00::1", no},
        {"192.168.3.4", yes},     {"192.168.3.5", yes},       {"192.168.3.6", no},
        {"::ffff:10.1.2.3", yes}, {"64:ff9b::10.1.2.3", yes}, {"2002:0a01:0203::", yes},
        {"::ffff:10.2.2.3", no},  {"::10.1.2.3", no},         {"169.254.169.254", no},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.address);
        EXPECT_EQ(judge_address(at(row.address), allow, {}), row.want);
    }
}

TEST(AllowPrivate, ABlockOfIpv6DoesNotOpenTheIpv4InsideIt) {
    const std::vector<config::Cidr> allow{block("::", 0)};
    EXPECT_EQ(judge_address(at("fd00::1"), allow, {}), yes);
    EXPECT_EQ(judge_address(at("::1"), allow, {}), yes);
    EXPECT_EQ(judge_address(at("::ffff:169.254.169.254"), allow, {}), no);
    EXPECT_EQ(judge_address(at("::169.254.169.254"), allow, {}), no);
    EXPECT_EQ(judge_address(at("2002:a9fe:a9fe::"), allow, {}), no);
    EXPECT_EQ(judge_address(at("127.0.0.1"), allow, {}), no);
}

TEST(OwnListener, IsNeverATargetWhateverIsAllowed) {
    const std::vector<config::Cidr> allow{block("0.0.0.0", 0), block("::", 0)};
    const struct {
        const char* name;
        const char* listener;
        const char* target;
        std::uint16_t port;
        Verdict want;
    } rows[] = {
        {"the same", "127.0.0.1", "127.0.0.1", 8118, Verdict::own_listener},
        {"another port", "127.0.0.1", "127.0.0.1", 8119, yes},
        {"another address", "127.0.0.1", "127.0.0.2", 8118, yes},
        {"mapped", "127.0.0.1", "::ffff:127.0.0.1", 8118, Verdict::own_listener},
        {"unspecified target", "127.0.0.1", "0.0.0.0", 8118, Verdict::own_listener},
        {"wildcard", "0.0.0.0", "127.0.0.9", 8118, Verdict::own_listener},
        {"wildcard6", "::", "::1", 8118, Verdict::own_listener},
        {"dual stack", "::", "127.0.0.1", 8118, Verdict::own_listener},
        {"unspecified at wildcard", "::", "::", 8118, Verdict::own_listener},
        {"elsewhere", "0.0.0.0", "8.8.8.8", 8118, yes},
        {"public own", "198.51.100.7", "198.51.100.7", 8118, Verdict::own_listener},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        const std::vector<ip::tcp::endpoint> own{at(row.listener, 8118)};
        EXPECT_EQ(judge_address(at(row.target, row.port), allow, own), row.want);
    }
}

}  // namespace
}  // namespace sworn::connect
