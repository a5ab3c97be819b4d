// Text for a terminal: what peers and callers wrote made harmless, then cut and aligned by what is
// seen of it. Everything here is UTF-8; a code point counts as one column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sworn::cli {

/// Control characters, direction overrides and bytes that are no UTF-8 as \xNN, all else as it is:
/// nothing in a record may move the cursor or reorder a line.
[[nodiscard]] std::string shown(std::string_view text);

[[nodiscard]] std::size_t width(std::string_view text) noexcept;

/// At most `columns` (1 or more) wide; "…" is the last one where something was left out.
[[nodiscard]] std::string cut(std::string text, std::size_t columns);

/// Blanks behind it, up to `columns`.
[[nodiscard]] std::string padded(std::string text, std::size_t columns);

}  // namespace sworn::cli
