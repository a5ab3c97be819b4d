// Sizes and durations as people write them: "64KiB", "15s". A bare number is refused.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sworn {

/// B, KiB, MiB, GiB, TiB; whole numbers only. Nothing on overflow or any other spelling.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text) noexcept;

/// ms, s, m, h, d; whole numbers only. Nothing on overflow or any other spelling.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(
    std::string_view text) noexcept;

}  // namespace sworn
