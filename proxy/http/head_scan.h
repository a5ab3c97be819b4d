// The raw head: where it ends, and its lines, before any of them means anything. Strict (RFC 9112
// section 2.2): CRLF only; no lone CR, lone LF, NUL or other control; no obs-fold; no blank before
// a colon. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "proxy/http/octets.h"

namespace sworn::http {

/// Finds the end of a head in a buffer that grows, without looking at a byte twice.
class HeadEnd {
public:
    /// The offset just after the empty line, or just after the first octet that no head may hold;
    /// nothing yet otherwise. `bytes` is the same buffer each time, longer or equal.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view bytes) noexcept;
    /// The first line (after one empty line, if there is one) is complete.
    [[nodiscard]] bool start_line_seen() const noexcept { return lines_ > 0; }

private:
    std::size_t at_ = 0;  ///< First octet not looked at.
    std::size_t line_start_ = 0;
    std::size_t lines_ = 0;  ///< Ended lines that were not empty.
};

struct RawField {
    std::string_view name, value;  ///< Views into the scanned bytes; value without blanks around.
};

struct RawHead {
    std::string_view start_line;
    std::vector<RawField> fields;
};

enum class ScanFault : std::uint8_t {
    line_end,  ///< Lone CR or LF, a control octet, bytes after or no empty line.
    fold,      ///< A line that starts with a blank.
    name,      ///< No colon, an empty name, a blank or another non-token octet in it.
    too_many_fields,
};

struct Scanned {
    RawHead head;
    std::optional<ScanFault> fault;
    std::string_view at;  ///< With a fault: the field's name as far as it is a token, or empty.
};

enum class LeadingEmptyLine : std::uint8_t { refused, one_allowed };

/// `bytes` is a whole head with its empty line and nothing after it.
[[nodiscard]] Scanned scan_head(std::string_view bytes, LeadingEmptyLine leading);

/// Comma-separated members of a list field without the blanks around them; empty ones are skipped
/// (RFC 9110 section 5.6.1.2).
template <class F>
void for_each_member(std::string_view list, F&& use) {
    while (!list.empty()) {
        const auto comma = list.find(',');
        const auto member = trim_blanks(list.substr(0, comma));
        if (!member.empty()) use(member);
        if (comma == list.npos) return;
        list.remove_prefix(comma + 1);
    }
}

}  // namespace sworn::http
