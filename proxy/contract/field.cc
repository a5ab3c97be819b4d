#include <algorithm>
#include <array>

#include "proxy/contract/action.h"
#include "proxy/contract/field_rules.h"

namespace sworn::contract {
namespace {

char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_tchar(char c) noexcept {
    const bool alphanumeric =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return alphanumeric || std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

constexpr std::array<std::string_view, 10> never_names{
    "connection", "keep-alive",     "te",     "trailer",        "transfer-encoding",
    "upgrade",    "http2-settings", "expect", "content-length", "host"};
constexpr std::array<std::string_view, 2> never_prefixes{"proxy-", "sworn-"};

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::string_view> find_field(const Fields& fields, std::string_view name) noexcept {
    for (const auto& [field, value] : fields) {
        if (equals_ignoring_case(field, name)) return value;
    }
    return std::nullopt;
}

std::string_view Target::path_only() const noexcept {
    const std::string_view all = path;
    return all.substr(0, all.find('?'));
}

std::string Target::authority() const {
    const bool ipv6 = host.find(':') != std::string::npos;
    std::string text = ipv6 ? "[" + host + "]" : host;
    if (port != 80 && port != 443) text += ":" + std::to_string(port);
    return text;
}

bool is_token(std::string_view text) noexcept {
    return !text.empty() && std::ranges::all_of(text, is_tchar);
}

bool is_field_value(std::string_view text) noexcept {
    return std::ranges::all_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return c == '\t' || (byte >= 0x20 && byte != 0x7f);
    });
}

std::string canonical_name(std::string_view name) {
    std::string text{name};
    std::ranges::transform(text, text.begin(), [](char c) { return c == '_' ? '-' : lower(c); });
    return text;
}

std::string_view trim_blanks(std::string_view text) noexcept {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> list_members(std::string_view value) {
    std::vector<std::string_view> members;
    while (!value.empty()) {
        const auto comma = value.find(',');
        const auto member = trim_blanks(value.substr(0, comma));
        if (!member.empty()) members.push_back(member);
        value = comma == std::string_view::npos ? std::string_view{} : value.substr(comma + 1);
    }
    return members;
}

bool never_forwarded(std::string_view name) {
    std::string plain{name};
    std::ranges::transform(plain, plain.begin(), lower);
    return std::ranges::find(never_names, plain) != never_names.end() ||
           std::ranges::any_of(never_prefixes,
                               [&plain](auto prefix) { return plain.starts_with(prefix); });
}

Fields forwardable(const Fields& fields) {
    std::vector<std::string_view> named;
    for (const auto& [name, value] : fields) {
        if (!equals_ignoring_case(name, "Connection")) continue;
        std::ranges::copy(list_members(value), std::back_inserter(named));
    }
    const auto is_named = [&named](std::string_view name) {
        return std::ranges::any_of(named,
                                   [name](auto one) { return equals_ignoring_case(one, name); });
    };
    Fields kept;
    for (const auto& field : fields) {
        if (!never_forwarded(field.first) && !is_named(field.first)) kept.push_back(field);
    }
    return kept;
}

}  // namespace sworn::contract
