#include "tests/proxy/control/control_rig.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <fstream>

#include "common/json.h"
#include "proxy/config/load.h"

namespace sworn::control {

namespace json = boost::json;

namespace {

constexpr std::string_view configuration = R"(
data_dir: ./data
listen: {proxy: [127.0.0.1:0], control: [127.0.0.1:0]}
control_token: {file: ./control.token}
callers:
  - {id: agent, token: {file: ./agent.token}, routes: [payments]}
  - {id: other, token: {file: ./other.token}, routes: [docs]}
credentials:
  - {id: stripe, version: "1", source: {file: ./agent.token}, inject: {header: Authorization}}
routes:
  - {id: payments, match: {host: api.example.com, methods: [POST, GET]}, credential: stripe}
  - {id: docs, match: {host: docs.example.com}, mode: tunnel}
)";

void write(const std::filesystem::path& file, std::string_view bytes) {
    std::ofstream{file} << bytes;
}

}  // namespace

OneRuntime::OneRuntime(const std::filesystem::path& directory) {
    write(directory / "control.token", std::string{ControlRig::token} + "\n");
    write(directory / "agent.token", "agent-token-1\n");
    write(directory / "other.token", "other-token-1\n");
    const auto file = directory / "sworn.yaml";
    auto snapshot = config::load_text(configuration, file);
    if (!snapshot) ADD_FAILURE() << config::format(file, snapshot.error());
    auto runtime = pipeline::Runtime::make(*snapshot);
    if (!runtime) ADD_FAILURE() << runtime.error().what;
    runtime_ = std::move(*runtime);
}

WallTime MeddlingClock::now() const noexcept {
    if (calls_left_ > 0 && --calls_left_ == 0) std::exchange(with_, nullptr)();
    return real_.now();
}

ControlRig::ControlRig() {
    journal.open();
    services.emplace(Services{*journal.journal, workers, clock, runtime, metrics, gate});
}

Response ControlRig::ask(std::string_view method, std::string_view target, std::string_view body) {
    Request request;
    request.method = method;
    split_target(target, request);
    request.body = body;
    request.authorization = authorization;
    request.host = host;
    request.door = door;
    request.caller = caller;
    request.identity = "unix:1000";
    return route(*services, std::move(request));
}

std::unique_ptr<ControlRig::Action> ControlRig::settled(std::string body) {
    auto action = running();
    EXPECT_TRUE(action->stage_result(std::move(body)).submit());
    return action;
}

std::unique_ptr<ControlRig::Action> ControlRig::unknown() {
    auto action = running();
    EXPECT_TRUE(action->stage_broken().submit());
    return action;
}

std::unique_ptr<ControlRig::Action> ControlRig::running() {
    journal.clock.move(std::chrono::seconds{1});
    auto action = std::make_unique<Action>(journal);
    action->accepted.fingerprint = sha256(action->id.text());
    EXPECT_TRUE(action->dispatch());
    return action;
}

std::unique_ptr<ControlRig::Action> ControlRig::never_sent(Code code) {
    journal.clock.move(std::chrono::seconds{1});
    auto action = std::make_unique<Action>(journal);
    action->stage_accepted().stage(
        journal::ActionRefused{.code = code, .phase = code_info(code).phase});
    EXPECT_TRUE(action->submit());
    return action;
}

std::unique_ptr<ControlRig::Action> ControlRig::put_off() {
    auto action = running();
    journal::RemoteResponseComplete complete;
    complete.status = 429;
    complete.outcome = Outcome::rejected;
    complete.directive = Retry::backoff;
    journal::ResultCommitted result;
    result.outcome = Outcome::rejected;
    result.status = 429;
    result.code = Code::remote_rejected;
    result.directive = Retry::backoff;
    result.retry_at = journal.clock.now() + std::chrono::seconds{5};
    result.bytes = 4;
    result.result_digest = sha256("busy");
    action->stage_response(429).stage(std::move(complete)).stage(std::move(result));
    action->ledger.add_part({0, journal::Stream::body, "busy"});
    action->ledger.set_head({"HTTP/1.1 429 Too Many Requests\r\n\r\n"});
    EXPECT_TRUE(action->submit());
    return action;
}

std::string path_of(const InvocationId& id, std::string_view verb) {
    return "/v1/invocations/" + id.text() + (verb.empty() ? "" : "/") + std::string{verb};
}

json::object json_of(const Response& response) {
    const auto parsed = parse_json(response.body);
    if (parsed && parsed->is_object()) return parsed->as_object();
    ADD_FAILURE() << "not a JSON object: " << response.body;
    return {};
}

std::string at(const json::object& object, std::string_view pointer) {
    const json::value root = object;
    const auto* found = json_pointer(root, pointer);
    if (found == nullptr) return "(nothing)";
    const auto text = json_pointer_text(root, pointer);
    return text ? *text : json::serialize(*found);
}

std::string field_of(const Response& response, std::string_view name) {
    for (const auto& [named, value] : response.fields) {
        if (named == name) return value;
    }
    return "(nothing)";
}

std::vector<std::string> ids_of(const Response& listing) {
    std::vector<std::string> ids;
    const auto object = json_of(listing);
    const auto* items = object.if_contains("items");
    if (items == nullptr || !items->is_array()) return {"(no items)"};
    for (const auto& item : items->as_array()) {
        ids.push_back(at(item.as_object(), "/invocation_id"));
    }
    return ids;
}

void expect_problem(const Response& response, ControlProblem kind, std::string_view detail) {
    const auto problem = json_of(response);
    EXPECT_EQ(response.type, problem_media_type);
    EXPECT_EQ(at(problem, "/type"), "urn:sworn:control:" + std::string{to_string(kind)});
    EXPECT_EQ(problem.if_contains("error"), nullptr);
    EXPECT_NE(at(problem, "/detail").find(detail), std::string::npos) << response.body;
}

}  // namespace sworn::control
