// The semantic identity of an action (docs/contract.md section 2). Two actions with the same
// fingerprint ask for the same thing; retry counters, trace ids and User-Agent do not count. Taken
// before a secret is injected. Each part is length-prefixed and the whole is domain-separated, so
// that no two different actions share an input. Pure: no I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "common/digest.h"

namespace sworn {

using HeaderPair = std::pair<std::string, std::string>;

/// Everything is borrowed for the length of the call.
struct FingerprintInput {
    std::string_view method{};
    std::string_view scheme{};
    std::string_view host{};  ///< Normalised: lower case, without brackets.
    std::uint16_t port = 0;
    std::string_view path_and_query{};  ///< As the target gets them, before injection.
    /// All of the caller's headers. Those of `fingerprint_headers()` count, whatever their case;
    /// those of one name in their order, and each value without the blanks around it.
    std::span<const HeaderPair> headers{};
    std::string_view idempotency_header{};  ///< Declared by the route's contract; may be empty.
    std::string_view idempotency_key{};     ///< The caller's own; never one that we generated.
    Digest body{};
    std::string_view credential_id{};           ///< Empty = none.
    std::span<const std::string> route_adds{};  ///< What the route adds, in its order.
};

[[nodiscard]] Digest fingerprint(const FingerprintInput& input);

/// The names that count, in lower case.
[[nodiscard]] std::span<const std::string_view> fingerprint_headers() noexcept;

struct SshFingerprintInput {
    std::string_view host{};
    std::uint16_t port = 0;
    std::string_view user{};
    std::string_view request_type{};  ///< "exec", "subsystem", "shell".
    std::string_view command{};       ///< Exact bytes.
    std::span<const HeaderPair> env{};
    std::string_view credential_id{};
    std::optional<Digest> stdin_digest{};  ///< Nothing where stdin was not spooled.
};

[[nodiscard]] Digest ssh_fingerprint(const SshFingerprintInput& input);

}  // namespace sworn
