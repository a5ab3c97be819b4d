// Everything that is decided before a secret is read or a name is resolved: does a route match, may
// this caller use it, do the fields hold together, what will be sent, and what is bound by that.
// Pure: a request, a snapshot and the time in; a plan or an error out.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/clock.h"
#include "common/result.h"
#include "journal/event.h"
#include "proxy/config/snapshot.h"
#include "proxy/contract/action.h"
#include "proxy/contract/idempotency.h"
#include "proxy/contract/request_plan.h"
#include "proxy/contract/semantics.h"
#include "proxy/contract/settle.h"

namespace sworn::contract {

/// First match wins; null = TARGET_NOT_ALLOWED. Policy sees the exact path bytes. With method
/// CONNECT only host and port count. A tunnel route matches by host and port alone.
[[nodiscard]] const config::Route* match_route(const config::Snapshot& snapshot,
                                               std::string_view method, const Target& target);

/// May this caller use this route (null: any route at all)? Errors: caller_not_authorized, with
/// status 407 where the caller did not say who it is.
[[nodiscard]] Status check_caller(const config::Snapshot& snapshot, std::string_view caller,
                                  const config::Route* route);

/// A request bound to an immutable route: what PREFLIGHT_VALIDATED records.
struct Bound {
    config::SnapshotPtr snapshot;  ///< Keeps `route` and `credential` alive.
    const config::Route* route = nullptr;
    const config::Credential* credential = nullptr;  ///< Null: the route injects nothing.
    Semantics semantics;
    RequestPlan plan;
    std::vector<std::string> replaced_headers;  ///< override: replace
    journal::ActionAccepted accepted;
    journal::PreflightValidated validated;
};

/// The whole preflight. `credential_version` is the configured version plus its rotation counter.
/// Errors: target_not_allowed, caller_not_authorized, forbidden_header, unsupported_action,
/// malformed_request, unknown_credential, injection_unsupported, idempotency_key_required,
/// invalid_target, payload_limit; address_forbidden with field "Via" is a loop (RFC 9209:
/// proxy_loop_detected).
[[nodiscard]] Result<Bound> preflight(const HttpAction& action, config::SnapshotPtr snapshot,
                                      std::string_view credential_version,
                                      const KeySources& keys = {});

/// ACTION_ACCEPTED of an action as it came; the fingerprint depends on what it was bound to.
[[nodiscard]] journal::ActionAccepted accepted_of(const HttpAction& action,
                                                  const Digest& fingerprint);

/// Which route and credential an action would get, before its credential version is known.
/// Raw, decoded and dot-free readings of the path must agree, else invalid_target. Errors:
/// target_not_allowed (a tunnel route included), caller_not_authorized.
[[nodiscard]] Result<const config::Route*> select_route(const HttpAction& action,
                                                        const config::Snapshot& snapshot);

/// The route of a CONNECT: a tunnel, checked against the caller, or one that injects, whose inner
/// requests are checked one by one. Errors: target_not_allowed, caller_not_authorized.
[[nodiscard]] Result<const config::Route*> select_connect_route(std::string_view caller,
                                                                const Target& target,
                                                                const config::Snapshot& snapshot);

/// What settle() needs to know of a bound request.
[[nodiscard]] Operation operation_of(const Bound& bound);

/// The recheck right before DISPATCH_STARTED: the request in its buffer, the route and the
/// credential version are what was bound. Error: snapshot_mismatch. `current` is the newest
/// snapshot: without an approval only a removed route is a mismatch; with one, any change of the
/// route or credential is. `current_version` (the configured version plus its counter) is compared
/// where it is given.
[[nodiscard]] Status recheck(const Bound& bound, const Digest& buffer_digest,
                             const config::Snapshot& current,
                             std::string_view current_version = {});

}  // namespace sworn::contract
