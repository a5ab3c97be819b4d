#include "tests/proxy/control/control_rig.h"

namespace sworn::control {
namespace {

using Ids = std::vector<std::string>;

TEST(ListInvocations, ShowsTheNewestFirstWithoutEvents) {
    ControlRig rig;
    const auto first = rig.settled();
    const auto second = rig.unknown();
    const auto listing = rig.get("/v1/invocations");
    EXPECT_EQ(listing.status, 200);
    EXPECT_EQ(listing.type, "application/json");
    EXPECT_EQ(ids_of(listing), (Ids{second->id.text(), first->id.text()}));
    const auto object = json_of(listing);
    EXPECT_EQ(at(object, "/next_cursor"), "null");
    EXPECT_EQ(at(object, "/items/0/state/outcome"), "unknown");
    EXPECT_EQ(at(object, "/items/0/route"), "payments");
    EXPECT_EQ(at(object, "/items/0/events"), "(nothing)");
}

TEST(ListInvocations, KeepsWhatTheFilterAsksFor) {
    ControlRig rig;
    const auto settled = rig.settled();
    const auto unknown = rig.unknown();
    const auto stopped = rig.never_sent();
    const auto running = rig.running();
    const std::string a = settled->id.text(), b = unknown->id.text(), c = stopped->id.text(),
                      d = running->id.text();
    struct Row {
        const char* name;
        const char* query;
        Ids want;
    };
    const Row table[] = {
        {"committed", "outcome=committed", {a}},
        {"unknown, the running one too", "outcome=unknown", {d, b}},
        {"not attempted", "outcome=not_attempted", {c}},
        {"rejected", "outcome=rejected", {}},
        {"phase", "phase=connection_setup", {c}},
        {"phase and outcome", "phase=remote_execution&outcome=unknown", {d, b}},
        {"route", "route=payments", {d, c, b, a}},
        {"another route", "route=docs", {}},
        {"caller", "caller=agent", {d, c, b, a}},
        {"another caller", "caller=other", {}},
        {"the last two seconds", "since=2s", {d, c, b}},
        {"since a time", "since=2026-03-01T00:00:03Z", {d, c}},
        {"since the future", "since=2027-01-01T00:00:00Z", {}},
        {"escaped", "since=2026-03-01T00%3A00%3A03Z&outcome=not%5fattempted", {c}},
        {"two", "limit=2", {d, c}},
        {"all but empty", "outcome=&limit=1000", {d, c, b, a}},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(ids_of(rig.get(std::string{"/v1/invocations?"} + row.query)), row.want);
    }
}

TEST(ListInvocations, NamesTheParameterThatIsWrong) {
    ControlRig rig;
    struct Row {
        const char* query;
        const char* detail;
    };
    const Row table[] = {
        {"outcome=maybe", "outcome is"},
        {"phase=later", "phase is"},
        {"since=yesterday", "since is"},
        {"limit=0", "limit is"},
        {"limit=1001", "limit is"},
        {"limit=ten", "limit is"},
        {"limit=-1", "limit is"},
        {"limit=1x", "limit is"},
        {"cursor=act_1", "cursor is"},
        {"outcom=unknown", "it has: outcome phase route"},
        {"=1", "no parameter of that name"},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.query);
        const auto refused = rig.get(std::string{"/v1/invocations?"} + row.query);
        EXPECT_EQ(refused.status, 400);
        expect_problem(refused, ControlProblem::bad_request, row.detail);
    }
}

/// Follows next_cursor to the end.
Ids walk_pages(ControlRig& rig, const std::string& query) {
    Ids all;
    std::string cursor;
    for (int pages = 0; pages < 20; ++pages) {
        const auto page = rig.get("/v1/invocations?" + query + cursor);
        for (auto& id : ids_of(page))
            all.push_back(std::move(id));
        const auto next = at(json_of(page), "/next_cursor");
        if (next == "null") return all;
        cursor = "&cursor=" + next;
    }
    ADD_FAILURE() << "the pages do not end";
    return all;
}

TEST(ListInvocations, PagesThroughEverythingOnce) {
    ControlRig rig;
    Ids want;
    for (int i = 0; i < 5; ++i)
        want.insert(want.begin(), rig.settled()->id.text());
    for (const char* query : {"limit=1", "limit=2", "limit=3", "limit=5", "limit=6"}) {
        SCOPED_TRACE(query);
        EXPECT_EQ(walk_pages(rig, query), want);
    }
    EXPECT_EQ(walk_pages(rig, "limit=2&since=2s"), (Ids{want[0], want[1], want[2]}));
    EXPECT_EQ(ids_of(rig.get("/v1/invocations?since=2s&cursor=" + want[4])), Ids{});
}

/// Three callers' actions under one token; the agent's twice.
struct SharedToken {
    explicit SharedToken(ControlRig& rig) {
        for (const char* caller : {"agent", "other", "local"}) {
            rig.journal.clock.move(std::chrono::seconds{1});
            ControlRig::Action action{rig.journal};
            action.accepted.caller = caller;
            action.accepted.token = "t 1";
            EXPECT_TRUE(action.dispatch());
            EXPECT_TRUE(action.stage_broken().submit());
            ids.insert(ids.begin(), action.id.text());
        }
    }
    Ids ids;  ///< local's, other's, agent's
};

TEST(ListInvocations, FindsATokenAtEveryCaller) {
    ControlRig rig;
    const SharedToken shared{rig};
    const auto unnamed = rig.unknown();
    EXPECT_EQ(ids_of(rig.get("/v1/invocations?token=t+1")), shared.ids);
    EXPECT_EQ(ids_of(rig.get("/v1/invocations?token=t%201&caller=other")), Ids{shared.ids[1]});
    EXPECT_EQ(ids_of(rig.get("/v1/invocations?token=t+1&outcome=committed")), Ids{});
    EXPECT_EQ(ids_of(rig.get("/v1/invocations?token=none")), Ids{});
    EXPECT_EQ(walk_pages(rig, "token=t+1&limit=1"), shared.ids);
    EXPECT_EQ(walk_pages(rig, "token=t+1&limit=2"), shared.ids);
}

TEST(ListInvocations, ShowsACallerItsOwnTokensOnly) {
    ControlRig rig;
    const SharedToken shared{rig};
    rig.door = Door::caller;
    rig.caller = "other";
    EXPECT_EQ(ids_of(rig.get("/v1/invocations?token=t+1")), Ids{shared.ids[1]});
    EXPECT_EQ(ids_of(rig.get("/v1/invocations?token=t+1&caller=other")), Ids{shared.ids[1]});
    expect_problem(rig.get("/v1/invocations?token=t+1&caller=agent"), ControlProblem::bad_request,
                   "caller");
    expect_problem(rig.get("/v1/invocations"), ControlProblem::bad_request, "token");
}

TEST(ShowInvocation, GivesTheRecordWithItsEvents) {
    ControlRig rig;
    const auto action = rig.settled();
    const auto shown = rig.get(path_of(action->id));
    EXPECT_EQ(shown.status, 200);
    const auto record = json_of(shown);
    EXPECT_EQ(at(record, "/invocation_id"), action->id.text());
    EXPECT_EQ(at(record, "/state/outcome"), "committed");
    EXPECT_EQ(at(record, "/state/running"), "false");
    EXPECT_EQ(at(record, "/caller"), "agent");
    EXPECT_EQ(at(record, "/http_status"), "200");
    EXPECT_EQ(at(record, "/events/0/type"), "ACTION_ACCEPTED");
    EXPECT_EQ(at(record, "/events/4/type"), "DISPATCH_STARTED");
    EXPECT_EQ(at(record, "/events/7/type"), "RESULT_COMMITTED");
}

TEST(ShowInvocation, KnowsNoOtherIds) {
    ControlRig rig;
    const auto action = rig.settled();
    const auto absent = new_invocation_id(rig.journal.clock.now());
    for (const char* verb : {"", "result"}) {
        expect_problem(rig.get(path_of(absent, verb)), ControlProblem::not_found, "No invocation");
        EXPECT_EQ(rig.get(path_of(absent, verb)).status, 404);
    }
    for (const char* verb : {"ack", "retry", "reconcile"}) {
        EXPECT_EQ(rig.post(path_of(absent, verb)).status, 404);
    }
    for (const char* id : {"act_1", "x", "act_%2e%2e", "%00"}) {
        EXPECT_EQ(rig.get("/v1/invocations/" + std::string{id}).status, 404) << id;
    }
    EXPECT_EQ(rig.get("/v1/invocations/").status, 404);
    EXPECT_EQ(rig.get(path_of(action->id) + "/").status, 404);
}

TEST(ShowInvocation, HidesOtherCallersRecords) {
    ControlRig rig;
    const auto action = rig.settled();
    rig.door = Door::caller;
    rig.caller = "other";
    EXPECT_EQ(rig.get(path_of(action->id)).status, 404);
    EXPECT_EQ(rig.get(path_of(action->id, "result")).status, 404);
    EXPECT_EQ(rig.post(path_of(action->id, "ack")).status, 404);
    rig.caller = "agent";
    EXPECT_EQ(rig.get(path_of(action->id)).status, 200);
    EXPECT_EQ(rig.get(path_of(action->id, "result")).body, "ok");
    EXPECT_EQ(rig.post(path_of(action->id, "ack")).status, 200);
}

TEST(ListRoutes, SaysWhatMayBeCalled) {
    ControlRig rig;
    const auto routes = json_of(rig.get("/v1/routes"));
    EXPECT_EQ(at(routes, "/items/0/id"), "payments");
    EXPECT_EQ(at(routes, "/items/0/host"), "api.example.com");
    EXPECT_EQ(at(routes, "/items/0/path"), "/");
    EXPECT_EQ(at(routes, "/items/0/methods/1"), "GET");
    EXPECT_EQ(at(routes, "/items/0/mode"), "inject");
    EXPECT_EQ(at(routes, "/items/0/credential"), "stripe");
    EXPECT_EQ(at(routes, "/items/1/mode"), "tunnel");
    EXPECT_EQ(at(routes, "/items/1/credential"), "null");
}

TEST(ListRoutes, ShowsACallerItsOwnOnly) {
    ControlRig rig;
    rig.door = Door::caller;
    rig.caller = "other";
    const auto routes = json_of(rig.get("/v1/routes"));
    EXPECT_EQ(at(routes, "/items/0/id"), "docs");
    EXPECT_EQ(at(routes, "/items/1"), "(nothing)");
}

}  // namespace
}  // namespace sworn::control
