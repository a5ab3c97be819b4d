// What a session makes of a caller's bytes: tables R, T and H on the request side.
#include "tests/proxy/http/session_fixture.h"

namespace sworn::http {
namespace {

const std::string get_a = "GET http://a.test/a HTTP/1.1\r\nHost: a.test\r\n\r\n";

std::string get(std::string_view fields, std::string_view target = "http://a.test/a") {
    return "GET " + std::string{target} + " HTTP/1.1\r\n" + std::string{fields} + "\r\n";
}
std::string with_host(std::string_view fields) {
    return get("Host: a.test\r\n" + std::string{fields});
}

struct Refusal {
    std::string_view name;
    std::string request;
    int status;
    std::string_view body;  ///< Code and field.
};

const Refusal refusals[] = {
    {"Malformed", "GET http://a.test/ HTTP/1.1\nHost: a.test\r\n\r\n", 400,
     "MALFORMED_REQUEST header"},
    {"T01_OriginForm", get("Host: a.test\r\n", "/v1"), 400, "INVALID_TARGET target"},
    {"T01_Asterisk", get("Host: a.test\r\n", "*"), 400, "INVALID_TARGET target"},
    {"T01_AuthorityForm", get("Host: a.test\r\n", "a.test:80"), 400, "INVALID_TARGET target"},
    {"T01_Word", get("Host: a.test\r\n", "admin"), 400, "INVALID_TARGET target"},
    {"T01_OptionsAsterisk", "OPTIONS * HTTP/1.1\r\nHost: a.test\r\n\r\n", 400,
     "INVALID_TARGET target"},
    {"T02_UserInfo", get("Host: a.test\r\n", "http://u@a.test/"), 400, "INVALID_TARGET target"},
    {"T02_NoHost", get("Host: a.test\r\n", "http:///x"), 400, "INVALID_TARGET target"},
    {"T02_OneSlash", get("Host: a.test\r\n", "http:/x"), 400, "INVALID_TARGET target"},
    {"T02_Ftp", get("Host: a.test\r\n", "ftp://a.test/"), 400, "INVALID_TARGET target"},
    {"T02_PortZero", get("Host: a.test:0\r\n", "http://a.test:0/"), 400, "INVALID_TARGET target"},
    {"T02_PercentHost", get("Host: a.test\r\n", "http://a%2etest/"), 400, "INVALID_TARGET target"},
    {"T04_OtherHost", get("Host: b.test\r\n"), 400, "INVALID_TARGET Host"},
    {"T04_OtherPort", get("Host: a.test:8080\r\n"), 400, "INVALID_TARGET Host"},
    {"T04_PortMissingInHost", get("Host: a.test\r\n", "http://a.test:8080/"), 400,
     "INVALID_TARGET Host"},
    {"R14_HostList", get("Host: a.test, b.test\r\n"), 400, "MALFORMED_REQUEST Host"},
    {"R14_HostUserInfo", get("Host: u@a.test\r\n"), 400, "MALFORMED_REQUEST Host"},
    {"R14_HostPath", get("Host: a.test/x\r\n"), 400, "MALFORMED_REQUEST Host"},
    {"R14_HostPort", get("Host: a.test:99999\r\n"), 400, "MALFORMED_REQUEST Host"},
    {"R15_Trace", "TRACE http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n", 405,
     "UNSUPPORTED_ACTION method"},
    {"Connect", "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n", 405,
     "UNSUPPORTED_ACTION method"},
    {"ConnectWithoutPort", "CONNECT a.test HTTP/1.1\r\nHost: a.test\r\n\r\n", 400,
     "INVALID_TARGET target"},
    {"R19_WebSocket", with_host("Connection: Upgrade\r\nUpgrade: websocket\r\n"), 501,
     "UNSUPPORTED_ACTION Upgrade"},
    {"R20_Expectation", with_host("Expect: more\r\n"), 417, "MALFORMED_REQUEST Expect"},
    {"TokenEmpty", with_host("Sworn-Token:\r\n"), 400, "MALFORMED_REQUEST Sworn-Token"},
    {"TokenTooLong", with_host("Sworn-Token: " + std::string(256, 'a') + "\r\n"), 400,
     "MALFORMED_REQUEST Sworn-Token"},
    {"TokenBlank", with_host("Sworn-Token: a b\r\n"), 400, "MALFORMED_REQUEST Sworn-Token"},
    {"TokenTwice", with_host("Sworn-Token: a\r\nsworn-token: a\r\n"), 400,
     "MALFORMED_REQUEST sworn-token"},
    {"WaitNotANumber", with_host("Sworn-Wait-Approval: 5s\r\n"), 400,
     "MALFORMED_REQUEST Sworn-Wait-Approval"},
    {"WaitNegative", with_host("Sworn-Wait-Approval: -5\r\n"), 400,
     "MALFORMED_REQUEST Sworn-Wait-Approval"},
    {"WaitEmpty", with_host("Sworn-Wait-Approval:\r\n"), 400,
     "MALFORMED_REQUEST Sworn-Wait-Approval"},
    {"RepeatWithoutReason",
     with_host("Sworn-Repeat-Despite-Unknown: act_01J0000000000000000000000A\r\n"), 400,
     "MALFORMED_REQUEST Sworn-Repeat-Despite-Unknown"},
    {"CallerTwice",
     with_host("Proxy-Authorization: Bearer good\r\nProxy-Authorization: Bearer bad\r\n"), 400,
     "MALFORMED_REQUEST Proxy-Authorization"},
    {"CallerUnknown", with_host("Proxy-Authorization: Bearer bad\r\n"), 403,
     "CALLER_NOT_AUTHORIZED Proxy-Authorization"},
};

class Refuses : public testing::TestWithParam<Refusal> {};

TEST_P(Refuses, WithACompleteAnswerAndCloses) {
    const auto& row = GetParam();
    Connection connection;
    // A valid request behind it is never looked at.
    const auto out = connection.run(row.request + get_a);
    EXPECT_EQ(status_of(out), row.status) << out;
    EXPECT_TRUE(out.ends_with("\r\n\r\n" + std::string{row.body})) << out;
    EXPECT_NE(out.find("\r\nConnection: close\r\n"), out.npos);
    EXPECT_EQ(connection.handler.seen.size(), 0U);
    EXPECT_EQ(connection.handler.refusals.size(), 1U);
    EXPECT_FALSE(connection.was_reset);
}

INSTANTIATE_TEST_SUITE_P(Table, Refuses, testing::ValuesIn(refusals),
                         [](const auto& param) { return std::string{param.param.name}; });

TEST(Request, BecomesAnActionWithoutHopByHopFields) {
    Connection connection;
    connection.run(
        "POST http://A.test:80/x?y=1 HTTP/1.1\r\nHost: a.test\r\n"
        "Connection: close, Authorization, X-Trace, Host, Content-Length, Cookie\r\n"
        "Proxy-Authorization: Bearer good\r\nProxy-Connection: keep-alive\r\nKeep-Alive: x\r\n"
        "TE: trailers\r\nTrailer: x\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\nX-Trace: 1\r\n"
        "Cookie: c\r\nAuthorization: sworn\r\nSworn-Token: t-1\r\nSworn-Operation-Id: op\r\n"
        "Sworn-Wait-Approval: 30\r\nSworn-Unheard-Of: x\r\nPrefer: wait=5, respond-async\r\n"
        "Via: 1.1 other\r\nX-Kept: yes\r\nContent-Length: 5\r\n"
        "Sworn-Repeat-Despite-Unknown: act_01J0000000000000000000000A; reason=\"paid by hand\"\r\n"
        "\r\nhello");
    ASSERT_EQ(connection.handler.seen.size(), 1U);
    const auto& [action, body] = connection.handler.seen[0];
    EXPECT_EQ(action.caller, "ci");
    EXPECT_EQ(action.method, "POST");
    EXPECT_EQ(action.target.host, "a.test");
    EXPECT_EQ(action.target.port, 80);
    EXPECT_EQ(action.target.path, "/x?y=1");
    const contract::Fields kept{
        {"Prefer", "wait=5, respond-async"}, {"Via", "1.1 other"}, {"X-Kept", "yes"}};
    EXPECT_EQ(action.fields, kept);
    EXPECT_EQ(action.wishes.token, "t-1");
    EXPECT_EQ(action.wishes.operation_id, "op");
    EXPECT_EQ(action.wishes.wait_approval_seconds, 30);
    ASSERT_TRUE(action.wishes.repeat_despite_unknown);
    EXPECT_EQ(action.wishes.repeat_despite_unknown->text(), "act_01J0000000000000000000000A");
    EXPECT_EQ(action.wishes.repeat_reason, "paid by hand");
    EXPECT_TRUE(action.prefer_async);
    EXPECT_TRUE(action.body_present);
    EXPECT_EQ(action.body_size, 5U);
    EXPECT_EQ(action.body_digest, sha256("hello"));
    EXPECT_EQ(body, "hello");
    EXPECT_EQ(connection.handler.announced_body, 5U);
}

TEST(Request, IsReadTheSameInSingleOctets) {
    Connection connection;
    connection.caller->read_max = 1;
    const auto out = connection.run(
        "POST http://a.test/a HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3\r\nhel\r\n2;x\r\nlo\r\n0\r\nT: v\r\n\r\n" +
        get_a);
    ASSERT_EQ(connection.handler.seen.size(), 2U);
    EXPECT_EQ(connection.handler.seen[0].body, "hello");
    EXPECT_EQ(connection.handler.seen[1].action.method, "GET");
    EXPECT_FALSE(connection.handler.seen[1].action.body_present);
}

struct Pipeline {
    std::string_view name;
    std::string bytes;
    std::vector<std::string> handled;
    std::vector<int> statuses;
};

const Pipeline pipelines[] = {
    {"TwoValid", get_a + get("Host: a.test\r\n", "http://a.test/b"), {"/a", "/b"}, {200, 200}},
    {"ValidThenInvalid", get_a + "junk\r\n\r\n" + get_a, {"/a"}, {200, 400}},
    {"NothingAfterClose", with_host("Connection: close\r\n") + get_a, {"/a"}, {200}},
    {"BodyBytesAreNoRequest",
     "POST http://a.test/p HTTP/1.1\r\nHost: a.test\r\nContent-Length: " +
         std::to_string(get_a.size()) + "\r\n\r\n" + get_a,
     {"/p"},
     {200}},
    {"LineEndBetween", get_a + "\r\n" + get_a, {"/a", "/a"}, {200, 200}},
    {"Http10Closes", "GET http://a.test/a HTTP/1.0\r\n\r\n" + get_a, {"/a"}, {200}},
    {"Http10KeepsAlive",
     "GET http://a.test/a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + get_a,
     {"/a", "/a"},
     {200, 200}},
    {"BadChunkAfterGoodOne",
     "POST http://a.test/p HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n"
     "1\r\nx\r\n1zzz\r\nZ\r\n0\r\n\r\n",
     {},
     {400}},
};

class Pipelines : public testing::TestWithParam<Pipeline> {};

TEST_P(Pipelines, AreServedInOrder) {
    const auto& row = GetParam();
    Connection connection;
    auto out = connection.run(row.bytes);
    std::vector<std::string> handled;
    for (const auto& one : connection.handler.seen)
        handled.push_back(one.action.target.path);
    EXPECT_EQ(handled, row.handled);
    std::vector<int> statuses;
    for (auto at = out.find("HTTP/1.1 "); at != out.npos; at = out.find("HTTP/1.1 ", at + 1))
        statuses.push_back(status_of(std::string_view{out}.substr(at)));
    EXPECT_EQ(statuses, row.statuses) << out;
}

INSTANTIATE_TEST_SUITE_P(Table, Pipelines, testing::ValuesIn(pipelines),
                         [](const auto& param) { return std::string{param.param.name}; });

constexpr std::string_view expecting =
    "POST http://a.test/a HTTP/1.1\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: "
    "5\r\n\r\n";
constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";

TEST(Expect, IsAnsweredAfterAdmissionAndThenTheBodyIsRead) {
    Connection connection;
    connection.caller->on_write = [&] {
        if (connection.caller->written == go_on) connection.caller->push("hello");
    };
    const auto out = connection.run(expecting);
    EXPECT_TRUE(out.starts_with(std::string{go_on} + "HTTP/1.1 200 OK\r\n")) << out;
    ASSERT_EQ(connection.handler.seen.size(), 1U);
    EXPECT_EQ(connection.handler.seen[0].body, "hello");
}

TEST(Expect, IsNotAnsweredWhereTheBodyComesAnyway) {
    Connection connection;
    const auto out = connection.run(std::string{expecting} + "hello");
    EXPECT_TRUE(out.starts_with("HTTP/1.1 200 OK\r\n")) << out;
}

TEST(Expect, RefusedActionGetsNoHundred) {
    Connection connection;
    connection.handler.admission = Error{Code::target_not_allowed, "No route.", "target", 0};
    const auto out = connection.run(expecting);
    EXPECT_EQ(status_of(out), 403);
    EXPECT_EQ(connection.handler.seen.size(), 0U);
}

TEST(Slow, HeadIsRefusedNotDropped) {
    Connection connection;
    const auto out = connection.run("GET http://a.test/ HTTP/1.1\r\nHost:");
    EXPECT_EQ(status_of(out), 400);
    EXPECT_TRUE(out.ends_with("MALFORMED_REQUEST header")) << out;
}

TEST(Slow, BodyIsRefusedNotDropped) {
    Connection connection;
    const auto out = connection.run(
        "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\n\r\nhello");
    EXPECT_EQ(status_of(out), 400);
    EXPECT_TRUE(out.ends_with("MALFORMED_REQUEST body")) << out;
    EXPECT_EQ(connection.handler.seen.size(), 0U);
}

TEST(Slow, IdleConnectionIsClosedWithoutAWord) {
    Connection connection;
    EXPECT_EQ(connection.run(""), "");
    EXPECT_EQ(connection.handler.refusals.size(), 0U);
}

TEST(Cut, EveryPrefixOfARequestIsRefusedOrSilent) {
    const std::string whole =
        "POST http://a.test/a HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: "
        "chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    for (std::size_t size = 0; size < whole.size(); ++size) {
        SCOPED_TRACE(size);
        Connection connection;
        connection.closes_after_fin = false;
        connection.caller->push(whole.substr(0, size));
        connection.caller->end(io::IoEnd::eof);
        connection.run();
        EXPECT_EQ(connection.handler.seen.size(), 0U);
        EXPECT_EQ(status_of(connection.out), size == 0 ? 0 : 400);
    }
}

TEST(Limits, HeadIsJudgedAtTheLimit) {
    for (const std::size_t extra : {std::size_t{0}, std::size_t{1}}) {
        Connection connection;
        std::string head = "GET http://a.test/a HTTP/1.1\r\nHost: a.test\r\nX: ";
        const auto limit = connection.settings.value->limits.max_header;
        head += std::string(limit - head.size() - 4 + extra, 'a') + "\r\n\r\n";
        EXPECT_EQ(status_of(connection.run(head)), extra == 0 ? 200 : 431);
    }
}

TEST(Limits, EndlessTargetIs414) {
    Connection connection;
    const auto out = connection.run("GET http://a.test/" + std::string(70'000, 'a'));
    EXPECT_EQ(status_of(out), 414);
}

TEST(Limits, BodyIsJudgedAtTheLimitHoweverItIsFramed) {
    for (const std::size_t extra : {std::size_t{0}, std::size_t{1}}) {
        for (const bool in_chunks : {false, true}) {
            Connection connection;
            connection.settings.value->limits.max_body = 10;
            const std::string body(10 + extra, 'x');
            std::string request = "POST http://a.test/a HTTP/1.1\r\nHost: a.test\r\n";
            if (in_chunks) {
                request += "Transfer-Encoding: chunked\r\n\r\n";
                for (const char c : body)
                    request += std::string{"1\r\n"} + c + "\r\n";
                request += "0\r\n\r\n";
            } else {
                request += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
            }
            EXPECT_EQ(status_of(connection.run(request)), extra == 0 ? 200 : 413);
        }
    }
}

TEST(Limits, LargeBodyIsSpooledAndArrivesWhole) {
    Connection connection;
    std::string body;
    for (std::size_t i = 0; i < body_in_memory_bytes_max + 70'000; ++i)
        body += static_cast<char>('a' + i % 23);
    connection.run("POST http://a.test/a HTTP/1.1\r\nHost: a.test\r\nContent-Length: " +
                   std::to_string(body.size()) + "\r\n\r\n" + body);
    ASSERT_EQ(connection.handler.seen.size(), 1U);
    EXPECT_TRUE(connection.handler.seen[0].body == body);
    EXPECT_EQ(connection.handler.seen[0].action.body_digest, sha256(body));
}

TEST(Page, SaysWhatThisIs) {
    Connection connection;
    const auto out = connection.run("GET / HTTP/1.1\r\nHost: localhost:8118\r\n\r\n");
    EXPECT_EQ(status_of(out), 200);
    EXPECT_NE(out.find("egress proxy"), out.npos);
    EXPECT_EQ(connection.handler.refusals.size(), 0U);
    Connection head;
    const auto only_head = head.run("HEAD / HTTP/1.1\r\nHost: localhost:8118\r\n\r\n");
    EXPECT_EQ(status_of(only_head), 200);
    EXPECT_TRUE(only_head.ends_with("\r\n\r\n")) << only_head;
}

TEST(Refused, GitIsMarkedForPlainText) {
    Connection connection;
    connection.handler.admission = Error{Code::target_not_allowed, "No route.", "target", 0};
    connection.run(with_host("User-Agent: git/2.39.5\r\n"));
    ASSERT_EQ(connection.handler.refusals.size(), 1U);
    EXPECT_TRUE(connection.handler.refusals[0].plain_text);
    EXPECT_EQ(connection.handler.refusals[0].target, "http://a.test/a");
}

TEST(Draining, AnswersAndCloses) {
    Connection connection;
    connection.settings.drain = true;
    const auto out = connection.run(get_a + get_a);
    EXPECT_EQ(connection.handler.seen.size(), 1U);
    EXPECT_NE(out.find("\r\nConnection: close\r\n"), out.npos);
}

}  // namespace
}  // namespace sworn::http
