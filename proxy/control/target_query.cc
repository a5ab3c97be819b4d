// Targets of the control API: path and query, decoded. Every target is taken: an escape that is
// none stays as it is, and then matches nothing.
#include <algorithm>

#include "proxy/control/router.h"

namespace sworn::control {

namespace {

enum class Plus : std::uint8_t { is_plus, is_blank };

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::string decoded(std::string_view text, Plus plus) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
        const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
        if (low >= 0) {
            plain.push_back(static_cast<char>(high * 16 + low));
            i += 2;
        } else if (text[i] == '+' && plus == Plus::is_blank) {
            plain.push_back(' ');
        } else {
            plain.push_back(text[i]);
        }
    }
    return plain;
}

}  // namespace

void split_target(std::string_view target, Request& request) {
    const auto mark = target.find('?');
    request.path = decoded(target.substr(0, mark), Plus::is_plus);
    std::string_view rest = mark == std::string_view::npos ? "" : target.substr(mark + 1);
    while (!rest.empty()) {
        const auto pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        if (pair.empty()) continue;
        const auto equal = pair.find('=');
        const auto value = equal == std::string_view::npos ? "" : pair.substr(equal + 1);
        request.query[decoded(pair.substr(0, equal), Plus::is_blank)] =
            decoded(value, Plus::is_blank);
    }
}

}  // namespace sworn::control
