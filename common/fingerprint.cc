#include "common/fingerprint.h"

#include <algorithm>
#include <array>

namespace sworn {
namespace {

// A change of what is hashed, or how, needs a new version here: old fingerprints are on disk.
constexpr std::string_view http_domain = "sworn.fingerprint.http.v1";
constexpr std::string_view ssh_domain = "sworn.fingerprint.ssh.v1";

constexpr std::array<std::string_view, 14> header_names{
    "content-type",           "content-encoding", "if-match",       "if-none-match", "range",
    "content-range",          "prefer",           "destination",    "soapaction",    "x-amz-target",
    "x-http-method-override", "upload-offset",    "stripe-account", "cookie",
};

char lowered(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lowered(std::string_view text) {
    std::string lower{text};
    for (char& c : lower)
        c = lowered(c);
    return lower;
}

bool is_name(std::string_view text, std::string_view lower_name) noexcept {
    return std::equal(text.begin(), text.end(), lower_name.begin(), lower_name.end(),
                      [](char a, char b) { return lowered(a) == b; });
}

std::string_view without_blanks(std::string_view text) noexcept {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view bytes_of(const Digest& digest) noexcept {
    return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

/// A list says how long it is, so that two lists in a row cannot lend each other an element.
void add_count(Sha256& hash, std::size_t count) {
    hash.field(std::to_string(count));
}

void add_header(Sha256& hash, std::string_view name, std::span<const HeaderPair> headers) {
    const auto named = [name](const HeaderPair& header) { return is_name(header.first, name); };
    add_count(hash, static_cast<std::size_t>(std::count_if(headers.begin(), headers.end(), named)));
    for (const HeaderPair& header : headers) {
        if (named(header)) hash.field(without_blanks(header.second));
    }
}

}  // namespace

std::span<const std::string_view> fingerprint_headers() noexcept {
    return header_names;
}

Digest fingerprint(const FingerprintInput& input) {
    Sha256 hash;
    hash.field(http_domain);
    hash.field(input.method);
    hash.field(input.scheme);
    hash.field(input.host);
    hash.field(std::to_string(input.port));
    hash.field(input.path_and_query);
    // Every name is hashed, in the order of the list, whether it is there or not: the count
    // tells "absent" from "empty".
    for (const std::string_view name : header_names)
        add_header(hash, name, input.headers);
    // Without a key of the caller's own the name of its header says nothing about the action.
    const bool has_key = !input.idempotency_key.empty();
    hash.field(has_key ? lowered(input.idempotency_header) : std::string{});
    hash.field(input.idempotency_key);
    hash.field(bytes_of(input.body));
    hash.field(input.credential_id);
    add_count(hash, input.route_adds.size());
    for (const std::string& added : input.route_adds)
        hash.field(added);
    return hash.digest();
}

Digest ssh_fingerprint(const SshFingerprintInput& input) {
    Sha256 hash;
    hash.field(ssh_domain);
    hash.field(input.host);
    hash.field(std::to_string(input.port));
    hash.field(input.user);
    hash.field(input.request_type);
    hash.field(input.command);
    add_count(hash, input.env.size());
    for (const auto& [name, value] : input.env) {
        hash.field(name);
        hash.field(value);
    }
    hash.field(input.credential_id);
    hash.field(input.stdin_digest ? bytes_of(*input.stdin_digest) : std::string_view{});
    return hash.digest();
}

}  // namespace sworn
