#include "proxy/contract/target.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/proxy/contract/vector_file.h"

namespace sworn::contract {
namespace {

using test::Row;

std::string shown(const Result<Target>& got) {
    if (!got) return "invalid";
    auto text = got->scheme + " " + got->host + " " + std::to_string(got->port) + " " + got->path;
    return got->host_is_address ? text + " address" : text;
}

std::string shown(const Result<HostPort>& got) {
    if (!got) return "invalid";
    auto text = got->host + " " + std::to_string(got->port);
    return got->is_address ? text + " address" : text;
}

std::string parsed_as(const std::string& form, const std::string& input) {
    if (form == "absolute") return shown(parse_absolute_form(input));
    if (form == "authority") return shown(parse_authority_form(input));
    if (form == "host") return shown(parse_host(input));
    const auto got = parse_origin_form(input);
    return got ? *got : "invalid";
}

TEST(Target, ReadsEveryRowOfItsTable) {
    const auto rows = test::read_rows("target.txt");
    ASSERT_GT(rows.size(), 150u);
    std::set<std::string> forms;
    for (const Row& row : rows) {
        ASSERT_EQ(row.columns.size(), 3u) << "line " << row.line;
        forms.insert(row.columns[0]);
        const auto& expected = row.columns[2];
        const bool quoted = expected.starts_with('"');
        EXPECT_EQ(parsed_as(row.columns[0], test::unquoted(row.columns[1])),
                  quoted ? test::unquoted(expected) : expected)
            << "target.txt:" << row.line << " " << row.columns[1];
    }
    EXPECT_EQ(forms, (std::set<std::string>{"absolute", "authority", "host", "origin"}));
}

TEST(Target, RefusalsNameCodeAndField) {
    const auto absolute = parse_absolute_form("http://a.test:0/");
    ASSERT_FALSE(absolute);
    EXPECT_EQ(absolute.error().code, Code::invalid_target);
    EXPECT_EQ(absolute.error().field.view(), "target");
    const auto authority = parse_authority_form("a.test");
    ASSERT_FALSE(authority);
    EXPECT_EQ(authority.error().code, Code::invalid_target);
    const auto host = parse_host("a.test:");
    ASSERT_FALSE(host);
    EXPECT_EQ(host.error().code, Code::malformed_request);
    EXPECT_EQ(host.error().field.view(), "Host");
}

TEST(Target, ConnectAndAbsoluteFormJudgeAHostAlike) {
    // Every host of the table, with a port, in both forms: one may not accept what the other
    // refuses, and both give the same normal form.
    std::size_t compared = 0;
    for (const Row& row : test::read_rows("target.txt")) {
        if (row.columns[0] != "absolute") continue;
        const auto input = test::unquoted(row.columns[1]);
        const auto begin = input.find("//");
        if (begin == std::string::npos) continue;
        const auto rest = input.substr(begin + 2);
        const auto host = rest.substr(0, rest.find_first_of("/?#\\"));
        const bool has_port = host.find(':', host.find(']') + 1) != std::string::npos;
        const auto authority = has_port ? host : host + ":8443";
        const auto absolute = parse_absolute_form("https://" + authority + "/");
        const auto connect = parse_authority_form(authority);
        EXPECT_EQ(shown(absolute), shown(connect)) << authority;
        ++compared;
    }
    EXPECT_GT(compared, 60u);
}

TEST(Target, EveryByteThatIsNoPartOfAUriIsRefusedEverywhere) {
    const std::string whole = "http://api.example.test:8080/v1/x?y=z";
    const std::string never = "\"<>\\`#";
    for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        const bool out = byte <= 0x20 || byte >= 0x7f || never.find(c) != std::string::npos;
        if (!out) continue;
        for (std::size_t at = 0; at <= whole.size(); ++at) {
            auto text = whole;
            text.insert(at, 1, c);
            EXPECT_FALSE(parse_absolute_form(text)) << "byte " << byte << " at " << at;
        }
    }
}

TEST(Target, EveryPrefixOfAValidOneIsRefusedOrStaysOnItsHost) {
    const std::string whole = "https://api.example.test:8443/v1/x?y=z";
    const auto host_end = whole.find(":8443");
    for (std::size_t end = 0; end < whole.size(); ++end) {
        const auto got = parse_absolute_form(whole.substr(0, end));
        if (end <= std::string{"https://"}.size()) {
            EXPECT_FALSE(got) << end;
        } else if (got && end >= host_end) {
            EXPECT_EQ(got->host, "api.example.test") << end;
        }
    }
}

TEST(Target, LimitsHoldAtNAndNPlusOne) {
    const std::string origin = "http://a.test";
    EXPECT_TRUE(parse_absolute_form(origin + "/" + std::string(target_bytes_max - 1, 'x')));
    EXPECT_FALSE(parse_absolute_form(origin + "/" + std::string(target_bytes_max, 'x')));
}

TEST(Target, WritesTheHostHeaderForm) {
    struct Case {
        const char* input;
        const char* authority;
        const char* path_only;
    };
    for (const Case& one : {
             Case{"http://API.example.test/x?y", "api.example.test", "/x"},
             Case{"https://api.example.test:443/", "api.example.test", "/"},
             Case{"https://api.example.test:80/", "api.example.test", "/"},
             Case{"http://api.example.test:8080/a?", "api.example.test:8080", "/a"},
             Case{"http://[2001:db8::1]/", "[2001:db8::1]", "/"},
             Case{"http://[2001:db8::1]:8080/", "[2001:db8::1]:8080", "/"},
         }) {
        const auto got = parse_absolute_form(one.input);
        ASSERT_TRUE(got) << one.input;
        EXPECT_EQ(got->authority(), one.authority);
        EXPECT_EQ(got->path_only(), one.path_only);
    }
}

/// What must hold for whatever was accepted.
void expect_normal(const Target& target, const std::string& input) {
    EXPECT_FALSE(target.host.empty()) << input;
    EXPECT_LE(target.host.size(), 253u) << input;
    EXPECT_EQ(target.host.find_first_of("[]@%/\\ ABCDEFGHIJKLMNOPQRSTUVWXYZ"), std::string::npos)
        << input;
    EXPECT_FALSE(target.host.ends_with('.')) << input;
    EXPECT_NE(target.port, 0) << input;
    EXPECT_TRUE(target.path.starts_with('/')) << input;
    EXPECT_TRUE(input.ends_with(target.path) || target.path == "/" ||
                input.ends_with(target.path.substr(1)))
        << input;
    // The normal form reads back as itself.
    const auto again = parse_absolute_form(
        target.scheme + "://" +
        (target.host.find(':') == std::string::npos ? target.host : "[" + target.host + "]") + ":" +
        std::to_string(target.port) + target.path);
    ASSERT_TRUE(again) << input;
    EXPECT_EQ(again->host, target.host);
    EXPECT_EQ(again->port, target.port);
    EXPECT_EQ(again->path, target.path);
    EXPECT_EQ(again->host_is_address, target.host_is_address);
}

TEST(Target, MutatedInputsAreRefusedOrNormal) {
    std::vector<std::string> seeds;
    for (const Row& row : test::read_rows("target.txt")) {
        if (row.columns[0] == "absolute") seeds.push_back(test::unquoted(row.columns[1]));
    }
    std::mt19937 random{20261130};
    const std::string alphabet = "aZ09.:/[]@%?#\\-_ x7f\t";
    std::size_t accepted = 0;
    for (int round = 0; round < 20000; ++round) {
        auto text = seeds[random() % seeds.size()];
        for (auto edits = 1 + random() % 3; edits > 0 && !text.empty(); --edits) {
            const auto at = random() % text.size();
            switch (random() % 3) {
                case 0:
                    text[at] = alphabet[random() % alphabet.size()];
                    break;
                case 1:
                    text.insert(at, 1, alphabet[random() % alphabet.size()]);
                    break;
                default:
                    text.erase(at, 1);
            }
        }
        const auto got = parse_absolute_form(text);
        if (!got) continue;
        ++accepted;
        expect_normal(*got, text);
    }
    EXPECT_GT(accepted, 1000u);
}

}  // namespace
}  // namespace sworn::contract
