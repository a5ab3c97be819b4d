#include "common/fingerprint.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sworn {
namespace {

/// Owns what a FingerprintInput borrows; a test changes what it is about.
struct Action {
    std::string method = "POST";
    std::string scheme = "https";
    std::string host = "api.example.com";
    std::uint16_t port = 443;
    std::string path_and_query = "/v1/payments?dry=0";
    std::vector<HeaderPair> headers{{"Content-Type", "application/json"},
                                    {"Cookie", "a=1"},
                                    {"User-Agent", "curl/8"},
                                    {"Cookie", "b=2"}};
    std::string idempotency_header = "Idempotency-Key";
    std::string idempotency_key = "key-1";
    std::string body = "{\"amount\":1}";
    std::string credential = "payments";
    std::vector<std::string> route_adds{"X-Region: eu", "X-Team: a"};

    [[nodiscard]] Digest digest() const {
        FingerprintInput input;
        input.method = method;
        input.scheme = scheme;
        input.host = host;
        input.port = port;
        input.path_and_query = path_and_query;
        input.headers = headers;
        input.idempotency_header = idempotency_header;
        input.idempotency_key = idempotency_key;
        input.body = sha256(body);
        input.credential_id = credential;
        input.route_adds = route_adds;
        return fingerprint(input);
    }
};

struct Change {
    std::string name;
    std::function<void(Action&)> apply;
};

class Counts : public testing::TestWithParam<Change> {};

TEST_P(Counts, AndChangesTheFingerprint) {
    Action changed;
    GetParam().apply(changed);
    EXPECT_NE(changed.digest(), Action{}.digest());
    EXPECT_EQ(changed.digest(), changed.digest());
}

const Change counting[] = {
    {"Method", [](Action& a) { a.method = "PUT"; }},
    {"MethodCase", [](Action& a) { a.method = "post"; }},
    {"Scheme", [](Action& a) { a.scheme = "http"; }},
    {"Host", [](Action& a) { a.host = "api.example.org"; }},
    {"Port", [](Action& a) { a.port = 8443; }},
    {"Path", [](Action& a) { a.path_and_query = "/v1/payment?dry=0"; }},
    {"PathCase", [](Action& a) { a.path_and_query = "/V1/payments?dry=0"; }},
    {"Query", [](Action& a) { a.path_and_query = "/v1/payments?dry=1"; }},
    {"EmptyQuery", [](Action& a) { a.path_and_query = "/v1/payments?"; }},
    {"IdempotencyKey", [](Action& a) { a.idempotency_key = "key-2"; }},
    {"IdempotencyKeyQuoted", [](Action& a) { a.idempotency_key = "\"key-1\""; }},
    {"NoIdempotencyKey", [](Action& a) { a.idempotency_key.clear(); }},
    {"IdempotencyHeader", [](Action& a) { a.idempotency_header = "X-Request-Key"; }},
    {"Body", [](Action& a) { a.body = "{\"amount\":2}"; }},
    {"Credential", [](Action& a) { a.credential = "refunds"; }},
    {"NoCredential", [](Action& a) { a.credential.clear(); }},
    {"RouteAddition", [](Action& a) { a.route_adds[1] = "X-Team: b"; }},
    {"RouteAdditionGone", [](Action& a) { a.route_adds.pop_back(); }},
    {"RouteAdditionOrder", [](Action& a) { std::swap(a.route_adds[0], a.route_adds[1]); }},
    {"RouteAdditionBoundary", [](Action& a) { a.route_adds = {"X-Region: euX-Team: a"}; }},
    {"HeaderValue", [](Action& a) { a.headers[0].second = "text/plain"; }},
    {"HeaderValueCase", [](Action& a) { a.headers[0].second = "Application/json"; }},
    {"HeaderGone", [](Action& a) { a.headers.erase(a.headers.begin()); }},
    {"HeaderTwice", [](Action& a) { a.headers.push_back(a.headers[0]); }},
    {"SameNamedOrder", [](Action& a) { std::swap(a.headers[1], a.headers[3]); }},
    {"SameNamedJoined",
     [](Action& a) {
         a.headers[1].second = "a=1; b=2";
         a.headers.pop_back();
     }},
    // Bytes that move from one part to its neighbour.
    {"MethodToScheme",
     [](Action& a) {
         a.method = "POSTh";
         a.scheme = "ttps";
     }},
    {"SchemeToHost",
     [](Action& a) {
         a.scheme = "httpsa";
         a.host = "pi.example.com";
     }},
    {"HostToPort",
     [](Action& a) {
         a.host = "api.example.com4";
         a.port = 43;
     }},
    {"CredentialToRoute",
     [](Action& a) {
         a.credential = "payment";
         a.route_adds[0] = "sX-Region: eu";
     }},
    {"HeaderToHeader",
     [](Action& a) {
         a.headers[1].second = "a=1b";
         a.headers[3].second = "=2";
     }},
};

INSTANTIATE_TEST_SUITE_P(Table, Counts, testing::ValuesIn(counting),
                         [](const auto& row) { return row.param.name; });

class DoesNotCount : public testing::TestWithParam<Change> {};

TEST_P(DoesNotCount, AndLeavesTheFingerprint) {
    Action changed;
    GetParam().apply(changed);
    EXPECT_EQ(changed.digest(), Action{}.digest());
}

const Change neutral[] = {
    {"UserAgent", [](Action& a) { a.headers[2].second = "git/2.39"; }},
    {"UserAgentGone", [](Action& a) { a.headers.erase(a.headers.begin() + 2); }},
    {"HeaderNameCase", [](Action& a) { a.headers[0].first = "CONTENT-TYPE"; }},
    {"BlanksAroundTheValue", [](Action& a) { a.headers[0].second = " \tapplication/json "; }},
    {"OrderOfDifferentNames", [](Action& a) { std::swap(a.headers[0], a.headers[1]); }},
    {"IdempotencyHeaderCase", [](Action& a) { a.idempotency_header = "idempotency-key"; }},
};

INSTANTIATE_TEST_SUITE_P(Table, DoesNotCount, testing::ValuesIn(neutral),
                         [](const auto& row) { return row.param.name; });

TEST(FingerprintHeaders, AreThoseOfTheContract) {
    const std::vector<std::string_view> want{"content-type",
                                             "content-encoding",
                                             "if-match",
                                             "if-none-match",
                                             "range",
                                             "content-range",
                                             "prefer",
                                             "destination",
                                             "soapaction",
                                             "x-amz-target",
                                             "x-http-method-override",
                                             "upload-offset",
                                             "stripe-account",
                                             "cookie"};
    const auto names = fingerprint_headers();
    EXPECT_EQ(std::vector<std::string_view>(names.begin(), names.end()), want);
}

TEST(FingerprintHeaders, EachOneCountsAndAbsentIsNotEmpty) {
    Action bare;
    bare.headers.clear();
    std::set<Digest> seen{bare.digest()};
    for (const std::string_view name : fingerprint_headers()) {
        for (const std::string_view value : {"", "x", "y"}) {
            Action with = bare;
            with.headers.emplace_back(name, value);
            EXPECT_TRUE(seen.insert(with.digest()).second) << name << ": " << value;
        }
    }
}

TEST(FingerprintHeaders, EveryOtherOneIsIgnored) {
    for (const std::string_view name : {"traceparent",
                                        "tracestate",
                                        "baggage",
                                        "X-Request-Id",
                                        "X-B3-TraceId",
                                        "X-Amzn-Trace-Id",
                                        "X-Stainless-Retry-Count",
                                        "amz-sdk-invocation-id",
                                        "amz-sdk-request",
                                        "X-Retry-Count",
                                        "User-Agent",
                                        "Accept",
                                        "Accept-Encoding",
                                        "Date",
                                        "Authorization",
                                        "Sworn-Token",
                                        "Sworn-Operation-Id",
                                        "Connection",
                                        "Content-Typ",
                                        "Content-Types",
                                        "Idempotency-Key"}) {
        Action with;
        with.headers.emplace_back(name, "anything");
        EXPECT_EQ(with.digest(), Action{}.digest()) << name;
    }
}

TEST(Fingerprint, AKeyThatTheBrokerGeneratedLeavesNoTrace) {
    Action without_contract;
    without_contract.idempotency_key.clear();
    without_contract.idempotency_header.clear();
    Action with_generated_key;  // Only the caller's own key is handed in, and there is none.
    with_generated_key.idempotency_key.clear();
    EXPECT_EQ(with_generated_key.digest(), without_contract.digest());
}

struct SshAction {
    std::string host = "build.example.test";
    std::uint16_t port = 22;
    std::string user = "deploy";
    std::string request_type = "exec";
    std::string command = "deploy web";
    std::vector<HeaderPair> env{{"LANG", "C"}, {"STAGE", "1"}};
    std::string credential = "deploy-key";
    std::optional<Digest> stdin_digest = sha256("input");

