#include "tests/proxy/control/control_rig.h"

namespace sworn::control {
namespace {

constexpr std::string_view applied = R"({"finding":"applied","by":"ops","reason":"seen there"})";

std::string finding(std::string_view word) {
    return R"({"finding":")" + std::string{word} + R"(","by":"ops","reason":"seen there"})";
}

TEST(Acknowledge, RecordsTheDeliveryOnce) {
    ControlRig rig;
    const auto action = rig.settled();
    const auto before = rig.events_of(action->id);
    const auto first = rig.post(path_of(action->id, "ack"));
    EXPECT_EQ(first.status, 200);
    const auto record = json_of(first);
    EXPECT_EQ(at(record, "/evidence/delivery"), "delivered");
    EXPECT_EQ(at(record, "/events/8/type"), "RESULT_DELIVERED");
    EXPECT_EQ(at(record, "/events/8/how"), "ack");
    const auto again = rig.post(path_of(action->id, "ack"));
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(rig.events_of(action->id), before + 1);
}

TEST(Acknowledge, IsDurableBeforeItIsAnswered) {
    ControlRig rig;
    const auto action = rig.settled();
    EXPECT_EQ(rig.post(path_of(action->id, "ack")).status, 200);
    rig.journal.crash();
    EXPECT_EQ(rig.journal.journal->read(action->id)->record.delivery, journal::Delivery::delivered);
}

TEST(Acknowledge, NeedsACommittedResult) {
    ControlRig rig;
    const auto running = rig.running();
    const auto unknown = rig.unknown();
    const auto stopped = rig.never_sent();
    for (const auto* action : {running.get(), unknown.get(), stopped.get()}) {
        const auto before = rig.events_of(action->id);
        const auto refused = rig.post(path_of(action->id, "ack"));
        EXPECT_EQ(refused.status, 409);
        expect_problem(refused, ControlProblem::conflict, "no committed result");
        EXPECT_EQ(rig.events_of(action->id), before);
    }
}

TEST(Acknowledge, IsANoOpWhereTheConnectionConfirmedFirst) {
    ControlRig rig;
    const auto action = rig.settled();
    rig.clock.meddle_at(
        1, [&] { EXPECT_TRUE(action->stage(journal::ResultDelivered{"next request"}).submit()); });
    const auto answer = rig.post(path_of(action->id, "ack"));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(at(json_of(answer), "/events/8/how"), "next request");
    EXPECT_EQ(at(json_of(answer), "/events/9"), "(nothing)");
}

TEST(Attest, SettlesWhatIsUnknown) {
    struct Row {
        const char* finding;
        const char* outcome;
        const char* retry;
        const char* settled_by;
    };
    const Row table[] = {
        {"applied", "committed", "never", "operator_attested"},
        {"not_applied", "rejected", "backoff", "operator_attested"},
        {"inconclusive", "unknown", "reconcile", "null"},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.finding);
        ControlRig rig;
        const auto action = rig.unknown();
        const auto answer = rig.post(path_of(action->id, "reconcile"), finding(row.finding));
        EXPECT_EQ(answer.status, 200) << answer.body;
        const auto record = json_of(answer);
        EXPECT_EQ(at(record, "/state/outcome"), row.outcome);
        EXPECT_EQ(at(record, "/state/retry"), row.retry);
        EXPECT_EQ(at(record, "/state/settled_by"), row.settled_by);
        EXPECT_EQ(at(record, "/events/6/type"), "ATTESTED");
        EXPECT_EQ(at(record, "/events/6/source"), "operator_attested");
        EXPECT_EQ(at(record, "/events/6/by"), "ops");
        EXPECT_EQ(at(record, "/events/6/reason"), "seen there");
        EXPECT_EQ(at(record, "/events/6/identity"), "unix:1000");
    }
}

TEST(Attest, RecordsTheDoorThatTheOperatorCameThrough) {
    ControlRig rig;
    const auto action = rig.unknown();
    rig.door = Door::tcp;
    rig.authorization = "Bearer " + std::string{ControlRig::token};
    const auto record = json_of(rig.post(path_of(action->id, "reconcile"), applied));
    EXPECT_EQ(at(record, "/events/6/identity"), "control-token");
}

TEST(Attest, KeepsWordsAsTheyWereWritten) {
    ControlRig rig;
    const auto action = rig.unknown();
    const auto record =
        json_of(rig.post(path_of(action->id, "reconcile"),
                         R"({"finding":"applied","source":"operator_attested","by":"Jörg",)"
                         R"("reason":"C:\\log says \"paid\""})"));
    EXPECT_EQ(at(record, "/events/6/by"), "Jörg");
    EXPECT_EQ(at(record, "/events/6/reason"), R"(C:\log says "paid")");
}

TEST(Attest, NamesTheMemberThatIsWrong) {
    ControlRig rig;
    const auto action = rig.unknown();
    const std::string long_text(1025, 'x');
    struct Row {
        const char* name;
        std::string body;
        const char* detail;
    };
    const Row table[] = {
        {"no JSON", "applied", "not a JSON object"},
        {"an array", "[]", "not a JSON object"},
        {"cut off", R"({"finding":"applied")", "not a JSON object"},
        {"nothing in it", "{}", "finding is missing"},
        {"another word", finding("maybe"), "finding is one of"},
        {"a number", R"({"finding":1,"by":"a","reason":"b"})", "finding is not a string"},
        {"a query's word", R"({"finding":"applied","source":"remote_query","by":"a","reason":"b"})",
         "source is"},
        {"nobody", R"({"finding":"applied","reason":"b"})", "by is missing"},
        {"an empty name", R"({"finding":"applied","by":"","reason":"b"})", "by is empty"},
        {"no reason", R"({"finding":"applied","by":"a"})", "reason is missing"},
        {"null", R"({"finding":"applied","by":"a","reason":null})", "reason is not a string"},
        {"an escape code", R"({"finding":"applied","by":"\u001b[2J","reason":"b"})",
         "by has control"},
        {"a C1 one", R"({"finding":"applied","by":"a","reason":"\u009b2J"})", "reason has control"},
        {"too long", R"({"finding":"applied","by":"a","reason":")" + long_text + "\"}",
         "reason is longer"},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.name);
        const auto refused = rig.post(path_of(action->id, "reconcile"), row.body);
        EXPECT_EQ(refused.status, 400);
        expect_problem(refused, ControlProblem::bad_request, row.detail);
    }
    EXPECT_EQ(rig.events_of(action->id), 6U);
}

