#include "proxy/contract/injection_rules.h"

#include <algorithm>
#include <array>

#include "proxy/contract/base64.h"
#include "proxy/contract/field_rules.h"
#include "proxy/contract/path_forms.h"

namespace sworn::contract {
namespace {

using Kind = config::Injection::Kind;

constexpr std::string_view marker = "{secret}";
constexpr Literal foreign_value{
    "Sworn injects the credential here: send nothing, an empty value or the placeholder."};

std::pair<std::string, std::string> around_secret(const std::string& format) {
    const auto at = format.find(marker);
    if (at == std::string::npos) return {format, ""};
    return {format.substr(0, at), format.substr(at + marker.size())};
}

bool is_header_placeholder(std::string_view value, const config::Injection& injection) {
    if (value.empty() || value == injection.placeholder) return true;
    const auto [before, after] = around_secret(injection.format);
    // An SDK without a key sends the format round nothing.
    return value == trim_blanks(before + injection.placeholder + after) ||
           value == trim_blanks(before + after);
}

/// Any user with the placeholder as password, or the placeholder itself, encoded or bare.
bool is_basic_placeholder(std::string_view value, const config::Injection& injection) {
    constexpr std::string_view scheme = "Basic";
    const auto rest = value.substr(std::min(scheme.size(), value.size()));
    const bool has_scheme = equals_ignoring_case(value.substr(0, scheme.size()), scheme) &&
                            (rest.empty() || rest.starts_with(' '));
    if (has_scheme) value = trim_blanks(rest);
    if (value.empty() || value == injection.placeholder) return true;
    const auto decoded = base64_decode(value);
    if (!decoded) return false;
    const auto colon = decoded->find(':');
    if (colon == std::string::npos) return *decoded == injection.placeholder;
    const auto user = decoded->substr(0, colon);
    const auto password = decoded->substr(colon + 1);
    if (!password.empty()) return password == injection.placeholder;
    // Some services take a key as the user's name with no password: that would be the caller's own.
    return user.empty() || user == injection.placeholder || user == injection.username;
}

bool is_placeholder(std::string_view value, const config::Injection& injection) {
    return injection.kind == Kind::basic ? is_basic_placeholder(value, injection)
                                         : is_header_placeholder(value, injection);
}

Result<Cleared> clear_header(Cleared all, const config::Injection& injection, bool replace) {
    Fields kept;
    for (auto& field : all.fields) {
        if (!equals_ignoring_case(field.first, injection.header)) {
            kept.push_back(std::move(field));
            continue;
        }
        if (is_placeholder(trim_blanks(field.second), injection)) continue;
        if (!replace)
            return Error{Code::forbidden_header, foreign_value, FieldPath{injection.header}};
        if (all.replaced.empty()) all.replaced.push_back(injection.header);
    }
    all.fields = std::move(kept);
    return all;
}

/// A form-style decoding: servers read '+' in a query as a blank.
std::string decoded_parameter(std::string_view text) {
    std::string plain{text};
    std::ranges::replace(plain, '+', ' ');
    return percent_decode(plain);
}

Result<Cleared> clear_query(Cleared all, const config::Injection& injection, bool replace) {
    const auto mark = all.path.find('?');
    if (mark == std::string::npos) return all;
    const auto query = all.path.substr(mark + 1);
    std::string kept;
    std::string_view rest = query;
    for (bool more = true; more;) {
        // Some servers split at ';' too: a parameter hidden behind one is still the parameter.
        const auto end = rest.find_first_of("&;");
        const auto one = rest.substr(0, end);
        const auto equals = one.find('=');
        const bool ours = decoded_parameter(one.substr(0, equals)) == injection.query;
        if (ours) {
            const auto value = decoded_parameter(
                equals == std::string_view::npos ? std::string_view{} : one.substr(equals + 1));
            const bool foreign = !value.empty() && value != injection.placeholder;
            const auto field = "?" + injection.query;
            if (foreign && !replace)
                return Error{Code::forbidden_header, foreign_value, FieldPath{field}};
            if (foreign && all.replaced.empty()) all.replaced.push_back(field);
        } else {
            kept += one;
        }
        more = end != std::string_view::npos;
        if (more && !ours) kept += rest[end];
        rest = more ? rest.substr(end + 1) : std::string_view{};
    }
    // Only a cut parameter at the end leaves its separator behind.
    const bool cut = kept.size() != query.size();
    if (cut && (kept.ends_with('&') || kept.ends_with(';'))) kept.pop_back();
    all.path = all.path.substr(0, mark) + (kept.empty() ? "" : "?" + kept);
    return all;
}

std::string encoded_parameter(std::string_view name) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    constexpr std::string_view unreserved =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    std::string text;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (unreserved.find(c) != std::string_view::npos) {
            text += c;
        } else {
            text += {'%', digits[byte >> 4], digits[byte & 15]};
        }
    }
    return text;
}

}  // namespace