    [[nodiscard]] Digest digest() const {
        SshFingerprintInput input;
        input.host = host;
        input.port = port;
        input.user = user;
        input.request_type = request_type;
        input.command = command;
        input.env = env;
        input.credential_id = credential;
        input.stdin_digest = stdin_digest;
        return ssh_fingerprint(input);
    }
};

struct SshChange {
    std::string name;
    std::function<void(SshAction&)> apply;
};

class SshCounts : public testing::TestWithParam<SshChange> {};

TEST_P(SshCounts, AndChangesTheFingerprint) {
    SshAction changed;
    GetParam().apply(changed);
    EXPECT_NE(changed.digest(), SshAction{}.digest());
    EXPECT_EQ(changed.digest(), changed.digest());
}

const SshChange ssh_counting[] = {
    {"Host", [](SshAction& a) { a.host = "build2.example.test"; }},
    {"Port", [](SshAction& a) { a.port = 2222; }},
    {"User", [](SshAction& a) { a.user = "root"; }},
    {"RequestType", [](SshAction& a) { a.request_type = "subsystem"; }},
    {"Command", [](SshAction& a) { a.command = "deploy api"; }},
    {"CommandBlank", [](SshAction& a) { a.command = "deploy  web"; }},
    {"CommandEnd", [](SshAction& a) { a.command += '\0'; }},
    {"EnvValue", [](SshAction& a) { a.env[1].second = "2"; }},
    {"EnvName", [](SshAction& a) { a.env[0].first = "LC_ALL"; }},
    {"EnvGone", [](SshAction& a) { a.env.pop_back(); }},
    {"EnvOrder", [](SshAction& a) { std::swap(a.env[0], a.env[1]); }},
    {"EnvBoundary",
     [](SshAction& a) {
         a.env[0] = {"LANGC", ""};
     }},
    {"EnvToCredential",
     [](SshAction& a) {
         a.env.clear();
         a.credential = "LANGCSTAGE1deploy-key";
     }},
    {"Credential", [](SshAction& a) { a.credential = "other-key"; }},
    {"Stdin", [](SshAction& a) { a.stdin_digest = sha256("other"); }},
    {"StdinNotSpooled", [](SshAction& a) { a.stdin_digest.reset(); }},
    {"StdinEmpty", [](SshAction& a) { a.stdin_digest = sha256(""); }},
    {"UserToRequestType",
     [](SshAction& a) {
         a.user = "deploye";
         a.request_type = "xec";
     }},
};

INSTANTIATE_TEST_SUITE_P(Table, SshCounts, testing::ValuesIn(ssh_counting),
                         [](const auto& row) { return row.param.name; });

TEST(SshFingerprint, AnEmptyStdinIsNotAStdinThatWasNotSpooled) {
    SshAction empty;
    empty.stdin_digest = sha256("");
    SshAction none;
    none.stdin_digest.reset();
    EXPECT_NE(empty.digest(), none.digest());
}

/// Fingerprints are on disk: another value for the same action needs a new domain version. These
/// were computed apart from this code.
TEST(Fingerprint, IsStable) {
    EXPECT_EQ(Action{}.digest().text(),
              "sha256:6da0befc2fbcd01f55340d60e08bf10a45811d3b709bb9025bfdb52152db014e");
    EXPECT_EQ(SshAction{}.digest().text(),
              "sha256:cb35f0871b30807fc7648c3bc687896983db936814bf337855e2dfec0bbe5356");
}

}  // namespace
}  // namespace sworn
