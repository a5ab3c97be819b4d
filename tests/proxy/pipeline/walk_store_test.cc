// What the disk does to an action: kills, failed syncs, results that cannot be stored, results that
// are not kept.
#include <gtest/gtest.h>

#include "tests/support/broker_rig.h"

namespace sworn::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* settled = "result_delivery committed never null";
constexpr const char* interrupted = "remote_execution unknown reconcile BROKER_INTERRUPTED";
constexpr const char* token = "Sworn-Token: t-1\r\n";
constexpr const char* shut_out = "JOURNAL_UNAVAILABLE validation not_attempted backoff";

const std::string large(200'000, 'L');

BrokerRig::Setup with_max_result(const char* size) {
    BrokerRig::Setup setup;
    setup.top = std::string{"journal: {max_result: "} + size + "}\n";
    return setup;
}

TEST(Store, AKillAfterTheDispatchLeavesItUnknown) {
    BrokerRig rig;
    Gate never;
    rig.upstream.will(Reply{}.wait(never).fin());
    auto caller = rig.caller();
    caller.send(post());
    rig.upstream.wait_for_requests(1);
    const auto id = rig.newest_of(1);
    rig.kill_and_restart();
    never.open();
    EXPECT_EQ(rig.state(id), interrupted);
    const auto evidence = rig.evidence(id);
    EXPECT_EQ(evidence.at("dispatch_started"), true);
    EXPECT_TRUE(evidence.at("request_headers_sent").is_null());
    EXPECT_TRUE(evidence.at("response_complete").is_null());
    EXPECT_EQ(rig.ask(post()).error(), "UNRESOLVED_DUPLICATE validation not_attempted reconcile");
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Store, AKillBeforeTheCommitIsDurableLeavesItUnknown) {
    BrokerRig rig;
    Gate answers, committed, reached;
    rig.upstream.will(
        Reply{}.wait(answers).send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npaid"));
    auto caller = rig.caller();
    caller.send(post());
    rig.upstream.wait_for_requests(1);
    const auto id = rig.newest_of(1);
    rig.hold_syncs(committed, reached);
    answers.open();
    reached.wait();
    EXPECT_FALSE(caller.has_bytes());
    rig.kill_and_restart(&committed);
    EXPECT_EQ(rig.state(id), interrupted);
    EXPECT_TRUE(rig.guarded(id));
}

TEST(Store, AKillAfterTheCommitLeavesTheDeliveryUnconfirmed) {
    BrokerRig rig;
    auto caller = rig.caller();
    const auto response = caller.send(post(token)).read_response();
    EXPECT_EQ(response.status, 200);
    rig.kill_and_restart();
    EXPECT_EQ(rig.state(response.id()), "result_delivery committed fetch_result null");
    EXPECT_EQ(rig.evidence(response.id())["delivery"], "unconfirmed");
    EXPECT_EQ(rig.ask(post()).status, 424);
    rig.clock.move(11min);
    EXPECT_FALSE(rig.guarded(response.id()));
    const auto fetched = rig.ask(post(token));
    EXPECT_EQ(fetched.body, "done");
    EXPECT_EQ(rig.state_becomes(response.id(), settled), settled);
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Store, AKillFarIntoALargeResultLeavesItUnknownAndNoFile) {
    BrokerRig rig;
    Gate never;
    rig.upstream.will(Reply{}
                          .send("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + large)
                          .wait(never)
                          .fin());
    auto caller = rig.caller();
    EXPECT_TRUE(caller.send(post()).read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
    EXPECT_EQ(caller.read(large.size()), large);
    const auto id = rig.newest_of(1);
    rig.kill_and_restart();
    never.open();
    EXPECT_EQ(rig.state(id), interrupted);
    EXPECT_EQ(rig.stored_body(id), std::nullopt);
    EXPECT_FALSE(rig.anywhere_on_disk(large.substr(0, 1000)));
}

TEST(Store, TheGuardSurvivesARestart) {
    BrokerRig::Setup setup;
    setup.rocksdb = true;
    BrokerRig rig{setup};
    rig.upstream.will(Reply{}.reset());
    const auto cut = rig.ask(post());
    rig.restart();
    EXPECT_EQ(rig.state(cut.id()), "remote_execution unknown reconcile REMOTE_OUTCOME_UNKNOWN");
    const auto blind = rig.ask(post());
    EXPECT_EQ(blind.status, 424);
    EXPECT_EQ(blind.evidence().at("unresolved").as_string(), cut.id());
    rig.clock.move(25h);
    EXPECT_EQ(rig.ask(post()).status, 200);
    EXPECT_EQ(rig.upstream.count(), 2U);
}

TEST(Store, AResultIsFetchedAfterARestart) {
    BrokerRig::Setup setup;
    setup.rocksdb = true;
    BrokerRig rig{setup};
    rig.upstream.will(answer(200, large, "X-Kind: thing\r\n"));
    const auto first = rig.ask(post(token));
    EXPECT_EQ(first.body, large);
    rig.restart();
    const auto again = rig.ask(post(token));
    EXPECT_EQ(again.body, large);
    EXPECT_EQ(again.field("X-Kind"), "thing");
    EXPECT_EQ(again.field("Sworn-Replayed"), "?1");
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Store, AFailedSyncOfTheDispatchHandsNothingOver) {
    BrokerRig rig;
    rig.disk().fail_sync_at(1);
    const auto response = rig.ask(post());
    EXPECT_EQ(response.status, 502);
    EXPECT_EQ(response.error(), "BROKER_INTERRUPTED remote_execution unknown reconcile");
    EXPECT_EQ(response.evidence().at("handed_over"), false);
    EXPECT_EQ(response.field("X-Should-Retry"), "false");
    EXPECT_FALSE(rig.journal().available());
    const auto next = rig.ask(post());
    EXPECT_EQ(next.status, 503);
    EXPECT_EQ(next.error(), shut_out);
    EXPECT_EQ(next.evidence().at("recorded"), false);
    EXPECT_TRUE(next.has("Retry-After"));
    EXPECT_EQ(rig.upstream.count(), 0U);
}

TEST(Store, NothingIsLetInWithoutAJournal) {
    BrokerRig rig;
    rig.disk().fail_in_background();
    for (const auto& bytes : {post(), get(), post(token), request("TRACE", "/")}) {
        const auto response = rig.ask(bytes);
        EXPECT_EQ(response.evidence().at("recorded"), false) << bytes;
        EXPECT_TRUE(response.has("Sworn-Invocation"));
        if (bytes.starts_with("TRACE")) continue;
        EXPECT_EQ(response.status, 503);
        EXPECT_EQ(response.error(), shut_out);
    }
    EXPECT_EQ(rig.upstream.count(), 0U);
}

TEST(Store, AResultThatCannotBeMadeDurableIsNotDelivered) {
    BrokerRig rig;
    rig.disk().fail_sync_at(2);
    const auto response = rig.ask(post());
    EXPECT_EQ(response.status, 502);
    EXPECT_TRUE(response.error().ends_with("remote_execution unknown reconcile"));
    EXPECT_EQ(response.evidence().at("recorded"), false);
    EXPECT_EQ(response.body.find("done"), std::string::npos);
    EXPECT_EQ(rig.ask(get()).error(), shut_out);
    rig.kill_and_restart();
    EXPECT_EQ(rig.state(response.id()), interrupted);
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Store, ACutThatCannotBeMadeDurableIsToldAllTheSame) {
    BrokerRig rig;
    rig.upstream.will(Reply{}.reset());
    rig.disk().fail_sync_at(2);
    const auto response = rig.ask(post());
    EXPECT_TRUE(response.error().ends_with("remote_execution unknown reconcile"));
    EXPECT_EQ(response.evidence().at("recorded"), false);
    rig.kill_and_restart();
    EXPECT_EQ(rig.state(response.id()), interrupted);
}

TEST(Store, ALargeResultWithoutAPlaceSettlesAndIsNotDelivered) {
    BrokerRig rig;
    rig.upstream.will(answer(200, large));
    rig.block_results();
    const auto response = rig.ask(post(token));
    EXPECT_EQ(response.status, 500);
    EXPECT_EQ(response.error(), "RESULT_STORE_FAILED result_delivery committed reconcile");
    EXPECT_EQ(response.field("X-Should-Retry"), "false");
    EXPECT_EQ(rig.state(response.id()), "result_delivery committed reconcile RESULT_STORE_FAILED");
    EXPECT_EQ(rig.evidence(response.id())["result_stored"], false);
    const auto next = rig.ask(get());
    EXPECT_EQ(next.status, 503);
    EXPECT_EQ(next.error(), shut_out);
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Store, ALargeResultIsReadBackPartByPart) {
    BrokerRig rig;
    std::string body;
    for (int i = 0; body.size() < 200'000; ++i)
        body += std::to_string(i) + " ";
    rig.upstream.will(answer(200, body));
    const auto response = rig.ask(post());
    EXPECT_EQ(response.body, body);
    EXPECT_EQ(rig.stored_body(response.id()), body);
    std::string parts;
    for (const auto& part : rig.result_parts(response.id()))
        parts += std::to_string(part.offset) + "+" + std::to_string(part.size) + " ";
    const auto rest = std::to_string(body.size() - 3 * 65536);
    EXPECT_EQ(parts, "0+65536 65536+65536 131072+65536 196608+" + rest + " ");
    for (const auto& part : rig.result_parts(response.id()))
        EXPECT_EQ(part.digest, sha256(body.substr(0, part.offset + part.size)));
}

TEST(Store, AResultOverTheBoundIsDeliveredAndNotKept) {
    for (const bool chunks : {false, true}) {
        BrokerRig rig{with_max_result("100KiB")};
        rig.upstream.will(chunks ? chunked(200).send(chunk(large)).send(std::string{last_chunk})
                                 : answer(200, large));
        const auto response = rig.ask(post(token));
        EXPECT_EQ(response.body, large);
        EXPECT_EQ(rig.state_becomes(response.id(), settled), settled);
        EXPECT_EQ(rig.stored_body(response.id()), std::nullopt);
        const auto again = rig.ask(post(token));
        EXPECT_EQ(again.status, 404);
        EXPECT_TRUE(again.error().starts_with("RESULT_NOT_RETAINED")) << again.error();
        EXPECT_EQ(rig.upstream.count(), 1U);
        EXPECT_FALSE(rig.anywhere_on_disk(large.substr(0, 1000)));
    }
}

TEST(Store, AResultOverTheBoundThatTheCallerLostMustBeReconciled) {
    BrokerRig rig{with_max_result("100KiB")};
    Gate rest;
    rig.upstream.will(Reply{}
                          .send("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n")
                          .send(large.substr(0, 1000))
                          .wait(rest)
                          .send(large.substr(1000)));
    auto caller = rig.caller();
    EXPECT_EQ(caller.send(post(token)).read(20).size(), 20U);
    const auto id = rig.newest_of(1);
    caller.reset();
    constexpr const char* cancelled =
        "remote_execution unknown fetch_result CALLER_CANCELLED running";
    EXPECT_EQ(rig.state_becomes(id, cancelled), cancelled);
    rest.open();
    constexpr const char* lost = "result_delivery committed reconcile DELIVERY_FAILED";
    EXPECT_EQ(rig.state_becomes(id, lost), lost);
    EXPECT_TRUE(rig.guarded(id));
    EXPECT_TRUE(rig.ask(post(token)).error().starts_with("RESULT_NOT_RETAINED"));
}

}  // namespace
}  // namespace sworn::test
