#include "common/proxy_status.h"

#include <gtest/gtest.h>

#include <string>

#include "common/structured_field.h"

namespace sworn {
namespace {

struct Formatted {
    const char* name;
    ProxyStatusMember member;
    std::string text;
};

const Formatted formatted[] = {
    {"NameOnly", {.name = "sworn"}, "sworn"},
    {"HostName", {.name = "proxy.example.net"}, "proxy.example.net"},
    {"NameWithBlank", {.name = "our proxy"}, "\"our proxy\""},
    {"NameThatIsAnAddress", {.name = "192.0.2.1"}, "\"192.0.2.1\""},
    {"NameWithQuote", {.name = "a\"b"}, R"("a\"b")"},
    {"EmptyName", {.name = ""}, "\"\""},
    {"NameWithLineEnd", {.name = "a\r\nb"}, "\"a??b\""},
    {"Error",
     {.name = "sworn", .error = ProxyError::connection_terminated},
     "sworn;error=connection_terminated"},
    {"ReceivedStatus", {.name = "sworn", .received_status = 503}, "sworn;received-status=503"},
    {"LeastStatus", {.name = "sworn", .received_status = 100}, "sworn;received-status=100"},
    {"StatusTooSmall", {.name = "sworn", .received_status = 99}, "sworn"},
    {"MostStatus", {.name = "sworn", .received_status = 999}, "sworn;received-status=999"},
    {"StatusTooLarge", {.name = "sworn", .received_status = 1000}, "sworn"},
    {"ResponseCode",
     {.name = "sworn", .error = ProxyError::dns_error, .rcode = "NXDOMAIN"},
     "sworn;error=dns_error;rcode=\"NXDOMAIN\""},
    {"ResponseCodeBelongsToDns",
     {.name = "sworn", .error = ProxyError::connection_refused, .rcode = "NXDOMAIN"},
     "sworn;error=connection_refused"},
    {"NextHopName",
     {.name = "sworn", .next_hop = "api.example.com"},
     "sworn;next-hop=api.example.com"},
    {"NextHopAddress",
     {.name = "sworn", .next_hop = "2001:db8::1"},
     "sworn;next-hop=\"2001:db8::1\""},
    {"Details", {.name = "sworn", .details = "no route"}, "sworn;details=\"no route\""},
    {"DetailsAreOneLine", {.name = "sworn", .details = "a\nb\xc3\xa9"}, "sworn;details=\"a?b??\""},
    {"Everything",
     {.name = "sworn",
      .error = ProxyError::dns_error,
      .received_status = 502,
      .next_hop = "api.example.com",
      .rcode = "SERVFAIL",
      .details = "x"},
     "sworn;error=dns_error;rcode=\"SERVFAIL\";received-status=502;next-hop=api.example.com;"
     "details=\"x\""},
};

class ProxyStatusOf : public testing::TestWithParam<Formatted> {};

TEST_P(ProxyStatusOf, IsWrittenAsTheGrammarAllows) {
    EXPECT_EQ(format_member(GetParam().member), GetParam().text);
}

TEST_P(ProxyStatusOf, IsReadBack) {
    const auto hops = parse_proxy_status(GetParam().text);
    ASSERT_EQ(hops.size(), 1U);
    const ProxyStatusMember& want = GetParam().member;
    EXPECT_EQ(hops[0].failed, want.error != ProxyError::none);
    EXPECT_EQ(hops[0].error, to_string(want.error));
    EXPECT_EQ(hops[0].next_hop, want.next_hop);
    EXPECT_EQ(hops[0].name.size(), want.name.size());
}

INSTANTIATE_TEST_SUITE_P(Table, ProxyStatusOf, testing::ValuesIn(formatted),
                         [](const auto& row) { return std::string{row.param.name}; });

TEST(ProxyStatus, WritesEveryErrorThatItKnows) {
    for (const ProxyError error : all_values<ProxyError>()) {
        if (error == ProxyError::none) continue;
        const auto hops = parse_proxy_status(format_member({.name = "sworn", .error = error}));
        ASSERT_EQ(hops.size(), 1U);
        EXPECT_TRUE(hops[0].failed);
        EXPECT_EQ(parse<ProxyError>(hops[0].error), error);
    }
}

TEST(ProxyStatus, CutsLongText) {
    const std::string longest(proxy_status_text_max, ' ');
    const auto with = [](const std::string& details) {
        return format_member({.name = "sworn", .details = details});
    };
    EXPECT_EQ(with(longest), "sworn;details=\"" + longest + "\"");
    EXPECT_EQ(with(longest + " "), with(longest));
}

struct Appended {
    const char* name;
    std::optional<std::string> existing;
    std::string text;
};

const Appended appended[] = {
    {"NothingBefore", std::nullopt, "sworn;received-status=200"},
    {"EmptyBefore", "", "sworn;received-status=200"},
    {"BlankBefore", "  ", "sworn;received-status=200"},
    {"OneHop", "cdn;error=dns_timeout", "cdn;error=dns_timeout, sworn;received-status=200"},
    {"TwoHops", "a, \"b c\"", "a, \"b c\", sworn;received-status=200"},
    {"BytesOfOthersStay", " a;x=1 ,  b; y ", "a;x=1 ,  b; y, sworn;received-status=200"},
    {"UnknownParameters", "a;vendor=?1", "a;vendor=?1, sworn;received-status=200"},
    {"UnparsableIsDropped", "cdn; error=", "sworn;received-status=200"},
    {"HalfParsableIsDropped", "cdn, \"open", "sworn;received-status=200"},
    {"TrailingCommaIsDropped", "cdn,", "sworn;received-status=200"},
    {"InnerListIsDropped", "(a b)", "sworn;received-status=200"},
    {"NumberIsDropped", "cdn, 42", "sworn;received-status=200"},
};

class AppendProxyStatus : public testing::TestWithParam<Appended> {};

TEST_P(AppendProxyStatus, PutsOurMemberLast) {
    const auto text =
        append_proxy_status(GetParam().existing, {.name = "sworn", .received_status = 200});
    EXPECT_EQ(text, GetParam().text);
    const auto hops = parse_proxy_status(text);
    ASSERT_FALSE(hops.empty());
    EXPECT_EQ(hops.back().name, "sworn");
}

INSTANTIATE_TEST_SUITE_P(Table, AppendProxyStatus, testing::ValuesIn(appended),
                         [](const auto& row) { return std::string{row.param.name}; });

TEST(ParseProxyStatus, ReadsTheExamplesOfTheRfc) {
    const auto hops = parse_proxy_status(
        "revproxy1.example.net, ExampleCDN, "
        "r34.example.net; error=http_request_error; received-status=503; "
        "next-hop=\"192.0.2.7\"; details=\"Malformed response header: space before colon\"");
    ASSERT_EQ(hops.size(), 3U);
    EXPECT_EQ(hops[0].name, "revproxy1.example.net");
    EXPECT_FALSE(hops[0].failed);
    EXPECT_EQ(hops[1].name, "ExampleCDN");
    EXPECT_EQ(hops[2].name, "r34.example.net");
    EXPECT_TRUE(hops[2].failed);
    EXPECT_EQ(hops[2].error, "http_request_error");
    EXPECT_EQ(hops[2].received_status, 503);
    EXPECT_EQ(hops[2].next_hop, "192.0.2.7");
    EXPECT_EQ(hops[2].details, "Malformed response header: space before colon");
}

TEST(ParseProxyStatus, SeesAFailureInWhateverTypeItIsSaid) {
    for (const std::string_view text : {"a;error=dns_error", "a;error=\"dns_error\"", "a;error",
                                        "a;error=7", "a;error=new_word"}) {
        const auto hops = parse_proxy_status(text);
        ASSERT_EQ(hops.size(), 1U) << text;
        EXPECT_TRUE(hops[0].failed) << text;
        EXPECT_FALSE(hops[0].error.empty()) << text;
    }
}

TEST(ParseProxyStatus, LeavesOutAStatusThatIsNone) {
    for (const std::string_view text :
         {"a;received-status=99", "a;received-status=1000", "a;received-status=\"200\"",
          "a;received-status=200.0", "a;received-status=-200", "a;received-status", "a"}) {
        const auto hops = parse_proxy_status(text);
        ASSERT_EQ(hops.size(), 1U) << text;
        EXPECT_FALSE(hops[0].received_status) << text;
    }
}

TEST(ParseProxyStatus, IsEmptyWhenUnparsable) {
    for (const std::string_view text : {"", " ", ",", "a,", "42", "(a)", "a, ?1", "a;B", "\xff"}) {
        EXPECT_TRUE(parse_proxy_status(text).empty()) << text;
    }
}

const InvocationId id = *parse_invocation_id("act_01ARZ3NDEKTSV4RRFFQ69G5FAV");

TEST(OutcomeHeader, LooksAsTheContractShowsIt) {
    OutcomeHeader header{Outcome::unknown, Phase::remote_execution, Retry::reconcile,
                         Code::remote_outcome_unknown, id};
    EXPECT_EQ(format_outcome_header(header),
              "unknown; phase=remote_execution; retry=reconcile; code=REMOTE_OUTCOME_UNKNOWN; "
              "id=\"act_01ARZ3NDEKTSV4RRFFQ69G5FAV\"");
    header.code.reset();
    EXPECT_EQ(format_outcome_header(header),
              "unknown; phase=remote_execution; retry=reconcile; "
              "id=\"act_01ARZ3NDEKTSV4RRFFQ69G5FAV\"");
    header.id.reset();
    EXPECT_EQ(format_outcome_header(header), "unknown; phase=remote_execution; retry=reconcile");
}

TEST(OutcomeHeader, EveryWordComesBack) {
    for (const Code code : all_values<Code>()) {
        for (const Retry retry : all_values<Retry>()) {
            const CodeInfo& info = code_info(code);
            const OutcomeHeader header{info.outcome, info.phase, retry, code, id};
            EXPECT_EQ(parse_outcome_header(format_outcome_header(header)), header) << info.name;
        }
    }
}

TEST(OutcomeHeader, IsReadWithBlanksAfterSemicolonsAndWithNewParameters) {
    const OutcomeHeader want{Outcome::unknown, Phase::remote_execution, Retry::reconcile,
                             Code::remote_outcome_unknown, id};
    EXPECT_EQ(parse_outcome_header(
                  "unknown; phase=remote_execution; retry=reconcile; code=REMOTE_OUTCOME_UNKNOWN; "
                  "id=\"act_01ARZ3NDEKTSV4RRFFQ69G5FAV\"; since=@1796040000"),
              want);
}

struct BadOutcome {
    const char* name;
    std::string_view text;
};

constexpr BadOutcome bad_outcomes[] = {
    {"Empty", ""},
    {"OutcomeOnly", "unknown"},
    {"NoRetry", "unknown;phase=validation"},
    {"NoPhase", "unknown;retry=never"},
    {"UnknownOutcome", "known;phase=validation;retry=never"},
    {"OutcomeAsString", "\"unknown\";phase=validation;retry=never"},
    {"PhaseAsString", "unknown;phase=\"validation\";retry=never"},
    {"UnknownPhase", "unknown;phase=before;retry=never"},
    {"UnknownRetry", "unknown;phase=validation;retry=always"},
    {"UnknownCode", "unknown;phase=validation;retry=never;code=OOPS"},
    {"IdAsToken", "unknown;phase=validation;retry=never;id=act_01ARZ3NDEKTSV4RRFFQ69G5FAV"},
    {"BadId", "unknown;phase=validation;retry=never;id=\"act_1\""},
    {"TwoItems", "unknown;phase=validation;retry=never, unknown"},
};

class BadOutcomeHeader : public testing::TestWithParam<BadOutcome> {};

TEST_P(BadOutcomeHeader, IsNothing) {
    EXPECT_FALSE(parse_outcome_header(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(Table, BadOutcomeHeader, testing::ValuesIn(bad_outcomes),
                         [](const auto& row) { return std::string{row.param.name}; });

}  // namespace
}  // namespace sworn
