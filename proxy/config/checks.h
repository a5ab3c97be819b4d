// Small syntactic checks that several sections share. Pure: text in, yes or no out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sworn::config {

/// RFC 9110 section 5.6.2: token.
[[nodiscard]] bool is_token(std::string_view text) noexcept;

/// A method of the IANA HTTP method registry (exact case); PRI and * are reserved and refused.
[[nodiscard]] bool is_registered_method(std::string_view text) noexcept;
[[nodiscard]] const std::vector<std::string>& registered_methods();

/// Ids are metric labels and words of the command line: 1 to 64 of A-Z a-z 0-9 . _ -
[[nodiscard]] bool is_id(std::string_view text) noexcept;

/// Visible ASCII, and blanks inside.
[[nodiscard]] bool is_header_text(std::string_view text) noexcept;
/// Visible ASCII without blanks, at least one byte.
[[nodiscard]] bool is_visible(std::string_view text) noexcept;

/// An absolute path as a route compares it: starts with "/", no query, no fragment, nothing that
/// decoding or dot removal would change.
[[nodiscard]] bool is_path_prefix(std::string_view text) noexcept;

/// RFC 6901.
[[nodiscard]] bool is_json_pointer(std::string_view text) noexcept;

/// An ECMAScript regular expression that compiles.
[[nodiscard]] bool is_regex(const std::string& text);

/// A calendar date, YYYY-MM-DD.
[[nodiscard]] bool is_date(std::string_view text) noexcept;

/// RFC 4648 section 4, padded, canonical.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

/// "type base64 [comment]" where the blob names the same type (RFC 4253 section 6.6).
[[nodiscard]] bool is_ssh_public_key(std::string_view text);

/// "{name}" words in a template; nothing where a brace has no partner.
[[nodiscard]] std::optional<std::vector<std::string>> placeholders(std::string_view text);

[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace sworn::config
