#include "proxy/contract/preflight.h"

#include "common/fingerprint.h"
#include "proxy/contract/field_rules.h"
#include "proxy/contract/injection_rules.h"
#include "proxy/contract/request_checks.h"

namespace sworn::contract {
namespace {

/// The caller's part of the request, once nothing in it can be refused any more.
struct Prepared {
    Cleared cleared;
    KeyBinding key;
};

Status check_request(const HttpAction& action, const config::Snapshot& snapshot) {
    if (const auto method = check_method(action.method); !method) return method;
    if (const auto fields = check_fields(action.fields); !fields) return fields;
    if (const auto wishes = check_wishes(action.wishes); !wishes) return wishes;
    return check_loop(action.fields, snapshot.name);
}

Status check_against_route(const HttpAction& action, const config::Route& route) {
    if (action.body_size > route.limits.max_body) {
        return Error{Code::payload_limit, "The body is larger than the route allows.", "body"};
    }
    if (action.wishes.repeat_despite_unknown && !route.caller_may_force) {
        return Error{Code::forbidden_header, "On this route only an operator may force a repeat.",
                     "Sworn-Repeat-Despite-Unknown"};
    }
    return Done{};
}

/// Null where the route injects nothing.
Result<const config::Credential*> credential_of(const config::Route& route,
                                                const config::Snapshot& snapshot) {
    if (route.credential.empty()) return nullptr;
    const auto* const credential = snapshot.credential(route.credential);
    if (credential == nullptr) {
        return Error{Code::unknown_credential, "The route names a credential that is not there."};
    }
    if (credential->inject.kind == config::Injection::Kind::ssh_key) {
        return Error{Code::injection_unsupported, "An SSH key cannot go into an HTTP request."};
    }
    return credential;
}

Result<Prepared> prepare(const HttpAction& action, const config::Route& route,
                         const config::Injection& injection, const KeySources& keys) {
    auto fields = forwardable(action.fields);
    const auto names = check_names(action.fields, route.headers, injected_header(injection));
    if (!names) return names.error();
    auto cleared = clear_injected_place(std::move(fields), action.target.path, injection,
                                        route.headers.replace);
    if (!cleared) return cleared.error();
    auto key = bind_key(route, action.method, cleared->fields, keys);
    if (!key) return key.error();
    return Prepared{std::move(*cleared), std::move(*key)};
}

RequestPlan plan_of(const HttpAction& action, const Prepared& prepared, const Bound& bound) {
    HeadParts parts{.method = action.method,
                    .path = prepared.cleared.path,
                    .authority = action.target.authority(),
                    .fields = prepared.cleared.fields,
                    .via = bound.snapshot->name};
    if (bound.credential != nullptr) parts.injection = &bound.credential->inject;
    if (prepared.key.added) parts.generated_key = &*prepared.key.added;
    if (action.body_present) parts.content_length = action.body_size;

    const auto& upstream = bound.route->upstream;
    RequestPlan plan;
    plan.head = build_head(parts);
    plan.body_digest = action.body_digest;
    plan.body_size = action.body_size;
    plan.origin_host = upstream.host.empty() ? action.target.host : upstream.host;
    plan.origin_port = upstream.port;
    plan.tls = upstream.scheme == "https";
    return plan;
}

/// Scheme and port are those of the leg to the target, so that the same operation has one
/// fingerprint whether the caller came by http_proxy or through an intercepted CONNECT.
Digest fingerprint_of(const HttpAction& action, const Prepared& prepared, const Bound& bound) {
    const auto& upstream = bound.route->upstream;
    std::vector<std::string> adds;
    if (!upstream.host.empty()) adds.push_back("upstream " + upstream.host);
    FingerprintInput input;
    input.method = action.method;
    input.scheme = upstream.scheme;
    input.host = action.target.host;
    input.port = upstream.port;
    input.path_and_query = prepared.cleared.path;
    input.headers = prepared.cleared.fields;
    input.idempotency_header = prepared.key.header;
    input.idempotency_key = prepared.key.callers_own;
    input.body = action.body_digest;
    if (bound.credential != nullptr) input.credential_id = bound.credential->id;
    input.route_adds = adds;
    return fingerprint(input);
}

std::string precondition_of(const Fields& fields) {
    if (find_field(fields, "If-Match")) return "If-Match";
    const auto none_match = find_field(fields, "If-None-Match");
    return none_match && trim_blanks(*none_match) == "*" ? "If-None-Match: *" : "";
}

std::string peer_rule_of(const config::Upstream& upstream) {
    if (upstream.scheme != "https") return "clear";
    return upstream.pin.empty() ? "tls" : "tls+pin";
}

void bind_route(journal::PreflightValidated& event, const config::Route& route) {
    event.route = route.id;
    event.route_digest = route.digest;
    event.attempts_max = route.retry.attempts;
    event.generations_max = route.retry.generations;
    event.deadline = route.retry.deadline;
    event.guard = route.guard.enabled;
    event.guard_window = route.guard.window;
    event.guard_unconfirmed = route.guard.unconfirmed;
    event.approval_required = route.approval.required;
    event.request_stored = route.approval.required || route.retry.automatic;
    event.peer_rule = peer_rule_of(route.upstream);
}

void bind_key_to(journal::PreflightValidated& event, const KeyBinding& key) {
    event.key_origin = key.origin;
    event.key = key.key;
    event.key_scope = key.scope;
    event.key_lifetime = key.lifetime;
    event.remote_contract = key.remote_contract;
}

journal::PreflightValidated validated_of(const Bound& bound, const Prepared& prepared,
                                         std::string_view credential_version) {
    journal::PreflightValidated event;
    bind_route(event, *bound.route);
    bind_key_to(event, prepared.key);
    if (bound.credential != nullptr) {
        event.credential = bound.credential->id;
        event.credential_version = credential_version;
        event.injection = to_string(bound.credential->inject.kind);
    }
    event.fingerprint = bound.accepted.fingerprint;
    event.request_digest = bound.plan.request_digest();
    event.fingerprint_covers = "request";
    event.repeatable = bound.semantics.repeatable;
    event.safe = bound.semantics.safe;
    event.semantics = bound.semantics.ground;
    event.precondition = precondition_of(prepared.cleared.fields);
    return event;
}

}  // namespace

journal::ActionAccepted accepted_of(const HttpAction& action, const Digest& fingerprint) {
    journal::ActionAccepted event;
    event.caller = action.caller;
    event.method = action.method;
    event.scheme = action.target.scheme;
    event.host = action.target.host;
    event.port = action.target.port;
    event.path = action.target.path;
    event.fingerprint = fingerprint;
    event.token = action.wishes.token;
    event.operation_id = action.wishes.operation_id;
    event.parent = action.parent;
    return event;
}

Result<Bound> preflight(const HttpAction& action, config::SnapshotPtr snapshot,
                        std::string_view credential_version, const KeySources& keys) {
    if (const auto checked = check_request(action, *snapshot); !checked) return checked.error();
    const auto route = select_route(action, *snapshot);
    if (!route) return route.error();
    if (const auto fits = check_against_route(action, **route); !fits) return fits.error();
    const auto credential = credential_of(**route, *snapshot);
    if (!credential) return credential.error();

    Bound bound;
    bound.snapshot = std::move(snapshot);
    bound.route = *route;
    bound.credential = *credential;
    const auto injection =
        bound.credential == nullptr ? config::Injection{} : bound.credential->inject;
    auto prepared = prepare(action, *bound.route, injection, keys);
    if (!prepared) return prepared.error();

    bound.semantics = semantics_of(*bound.route, action.method, action.target);
    bound.plan = plan_of(action, *prepared, bound);
    bound.replaced_headers = prepared->cleared.replaced;
    bound.accepted = accepted_of(action, fingerprint_of(action, *prepared, bound));
    bound.accepted.path = prepared->cleared.path;
    bound.validated = validated_of(bound, *prepared, credential_version);
    bound.validated.replaced_headers = bound.replaced_headers;
    return bound;
}

Operation operation_of(const Bound& bound) {
    Operation operation;
    operation.repeatable = bound.semantics.repeatable;
    operation.safe = bound.semantics.safe;
    operation.key_bound = bound.validated.key_origin != journal::KeyOrigin::none;
    operation.require_explicit_framing = bound.route->require_explicit_framing;
    operation.refused_without_effect = bound.route->retry.refused_without_effect;
    operation.default_delay = bound.route->retry.default_delay;
    operation.trust_hops = bound.route->trust_hops;
    operation.tls = bound.plan.tls;
    return operation;
}

}  // namespace sworn::contract
