#include "proxy/pipeline/respond.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "common/proxy_status.h"
#include "proxy/pipeline/evidence.h"

namespace sworn::pipeline {

using contract::equals_ignoring_case;

Voice voice_of(const config::Snapshot& snapshot) {
    return Voice{snapshot.name, snapshot.unknown_status};
}

namespace {

/// Never passed on to a caller: they belong to one hop, or are ours to say.
constexpr std::array dropped_fields{
    std::string_view{"connection"},
    std::string_view{"keep-alive"},
    std::string_view{"proxy-authenticate"},
    std::string_view{"proxy-authentication-info"},
    std::string_view{"proxy-connection"},
    std::string_view{"te"},
    std::string_view{"trailer"},
    std::string_view{"transfer-encoding"},
    std::string_view{"upgrade"},
    std::string_view{"set-cookie2"},
    std::string_view{"proxy-status"},
};

bool starts_with_sworn(std::string_view name) {
    return name.size() >= 6 && equals_ignoring_case(name.substr(0, 6), "sworn-");
}

bool named_in_connection(const http::Fields& fields, std::string_view name) {
    for (const auto& [field, value] : fields) {
        if (!equals_ignoring_case(field, "connection")) continue;
        std::string_view rest = value;
        while (!rest.empty()) {
            const auto comma = rest.find(',');
            auto one = rest.substr(0, comma);
            while (!one.empty() && (one.front() == ' ' || one.front() == '\t'))
                one.remove_prefix(1);
            while (!one.empty() && (one.back() == ' ' || one.back() == '\t'))
                one.remove_suffix(1);
            if (equals_ignoring_case(one, name)) return true;
            rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
        }
    }
    return false;
}

bool may_pass(const http::Fields& fields, std::string_view name) {
    if (starts_with_sworn(name)) return false;
    const bool hop = std::ranges::any_of(dropped_fields, [&](std::string_view dropped) {
        return equals_ignoring_case(name, dropped);
    });
    if (hop) return false;
    // A remote cannot use Connection to have its framing dropped.
    return equals_ignoring_case(name, "content-length") || !named_in_connection(fields, name);
}

std::string combined(const http::Fields& fields, std::string_view name) {
    std::string all;
    for (const auto& [field, value] : fields) {
        if (!equals_ignoring_case(field, name)) continue;
        if (!all.empty()) all += ", ";
        all += value;
    }
    return all;
}

void remove_field(http::Fields& fields, std::string_view name) {
    std::erase_if(fields,
                  [&](const auto& field) { return equals_ignoring_case(field.first, name); });
}

std::string reason_of(int status) {
    switch (status) {
        case 400:
            return "Bad Request";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 407:
            return "Proxy Authentication Required";
        case 409:
            return "Conflict";
        case 413:
            return "Content Too Large";
        case 414:
            return "URI Too Long";
        case 417:
            return "Expectation Failed";
        case 422:
            return "Unprocessable Content";
        case 424:
            return "Failed Dependency";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 501:
            return "Not Implemented";
        case 502:
            return "Bad Gateway";
        case 503:
            return "Service Unavailable";
        case 504:
            return "Gateway Timeout";
        case 505:
            return "HTTP Version Not Supported";
        default:
            return status < 400 ? "OK" : "Error";
    }
}

constexpr std::string_view retry_after_seconds = "1";

}  // namespace

void add_stop_signs(http::Fields& fields) {
    for (const std::string_view sign : {"X-Should-Retry", "Stripe-Should-Retry"}) {
        remove_field(fields, sign);
        fields.emplace_back(sign, "false");
    }
    remove_field(fields, "Retry-After");
}

bool wants_stop_signs(const journal::Record& record,
                      const journal::Projection& projection) noexcept {
    if (projection.retry == Retry::fetch_result) return true;
    const bool callers_key =
        record.validated && record.validated->key_origin == journal::KeyOrigin::caller;
    if (projection.retry == Retry::same_idempotency_key && callers_key) return false;
    const bool repeatable = record.validated && record.validated->repeatable;
    return !repeatable &&
           (projection.outcome == Outcome::unknown || projection.outcome == Outcome::committed);
}

http::Answer error_answer(const Envelope& envelope, ProxyError proxy_error, const Voice& voice,
                          ErrorForm form) {
    http::Answer answer;
    Envelope shown = envelope;
    if (shown.outcome == Outcome::unknown && voice.unknown_status) {
        shown.status = *voice.unknown_status;
    }
    answer.head.status = shown.status;
    answer.head.reason = reason_of(shown.status);
    auto& fields = answer.head.fields;
    const bool text = form == ErrorForm::text_line;
    fields.emplace_back("Content-Type", text ? "text/plain; charset=utf-8" : problem_media_type);
    fields.emplace_back("Cache-Control", "no-store");
    ProxyStatusMember member;
    member.name = voice.name;
    member.error = proxy_error;
    fields.emplace_back("Proxy-Status", format_member(member));
    if (shown.id) fields.emplace_back("Sworn-Invocation", shown.id->text());
    OutcomeHeader outcome;
    outcome.outcome = shown.outcome;
    outcome.phase = shown.phase;
    outcome.retry = shown.retry;
    outcome.code = shown.code;
    outcome.id = shown.id;
    fields.emplace_back("Sworn-Outcome", format_outcome_header(outcome));
    if (shown.status == 407) fields.emplace_back("Proxy-Authenticate", "Basic realm=\"sworn\"");
    if (shown.retry == Retry::backoff) fields.emplace_back("Retry-After", retry_after_seconds);
    answer.body = text ? to_text_line(shown) : to_body(shown) + "\n";
    answer.close = true;
    return answer;
}

http::Answer error_answer(const journal::Record& record, const journal::Projection& projection,
                          ProxyError proxy_error, const Voice& voice, ErrorForm form) {
    auto answer = error_answer(envelope_of(record, projection), proxy_error, voice, form);
    if (wants_stop_signs(record, projection) || (projection.code == Code::unresolved_duplicate)) {
        add_stop_signs(answer.head.fields);
    }
    return answer;
}

http::ResponseHead passed_on_head(const http::ResponseHead& remote, const InvocationId& id,
                                  const Voice& voice) {
    http::ResponseHead head;
    head.status = remote.status;
    head.reason = remote.reason;
    head.framing = remote.framing;
    head.fields.reserve(remote.fields.size() + 4);
    for (const auto& field : remote.fields) {
        if (may_pass(remote.fields, field.first)) head.fields.push_back(field);
    }
    head.fields.emplace_back("Via", (remote.minor_version == 0 ? "1.0 " : "1.1 ") + voice.name);
    const auto before = combined(remote.fields, "proxy-status");
    ProxyStatusMember member;
    member.name = voice.name;
    member.received_status = remote.status;
    const auto existing = before.empty() ? std::optional<std::string_view>{}
                                         : std::optional<std::string_view>{before};
    head.fields.emplace_back("Proxy-Status", append_proxy_status(existing, member));
    head.fields.emplace_back("Sworn-Invocation", id.text());
    return head;
}

void add_outcome(http::Fields& fields, const journal::Record& record,
                 const journal::Projection& projection, int status) {
    OutcomeHeader outcome;
    outcome.outcome = projection.outcome;
    outcome.phase = projection.phase;
    outcome.retry = projection.retry;
    outcome.code = projection.code;
    outcome.id = record.id;
    fields.emplace_back("Sworn-Outcome", format_outcome_header(outcome));
    if (status >= 400 && wants_stop_signs(record, projection)) {
        add_stop_signs(fields);
    }
}

std::string store_head(const http::ResponseHead& head) {
    std::string bytes = "HTTP/1.1 " + std::to_string(head.status) + " " + head.reason + "\r\n";
    for (const auto& [name, value] : head.fields) {
        // Of a bodiless response it says what GET would bring; else it is framing.
        const bool framing = equals_ignoring_case(name, "content-length") &&
                             head.framing.kind != http::BodyFraming::Kind::none;
        if (starts_with_sworn(name) || framing) continue;
        bytes.append(name).append(": ").append(value).append("\r\n");
    }
    return bytes += "\r\n";
}

std::optional<http::ResponseHead> load_head(std::string_view bytes) {
    auto parsed = http::parse_response_head(bytes, "HEAD");
    if (!parsed) return std::nullopt;
    return std::move(*parsed);
}

http::Answer replay_answer(http::ResponseHead head, std::string body, const journal::Record& record,
                           const journal::Projection& projection) {
    http::Answer answer;
    answer.head = std::move(head);
    answer.head.fields.emplace_back("Sworn-Invocation", record.id.text());
    answer.head.fields.emplace_back("Sworn-Replayed", "?1");
    add_outcome(answer.head.fields, record, projection, answer.head.status);
    answer.body = std::move(body);
    return answer;
}

}  // namespace sworn::pipeline
