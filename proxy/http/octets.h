// Octet classes of HTTP/1.1 heads (RFC 9110 section 5.6.2, RFC 9112 section 2.2). Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sworn::http {

struct OctetClass {
    static constexpr std::uint8_t token = 1;    ///< tchar
    static constexpr std::uint8_t value = 2;    ///< SP, HTAB, VCHAR, obs-text
    static constexpr std::uint8_t visible = 4;  ///< VCHAR: 0x21 to 0x7e
    static constexpr std::uint8_t digit = 8;
    static constexpr std::uint8_t hex = 16;
    static constexpr std::uint8_t blank = 32;  ///< SP, HTAB
};

namespace detail {
consteval std::array<std::uint8_t, 256> octet_classes() {
    std::array<std::uint8_t, 256> table{};
    constexpr std::string_view token_marks = "!#$%&'*+-.^_`|~";
    for (unsigned c = 0; c < 256; ++c) {
        const auto letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const auto number = c >= '0' && c <= '9';
        std::uint8_t bits = 0;
        if (letter || number || token_marks.find(static_cast<char>(c)) != token_marks.npos)
            bits |= OctetClass::token;
        if (c == ' ' || c == '\t') bits |= OctetClass::blank | OctetClass::value;
        if (c > ' ' && c < 0x7f) bits |= OctetClass::visible | OctetClass::value;
        if (c >= 0x80) bits |= OctetClass::value;
        if (number) bits |= OctetClass::digit;
        if (number || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) bits |= OctetClass::hex;
        table[c] = bits;
    }
    // NUL is in no class, although find() of a string_view could match it.
    table[0] = 0;
    return table;
}
inline constexpr auto classes = octet_classes();
}  // namespace detail

[[nodiscard]] constexpr bool is(char octet, std::uint8_t octet_class) noexcept {
    return (detail::classes[static_cast<unsigned char>(octet)] & octet_class) != 0;
}
/// True for the empty text as well.
[[nodiscard]] constexpr bool all(std::string_view text, std::uint8_t octet_class) noexcept {
    for (const char c : text) {
        if (!is(c, octet_class)) return false;
    }
    return true;
}
[[nodiscard]] constexpr std::string_view trim_blanks(std::string_view text) noexcept {
    while (!text.empty() && is(text.front(), OctetClass::blank))
        text.remove_prefix(1);
    while (!text.empty() && is(text.back(), OctetClass::blank))
        text.remove_suffix(1);
    return text;
}

}  // namespace sworn::http