TEST(Attest, IsRefusedWhereNothingIsInQuestion) {
    ControlRig rig;
    const auto running = rig.running();
    const auto stopped = rig.never_sent();
    const auto settled = rig.settled();
    expect_problem(rig.post(path_of(running->id, "reconcile"), applied), ControlProblem::conflict,
                   "still runs");
    for (const auto* action : {stopped.get(), settled.get()}) {
        const auto refused = rig.post(path_of(action->id, "reconcile"), applied);
        EXPECT_EQ(refused.status, 409);
        expect_problem(refused, ControlProblem::conflict, "takes no finding");
    }
}

TEST(Attest, IsRefusedWhereTheRecordMovedOn) {
    ControlRig rig;
    const auto action = rig.unknown();
    rig.clock.meddle_at(1, [&] {
        EXPECT_TRUE(action->stage(journal::Reconciled{Finding::not_applied, {}}).submit());
    });
    const auto refused = rig.post(path_of(action->id, "reconcile"), applied);
    EXPECT_EQ(refused.status, 409);
    expect_problem(refused, ControlProblem::conflict, "moved on");
    const auto record = json_of(rig.get(path_of(action->id)));
    EXPECT_EQ(at(record, "/state/settled_by"), "remote_query");
}

TEST(Attest, SaysThatTheJournalFailed) {
    ControlRig rig;
    const auto action = rig.unknown();
    rig.journal.disk->fail_sync_at(1);
    const auto refused = rig.post(path_of(action->id, "reconcile"), applied);
    EXPECT_EQ(refused.status, 409);
    expect_problem(refused, ControlProblem::conflict, "journal cannot be written");
}

