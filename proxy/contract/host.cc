#include "proxy/contract/host.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <vector>

namespace sworn::contract {
namespace {

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

bool is_name_byte(char c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
}

bool is_label(std::string_view label) noexcept {
    if (label.empty() || label.size() > label_bytes_max) return false;
    if (label.front() == '-' || label.back() == '-') return false;
    return std::ranges::all_of(label, is_name_byte);
}

std::vector<std::string_view> split_labels(std::string_view name) {
    std::vector<std::string_view> labels;
    for (;;) {
        const auto dot = name.find('.');
        labels.push_back(name.substr(0, dot));
        if (dot == std::string_view::npos) return labels;
        name.remove_prefix(dot + 1);
    }
}

/// Decimal, octal or hexadecimal, as inet_aton() and browsers read the last part of an address.
bool is_number(std::string_view label) noexcept {
    if (label.starts_with("0x")) {
        return std::ranges::all_of(label.substr(2),
                                   [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
    }
    return std::ranges::all_of(label, is_digit);
}

bool is_dotted_quad(const std::vector<std::string_view>& labels) noexcept {
    if (labels.size() != 4) return false;
    return std::ranges::all_of(labels, [](std::string_view label) {
        if (label.size() > 3 || !std::ranges::all_of(label, is_digit)) return false;
        if (label.size() > 1 && label.front() == '0') return false;
        unsigned value = 0;
        std::from_chars(label.data(), label.data() + label.size(), value);
        return value <= 255;
    });
}

std::optional<HostName> ipv6_host(std::string_view inner) {
    // inet_pton reads until NUL, so nothing but the grammar's own bytes may get there.
    const bool plain = inner.size() < INET6_ADDRSTRLEN && std::ranges::all_of(inner, [](char c) {
                           return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ||
                                  c == ':' || c == '.';
                       });
    if (!plain) return std::nullopt;
    in6_addr address{};
    if (inet_pton(AF_INET6, std::string{inner}.c_str(), &address) != 1) return std::nullopt;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (inet_ntop(AF_INET6, &address, text.data(), text.size()) == nullptr) return std::nullopt;
    return HostName{text.data(), true};
}

std::optional<HostName> name_or_ipv4(std::string_view text) {
    std::string name{text};
    std::ranges::transform(name, name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (name.ends_with('.')) name.pop_back();
    if (name.empty() || name.size() > host_bytes_max) return std::nullopt;
    const auto labels = split_labels(name);
    if (!std::ranges::all_of(labels, is_label)) return std::nullopt;
    if (!is_number(labels.back())) return HostName{std::move(name), false};
    if (!is_dotted_quad(labels)) return std::nullopt;
    return HostName{std::move(name), true};
}

}  // namespace

std::optional<HostName> normal_host(std::string_view text) {
    const bool bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
    return bracketed ? ipv6_host(text.substr(1, text.size() - 2)) : name_or_ipv4(text);
}

std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
    if (text.empty() || text.size() > 5 || text.front() == '0') return std::nullopt;
    if (!std::ranges::all_of(text, is_digit)) return std::nullopt;
    std::uint32_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (value > 65535) return std::nullopt;
    return static_cast<std::uint16_t>(value);
}

std::optional<Authority> parse_authority(std::string_view text) {
    // In brackets colons belong to the address; outside, the first one begins the port.
    const auto bracket = text.starts_with('[') ? text.find(']') : 0;
    if (bracket == std::string_view::npos) return std::nullopt;
    const auto colon = text.find(':', bracket);
    auto host = normal_host(text.substr(0, colon));
    if (!host) return std::nullopt;
    if (colon == std::string_view::npos) return Authority{std::move(*host), std::nullopt};
    const auto port = parse_port(text.substr(colon + 1));
    if (!port) return std::nullopt;
    return Authority{std::move(*host), port};
}

}  // namespace sworn::contract
