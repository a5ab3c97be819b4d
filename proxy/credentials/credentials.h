// Sources and injection: the only place that reads and reveals a secret. A value is read when its
// credential is first used and again when its file rotates (Kubernetes ..data links included); the
// durable rotation counter is part of the version. Thread-safe; file reads happen on a worker.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "common/clock.h"
#include "common/result.h"
#include "common/secret.h"
#include "journal/ticket.h"
#include "proxy/config/snapshot.h"
#include "proxy/contract/request_plan.h"
#include "proxy/credentials/sealed_request.h"

namespace sworn::credentials {

inline constexpr std::size_t secret_bytes_max = 64 * 1024;

/// Reads a source once. One trailing newline (LF or CRLF) is trimmed; CR, LF, NUL inside, an empty
/// value, non-visible-ASCII where a header needs it, and anything over secret_bytes_max are
/// refused. Errors: credential_missing, credential_source_unavailable, injection_unsupported; the
/// text names neither the value nor the file's content.
[[nodiscard]] Result<Secret> read_source(const config::SecretSource& source);

/// A secret together with the version it is recorded under.
struct Obtained {
    std::shared_ptr<const Secret> secret;
    std::string version;  ///< "2026-11" or "2026-11+3" after three rotations.
};

/// Whether this value can stand where the credential goes: a header takes visible ASCII and inner
/// blanks only. Error: injection_unsupported, naming the credential's id and nothing else.
[[nodiscard]] Status check_injectable(const config::Credential& credential, const Secret& secret);

/// Cached secrets and their rotation counters (persisted in data_dir/rotations, so that a version
/// never goes back). A variable of the environment is read once, when it is first used; a file
/// whenever it was replaced or changed. Errors name the credential's id and nothing else.
class Sources {
public:
    /// `clock` must outlive this object; null is the system's.
    explicit Sources(std::filesystem::path data_dir, const Clock* clock = nullptr);
    ~Sources();
    Sources(const Sources&) = delete;
    Sources& operator=(const Sources&) = delete;

    /// The secret and the version that an action would bind now. Blocking (stat, maybe a read, a
    /// sync after a rotation): call on a worker where `cached` has nothing. A value that changed
    /// is given out only once its counter is durable.
    [[nodiscard]] Result<Obtained> obtain(const config::Credential& credential);
    /// Like obtain, but only if the cached value is known fresh (checked within the last second);
    /// empty otherwise. Never touches the disk.
    [[nodiscard]] std::shared_ptr<const Obtained> cached(
        const config::Credential& credential) const;

    struct Impl;

private:
    std::unique_ptr<Impl> impl_;
};

/// Renders the plan with the secret in its place, into a private buffer, against the permit. In a
/// secret segment stand: the bare secret (header), base64 of username:secret (basic), the
/// percent-encoded secret (query); the plan holds the text around it. `credential` and `secret`
/// may be null where the plan has no secret segment. Error: injection_unsupported.
[[nodiscard]] Result<SealedRequest> seal(const contract::RequestPlan& plan,
                                         const config::Credential* credential, const Secret* secret,
                                         const journal::CredentialPermit& permit);

}  // namespace sworn::credentials
