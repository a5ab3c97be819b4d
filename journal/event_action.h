// Events of an action up to the permit for its credential: what is asked, bound and approved.
// Fields and tags: see journal/event.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/digest.h"
#include "common/ids.h"
#include "common/vocabulary.h"
#include "journal/event_type.h"

namespace sworn::journal {

/// Parsed: caller identity, normalised target, fingerprint, token.
struct ActionAccepted {
    static constexpr auto type = EventType::action_accepted;
    Protocol protocol = Protocol::http;
    std::string caller{};          ///< Identity id; "local" where `callers` is absent.
    std::string method{};          ///< HTTP method, or the SSH request type.
    std::string scheme{}, host{};  ///< Host in lower case, without brackets.
    std::uint32_t port = 0;
    std::string path{};  ///< Path and query as the target gets them, before injection.
    Digest fingerprint{};
    std::string token{};                   ///< Sworn-Token; empty = none.
    std::string operation_id{};            ///< Sworn-Operation-Id; empty = none.
    std::optional<InvocationId> parent{};  ///< Redirect hops, reconcile queries, batch items, jobs.
    std::optional<InvocationId> previous{};  ///< The invocation that held the token before.
    static auto fields(auto& e, auto&& v) {
        v(1, "protocol", e.protocol);
        v(2, "caller", e.caller);
        v(3, "method", e.method);
        v(4, "scheme", e.scheme);
        v(5, "host", e.host);
        v(6, "port", e.port);
        v(7, "path", e.path);
        v(8, "fingerprint", e.fingerprint);
        v(9, "token", e.token);
        v(10, "operation_id", e.operation_id);
        v(11, "parent", e.parent);
        v(12, "previous", e.previous);
    }
};

/// Terminal stop before dispatch. May be the first event, for what could not be parsed.
struct ActionRefused {
    static constexpr auto type = EventType::action_refused;
    Code code = Code::malformed_request;
    Phase phase = Phase::validation;
    std::string field{};       ///< Bounded and escaped (FieldPath).
    std::string message{};     ///< A literal of ours.
    std::uint32_t status = 0;  ///< HTTP status that was answered; 0 for none.
    std::string caller{};
    std::optional<InvocationId> unresolved{};  ///< UNRESOLVED_DUPLICATE: the one that is meant.
    std::string method{}, target{};  ///< Where no ACTION_ACCEPTED tells: escaped, cut, no query.
    static auto fields(auto& e, auto&& v) {
        v(1, "code", e.code);
        v(2, "phase", e.phase);
        v(3, "field", e.field);
        v(4, "message", e.message);
        v(5, "status", e.status);
        v(6, "caller", e.caller);
        v(7, "unresolved", e.unresolved);
        v(8, "method", e.method);
        v(9, "target", e.target);
    }
};

/// Bound: everything that a later change must not alter for this invocation.
struct PreflightValidated {
    static constexpr auto type = EventType::preflight_validated;
    std::string route{};
    Digest route_digest{};
    std::string credential{};  ///< Credential id; empty = the route injects nothing.
    std::string credential_version{};
    std::string injection{};  ///< "header", "basic", "query", … ; empty = none.
    Digest fingerprint{};
    Digest request_digest{};
    std::string fingerprint_covers{};  ///< "request", or "command" (SSH stdin not spooled).
    bool repeatable = false;
    bool safe = false;
    std::string semantics{};  ///< The ground: "method", "route", "builtin".
    // The idempotency contract, bound before dispatch (contract section 6).
    KeyOrigin key_origin = KeyOrigin::none;
    std::string key{};  ///< As it is forwarded, quotes included.
    std::string key_scope{};
    std::chrono::milliseconds key_lifetime{0};  ///< retention − margin.
    std::string remote_contract{};              ///< "configured", "preset:stripe"; empty = none.
    // Budgets.
    std::uint32_t attempts_max = 3;
    std::uint32_t generations_max = 3;
    std::chrono::milliseconds deadline{3'600'000};  ///< From ACTION_ACCEPTED.
    // Guard against blind repeats.
    bool guard = true;
    std::chrono::milliseconds guard_window{86'400'000};
    std::chrono::milliseconds guard_unconfirmed{600'000};
    std::string precondition{};  ///< "If-Match", "If-None-Match: *"; empty = none.
    bool approval_required = false;
    bool request_stored = false;
    std::string peer_rule{};                      ///< "tls", "tls+pin", "clear", "ssh".
    std::vector<std::string> replaced_headers{};  ///< override: replace; what came instead of ours.
    static auto fields(auto& e, auto&& v) {
        v(1, "route", e.route);
        v(2, "route_digest", e.route_digest);
        v(3, "credential", e.credential);
        v(4, "credential_version", e.credential_version);
        v(5, "injection", e.injection);
        v(6, "fingerprint", e.fingerprint);
        v(7, "request_digest", e.request_digest);
        v(8, "fingerprint_covers", e.fingerprint_covers);
        v(9, "repeatable", e.repeatable);
        v(10, "safe", e.safe);
        v(11, "semantics", e.semantics);
        v(12, "key_origin", e.key_origin);
        v(13, "key", e.key);
        v(14, "key_scope", e.key_scope);
        v(15, "key_lifetime", e.key_lifetime);
        v(16, "remote_contract", e.remote_contract);
        v(17, "attempts_max", e.attempts_max);
        v(18, "generations_max", e.generations_max);
        v(19, "deadline", e.deadline);
        v(20, "guard", e.guard);
        v(21, "guard_window", e.guard_window);
        v(22, "guard_unconfirmed", e.guard_unconfirmed);
        v(23, "precondition", e.precondition);
        v(24, "approval_required", e.approval_required);
        v(25, "request_stored", e.request_stored);
        v(26, "peer_rule", e.peer_rule);
        v(27, "replaced_headers", e.replaced_headers);
    }
};

/// Exactly this request digest, route digest and credential version are asked about.
struct ApprovalRequested {
    static constexpr auto type = EventType::approval_requested;
    Digest request_digest{}, route_digest{};
    std::string credential_version{};
    WallTime expires_at{};
    static auto fields(auto& e, auto&& v) {
        v(1, "request_digest", e.request_digest);
        v(2, "route_digest", e.route_digest);
        v(3, "credential_version", e.credential_version);
        v(4, "expires_at", e.expires_at);
    }
};
struct ApprovalGranted {
    static constexpr auto type = EventType::approval_granted;
    Digest request_digest{};
    std::string by{};
    static auto fields(auto& e, auto&& v) {
        v(1, "request_digest", e.request_digest);
        v(2, "by", e.by);
    }
};
struct ApprovalDenied {
    static constexpr auto type = EventType::approval_denied;
    std::string by{};
    static auto fields(auto& e, auto&& v) { v(1, "by", e.by); }
};
struct ApprovalExpired {
    static constexpr auto type = EventType::approval_expired;
    static auto fields(auto&, auto&&) {}
};

struct CredentialAuthorized {
    static constexpr auto type = EventType::credential_authorized;
    std::string credential{}, version{}, mode{};
    static auto fields(auto& e, auto&& v) {
        v(1, "credential", e.credential);
        v(2, "version", e.version);
        v(3, "mode", e.mode);
    }
};

}  // namespace sworn::journal
