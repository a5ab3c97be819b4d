#include "proxy/contract/request_checks.h"

#include <algorithm>

#include "proxy/contract/field_rules.h"

namespace sworn::contract {
namespace {

constexpr std::size_t method_bytes_max = 32;
constexpr std::size_t wish_bytes_max = 255;
constexpr int not_implemented = 501;
constexpr int method_not_allowed = 405;

bool is_method_byte(char c) noexcept {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

bool is_visible(std::string_view text) noexcept {
    return text.size() <= wish_bytes_max &&
           std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

bool only_h2c(std::string_view upgrade) {
    return std::ranges::all_of(list_members(upgrade),
                               [](auto one) { return equals_ignoring_case(one, "h2c"); });
}

/// "1.1 name (comment)" or "HTTP/1.1 name:port": the second word.
std::string_view received_by(std::string_view member) {
    const auto end = std::min(member.find_first_of(" \t"), member.size());
    const auto rest = trim_blanks(member.substr(end));
    return rest.substr(0, rest.find_first_of(" \t("));
}

}  // namespace

Status check_method(std::string_view method) {
    if (method == "TRACE" || method == "CONNECT") {
        return Error{Code::unsupported_action, "This method is not forwarded.", "method",
                     method_not_allowed};
    }
    const bool fits = !method.empty() && method.size() <= method_bytes_max &&
                      std::ranges::all_of(method, is_method_byte);
    if (fits) return Done{};
    return Error{Code::malformed_request, "The method is not a known form.", "method"};
}

Status check_fields(const Fields& fields) {
    for (const auto& [name, value] : fields) {
        if (!is_token(name)) {
            return Error{Code::malformed_request, "A field name is not a token.", FieldPath{name}};
        }
        if (!is_field_value(value)) {
            return Error{Code::malformed_request, "A field value holds a control byte.",
                         FieldPath{name}};
        }
        if (equals_ignoring_case(name, "Upgrade") && !only_h2c(value)) {
            return Error{Code::unsupported_action, "Protocol upgrades are not forwarded.",
                         FieldPath{name}, not_implemented};
        }
    }
    return Done{};
}

Status check_wishes(const CallerWishes& wishes) {
    constexpr Literal why{"This field takes 1 to 255 visible ASCII bytes."};
    if (!is_visible(wishes.token)) return Error{Code::malformed_request, why, "Sworn-Token"};
    if (is_visible(wishes.operation_id)) return Done{};
    return Error{Code::malformed_request, why, "Sworn-Operation-Id"};
}

Status check_loop(const Fields& fields, std::string_view own_name) {
    for (const auto& [name, value] : fields) {
        if (!equals_ignoring_case(name, "Via")) continue;
        const bool seen = std::ranges::any_of(list_members(value), [own_name](auto member) {
            return equals_ignoring_case(received_by(member), own_name);
        });
        if (seen) {
            return Error{Code::address_forbidden, "The request came through here before: a loop.",
                         "Via"};
        }
    }
    return Done{};
}

}  // namespace sworn::contract
