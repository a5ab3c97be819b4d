// Names, addresses and address blocks as they stand in the configuration, in one normal form:
// names lower case, addresses as inet_ntop() writes them, no brackets. Pure.
// Source: RFC 1123 section 2.1 (names), RFC 4291 section 2.2 (addresses), RFC 4632 (blocks).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/config/snapshot.h"

namespace sworn::config {

/// The name under which callers reach Sworn itself; never a target.
inline constexpr std::string_view own_name = "sworn.internal";

/// "192.0.2.1" or "2001:db8::1", brackets allowed around the latter.
[[nodiscard]] std::optional<std::string> parse_address(std::string_view text);

/// A name or an address. Refuses what only looks like an address ("127.1", "0x7f000001"), since
/// resolvers disagree about it.
[[nodiscard]] std::optional<std::string> parse_host(std::string_view text);

/// As parse_host(), and "*.name".
[[nodiscard]] std::optional<std::string> parse_host_pattern(std::string_view text);

struct HostPort {
    std::string host;
    std::uint16_t port = 0;
};
/// "host:port" or "[address]:port"; port zero only where the caller says so.
[[nodiscard]] std::optional<HostPort> parse_host_port(std::string_view text, bool zero_allowed);

/// "10.0.0.0/8". Bits past the prefix are cleared.
[[nodiscard]] std::optional<Cidr> parse_cidr(std::string_view text);

/// Sworn's own name, or a pattern below it.
[[nodiscard]] bool is_own_name(std::string_view host_pattern) noexcept;

}  // namespace sworn::config
