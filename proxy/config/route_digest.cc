#include "proxy/config/route_digest.h"

#include <concepts>
#include <string>
#include <type_traits>

namespace sworn::config {
namespace {

/// Writes each value as a length-prefixed field, lists and options behind their size, so that no
/// two different routes have the same bytes. The order of the calls is the format.
class Canonical {
public:
    explicit Canonical(std::string_view kind) { text(kind); }

    template <class... T>
    void all(const T&... values) {
        (add(values), ...);
    }
    [[nodiscard]] Digest digest() const { return sha_.digest(); }

private:
    void text(std::string_view value) { sha_.field(value); }
    void number(std::uint64_t value) { sha_.field(std::to_string(value)); }

    void add(const std::string& value) { text(value); }
    void add(const std::filesystem::path& value) { text(value.native()); }
    void add(milliseconds value) { text(std::to_string(value.count())); }
    template <class N>
    requires std::integral<N>
    void add(N value) { text(std::to_string(value)); }
    template <class E>
    requires std::is_enum_v<E>
    void add(E value) { number(static_cast<std::uint64_t>(value)); }
    template <class T>
    void add(const std::vector<T>& values) {
        number(values.size());
        for (const T& value : values)
            add(value);
    }
    template <class T>
    void add(const std::optional<T>& value) {
        number(value ? 1 : 0);
        if (value) add(*value);
    }
    void add(const std::map<std::string, std::string>& values) {
        number(values.size());
        for (const auto& [key, value] : values)
            all(key, value);
    }

    void add(const SemanticsRule& rule) { all(rule.methods, rule.path, rule.is); }
    void add(const Upstream& up) { all(up.scheme, up.port, up.host, up.ca, up.pin); }
    void add(const Idempotency& key) {
        all(key.header, key.body_pointer, key.scope, key.retention, key.conservative_window,
            key.margin, key.generate, key.preset, key.verified_by, key.verified_on);
    }
    void add(const RetryPolicy& retry) {
        all(retry.automatic, retry.attempts, retry.generations, retry.deadline, retry.lease,
            retry.default_delay, retry.refused_without_effect);
    }
    void add(const Redirects& redirects) { all(redirects.follow, redirects.to); }
    void add(const Approval& approval) { all(approval.required, approval.ttl); }
    void add(const Extract& extract) { all(extract.json, extract.header); }
    void add(const Job& job) { all(job.id, job.status_url); }
    void add(const Batch& batch) {
        all(batch.request, batch.response, batch.id, batch.status, batch.applied, batch.refused,
            batch.atomic);
    }
    void add(const FindingRule& rule) { all(rule.status, rule.exit, rule.json); }
    void add(const ReconcileQuery& query) {
        all(query.method, query.path, query.command, query.applied, query.not_applied,
            query.settle_after);
    }
    void add(const HeaderRules& headers) { all(headers.deny, headers.replace); }
    void add(const Guard& guard) { all(guard.enabled, guard.window, guard.unconfirmed); }
    void add(const Timeouts& t) {
        all(t.request_header, t.request_body, t.client_idle, t.resolve, t.connect, t.tls,
            t.response_header, t.response_idle, t.total, t.drain);
    }
    void add(const Limits& limits) {
        all(limits.max_body, limits.max_header, limits.max_connections, limits.max_inflight);
    }
    void add(const Injection& inject) {
        all(inject.kind, inject.header, inject.format, inject.username, inject.query,
            inject.placeholder, inject.client_cert_chain);
    }

    Sha256 sha_;
};

std::optional<Injection> injection_of(const Credential* credential) {
    if (credential == nullptr) return std::nullopt;
    return credential->inject;
}

}  // namespace

Digest route_digest(const Route& route, const Credential* credential) {
    Canonical out{"sworn route 1"};
    out.all(route.id, route.host, route.match_port, route.methods, route.path, route.mode,
            route.upstream, route.credential, route.semantics, route.semantics_rules,
            route.require_explicit_framing, route.on_cancel, route.idempotency, route.retry,
            route.redirects, route.approval, route.job, route.batch, route.reconcile, route.headers,
            route.guard, route.caller_may_force, route.redact, route.trust_hops, route.timeouts,
            route.limits, injection_of(credential));
    return out.digest();
}

Digest route_digest(const SshRoute& route, const Credential* credential) {
    Canonical out{"sworn ssh route 1"};
    out.all(route.id, route.host, route.port, route.users, route.commands, route.credential,
            route.host_keys, route.known_hosts, route.semantics, route.marker_stdout_regex,
            route.reconcile, route.shell, route.on_cancel, route.retry, route.approval, route.guard,
            injection_of(credential));
    return out.digest();
}

}  // namespace sworn::config
