#include "proxy/contract/request_plan.h"

#include <gtest/gtest.h>

#include "tests/proxy/contract/sample.h"

namespace sworn::contract {
namespace {

using Kind = Segment::Kind;

RequestPlan plan_with(std::vector<Segment> head) {
    RequestPlan plan;
    plan.head = std::move(head);
    plan.body_digest = sha256("body");
    plan.body_size = 4;
    plan.origin_host = "api.example.test";
    return plan;
}

RequestPlan base() {
    return plan_with({{Kind::text, "GET / HTTP/1.1\r\nAuthorization: "},
                      {Kind::secret, ""},
                      {Kind::text, "\r\n\r\n"}});
}

TEST(RequestPlan, TheDigestCoversEverythingThatIsSent) {
    const auto digest = base().request_digest();
    EXPECT_EQ(base().request_digest(), digest);
    struct Case {
        const char* what;
        void (*change)(RequestPlan&);
    };
    for (const Case& one : {
             Case{"head", [](RequestPlan& p) { p.head[0].text[0] = 'P'; }},
             Case{"tail", [](RequestPlan& p) { p.head[2].text += "x"; }},
             Case{"secret's place", [](RequestPlan& p) { std::swap(p.head[0], p.head[1]); }},
             Case{"no secret", [](RequestPlan& p) { p.head[1].kind = Kind::text; }},
             Case{"two secrets",
                  [](RequestPlan& p) {
                      p.head.push_back({Kind::secret, ""});
                  }},
             Case{"body", [](RequestPlan& p) { p.body_digest = sha256("Body"); }},
             Case{"size", [](RequestPlan& p) { p.body_size = 5; }},
             Case{"host", [](RequestPlan& p) { p.origin_host = "b.example.test"; }},
             Case{"port", [](RequestPlan& p) { p.origin_port = 444; }},
             Case{"tls", [](RequestPlan& p) { p.tls = false; }},
         }) {
        auto plan = base();
        one.change(plan);
        EXPECT_NE(plan.request_digest(), digest) << one.what;
    }
}

TEST(RequestPlan, NoTextImitatesTheSecretsPlace) {
    const auto digest = base().request_digest();
    const std::string before = "GET / HTTP/1.1\r\nAuthorization: ";
    for (const std::string mark : {"secret", "<secret>", "{secret}", "text", "body"}) {
        EXPECT_NE(plan_with({{Kind::text, before + mark + "\r\n\r\n"}}).request_digest(), digest);
        EXPECT_NE(plan_with({{Kind::text, before}, {Kind::text, mark}, {Kind::text, "\r\n\r\n"}})
                      .request_digest(),
                  digest);
    }
}

TEST(RequestPlan, HowTextIsCutDoesNotCount) {
    const auto cut = plan_with({{Kind::text, "GET / HTTP/1.1\r\n"},
                                {Kind::text, "Authorization: "},
                                {Kind::secret, ""},
                                {Kind::text, "\r\n"},
                                {Kind::text, "\r\n"}});
    EXPECT_EQ(cut.request_digest(), base().request_digest());
}

TEST(RequestPlan, WhatStandsInASecretSegmentIsNeverHashed) {
    auto plan = base();
    plan.head[1].text = "a value that must not be here";
    EXPECT_EQ(plan.request_digest(), base().request_digest());
}

TEST(RequestPlan, TheHeadHasOneOrder) {
    const auto credential = test::sample_credential();
    const Fields fields{{"B", "1"}, {"Via", "1.0 inner"}, {"A", "2"}};
    const Field key{"Idempotency-Key", "req_1"};
    RequestPlan plan;
    plan.head = build_head({.method = "POST",
                            .path = "/v1/x?y",
                            .authority = "api.example.test",
                            .fields = fields,
                            .injection = &credential.inject,
                            .generated_key = &key,
                            .via = "sworn",
                            .content_length = 12});
    EXPECT_EQ(test::head_text(plan),
              "POST /v1/x?y HTTP/1.1\r\nHost: api.example.test\r\nB: 1\r\nVia: 1.0 inner\r\n"
              "A: 2\r\nIdempotency-Key: req_1\r\nAuthorization: Bearer <secret>\r\n"
              "Via: 1.1 sworn\r\nContent-Length: 12\r\n\r\n");
    EXPECT_EQ(plan.head.size(), 3u);
}

TEST(RequestPlan, WithoutInjectionOrBodyTheHeadIsOneRunOfText) {
    RequestPlan plan;
    const Fields none;
    plan.head = build_head(
        {.method = "GET", .path = "/", .authority = "a.test:8080", .fields = none, .via = "edge"});
    EXPECT_EQ(test::head_text(plan),
              "GET / HTTP/1.1\r\nHost: a.test:8080\r\nVia: 1.1 edge\r\n\r\n");
    EXPECT_EQ(plan.head.size(), 1u);
}

TEST(RequestPlan, BasicAndQueryHaveTheirPlaces) {
    struct Case {
        config::Injection::Kind kind;
        const char* name;
        const char* path;
        const char* expected;
    };
    using enum config::Injection::Kind;
    for (const Case& one : {
             Case{basic, "", "/x",
                  "GET /x HTTP/1.1\r\nHost: h\r\nAuthorization: Basic <secret>\r\n"},
             Case{query, "key", "/x", "GET /x?key=<secret> HTTP/1.1\r\nHost: h\r\n"},
             Case{query, "key", "/x?a=1", "GET /x?a=1&key=<secret> HTTP/1.1\r\nHost: h\r\n"},
             Case{query, "a b&", "/x", "GET /x?a%20b%26=<secret> HTTP/1.1\r\nHost: h\r\n"},
             Case{client_cert, "", "/x", "GET /x HTTP/1.1\r\nHost: h\r\n"},
         }) {
        config::Injection injection;
        injection.kind = one.kind;
        injection.query = one.name;
        const Fields fields;
        RequestPlan plan;
        plan.head = build_head({.method = "GET",
                                .path = one.path,
                                .authority = "h",
                                .fields = fields,
                                .injection = &injection,
                                .via = "sworn"});
        EXPECT_EQ(test::head_text(plan), std::string{one.expected} + "Via: 1.1 sworn\r\n\r\n");
    }
}

}  // namespace
}  // namespace sworn::contract
