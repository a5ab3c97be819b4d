#include "proxy/contract/preflight.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/proxy/contract/sample.h"

namespace sworn::contract {
namespace {

using namespace std::chrono_literals;

Result<Bound> run(const HttpAction& action, config::Snapshot snapshot = test::sample_snapshot()) {
    return preflight(action, test::share(std::move(snapshot)), "2026-11+3");
}

TEST(Preflight, BindsARequestWhole) {
    auto action = test::sample_action("POST", "/v1/charges?x=1");
    action.caller = "local";
    action.fields = {{"Content-Type", "application/json"},
                     {"Authorization", "Bearer sworn"},
                     {"Idempotency-Key", "k-1"},
                     {"If-Match", "\"v1\""}};
    action.wishes.token = "t-1";
    action.wishes.operation_id = "op-1";
    action.body_digest = sha256("{}");
    action.body_size = 2;
    action.body_present = true;
    action.parent = InvocationId{};
    auto snapshot = test::sample_snapshot();
    auto& route = snapshot.routes[0];
    route.idempotency = test::sample_contract();
    route.retry.attempts = 4;
    route.retry.generations = 5;
    route.retry.deadline = 2h;
    route.guard = {.enabled = false, .window = 3h, .unconfirmed = 4min};
    route.upstream.pin = {"sha256/x"};
    const auto got = run(action, snapshot);
    ASSERT_TRUE(got);

    EXPECT_EQ(test::head_text(got->plan),
              "POST /v1/charges?x=1 HTTP/1.1\r\nHost: api.example.test\r\n"
              "Content-Type: application/json\r\nIdempotency-Key: k-1\r\nIf-Match: \"v1\"\r\n"
              "Authorization: Bearer <secret>\r\nVia: 1.1 sworn\r\nContent-Length: 2\r\n\r\n");
    EXPECT_EQ(got->plan.origin_host, "api.example.test");
    EXPECT_EQ(got->plan.origin_port, 443);
    EXPECT_TRUE(got->plan.tls);

    const auto& accepted = got->accepted;
    EXPECT_EQ(accepted.protocol, journal::Protocol::http);
    EXPECT_EQ(accepted.caller, "local");
    EXPECT_EQ(accepted.method, "POST");
    EXPECT_EQ(accepted.scheme, "http");
    EXPECT_EQ(accepted.host, "api.example.test");
    EXPECT_EQ(accepted.port, 80u);
    EXPECT_EQ(accepted.path, "/v1/charges?x=1");
    EXPECT_EQ(accepted.token, "t-1");
    EXPECT_EQ(accepted.operation_id, "op-1");
    EXPECT_EQ(accepted.parent, InvocationId{});
    EXPECT_FALSE(accepted.previous);

    const auto& validated = got->validated;
    EXPECT_EQ(validated.route, "payments");
    EXPECT_EQ(validated.route_digest, sha256("payments route"));
    EXPECT_EQ(validated.credential, "pay-key");
    EXPECT_EQ(validated.credential_version, "2026-11+3");
    EXPECT_EQ(validated.injection, "header");
    EXPECT_EQ(validated.fingerprint, accepted.fingerprint);
    EXPECT_EQ(validated.request_digest, got->plan.request_digest());
    EXPECT_EQ(validated.fingerprint_covers, "request");
    EXPECT_FALSE(validated.repeatable);
    EXPECT_FALSE(validated.safe);
    EXPECT_EQ(validated.semantics, "method");
    EXPECT_EQ(validated.key_origin, journal::KeyOrigin::caller);
    EXPECT_EQ(validated.key, "k-1");
    EXPECT_EQ(validated.key_scope, "payments.create");
    EXPECT_EQ(validated.key_lifetime, 23h);
    EXPECT_EQ(validated.remote_contract, "configured");
    EXPECT_EQ(validated.attempts_max, 4u);
    EXPECT_EQ(validated.generations_max, 5u);
    EXPECT_EQ(validated.deadline, 2h);
    EXPECT_FALSE(validated.guard);
    EXPECT_EQ(validated.guard_window, 3h);
    EXPECT_EQ(validated.guard_unconfirmed, 4min);
    EXPECT_EQ(validated.precondition, "If-Match");
    EXPECT_FALSE(validated.approval_required);
    EXPECT_FALSE(validated.request_stored);
    EXPECT_EQ(validated.peer_rule, "tls+pin");
}

TEST(Preflight, ARouteWithoutCredentialInjectsNothing) {
    auto snapshot = test::sample_snapshot();
    snapshot.routes[0].credential.clear();
    auto action = test::sample_action();
    action.fields = {{"Authorization", "Bearer mine"}};
    const auto got = run(action, snapshot);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->credential, nullptr);
    EXPECT_EQ(test::head_text(got->plan),
              "POST /v1/charges HTTP/1.1\r\nHost: api.example.test\r\n"
              "Authorization: Bearer mine\r\nVia: 1.1 sworn\r\n\r\n");
    EXPECT_EQ(got->validated.credential, "");
    EXPECT_EQ(got->validated.credential_version, "");
    EXPECT_EQ(got->validated.injection, "");
}

struct Refusal {
    const char* name;
    std::function<void(HttpAction&, config::Snapshot&)> change;
    Code code;
    const char* field;
    int status = 0;
};

TEST(Preflight, RefusesBeforeAnythingHappens) {
    const std::vector<Refusal> cases{
        {"trace", [](auto& a, auto&) { a.method = "TRACE"; }, Code::unsupported_action, "method",
         405},
        {"inner connect", [](auto& a, auto&) { a.method = "CONNECT"; }, Code::unsupported_action,
         "method", 405},
        {"lower-case method", [](auto& a, auto&) { a.method = "post"; }, Code::malformed_request,
         "method"},
        {"websocket",
         [](auto& a, auto&) {
             a.fields = {{"Upgrade", "websocket"}};
         },
         Code::unsupported_action, "Upgrade", 501},
        {"split header",
         [](auto& a, auto&) {
             a.fields = {{"X", "1\r\nY: 2"}};
         },
         Code::malformed_request, "X"},
        {"loop",
         [](auto& a, auto&) {
             a.fields = {{"Via", "1.1 sworn"}};
         },
         Code::address_forbidden, "Via"},
        {"token", [](auto& a, auto&) { a.wishes.token = "a b"; }, Code::malformed_request,
         "Sworn-Token"},
        {"no route", [](auto& a, auto&) { a.target.host = "other.test"; }, Code::target_not_allowed,
         "target"},
        {"dots", [](auto& a, auto&) { a.target.path = "/v1/../x"; }, Code::invalid_target,
         "target"},
        {"anonymous",
         [](auto&, auto& s) {
             s.callers = {{"ci", {}, {}, {}}};
         },
         Code::caller_not_authorized, "Proxy-Authorization", 407},
        {"body", [](auto& a, auto& s) { a.body_size = s.routes[0].limits.max_body + 1; },
         Code::payload_limit, "body"},
        {"unknown credential", [](auto&, auto& s) { s.credentials.clear(); },
         Code::unknown_credential, ""},
        {"ssh key",
         [](auto&, auto& s) { s.credentials[0].inject.kind = config::Injection::Kind::ssh_key; },
         Code::injection_unsupported, ""},
        {"denied header",
         [](auto& a, auto& s) {
             a.fields = {{"X-Admin", "1"}};
             s.routes[0].headers.deny = {"x-admin"};
         },
         Code::forbidden_header, "X-Admin"},
        {"own credential",
         [](auto& a, auto&) {
             a.fields = {{"authorization", "Bearer mine"}};
         },
         Code::forbidden_header, "Authorization"},
        {"alias",
         [](auto& a, auto&) {
             a.fields = {{"Sworn_Token", "t"}};
         },
         Code::forbidden_header, "Sworn_Token"},
        {"no key", [](auto&, auto& s) { s.routes[0].idempotency = test::sample_contract(); },
         Code::idempotency_key_required, "Idempotency-Key"},
        {"forced repeat", [](auto& a, auto&) { a.wishes.repeat_despite_unknown = InvocationId{}; },
         Code::forbidden_header, "Sworn-Repeat-Despite-Unknown"},
    };
    for (const Refusal& one : cases) {
        auto action = test::sample_action();
        auto snapshot = test::sample_snapshot();
        one.change(action, snapshot);
        const auto got = run(action, snapshot);
        ASSERT_FALSE(got) << one.name;
        EXPECT_EQ(got.error().code, one.code) << one.name;
        EXPECT_EQ(got.error().field.view(), one.field) << one.name;
        EXPECT_EQ(got.error().status, one.status) << one.name;
    }
}

TEST(Preflight, LimitsAndPermissionsHoldAtTheirEdge) {
    auto action = test::sample_action();
    auto snapshot = test::sample_snapshot();
    action.body_size = snapshot.routes[0].limits.max_body;
    EXPECT_TRUE(run(action, snapshot));
    action.wishes.repeat_despite_unknown = InvocationId{};
    snapshot.routes[0].caller_may_force = true;
    EXPECT_TRUE(run(action, snapshot));
}

TEST(Preflight, TheTargetSeesNothingThatBelongsToThisLeg) {
    auto action = test::sample_action();
    action.body_present = true;
    action.fields = {{"Connection", "close, X-Trace, Authorization, Host, Content-Length"},
                     {"X-Trace", "1"},
                     {"Keep-Alive", "timeout=5"},
                     {"Proxy-Authorization", "Bearer caller-token"},
                     {"Sworn-Token", "t"},
                     {"TE", "trailers"},
                     {"Trailer", "X"},
                     {"Upgrade", "h2c"},
                     {"HTTP2-Settings", "AAMA"},
                     {"Expect", "100-continue"},
                     {"Host", "evil.test"},
                     {"Content-Length", "99"},
                     {"Transfer-Encoding", "chunked"},
                     {"Accept", "*/*"}};
    const auto got = run(action);
    ASSERT_TRUE(got);
    EXPECT_EQ(test::head_text(got->plan),
              "POST /v1/charges HTTP/1.1\r\nHost: api.example.test\r\nAccept: */*\r\n"
              "Authorization: Bearer <secret>\r\nVia: 1.1 sworn\r\nContent-Length: 0\r\n\r\n");
}

TEST(Preflight, ExactlyOneCredentialLeavesWhateverCame) {
    auto snapshot = test::sample_snapshot();
    snapshot.routes[0].headers.replace = true;
    auto action = test::sample_action();
    action.fields = {{"AUTHORIZATION", "Bearer mine"}, {"authorization", "Basic x"}};
    const auto got = run(action, snapshot);
    ASSERT_TRUE(got);
    const auto head = test::head_text(got->plan);
    EXPECT_EQ(test::count_of(head, "uthorization"), 1u);
    EXPECT_EQ(head.find("mine"), std::string::npos);
    EXPECT_EQ(got->replaced_headers, (std::vector<std::string>{"Authorization"}));
}

TEST(Preflight, TheUpstreamIsDialledAndTheTargetIsNamed) {
    auto snapshot = test::sample_snapshot();
    auto& upstream = snapshot.routes[0].upstream;
    upstream.scheme = "http";
    upstream.port = 9080;
    upstream.host = "backend.internal";
    const auto got = run(test::sample_action(), snapshot);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->plan.origin_host, "backend.internal");
    EXPECT_EQ(got->plan.origin_port, 9080);
    EXPECT_FALSE(got->plan.tls);
    EXPECT_EQ(got->validated.peer_rule, "clear");
    EXPECT_NE(test::head_text(got->plan).find("Host: api.example.test\r\n"), std::string::npos);
}