TEST(Reconcile, RunsNoQueryYet) {
    ControlRig rig;
    const auto action = rig.unknown();
    const auto refused = rig.post(path_of(action->id, "reconcile"));
    EXPECT_EQ(refused.status, 409);
    expect_problem(refused, ControlProblem::conflict, "No query");
}

TEST(Retry, AnswersWhatIsDecided) {
    ControlRig rig;
    const auto settled = rig.settled();
    const auto unknown = rig.unknown();
    const auto running = rig.running();
    const auto locked = rig.never_sent(Code::vault_locked);
    const auto put_off = rig.put_off();
    struct Row {
        const char* name;
        const ControlRig::Action& action;
        const char* decision;
    };
    const Row table[] = {
        {"settled", *settled, "return_recorded"},
        {"unknown", *unknown, "reconcile"},
        {"running", *running, "fetch_result"},
        {"to be corrected", *locked, "stop_for_correction"},
        {"not yet", *put_off, "wait"},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.name);
        const auto before = rig.events_of(row.action.id);
        const auto refused = rig.post(path_of(row.action.id, "retry"));
        EXPECT_EQ(refused.status, 409);
        const auto envelope = json_of(refused);
        EXPECT_EQ(at(envelope, "/invocation_id"), row.action.id.text());
        EXPECT_EQ(at(envelope, "/evidence/decision"), row.decision);
        EXPECT_EQ(rig.events_of(row.action.id), before);
    }
    EXPECT_EQ(at(json_of(rig.post(path_of(put_off->id, "retry"))), "/evidence/not_before"),
              "2026-03-01T00:00:10.000000Z");
}

TEST(Retry, AsksForTheRequestAgainWhereItMayBeSent) {
    ControlRig rig;
    const auto unnamed = rig.never_sent(Code::connection_failed);
    ControlRig::Action named{rig.journal, 9};
    named.accepted.token = "t-1";
    named.stage_accepted().stage(
        journal::ActionRefused{.code = Code::connection_failed, .phase = Phase::connection_setup});
    ASSERT_TRUE(named.submit());
    const auto refused = rig.post(path_of(named.id, "retry"));
    EXPECT_EQ(refused.status, 409);
    expect_problem(refused, ControlProblem::conflict, "send the same request with its Sworn-Token");
    expect_problem(rig.post(path_of(unnamed->id, "retry")), ControlProblem::conflict,
                   "it had no Sworn-Token");
}

TEST(Retry, ForcesNothingWithoutTheRequest) {
    ControlRig rig;
    const auto action = rig.unknown();
    const auto ask = [&](std::string_view body) {
        return rig.post(path_of(action->id, "retry"), body);
    };
    expect_problem(
        ask(R"({"unsafe_repeat_despite_unknown":true,"by":"ops","reason":"no duplicate"})"),
        ControlProblem::conflict, "Sworn-Repeat-Despite-Unknown");
    expect_problem(ask(R"({"unsafe_repeat_despite_unknown":true,"reason":"x"})"),
                   ControlProblem::bad_request, "by is missing");
    expect_problem(ask(R"({"unsafe_repeat_despite_unknown":"yes"})"), ControlProblem::bad_request,
                   "unsafe_repeat_despite_unknown");
    expect_problem(ask("please"), ControlProblem::bad_request, "not a JSON object");
    EXPECT_EQ(at(json_of(ask(R"({"unsafe_repeat_despite_unknown":false})")), "/error/retry"),
              "reconcile");
}

}  // namespace
}  // namespace sworn::control
