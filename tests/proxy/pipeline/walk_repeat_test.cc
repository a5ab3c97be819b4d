// What a second request gets: by token, by idempotency key, blindly, or knowingly.
#include <boost/json/array.hpp>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <thread>

#include "tests/support/broker_rig.h"

namespace sworn::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* settled = "result_delivery committed never null";
constexpr const char* key_contract =
    "idempotency: {header: Idempotency-Key, scope: pay, retention: 24h, generate: true, "
    "verified: {by: ops, on: 2026-11-01}}";
constexpr const char* own_key = "Idempotency-Key: k-1\r\n";
constexpr const char* token = "Sworn-Token: t-1\r\n";

BrokerRig::Setup with_route(std::string route) {
    BrokerRig::Setup setup;
    setup.route = std::move(route);
    return setup;
}

std::string outcomes(const boost::json::object& view) {
    std::string all;
    for (const auto& one : view.at("generations").as_array()) {
        if (!all.empty()) all += " ";
        all += one.as_object().at("outcome").as_string();
    }
    return all;
}

TEST(Repeat, ATokenBringsTheStoredResult) {
    BrokerRig rig;
    rig.upstream.will(answer(201, "made", "X-Kind: thing\r\nSworn-Outcome: lies\r\n"));
    const auto first = rig.ask(post(token));
    const auto again = rig.ask(post(token));
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.body, "made");
    EXPECT_EQ(again.field("X-Kind"), "thing");
    EXPECT_EQ(again.field("Sworn-Replayed"), "?1");
    EXPECT_EQ(again.field("Sworn-Outcome"), first.field("Sworn-Outcome"));
    EXPECT_EQ(again.field("Proxy-Status"), first.field("Proxy-Status"));
    EXPECT_EQ(again.field("Via"), "1.1 sworn");
    EXPECT_EQ(again.id(), first.id());
    EXPECT_EQ(rig.upstream.count(), 1U);
    EXPECT_EQ(rig.ids().size(), 1U);
}

TEST(Repeat, ATokenOfAnUnknownBringsItsEnvelope) {
    BrokerRig rig;
    rig.upstream.will(Reply{}.fin());
    const auto first = rig.ask(post(token));
    const auto again = rig.ask(post(token));
    EXPECT_EQ(again.error(), first.error());
    EXPECT_EQ(again.status, 502);
    EXPECT_EQ(again.id(), first.id());
    EXPECT_EQ(again.field("Sworn-Replayed"), "?1");
    EXPECT_EQ(again.field("X-Should-Retry"), "false");
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Repeat, ATokenStandsForOneRequest) {
    BrokerRig rig;
    const auto first = rig.ask(post(token, "amount=1"));
    const auto other = rig.ask(post(token, "amount=2"));
    EXPECT_EQ(other.status, 422);
    EXPECT_EQ(other.error(), "IDEMPOTENCY_MISMATCH validation not_attempted after_correction");
    EXPECT_EQ(rig.upstream.count(), 1U);
    EXPECT_EQ(rig.ids_of_token("t-1"), std::vector<std::string>{first.id()});
}

TEST(Repeat, TokensBelongToTheirCaller) {
    ::setenv("SWORN_RIG_ONE", "token-of-one", 1);
    ::setenv("SWORN_RIG_TWO", "token-of-two", 1);
    BrokerRig::Setup setup;
    setup.top =
        "callers: [{id: one, token: {env: SWORN_RIG_ONE}}, {id: two, token: {env: "
        "SWORN_RIG_TWO}}]\n";
    BrokerRig rig{setup};
    const std::string t{token};
    const auto one = rig.ask(post(t + "Proxy-Authorization: Bearer token-of-one\r\n"));
    const auto two = rig.ask(post(t + "Proxy-Authorization: Bearer token-of-two\r\n"));
    EXPECT_EQ(one.status, 200);
    EXPECT_EQ(two.status, 200);
    EXPECT_NE(one.id(), two.id());
    EXPECT_FALSE(two.has("Sworn-Replayed"));
    EXPECT_EQ(rig.upstream.count(), 2U);
    EXPECT_EQ(rig.ids_of_token("t-1", "one"), std::vector<std::string>{one.id()});
    EXPECT_EQ(rig.ids_of_token("t-1", "two"), std::vector<std::string>{two.id()});
    const auto nobody = rig.ask(post());
    EXPECT_EQ(nobody.status, 407);
    EXPECT_TRUE(nobody.has("Proxy-Authenticate"));
    EXPECT_EQ(nobody.error(), "CALLER_NOT_AUTHORIZED validation not_attempted after_correction");
}