TEST(Preflight, AnInjectedQueryShowsNowhereInTheRecord) {
    auto snapshot = test::sample_snapshot();
    snapshot.credentials[0].inject.kind = config::Injection::Kind::query;
    snapshot.credentials[0].inject.query = "key";
    const auto with = run(test::sample_action("GET", "/v1/x?key=sworn&a=1"), snapshot);
    const auto without = run(test::sample_action("GET", "/v1/x?a=1"), snapshot);
    ASSERT_TRUE(with);
    ASSERT_TRUE(without);
    EXPECT_EQ(with->accepted.path, "/v1/x?a=1");
    EXPECT_EQ(with->accepted.fingerprint, without->accepted.fingerprint);
    EXPECT_EQ(with->validated.request_digest, without->validated.request_digest);
    EXPECT_TRUE(test::head_text(with->plan).starts_with("GET /v1/x?a=1&key=<secret> HTTP/1.1\r\n"));
}

TEST(Preflight, AGeneratedKeyIsSentAndIsNoPartOfTheFingerprint) {
    auto snapshot = test::sample_snapshot();
    snapshot.routes[0].idempotency = test::sample_contract();
    snapshot.routes[0].idempotency->generate = true;
    const auto first = run(test::sample_action(), snapshot);
    const auto second = run(test::sample_action(), snapshot);
    ASSERT_TRUE(first);
    ASSERT_TRUE(second);
    EXPECT_EQ(first->validated.key_origin, journal::KeyOrigin::generated);
    EXPECT_NE(first->validated.key, second->validated.key);
    EXPECT_EQ(first->accepted.fingerprint, second->accepted.fingerprint);
    EXPECT_EQ(test::count_of(test::head_text(first->plan),
                             "Idempotency-Key: " + first->validated.key + "\r\n"),
              1u);

    KeySources again;
    again.generated_before = first->validated.key;
    const auto repeated =
        preflight(test::sample_action(), test::share(snapshot), "2026-11+3", again);
    ASSERT_TRUE(repeated);
    EXPECT_EQ(repeated->validated.request_digest, first->validated.request_digest);
}

