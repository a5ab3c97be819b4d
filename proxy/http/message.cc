#include "proxy/http/message.h"

#include <charconv>
#include <limits>

#include "proxy/http/head_scan.h"

namespace sworn::http {

namespace {

using contract::equals_ignoring_case;

constexpr std::size_t method_bytes_max = 32;

Error malformed(Literal why, std::string_view field, int status = 400) {
    return Error{Code::malformed_request, why, FieldPath{field}, status};
}

Error scan_error(const Scanned& scanned) {
    switch (*scanned.fault) {
        case ScanFault::line_end:
            return malformed("The header section has a line end or octet that it may not have.",
                             scanned.at.empty() ? "header" : scanned.at);
        case ScanFault::fold:
            return malformed("A header line starts with a blank.", "header");
        case ScanFault::name:
            return malformed("A header line has no proper field name.",
                             scanned.at.empty() ? "header" : scanned.at);
        case ScanFault::too_many_fields:
            return malformed("The header section has too many fields.", "header", 431);
    }
    SWORN_ASSERT(false);
}

/// The framing fields as they came. RFC 9112 section 6; stricter where two readings exist.
struct Framed {
    std::optional<std::string_view> length, coding;
    bool repeated = false;
};

Framed framing_fields(const RawHead& head) {
    Framed framed;
    for (const auto& [name, value] : head.fields) {
        const bool length = equals_ignoring_case(name, "Content-Length");
        const bool coding = equals_ignoring_case(name, "Transfer-Encoding");
        if (!length && !coding) continue;
        auto& slot = length ? framed.length : framed.coding;
        framed.repeated = framed.repeated || slot.has_value();
        slot = value;
    }
    return framed;
}

/// 1*DIGIT, one spelling, at most 2^63 - 1.
std::optional<std::uint64_t> parse_length(std::string_view text) {
    if (text.empty() || text.size() > 19 || !all(text, OctetClass::digit)) return std::nullopt;
    if (text.size() > 1 && text.front() == '0') return std::nullopt;
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return std::nullopt;
    }
    return value;
}

struct ConnectionOptions {
    bool close = false, keep_alive = false, well_formed = true;
};

ConnectionOptions connection_options(const RawHead& head) {
    ConnectionOptions options;
    for (const auto& [name, value] : head.fields) {
        if (!equals_ignoring_case(name, "Connection")) continue;
        for_each_member(value, [&](std::string_view member) {
            options.close = options.close || equals_ignoring_case(member, "close");
            options.keep_alive = options.keep_alive || equals_ignoring_case(member, "keep-alive");
            options.well_formed = options.well_formed && all(member, OctetClass::token);
        });
    }
    return options;
}

Fields copy_fields(const RawHead& head) {
    Fields fields;
    fields.reserve(head.fields.size());
    for (const auto& [name, value] : head.fields)
        fields.emplace_back(name, value);
    return fields;
}

/// "HTTP/" DIGIT "." DIGIT, or nothing. Tens: major; ones: minor.
std::optional<int> parse_version(std::string_view text) {
    if (text.size() != 8 || !text.starts_with("HTTP/") || text[6] != '.') return std::nullopt;
    if (!is(text[5], OctetClass::digit) || !is(text[7], OctetClass::digit)) return std::nullopt;
    return (text[5] - '0') * 10 + (text[7] - '0');
}

bool is_method(std::string_view text) {
    if (text.empty() || text.size() > method_bytes_max) return false;
    if (!all(text, OctetClass::token)) return false;
    // No registered method has a lower-case letter; servers that fold case would read another one.
    for (const char c : text) {
        if (c >= 'a' && c <= 'z') return false;
    }
    return true;
}

Status parse_request_line(std::string_view line, RequestHead& head) {
    const auto first = line.find(' ');
    if (first == line.npos) return malformed("The request line has no target.", "target");
    const auto second = line.find(' ', first + 1);
    if (second == line.npos) return malformed("The request line has no version.", "version");
    const auto method = line.substr(0, first);
    const auto target = line.substr(first + 1, second - first - 1);
    const auto version = parse_version(line.substr(second + 1));
    if (!is_method(method)) return malformed("The method is not a known kind of word.", "method");
    if (target.empty() || !all(target, OctetClass::visible)) {
        return malformed("The target is not visible ASCII.", "target");
    }
    if (!version) return malformed("The request line does not end in a version.", "version");
    if (*version != 10 && *version != 11) {
        return malformed("Only HTTP/1.1 and HTTP/1.0 are spoken here.", "version", 505);
    }
    if (target.find('#') != target.npos) {
        return malformed("The target has a fragment.", "target");
    }
    head.method = method;
    head.target = target;
    head.minor_version = *version - 10;
    return Done{};
}

Status frame_request(const RawHead& raw, RequestHead& head) {
    const auto framed = framing_fields(raw);
    const std::string_view first = framed.coding ? "Transfer-Encoding" : "Content-Length";
    if (framed.repeated) return malformed("A framing field came more than once.", first);
    if (framed.coding && framed.length) {
        return malformed("Content-Length and Transfer-Encoding exclude each other.", first);
    }
    head.framed = framed.coding || framed.length;
    if (framed.coding) {
        if (head.minor_version == 0) {
            return malformed("HTTP/1.0 has no Transfer-Encoding.", first);
        }
        if (!equals_ignoring_case(*framed.coding, "chunked")) {
            return malformed("The only transfer coding is chunked.", first);
        }
        head.framing.kind = BodyFraming::Kind::chunked;
        return Done{};
    }
    if (!framed.length) {
        // RFC 1945 section 7.2.2: without a length its body could only end with the connection.
        const bool has_body =
            head.method == "POST" || head.method == "PUT" || head.method == "PATCH";
        if (has_body && head.minor_version == 0) {
            return malformed("An HTTP/1.0 request with a body states its length.", first, 411);
        }
        return Done{};
    }
    const auto length = parse_length(*framed.length);
    if (!length) return malformed("Content-Length is not a plain number.", first);
    head.framing = {BodyFraming::Kind::length, *length};
    return Done{};
}

Status check_host(const RawHead& raw, int minor_version) {
    std::size_t count = 0;
    for (const auto& [name, value] : raw.fields) {
        if (!equals_ignoring_case(name, "Host")) continue;
        ++count;
        if (value.empty()) return malformed("Host is empty.", "Host");
    }
    if (count > 1) return malformed("Host came more than once.", "Host");
    if (count == 0 && minor_version == 1) return malformed("Host is missing.", "Host");
    return Done{};
}

Status check_expect(const RawHead& raw, RequestHead& head) {
    if (head.minor_version == 0) return Done{};
    for (const auto& [name, value] : raw.fields) {
        if (!equals_ignoring_case(name, "Expect")) continue;
        if (head.expects_continue || !equals_ignoring_case(value, "100-continue")) {
            return malformed("The only expectation is 100-continue.", "Expect", 417);
        }
        head.expects_continue = true;
    }
    return Done{};
}

/// "HTTP/1.x SP 3DIGIT [SP reason]"
bool parse_status_line(std::string_view line, ResponseHead& head) {
    const auto version = parse_version(line.substr(0, line.find(' ')));
    if (version != 10 && version != 11) return false;
    const auto code = line.substr(8, 4);
    if (code.size() != 4 || code.front() != ' ') return false;
    if (!all(code.substr(1), OctetClass::digit)) return false;
    const auto reason = line.substr(12);
    if (!reason.empty() && reason.front() != ' ') return false;
    if (!all(reason, OctetClass::value)) return false;
    head.status = (code[1] - '0') * 100 + (code[2] - '0') * 10 + (code[3] - '0');
    head.minor_version = *version - 10;
    if (!reason.empty()) head.reason = reason.substr(1);
    return head.status >= 100 && head.status <= 599;
}

/// RFC 9112 section 6.3, in its order.
bool frame_response(const RawHead& raw, std::string_view request_method, ResponseHead& head) {
    const auto framed = framing_fields(raw);
    if (framed.repeated || (framed.coding && framed.length)) return false;
    if (framed.coding) {
        if (head.minor_version == 0) return false;
        if (!equals_ignoring_case(*framed.coding, "chunked")) return false;
    }
    std::uint64_t length = 0;
    if (framed.length) {
        const auto parsed = parse_length(*framed.length);
        if (!parsed) return false;
        length = *parsed;
    }

    if (head.status < 200) return !framed.coding && !framed.length;
    const bool bodyless = head.status == 204 || head.status == 304;
    if (request_method == "HEAD" || bodyless) {
        // A server that announces a body where none may be could send one: never reuse it.
        const bool announced = framed.coding || (head.status == 204 && length > 0);
        if (bodyless && announced) head.keep_alive = false;
        return true;
    }
    if (framed.coding) {
        head.framing.kind = BodyFraming::Kind::chunked;
    } else if (framed.length) {
        head.framing = {BodyFraming::Kind::length, length};
    } else {
        head.framing.kind = BodyFraming::Kind::until_close;
        head.keep_alive = false;
    }
    return true;
}

/// "max=1": the origin takes no further request on this connection.
bool last_of_connection(const RawHead& raw) {
    bool last = false;
    for (const auto& [name, value] : raw.fields) {
        if (!equals_ignoring_case(name, "Keep-Alive")) continue;
        for_each_member(value, [&](std::string_view member) {
            last = last || member == "max=0" || member == "max=1";
        });
    }
    return last;
}

}  // namespace

