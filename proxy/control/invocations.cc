// Listing and showing records, and the routes that callers may use.
#include <boost/json/array.hpp>

#include <algorithm>
#include <charconv>
#include <functional>

#include "common/units.h"
#include "proxy/contract/preflight.h"
#include "proxy/control/handlers.h"
#include "proxy/pipeline/evidence.h"

namespace sworn::control {

namespace json = boost::json;

namespace {

constexpr std::size_t page_max = 1000;
constexpr std::size_t page_default = 100;

/// What a listing asks for, checked.
struct Listing {
    std::optional<Outcome> outcome;
    std::optional<Phase> phase;
    std::string_view route, caller, token;
    std::optional<WallTime> since;
    std::optional<InvocationId> oldest, before;  ///< `oldest` bounds what `since` has to look at.
    std::size_t limit = page_default;

    [[nodiscard]] bool keeps(const journal::Record& record,
                             const journal::Projection& projection) const {
        if (outcome && projection.outcome != *outcome) return false;
        if (phase && projection.phase != *phase) return false;
        if (!route.empty() && (!record.validated || record.validated->route != route)) return false;
        if (!caller.empty() && caller_of(record) != caller) return false;
        // An id may be of a later time than its action, never of an earlier one: ids do not go back
        // with the clock.
        return !since || record.accepted_at.value_or(record.id.time()) >= *since;
    }
    [[nodiscard]] bool spans(const InvocationId& id) const {
        return (!oldest || id >= *oldest) && (!before || id < *before);
    }
};

/// RFC 3339, or a duration back from now ("1h").
std::optional<WallTime> parse_since(std::string_view text, WallTime now) {
    if (const auto back = parse_duration(text)) return now - *back;
    return parse_rfc3339(text);
}

std::optional<std::size_t> parse_limit(std::string_view text) {
    std::size_t limit = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), limit);
    if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if (limit == 0 || limit > page_max) return std::nullopt;
    return limit;
}

using Parsed = Result<Listing, std::string_view>;

/// Takes the words of a closed vocabulary; the error names the parameter.
Parsed parse_words(const Request& request, Listing listing) {
    if (const auto word = request.parameter("outcome"); !word.empty()) {
        listing.outcome = parse<Outcome>(word);
        if (!listing.outcome) {
            return std::string_view{
                "outcome is one of not_attempted, rejected, committed, unknown."};
        }
    }
    if (const auto word = request.parameter("phase"); !word.empty()) {
        listing.phase = parse<Phase>(word);
        if (!listing.phase) {
            return std::string_view{
                "phase is one of validation, credential_injection, connection_setup, "
                "remote_execution, result_delivery."};
        }
    }
    return listing;
}

Parsed parse_span(const Request& request, Listing listing, WallTime now) {
    if (const auto text = request.parameter("since"); !text.empty()) {
        listing.since = parse_since(text, now);
        if (!listing.since) {
            return std::string_view{"since is an RFC 3339 time or a duration such as 1h."};
        }
        listing.oldest = first_id_at(*listing.since);
    }
    if (const auto text = request.parameter("limit"); !text.empty()) {
        const auto limit = parse_limit(text);
        if (!limit) return std::string_view{"limit is a number from 1 to 1000."};
        listing.limit = *limit;
    }
    if (const auto text = request.parameter("cursor"); !text.empty()) {
        listing.before = parse_invocation_id(text);
        if (!listing.before) return std::string_view{"cursor is a next_cursor of this API."};
    }
    return listing;
}

Parsed parse_listing(const Request& request, WallTime now) {
    Listing listing;
    listing.route = request.parameter("route");
    listing.caller = request.parameter("caller");
    listing.token = request.parameter("token");
    if (request.door == Door::caller) {
        if (!listing.caller.empty() && listing.caller != request.caller) {
            return std::string_view{"caller can only be yourself here."};
        }
        if (listing.token.empty()) return std::string_view{"token names one of your own."};
        listing.caller = request.caller;
    }
    auto worded = parse_words(request, listing);
    if (!worded) return worded;
    return parse_span(request, *worded, now);
}

/// Tokens belong to a caller, so without one every caller that there may be is asked.
std::vector<std::string> callers_asked(const Services& services, const Listing& listing) {
    if (!listing.caller.empty()) return {std::string{listing.caller}};
    std::vector<std::string> callers{"local"};
    const auto runtime = services.runtime.current();
    for (const auto& caller : runtime->snapshot()->callers)
        callers.push_back(caller.id);
    return callers;
}

/// The invocations of one token; the token's own index answers this, tombstones included.
journal::Page list_by_token(Services& services, const Listing& listing, WallTime now) {
    std::vector<InvocationId> ids;
    for (const auto& caller : callers_asked(services, listing)) {
        for (const auto& found : services.journal.find_token(caller, listing.token)) {
            if (listing.spans(found.id)) ids.push_back(found.id);
        }
    }
    std::ranges::sort(ids, std::greater{});
    journal::Page page;
    for (const auto& id : ids) {
        auto stored = services.journal.read(id);
        if (!stored || !listing.keeps(stored->record, project(stored->record, now))) continue;
        if (page.records.size() == listing.limit) {
            page.next = page.records.back().id;
            break;
        }
        page.records.push_back(std::move(stored->record));
    }
    return page;
}

journal::Page list_all(Services& services, const Listing& listing) {
    journal::ListQuery query;
    query.limit = listing.limit;
    query.before = listing.before;
    query.oldest = listing.oldest;
    query.keep = [&](const journal::Record& record, const journal::Projection& projection) {
        return listing.keeps(record, projection);
    };
    return services.journal.list(query);
}

}  // namespace

Response list_invocations(Services& services, const Request& request) {
    const auto now = services.clock.now();
    const auto listing = parse_listing(request, now);
    if (!listing) return problem(ControlProblem::bad_request, listing.error());
    const auto page = listing->token.empty() ? list_all(services, *listing)
                                             : list_by_token(services, *listing, now);
    json::array items;
    for (const auto& record : page.records) {
        items.push_back(pipeline::record_view(record, now, nullptr));
    }
    const auto next = page.next ? json::value(page.next->text()) : json::value(nullptr);
    return json_response(json::object{{"items", std::move(items)}, {"next_cursor", next}});
}

Response show_invocation(Services& services, const Request& request) {
    const auto stored = read_visible(services, request);
    if (!stored) return no_such_invocation();
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
        for (const auto& method : route.methods)
            methods.push_back(json::value(method));
        items.push_back(
            json::object{{"id", route.id},
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
