// Identifiers: ULIDs (48 bits of milliseconds, 80 random bits), so that ids sort by time.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/clock.h"

namespace sworn {

/// Names one invocation. Text form: "act_" + 26 characters of Crockford base32, upper case.
struct InvocationId {
    std::array<std::uint8_t, 16> bytes{};

    [[nodiscard]] std::string text() const;
    [[nodiscard]] WallTime time() const noexcept;  ///< Millisecond part.
    auto operator<=>(const InvocationId&) const = default;
};

/// Strict: exactly the text form; nothing else.
[[nodiscard]] std::optional<InvocationId> parse_invocation_id(std::string_view text) noexcept;

/// Makes ids that never repeat and never go backwards in this process. Thread-safe.
[[nodiscard]] InvocationId new_invocation_id(WallTime now) noexcept;

/// The smallest id of that millisecond: where ids made from then on begin.
[[nodiscard]] InvocationId first_id_at(WallTime time) noexcept;

struct InvocationIdHash {
    [[nodiscard]] std::size_t operator()(const InvocationId& id) const noexcept;
};

}  // namespace sworn
