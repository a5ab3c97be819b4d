// A path that a route lets in is under that route for every server: as written, decoded, without
// dot segments, and as a lenient server reads it. The readings here are written independently.
#include <algorithm>
#include <array>
#include <vector>

#include "proxy/contract/preflight.h"
#include "proxy/contract/target.h"
#include "tests/fuzz/fuzz_input.h"

namespace sworn::contract {
namespace {

config::Snapshot routes() {
    config::Snapshot snapshot;
    for (const char* const path : {"/v1/a/", "/v1/", "/admin", "/"}) {
        config::Route route;
        route.id = path;
        route.host = "a.test";
        route.path = path;
        snapshot.routes.push_back(route);
    }
    return snapshot;
}

int digit_of(char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c;
    const auto at = digits.find(lower);
    return at == digits.npos ? -1 : static_cast<int>(at);
}

std::string decoded_once(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '%' && i + 2 < text.size() && digit_of(text[i + 1]) >= 0 &&
                            digit_of(text[i + 2]) >= 0;
        out += escape ? static_cast<char>(digit_of(text[i + 1]) * 16 + digit_of(text[i + 2]))
                      : text[i];
        if (escape) i += 2;
    }
    return out;
}

/// "/a/./b/../c" as "/a/c", by a stack of segments.
std::string without_dots(const std::string& path) {
    std::vector<std::string> kept;
    bool slash_after = false;
    for (std::size_t at = 0; at < path.size();) {
        const auto end = std::min(path.find('/', at + 1), path.size());
        const auto segment = path.substr(at + 1, end - at - 1);
        slash_after = segment == "." || segment == "..";
        if (!slash_after) kept.push_back(segment);
        if (segment == ".." && !kept.empty()) kept.pop_back();
        at = end;
    }
    std::string out;
    for (const auto& segment : kept)
        out += "/" + segment;
    return slash_after ? out + "/" : out;
}

std::string leniently(const std::string& path) {
    std::string out;
    bool parameter = false;
    for (char c : path) {
        if (c == '\\') c = '/';
        if (c == '/' || c == ';') parameter = c == ';';
        if (!parameter && !(c == '/' && out.ends_with('/'))) out += c;
    }
    return without_dots(out);
}

/// The route of a path that is read as it stands.
std::string plain_route(const config::Snapshot& snapshot, const std::string& path) {
    for (const auto& route : snapshot.routes) {
        if (path.starts_with(route.path)) return route.id;
    }
    return "";
}

void check(const config::Snapshot& snapshot, std::string_view text) {
    const auto path = parse_origin_form(text);
    if (!path) return;
    HttpAction action;
    action.method = "GET";
    action.target.host = "a.test";
    action.target.path = *path;
    const auto route = select_route(action, snapshot);
    if (!route) {
        return SWORN_ASSERT(route.error().code == Code::invalid_target ||
                            route.error().code == Code::target_not_allowed);
    }
    auto reading = path->substr(0, path->find('?'));
    SWORN_ASSERT(static_cast<bool>(check_path(reading, (*route)->path)));
    for (;;) {
        SWORN_ASSERT(plain_route(snapshot, reading) == (*route)->id);
        SWORN_ASSERT(plain_route(snapshot, without_dots(reading)) == (*route)->id);
        SWORN_ASSERT(plain_route(snapshot, leniently(reading)) == (*route)->id);
        const auto next = decoded_once(reading);
        if (next == reading) return;
        reading = next;
    }
}

}  // namespace
}  // namespace sworn::contract

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto snapshot = sworn::contract::routes();
    sworn::contract::check(snapshot, sworn::fuzz::text_of(data, size));
    return 0;
}
