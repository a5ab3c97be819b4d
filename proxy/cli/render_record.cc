// One record as a page: what is known, what may be done next, how it came to that.
#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <optional>

#include "proxy/cli/render.h"
#include "proxy/cli/text.h"

namespace sworn::cli {

namespace json = boost::json;

namespace {

constexpr std::size_t label_columns = 14;
constexpr std::size_t event_columns = 24;
constexpr std::size_t details_columns_max = 160;

/// What an automatic end means for what the remote may have done.
std::string nothing_to_do(std::string_view outcome) {
    if (outcome == "unknown") {
        return "Nothing by itself: what the remote did is not known, and nothing may repeat it.";
    }
    if (outcome == "not_attempted") {
        return "Nothing: it was not sent, and it is not to be sent as it is.";
    }
    return "Nothing: it is settled, and repeating it would be another operation.";
}

std::string settle_by_hand(const std::string& id) {
    return "sworn attest " + id + " --applied|--not-applied --by WHO --reason TEXT";
}

std::string reconcile_step(const json::object& record, const std::string& id,
                           std::string_view outcome) {
    const auto unresolved = text_at(object_at(record, "evidence"), "unresolved");
    if (!unresolved.empty()) {
        return "It was not sent. Find out what happened to the first one (sworn show " +
               unresolved + "), then say so: " + settle_by_hand(unresolved);
    }
    const std::string_view why = outcome == "committed"
                                     ? "The answer does not tell what it did. Find out"
                                     : "Find out at the remote what happened";
    return std::string{why} + ", then say so: " + settle_by_hand(id);
}

}  // namespace

std::string next_step(const json::object& record) {
    const auto state = object_at(record, "state");
    const auto id = text_at(record, "invocation_id");
    const auto retry = text_at(state, "retry");
    const auto outcome = text_at(state, "outcome");
    if (is_running(record)) return "It still runs. Look again: sworn show " + id;
    if (retry == "fetch_result") return "Fetch the result (a read): sworn result " + id;
    if (retry == "backoff") {
        const auto at = text_at(object_at(record, "evidence"), "retry_at");
        return "The same request may be sent again, " +
               (at.empty() ? std::string{"later"} : "not before " + at) + ".";
    }
    if (retry == "same_idempotency_key") {
        return "It may be sent again with the same idempotency key, and with no other.";
    }
    if (retry == "after_correction") return "Correct what the code names, then send a new request.";
    if (retry == "reconcile") return reconcile_step(record, id, outcome);
    return nothing_to_do(outcome);
}

namespace {

void append_row(std::string& out, std::string_view name, const std::string& value) {
    if (value.empty()) return;
    out.append("  ").append(padded(std::string{name}, label_columns)).append(value).append("\n");
}

void append_evidence(const json::object& record, std::string& out) {
    const auto evidence = object_at(record, "evidence");
    const auto connection = object_at(evidence, "connection");
    append_row(out, "peer", text_at(object_at(connection, "peer"), "name"));
    append_row(out, "key", text_at(object_at(evidence, "idempotency"), "key"));
    append_row(out, "delivery", text_at(evidence, "delivery"));
    append_row(out, "result bytes", text_at(evidence, "result_bytes"));
    append_row(out, "unresolved", text_at(evidence, "unresolved"));
    append_row(out, "corrupt", text_at(evidence, "corrupt"));
}

void append_state(const json::object& record, std::string& out) {
    const auto state = object_at(record, "state");
    append_row(out, "request", request_line(record));
    append_row(out, "route", text_at(record, "route"));
    append_row(out, "caller", text_at(record, "caller"));
    append_row(out, "accepted", text_at(record, "accepted_at"));
    append_row(out, "phase", text_at(state, "phase"));
    append_row(out, "outcome", outcome_word(record));
    append_row(out, "retry", text_at(state, "retry"));
    append_row(out, "code", text_at(state, "code"));
    append_row(out, "settled by", text_at(state, "settled_by"));
    append_row(out, "http status", text_at(record, "http_status"));
    append_row(out, "token", text_at(record, "token"));
    append_row(out, "previous", text_at(record, "previous"));
    append_evidence(record, out);
    append_row(out, "message", text_at(record, "message"));
    append_row(out, "what next", next_step(record));
}

/// The objects of an array member, if it is one.
std::vector<json::object> objects_at(const json::object& record, std::string_view name) {
    std::vector<json::object> all;
    const auto* values = record.if_contains(name);
    if (values == nullptr || !values->is_array()) return all;
    for (const auto& value : values->as_array()) {
        if (value.is_object()) all.push_back(value.as_object());
    }
    return all;
}

/// A table of some members under their names; "-" for what is absent.
template <std::size_t count>
void append_table(std::string_view title, const std::vector<json::object>& rows,
                  const std::array<std::string_view, count>& members, std::string& out) {
    if (rows.empty()) return;
    std::vector<std::array<std::string, count>> lines(1);
    for (std::size_t i = 0; i < count; ++i)
        lines[0][i] = members[i];
    for (const auto& row : rows) {
        auto& line = lines.emplace_back();
        for (std::size_t i = 0; i < count; ++i) {
            auto cell = text_at(row, members[i]);
            line[i] = cell.empty() ? "-" : std::move(cell);
        }
    }
    out.append("\n").append(title).append("\n");
    for (const auto& line : lines) {
        out += "  ";
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t widest = 0;
            for (const auto& other : lines)
                widest = std::max(widest, width(other[i]));
            out += i + 1 < count ? padded(line[i], widest + 2) : line[i];
        }
        out += "\n";
    }
}

/// "+0.012s" after the first event; "+2d 3h" for what came much later.
std::string offset(WallTime from, WallTime at) {
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(at - from).count();
    const auto seconds = millis / 1000;
    if (millis < 0) return "earlier";
    if (seconds >= 86400) {
        return "+" + std::to_string(seconds / 86400) + "d " +
               std::to_string(seconds % 86400 / 3600) + "h";
    }
    if (seconds >= 3600) {
        return "+" + std::to_string(seconds / 3600) + "h " + std::to_string(seconds % 3600 / 60) +
               "m";
    }
    char text[32];
    std::snprintf(text, sizeof text, "+%lld.%03llds", static_cast<long long>(seconds),
                  static_cast<long long>(millis % 1000));
    return text;
}

/// Members of an event that its line has already, or that say nothing to people.
bool is_told(std::string_view member) {
    static constexpr std::string_view told[] = {"seq",        "type",   "at",
                                                "generation", "source", "unreadable"};
    return std::ranges::find(told, member) != std::end(told);
}

/// What an event says beyond its name, time and number, in the order in which it says it.
std::string details(const json::object& event) {
    std::string out;
    for (const auto& member : event) {
        if (is_told(member.key())) continue;
        std::string value = text_at(event, member.key());
        if (value.starts_with("sha256:")) value = cut(std::move(value), 20);
        out.append("  ").append(member.key()).append("=").append(value);
    }
    return cut(std::move(out), details_columns_max);
}

void append_events(const json::object& record, std::string& out) {
    const auto events = objects_at(record, "events");
    if (events.empty()) return;
    out += "\nevents\n";
    std::optional<WallTime> first;
    for (const auto& event : events) {
        const auto at = parse_rfc3339(text_at(event, "at"));
        if (!first) first = at;
        const bool readable = !event.contains("unreadable");
        std::string line =
            "  " + padded(text_at(event, "seq"), 6) + padded(at ? offset(*first, *at) : "-", 10) +
            padded(readable ? text_at(event, "type") : "(unreadable)", event_columns) +
            details(event);
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
}

}  // namespace

std::string render_record(const json::object& record, Colour colour) {
    const auto outcome = text_at(object_at(record, "state"), "outcome");
    std::string out = text_at(record, "invocation_id") + "  " +
                      painted(outcome_word(record), outcome, colour) + "\n\n";
    append_state(record, out);
    append_table<5>("attempts", objects_at(record, "attempts"),
                    {"n", "generation", "stage", "address", "code"}, out);
    if (const auto all = objects_at(record, "generations"); all.size() > 1) {
        append_table<4>("generations", all, {"generation", "outcome", "code", "received_status"},
                        out);
    }
    append_events(record, out);
    return out;
}

}  // namespace sworn::cli
