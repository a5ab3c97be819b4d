// Callers that leave: before the dispatch, while the exchange runs, and before the answer; and what
// stops, or does not stop, their next request.
#include <gtest/gtest.h>

#include "tests/support/broker_rig.h"

namespace sworn::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* settled = "result_delivery committed never null";
constexpr const char* not_delivered = "result_delivery committed fetch_result DELIVERY_FAILED";
constexpr const char* running = "remote_execution unknown fetch_result null running";
constexpr const char* running_cancelled =
    "remote_execution unknown fetch_result CALLER_CANCELLED running";

std::string body_of(const Response& response) {
    return std::to_string(response.status) + " " + response.body;
}

/// A port that lets nobody in: its queue is full and nobody accepts.
class StuckPort {
public:
    [[nodiscard]] std::uint16_t port() const { return listener_.port(); }

private:
    Listener listener_{"127.0.0.1", 0};
    RawCaller first_{listener_.port()};
};

TEST(Walk, ACallerThatResetsWhileConnectingSendsNothing) {
    StuckPort stuck;
    BrokerRig::Setup setup;
    setup.port = stuck.port();
    setup.route = "timeouts: {connect: 300ms}";
    BrokerRig rig{setup};
    auto caller = rig.caller();
    caller.send(post());
    const auto id = rig.newest_of(1);
    caller.reset();
    constexpr const char* stopped = "connection_setup not_attempted never CALLER_CANCELLED";
    EXPECT_EQ(rig.state_becomes(id, stopped), stopped);
    EXPECT_EQ(rig.evidence(id)["dispatch_started"], false);
}

