// Host names and address literals in one normal form. Source: RFC 3986 section 3.2.2, RFC 1123
// section 2.1; numbers that some resolvers read as addresses follow the URL standard's
// "ends in a number" rule and are refused. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sworn::contract {

inline constexpr std::size_t host_bytes_max = 253;
inline constexpr std::size_t label_bytes_max = 63;

struct HostName {
    std::string text;  ///< Lower case, no brackets, no trailing dot; IPv6 in its shortest form.
    bool is_address = false;
};

/// "api.example.test", "192.0.2.1" or "[2001:db8::1]". Nothing for anything else: brackets round
/// a name, zone ids, percent signs, other bytes than letters, digits, '-', '_' and '.', empty or
/// too long labels, and number forms of an IPv4 address other than the dotted quad.
[[nodiscard]] std::optional<HostName> normal_host(std::string_view text);

/// 1 to 65535, decimal, no sign, no leading zero.
[[nodiscard]] std::optional<std::uint16_t> parse_port(std::string_view text) noexcept;

struct Authority {
    HostName host;
    std::optional<std::uint16_t> port;
};
/// host [":" port]; an empty port is refused, userinfo too.
[[nodiscard]] std::optional<Authority> parse_authority(std::string_view text);

}  // namespace sworn::contract