TEST(Preflight, TheFingerprintTellsOperationsApartAndIgnoresTheWayTheyCame) {
    const auto base = run(test::sample_action());
    ASSERT_TRUE(base);
    struct Case {
        const char* name;
        std::function<void(HttpAction&)> change;
        bool same;
    };
    for (const Case& one : {
             Case{"by CONNECT",
                  [](HttpAction& a) {
                      a.target.scheme = "https";
                      a.target.port = 443;
                  },
                  true},
             Case{"user agent",
                  [](HttpAction& a) {
                      a.fields = {{"User-Agent", "x"}};
                  },
                  true},
             Case{"placeholder",
                  [](HttpAction& a) {
                      a.fields = {{"Authorization", "sworn"}};
                  },
                  true},
             Case{"token", [](HttpAction& a) { a.wishes.token = "t"; }, true},
             Case{"method", [](HttpAction& a) { a.method = "PATCH"; }, false},
             Case{"path", [](HttpAction& a) { a.target.path += "x"; }, false},
             Case{"query", [](HttpAction& a) { a.target.path += "?x"; }, false},
             Case{"body", [](HttpAction& a) { a.body_digest = sha256("x"); }, false},
             Case{"type",
                  [](HttpAction& a) {
                      a.fields = {{"Content-Type", "x"}};
                  },
                  false},
             Case{"cookie",
                  [](HttpAction& a) {
                      a.fields = {{"Cookie", "a=b"}};
                  },
                  false},
             Case{"own key",
                  [](HttpAction& a) {
                      a.fields = {{"Idempotency-Key", "k"}};
                  },
                  false},
         }) {
        auto action = test::sample_action();
        one.change(action);
        const auto got = run(action);
        ASSERT_TRUE(got) << one.name;
        EXPECT_EQ(got->accepted.fingerprint == base->accepted.fingerprint, one.same) << one.name;
    }
}

