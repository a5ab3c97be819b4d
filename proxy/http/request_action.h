// A checked request head becomes an action: the target gets its normal form, the caller's wishes
// are taken out, hop-by-hop fields go. Pure. Source: docs/contract.md section 4, RFC 9110 section
// 7.6, RFC 9112 section 3.2.
#pragma once

#include <string>
#include <string_view>

#include "common/result.h"
#include "proxy/contract/action.h"
#include "proxy/http/message.h"

namespace sworn::http {

inline constexpr std::size_t token_bytes_max = 255;
inline constexpr int wait_approval_seconds_max = 86'400;

/// Everything of the action but its body. Errors: unsupported_action (CONNECT and TRACE 405, an
/// upgrade 501), invalid_target (not absolute-form, or Host disagrees with it), malformed_request
/// naming the field.
[[nodiscard]] Result<contract::HttpAction> make_action(const RequestHead& head, std::string caller);

/// The value of Proxy-Authorization, empty where none came. Error: malformed_request, if several
/// came: whom the action speaks for has one reading.
[[nodiscard]] Result<std::string_view> caller_credentials(const Fields& fields);

/// The text page at "GET /" (or HEAD): somebody looks at the proxy port with a browser.
[[nodiscard]] bool asks_what_this_is(const RequestHead& head) noexcept;

/// git shows one line of text/plain, and no other error body.
[[nodiscard]] bool wants_plain_text(const Fields& fields) noexcept;

}  // namespace sworn::http
