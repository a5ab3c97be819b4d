// A response head that is let in has one reading: written out again it parses to the same, and no
// strict prefix of it is one. Its framing is that of RFC 9112 section 6.3.
#include <algorithm>

#include "proxy/http/head_scan.h"
#include "proxy/http/message.h"
#include "tests/fuzz/fuzz_input.h"

namespace sworn::http {
namespace {

bool same(const ResponseHead& a, const ResponseHead& b) {
    return a.status == b.status && a.reason == b.reason && a.minor_version == b.minor_version &&
           a.fields == b.fields && a.framing.kind == b.framing.kind &&
           a.framing.length == b.framing.length && a.keep_alive == b.keep_alive;
}

std::string written(const ResponseHead& head) {
    std::string text = "HTTP/1." + std::to_string(head.minor_version) + " ";
    text += std::to_string(head.status) + " " + head.reason + "\r\n";
    for (const auto& [name, value] : head.fields)
        text += name + ": " + value + "\r\n";
    return text + "\r\n";
}

bool has_body(const ResponseHead& head) {
    return head.framing.kind != BodyFraming::Kind::none;
}

void check_meaning(const ResponseHead& head, std::string_view method) {
    SWORN_ASSERT(head.status >= 100);
    SWORN_ASSERT(head.status <= 599);
    const bool bodyless = head.status < 200 || head.status == 204 || head.status == 304;
    SWORN_ASSERT(has_body(head) == (!bodyless && method != "HEAD"));
    SWORN_ASSERT(head.framing.kind != BodyFraming::Kind::until_close || !head.keep_alive);
    SWORN_ASSERT(head.framing.kind != BodyFraming::Kind::chunked || head.minor_version == 1);
}

void check(std::string_view bytes, std::string_view method) {
    const auto end = find_head_end(bytes);
    const auto head_bytes = bytes.substr(0, end.value_or(bytes.size()));
    const auto head = parse_response_head(head_bytes, method);
    if (!head) return;
    SWORN_ASSERT(end.has_value());
    check_meaning(*head, method);
    fuzz::Choices choices{head_bytes};
    for (std::size_t size = 0; size < head_bytes.size(); size += 1 + choices.below(4)) {
        SWORN_ASSERT(!find_head_end(head_bytes.substr(0, size)));
        SWORN_ASSERT(!parse_response_head(head_bytes.substr(0, size), method));
    }
    const auto again = parse_response_head(written(*head), method);
    SWORN_ASSERT(static_cast<bool>(again));
    SWORN_ASSERT(same(*head, *again));
}

}  // namespace
}  // namespace sworn::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (const char* method : {"GET", "HEAD", "POST"})
        sworn::http::check(sworn::fuzz::text_of(data, size), method);
    return 0;
}