Result<RequestHead> parse_request_head(std::string_view bytes) {
    const auto scanned = scan_head(bytes, LeadingEmptyLine::one_allowed);
    RequestHead head;
    // The line comes first, so that a wrong version is told before what follows from it.
    if (!scanned.head.start_line.empty()) {
        const auto line = parse_request_line(scanned.head.start_line, head);
        if (!line) return line.error();
    }
    if (scanned.fault) return scan_error(scanned);
    const auto& raw = scanned.head;
    const auto framed = frame_request(raw, head);
    if (!framed) return framed.error();
    const auto host = check_host(raw, head.minor_version);
    if (!host) return host.error();
    const auto expect = check_expect(raw, head);
    if (!expect) return expect.error();
    const auto options = connection_options(raw);
    if (!options.well_formed) return malformed("Connection is not a list of names.", "Connection");
    head.keep_alive = !options.close && (head.minor_version == 1 || options.keep_alive);
    head.fields = copy_fields(raw);
    return head;
}

Result<ResponseHead, BadHead> parse_response_head(std::string_view bytes,
                                                  std::string_view request_method) {
    const auto scanned = scan_head(bytes, LeadingEmptyLine::refused);
    if (scanned.fault) {
        return scanned.fault == ScanFault::too_many_fields ? BadHead::too_large
                                                           : BadHead::malformed;
    }
    ResponseHead head;
    if (!parse_status_line(scanned.head.start_line, head)) return BadHead::malformed;
    const auto options = connection_options(scanned.head);
    head.keep_alive = !options.close && (head.minor_version == 1 || options.keep_alive) &&
                      !last_of_connection(scanned.head);
    if (!frame_response(scanned.head, request_method, head)) return BadHead::malformed;
    head.fields = copy_fields(scanned.head);
    return head;
}

}  // namespace sworn::http
