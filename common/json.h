// Small helpers around Boost.JSON, and the one way to show bytes that a peer sent.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sworn {

/// One strict JSON document, at most 32 levels deep; trailing bytes are refused.
[[nodiscard]] std::optional<boost::json::value> parse_json(std::string_view text) noexcept;

/// RFC 6901: "" is the whole, "/a/0/b" a part. Null where the pointer is malformed or points at
/// nothing. Lives as long as `root`.
[[nodiscard]] const boost::json::value* json_pointer(const boost::json::value& root,
                                                     std::string_view pointer) noexcept;

/// The text, number or truth at the pointer as text ("paid", "42", "true"); nothing for null,
/// arrays, objects and what is not there.
[[nodiscard]] std::optional<std::string> json_pointer_text(const boost::json::value& root,
                                                           std::string_view pointer);

/// Indented by two blanks, for people; one line end after it. Deeper than 32 levels in one line.
[[nodiscard]] std::string to_pretty(const boost::json::value& value);

/// Bytes of a peer, safe for a log line or a terminal: visible ASCII and blanks as they are,
/// backslash doubled, all else as \xNN. Reads at most `bytes_max` bytes and says "…" after a cut.
[[nodiscard]] std::string printable(std::string_view bytes, std::size_t bytes_max);

}  // namespace sworn
