#include "proxy/config/route_digest.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/proxy/config/config_support.h"

namespace sworn::config {
namespace {

template <class R>
struct Change {
    std::string_view name;
    std::function<void(R&)> apply;
};

Route full_route() {
    Route route;
    route.id = "r";
    route.host = "a.test";
    route.idempotency.emplace();
    route.job.emplace().id = Extract{"/id", ""};
    route.batch.emplace();
    route.reconcile.emplace();
    return route;
}

const std::vector<Change<Route>>& match_changes() {
    static const std::vector<Change<Route>> changes{
        {"id", [](Route& r) { r.id = "s"; }},
        {"host", [](Route& r) { r.host = "b.test"; }},
        {"match_port", [](Route& r) { r.match_port = 443; }},
        {"methods", [](Route& r) { r.methods = {"GET"}; }},
        {"path", [](Route& r) { r.path = "/v1"; }},
        {"mode", [](Route& r) { r.mode = RouteMode::tunnel; }},
        {"upstream.scheme", [](Route& r) { r.upstream.scheme = "http"; }},
        {"upstream.port", [](Route& r) { r.upstream.port = 444; }},
        {"upstream.host", [](Route& r) { r.upstream.host = "c.test"; }},
        {"upstream.ca", [](Route& r) { r.upstream.ca = "/ca"; }},
        {"upstream.pin", [](Route& r) { r.upstream.pin = {"p"}; }},
        {"credential", [](Route& r) { r.credential = "k"; }},
        {"semantics", [](Route& r) { r.semantics = Semantics::idempotent; }},
        {"semantics_rules", [](Route& r) { r.semantics_rules.emplace_back(); }},
        {"require_framing", [](Route& r) { r.require_explicit_framing = true; }},
        {"on_cancel", [](Route& r) { r.on_cancel = OnCancel::close; }},
        {"redirects.follow", [](Route& r) { r.redirects.follow = 1; }},
        {"redirects.to", [](Route& r) { r.redirects.to = {"d.test"}; }},
        {"approval.required", [](Route& r) { r.approval.required = true; }},
        {"approval.ttl", [](Route& r) { r.approval.ttl = 1s; }},
        {"headers.deny", [](Route& r) { r.headers.deny = {"x"}; }},
        {"headers.replace", [](Route& r) { r.headers.replace = true; }},
        {"guard.enabled", [](Route& r) { r.guard.enabled = false; }},
        {"guard.window", [](Route& r) { r.guard.window = 1h; }},
        {"guard.unconfirmed", [](Route& r) { r.guard.unconfirmed = 1h; }},
        {"caller_may_force", [](Route& r) { r.caller_may_force = true; }},
        {"redact", [](Route& r) { r.redact = false; }},
        {"trust_hops", [](Route& r) { r.trust_hops = {"hop"}; }},
    };
    return changes;
}

const std::vector<Change<Route>>& promise_changes() {
    static const std::vector<Change<Route>> changes{
        {"no idempotency", [](Route& r) { r.idempotency.reset(); }},
        {"header", [](Route& r) { r.idempotency->header = "K"; }},
        {"body_pointer", [](Route& r) { r.idempotency->body_pointer = "/k"; }},
        {"scope", [](Route& r) { r.idempotency->scope = "s"; }},
        {"retention", [](Route& r) { r.idempotency->retention = 1h; }},
        {"window", [](Route& r) { r.idempotency->conservative_window = true; }},
        {"margin", [](Route& r) { r.idempotency->margin = 1h; }},
        {"generate", [](Route& r) { r.idempotency->generate = true; }},
        {"preset", [](Route& r) { r.idempotency->preset = "p"; }},
        {"verified_by", [](Route& r) { r.idempotency->verified_by = "b"; }},
        {"verified_on", [](Route& r) { r.idempotency->verified_on = "o"; }},
        {"automatic", [](Route& r) { r.retry.automatic = true; }},
        {"attempts", [](Route& r) { r.retry.attempts = 4; }},
        {"generations", [](Route& r) { r.retry.generations = 4; }},
        {"deadline", [](Route& r) { r.retry.deadline = 2h; }},
        {"lease", [](Route& r) { r.retry.lease = 2h; }},
        {"default_delay", [](Route& r) { r.retry.default_delay = 0ms; }},
        {"refused_without_effect", [](Route& r) { r.retry.refused_without_effect = {429}; }},
        {"no job", [](Route& r) { r.job.reset(); }},
        {"job.id.json", [](Route& r) { r.job->id->json = "/x"; }},
        {"job.id.header",
         [](Route& r) {
             r.job->id = Extract{"", "/id"};
         }},
        {"job moved", [](Route& r) { std::swap(r.job->id, r.job->status_url); }},
        {"no batch", [](Route& r) { r.batch.reset(); }},
        {"batch.request", [](Route& r) { r.batch->request = "/x"; }},
        {"batch.response", [](Route& r) { r.batch->response = "/x"; }},
        {"batch.id", [](Route& r) { r.batch->id = "/x"; }},
        {"batch.status", [](Route& r) { r.batch->status = "/x"; }},
        {"batch.applied", [](Route& r) { r.batch->applied = {"x"}; }},
        {"batch.refused", [](Route& r) { r.batch->refused = {"x"}; }},
        {"batch.atomic", [](Route& r) { r.batch->atomic = true; }},
        {"no reconcile", [](Route& r) { r.reconcile.reset(); }},
        {"reconcile.method", [](Route& r) { r.reconcile->method = "HEAD"; }},
        {"reconcile.path", [](Route& r) { r.reconcile->path = "/x"; }},
        {"reconcile.command", [](Route& r) { r.reconcile->command = "/x"; }},
        {"applied.status", [](Route& r) { r.reconcile->applied.status = {200}; }},
        {"applied.exit", [](Route& r) { r.reconcile->applied.exit = {200}; }},
        {"applied.json",
         [](Route& r) {
             r.reconcile->applied.json = {{"/a", "b"}};
         }},
        {"not_applied.status", [](Route& r) { r.reconcile->not_applied.status = {200}; }},
        {"settle_after", [](Route& r) { r.reconcile->settle_after = 1s; }},
        {"timeouts.total", [](Route& r) { r.timeouts.total = 1s; }},
        {"timeouts.tls", [](Route& r) { r.timeouts.tls = 1s; }},
        {"limits.max_body", [](Route& r) { r.limits.max_body = 1; }},
        {"limits.max_header", [](Route& r) { r.limits.max_header = 1; }},
    };
    return changes;
}

TEST(RouteDigest, ChangesWithEveryField) {
    std::map<std::string, std::string_view> seen{
        {route_digest(full_route(), nullptr).text(), "unchanged"}};
    for (const auto* changes : {&match_changes(), &promise_changes()}) {
        for (const auto& change : *changes) {
            Route route = full_route();
            change.apply(route);
            const auto [first, is_new] =
                seen.emplace(route_digest(route, nullptr).text(), change.name);
            EXPECT_TRUE(is_new) << change.name << " is like " << first->second;
        }
    }
}

TEST(RouteDigest, IsStable) {
    EXPECT_EQ(route_digest(full_route(), nullptr), route_digest(full_route(), nullptr));
    Route route = full_route();
    route.digest = sha256("anything");
    EXPECT_EQ(route_digest(route, nullptr), route_digest(full_route(), nullptr));
}

TEST(RouteDigest, KeepsNeighbouringListsApart) {
    Route one = full_route();
    one.batch->applied = {"a", "b"};
    Route two = full_route();
    two.batch->applied = {"a"};
    two.batch->refused = {"b"};
    EXPECT_NE(route_digest(one, nullptr), route_digest(two, nullptr));
}

TEST(RouteDigest, BindsTheInjectionButNotWhatRotates) {
    const Route route = full_route();
    const Credential key{"k", "1", {SecretSource::Kind::env, "A"}, {}};
    const Digest before = route_digest(route, &key);
    EXPECT_NE(before, route_digest(route, nullptr));
    Credential rotated = key;
    rotated.version = "2";
    rotated.source = {SecretSource::Kind::vault, "b"};
    EXPECT_EQ(route_digest(route, &rotated), before);
    const std::vector<Change<Injection>> changes{
        {"kind", [](Injection& i) { i.kind = Injection::Kind::header; }},
        {"header", [](Injection& i) { i.header = "X"; }},
        {"format", [](Injection& i) { i.format = "Bearer {secret}"; }},
        {"username", [](Injection& i) { i.username = "u"; }},
        {"query", [](Injection& i) { i.query = "q"; }},
        {"placeholder", [](Injection& i) { i.placeholder = "p"; }},
        {"client_cert_chain", [](Injection& i) { i.client_cert_chain = "/c"; }},
    };
    for (const auto& change : changes) {
        Credential moved = key;
        change.apply(moved.inject);
        EXPECT_NE(route_digest(route, &moved), before) << change.name;
    }
}

TEST(RouteDigest, ChangesWithEveryFieldOfAnSshRoute) {
    const std::vector<Change<SshRoute>> changes{
        {"unchanged", [](SshRoute&) {}},
        {"id", [](SshRoute& r) { r.id = "s"; }},
        {"host", [](SshRoute& r) { r.host = "b.test"; }},
        {"port", [](SshRoute& r) { r.port = 23; }},
        {"users", [](SshRoute& r) { r.users = {"u"}; }},
        {"commands", [](SshRoute& r) { r.commands = {"u"}; }},
        {"credential", [](SshRoute& r) { r.credential = "k"; }},
        {"host_keys", [](SshRoute& r) { r.host_keys = {"k"}; }},
        {"known_hosts", [](SshRoute& r) { r.known_hosts = "k"; }},
        {"semantics", [](SshRoute& r) { r.semantics = Semantics::idempotent; }},
        {"marker", [](SshRoute& r) { r.marker_stdout_regex = "m"; }},
        {"reconcile", [](SshRoute& r) { r.reconcile.emplace(); }},
        {"shell", [](SshRoute& r) { r.shell = true; }},
        {"on_cancel", [](SshRoute& r) { r.on_cancel = OnCancel::close; }},
        {"retry", [](SshRoute& r) { r.retry.attempts = 9; }},
        {"approval", [](SshRoute& r) { r.approval.required = true; }},
        {"guard", [](SshRoute& r) { r.guard.enabled = false; }},
    };
    std::map<std::string, std::string_view> seen;
    for (const auto& change : changes) {
        SshRoute route;
        change.apply(route);
        const auto [first, is_new] = seen.emplace(route_digest(route, nullptr).text(), change.name);
        EXPECT_TRUE(is_new) << change.name << " is like " << first->second;
    }
}

TEST(RouteDigest, IsTakenWhenTheFileIsLoaded) {
    const std::string text =
        std::string{routes_head} + "  - {id: r, match: {host: a.test}, credential: key}\n";
    const auto snapshot = loaded(text);
    const Route* route = snapshot->route("r");
    ASSERT_NE(route, nullptr);
    EXPECT_EQ(route->digest, route_digest(*route, snapshot->credential("key")));
    EXPECT_EQ(route->digest, loaded(text)->route("r")->digest);
}

}  // namespace
}  // namespace sworn::config
