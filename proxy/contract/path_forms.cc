#include "proxy/contract/path_forms.h"

#include <algorithm>

namespace sworn::contract {
namespace {

int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// The byte that the escape at `at` stands for, or -1.
int escape_at(std::string_view text, std::size_t at) noexcept {
    if (text[at] != '%' || at + 2 >= text.size()) return -1;
    const int high = hex_value(text[at + 1]);
    const int low = hex_value(text[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/// What a lenient server makes of a decoded path before it looks for dot segments.
std::string simplify(std::string_view path) {
    std::string text;
    bool in_parameter = false;
    for (const char raw : path) {
        const char c = raw == '\\' ? '/' : raw;
        if (c == '/') in_parameter = false;
        if (c == ';') in_parameter = true;
        if (in_parameter) continue;
        if (c == '/' && text.ends_with('/')) continue;
        text += c;
    }
    return text;
}

/// Nothing in it that any server reads otherwise than as written.
bool is_plain(std::string_view path) noexcept {
    return path.find_first_of("%\\;") == std::string_view::npos &&
           path.find("//") == std::string_view::npos && path.find("/.") == std::string_view::npos;
}

}  // namespace

std::string percent_decode(std::string_view text) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int byte = escape_at(text, i);
        decoded += byte < 0 ? text[i] : static_cast<char>(byte);
        if (byte >= 0) i += 2;
    }
    return decoded;
}

bool has_broken_escape(std::string_view text) noexcept {
    for (auto at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
        if (escape_at(text, at) < 0) return true;
    }
    return false;
}

std::string remove_dot_segments(std::string_view path) {
    std::string out;
    while (!path.empty()) {
        // One segment with its leading slash.
        const auto end = std::min(path.find('/', 1), path.size());
        const auto segment = path.substr(0, end);
        const bool last = end == path.size();
        path.remove_prefix(end);
        if (segment == "/." || segment == "/..") {
            if (segment == "/..") out.erase(out.empty() ? 0 : out.rfind('/'));
            if (last) out += '/';
        } else {
            out += segment;
        }
    }
    return out;
}

std::string in_form(std::string_view path, PathForm form) {
    std::string text{path};
    for (unsigned round = 0; round < form.decodes; ++round)
        text = percent_decode(text);
    switch (form.shape) {
        case PathForm::Shape::plain:
            return text;
        case PathForm::Shape::dot_free:
            return remove_dot_segments(text);
        case PathForm::Shape::lenient:
            return remove_dot_segments(simplify(text));
    }
    return text;
}

std::vector<PathForm> forms_of(std::string_view path) {
    if (is_plain(path)) return {PathForm{}};
    std::vector<PathForm> forms;
    std::string text{path};
    for (unsigned decodes = 0; decodes <= decode_rounds_max; ++decodes) {
        forms.push_back({decodes, PathForm::Shape::plain});
        forms.push_back({decodes, PathForm::Shape::dot_free});
        forms.push_back({decodes, PathForm::Shape::lenient});
        auto next = percent_decode(text);
        if (next == text) return forms;
        text = std::move(next);
    }
    return {};
}

bool lies_under(std::string_view path, std::string_view prefix, PathForm form) {
    if (form.decodes == 0 && form.shape == PathForm::Shape::plain) return path.starts_with(prefix);
    return in_form(path, form).starts_with(in_form(prefix, form));
}

}  // namespace sworn::contract
