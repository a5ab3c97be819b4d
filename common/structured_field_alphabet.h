// The character sets of RFC 9651, shared by the parser and the serialiser; nobody else needs them.
#pragma once

#include <string_view>

namespace sworn::sf {

constexpr bool is_lower(char c) noexcept {
    return c >= 'a' && c <= 'z';
}
constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
constexpr bool is_alpha(char c) noexcept {
    return is_lower(c) || (c >= 'A' && c <= 'Z');
}
constexpr bool is_printable(char c) noexcept {
    return c >= 0x20 && c <= 0x7e;
}

constexpr bool starts_token(char c) noexcept {
    return is_alpha(c) || c == '*';
}
constexpr bool is_token_char(char c) noexcept {
    return is_alpha(c) || is_digit(c) ||
           std::string_view{"!#$%&'*+-.^_`|~:/"}.find(c) != std::string_view::npos;
}

constexpr bool starts_key(char c) noexcept {
    return is_lower(c) || c == '*';
}
constexpr bool is_key_char(char c) noexcept {
    return is_lower(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || c == '*';
}

}  // namespace sworn::sf
