#include "proxy/control/router.h"

#include <boost/json/serialize.hpp>

#include <algorithm>

#include "proxy/contract/action.h"
#include "proxy/control/handlers.h"
#include "proxy/credentials/credentials.h"

namespace sworn::control {

namespace {

constexpr Row table[] = {
    {"GET", "/v1/invocations", list_invocations},
    {"GET", "/v1/invocations/{id}", show_invocation},
    {"GET", "/v1/invocations/{id}/result", fetch_result},
    {"POST", "/v1/invocations/{id}/ack", acknowledge},
    {"POST", "/v1/invocations/{id}/retry", retry},
    {"POST", "/v1/invocations/{id}/reconcile", reconcile},
    {"GET", "/v1/routes", list_routes},
    {"POST", "/v1/journal/verify", verify_journal},
    {"GET", "/v1/journal/export", export_journal},
    {"GET", "/healthz", healthz, Row::For::everyone},
    {"GET", "/readyz", readyz, Row::For::everyone},
    {"GET", "/metrics", metrics_text, Row::For::metrics},
};

/// Whether `path` is of this row; takes the id out of it.
bool matches(const Row& row, std::string_view path, std::optional<std::string_view>& id) {
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

bool is_loopback_host(std::string_view host) {
    if (const auto colon = host.rfind(':'); colon != std::string_view::npos && host.back() != ']') {
        host = host.substr(0, colon);
    }
    return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

bool has_token(const Services& services, std::string_view authorization) {
    const auto snapshot = services.runtime.current()->snapshot();
    if (!snapshot->control_token) return false;
    constexpr std::string_view scheme = "bearer ";
    if (authorization.size() <= scheme.size()) return false;
    if (!contract::equals_ignoring_case(authorization.substr(0, scheme.size()), scheme)) return false;
    const auto token = credentials::read_source(*snapshot->control_token);
    return token && token->equals(authorization.substr(scheme.size()));
}

/// Nothing where the request may go on. Without the token a foreign Host is told nothing at all:
/// a web page could have been made to resolve to this listener.
std::optional<Response> refuse_caller(Services& services, const Row& row, Request& request) {
    using For = Row::For;
    if (request.door == Door::metrics) {
        if (row.open_to != For::operators) return std::nullopt;
        return problem(ControlProblem::not_found, "The metrics listener has /metrics, /healthz and "
                                                  "/readyz only.");
    }
    if (row.open_to == For::metrics) {
        return problem(ControlProblem::not_found, "Metrics are on the metrics listener.");
    }
    if (row.open_to == For::everyone || request.door == Door::unix_socket) return std::nullopt;
    if (has_token(services, request.authorization)) {
        request.identity = "control-token";
        return std::nullopt;
    }
    auto refused = problem(ControlProblem::unauthorized,
                           is_loopback_host(request.host)
                               ? "Send Authorization: Bearer with the token of control_token."
                               : "This Host is not served without the control token.");
    refused.fields.emplace_back("WWW-Authenticate", "Bearer");
    return refused;
}

}  // namespace

std::span<const Row> rows() noexcept { return table; }

std::string_view Request::parameter(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? std::string_view{} : std::string_view{found->second};
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

Response envelope_response(const Envelope& envelope, int status) {
    Envelope shown = envelope;
    shown.status = status;
    auto response = json_response(to_json(shown), status);
    response.type = problem_media_type;
    return response;
}

Response route(Services& services, Request request) {
    std::string allowed;
    for (const Row& row : table) {
        std::optional<std::string_view> id;
        if (!matches(row, request.path, id)) continue;
        const bool same_method =
            row.method == request.method || (row.method == "GET" && request.method == "HEAD");
        if (!same_method) {
            if (!allowed.empty()) allowed += ", ";
            allowed += row.method;
            continue;
        }
        if (auto refused = refuse_caller(services, row, request)) return std::move(*refused);
        if (id) {
            const auto parsed = parse_invocation_id(*id);
            if (!parsed) return problem(ControlProblem::not_found, "No invocation has that id.");
            request.id = *parsed;
        }
        return row.handler(services, request);
    }
    if (allowed.empty()) return problem(ControlProblem::not_found, "There is no such resource.");
    auto refused = problem(ControlProblem::bad_request, "This resource does not take that method.");
    refused.status = 405;
    refused.fields.emplace_back("Allow", allowed);
    return refused;
}

}  // namespace sworn::control
