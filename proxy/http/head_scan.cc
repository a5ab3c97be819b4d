#include "proxy/http/head_scan.h"

#include "proxy/http/message.h"

namespace sworn::http {

namespace {

/// One line without its CRLF; what is left of `rest` starts after it. Nothing: an octet that is
/// neither part of a value nor a CRLF stands in it.
std::optional<std::string_view> take_line(std::string_view& rest) {
    std::size_t end = 0;
    while (end < rest.size() && is(rest[end], OctetClass::value))
        ++end;
    if (rest.substr(end, 2) != "\r\n") return std::nullopt;
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    return line;
}

std::string_view token_prefix(std::string_view text) {
    std::size_t size = 0;
    while (size < text.size() && is(text[size], OctetClass::token))
        ++size;
    return text.substr(0, size);
}

std::optional<ScanFault> scan_field(std::string_view line, RawField& field) {
    if (is(line.front(), OctetClass::blank)) return ScanFault::fold;
    field.name = token_prefix(line);
    if (field.name.empty()) return ScanFault::name;
    if (field.name.size() == line.size()) return ScanFault::name;
    if (line[field.name.size()] != ':') return ScanFault::name;
    field.value = trim_blanks(line.substr(field.name.size() + 1));
    return std::nullopt;
}

}  // namespace

std::optional<std::size_t> HeadEnd::find(std::string_view bytes) noexcept {
    for (; at_ < bytes.size(); ++at_) {
        const char c = bytes[at_];
        if (is(c, OctetClass::value)) continue;
        if (c == '\r') {
            if (at_ + 1 == bytes.size()) return std::nullopt;
            if (bytes[at_ + 1] != '\n') return at_ + 1;
            const bool empty = at_ == line_start_;
            at_ += 1;
            line_start_ = at_ + 1;
            if (!empty) {
                ++lines_;
            } else if (at_ != 1) {  // Not the one empty line that may come first.
                return at_ + 1;
            }
            continue;
        }
        return at_ + 1;
    }
    return std::nullopt;
}

std::optional<std::size_t> find_head_end(std::string_view bytes) noexcept {
    return HeadEnd{}.find(bytes);
}

Scanned scan_head(std::string_view bytes, LeadingEmptyLine leading) {
    Scanned scanned;
    auto rest = bytes;
    if (leading == LeadingEmptyLine::one_allowed && rest.starts_with("\r\n")) rest.remove_prefix(2);
    const auto first = take_line(rest);
    if (!first || first->empty()) {
        scanned.fault = ScanFault::line_end;
        return scanned;
    }
    scanned.head.start_line = *first;
    scanned.head.fields.reserve(24);
    for (;;) {
        const auto line = take_line(rest);
        if (!line) {
            scanned.fault = ScanFault::line_end;
            scanned.at = token_prefix(rest);
            return scanned;
        }
        if (line->empty()) break;
        if (scanned.head.fields.size() == fields_max) {
            scanned.fault = ScanFault::too_many_fields;
            return scanned;
        }
        RawField field;
        scanned.fault = scan_field(*line, field);
        if (scanned.fault) {
            scanned.at = token_prefix(*line);
            return scanned;
        }
        scanned.head.fields.push_back(field);
    }
    if (!rest.empty()) scanned.fault = ScanFault::line_end;
    return scanned;
}

}  // namespace sworn::http
