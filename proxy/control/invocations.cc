// Listing and showing records, and the routes that callers may use.
#include <boost/json/array.hpp>

#include <charconv>

#include "common/units.h"
#include "proxy/contract/preflight.h"
#include "proxy/control/handlers.h"
#include "proxy/pipeline/evidence.h"

namespace sworn::control {

namespace json = boost::json;

namespace {

constexpr std::size_t page_max = 1000;

/// What a listing asks for, checked.
struct Filter {
    std::optional<Outcome> outcome;
    std::optional<Phase> phase;
    std::string route, caller;
    std::optional<WallTime> since;

    [[nodiscard]] bool keeps(const journal::Record& record,
                             const journal::Projection& projection) const {
        if (outcome && projection.outcome != *outcome) return false;
        if (phase && projection.phase != *phase) return false;
        if (!route.empty() && (!record.validated || record.validated->route != route)) return false;
        if (!caller.empty() && (!record.accepted || record.accepted->caller != caller)) return false;
        return !since || (record.accepted_at ? *record.accepted_at : record.id.time()) >= *since;
    }
};

/// RFC 3339, or a duration back from now ("1h").
std::optional<WallTime> parse_since(std::string_view text, WallTime now) {
    if (const auto back = parse_duration(text)) return now - *back;
    return parse_rfc3339(text);
}

Result<Filter, std::string> parse_filter(const Request& request, WallTime now) {
    Filter filter;
    if (const auto word = request.parameter("outcome"); !word.empty()) {
        filter.outcome = parse<Outcome>(word);
        if (!filter.outcome) {
            return std::string{"outcome is one of not_attempted, rejected, committed, unknown."};
        }
    }
    if (const auto word = request.parameter("phase"); !word.empty()) {
        filter.phase = parse<Phase>(word);
        if (!filter.phase) return std::string{"phase is none of the five."};
    }
    if (const auto text = request.parameter("since"); !text.empty()) {
        filter.since = parse_since(text, now);
        if (!filter.since) return std::string{"since is an RFC 3339 time or a duration such as 1h."};
    }
    filter.route = request.parameter("route");
    filter.caller =
        request.door == Door::caller ? std::string_view{request.caller} : request.parameter("caller");
    return filter;
}

std::optional<std::size_t> parse_limit(std::string_view text) {
    if (text.empty()) return 100;
    std::size_t limit = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), limit);
    if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if (limit == 0 || limit > page_max) return std::nullopt;
    return limit;
}

/// The invocations of one token, newest first; the token's own index answers this.
Response list_by_token(Services& services, const Request& request, const Filter& filter) {
    const auto now = services.clock.now();
    const std::string_view token = request.parameter("token");
    std::vector<std::string> callers{filter.caller.empty() ? "local" : filter.caller};
    if (filter.caller.empty()) {
        const auto runtime = services.runtime.current();
        for (const auto& caller : runtime->snapshot()->callers) callers.push_back(caller.id);
    }
    std::vector<journal::Record> found;
    for (const auto& caller : callers) {
        for (const auto& one : services.journal.find_token(caller, token)) {
            if (auto stored = services.journal.read(one.id)) {
                found.push_back(std::move(stored->record));
            }
        }
    }
    std::ranges::sort(found, std::greater{}, &journal::Record::id);
    json::array items;
    for (const auto& record : found) {
        if (!filter.keeps(record, project(record, now))) continue;
        items.push_back(pipeline::record_view(record, now, nullptr));
    }
    return json_response(json::object{{"items", std::move(items)}, {"next_cursor", nullptr}});
}

}  // namespace

Response list_invocations(Services& services, const Request& request) {
    const auto now = services.clock.now();
    const auto filter = parse_filter(request, now);
    if (!filter) return problem(ControlProblem::bad_request, filter.error());
    if (request.door == Door::caller && request.parameter("token").empty()) {
        return problem(ControlProblem::bad_request, "Name one of your tokens: ?token=…");
    }
    const auto limit = parse_limit(request.parameter("limit"));
    if (!limit) return problem(ControlProblem::bad_request, "limit is a number from 1 to 1000.");
    if (!request.parameter("token").empty()) return list_by_token(services, request, *filter);
    journal::ListQuery query;
    query.limit = *limit;
    if (const auto cursor = request.parameter("cursor"); !cursor.empty()) {
        query.before = parse_invocation_id(cursor);
        if (!query.before) {
            return problem(ControlProblem::bad_request, "cursor is a next_cursor of this API.");
        }
    }
    query.keep = [&](const journal::Record& record, const journal::Projection& projection) {
        return filter->keeps(record, projection);
    };
    const auto page = services.journal.list(query);
    json::array items;
    for (const auto& record : page.records) {
        items.push_back(pipeline::record_view(record, now, nullptr));
    }
    return json_response(
        json::object{{"items", std::move(items)},
                     {"next_cursor", page.next ? json::value(page.next->text())
                                               : json::value(nullptr)}});
}

Response show_invocation(Services& services, const Request& request) {
    const auto stored = read_visible(services, request);
    if (!stored) return problem(ControlProblem::not_found, "No invocation has that id.");
    return json_response(
        pipeline::record_view(stored->record, services.clock.now(), &stored->events));
}

Response list_routes(Services& services, const Request& request) {
    const auto runtime = services.runtime.current();
    json::array items;
    for (const auto& route : runtime->snapshot()->routes) {
        const bool may = request.door != Door::caller ||
                         contract::check_caller(*runtime->snapshot(), request.caller, &route);
        if (!may) continue;
        json::array methods;
        for (const auto& method : route.methods) methods.push_back(json::value(method));
        items.push_back(json::object{
            {"id", route.id},
            {"host", route.host},
            {"path", route.path},
            {"methods", std::move(methods)},
            {"mode", route.mode == config::RouteMode::tunnel ? "tunnel" : "inject"},
            {"credential", route.credential.empty() ? json::value(nullptr)
                                                    : json::value(route.credential)}});
    }
    return json_response(json::object{{"items", std::move(items)}});
}

}  // namespace sworn::control
