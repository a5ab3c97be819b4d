// A request head that is let in has one reading: written out again it parses to the same, no strict
// prefix of it is one, and its end is found wherever the bytes are cut.
#include <algorithm>
#include <array>

#include "proxy/http/head_scan.h"
#include "proxy/http/message.h"
#include "tests/fuzz/fuzz_input.h"

namespace sworn::http {
namespace {

bool same(const RequestHead& a, const RequestHead& b) {
    return a.method == b.method && a.target == b.target && a.minor_version == b.minor_version &&
           a.fields == b.fields && a.framing.kind == b.framing.kind &&
           a.framing.length == b.framing.length && a.framed == b.framed &&
           a.keep_alive == b.keep_alive && a.expects_continue == b.expects_continue;
}

std::string written(const RequestHead& head) {
    std::string text = head.method + " " + head.target + " HTTP/1.";
    text += std::to_string(head.minor_version) + "\r\n";
    for (const auto& [name, value] : head.fields)
        text += name + ": " + value + "\r\n";
    return text + "\r\n";
}

std::size_t count_named(const Fields& fields, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::count_if(fields, [&](const Field& field) {
        return contract::equals_ignoring_case(field.first, name);
    }));
}

void check_framing(const RequestHead& head) {
    const auto lengths = count_named(head.fields, "Content-Length");
    const auto codings = count_named(head.fields, "Transfer-Encoding");
    SWORN_ASSERT(lengths + codings <= 1);
    SWORN_ASSERT(head.framed == (lengths + codings == 1));
    SWORN_ASSERT((head.framing.kind == BodyFraming::Kind::chunked) == (codings == 1));
    SWORN_ASSERT((head.framing.kind == BodyFraming::Kind::length) == (lengths == 1));
    SWORN_ASSERT(head.framing.kind != BodyFraming::Kind::until_close);
    SWORN_ASSERT(count_named(head.fields, "Host") <= 1);
    SWORN_ASSERT(head.minor_version == 0 || count_named(head.fields, "Host") == 1);
}

void check_prefixes(std::string_view head) {
    constexpr std::size_t dense = 256;
    fuzz::Choices choices{head};
    for (std::size_t size = 0; size < head.size();
         size += head.size() <= dense ? 1 : 1 + choices.below(head.size() / 64)) {
        SWORN_ASSERT(!find_head_end(head.substr(0, size)));
        SWORN_ASSERT(!parse_request_head(head.substr(0, size)));
    }
}

void check_refusal(const Error& error) {
    constexpr std::array statuses{400, 411, 414, 417, 431, 505};
    SWORN_ASSERT(error.code == Code::malformed_request);
    SWORN_ASSERT(!error.field.empty());
    SWORN_ASSERT(std::ranges::find(statuses, error.status) != statuses.end());
}

void check_end(std::string_view bytes, std::optional<std::size_t> end) {
    HeadEnd growing;
    fuzz::Choices choices{bytes};
    std::optional<std::size_t> found;
    for (std::size_t size = 0; !found && size < bytes.size();) {
        size = std::min(bytes.size(), size + 1 + choices.below(40));
        found = growing.find(bytes.substr(0, size));
    }
    SWORN_ASSERT(found == end);
}

void check(std::string_view bytes) {
    const auto end = find_head_end(bytes);
    check_end(bytes, end);
    const auto head_bytes = bytes.substr(0, end.value_or(bytes.size()));
    const auto head = parse_request_head(head_bytes);
    if (!head) return check_refusal(head.error());
    SWORN_ASSERT(end.has_value());
    check_framing(*head);
    check_prefixes(head_bytes);
    SWORN_ASSERT(!parse_request_head(std::string{head_bytes} + "\r\n"));
    const auto again = parse_request_head(written(*head));
    SWORN_ASSERT(static_cast<bool>(again));
    SWORN_ASSERT(same(*head, *again));
}

}  // namespace
}  // namespace sworn::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sworn::http::check(sworn::fuzz::text_of(data, size));
    return 0;
}
