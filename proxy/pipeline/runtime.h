// One loaded configuration together with what it needed to read: the callers' tokens. A reload
// makes a new one; requests under way keep theirs.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "common/secret.h"
#include "proxy/config/snapshot.h"

namespace sworn::pipeline {

class Runtime {
public:
    struct LoadError {
        std::string what;  ///< Names the caller's id and source, never the value.
    };
    /// Reads the callers' tokens. Blocking.
    [[nodiscard]] static Result<std::shared_ptr<const Runtime>, LoadError> make(
        config::SnapshotPtr snapshot);

    [[nodiscard]] const config::SnapshotPtr& snapshot() const noexcept { return snapshot_; }

    /// Who a Proxy-Authorization value speaks for: Bearer token, or Basic with the token as the
    /// password (and the caller's id, or nothing, as the user). "local" where no callers are
    /// configured. Errors: caller_not_authorized; status 407 where nothing came.
    [[nodiscard]] Result<std::string> identify(std::string_view proxy_authorization) const;

private:
    struct Token {
        std::string caller;
        Secret secret;
    };
    explicit Runtime(config::SnapshotPtr snapshot) : snapshot_{std::move(snapshot)} {}
    config::SnapshotPtr snapshot_;
    std::vector<Token> tokens_;
};

using RuntimePtr = std::shared_ptr<const Runtime>;

/// Where today's runtime is found. Any thread.
class RuntimeSource {
public:
    virtual ~RuntimeSource() = default;
    [[nodiscard]] virtual RuntimePtr current() const = 0;
};

}  // namespace sworn::pipeline
