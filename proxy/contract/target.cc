#include "proxy/contract/target.h"

#include <algorithm>

#include "proxy/contract/host.h"
#include "proxy/contract/path_forms.h"

namespace sworn::contract {
namespace {

Error invalid(Literal why) {
    return Error{Code::invalid_target, why, "target"};
}

/// RFC 3986 sections 3.3 and 3.4, and "[]{}|^" which common clients leave raw in queries.
bool is_target_byte(char c) noexcept {
    return c > ' ' && c < '\x7f' && std::string_view{"\"<>\\`#"}.find(c) == std::string_view::npos;
}

Result<std::string> checked_path(std::string_view text) {
    if (text.size() > target_bytes_max) return invalid("The target is too long.");
    if (!std::ranges::all_of(text, is_target_byte)) {
        return invalid("The target holds a byte that must be percent-encoded, or a fragment.");
    }
    const auto path = text.substr(0, text.find('?'));
    if (has_broken_escape(path)) return invalid("The path holds an incomplete percent escape.");
    if (percent_decode(path).find('\0') != std::string::npos) {
        return invalid("The path holds an encoded NUL.");
    }
    return std::string{text};
}

/// What follows "http:" or "https:", and which of them it was.
std::string_view take_scheme(std::string_view& text) noexcept {
    for (const std::string_view scheme : {"http", "https"}) {
        const auto end = scheme.size();
        if (text.size() <= end + 3 || text.substr(end, 3) != "://") continue;
        if (!equals_ignoring_case(text.substr(0, end), scheme)) continue;
        text.remove_prefix(end + 3);
        return scheme;
    }
    return {};
}

}  // namespace

Result<Target> parse_absolute_form(std::string_view text) {
    Target target;
    target.scheme = take_scheme(text);
    if (target.scheme.empty()) return invalid("The target must begin with http:// or https://.");
    const auto authority_end = std::min(text.find_first_of("/?#\\"), text.size());
    auto authority = parse_authority(text.substr(0, authority_end));
    if (!authority) return invalid("The target's host or port is not valid.");
    target.host = std::move(authority->host.text);
    target.host_is_address = authority->host.is_address;
    target.port = authority->port.value_or(target.scheme == "https" ? 443 : 80);
    text.remove_prefix(authority_end);
    const std::string slash = text.starts_with('/') ? "" : "/";
    auto path = checked_path(slash + std::string{text});
    if (!path) return path.error();
    target.path = std::move(*path);
    return target;
}

Result<Target> parse_authority_form(std::string_view text) {
    auto authority = parse_authority(text);
    if (!authority) return invalid("The target's host or port is not valid.");
    if (!authority->port) return invalid("The target must name a port.");
    Target target;
    target.scheme = "https";
    target.host = std::move(authority->host.text);
    target.host_is_address = authority->host.is_address;
    target.port = *authority->port;
    return target;
}

Result<std::string> parse_origin_form(std::string_view text) {
    if (!text.starts_with('/')) return invalid("The target must begin with a slash.");
    return checked_path(text);
}

Result<HostPort> parse_host(std::string_view text) {
    auto authority = parse_authority(text);
    if (!authority) {
        return Error{Code::malformed_request, "The Host field is not a host and port.", "Host"};
    }
    return HostPort{std::move(authority->host.text), authority->port.value_or(0),
                    authority->host.is_address};
}

Status check_path(std::string_view path, std::string_view prefix) {
    path = path.substr(0, path.find('?'));
    const auto forms = forms_of(path);
    const bool same = !forms.empty() && std::ranges::all_of(forms, [&](PathForm form) {
        return lies_under(path, prefix, form);
    });
    if (same) return Done{};
    return invalid("The path's dot segments or escapes could lead outside the route.");
}

}  // namespace sworn::contract
