// The forms in which a target may read a path: as written, percent-decoded (once and more often),
// without dot segments, and as lenient servers simplify it. Policy holds only where every form
// gives the same answer. Source: RFC 3986 sections 2.1, 5.2.4 and 6.2.2. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sworn::contract {

/// How often nested percent-encoding is undone before a path counts as unreadable.
inline constexpr unsigned decode_rounds_max = 8;

/// Valid escapes become their bytes, everything else stays.
[[nodiscard]] std::string percent_decode(std::string_view text);
/// True where a '%' is not followed by two hexadecimal digits.
[[nodiscard]] bool has_broken_escape(std::string_view text) noexcept;
/// RFC 3986 section 5.2.4 for an absolute path.
[[nodiscard]] std::string remove_dot_segments(std::string_view path);

/// One reading of a path: after `decodes` rounds of decoding, then simplified.
struct PathForm {
    enum class Shape : std::uint8_t {
        plain,
        dot_free,
        lenient,  ///< '\' as '/', parameters (";…") cut, "//" merged, then dot-free.
    };
    unsigned decodes = 0;
    Shape shape = Shape::plain;
};
[[nodiscard]] std::string in_form(std::string_view path, PathForm form);

/// Every form in which `path` (without query) may be read; the first is the plain one. A path
/// with nothing to interpret has that one only. Empty: nested deeper than decode_rounds_max.
[[nodiscard]] std::vector<PathForm> forms_of(std::string_view path);

/// Whether `path` in this form lies under `prefix` in the same form.
[[nodiscard]] bool lies_under(std::string_view path, std::string_view prefix, PathForm form);

}  // namespace sworn::contract
