// Base64 as a placeholder check needs it. Source: RFC 4648 section 4. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sworn::contract {

/// Padding may be missing; nothing for any other departure from the alphabet.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

}  // namespace sworn::contract