/// A caller whose request is at the origin, which does not answer yet.
class Asked {
public:
    explicit Asked(BrokerRig& rig, std::string_view fields = "") : caller{rig.caller()} {
        rig.upstream.will(
            Reply{}.wait(answers).send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npaid"));
        caller.send(post(fields));
        rig.upstream.wait_for_requests(1);
        id = rig.newest_of(1);
    }
    ~Asked() { answers.open(); }

    Gate answers;
    RawCaller caller;
    std::string id;
};

TEST(Walk, ACallerThatResetsDuringTheExchangeIsNotWaitedFor) {
    BrokerRig rig;
    Asked asked{rig};
    asked.caller.reset();
    EXPECT_EQ(rig.state_becomes(asked.id, running_cancelled), running_cancelled);
    EXPECT_EQ(rig.ask(post()).error(), "UNRESOLVED_DUPLICATE validation not_attempted reconcile");
    asked.answers.open();
    EXPECT_EQ(rig.state_becomes(asked.id, not_delivered), not_delivered);
    EXPECT_EQ(rig.ask(post()).status, 424);
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Walk, AFinWhileTheExchangeRunsArmsTheGuard) {
    BrokerRig rig;
    Asked asked{rig};
    EXPECT_FALSE(rig.guarded(asked.id));
    asked.caller.close();
    EXPECT_TRUE(rig.becomes_guarded(asked.id));
    EXPECT_EQ(rig.state(asked.id), running);
    EXPECT_EQ(rig.ask(post()).status, 424);
    asked.answers.open();
    EXPECT_EQ(rig.state_becomes(asked.id, not_delivered), not_delivered);
    EXPECT_EQ(rig.ask(post()).status, 424);
    EXPECT_EQ(rig.upstream.count(), 1U);
}

TEST(Walk, AHalfClosedCallerGetsItsAnswer) {
    BrokerRig rig;
    Asked asked{rig};
    asked.caller.fin();
    EXPECT_TRUE(rig.becomes_guarded(asked.id));
    asked.answers.open();
    EXPECT_EQ(body_of(asked.caller.read_response()), "200 paid");
    EXPECT_EQ(rig.state_becomes(asked.id, settled), settled);
    // Its FIN came before the answer, so it confirms nothing.
    EXPECT_FALSE(rig.evidence(asked.id).contains("delivery"));
}

TEST(Walk, AFinBehindTwoPipelinedRequestsArmsTheGuardOfTheSecond) {
    BrokerRig rig;
    Gate answers;
    rig.upstream.will(answer(200, "one"));
    rig.upstream.will(Reply{}.wait(answers).send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    auto caller = rig.caller();
    caller.send(post("", "amount=1") + post("", "amount=2")).fin();
    rig.upstream.wait_for_requests(2);
    EXPECT_TRUE(rig.becomes_guarded(rig.newest_of(2)));
    EXPECT_EQ(rig.ask(post("", "amount=2")).status, 424);
    answers.open();
    EXPECT_EQ(caller.read_response().body, "one");
    EXPECT_EQ(caller.read_response().status, 200);
}

TEST(Walk, ALostAnswerIsFetchedByItsToken) {
    BrokerRig rig;
    Asked asked{rig, "Sworn-Token: t-1\r\n"};
    asked.caller.reset();
    EXPECT_EQ(rig.state_becomes(asked.id, running_cancelled), running_cancelled);
    asked.answers.open();
    EXPECT_EQ(rig.state_becomes(asked.id, not_delivered), not_delivered);
    const auto fetched = rig.ask(post("Sworn-Token: t-1\r\n"));
    EXPECT_EQ(body_of(fetched), "200 paid");
    EXPECT_EQ(fetched.id(), asked.id);
    EXPECT_EQ(fetched.field("Sworn-Replayed"), "?1");
    EXPECT_EQ(rig.state_becomes(asked.id, settled), settled);
    EXPECT_FALSE(rig.guarded(asked.id));
    EXPECT_EQ(rig.upstream.count(), 1U);
    EXPECT_EQ(rig.ids().size(), 1U);
}

TEST(Walk, AnOperatorsReadingDeliversNothing) {
    BrokerRig rig;
    Asked asked{rig};
    asked.caller.reset();
    EXPECT_EQ(rig.state_becomes(asked.id, running_cancelled), running_cancelled);
    asked.answers.open();
    EXPECT_EQ(rig.state_becomes(asked.id, not_delivered), not_delivered);
    EXPECT_EQ(rig.stored_body(asked.id), "paid");
    EXPECT_EQ(rig.state(asked.id), not_delivered);
    EXPECT_TRUE(rig.guarded(asked.id));
}

TEST(Walk, ASafeRequestIsClosedWhenItsCallerResets) {
    BrokerRig rig;
    Gate never;
    rig.upstream.will(Reply{}.wait(never));
    auto caller = rig.caller();
    caller.send(get());
    rig.upstream.wait_for_requests(1);
    caller.reset();
    const auto id = rig.newest_of(1);
    constexpr const char* cancelled = "remote_execution unknown backoff CALLER_CANCELLED";
    EXPECT_EQ(rig.state_becomes(id, cancelled), cancelled);
    EXPECT_FALSE(rig.guarded(id));
    never.open();
}

TEST(Walk, ACallerThatResetsDuringTheDispatchAppendIsNoted) {
    BrokerRig rig;
    Gate written, reached, answers;
    rig.upstream.will(
        Reply{}.wait(answers).send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npaid"));
    rig.hold_syncs(written, reached);
    auto caller = rig.caller();
    caller.send(post());
    reached.wait();
    caller.reset();
    written.open();
    rig.upstream.wait_for_requests(1);
    const auto id = rig.newest_of(1);
    EXPECT_EQ(rig.state_becomes(id, running_cancelled), running_cancelled);
    answers.open();
    EXPECT_EQ(rig.state_becomes(id, not_delivered), not_delivered);
}

TEST(Walk, ACallerThatHasTheBodyOfAStreamHasItsResult) {
    BrokerRig rig;
    Gate ends, reached, committed;
    rig.upstream.will(chunked(200, "Content-Type: text/event-stream\r\n")
                          .send(chunk("data: 1\n\n"))
                          .wait(ends)
                          .send(std::string{last_chunk}));
    auto caller = rig.caller();
    EXPECT_TRUE(caller.send(post()).read_until("data: 1\n\n\r\n").ends_with("data: 1\n\n\r\n"));
    const auto id = rig.newest_of(1);
    rig.hold_syncs(committed, reached);
    ends.open();
    reached.wait();
    caller.close();
    committed.open();
    EXPECT_EQ(rig.state_becomes(id, settled), settled);
    EXPECT_FALSE(rig.evidence(id).contains("delivery"));
    EXPECT_FALSE(rig.guarded(id));
}

TEST(Walk, ADrainDeadlineBreaksOffWhatRuns) {
    BrokerRig rig;
    Asked asked{rig};
    rig.drain_deadline();
    const auto response = asked.caller.read_response();
    EXPECT_EQ(response.error(), "BROKER_INTERRUPTED remote_execution unknown reconcile");
    EXPECT_TRUE(rig.guarded(asked.id));
}

TEST(Walk, ADrainDeadlineDuringTheDispatchAppendLeavesTheTicketUnused) {
    BrokerRig rig;
    Gate written, reached;
    rig.hold_syncs(written, reached);
    auto caller = rig.caller();
    caller.send(post());
    reached.wait();
    rig.drain_deadline();
    written.open();
    const auto response = caller.read_response();
    EXPECT_EQ(response.error(), "BROKER_INTERRUPTED remote_execution unknown reconcile");
    EXPECT_EQ(response.evidence().at("handed_over"), false);
    EXPECT_EQ(rig.upstream.count(), 0U);
}

TEST(Walk, OneActionAtATimeIsLetInWhereOneIsAllowed) {
    BrokerRig::Setup setup;
    setup.top = "limits: {max_inflight: 1}\n";
    BrokerRig rig{setup};
    Asked asked{rig};
    const auto second = rig.ask(post("", "amount=2"));
    EXPECT_EQ(second.status, 503);
    EXPECT_EQ(second.error(), "BROKER_OVERLOADED validation not_attempted backoff");
    EXPECT_TRUE(second.has("Retry-After"));
    asked.answers.open();
    EXPECT_EQ(body_of(asked.caller.read_response()), "200 paid");
}

}  // namespace
}  // namespace sworn::test
