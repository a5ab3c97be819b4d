#include "proxy/cli/render.h"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <optional>

#include "common/ids.h"
#include "proxy/cli/text.h"

namespace sworn::cli {

namespace json = boost::json;

std::string text_at(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    if (value == nullptr || value->is_null()) return {};
    if (value->is_string()) return shown(value->as_string());
    return shown(json::serialize(*value));
}

json::object object_at(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    return value != nullptr && value->is_object() ? value->as_object() : json::object{};
}

bool is_running(const json::object& record) {
    return text_at(object_at(record, "state"), "running") == "true";
}

std::string outcome_word(const json::object& record) {
    return text_at(object_at(record, "state"), "outcome") +
           (is_running(record) ? " (running)" : "");
}

std::string request_line(const json::object& record) {
    const auto request = object_at(record, "request");
    const auto method = text_at(request, "method");
    auto target = text_at(request, "target");
    if (target.empty()) target = text_at(request, "host") + text_at(request, "path");
    if (method.empty()) return target.empty() ? "-" : target;
    return method + " " + target;
}

namespace {

std::string_view colour_of(std::string_view outcome) {
    if (outcome == "committed") return "\033[32m";
    if (outcome == "unknown") return "\033[31m";
    if (outcome == "rejected") return "\033[33m";
    return "\033[2m";
}

}  // namespace

std::string painted(const std::string& text, std::string_view outcome, Colour colour) {
    if (colour == Colour::off) return text;
    return std::string{colour_of(outcome)} + text + "\033[0m";
}

namespace {

constexpr std::size_t request_columns_max = 60;
constexpr std::size_t columns = 8;
constexpr std::size_t outcome_column = 2;
using Line = std::array<std::string, columns>;

std::string or_dash(std::string text) {
    return text.empty() ? "-" : text;
}

/// When it was accepted; else (it was refused as it came) when its id was made.
std::optional<WallTime> began(const json::object& record) {
    if (const auto at = parse_rfc3339(text_at(record, "accepted_at"))) return at;
    const auto id = parse_invocation_id(text_at(record, "invocation_id"));
    return id ? std::optional{id->time()} : std::nullopt;
}

std::string age(const json::object& record, WallTime now) {
    const auto at = began(record);
    if (!at) return "-";
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - *at).count();
    if (seconds < 120) return std::to_string(std::max<long>(seconds, 0)) + "s";
    if (seconds < 7200) return std::to_string(seconds / 60) + "m";
    if (seconds < 172800) return std::to_string(seconds / 3600) + "h";
    return std::to_string(seconds / 86400) + "d";
}

Line line_of(const json::object& record, WallTime now) {
    const auto state = object_at(record, "state");
    return {text_at(record, "invocation_id"),
            age(record, now),
            outcome_word(record),
            text_at(state, "phase"),
            text_at(state, "retry"),
            or_dash(text_at(state, "code")),
            or_dash(text_at(record, "route")),
            cut(request_line(record), request_columns_max)};
}

std::string join(const Line& line, const std::array<std::size_t, columns>& widths, Colour colour) {
    std::string out;
    for (std::size_t i = 0; i < columns; ++i) {
        const auto& cell = line[i];
        // The last column stays as long as it is: blanks at the end would wrap.
        const auto aligned = i + 1 < columns ? padded(cell, widths[i] + 2) : cell;
        out += i == outcome_column ? painted(aligned, cell.substr(0, cell.find(' ')), colour)
                                   : aligned;
    }
    return out + "\n";
}

}  // namespace

std::string render_table(const std::vector<json::object>& records, WallTime now, Colour colour) {
    const Line heading{"INVOCATION", "AGE",  "OUTCOME", "PHASE",
                       "RETRY",      "CODE", "ROUTE",   "REQUEST"};
    std::vector<Line> lines;
    std::array<std::size_t, columns> widths{};
    const auto widen = [&](const Line& line) {
        for (std::size_t i = 0; i < columns; ++i)
            widths[i] = std::max(widths[i], width(line[i]));
    };
    widen(heading);
    for (const auto& record : records) {
        lines.push_back(line_of(record, now));
        widen(lines.back());
    }
    std::string out = join(heading, widths, Colour::off);
    for (const auto& line : lines)
        out += join(line, widths, colour);
    return out;
}

}  // namespace sworn::cli