TEST(Preflight, PreconditionsAreRecorded) {
    struct Case {
        Fields fields;
        const char* expected;
    };
    for (const Case& one : {Case{{{"if-match", "\"1\""}}, "If-Match"},
                            Case{{{"If-None-Match", " * "}}, "If-None-Match: *"},
                            Case{{{"If-None-Match", "\"1\""}}, ""}, Case{{}, ""}}) {
        auto action = test::sample_action("PUT");
        action.fields = one.fields;
        const auto got = run(action);
        ASSERT_TRUE(got);
        EXPECT_EQ(got->validated.precondition, one.expected);
    }
}

TEST(Preflight, ApprovalsAndAutomaticRetriesStoreTheRequest) {
    struct Case {
        bool approval, automatic, stored;
    };
    for (const Case& one : {Case{false, false, false}, {true, false, true}, {false, true, true}}) {
        auto snapshot = test::sample_snapshot();
        snapshot.routes[0].approval.required = one.approval;
        snapshot.routes[0].retry.automatic = one.automatic;
        const auto got = run(test::sample_action(), snapshot);
        ASSERT_TRUE(got);
        EXPECT_EQ(got->validated.request_stored, one.stored);
        EXPECT_EQ(got->validated.approval_required, one.approval);
    }
}

TEST(Preflight, WhatSettlesAnAnswerComesFromTheBinding) {
    auto snapshot = test::sample_snapshot();
    auto& route = snapshot.routes[0];
    route.require_explicit_framing = true;
    route.retry.refused_without_effect = {429};
    route.retry.default_delay = 5s;
    route.trust_hops = {"cdn"};
    route.upstream.scheme = "http";
    route.idempotency = test::sample_contract();
    auto action = test::sample_action("PUT");
    action.fields = {{"Idempotency-Key", "k"}};
    const auto got = run(action, snapshot);
    ASSERT_TRUE(got);
    const auto operation = operation_of(*got);
    EXPECT_TRUE(operation.repeatable);
    EXPECT_FALSE(operation.safe);
    EXPECT_TRUE(operation.key_bound);
    EXPECT_TRUE(operation.require_explicit_framing);
    EXPECT_EQ(operation.refused_without_effect, (std::vector<int>{429}));
    EXPECT_EQ(operation.default_delay, 5s);
    EXPECT_EQ(operation.trust_hops, (std::vector<std::string>{"cdn"}));
    EXPECT_FALSE(operation.tls);
    EXPECT_FALSE(operation.redirect_refused);
}

}  // namespace
}  // namespace sworn::contract
