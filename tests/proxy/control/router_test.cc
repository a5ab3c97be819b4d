#include "proxy/control/own_door.h"
#include "tests/proxy/control/control_rig.h"

namespace sworn::control {
namespace {

TEST(Router, RefusesUnknownPathsAndOtherMethods) {
    ControlRig rig;
    const auto action = rig.settled();
    const std::string id = action->id.text();
    struct Row {
        const char* method;
        std::string target;
        int status;
        const char* allow;
    };
    const Row table[] = {
        {"GET", "/", 404, "(nothing)"},
        {"GET", "/v1", 404, "(nothing)"},
        {"GET", "/v1/invocation", 404, "(nothing)"},
        {"GET", "/v1/Invocations", 404, "(nothing)"},
        {"GET", "/v1/invocations/" + id + "/results", 404, "(nothing)"},
        {"GET", "/v1/vault", 404, "(nothing)"},
        {"GET", "", 404, "(nothing)"},
        {"POST", "/v1/invocations", 405, "GET, HEAD"},
        {"DELETE", "/v1/invocations/" + id, 405, "GET, HEAD"},
        {"get", "/v1/routes", 405, "GET, HEAD"},
        {"GET", "/v1/invocations/" + id + "/ack", 405, "POST"},
        {"HEAD", "/v1/journal/verify", 405, "POST"},
        {"POST", "/readyz", 405, "GET, HEAD"},
        {"HEAD", "/v1/routes", 200, "(nothing)"},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.method + std::string{" "} + row.target);
        const auto answer = rig.ask(row.method, row.target);
        EXPECT_EQ(answer.status, row.status);
        EXPECT_EQ(field_of(answer, "Allow"), row.allow);
        if (row.status == 404)
            expect_problem(answer, ControlProblem::not_found, "no such resource");
        if (row.status == 405) expect_problem(answer, ControlProblem::bad_request, "method");
    }
}

TEST(Router, AsksForTheTokenOnTcpOnly) {
    ControlRig rig;
    const std::string good = "Bearer " + std::string{ControlRig::token};
    struct Row {
        const char* name;
        Door door;
        std::string authorization;
        const char* target;
        int status;
    };
    const Row table[] = {
        {"unix, no token", Door::unix_socket, "", "/v1/routes", 200},
        {"unix, a wrong one", Door::unix_socket, "Bearer x", "/v1/routes", 200},
        {"tcp, the token", Door::tcp, good, "/v1/routes", 200},
        {"tcp, another spelling", Door::tcp, "bEARER " + std::string{ControlRig::token},
         "/v1/routes", 200},
        {"tcp, none", Door::tcp, "", "/v1/routes", 401},
        {"tcp, a longer one", Door::tcp, good + "x", "/v1/routes", 401},
        {"tcp, a shorter one", Door::tcp, good.substr(0, good.size() - 1), "/v1/routes", 401},
        {"tcp, an empty one", Door::tcp, "Bearer ", "/v1/routes", 401},
        {"tcp, no scheme", Door::tcp, std::string{ControlRig::token}, "/v1/routes", 401},
        {"tcp, Basic", Door::tcp, "Basic " + std::string{ControlRig::token}, "/v1/routes", 401},
        {"tcp, a caller's token", Door::tcp, "Bearer agent-token-1", "/v1/routes", 401},
        {"tcp, health", Door::tcp, "", "/healthz", 200},
        {"tcp, readiness", Door::tcp, "", "/readyz", 200},
        {"tcp, what does not exist", Door::tcp, "", "/v1/nothing", 401},
        {"tcp, another method", Door::tcp, "", "/v1/journal/verify", 401},
        {"tcp, what does not exist, with the token", Door::tcp, good, "/v1/nothing", 404},
        {"tcp, metrics", Door::tcp, good, "/metrics", 404},
        {"unix, metrics", Door::unix_socket, "", "/metrics", 404},
        {"metrics", Door::metrics, "", "/metrics", 200},
        {"metrics, health", Door::metrics, "", "/healthz", 200},
        {"metrics, the rest", Door::metrics, good, "/v1/routes", 404},
        {"metrics, what does not exist", Door::metrics, "", "/", 404},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.name);
        rig.door = row.door;
        rig.authorization = row.authorization;
        const auto answer = rig.get(row.target);
        EXPECT_EQ(answer.status, row.status);
        if (row.status == 401) {
            expect_problem(answer, ControlProblem::unauthorized, "Bearer");
            EXPECT_EQ(field_of(answer, "WWW-Authenticate"), "Bearer");
        }
    }
}

TEST(Router, TellsAForeignHostNothingWithoutTheToken) {
    ControlRig rig;
    rig.door = Door::tcp;
    for (const char* host : {"localhost", "LOCALHOST:8119", "127.0.0.1:8119", "[::1]", "[::1]:1"}) {
        rig.host = host;
        expect_problem(rig.get("/v1/routes"), ControlProblem::unauthorized, "Bearer");
    }
    for (const char* host : {"rebound.example", "localhost.example:80", "", ":", "127.0.0.1.x"}) {
        rig.host = host;
        rig.authorization.clear();
        expect_problem(rig.get("/v1/routes"), ControlProblem::unauthorized, "This Host");
        EXPECT_EQ(rig.get("/healthz").status, 200);
        rig.authorization = "Bearer " + std::string{ControlRig::token};
        EXPECT_EQ(rig.get("/v1/routes").status, 200);
    }
}

