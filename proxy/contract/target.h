// Request targets and authorities. One normal form for policy, credential and dialler, so that no
// two of them can disagree. Source: RFC 9112 section 3.2, RFC 3986 section 3.2, docs/contract.md.
// Pure: no I/O, no logging, no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/result.h"
#include "proxy/contract/action.h"

namespace sworn::contract {

/// Longest path and query. The front's limit on the head is the usual one to be met first.
inline constexpr std::size_t target_bytes_max = 64 * 1024;

/// "http://host[:port]/path" or "https://…". Refuses userinfo, fragments, an empty host, port 0 or
/// above 65535, percent-encoded or non-ASCII hosts, bracketed names, blanks and controls.
/// Errors: invalid_target, field "target".
[[nodiscard]] Result<Target> parse_absolute_form(std::string_view text);

/// "host:port" with a port, as in CONNECT. Errors: invalid_target.
[[nodiscard]] Result<Target> parse_authority_form(std::string_view text);

/// "/path?query" inside an intercepted connection: the exact bytes, once checked. "*" is refused.
/// Errors: invalid_target.
[[nodiscard]] Result<std::string> parse_origin_form(std::string_view text);

/// A Host field's value; port 0 means "none given". Errors: malformed_request, field "Host".
struct HostPort {
    std::string host;
    std::uint16_t port = 0;
    bool is_address = false;
};
[[nodiscard]] Result<HostPort> parse_host(std::string_view text);

/// Refuses path forms whose meaning could differ at the target: dot segments, encoded slashes and
/// backslashes, where raw, decoded and dot-free forms do not all start with `prefix`.
[[nodiscard]] Status check_path(std::string_view path, std::string_view prefix);

}  // namespace sworn::contract
