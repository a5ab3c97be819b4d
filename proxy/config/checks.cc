#include "proxy/config/checks.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <regex>

namespace sworn::config {
namespace {

constexpr std::size_t id_bytes_max = 64;

bool is_alnum(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_in(char c, std::string_view set) {
    return set.find(c) != std::string_view::npos;
}

template <class Predicate>
bool every(std::string_view text, Predicate predicate) {
    return std::all_of(text.begin(), text.end(), predicate);
}

std::optional<unsigned> digits(std::string_view text) {
    unsigned value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end) return std::nullopt;
    return value;
}

int base64_value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    if (c == '/') return 63;
    return -1;
}

}  // namespace

bool is_token(std::string_view text) noexcept {
    return !text.empty() &&
           every(text, [](char c) { return is_alnum(c) || is_in(c, "!#$%&'*+-.^_`|~"); });
}

const std::vector<std::string>& registered_methods() {
    static const std::vector<std::string> methods{"ACL",
                                                  "BASELINE-CONTROL",
                                                  "BIND",
                                                  "CHECKIN",
                                                  "CHECKOUT",
                                                  "CONNECT",
                                                  "COPY",
                                                  "DELETE",
                                                  "GET",
                                                  "HEAD",
                                                  "LABEL",
                                                  "LINK",
                                                  "LOCK",
                                                  "MERGE",
                                                  "MKACTIVITY",
                                                  "MKCALENDAR",
                                                  "MKCOL",
                                                  "MKREDIRECTREF",
                                                  "MKWORKSPACE",
                                                  "MOVE",
                                                  "OPTIONS",
                                                  "ORDERPATCH",
                                                  "PATCH",
                                                  "POST",
                                                  "PROPFIND",
                                                  "PROPPATCH",
                                                  "PUT",
                                                  "REBIND",
                                                  "REPORT",
                                                  "SEARCH",
                                                  "TRACE",
                                                  "UNBIND",
                                                  "UNCHECKOUT",
                                                  "UNLINK",
                                                  "UNLOCK",
                                                  "UPDATE",
                                                  "UPDATEREDIRECTREF",
                                                  "VERSION-CONTROL"};
    return methods;
}

bool is_registered_method(std::string_view text) noexcept {
    const auto& methods = registered_methods();
    return std::find(methods.begin(), methods.end(), text) != methods.end();
}

bool is_id(std::string_view text) noexcept {
    return !text.empty() && text.size() <= id_bytes_max &&
           every(text, [](char c) { return is_alnum(c) || is_in(c, "._-"); });
}

bool is_visible(std::string_view text) noexcept {
    return !text.empty() && every(text, [](char c) { return c > ' ' && c < 0x7f; });
}

bool is_header_text(std::string_view text) noexcept {
    return !text.empty() && text.front() != ' ' && text.back() != ' ' &&
           every(text, [](char c) { return c >= ' ' && c < 0x7f; });
}

bool is_path_prefix(std::string_view text) noexcept {
    if (!is_visible(text) || text.front() != '/') return false;
    if (text.find_first_of("?#\\\"<>{}|^`") != std::string_view::npos) return false;
    const std::string padded = lower_case(text) + "/";
    for (const std::string_view segment : {"/./", "/../", "%2e", "%2f", "%5c", "%00"}) {
        if (padded.find(segment) != std::string::npos) return false;
    }
    return true;
}

bool is_json_pointer(std::string_view text) noexcept {
    if (text.empty()) return true;
    if (text.front() != '/') return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '~') continue;
        if (i + 1 == text.size() || !is_in(text[i + 1], "01")) return false;
    }
    return true;
}

bool is_regex(const std::string& text) {
    // std::regex tells of a bad pattern by exception only.
    try {
        const std::regex compiled{text, std::regex::ECMAScript};
        return true;
    } catch (const std::regex_error&) {
        return false;
    }
}

bool is_date(std::string_view text) noexcept {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
    const auto year = digits(text.substr(0, 4));
    const auto month = digits(text.substr(5, 2));
    const auto day = digits(text.substr(8, 2));
    if (!year || !month || !day) return false;
    return std::chrono::year_month_day{std::chrono::year{static_cast<int>(*year)},
                                       std::chrono::month{*month}, std::chrono::day{*day}}
        .ok();
}

std::optional<std::string> decode_base64(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0) return std::nullopt;
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
    std::string out;
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : text.substr(0, text.size() - padding)) {
        const int value = base64_value(c);
        if (value < 0) return std::nullopt;
        bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xffffu;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out += static_cast<char>(bits >> held & 0xffu);
        }
    }
    // The bits that padding leaves over are zero in the one canonical spelling.
    if ((bits & ((1u << held) - 1)) != 0) return std::nullopt;
    return out;
}

bool is_ssh_public_key(std::string_view text) {
    const std::size_t gap = text.find(' ');
    if (gap == std::string_view::npos) return false;
    const std::string_view type = text.substr(0, gap);
    const std::string_view rest = text.substr(gap + 1);
    const auto blob = decode_base64(rest.substr(0, rest.find(' ')));
    const bool known = type == "ssh-ed25519" || type == "ssh-rsa" ||
                       type == "ecdsa-sha2-nistp256" || type == "ecdsa-sha2-nistp384" ||
                       type == "ecdsa-sha2-nistp521" || type == "sk-ssh-ed25519@openssh.com" ||
                       type == "sk-ecdsa-sha2-nistp256@openssh.com";
    if (!known || !blob || blob->size() <= 4 + type.size()) return false;
    // The blob starts with the type as a string: four bytes of length, then the name.
    const std::string head{'\0', '\0', '\0', static_cast<char>(type.size())};
    return blob->starts_with(head + std::string{type});
}

std::optional<std::vector<std::string>> placeholders(std::string_view text) {
    std::vector<std::string> names;
    while (!text.empty()) {
        const std::size_t open = text.find_first_of("{}");
        if (open == std::string_view::npos) break;
        const std::size_t close = text.find_first_of("{}", open + 1);
        if (text[open] != '{' || close == std::string_view::npos || text[close] != '}') {
            return std::nullopt;
        }
        names.emplace_back(text.substr(open + 1, close - open - 1));
        text.remove_prefix(close + 1);
    }
    return names;
}

std::string lower_case(std::string_view text) {
    std::string out{text};
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return out;
}

}  // namespace sworn::config
