#include <tuple>

#include "proxy/contract/preflight.h"

namespace sworn::contract {
namespace {

Error mismatch(Literal why) {
    return Error{Code::snapshot_mismatch, why};
}

bool same_credential(const config::Credential& a, const config::Credential& b) {
    const auto parts = [](const config::Credential& one) {
        return std::tie(one.version, one.source.kind, one.source.name, one.inject.kind,
                        one.inject.header, one.inject.format, one.inject.username, one.inject.query,
                        one.inject.placeholder);
    };
    return parts(a) == parts(b);
}

bool credential_unchanged(const Bound& bound, const config::Snapshot& current) {
    if (bound.credential == nullptr) return true;
    const auto* const now = current.credential(bound.credential->id);
    return now != nullptr && same_credential(*bound.credential, *now);
}

}  // namespace

Status recheck(const Bound& bound, const Digest& buffer_digest, const config::Snapshot& current,
               std::string_view current_version) {
    if (buffer_digest != bound.validated.request_digest) {
        return mismatch("The request to be sent is not the one that was bound.");
    }
    const auto* const route = current.route(bound.validated.route);
    if (route == nullptr) return mismatch("The route was removed.");
    // Without an approval an action ends on the snapshot that it was bound to.
    if (!bound.validated.approval_required) return Done{};
    if (route->digest != bound.validated.route_digest) {
        return mismatch("The route changed after the approval was asked for.");
    }
    const bool same_version =
        current_version.empty() || current_version == bound.validated.credential_version;
    if (same_version && credential_unchanged(bound, current)) return Done{};
    return mismatch("The credential changed after the approval was asked for.");
}

}  // namespace sworn::contract