TEST(Repeat, AKeyOfAnotherCallerIsAMismatch) {
    ::setenv("SWORN_RIG_ONE", "token-of-one", 1);
    ::setenv("SWORN_RIG_TWO", "token-of-two", 1);
    auto setup = with_route(key_contract);
    setup.top =
        "callers: [{id: one, token: {env: SWORN_RIG_ONE}}, {id: two, token: {env: "
        "SWORN_RIG_TWO}}]\n";
    BrokerRig rig{setup};
    const std::string key{own_key};
    const auto one = rig.ask(post(key + "Proxy-Authorization: Bearer token-of-one\r\n"));
    const auto two = rig.ask(post(key + "Proxy-Authorization: Bearer token-of-two\r\n"));
    EXPECT_EQ(one.status, 200);
    EXPECT_EQ(two.error(), "IDEMPOTENCY_MISMATCH validation not_attempted after_correction");
    EXPECT_EQ(two.body.find(one.id()), std::string::npos);
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Repeat, FiveCallersWithOneTokenSendOnce) {
    for (const std::size_t threads : {1U, 2U}) {
        BrokerRig::Setup setup;
        setup.threads = threads;
        BrokerRig rig{setup};
        Gate answers;
        rig.upstream.will(
            Reply{}.wait(answers).send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npaid"));
        std::vector<RawCaller> callers;
        for (int i = 0; i < 5; ++i) {
            callers.push_back(rig.caller());
            callers.back().send(post(token));
        }
        rig.upstream.wait_for_requests(1);
        answers.open();
        std::set<std::string> seen;
        int replayed = 0;
        for (auto& one : callers) {
            const auto response = one.read_response();
            seen.insert(std::to_string(response.status) + response.body + response.id());
            replayed += response.has("Sworn-Replayed") ? 1 : 0;
        }
        EXPECT_EQ(seen, std::set<std::string>{"200paid" + rig.newest_of(1)});
        EXPECT_EQ(replayed, 4);
        EXPECT_EQ(rig.upstream.count(), 1U);
        EXPECT_EQ(rig.ids().size(), 1U);
    }
}

TEST(Repeat, TheFirstCallerMayLeaveWhileAnotherWaits) {
    BrokerRig rig;
    Gate answers;
    rig.upstream.will(
        Reply{}.wait(answers).send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndata"));
    auto first = rig.caller();
    first.send(get(token));
    rig.upstream.wait_for_requests(1);
    auto second = rig.caller();
    second.send(get(token));
    rig.wait_for_joiner(rig.newest_of(1));
    first.reset();
    answers.open();
    const auto response = second.read_response();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "data");
    EXPECT_EQ(rig.upstream.count(), 1U);
    EXPECT_EQ(rig.events(response.id()).find("CALLER_CANCELLED"), std::string::npos);
}

TEST(Repeat, ARefusedConnectionLeavesRoomForAnotherGeneration) {
    BrokerRig::Setup setup;
    setup.refusing = true;
    BrokerRig rig{setup};
    const auto first = rig.ask(post(token));
    EXPECT_EQ(first.status, 502);
    EXPECT_EQ(first.error(), "CONNECTION_FAILED connection_setup not_attempted backoff");
    EXPECT_EQ(first.field("Proxy-Status"), "sworn;error=connection_refused");
    EXPECT_TRUE(first.has("Retry-After"));
    EXPECT_FALSE(first.has("X-Should-Retry"));
    rig.upstream.start_listening();
    const auto second = rig.ask(post(token));
    EXPECT_EQ(second.status, 200);
    EXPECT_EQ(second.id(), first.id());
    EXPECT_EQ(rig.state(first.id()), settled);
    EXPECT_EQ(outcomes(rig.view(first.id())), "not_attempted committed");
    const auto attempts = rig.evidence(first.id())["attempts"].as_array();
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_EQ(attempts[0].as_object().at("code"), "ECONNREFUSED");
    EXPECT_EQ(attempts[1].as_object().at("generation"), 2);
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Repeat, AChangedRouteNeedsANewInvocation) {
    BrokerRig::Setup setup;
    setup.refusing = true;
    BrokerRig rig{setup};
    const auto first = rig.ask(post(token));
    rig.upstream.start_listening();
    rig.reload("redact: false");
    const auto second = rig.ask(post(token));
    EXPECT_EQ(second.status, 200);
    EXPECT_NE(second.id(), first.id());
    EXPECT_EQ(rig.view(second.id())["previous"].as_string(), first.id());
    EXPECT_EQ(rig.state(first.id()), "validation not_attempted after_correction SNAPSHOT_MISMATCH");
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Repeat, AMissingSecretThatIsThereLaterGivesANewInvocation) {
    BrokerRig rig;
    rig.remove_secret();
    const auto first = rig.ask(post(token));
    EXPECT_EQ(first.status, 500);
    EXPECT_EQ(first.error(),
              "CREDENTIAL_MISSING credential_injection not_attempted after_correction");
    EXPECT_EQ(rig.upstream.count(), 0U);
    rig.write_secret(rig_secret);
    const auto second = rig.ask(post(token));
    EXPECT_EQ(second.status, 200);
    const std::vector<std::string> both{second.id(), first.id()};
    EXPECT_EQ(rig.ids_of_token("t-1"), both);
    EXPECT_EQ(rig.view(second.id())["previous"].as_string(), first.id());
}

TEST(Repeat, AGeneratedKeyDoesNotAllowABlindRepeat) {
    BrokerRig rig{with_route(key_contract)};
    rig.upstream.will(Reply{}.reset());
    const auto cut = rig.ask(post());
    EXPECT_EQ(cut.error(), "REMOTE_OUTCOME_UNKNOWN remote_execution unknown same_idempotency_key");
    EXPECT_NE(rig.upstream.request(0).find("Idempotency-Key: "), std::string::npos);
    const auto blind = rig.ask(post());
    EXPECT_EQ(blind.error(), "UNRESOLVED_DUPLICATE validation not_attempted reconcile");
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Repeat, AGeneratedKeyIsSentAgainUnderTheToken) {
    BrokerRig rig{with_route(key_contract)};
    rig.upstream.will(Reply{}.reset());
    const auto cut = rig.ask(post(token));
    const auto again = rig.ask(post(token));
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.id(), cut.id());
    const auto key_of = [](const std::string& bytes) {
        const auto at = bytes.find("Idempotency-Key: ");
        return bytes.substr(at, bytes.find("\r\n", at) - at);
    };
    EXPECT_EQ(key_of(rig.upstream.request(0)), key_of(rig.upstream.request(1)));
    EXPECT_EQ(rig.state(cut.id()), settled);
}

