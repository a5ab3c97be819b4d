#include "proxy/config/hosts.h"

#include <gtest/gtest.h>

#include "proxy/config/checks.h"

namespace sworn::config {
namespace {

struct HostCase {
    std::string_view name;
    std::string_view text;
    std::optional<std::string_view> want;
};
class HostPatterns : public testing::TestWithParam<HostCase> {};

TEST_P(HostPatterns, HaveOneNormalForm) {
    const auto got = parse_host_pattern(GetParam().text);
    ASSERT_EQ(got.has_value(), GetParam().want.has_value());
    if (got) {
        EXPECT_EQ(*got, *GetParam().want);
    }
}

constexpr HostCase host_cases[] = {
    {"Lowered", "API.Example.TEST", "api.example.test"},
    {"Wildcard", "*.Example.test", "*.example.test"},
    {"SingleLabel", "localhost", "localhost"},
    {"Punycode", "xn--bcher-kva.example", "xn--bcher-kva.example"},
    {"Underscore", "my_host.test", "my_host.test"},
    {"Ipv4", "192.0.2.1", "192.0.2.1"},
    {"Ipv6", "2001:DB8::0:1", "2001:db8::1"},
    {"Ipv6InBrackets", "[::1]", "::1"},
    {"Empty", "", std::nullopt},
    {"Star", "*", std::nullopt},
    {"StarAddress", "*.127.0.0.1", std::nullopt},
    {"TwoStars", "*.*.test", std::nullopt},
    {"StarGlued", "*example.test", std::nullopt},
    {"ShortIpv4", "127.1", std::nullopt},
    {"OneNumber", "2130706433", std::nullopt},
    {"Hexadecimal", "0x7f000001", std::nullopt},
    {"Octal", "0177.0.0.1", std::nullopt},
    {"EmptyLabel", "a..test", std::nullopt},
    {"LeadingHyphen", "-a.test", std::nullopt},
    {"NotAscii",
     "b\xc3\xbc"
     "cher.test",
     std::nullopt},
    {"UserInfo", "user@a.test", std::nullopt},
    {"BracketedIpv4", "[127.0.0.1]", std::nullopt},
    {"BracketedName", "[a.test]", std::nullopt},
};
INSTANTIATE_TEST_SUITE_P(Table, HostPatterns, testing::ValuesIn(host_cases),
                         [](const auto& row) { return std::string{row.param.name}; });

TEST(Hosts, BoundNamesAndLabels) {
    const std::string label(63, 'a');
    EXPECT_TRUE(parse_host(label + ".test"));
    EXPECT_FALSE(parse_host(label + "a.test"));
    const std::string name = label + "." + label + "." + label + "." + std::string(61, 'b');
    ASSERT_EQ(name.size(), 253u);
    EXPECT_TRUE(parse_host(name));
    EXPECT_FALSE(parse_host(name + "b"));
}

TEST(Hosts, ClearTheBitsPastThePrefix) {
    const auto v4 = parse_cidr("10.255.255.255/9");
    ASSERT_TRUE(v4);
    EXPECT_EQ(v4->bytes, (std::vector<std::uint8_t>{10, 128, 0, 0}));
    EXPECT_EQ(v4->prefix, 9u);
    const auto all = parse_cidr("::/0");
    ASSERT_TRUE(all);
    EXPECT_EQ(all->bytes, std::vector<std::uint8_t>(16, 0));
    EXPECT_TRUE(parse_cidr("::1/128"));
    EXPECT_FALSE(parse_cidr("::1/129"));
    EXPECT_FALSE(parse_cidr("10.0.0.0/"));
    EXPECT_FALSE(parse_cidr("10.0.0.0/08"));
    EXPECT_FALSE(parse_cidr("example.test/8"));
    EXPECT_FALSE(parse_cidr(""));
}

TEST(Hosts, ReadHostAndPort) {
    const auto v6 = parse_host_port("[::1]:8118", false);
    ASSERT_TRUE(v6);
    EXPECT_EQ(v6->host, "::1");
    EXPECT_EQ(v6->port, 8118);
    EXPECT_TRUE(parse_host_port("a.test:0", true));
    EXPECT_FALSE(parse_host_port("a.test:0", false));
    for (const std::string_view bad : {"", ":", ":80", "a.test", "a.test:", "a.test:080",
                                       "a.test:-1", "a.test:65536", "::1:80", "[::1]80"}) {
        EXPECT_FALSE(parse_host_port(bad, true)) << bad;
    }
}

TEST(Checks, DecodeOnlyCanonicalBase64) {
    EXPECT_EQ(decode_base64("Zm9vYg=="), "foob");
    EXPECT_EQ(decode_base64("Zm9vYmE="), "fooba");
    EXPECT_EQ(decode_base64("Zm9vYmFy"), "foobar");
    for (const std::string_view bad : {"", "Zm9", "Zm9vYh==", "Zm9v====", "Zm9v\n", "Zm-v"}) {
        EXPECT_FALSE(decode_base64(bad)) << bad;
    }
}

TEST(Checks, FollowTheirGrammars) {
    EXPECT_TRUE(is_json_pointer(""));
    EXPECT_TRUE(is_json_pointer("/a~0b/~1"));
    EXPECT_FALSE(is_json_pointer("/a~"));
    EXPECT_FALSE(is_json_pointer("/a~2"));
    EXPECT_TRUE(is_date("2024-02-29"));
    EXPECT_FALSE(is_date("2026-02-29"));
    EXPECT_FALSE(is_date("2026-2-290"));
    EXPECT_TRUE(is_path_prefix("/v1/charges%20x"));
    EXPECT_FALSE(is_path_prefix("/v1/%2E%2e/x"));
    EXPECT_FALSE(is_path_prefix("/v1/.."));
    EXPECT_TRUE(is_registered_method("PROPFIND"));
    EXPECT_FALSE(is_registered_method("PRI"));
    EXPECT_FALSE(is_registered_method("get"));
    EXPECT_TRUE(is_id(std::string(64, 'a')));
    EXPECT_FALSE(is_id(std::string(65, 'a')));
}

}  // namespace
}  // namespace sworn::config
