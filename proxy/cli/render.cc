#include "proxy/cli/render.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace sworn::cli {

namespace json = boost::json;

namespace {

std::string text_at(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    if (value == nullptr || value->is_null()) return {};
    if (value->is_string()) return std::string{value->as_string()};
    return json::serialize(*value);
}

json::object object_at(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    return value != nullptr && value->is_object() ? value->as_object() : json::object{};
}

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }

std::string request_line(const json::object& record) {
    const auto request = object_at(record, "request");
    if (const auto target = text_at(request, "target"); !target.empty()) {
        return text_at(request, "method") + " " + target;
    }
    if (request.empty()) return "-";
    return text_at(request, "method") + " " + text_at(request, "host") + text_at(request, "path");
}

std::string age(const json::object& record, WallTime now) {
    const auto at = parse_rfc3339(text_at(record, "accepted_at"));
    if (!at) return "-";
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - *at).count();
    if (seconds < 120) return std::to_string(std::max<long>(seconds, 0)) + "s";
    if (seconds < 7200) return std::to_string(seconds / 60) + "m";
    if (seconds < 172800) return std::to_string(seconds / 3600) + "h";
    return std::to_string(seconds / 86400) + "d";
}

std::string_view colour_of(std::string_view outcome) {
    if (outcome == "committed") return "\033[32m";
    if (outcome == "unknown") return "\033[31m";
    if (outcome == "rejected") return "\033[33m";
    return "\033[2m";
}

std::string painted(std::string text, std::string_view outcome, Colour colour) {
    if (colour == Colour::off) return text;
    return std::string{colour_of(outcome)} + text + "\033[0m";
}

constexpr std::size_t columns = 8;
using Line = std::array<std::string, columns>;

std::string cut(std::string text, std::size_t max) {
    return text.size() <= max ? text : text.substr(0, max - 1) + "…";
}

std::string outcome_word(const json::object& state) {
    const auto* running = state.if_contains("running");
    const bool runs = running != nullptr && running->is_bool() && running->as_bool();
    return text_at(state, "outcome") + (runs ? " (running)" : "");
}

}  // namespace

std::string render_table(const std::vector<json::object>& records, WallTime now, Colour colour) {
    std::vector<Line> lines{{"INVOCATION", "AGE", "OUTCOME", "PHASE", "RETRY", "CODE", "ROUTE",
                             "REQUEST"}};
    for (const auto& record : records) {
        const auto state = object_at(record, "state");
        lines.push_back({text_at(record, "invocation_id"), age(record, now), outcome_word(state),
                         text_at(state, "phase"), text_at(state, "retry"),
                         or_dash(text_at(state, "code")), or_dash(text_at(record, "route")),
                         cut(request_line(record), 60)});
    }
    std::array<std::size_t, columns> widths{};
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], line[i].size());
    }
    std::string out;
    for (std::size_t row = 0; row < lines.size(); ++row) {
        for (std::size_t i = 0; i < columns; ++i) {
            const auto& cell = lines[row][i];
            const bool paint = row > 0 && i == 2;
            out += paint ? painted(cell, cell.substr(0, cell.find(' ')), colour) : cell;
            if (i + 1 < columns) out.append(widths[i] - cell.size() + 2, ' ');
        }
        out += '\n';
    }
    return out;
}

std::string next_step(const json::object& record) {
    const auto state = object_at(record, "state");
    const auto id = text_at(record, "invocation_id");
    const auto retry = text_at(state, "retry");
    if (retry == "fetch_result") return "Fetch the result (a read): sworn result " + id;
    if (retry == "backoff") return "It may be sent again, later; the same request is safe to repeat.";
    if (retry == "same_idempotency_key") {
        return "It may be sent again with the same idempotency key, and with no other.";
    }
    if (retry == "after_correction") return "Correct what the code names, then send a new request.";
    if (retry == "reconcile") {
        return "Find out at the remote what happened, then say so: sworn attest " + id +
               " --applied|--not-applied --by WHO --reason TEXT";
    }
    return "Nothing: it is settled, and repeating it would be another operation.";
}

namespace {

void append_attempts(const json::object& record, std::string& out) {
    const auto* attempts = record.if_contains("attempts");
    if (attempts == nullptr || !attempts->is_array() || attempts->as_array().empty()) return;
    out += "\nattempts\n";
    for (const auto& value : attempts->as_array()) {
        const auto& attempt = value.as_object();
        out += "  " + text_at(attempt, "n") + "  " + text_at(attempt, "stage") + "  " +
               or_dash(text_at(attempt, "address")) + "  " + or_dash(text_at(attempt, "code")) +
               "\n";
    }
}

/// What an event says beyond its name, time and number.
std::string details(json::object event) {
    for (const char* shown : {"seq", "type", "at", "generation", "source"}) event.erase(shown);
    std::string out;
    for (const auto& member : event) {
        std::string value = text_at(event, member.key());
        if (value.starts_with("sha256:")) value = value.substr(0, 19) + "…";
        out.append("  ").append(member.key()).append("=").append(value);
    }
    return cut(out, 160);
}

void append_events(const json::object& record, std::string& out) {
    const auto* events = record.if_contains("events");
    if (events == nullptr || !events->is_array()) return;
    out += "\nevents\n";
    for (const auto& value : events->as_array()) {
        const auto& event = value.as_object();
        const auto at = text_at(event, "at");
        std::string type = event.contains("unreadable") ? "(unreadable)" : text_at(event, "type");
        type.resize(std::max<std::size_t>(type.size(), 24), ' ');
        out += "  " + text_at(event, "seq") + "  " + (at.size() > 23 ? at.substr(11, 12) : at) +
               "  " + type + details(event) + "\n";
    }
}

}  // namespace

std::string render_record(const json::object& record, Colour colour) {
    const auto state = object_at(record, "state");
    const auto outcome = text_at(state, "outcome");
    std::string out = text_at(record, "invocation_id") + "  " +
                      painted(outcome_word(state), outcome, colour) + "\n\n";
    const auto row = [&](std::string_view name, std::string value) {
        if (value.empty()) return;
        std::string label{name};
        label.resize(14, ' ');
        out += "  " + label + value + "\n";
    };
    row("request", request_line(record));
    row("route", text_at(record, "route"));
    row("caller", text_at(record, "caller"));
    row("accepted", text_at(record, "accepted_at"));
    row("phase", text_at(state, "phase"));
    row("outcome", outcome);
    row("retry", text_at(state, "retry"));
    row("code", text_at(state, "code"));
    row("settled by", text_at(state, "settled_by"));
    row("http status", text_at(record, "http_status"));
    row("token", text_at(record, "token"));
    row("previous", text_at(record, "previous"));
    row("message", text_at(record, "message"));
    row("what next", next_step(record));
    append_attempts(record, out);
    append_events(record, out);
    return out;
}

}  // namespace sworn::cli
