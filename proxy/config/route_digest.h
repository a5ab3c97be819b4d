// What a record binds of a route: SHA-256 over every field of it and over the credential's id and
// the way it is injected (not its version or source, which rotate). Equal digests mean that the
// same request would be treated the same way. Pure.
#pragma once

#include "common/digest.h"
#include "proxy/config/snapshot.h"

namespace sworn::config {

/// `credential` is null where the route injects nothing. The route's own `digest` is left out.
[[nodiscard]] Digest route_digest(const Route& route, const Credential* credential);
[[nodiscard]] Digest route_digest(const SshRoute& route, const Credential* credential);

}  // namespace sworn::config
