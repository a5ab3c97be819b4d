#include <gtest/gtest.h>

#include "tests/proxy/contract/sample.h"

namespace sworn::contract {
namespace {

config::Route route_named(std::string id, std::string host, std::string path = "/") {
    config::Route route;
    route.id = std::move(id);
    route.host = std::move(host);
    route.path = std::move(path);
    return route;
}

std::string matched(const config::Snapshot& snapshot, const std::string& method,
                    const std::string& host, std::uint16_t port = 443,
                    const std::string& path = "/") {
    Target target;
    target.host = host;
    target.port = port;
    target.path = path;
    target.host_is_address = host.find_first_not_of("0123456789.") == std::string::npos;
    const auto* const route = match_route(snapshot, method, target);
    return route == nullptr ? "none" : route->id;
}

TEST(RouteMatch, HostsAreExactOrBelowAWildcard) {
    config::Snapshot snapshot;
    snapshot.routes = {route_named("exact", "api.example.test"),
                       route_named("wild", "*.example.test")};
    struct Case {
        const char* host;
        const char* route;
    };
    for (const Case& one : {Case{"api.example.test", "exact"},
                            {"b.example.test", "wild"},
                            {"a.b.example.test", "wild"},
                            {"example.test", "none"},
                            {"badexample.test", "none"},
                            {"example.test.evil.test", "none"},
                            {".example.test", "none"},
                            {"api.example.test.evil.test", "none"}}) {
        const std::string expected = std::string{one.host} == ".example.test" ? "none" : one.route;
        EXPECT_EQ(matched(snapshot, "GET", one.host), expected) << one.host;
    }
}

TEST(RouteMatch, AWildcardNeverMatchesAnAddress) {
    config::Snapshot snapshot;
    snapshot.routes = {route_named("wild", "*.0.0.1"), route_named("exact", "127.0.0.1")};
    EXPECT_EQ(matched(snapshot, "GET", "127.0.0.1"), "exact");
}

TEST(RouteMatch, PortsAreTheUsualTwoOrTheOneNamed) {
    config::Snapshot snapshot;
    snapshot.routes = {route_named("usual", "a.test"), route_named("own", "b.test")};
    snapshot.routes[1].match_port = 8443;
    struct Case {
        const char* host;
        std::uint16_t port;
        const char* route;
    };
    for (const Case& one : {Case{"a.test", 80, "usual"},
                            {"a.test", 443, "usual"},
                            {"a.test", 8080, "none"},
                            {"b.test", 8443, "own"},
                            {"b.test", 443, "none"},
                            {"b.test", 80, "none"}}) {
        EXPECT_EQ(matched(snapshot, "GET", one.host, one.port), one.route) << one.port;
    }
}

TEST(RouteMatch, TheFirstFittingRouteWins) {
    config::Snapshot snapshot;
    auto write = route_named("write", "a.test", "/v1/");
    write.methods = {"POST"};
    snapshot.routes = {write, route_named("v1", "a.test", "/v1/"), route_named("rest", "a.test")};
    EXPECT_EQ(matched(snapshot, "POST", "a.test", 443, "/v1/x"), "write");
    EXPECT_EQ(matched(snapshot, "GET", "a.test", 443, "/v1/x"), "v1");
    EXPECT_EQ(matched(snapshot, "POST", "a.test", 443, "/v2"), "rest");
    EXPECT_EQ(matched(snapshot, "GET", "a.test", 443, "/x?y=/v1/"), "rest");
    EXPECT_EQ(matched(snapshot, "TRACE", "a.test", 443, "/v1/x"), "none");
    EXPECT_EQ(matched(snapshot, "post", "a.test", 443, "/v1/x"), "v1");
    std::swap(snapshot.routes[0], snapshot.routes[2]);
    EXPECT_EQ(matched(snapshot, "POST", "a.test", 443, "/v1/x"), "rest");
}

TEST(RouteMatch, ConnectAndTunnelsLookAtHostAndPortAlone) {
    config::Snapshot snapshot;
    auto inject = route_named("inject", "a.test", "/v1/");
    inject.methods = {"GET"};
    auto tunnel = route_named("tunnel", "b.test");
    tunnel.mode = config::RouteMode::tunnel;
    snapshot.routes = {inject, tunnel};
    EXPECT_EQ(matched(snapshot, "CONNECT", "a.test"), "inject");
    EXPECT_EQ(matched(snapshot, "CONNECT", "b.test"), "tunnel");
    EXPECT_EQ(matched(snapshot, "CONNECT", "b.test", 22), "none");
    EXPECT_EQ(matched(snapshot, "GET", "b.test"), "tunnel");
}

TEST(RouteMatch, ATunnelServesNoHttpAction) {
    config::Snapshot snapshot;
    auto tunnel = route_named("tunnel", "api.example.test");
    tunnel.mode = config::RouteMode::tunnel;
    snapshot.routes = {tunnel, route_named("later", "*.example.test")};
    const auto got = select_route(test::sample_action(), snapshot);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Code::target_not_allowed);
}

TEST(RouteMatch, WithoutARouteNothingIsAllowed) {
    const auto got = select_route(test::sample_action("GET", "/v2"), test::sample_snapshot());
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Code::target_not_allowed);
    EXPECT_EQ(got.error().field.view(), "target");
}