TEST(Repeat, TheCallersOwnKeyMaySettleWhatWasCut) {
    BrokerRig rig{with_route(key_contract)};
    rig.upstream.will(Reply{}.reset());
    const auto cut = rig.ask(post(own_key));
    EXPECT_FALSE(cut.has("X-Should-Retry"));
    EXPECT_FALSE(rig.guarded(cut.id()));
    const auto again = rig.ask(post(own_key));
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(rig.state(cut.id()), settled);
    EXPECT_EQ(outcomes(rig.view(cut.id())), "unknown committed");
    EXPECT_EQ(rig.upstream.count(), 2U);
}

TEST(Repeat, ARefusedConnectionDoesNotSettleWhatWasCut) {
    BrokerRig rig{with_route(key_contract)};
    rig.upstream.will(Reply{}.reset());
    const auto cut = rig.ask(post(own_key));
    rig.upstream.stop_listening();
    const auto again = rig.ask(post(own_key));
    EXPECT_EQ(again.id(), cut.id());
    EXPECT_EQ(rig.state(cut.id()),
              "remote_execution unknown same_idempotency_key REMOTE_OUTCOME_UNKNOWN");
    EXPECT_EQ(outcomes(rig.view(cut.id())), "unknown not_attempted");
}

TEST(Repeat, ARefusalForNowIsRepeatedWhenItIsDue) {
    BrokerRig rig{with_route(key_contract)};
    rig.upstream.will(answer(429, "slow", "Retry-After: 60\r\n"));
    const auto first = rig.ask(post(own_key));
    EXPECT_EQ(rig.state(first.id()), "remote_execution rejected backoff REMOTE_REJECTED");
    EXPECT_EQ(first.field("Retry-After"), "60");
    const auto early = rig.ask(post(own_key));
    EXPECT_EQ(early.status, 429);
    EXPECT_EQ(early.field("Sworn-Replayed"), "?1");
    rig.clock.move(61s);
    EXPECT_EQ(rig.ask(post(own_key)).status, 200);
    EXPECT_EQ(rig.state(first.id()), settled);
    EXPECT_EQ(rig.upstream.count(), 2U);
}

