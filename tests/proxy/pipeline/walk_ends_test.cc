// The running broker's form of the scenarios that end with one exchange: what the caller gets,
// what the record then says, and how often the origin was asked.
#include <gtest/gtest.h>

#include "tests/support/broker_rig.h"

namespace sworn::test {
namespace {

constexpr const char* settled = "result_delivery committed never null";

bool has_stop_signs(const Response& response) {
    return response.field("X-Should-Retry") == "false" &&
           response.field("Stripe-Should-Retry") == "false" && !response.has("Retry-After");
}

class WalkOnBothStores : public testing::TestWithParam<bool> {
protected:
    static BrokerRig::Setup setup() {
        BrokerRig::Setup setup;
        setup.rocksdb = GetParam();
        return setup;
    }
};
INSTANTIATE_TEST_SUITE_P(Store, WalkOnBothStores, testing::Bool(),
                         [](const auto& named) { return named.param ? "RocksDb" : "Fake"; });

TEST_P(WalkOnBothStores, ASmallResultIsCommittedThenDelivered) {
    BrokerRig rig{setup()};
    auto caller = rig.caller();
    const auto first = caller.send(post()).read_response();
    EXPECT_EQ(first.status, 200);
    EXPECT_EQ(first.body, "done");
    EXPECT_EQ(rig.state(first.id()), settled);
    EXPECT_EQ(first.field("Sworn-Outcome"),
              "committed; phase=result_delivery; retry=never; id=\"" + first.id() + "\"");
    const auto second = caller.send(post()).read_response();
    EXPECT_EQ(second.status, 200);
    EXPECT_EQ(rig.evidence(first.id())["delivery"], "delivered");
    EXPECT_EQ(rig.upstream.count(), 2U);
}

TEST(Walk, EveryPassedOnResponseSaysWhoPassedItOn) {
    BrokerRig rig;
    const auto response = rig.ask(post());
    EXPECT_EQ(response.field("Via"), "1.1 sworn");
    EXPECT_EQ(response.field("Proxy-Status"), "sworn;received-status=200");
    EXPECT_TRUE(response.id().starts_with("act_"));
    EXPECT_NE(rig.upstream.request(0).find("Via: 1.1 sworn\r\n"), std::string::npos);
}

TEST(Walk, AHalfReceivedResultIsUnknownAndRunning) {
    BrokerRig rig;
    Gate rest;
    const std::string body(1 << 20, 'x');
    const auto whole = answer(200, body);
    rig.upstream.will(Reply{}
                          .send("HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n" +
                                body.substr(0, body.size() / 2))
                          .wait(rest)
                          .send(body.substr(body.size() / 2)));
    auto caller = rig.caller();
    const auto head = caller.send(post()).read_until("\r\n\r\n");
    const auto id = rig.newest_of(1);
    EXPECT_EQ(head.find("Sworn-Outcome"), std::string::npos);
    EXPECT_NE(head.find(id), std::string::npos);
    EXPECT_EQ(rig.state_becomes(id, "remote_execution unknown fetch_result null running"),
              "remote_execution unknown fetch_result null running");
    rest.open();
    EXPECT_EQ(caller.read(body.size()), body);
    EXPECT_EQ(rig.state_becomes(id, settled), settled);
    EXPECT_EQ(rig.stored_body(id), body);
}

TEST(Walk, AChunkedAnswerCutEarlyIsAnEnvelope) {
    BrokerRig rig;
    rig.upstream.will(chunked(200).send(chunk("half")).fin());
    const auto response = rig.ask(post());
    EXPECT_EQ(response.status, 502);
    EXPECT_EQ(response.error(), "REMOTE_RESULT_INCOMPLETE remote_execution unknown reconcile");
    EXPECT_EQ(response.field("Proxy-Status"), "sworn;error=http_response_incomplete");
    EXPECT_TRUE(has_stop_signs(response));
    EXPECT_EQ(rig.state(response.id()),
              "remote_execution unknown reconcile REMOTE_RESULT_INCOMPLETE");
    EXPECT_TRUE(rig.guarded(response.id()));
    EXPECT_EQ(response.body.find("half"), std::string::npos);
}

TEST(Walk, AChunkedAnswerCutLateIsACutStream) {
    BrokerRig rig;
    Gate begun;
    rig.upstream.will(chunked(200).send(chunk("half")).wait(begun).fin());
    auto caller = rig.caller();
    EXPECT_NE(caller.send(post()).read_until("half\r\n").find("200"), std::string::npos);
    begun.open();
    EXPECT_EQ(caller.read_to_end(), "");
    EXPECT_EQ(caller.peer_end(), PeerEnd::reset);
    const auto id = rig.newest_of(1);
    constexpr const char* cut = "remote_execution unknown reconcile REMOTE_RESULT_INCOMPLETE";
    EXPECT_EQ(rig.state_becomes(id, cut), cut);
    EXPECT_TRUE(rig.guarded(id));
}

TEST(Walk, ACutBeforeAnyHeadIsUnknown) {
    struct Case {
        const char* name;
        Reply reply;
        const char* type;
    };
    const Case cases[] = {
        {"fin", Reply{}.fin(), "sworn;error=connection_terminated"},
        {"reset", Reply{}.reset(), "sworn;error=connection_terminated"},
        {"half a head", Reply{}.send("HTTP/1.1 200 O").fin(), "sworn;error=connection_terminated"},
        {"no head at all", Reply{}.send("SSH-2.0-x\r\n\r\n"), "sworn;error=http_protocol_error"},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.name);
        BrokerRig rig;
        rig.upstream.will(one.reply);
        const auto response = rig.ask(post());
        EXPECT_EQ(response.status, 502);
        EXPECT_EQ(response.error(), "REMOTE_OUTCOME_UNKNOWN remote_execution unknown reconcile");
        EXPECT_EQ(response.field("Proxy-Status"), one.type);
        EXPECT_TRUE(has_stop_signs(response));
        EXPECT_EQ(rig.upstream.count(), 1U);
    }
}

TEST(Walk, APooledConnectionThatDiedIsSeenBeforeTheDispatch) {
    BrokerRig rig;
    EXPECT_EQ(rig.ask(post()).status, 200);
    rig.upstream.close_all_idle();
    const auto second = rig.ask(post("", "amount=2"));
    EXPECT_EQ(second.status, 200);
    EXPECT_EQ(rig.state(second.id()), settled);
    EXPECT_EQ(rig.upstream.connections(), 2U);
}

TEST(Walk, APooledConnectionIsUsedAgain) {
    BrokerRig rig;
    EXPECT_EQ(rig.ask(post()).status, 200);
    const auto second = rig.ask(post());
    EXPECT_EQ(rig.upstream.connections(), 1U);
    EXPECT_EQ(rig.evidence(second.id())["connection"].as_object()["reused"], true);
}

TEST(Walk, AConnectionThatDiesWithTheTicketUnusedStaysUnknown) {
    BrokerRig rig;
    EXPECT_EQ(rig.ask(post()).status, 200);
    std::atomic<bool> done{false};
    rig.disk().on_sync([&] {
        if (done.exchange(true)) return;
        rig.upstream.close_all_idle();
        rig.upstream.stop_listening();
    });
    const auto response = rig.ask(post("", "amount=2"));
    EXPECT_EQ(response.error(), "REMOTE_OUTCOME_UNKNOWN remote_execution unknown reconcile");
    const auto evidence = response.evidence();
    EXPECT_EQ(evidence.at("handed_over"), false);
    EXPECT_EQ(evidence.at("attempts").as_array().size(), 2U);
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Walk, ARefusalForNowIsNotRepeatedForAnUnsafeMethod) {
    BrokerRig rig;
    rig.upstream.will(answer(429, "slow", "Retry-After: 1\r\n"));
    const auto response = rig.ask(post());
    EXPECT_EQ(response.status, 429);
    EXPECT_EQ(response.body, "slow");
    EXPECT_EQ(rig.state(response.id()), "remote_execution rejected never REMOTE_REJECTED");
}

TEST(Walk, AServerErrorIsCommittedAndGuarded) {
    BrokerRig rig;
    rig.upstream.will(answer(500, "oops", "Retry-After: 3\r\nX-Should-Retry: true\r\n"));
    const auto response = rig.ask(post());
    EXPECT_EQ(response.status, 500);
    EXPECT_TRUE(has_stop_signs(response));
    EXPECT_EQ(rig.state(response.id()), "result_delivery committed reconcile null");
    EXPECT_EQ(rig.evidence(response.id())["retry_after"], "3");
    const auto repeat = rig.ask(post());
    EXPECT_EQ(repeat.status, 424);
    EXPECT_EQ(repeat.error(), "UNRESOLVED_DUPLICATE validation not_attempted reconcile");
    EXPECT_EQ(repeat.evidence().at("unresolved").as_string(), response.id());
    EXPECT_NE(repeat.body.find("sworn attest " + response.id()), std::string::npos);
    EXPECT_TRUE(has_stop_signs(repeat));
    EXPECT_EQ(rig.upstream.count(), 1U);

    rig.attest(response.id(), Finding::not_applied);
    EXPECT_EQ(rig.state(response.id()), "result_delivery committed after_correction null");
    EXPECT_EQ(rig.ask(post()).status, 200);
    EXPECT_EQ(rig.upstream.count(), 2U);
}

TEST(Walk, AServerErrorOfASafeMethodNeedsNoReconciling) {
    BrokerRig rig;
    rig.upstream.will(answer(500, "oops", "Retry-After: 3\r\n"));
    const auto response = rig.ask(get());
    EXPECT_EQ(rig.state(response.id()), settled);
    EXPECT_EQ(response.field("Retry-After"), "3");
    EXPECT_FALSE(response.has("X-Should-Retry"));
}

TEST(Walk, AFindingSettlesWhatWasCut) {
    struct Case {
        Finding finding;
        const char* state;
    };
    for (const auto& one : {Case{Finding::not_applied, "remote_execution rejected backoff null"},
                            Case{Finding::applied, "remote_execution committed never null"}}) {
        SCOPED_TRACE(one.state);
        BrokerRig rig;
        rig.upstream.will(Reply{}.reset());
        const auto cut = rig.ask(post("Sworn-Token: t\r\n"));
        rig.attest(cut.id(), one.finding);
        EXPECT_EQ(rig.state(cut.id()), one.state);
        const auto view = rig.view(cut.id());
        EXPECT_EQ(view.at("state").as_object().at("settled_by"), "operator_attested");
        const auto& generation = view.at("generations").as_array().at(0).as_object();
        EXPECT_EQ(generation.at("outcome"), "unknown");
        EXPECT_FALSE(rig.guarded(cut.id()));
        if (one.finding != Finding::applied) continue;
        const auto fetched = rig.ask(post("Sworn-Token: t\r\n"));
        EXPECT_EQ(fetched.status, 404);
        EXPECT_TRUE(fetched.error().starts_with("RESULT_NOT_RETAINED"));
        EXPECT_EQ(rig.upstream.count(), 1U);
    }
}

TEST(Walk, AGatewaysAnswerIsPassedOnAndSettlesNothing) {
    BrokerRig rig;
    rig.upstream.will(answer(502, "bad gateway", "Content-Type: text/html\r\n"));
    const auto response = rig.ask(post());
    EXPECT_EQ(response.status, 502);
    EXPECT_EQ(response.body, "bad gateway");
    EXPECT_TRUE(has_stop_signs(response));
    EXPECT_EQ(rig.state(response.id()), "remote_execution unknown reconcile INTERMEDIARY_ERROR");
    EXPECT_EQ(rig.stored_body(response.id()), std::nullopt);
    EXPECT_EQ(rig.evidence(response.id())["hop"], "status 502");
}

TEST(Walk, ALargeGatewaysAnswerLeavesNoFile) {
    BrokerRig rig;
    const std::string body(200'000, 'g');
    rig.upstream.will(answer(502, body));
    auto caller = rig.caller();
    const auto response = caller.send(post()).read_response();
    EXPECT_EQ(response.body, body);
    EXPECT_TRUE(has_stop_signs(response));
    EXPECT_EQ(caller.send(get()).read_response().status, 200);
    EXPECT_EQ(rig.state(response.id()), "remote_execution unknown reconcile INTERMEDIARY_ERROR");
    EXPECT_FALSE(rig.anywhere_on_disk(std::string(1000, 'g')));
}

TEST(Walk, ARedirectIsPassedOn) {
    for (const int status : {302, 307}) {
        BrokerRig rig;
        rig.upstream.will(answer(status, "", "Location: https://other.example/\r\n"));
        const auto response = rig.ask(post());
        EXPECT_EQ(response.status, status);
        EXPECT_EQ(response.field("Location"), "https://other.example/");
        EXPECT_EQ(rig.state(response.id()), settled);
    }
}

TEST(Walk, AnswersWithoutABodyAreComplete) {
    struct Case {
        const char *method, *head, *length;
    };
    const Case cases[] = {
        {"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 4711\r\n\r\n", "4711"},
        {"GET", "HTTP/1.1 204 No Content\r\n\r\n", ""},
        {"GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 12\r\n\r\n", "12"},
        {"GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "0"},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.head);
        BrokerRig rig;
        rig.upstream.will(Reply{}.send(one.head));
        const auto bytes = request(one.method, "/v1/x", "", "Sworn-Token: t\r\n");
        const auto response = rig.ask(bytes, one.method);
        EXPECT_TRUE(response.complete);
        EXPECT_EQ(response.field("Content-Length"), one.length);
        EXPECT_EQ(rig.state(response.id()), settled);
        const auto replay = rig.ask(bytes, one.method);
        EXPECT_EQ(replay.field("Sworn-Replayed"), "?1");
        EXPECT_EQ(replay.status, response.status);
        EXPECT_EQ(replay.field("Content-Length"), one.length);
        EXPECT_EQ(rig.upstream.count(), 1U);
    }
}

TEST(Walk, InformationalAnswersArePassedOnAndSettleNothing) {
    BrokerRig rig;
    rig.upstream.will(answer(200, "fine"));
    rig.upstream.will(
        Reply{}.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n").send("HTTP/1.1 ").fin());
    EXPECT_EQ(rig.ask(post()).status, 200);
    const auto cut = rig.ask(post("", "amount=2"));
    EXPECT_EQ(cut.informational, std::vector<int>{103});
    EXPECT_EQ(cut.error(), "REMOTE_OUTCOME_UNKNOWN remote_execution unknown reconcile");
    EXPECT_NE(rig.events(cut.id()).find("INFORMATIONAL_RESPONSE"), std::string::npos);
}

TEST(Walk, AnEarlyRefusalOfALargeBodySettlesIt) {
    BrokerRig rig;
    rig.upstream.will(answer(413, "too large", "Connection: close\r\n").before_body());
    // More than the kernel takes for a peer that does not read.
    const auto response = rig.ask(post("", std::string(32 << 20, 'b')));
    EXPECT_EQ(response.status, 413);
    EXPECT_EQ(response.body, "too large");
    EXPECT_EQ(rig.state(response.id()),
              "remote_execution rejected after_correction REMOTE_REJECTED");
    EXPECT_TRUE(rig.evidence(response.id())["request_body_sent"].is_null());
}

TEST(Walk, ALargeBodyReachesTheOriginWhole) {
    BrokerRig rig;
    const std::string body(3 << 20, 'b');
    EXPECT_EQ(rig.ask(post("", body)).status, 200);
    EXPECT_TRUE(rig.upstream.request(0).ends_with("\r\n\r\n" + body));
}

}  // namespace
}  // namespace sworn::test