TEST(RouteMatch, ADecodedMethodBoundaryCannotSwitchRoutes) {
    // The same path under two routes: decoding leads from the open one to the guarded one.
    auto snapshot = test::sample_snapshot();
    snapshot.routes.push_back(route_named("open", "api.example.test"));
    const auto got = select_route(test::sample_action("GET", "/%76%31/charges"), snapshot);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Code::invalid_target);
}

config::Snapshot with_callers() {
    auto snapshot = test::sample_snapshot();
    snapshot.callers = {
        {"ci", {}, {"payments"}, {}}, {"docs", {}, {"docs"}, {}}, {"all", {}, {}, {}}};
    return snapshot;
}

TEST(RouteMatch, CallersAreHeldToTheirRoutes) {
    struct Case {
        const char* caller;
        bool allowed;
        int status;
    };
    for (const Case& one : {Case{"ci", true, 0},
                            {"all", true, 0},
                            {"docs", false, 0},
                            {"nobody", false, 0},
                            {"CI", false, 0},
                            {"local", false, 407},
                            {"", false, 407}}) {
        auto action = test::sample_action();
        action.caller = one.caller;
        const auto got = select_route(action, with_callers());
        EXPECT_EQ(static_cast<bool>(got), one.allowed) << one.caller;
        if (got) continue;
        EXPECT_EQ(got.error().code, Code::caller_not_authorized);
        EXPECT_EQ(got.error().status, one.status) << one.caller;
    }
}

TEST(RouteMatch, AConnectIsCheckedAgainstTunnelsAndForIdentity) {
    auto snapshot = with_callers();
    auto tunnel = route_named("docs", "docs.example.test");
    tunnel.mode = config::RouteMode::tunnel;
    snapshot.routes.push_back(tunnel);
    Target docs;
    docs.host = "docs.example.test";
    docs.port = 443;
    Target api = docs;
    api.host = "api.example.test";
    Target other = docs;
    other.host = "other.example.test";

    EXPECT_TRUE(select_connect_route("docs", docs, snapshot));
    EXPECT_TRUE(select_connect_route("docs", api, snapshot));  // Its requests are checked inside.
    const auto foreign = select_connect_route("ci", docs, snapshot);
    ASSERT_FALSE(foreign);
    EXPECT_EQ(foreign.error().code, Code::caller_not_authorized);
    EXPECT_EQ(foreign.error().status, 0);
    const auto anonymous = select_connect_route("local", api, snapshot);
    ASSERT_FALSE(anonymous);
    EXPECT_EQ(anonymous.error().status, 407);
    const auto nowhere = select_connect_route("all", other, snapshot);
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().code, Code::target_not_allowed);
}

}  // namespace
}  // namespace sworn::contract
