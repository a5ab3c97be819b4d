#include <algorithm>
#include <optional>

#include "proxy/contract/path_forms.h"
#include "proxy/contract/preflight.h"

namespace sworn::contract {
namespace {

constexpr std::string_view connect = "CONNECT";

bool host_fits(const config::Route& route, std::string_view host) {
    if (!route.host.starts_with("*.")) return route.host == host;
    const auto suffix = std::string_view{route.host}.substr(1);
    return host.size() > suffix.size() && host.ends_with(suffix);
}

bool origin_fits(const config::Route& route, const Target& target) {
    const bool port_fits = route.match_port ? target.port == *route.match_port
                                            : target.port == 80 || target.port == 443;
    // A wildcard is about names; an address has no labels.
    const bool wildcard = route.host.starts_with("*.");
    return port_fits && !(wildcard && target.host_is_address) && host_fits(route, target.host);
}

bool method_fits(const config::Route& route, std::string_view method) {
    if (method == "TRACE") return false;
    return route.methods.empty() || std::ranges::find(route.methods, method) != route.methods.end();
}

const config::Route* match_form(const config::Snapshot& snapshot, std::string_view method,
                                const Target& target, PathForm form) {
    for (const auto& route : snapshot.routes) {
        if (!origin_fits(route, target)) continue;
        const bool tunnel = route.mode == config::RouteMode::tunnel;
        if (method == connect || tunnel) return &route;
        if (method_fits(route, method) && lies_under(target.path_only(), route.path, form)) {
            return &route;
        }
    }
    return nullptr;
}

}  // namespace

const config::Route* match_route(const config::Snapshot& snapshot, std::string_view method,
                                 const Target& target) {
    return match_form(snapshot, method, target, PathForm{});
}

Status check_caller(const config::Snapshot& snapshot, std::string_view caller,
                    const config::Route* route) {
    if (snapshot.callers.empty()) return Done{};
    const auto known = std::ranges::find(snapshot.callers, caller, &config::Caller::id);
    if (known == snapshot.callers.end()) {
        const bool anonymous = caller.empty() || caller == "local";
        return Error{Code::caller_not_authorized, "Callers of this proxy must say who they are.",
                     "Proxy-Authorization", anonymous ? 407 : 0};
    }
    const bool allowed = route == nullptr || known->routes.empty() ||
                         std::ranges::find(known->routes, route->id) != known->routes.end();
    if (allowed) return Done{};
    return Error{Code::caller_not_authorized, "This caller may not use this route."};
}

Result<const config::Route*> select_route(const HttpAction& action,
                                          const config::Snapshot& snapshot) {
    const auto* const route = match_route(snapshot, action.method, action.target);
    if (route == nullptr) {
        return Error{Code::target_not_allowed, "No route allows this target and method.", "target"};
    }
    if (route->mode == config::RouteMode::tunnel) {
        return Error{Code::target_not_allowed, "The route is a tunnel: it serves CONNECT only.",
                     "target"};
    }
    const auto forms = forms_of(action.target.path_only());
    const bool same = !forms.empty() && std::ranges::all_of(forms, [&](PathForm form) {
        return match_form(snapshot, action.method, action.target, form) == route;
    });
    if (!same) {
        return Error{Code::invalid_target,
                     "The path's dot segments or escapes could lead outside the route.", "target"};
    }
    const auto allowed = check_caller(snapshot, action.caller, route);
    if (!allowed) return allowed.error();
    return route;
}

Result<const config::Route*> select_connect_route(std::string_view caller, const Target& target,
                                                  const config::Snapshot& snapshot) {
    const auto* const route = match_route(snapshot, connect, target);
    if (route == nullptr) {
        return Error{Code::target_not_allowed, "No route allows this host and port.", "target"};
    }
    // Inside an intercepted connection each request is matched and authorised on its own.
    const bool intercepted = route->mode == config::RouteMode::inject;
    const auto allowed = check_caller(snapshot, caller, intercepted ? nullptr : route);
    if (!allowed) return allowed.error();
    return route;
}

}  // namespace sworn::contract
