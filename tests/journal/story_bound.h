// What a told record is bound to, and how a state is written in tables: the nouns of story.h.
#pragma once

#include <chrono>
#include <string>

#include "journal/record.h"

namespace sworn::journal::story {

using namespace std::chrono_literals;

inline const WallTime start{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};

// --- What is bound: one function per kind of operation ---

inline PreflightValidated post() {
    PreflightValidated bound;
    bound.route = "payments";
    bound.fingerprint = Digest{{1}};
    bound.request_digest = Digest{{2}};
    bound.fingerprint_covers = "request";
    bound.peer_rule = "tls";
    return bound;
}
inline PreflightValidated put() {
    PreflightValidated bound = post();
    bound.repeatable = true;
    return bound;
}
inline PreflightValidated get() {
    PreflightValidated bound = put();
    bound.safe = true;
    return bound;
}
inline PreflightValidated keyed(KeyOrigin origin = KeyOrigin::caller) {
    PreflightValidated bound = post();
    bound.key_origin = origin;
    bound.key = "req_1";
    bound.key_scope = "payments.create";
    bound.key_lifetime = 23h;
    bound.remote_contract = "configured";
    return bound;
}
inline PreflightValidated approved() {
    PreflightValidated bound = post();
    bound.approval_required = true;
    return bound;
}
inline PreflightValidated with_budget(PreflightValidated bound, std::uint32_t attempts,
                                      std::uint32_t generations) {
    bound.attempts_max = attempts;
    bound.generations_max = generations;
    return bound;
}

inline RemoteResponseComplete completion(bool settles, bool stored = true) {
    RemoteResponseComplete event;
    event.settles = settles;
    event.result_stored = stored;
    event.outcome = settles ? Outcome::committed : Outcome::unknown;
    event.status = 200;
    return event;
}

/// "RE, unknown, reconcile, REMOTE_TIMEOUT, no" as the contract's short form spells a state.
inline std::string describe(const Projection& state) {
    const auto phase = [&] {
        switch (state.phase) {
            case Phase::validation:
                return "V";
            case Phase::credential_injection:
                return "CI";
            case Phase::connection_setup:
                return "CS";
            case Phase::remote_execution:
                return "RE";
            case Phase::result_delivery:
                return "RD";
        }
        return "?";
    }();
    std::string text = phase;
    text += ", " + std::string{to_string(state.outcome)};
    text += ", " + std::string{to_string(state.retry)};
    text += ", " + (state.code ? std::string{to_string(*state.code)} : "null");
    return text + (state.running ? ", yes" : ", no");
}

}  // namespace sworn::journal::story
