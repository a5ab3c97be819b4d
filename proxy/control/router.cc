#include "proxy/control/router.h"

#include <boost/json/serialize.hpp>

#include <algorithm>

#include "common/assert.h"
#include "proxy/contract/action.h"
#include "proxy/control/handlers.h"
#include "proxy/credentials/credentials.h"

namespace sworn::control {

namespace {

constexpr Row table[] = {
    {"GET", "/v1/invocations", list_invocations, OpenTo::callers,
     "outcome phase route caller token since limit cursor"},
    {"GET", "/v1/invocations/{id}", show_invocation, OpenTo::callers},
    {"GET", "/v1/invocations/{id}/result", fetch_result, OpenTo::callers, "from_part stream"},
    {"POST", "/v1/invocations/{id}/ack", acknowledge, OpenTo::callers},
    {"POST", "/v1/invocations/{id}/retry", retry},
    {"POST", "/v1/invocations/{id}/reconcile", reconcile},
    {"GET", "/v1/routes", list_routes, OpenTo::callers},
    {"POST", "/v1/journal/verify", verify_journal},
    {"GET", "/v1/journal/export", export_journal},
    {"GET", "/healthz", healthz, OpenTo::everyone},
    {"GET", "/readyz", readyz, OpenTo::everyone},
    {"GET", "/metrics", metrics_text, OpenTo::metrics},
};

/// Whether `path` is of this row; takes the id out of it.
bool matches(const Row& row, std::string_view path, std::string_view& id) {
    const auto hole = row.path.find("{id}");
    if (hole == std::string_view::npos) return row.path == path;
    const auto before = row.path.substr(0, hole);
    const auto after = row.path.substr(hole + 4);
    if (!path.starts_with(before)) return false;
    path.remove_prefix(before.size());
    const auto end = std::min(path.find('/'), path.size());
    if (path.substr(end) != after || end == 0) return false;
    id = path.substr(0, end);
    return true;
}

/// What the table has for a request. Without a row, `allowed` are the path's methods, if any.
struct Match {
    const Row* row = nullptr;
    std::string allowed;
    std::string_view id;
    OpenTo open_to = OpenTo::operators;
};

Match find_row(const Request& request) {
    Match match;
    for (const Row& row : table) {
        std::string_view id;
        if (!matches(row, request.path, id)) continue;
        match.id = id;
        match.open_to = row.open_to;
        const bool reads = row.method == "GET";
        if (row.method == request.method || (reads && request.method == "HEAD")) match.row = &row;
        if (!match.allowed.empty()) match.allowed += ", ";
        match.allowed += reads ? "GET, HEAD" : row.method;
    }
    return match;
}

bool is_loopback_host(std::string_view host) {
    const auto colon = host.rfind(':');
    if (colon != std::string_view::npos && host.back() != ']') host = host.substr(0, colon);
    return contract::equals_ignoring_case(host, "localhost") || host == "127.0.0.1" ||
           host == "[::1]";
}

bool has_token(const Services& services, std::string_view authorization) {
    const auto snapshot = services.runtime.current()->snapshot();
    if (!snapshot->control_token) return false;
    constexpr std::string_view scheme = "bearer ";
    if (authorization.size() <= scheme.size()) return false;
    const auto named = authorization.substr(0, scheme.size());
    if (!contract::equals_ignoring_case(named, scheme)) return false;
    const auto token = credentials::read_source(*snapshot->control_token);
    return token && token->equals(authorization.substr(scheme.size()));
}

/// Without the token a foreign Host is told nothing at all, not even what to send: a web page could
/// have been made to resolve to this listener.
Response unauthorized(const Request& request) {
    auto refused = problem(ControlProblem::unauthorized,
                           is_loopback_host(request.host)
                               ? "Send Authorization: Bearer with the token of control_token."
                               : "This Host is not served without the control token.");
    refused.fields.emplace_back("WWW-Authenticate", "Bearer");
    return refused;
}

bool is_open(Door door, OpenTo open_to) {
    switch (door) {
        case Door::unix_socket:
        case Door::tcp:
            return open_to != OpenTo::metrics;
        case Door::metrics:
            return open_to == OpenTo::metrics || open_to == OpenTo::everyone;
        case Door::caller:
            return open_to == OpenTo::callers;
    }
    SWORN_UNREACHABLE();
}

std::string_view elsewhere(Door door) {
    switch (door) {
        case Door::unix_socket:
        case Door::tcp:
            return "There is no such resource here; metrics are on their own listener.";
        case Door::metrics:
            return "The metrics listener has /metrics, /healthz and /readyz only.";
        case Door::caller:
            return "There is no such resource for callers.";
    }
    SWORN_UNREACHABLE();
}

/// Nothing where the request may go on; then it says who asks.
std::optional<Response> refuse_caller(Services& services, OpenTo open_to, Request& request) {
    if (request.door == Door::tcp && open_to != OpenTo::everyone) {
        if (!has_token(services, request.authorization)) return unauthorized(request);
        request.identity = "control-token";
    }
    if (is_open(request.door, open_to)) return std::nullopt;
    return problem(ControlProblem::not_found, elsewhere(request.door));
}

bool has_word(std::string_view words, std::string_view word) {
    while (!words.empty()) {
        const auto one = words.substr(0, words.find(' '));
        if (one == word) return true;
        words.remove_prefix(std::min(one.size() + 1, words.size()));
    }
    return false;
}

/// A misspelt filter must not widen what is asked for.
std::optional<Response> refuse_parameters(const Row& row, const Request& request) {
    for (const auto& [name, value] : request.query) {
        if (has_word(row.parameters, name)) continue;
        std::string detail = "This resource has no parameter of that name";
        if (!row.parameters.empty()) detail.append("; it has: ").append(row.parameters);
        return problem(ControlProblem::bad_request, detail + ".");
    }
    return std::nullopt;
}

}  // namespace

std::span<const Row> rows() noexcept {
    return table;
}

std::string_view Request::parameter(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? std::string_view{} : std::string_view{found->second};
}

std::string_view caller_of(const journal::Record& record) noexcept {
    if (record.accepted) return record.accepted->caller;
    if (record.refused) return record.refused->caller;
    return {};
}

std::optional<journal::StoredRecord> read_visible(Services& services, const Request& request) {
    auto stored = services.journal.read(request.id);
    if (!stored || request.door != Door::caller) return stored;
    const auto owner = caller_of(stored->record);
    if (owner.empty() || owner != request.caller) return std::nullopt;
    return stored;
}

Response json_response(const boost::json::value& value, int status) {
    Response response;
    response.status = status;
    response.body = boost::json::serialize(value) + "\n";
    return response;
}

Response problem(ControlProblem kind, std::string_view detail) {
    auto response = json_response(control_problem(kind, detail), status_of(kind));
    response.type = problem_media_type;
    return response;
}

Response no_such_invocation() {
    return problem(ControlProblem::not_found, "No invocation has that id.");
}

Response envelope_response(const Envelope& envelope, int status) {
    Envelope shown = envelope;
    shown.status = status;
    auto response = json_response(to_json(shown), status);
    response.type = problem_media_type;
    return response;
}

Response route(Services& services, Request request) {
    const auto match = find_row(request);
    if (auto refused = refuse_caller(services, match.open_to, request)) return std::move(*refused);
    if (match.allowed.empty()) {
        return problem(ControlProblem::not_found, "There is no such resource.");
    }
    if (match.row == nullptr) {
        auto refused =
            problem(ControlProblem::bad_request, "This resource does not take that method.");
        refused.status = 405;
        refused.fields.emplace_back("Allow", match.allowed);
        return refused;
    }
    if (auto refused = refuse_parameters(*match.row, request)) return std::move(*refused);
    if (!match.id.empty()) {
        const auto id = parse_invocation_id(match.id);
        if (!id) return no_such_invocation();
        request.id = *id;
    }
    return match.row->handler(services, request);
}

}  // namespace sworn::control