std::string_view injected_header(const config::Injection& injection) noexcept {
    switch (injection.kind) {
        case Kind::header:
        case Kind::basic:
            return injection.header;
        case Kind::none:
        case Kind::query:
        case Kind::client_cert:
        case Kind::ssh_key:
            return {};
    }
    return {};
}

std::string_view to_string(Kind kind) noexcept {
    switch (kind) {
        case Kind::none:
            return "";
        case Kind::header:
            return "header";
        case Kind::basic:
            return "basic";
        case Kind::query:
            return "query";
        case Kind::client_cert:
            return "client_cert";
        case Kind::ssh_key:
            return "ssh_key";
    }
    return "";
}

Result<Cleared> clear_injected_place(Fields fields, std::string path,
                                     const config::Injection& injection, bool replace) {
    Cleared all{std::move(fields), std::move(path), {}};
    switch (injection.kind) {
        case Kind::header:
        case Kind::basic:
            return clear_header(std::move(all), injection, replace);
        case Kind::query:
            return clear_query(std::move(all), injection, replace);
        case Kind::none:
        case Kind::client_cert:
        case Kind::ssh_key:
            return all;
    }
    return all;
}

Status check_names(const Fields& fields, const config::HeaderRules& rules,
                   std::string_view injected) {
    constexpr std::array<std::string_view, 3> framing{"content-length", "transfer-encoding",
                                                      "http2-settings"};
    const auto ours = canonical_name(injected);
    for (const auto& [name, value] : fields) {
        const auto plain = canonical_name(name);
        const bool underscored = name.find('_') != std::string::npos;
        const bool reserved = plain.starts_with("sworn-") || plain.starts_with("proxy-") ||
                              std::ranges::find(framing, plain) != framing.end();
        const bool imitates =
            !ours.empty() && plain == ours && !equals_ignoring_case(name, injected);
        if (imitates || (underscored && reserved)) {
            return Error{Code::forbidden_header,
                         "Servers read this name as one that Sworn writes or keeps.",
                         FieldPath{name}};
        }
        const bool denied = std::ranges::any_of(
            rules.deny, [&plain](const std::string& one) { return canonical_name(one) == plain; });
        if (denied)
            return Error{Code::forbidden_header, "The route denies this header.", FieldPath{name}};
    }
    return Done{};
}

std::vector<Segment> injected_field(const config::Injection& injection) {
    using enum Segment::Kind;
    if (injected_header(injection).empty()) return {};
    const bool basic = injection.kind == Kind::basic;
    const auto [before, after] = around_secret(basic ? "Basic {secret}" : injection.format);
    return {{text, injection.header + ": " + before}, {secret, ""}, {text, after + "\r\n"}};
}

std::vector<Segment> injected_query(const config::Injection& injection, std::string_view path) {
    using enum Segment::Kind;
    if (injection.kind != Kind::query) return {};
    const auto* const separator = path.find('?') == std::string_view::npos ? "?" : "&";
    return {{text, separator + encoded_parameter(injection.query) + "="}, {secret, ""}};
}

}  // namespace sworn::contract