TEST(Router, OpensToCallersOnlyWhatIsTheirs) {
    ControlRig rig;
    rig.door = Door::caller;
    rig.caller = "agent";
    std::vector<std::string> open;
    for (const Row& row : rows()) {
        if (rig.ask(row.method, row.path).status != 404) open.emplace_back(row.path);
    }
    // The rows with an id are refused for its sake: no id is spelt "{id}".
    EXPECT_EQ(open, (std::vector<std::string>{"/v1/invocations", "/v1/routes"}));
    const auto action = rig.unknown();
    EXPECT_EQ(rig.get(path_of(action->id)).status, 200);
    EXPECT_EQ(rig.post(path_of(action->id, "ack")).status, 409);
    for (const char* verb : {"retry", "reconcile"}) {
        const auto refused = rig.post(path_of(action->id, verb));
        EXPECT_EQ(refused.status, 404);
        expect_problem(refused, ControlProblem::not_found, "for callers");
    }
}

TEST(CallerDoor, AnswersAndTellsWhatWasFetchedWhole) {
    ControlRig rig;
    const auto action = rig.settled();
    CallerDoor door{*rig.services};
    const auto result = path_of(action->id, "result");
    const auto own = door.answer("agent", "GET", result, "");
    EXPECT_EQ(own.answer.head.status, 200);
    EXPECT_EQ(own.answer.body, "ok");
    EXPECT_EQ(own.fetched, action->id);
    EXPECT_EQ(contract::find_field(own.answer.head.fields, "Content-Type"), "text/plain");
    EXPECT_FALSE(door.answer("agent", "GET", result + "?from_part=1", "").fetched);
    EXPECT_FALSE(door.answer("agent", "HEAD", result, "").fetched);
    EXPECT_FALSE(door.answer("agent", "GET", path_of(action->id), "").fetched);
    const auto foreign = door.answer("other", "GET", result, "");
    EXPECT_EQ(foreign.answer.head.status, 404);
    EXPECT_FALSE(foreign.fetched);
    EXPECT_EQ(contract::find_field(foreign.answer.head.fields, "Cache-Control"), "no-store");
}

TEST(Targets, AreTakenApart) {
    struct Row {
        const char* target;
        const char* path;
        std::map<std::string, std::string> query;
    };
    const Row table[] = {
        {"/a", "/a", {}},
        {"", "", {}},
        {"?", "", {}},
        {"/a?", "/a", {}},
        {"/a+b%2fc?x=1+2&y=%26%3D", "/a+b/c", {{"x", "1 2"}, {"y", "&="}}},
        {"/a?x=1&x=2", "/a", {{"x", "2"}}},
        {"/a?x&&y=", "/a", {{"x", ""}, {"y", ""}}},
        {"/a?x=b=c?d", "/a", {{"x", "b=c?d"}}},
        {"/%zz%4?%=%g1", "/%zz%4", {{"%", "%g1"}}},
        {"/%41%4", "/A%4", {}},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.target);
        Request request;
        split_target(row.target, request);
        EXPECT_EQ(request.path, row.path);
        EXPECT_EQ(request.query, row.query);
    }
}

TEST(Health, LivesWhateverHappens) {
    ControlRig rig;
    rig.gate.draining = true;
    rig.journal.disk->fail_in_background();
    EXPECT_EQ(rig.get("/healthz").status, 200);
}

TEST(Health, IsReadyUntilSomethingStopsNewActions) {
    struct Row {
        const char* why;
        void (*stop)(ControlRig&);
    };
    const Row table[] = {
        {"draining", [](ControlRig& rig) { rig.gate.draining = true; }},
        {"a result could not be stored", [](ControlRig& rig) { rig.gate.store_failed = true; }},
        {"the journal cannot be written",
         [](ControlRig& rig) {
             rig.journal.disk->fail_write_at(1);
             ControlRig::Action action{rig.journal};
             EXPECT_FALSE(action.dispatch());
         }},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.why);
        ControlRig rig;
        const auto ready = rig.get("/readyz");
        EXPECT_EQ(ready.status, 200);
        EXPECT_EQ(at(json_of(ready), "/ready"), "true");
        row.stop(rig);
        for (const Door door : {Door::unix_socket, Door::tcp, Door::metrics}) {
            rig.door = door;
            const auto answer = rig.get("/readyz");
            EXPECT_EQ(answer.status, 503);
            EXPECT_EQ(at(json_of(answer), "/ready"), "false");
            EXPECT_EQ(at(json_of(answer), "/why"), row.why);
        }
    }
}

TEST(Metrics, AreText) {
    ControlRig rig;
    rig.door = Door::metrics;
    rig.metrics.journal_writable(true);
    const auto answer = rig.get("/metrics");
    EXPECT_EQ(answer.type, "text/plain; version=0.0.4; charset=utf-8");
    EXPECT_NE(answer.body.find("sworn_journal_writable 1"), std::string::npos);
}

}  // namespace
}  // namespace sworn::control
