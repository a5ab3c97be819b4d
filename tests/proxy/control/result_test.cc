#include "tests/proxy/control/control_rig.h"

namespace sworn::control {
namespace {

TEST(FetchResult, GivesTheStoredBodyAsTheCallerWouldHaveGotIt) {
    ControlRig rig;
    auto action = rig.running();
    action->stage_result("\x1f\x8bzip");
    action->ledger.set_head(
        {"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
         "Set-Cookie: a=b\r\n\r\n"});
    ASSERT_TRUE(action->submit());
    const auto result = rig.get(path_of(action->id, "result"));
    EXPECT_EQ(result.status, 200);
    EXPECT_EQ(result.body, "\x1f\x8bzip");
    EXPECT_EQ(result.type, "");
    EXPECT_EQ(field_of(result, "Content-Type"), "application/json");
    EXPECT_EQ(field_of(result, "Content-Encoding"), "gzip");
    EXPECT_EQ(field_of(result, "Set-Cookie"), "(nothing)");
    EXPECT_EQ(field_of(result, "Sworn-Result-Status"), "201");
    EXPECT_EQ(field_of(result, "Sworn-Outcome"),
              "committed; phase=result_delivery; retry=never; id=\"" + action->id.text() + "\"");
}

TEST(FetchResult, IsAReadThatMayBeRepeated) {
    ControlRig rig;
    const auto action = rig.settled();
    const auto events = rig.events_of(action->id);
    EXPECT_EQ(rig.get(path_of(action->id, "result")).body, "ok");
    EXPECT_EQ(rig.get(path_of(action->id, "result")).body, "ok");
    EXPECT_EQ(rig.events_of(action->id), events);
}

TEST(FetchResult, ResumesFromAPart) {
    ControlRig rig;
    auto action = rig.running();
    action->stage_result("one,");
    action->ledger.add_part({1, journal::Stream::body, "two,"});
    action->ledger.add_part({2, journal::Stream::body, "three"});
    ASSERT_TRUE(action->submit());
    struct Row {
        const char* query;
        const char* want;
    };
    const Row table[] = {
        {"", "one,two,three"},         {"?from_part=0", "one,two,three"},
        {"?from_part=1", "two,three"}, {"?from_part=2", "three"},
        {"?from_part=3", ""},          {"?stream=stderr", ""},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.query);
        const auto result = rig.get(path_of(action->id, "result") + row.query);
        EXPECT_EQ(result.status, 200);
        EXPECT_EQ(result.body, row.want);
    }
}

TEST(FetchResult, NamesTheParameterThatIsWrong) {
    ControlRig rig;
    const auto action = rig.settled();
    struct Row {
        const char* query;
        const char* detail;
    };
    const Row table[] = {
        {"from_part=-1", "from_part"},          {"from_part=1x", "from_part"},
        {"from_part=99999999999", "from_part"}, {"stream=stdin", "stream"},
        {"part=1", "it has: from_part stream"},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.query);
        const auto refused = rig.get(path_of(action->id, "result") + "?" + row.query);
        EXPECT_EQ(refused.status, 400);
        expect_problem(refused, ControlProblem::bad_request, row.detail);
    }
}

/// An envelope with its status and the facts that callers branch on.
void expect_envelope(const Response& response, int status, std::string_view code,
                     std::string_view outcome) {
    const auto envelope = json_of(response);
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.type, problem_media_type);
    EXPECT_EQ(at(envelope, "/status"), std::to_string(status));
    EXPECT_EQ(at(envelope, "/error/code"), code);
    EXPECT_EQ(at(envelope, "/error/outcome"), outcome);
}

TEST(FetchResult, AnswersWithTheEnvelopeWhileNothingIsSettled) {
    ControlRig rig;
    const auto running = rig.running();
    const auto unknown = rig.unknown();
    const auto stopped = rig.never_sent(Code::vault_locked);
    expect_envelope(rig.get(path_of(running->id, "result")), 409, "null", "unknown");
    expect_envelope(rig.get(path_of(unknown->id, "result")), 409, "REMOTE_OUTCOME_UNKNOWN",
                    "unknown");
    expect_envelope(rig.get(path_of(stopped->id, "result")), 409, "VAULT_LOCKED", "not_attempted");
}

TEST(FetchResult, TellsABodyThatWasNeverKeptFromOneThatExpired) {
    ControlRig rig;
    auto large = rig.running();
    large->stage_response();
    journal::RemoteResponseComplete complete;
    complete.outcome = Outcome::committed;
    journal::ResultCommitted result;
    result.retained = false;
    result.bytes = 1u << 30;
    ASSERT_TRUE(large->stage(complete).stage(result).submit());
    const auto old = rig.settled();
    expect_envelope(rig.get(path_of(large->id, "result")), 404, "RESULT_NOT_RETAINED", "committed");
    EXPECT_EQ(at(json_of(rig.get(path_of(large->id, "result"))), "/error/phase"),
              "result_delivery");

    rig.journal.clock.move(std::chrono::hours{73});
    EXPECT_GE(rig.journal.journal->sweep(rig.journal.clock.now()), 1U);
    expect_envelope(rig.get(path_of(old->id, "result")), 404, "RESULT_EXPIRED", "committed");
}

TEST(FetchResult, AnswersForATombstone) {
    ControlRig rig;
    ControlRig::Action action{rig.journal};
    action.accepted.token = "t-1";
    ASSERT_TRUE(action.dispatch());
    ASSERT_TRUE(action.stage_result().stage(journal::ResultDelivered{"ack"}).submit());
    rig.journal.clock.move(std::chrono::hours{24 * 91});
    EXPECT_GE(rig.journal.journal->sweep(rig.journal.clock.now()), 1U);
    expect_envelope(rig.get(path_of(action.id, "result")), 404, "RESULT_EXPIRED", "committed");
    EXPECT_EQ(at(json_of(rig.get(path_of(action.id))), "/events"), "[]");
    EXPECT_EQ(ids_of(rig.get("/v1/invocations?token=t-1")),
              std::vector<std::string>{action.id.text()});
    EXPECT_EQ(rig.post(path_of(action.id, "ack")).status, 409);
    EXPECT_EQ(rig.post(path_of(action.id, "reconcile"),
                       R"({"finding":"applied","by":"ops","reason":"seen"})")
                  .status,
              409);
}

TEST(FetchResult, HasNoneOfWhatAFindingSettled) {
    ControlRig rig;
    auto action = rig.put_off();
    EXPECT_EQ(rig.get(path_of(action->id, "result")).body, "busy");
    rig.journal.clock.move(std::chrono::seconds{6});
    action->stage(journal::RetryLeased{.holder = "w"}).stage_dispatch();
    ASSERT_TRUE(action->submit());
    ASSERT_TRUE(action->stage_broken().submit());
    expect_envelope(rig.get(path_of(action->id, "result")), 409, "REMOTE_OUTCOME_UNKNOWN",
                    "unknown");
    const auto attested = rig.post(path_of(action->id, "reconcile"),
                                   R"({"finding":"applied","by":"ops","reason":"seen"})");
    ASSERT_EQ(attested.status, 200) << attested.body;
    expect_envelope(rig.get(path_of(action->id, "result")), 404, "RESULT_NOT_RETAINED",
                    "committed");
}

}  // namespace
}  // namespace sworn::control
