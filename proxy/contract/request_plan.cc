#include "proxy/contract/request_plan.h"

#include "proxy/contract/injection_rules.h"

namespace sworn::contract {
namespace {

void append(std::vector<Segment>& head, const Segment& segment) {
    const bool joins = segment.kind == Segment::Kind::text && !head.empty() &&
                       head.back().kind == Segment::Kind::text;
    if (joins) {
        head.back().text += segment.text;
    } else {
        head.push_back(segment);
    }
}

void append(std::vector<Segment>& head, std::string_view text) {
    append(head, Segment{Segment::Kind::text, std::string{text}});
}

void append_field(std::vector<Segment>& head, std::string_view name, std::string_view value) {
    append(head, std::string{name} + ": " + std::string{value} + "\r\n");
}

}  // namespace

std::vector<Segment> build_head(const HeadParts& parts) {
    std::vector<Segment> head;
    append(head, std::string{parts.method} + " " + std::string{parts.path});
    if (parts.injection != nullptr) {
        for (const auto& segment : injected_query(*parts.injection, parts.path)) {
            append(head, segment);
        }
    }
    append(head, " HTTP/1.1\r\n");
    append_field(head, "Host", parts.authority);
    for (const auto& [name, value] : parts.fields)
        append_field(head, name, value);
    if (parts.generated_key != nullptr) {
        append_field(head, parts.generated_key->first, parts.generated_key->second);
    }
    if (parts.injection != nullptr) {
        for (const auto& segment : injected_field(*parts.injection))
            append(head, segment);
    }
    // A caller's own Via stands further up, so that ours is the last member (RFC 9110 7.6.3).
    append_field(head, "Via", "1.1 " + std::string{parts.via});
    if (parts.content_length) {
        append_field(head, "Content-Length", std::to_string(*parts.content_length));
    }
    append(head, "\r\n");
    return head;
}

Digest RequestPlan::request_digest() const {
    Sha256 hash;
    hash.field("sworn request v1");
    std::vector<Segment> joined;
    for (const auto& segment : head)
        append(joined, segment);
    for (const auto& segment : joined) {
        const bool is_text = segment.kind == Segment::Kind::text;
        hash.field(is_text ? "text" : "secret");
        if (is_text) hash.field(segment.text);
    }
    hash.field("body");
    hash.field({reinterpret_cast<const char*>(body_digest.bytes.data()), body_digest.bytes.size()});
    hash.field(std::to_string(body_size));
    hash.field(origin_host);
    hash.field(std::to_string(origin_port));
    hash.field(tls ? "tls" : "clear");
    return hash.digest();
}

}  // namespace sworn::contract
