// Small rules about field names and values that several checks share. Source: RFC 9110 section 5.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proxy/contract/action.h"

namespace sworn::contract {

/// RFC 9110 section 5.6.2: one or more tchar.
[[nodiscard]] bool is_token(std::string_view text) noexcept;
/// RFC 9110 section 5.5: no control byte but HTAB; obs-text is allowed.
[[nodiscard]] bool is_field_value(std::string_view text) noexcept;
/// Lower case with '_' as '-': what CGI-like servers make of a name, so that aliases compare equal.
[[nodiscard]] std::string canonical_name(std::string_view name);
/// Without surrounding SP and HTAB.
[[nodiscard]] std::string_view trim_blanks(std::string_view text) noexcept;
/// The non-empty members of a comma-separated list, trimmed. Quoted strings are not looked into.
[[nodiscard]] std::vector<std::string_view> list_members(std::string_view value);

/// Fields that belong to one connection or that Sworn writes itself; never forwarded:
/// Connection, Keep-Alive, Proxy-*, TE, Trailer, Transfer-Encoding, Upgrade, HTTP2-Settings,
/// Expect, Sworn-*, Content-Length, Host.
[[nodiscard]] bool never_forwarded(std::string_view name);

/// What may go on: without the fields above and without what Connection names. Order is kept.
[[nodiscard]] Fields forwardable(const Fields& fields);

}  // namespace sworn::contract
