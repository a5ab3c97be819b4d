#include "proxy/http/response_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "proxy/http/head_scan.h"

namespace sworn::http {

namespace {

using contract::equals_ignoring_case;

/// RFC 9110 section 7.6.1, and the framing, which the front writes itself. Trailers are dropped,
/// so they are not announced either.
constexpr std::array<std::string_view, 8> never_passed_on{
    "Connection", "Keep-Alive",        "Proxy-Connection", "TE",
    "Trailer",    "Transfer-Encoding", "Upgrade",          "Content-Length"};

/// What Sworn says of itself: an origin's Connection field does not remove it.
constexpr std::array<std::string_view, 6> own_words{
    "Proxy-Status", "X-Should-Retry", "Stripe-Should-Retry", "Via", "Cache-Control", "Date"};

bool is_one_of(std::string_view name, const auto& names) {
    return std::ranges::any_of(names, [&](auto one) { return equals_ignoring_case(one, name); });
}

bool is_own_word(std::string_view name) {
    constexpr std::string_view prefix = "Sworn-";
    return equals_ignoring_case(name.substr(0, prefix.size()), prefix) ||
           is_one_of(name, own_words);
}

std::vector<std::string_view> connection_names(const Fields& fields) {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : fields) {
        if (!equals_ignoring_case(name, "Connection")) continue;
        for_each_member(value, [&](std::string_view member) { names.push_back(member); });
    }
    return names;
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
    // Whoever made the field checked it; a line end in here would split the message.
    SWORN_ASSERT(!name.empty());
    SWORN_ASSERT(all(name, OctetClass::token));
    SWORN_ASSERT(all(value, OctetClass::value));
    out.append(name).append(": ").append(value).append("\r\n");
}

void append_fields(std::string& out, const Fields& fields) {
    const auto named = connection_names(fields);
    for (const auto& [name, value] : fields) {
        if (is_one_of(name, never_passed_on)) continue;
        if (is_one_of(name, named) && !is_own_word(name)) continue;
        append_field(out, name, value);
    }
}

std::string status_line(int status, std::string_view reason) {
    std::string line = "HTTP/1.1 " + std::to_string(status) + " ";
    if (all(reason, OctetClass::value)) line += reason;
    return line + "\r\n";
}

/// The Content-Length of a message without a body, which says what GET would have brought.
std::string announced_length(const ResponseHead& head, BodyFraming framing,
                             std::string_view method) {
    const bool states_one = head.status == 304 || (method == "HEAD" && head.status != 204);
    if (!states_one) return {};
    const auto passed = contract::find_field(head.fields, "Content-Length");
    if (passed) return std::string{*passed};
    const bool known = framing.kind == BodyFraming::Kind::length && head.status != 304;
    return known ? std::to_string(framing.length) : std::string{};
}

}  // namespace

bool never_has_body(std::string_view method, int status) noexcept {
    return method == "HEAD" || status < 200 || status == 204 || status == 304;
}

std::string encode_response_head(const ResponseHead& head, BodyFraming framing,
                                 const AnswerTo& to) {
    std::string out;
    out.reserve(512);
    out += status_line(head.status, head.reason);
    append_fields(out, head.fields);
    if (never_has_body(to.method, head.status)) {
        const auto length = announced_length(head, framing, to.method);
        if (!length.empty()) append_field(out, "Content-Length", length);
    } else {
        switch (framing.kind) {
            case BodyFraming::Kind::none:
                append_field(out, "Content-Length", "0");
                break;
            case BodyFraming::Kind::length:
                append_field(out, "Content-Length", std::to_string(framing.length));
                break;
            case BodyFraming::Kind::chunked:
                SWORN_ASSERT(to.minor_version == 1);
                append_field(out, "Transfer-Encoding", "chunked");
                break;
            case BodyFraming::Kind::until_close:
                SWORN_ASSERT(false);
        }
    }
    if (to.close) {
        append_field(out, "Connection", "close");
    } else if (to.minor_version == 0) {
        append_field(out, "Connection", "keep-alive");
    }
    out += "\r\n";
    return out;
}

std::string encode_informational(int status, const Fields& fields) {
    auto out = status_line(status, "");
    append_fields(out, fields);
    out += "\r\n";
    return out;
}

std::string encode_chunk_size(std::size_t size) {
    std::array<char, 20> digits{};
    const auto [end, fault] = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16);
    SWORN_ASSERT(fault == std::errc{});
    return std::string{digits.data(), end} + "\r\n";
}

}  // namespace sworn::http
