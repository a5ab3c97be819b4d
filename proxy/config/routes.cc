// HTTP routes: what they match, where it goes, and that the parts of one route fit each other.
#include "proxy/config/checks.h"
#include "proxy/config/draft.h"
#include "proxy/config/hosts.h"
#include "proxy/config/route_digest.h"

namespace sworn::config {
namespace {

constexpr std::string_view pin_prefix = "sha256/";

void read_host_pattern(const Field& field, std::string& host) {
    const auto text = field.text();
    if (!text) return;
    const auto pattern = parse_host_pattern(*text);
    if (!pattern) {
        field.fault(
            shown(*text) + " is not a host like api.example.com, *.example.com or an address" +
            (text->find(':') != std::string::npos ? "; the port has a key of its own" : ""));
        return;
    }
    if (is_own_name(*pattern)) {
        field.fault(std::string{own_name} + " is Sworn's own name and never a target");
        return;
    }
    host = *pattern;
}

void read_match(Section& route, Route& out) {
    const auto field = route.need("match", "match: {host: api.example.com}");
    if (!field) return;
    Section section{field};
    if (const auto host = section.need("host", "a name, *.name or an address")) {
        read_host_pattern(host, out.host);
    }
    if (const auto port = section.get("port")) out.match_port = port.port();
    read_methods(section, out.methods);
    read_path_prefix(section, out.path);
}

void read_pins(Section& section, Upstream& upstream) {
    const auto field = section.get("pin");
    if (!field) return;
    for (const Field& item : field.items()) {
        const auto text = item.text();
        if (!text) continue;
        const auto digest = text->starts_with(pin_prefix)
                                ? decode_base64(text->substr(pin_prefix.size()))
                                : std::nullopt;
        if (!digest || digest->size() != sizeof(Digest::bytes)) {
            item.fault(shown(*text) +
                       " is not a pin: sha256/ and the base64 of the public key's "
                       "SHA-256");
            continue;
        }
        upstream.pin.push_back(*text);
    }
}

void read_upstream(Section& route, Upstream& upstream, const Draft& draft) {
    const auto field = route.get("upstream");
    if (!field) return;
    Section section{field};
    section.read_word<std::string>("scheme", upstream.scheme,
                                   {{"https", "https"}, {"http", "http"}});
    if (upstream.scheme == "http") upstream.port = 80;
    if (const auto port = section.get("port")) upstream.port = port.port().value_or(upstream.port);
    if (const auto host = section.get("host")) {
        const auto text = host.text();
        const auto parsed = text ? parse_host(*text) : std::nullopt;
        if (text && (!parsed || is_own_name(*parsed))) {
            host.fault(shown(*text) + " is not a host name or address to dial");
        }
        if (parsed) upstream.host = *parsed;
    }
    const auto ca = section.get("ca");
    if (ca) {
        if (const auto text = ca.text()) upstream.ca = anchored(draft, *text);
    }
    read_pins(section, upstream);
    if (upstream.scheme == "http" && (ca || !upstream.pin.empty())) {
        field.fault("ca and pin have no meaning with scheme http, which verifies nobody");
    }
}

void read_redirects(Section& route, Redirects& redirects) {
    constexpr std::uint64_t follow_max = 20;
    const auto field = route.get("redirects");
    if (!field) return;
    Section section{field};
    section.read_number("follow", redirects.follow, 0, follow_max);
    const auto to = section.get("to");
    if (!to) return;
    for (const Field& item : to.items()) {
        std::string host;
        read_host_pattern(item, host);
        if (!host.empty()) redirects.to.push_back(std::move(host));
    }
}

void read_header_rules(Section& route, HeaderRules& headers) {
    const auto field = route.get("headers");
    if (!field) return;
    Section section{field};
    if (const auto deny = section.get("deny")) {
        for (const Field& item : deny.items()) {
            const auto name = item.text();
            if (name && !is_token(*name)) item.fault(shown(*name) + " is not a header name");
            if (name) headers.deny.push_back(lower_case(*name));
        }
    }
    section.read_word<bool>("override", headers.replace, {{"refuse", false}, {"replace", true}});
}

void read_trust_hops(Section& route, std::vector<std::string>& hops) {
    const auto field = route.get("trust_hops");
    if (!field) return;
    for (const Field& item : field.items()) {
        const auto name = item.text();
        if (!name) continue;
        if (!is_header_text(*name)) {
            item.fault(shown(*name) + " is not a name as it stands in Proxy-Status");
            continue;
        }
        hops.push_back(*name);
    }
}

/// A secret must have a place on this route.
void check_injection(Section& route, const Route& out, const Credential& credential) {
    const Field field = route.get("credential");
    switch (credential.inject.kind) {
        case Injection::Kind::ssh_key:
            field.fault(shown(credential.id) + " is injected as ssh_key, which needs an SSH route");
            break;
        case Injection::Kind::client_cert:
            if (out.upstream.scheme == "http") {
                field.fault(shown(credential.id) +
                            " is a client certificate, which needs upstream.scheme https");
            }
            break;
        case Injection::Kind::none:  // Has its own fault.
        case Injection::Kind::header:
        case Injection::Kind::basic:
        case Injection::Kind::query:
            break;
    }
}

/// A tunnel passes unseen, so whatever needs to see a request is a misunderstanding.
void check_tunnel(Section& route, const Route& out) {
    if (out.mode != RouteMode::tunnel) return;
    const std::string why = " has no effect in mode tunnel, which passes unseen";
    if (!out.credential.empty()) route.get("credential").fault("a credential" + why);
    if (!out.methods.empty()) route.get("match").fault("methods" + why);
    if (out.path != "/") route.get("match").fault("path" + why);
    if (out.approval.required) route.get("approval").fault("an approval" + why);
    for (const std::string_view key : {"idempotency", "job", "batch", "reconcile"}) {
        if (const auto field = route.get(key)) field.fault("this" + why);
    }
    if (out.redirects.follow > 0) route.get("redirects").fault("following redirects" + why);
}

/// The parts that stand directly in the route.
void read_flags(Section& section, Route& out) {
    section.read_word<RouteMode>("mode", out.mode,
                                 {{"inject", RouteMode::inject}, {"tunnel", RouteMode::tunnel}});
    section.read_word<bool>("require_framing", out.require_explicit_framing,
                            {{"any", false}, {"explicit", true}});
    section.read_word<bool>("forced_repeat", out.caller_may_force,
                            {{"operator", false}, {"caller", true}});
    section.read("redact", out.redact);
}

void read_route(const Field& item, Draft& draft) {
    Section section{item};
    Route out;
    out.timeouts = draft.out.timeouts;
    out.limits = draft.out.limits;
    read_id(section, out.id, draft.route_lines);
    read_match(section, out);
    read_flags(section, out);
    read_upstream(section, out.upstream, draft);
    const Credential* credential = read_credential_name(section, out.credential, draft);
    read_semantics(section, out);
    read_on_cancel(section, out.on_cancel);
    read_idempotency(section, out);
    read_retry(section, out.retry);
    read_redirects(section, out.redirects);
    read_approval(section, out.approval);
    read_job(section, out);
    read_batch(section, out);
    read_reconcile(section, out);
    read_header_rules(section, out.headers);
    read_guard(section, out.guard);
    read_trust_hops(section, out.trust_hops);
    read_route_timeouts(section, out.timeouts);
    read_route_limits(section, out.limits);
    if (credential != nullptr) check_injection(section, out, *credential);
    check_tunnel(section, out);
    out.digest = route_digest(out, credential);
    draft.out.routes.push_back(std::move(out));
}

}  // namespace

void read_methods(Section& section, std::vector<std::string>& methods) {
    const auto field = section.get("methods");
    if (!field) return;
    for (const Field& item : field.items()) {
        const auto text = item.text();
        if (!text) continue;
        if (*text == "TRACE" || *text == "CONNECT") {
            item.fault(*text + " cannot be allowed; " +
                       (*text == "CONNECT" ? "tunnels are routes with mode: tunnel"
                                           : "it would echo the injected secret"));
        } else if (!is_registered_method(*text)) {
            item.fault(shown(*text) + " is not a registered HTTP method" +
                       did_you_mean(*text, registered_methods()));
        } else {
            methods.push_back(*text);
        }
    }
    // An empty list in the snapshot means any method, which nobody means by writing [].
    if (field.is_list() && field.items().empty()) {
        field.fault("names no method; leave it out to allow any but TRACE and CONNECT");
    }
}

void read_path_prefix(Section& section, std::string& path) {
    const auto field = section.get("path");
    if (!field) return;
    const auto text = field.text();
    if (!text) return;
    if (!is_path_prefix(*text)) {
        field.fault(shown(*text) +
                    " is not a path prefix: it starts with / and has no query, dot "
                    "segments or encoded slashes");
        return;
    }
    path = *text;
}

void read_routes(Section& root, Draft& draft) {
    const auto field = root.get("routes");
    if (!field) return;
    for (const Field& item : field.items()) {
        read_route(item, draft);
    }
}

}  // namespace sworn::config
