#include "proxy/cli/text.h"

#include <algorithm>

#include "common/utf8.h"

namespace sworn::cli {

namespace {

bool continues(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

/// The bytes of the code point at the front; one byte where it is none.
std::string_view first_point(std::string_view text) noexcept {
    std::size_t size = 1;
    while (size < text.size() && size < 4 && continues(text[size]))
        ++size;
    const auto point = text.substr(0, size);
    return is_utf8(point) ? point : text.substr(0, 1);
}

/// U+202A to U+202E and U+2066 to U+2069.
bool turns_direction(std::string_view point) noexcept {
    return (point >= "\xe2\x80\xaa" && point <= "\xe2\x80\xae") ||
           (point >= "\xe2\x81\xa6" && point <= "\xe2\x81\xa9");
}

bool is_harmless(std::string_view point) noexcept {
    const auto lead = static_cast<unsigned char>(point.front());
    if (point.size() == 1) return lead >= 0x20 && lead < 0x7f;
    const bool is_c1 = lead == 0xc2 && static_cast<unsigned char>(point[1]) < 0xa0;
    return !is_c1 && !turns_direction(point);
}

}  // namespace

std::string shown(std::string_view text) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    while (!text.empty()) {
        const auto point = first_point(text);
        text.remove_prefix(point.size());
        if (is_harmless(point)) {
            out += point;
            continue;
        }
        for (const char c : point) {
            const auto byte = static_cast<unsigned char>(c);
            out.append("\\x").append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
        }
    }
    return out;
}

std::size_t width(std::string_view text) noexcept {
    const auto following = std::ranges::count_if(text, continues);
    return text.size() - static_cast<std::size_t>(following);
}

std::string cut(std::string text, std::size_t columns) {
    if (width(text) <= columns) return text;
    std::size_t end = 0;
    for (std::size_t kept = 0; kept + 1 < columns; ++kept)
        end += first_point(std::string_view{text}.substr(end)).size();
    return text.substr(0, end) + "…";
}

std::string padded(std::string text, std::size_t columns) {
    const auto wide = width(text);
    if (wide < columns) text.append(columns - wide, ' ');
    return text;
}

}  // namespace sworn::cli
