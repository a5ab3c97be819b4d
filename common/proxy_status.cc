#include "common/proxy_status.h"

#include <algorithm>
#include <cstdint>

#include "common/assert.h"
#include "common/structured_field.h"

namespace sworn {
namespace {

constexpr int status_min = 100;
constexpr int status_max = 999;

/// What a String can carry of it.
std::string plain(std::string_view text) {
    std::string kept{text.substr(0, proxy_status_text_max)};
    for (char& c : kept) {
        if (!sf::is_string({&c, 1})) c = '?';
    }
    return kept;
}

sf::BareItem token_or_string(std::string_view text) {
    if (sf::is_token(text)) return sf::Token{std::string{text}};
    return plain(text);
}

const sf::Item* as_name(const sf::Member& member) noexcept {
    const auto* const item = std::get_if<sf::Item>(&member);
    if (item == nullptr) return nullptr;
    const bool named = std::holds_alternative<sf::Token>(item->value) ||
                       std::holds_alternative<std::string>(item->value);
    return named ? item : nullptr;
}

/// The members of a Proxy-Status field: a list of Tokens and Strings, or nothing.
std::optional<sf::List> parse_hops(std::string_view text) {
    auto list = sf::parse_list(text);
    if (!list) return std::nullopt;
    const auto is_name = [](const sf::Member& member) { return as_name(member) != nullptr; };
    if (!std::all_of(list->begin(), list->end(), is_name)) return std::nullopt;
    return list;
}

/// Token or String as text; any other type in its wire form.
std::string text_of(const sf::BareItem& value) {
    if (const auto* const token = std::get_if<sf::Token>(&value)) return token->value;
    if (const auto* const string = std::get_if<std::string>(&value)) return *string;
    return sf::serialize(value).value_or("");
}

std::string text_parameter(const sf::Item& item, std::string_view key) {
    const sf::BareItem* const value = sf::find(item.parameters, key);
    return value == nullptr ? std::string{} : text_of(*value);
}

std::optional<int> status_parameter(const sf::Item& item) {
    const sf::BareItem* const value = sf::find(item.parameters, "received-status");
    if (value == nullptr) return std::nullopt;
    const auto* const number = std::get_if<std::int64_t>(value);
    if (number == nullptr) return std::nullopt;
    if (*number < status_min || *number > status_max) return std::nullopt;
    return static_cast<int>(*number);
}

HopStatus hop_of(const sf::Item& item) {
    HopStatus hop;
    hop.name = text_of(item.value);
    hop.failed = sf::find(item.parameters, "error") != nullptr;
    hop.error = text_parameter(item, "error");
    hop.received_status = status_parameter(item);
    hop.next_hop = text_parameter(item, "next-hop");
    hop.rcode = text_parameter(item, "rcode");
    hop.details = text_parameter(item, "details");
    return hop;
}

std::string_view without_blanks(std::string_view text) noexcept {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The word of a Token parameter; nothing where it is absent or no word of E.
template <class E>
std::optional<E> word_parameter(const sf::Item& item, std::string_view key) {
    const sf::BareItem* const value = sf::find(item.parameters, key);
    if (value == nullptr) return std::nullopt;
    const auto* const token = std::get_if<sf::Token>(value);
    if (token == nullptr) return std::nullopt;
    return parse<E>(token->value);
}

}  // namespace

std::string format_member(const ProxyStatusMember& member) {
    sf::Item item{token_or_string(member.name), {}};
    const auto add = [&item](std::string_view key, sf::BareItem value) {
        item.parameters.emplace_back(key, std::move(value));
    };
    if (member.error != ProxyError::none) {
        add("error", sf::Token{std::string{to_string(member.error)}});
    }
    if (!member.rcode.empty() && member.error == ProxyError::dns_error) {
        add("rcode", plain(member.rcode));
    }
    const int status = member.received_status.value_or(0);
    if (status >= status_min && status <= status_max) {
        add("received-status", std::int64_t{status});
    }
    if (!member.next_hop.empty()) add("next-hop", token_or_string(member.next_hop));
    if (!member.details.empty()) add("details", plain(member.details));
    const auto text = sf::serialize(item);
    SWORN_ASSERT(text.has_value());
    return *text;
}

std::string append_proxy_status(std::optional<std::string_view> existing,
                                const ProxyStatusMember& member) {
    const std::string ours = format_member(member);
    if (!existing) return ours;
    const auto hops = parse_hops(*existing);
    if (!hops || hops->empty()) return ours;
    // The other hops' words are theirs: they stay byte for byte.
    return std::string{without_blanks(*existing)} + ", " + ours;
}

std::vector<HopStatus> parse_proxy_status(std::string_view text) {
    std::vector<HopStatus> hops;
    const auto list = parse_hops(text);
    if (!list) return hops;
    for (const sf::Member& member : *list)
        hops.push_back(hop_of(*as_name(member)));
    return hops;
}

std::string format_outcome_header(const OutcomeHeader& header) {
    // The contract's own spelling, with a blank after each semicolon: a parser has to skip it
    // (RFC 9651 section 4.2.3.2). Every word here is a Token, and an id has no quote to escape.
    std::string text{to_string(header.outcome)};
    text.append("; phase=").append(to_string(header.phase));
    text.append("; retry=").append(to_string(header.retry));
    if (header.code) text.append("; code=").append(to_string(*header.code));
    if (header.id) text.append("; id=\"").append(header.id->text()).append("\"");
    return text;
}

std::optional<OutcomeHeader> parse_outcome_header(std::string_view text) {
    const auto item = sf::parse_item(text);
    if (!item) return std::nullopt;
    const auto* const word = std::get_if<sf::Token>(&item->value);
    if (word == nullptr) return std::nullopt;
    const auto outcome = parse<Outcome>(word->value);
    const auto phase = word_parameter<Phase>(*item, "phase");
    const auto retry = word_parameter<Retry>(*item, "retry");
    if (!outcome || !phase || !retry) return std::nullopt;
    OutcomeHeader header{*outcome, *phase, *retry, word_parameter<Code>(*item, "code"), {}};
    if (!header.code && sf::find(item->parameters, "code") != nullptr) return std::nullopt;
    if (const sf::BareItem* const id = sf::find(item->parameters, "id")) {
        const auto* const id_text = std::get_if<std::string>(id);
        if (id_text == nullptr) return std::nullopt;
        header.id = parse_invocation_id(*id_text);
        if (!header.id) return std::nullopt;
    }
    return header;
}

}  // namespace sworn
