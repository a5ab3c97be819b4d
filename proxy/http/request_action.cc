#include "proxy/http/request_action.h"

#include <charconv>
#include <variant>

#include "common/structured_field.h"
#include "proxy/contract/field_rules.h"
#include "proxy/contract/target.h"
#include "proxy/http/head_scan.h"

namespace sworn::http {

namespace {

using contract::equals_ignoring_case;

Error malformed(Literal why, std::string_view field) {
    return Error{Code::malformed_request, why, FieldPath{field}, 0};
}

Status check_method(const RequestHead& head) {
    if (head.method == "TRACE") {
        return Error{Code::unsupported_action, "TRACE is not forwarded.", "method", 405};
    }
    if (head.method == "CONNECT") {
        const auto authority = contract::parse_authority_form(head.target);
        if (!authority) return authority.error();
        return Error{Code::unsupported_action, "CONNECT is not served on this listener.", "method",
                     405};
    }
    return Done{};
}

/// An offer of h2c alone is ignored (RFC 9110 section 7.8); anything else wants another protocol.
Status check_upgrade(const Fields& fields) {
    bool other = false;
    for (const auto& [name, value] : fields) {
        if (!equals_ignoring_case(name, "Upgrade")) continue;
        for_each_member(value, [&](std::string_view protocol) {
            other = other || !equals_ignoring_case(protocol, "h2c");
        });
    }
    if (!other) return Done{};
    return Error{Code::unsupported_action, "Upgrades to other protocols are not forwarded.",
                 "Upgrade", 501};
}

/// The target alone says where to; a Host that says something else is refused, never followed.
Status check_host(const RequestHead& head, const contract::Target& target) {
    const auto host = contract::find_field(head.fields, "Host");
    if (!host) return Done{};
    const auto named = contract::parse_host(*host);
    if (!named) return named.error();
    const std::uint16_t usual_port = target.scheme == "https" ? 443 : 80;
    const auto port = named->port == 0 ? usual_port : named->port;
    if (named->host == target.host && port == target.port) return Done{};
    return Error{Code::invalid_target, "Host and the request target name different places.", "Host",
                 0};
}

Result<contract::Target> find_target(const RequestHead& head) {
    if (head.target == "*" || head.target.front() == '/') {
        return Error{Code::invalid_target,
                     "A proxy request names its target whole: http://host/path.", "target", 0};
    }
    auto target = contract::parse_absolute_form(head.target);
    if (!target) return target.error();
    const auto agreed = check_host(head, *target);
    if (!agreed) return agreed.error();
    return target;
}

/// 1 to 255 visible ASCII, once.
Status read_word(std::string_view name, std::string_view value, std::string& into) {
    if (!into.empty()) return malformed("The field came more than once.", name);
    if (value.empty() || value.size() > token_bytes_max || !all(value, OctetClass::visible)) {
        return malformed("The value is not 1 to 255 visible ASCII characters.", name);
    }
    into = value;
    return Done{};
}

Status read_wait(std::string_view name, std::string_view value, contract::CallerWishes& wishes) {
    int seconds = 0;
    const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    const bool whole = fault == std::errc{} && end == value.data() + value.size();
    if (!whole || !is(value.front(), OctetClass::digit) || seconds > wait_approval_seconds_max) {
        return malformed("The value is not a number of seconds up to a day.", name);
    }
    if (wishes.wait_approval_seconds) return malformed("The field came more than once.", name);
    wishes.wait_approval_seconds = seconds;
    return Done{};
}

/// act_…; reason="…"
Status read_repeat(std::string_view name, std::string_view value, contract::CallerWishes& wishes) {
    const auto bad = malformed("The value is not an invocation id with a reason.", name);
    if (wishes.repeat_despite_unknown) return malformed("The field came more than once.", name);
    const auto item = sf::parse_item(value);
    if (!item) return bad;
    const auto* token = std::get_if<sf::Token>(&item->value);
    if (token == nullptr) return bad;
    const auto id = parse_invocation_id(token->value);
    const auto* reason = sf::find(item->parameters, "reason");
    if (!id || reason == nullptr) return bad;
    const auto* text = std::get_if<std::string>(reason);
    if (text == nullptr || text->empty()) return bad;
    wishes.repeat_despite_unknown = *id;
    wishes.repeat_reason = *text;
    return Done{};
}

Result<contract::CallerWishes> read_wishes(const Fields& fields) {
    contract::CallerWishes wishes;
    for (const auto& [name, value] : fields) {
        Status read = Done{};
        if (equals_ignoring_case(name, "Sworn-Token")) {
            read = read_word(name, value, wishes.token);
        } else if (equals_ignoring_case(name, "Sworn-Operation-Id")) {
            read = read_word(name, value, wishes.operation_id);
        } else if (equals_ignoring_case(name, "Sworn-Wait-Approval")) {
            read = read_wait(name, value, wishes);
        } else if (equals_ignoring_case(name, "Sworn-Repeat-Despite-Unknown")) {
            read = read_repeat(name, value, wishes);
        }
        if (!read) return read.error();
    }
    return wishes;
}

bool prefers_async(const Fields& fields) {
    bool prefers = false;
    for (const auto& [name, value] : fields) {
        if (!equals_ignoring_case(name, "Prefer")) continue;
        for_each_member(value, [&](std::string_view member) {
            const auto word = trim_blanks(member.substr(0, member.find(';')));
            prefers = prefers || equals_ignoring_case(word, "respond-async");
        });
    }
    return prefers;
}

}  // namespace

Result<contract::HttpAction> make_action(const RequestHead& head, std::string caller) {
    const auto method = check_method(head);
    if (!method) return method.error();
    const auto upgrade = check_upgrade(head.fields);
    if (!upgrade) return upgrade.error();
    auto target = find_target(head);
    if (!target) return target.error();
    auto wishes = read_wishes(head.fields);
    if (!wishes) return wishes.error();

    contract::HttpAction action;
    action.caller = std::move(caller);
    action.method = head.method;
    action.target = *std::move(target);
    action.fields = contract::forwardable(head.fields);
    action.wishes = *std::move(wishes);
    action.body_present = head.framed;
    action.prefer_async = prefers_async(head.fields);
    return action;
}

Result<std::string_view> caller_credentials(const Fields& fields) {
    std::string_view found;
    std::size_t count = 0;
    for (const auto& [name, value] : fields) {
        if (!equals_ignoring_case(name, "Proxy-Authorization")) continue;
        found = value;
        ++count;
    }
    if (count > 1) return malformed("The field came more than once.", "Proxy-Authorization");
    return found;
}

bool asks_what_this_is(const RequestHead& head) noexcept {
    const bool reads = head.method == "GET" || head.method == "HEAD";
    return reads && head.target == "/" && head.framing.kind == BodyFraming::Kind::none;
}

bool wants_plain_text(const Fields& fields) noexcept {
    const auto agent = contract::find_field(fields, "User-Agent");
    return agent && agent->starts_with("git/");
}

}  // namespace sworn::http