TEST(Repeat, ARefusalForNowIsReplayedAlsoAfterARefusedConnection) {
    BrokerRig rig{with_route(key_contract)};
    rig.upstream.will(answer(429, "slow", "Retry-After: 1\r\nConnection: close\r\n").fin());
    const auto first = rig.ask(post(own_key));
    EXPECT_EQ(first.status, 429);
    rig.upstream.stop_listening();
    rig.clock.move(2s);
    const auto refused = rig.ask(post(own_key));
    EXPECT_EQ(refused.id(), first.id());
    EXPECT_EQ(outcomes(rig.view(first.id())), "rejected not_attempted");
    EXPECT_EQ(rig.ask(post(own_key)).id(), first.id());
    // The third generation was the last one; what is left is the answer that decides.
    const auto replayed = rig.ask(post(own_key));
    EXPECT_EQ(replayed.status, 429);
    EXPECT_EQ(replayed.body, "slow");
    EXPECT_EQ(replayed.field("Sworn-Replayed"), "?1");
    EXPECT_EQ(rig.state(first.id()), "remote_execution rejected never REMOTE_REJECTED");
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Repeat, AKnowingRepeatIsRecordedAsForced) {
    BrokerRig rig{with_route("forced_repeat: caller")};
    rig.upstream.will(Reply{}.reset());
    const auto cut = rig.ask(post());
    const std::string despite =
        "Sworn-Repeat-Despite-Unknown: " + cut.id() + "; reason=\"looked\"\r\n";
    const auto again = rig.ask(post(despite));
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.id(), cut.id());
    EXPECT_EQ(rig.upstream.count(), 2U);
    const auto leases = rig.forced_by(cut.id());
    EXPECT_EQ(leases, std::vector<std::string>{"local: looked"});
}

TEST(Repeat, AKnowingRepeatIsLeftToTheOperatorByDefault) {
    BrokerRig rig;
    rig.upstream.will(Reply{}.reset());
    const auto cut = rig.ask(post());
    const std::string despite =
        "Sworn-Repeat-Despite-Unknown: " + cut.id() + "; reason=\"looked\"\r\n";
    const auto again = rig.ask(post(despite));
    EXPECT_EQ(again.error(), "FORBIDDEN_HEADER validation not_attempted after_correction");
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Repeat, NothingStopsARepeatOfWhatIsDeclaredIdempotent) {
    BrokerRig rig{with_route("semantics: idempotent")};
    rig.upstream.will(Reply{}.reset());
    const auto cut = rig.ask(post());
    EXPECT_EQ(cut.error(), "REMOTE_OUTCOME_UNKNOWN remote_execution unknown backoff");
    EXPECT_TRUE(cut.has("Retry-After"));
    EXPECT_FALSE(cut.has("X-Should-Retry"));
    EXPECT_EQ(rig.ask(post()).status, 200);
}

}  // namespace
}  // namespace sworn::test
