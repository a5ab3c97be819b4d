#include "proxy/config/hosts.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>

#include "proxy/config/checks.h"

namespace sworn::config {
namespace {

constexpr std::size_t name_bytes_max = 253;
constexpr std::size_t label_bytes_max = 63;

/// The whole text as a decimal number without leading zeros.
std::optional<unsigned> parse_decimal(std::string_view text, unsigned max) {
    if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
    unsigned value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || value > max) return std::nullopt;
    return value;
}

std::optional<std::vector<std::uint8_t>> address_bytes(std::string_view text) {
    if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
        text = text.substr(1, text.size() - 2);
        if (text.find(':') == std::string_view::npos) return std::nullopt;
    }
    const std::string address{text};
    std::array<std::uint8_t, 16> bytes{};
    if (inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) {
        return std::vector<std::uint8_t>(bytes.begin(), bytes.begin() + 4);
    }
    if (inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) {
        return std::vector<std::uint8_t>(bytes.begin(), bytes.end());
    }
    return std::nullopt;
}

bool is_label_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool is_label(std::string_view label) {
    return !label.empty() && label.size() <= label_bytes_max && label.front() != '-' &&
           label.back() != '-' && std::all_of(label.begin(), label.end(), is_label_byte);
}

/// WHATWG's rule: a last label that is a number makes the whole an IPv4 address, or nothing.
bool looks_numeric(std::string_view label) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return std::all_of(label.begin(), label.end(), is_digit) ||
           (label.starts_with("0x") &&
            label.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos);
}

std::optional<std::string> parse_name(std::string_view text) {
    std::string name = lower_case(text);
    if (name.empty() || name.size() > name_bytes_max) return std::nullopt;
    std::string_view rest = name;
    for (;;) {
        const std::size_t dot = rest.find('.');
        if (!is_label(rest.substr(0, dot))) return std::nullopt;
        if (dot == std::string_view::npos) break;
        rest.remove_prefix(dot + 1);
    }
    if (looks_numeric(rest)) return std::nullopt;
    return name;
}

}  // namespace

std::optional<std::string> parse_address(std::string_view text) {
    const auto bytes = address_bytes(text);
    if (!bytes) return std::nullopt;
    std::array<char, INET6_ADDRSTRLEN> out{};
    const int family = bytes->size() == 4 ? AF_INET : AF_INET6;
    if (inet_ntop(family, bytes->data(), out.data(), out.size()) == nullptr) return std::nullopt;
    return std::string{out.data()};
}

std::optional<std::string> parse_host(std::string_view text) {
    if (auto address = parse_address(text)) return address;
    return parse_name(text);
}

std::optional<std::string> parse_host_pattern(std::string_view text) {
    if (!text.starts_with("*.")) return parse_host(text);
    const auto name = parse_name(text.substr(2));
    if (!name) return std::nullopt;
    return "*." + *name;
}

std::optional<HostPort> parse_host_port(std::string_view text, bool zero_allowed) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view host_text = text.substr(0, colon);
    const bool bare_v6 = host_text.find(':') != std::string_view::npos && host_text.front() != '[';
    const auto port = parse_decimal(text.substr(colon + 1), 65535);
    auto host = parse_host(host_text);
    if (bare_v6 || !host || !port || (*port == 0 && !zero_allowed)) return std::nullopt;
    return HostPort{std::move(*host), static_cast<std::uint16_t>(*port)};
}

std::optional<Cidr> parse_cidr(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos || text.front() == '[') return std::nullopt;
    auto bytes = address_bytes(text.substr(0, slash));
    if (!bytes) return std::nullopt;
    const auto prefix =
        parse_decimal(text.substr(slash + 1), static_cast<unsigned>(bytes->size()) * 8);
    if (!prefix) return std::nullopt;
    for (std::size_t i = 0; i < bytes->size(); ++i) {
        const std::size_t bit = i * 8;
        if (bit >= *prefix) {
            (*bytes)[i] = 0;
        } else if (*prefix - bit < 8) {
            const unsigned keep = static_cast<unsigned>(*prefix - bit);
            (*bytes)[i] = static_cast<std::uint8_t>((*bytes)[i] & (0xffu << (8 - keep)));
        }
    }
    return Cidr{std::move(*bytes), *prefix};
}

bool is_own_name(std::string_view host_pattern) noexcept {
    return host_pattern == own_name || host_pattern == "*.sworn.internal" ||
           host_pattern.ends_with(".sworn.internal");
}

}  // namespace sworn::config
