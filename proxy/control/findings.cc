// Acting on a record: acknowledging a result, attesting what happened, asking for a retry. What is
// allowed becomes one durable event; the record that it gives is the answer.
#include "common/json.h"
#include "journal/ledger.h"
#include "proxy/contract/decide.h"
#include "proxy/control/handlers.h"
#include "proxy/pipeline/append.h"
#include "proxy/pipeline/evidence.h"

namespace sworn::control {

namespace json = boost::json;

namespace {

constexpr std::size_t by_bytes_max = 128;
constexpr std::size_t reason_bytes_max = 1024;

enum class Appended : std::uint8_t { done, not_allowed, moved_on, unavailable };

/// Appends one event to a stored record. It is checked against what was read, then by the committer
/// against what the record is by then.
Appended append_event(Services& services, const journal::Record& record, journal::EventBody event,
                      std::optional<Source> source) {
    journal::Ledger ledger{record.id, services.clock, record};
    if (!ledger.add(std::move(event), source)) return Appended::not_allowed;
    auto append = ledger.take(journal::Durability::durable);
    const auto outcome = pipeline::append_and_wait(services.journal, std::move(append));
    if (outcome) return Appended::done;
    return outcome.refusal == journal::Refusal::unavailable ? Appended::unavailable
                                                            : Appended::moved_on;
}

Response not_appended(Appended why, std::string_view not_allowed) {
    switch (why) {
        case Appended::not_allowed:
            return problem(ControlProblem::conflict, not_allowed);
        case Appended::moved_on:
            return problem(
                ControlProblem::conflict,
                "The record moved on meanwhile and nothing was added; look at it again.");
        case Appended::unavailable:
            return problem(ControlProblem::conflict,
                           "The journal cannot be written; whether this is kept shows after a "
                           "restart.");
        case Appended::done:
            break;
    }
    SWORN_UNREACHABLE();
}

/// What is wrong with a body; it names the member.
struct Fault {
    std::string what;
};

/// A body that is an object, or none.
Result<json::object, Fault> parse_object(std::string_view body) {
    if (body.empty()) return json::object{};
    const auto parsed = parse_json(body);
    if (!parsed || !parsed->is_object()) {
        return Fault{"The body is not a JSON object."};
    }
    return parsed->as_object();
}

/// People read it in logs and terminals: no control characters, C1 ones included.
bool is_plain(std::string_view text) {
    char before = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) return false;
        if (before == '\xc2' && byte < 0xa0) return false;
        before = c;
    }
    return true;
}

/// A member that has to be there, as text that may be shown.
Result<std::string, Fault> required_text(const json::object& body, std::string_view name,
                                         std::size_t bytes_max) {
    const auto* value = body.if_contains(name);
    const std::string member{name};
    if (value == nullptr) return Fault{member + " is missing."};
    if (!value->is_string()) return Fault{member + " is not a string."};
    const std::string text{value->as_string()};
    if (text.empty()) return Fault{member + " is empty."};
    if (text.size() > bytes_max) {
        return Fault{member + " is longer than " + std::to_string(bytes_max) + " bytes."};
    }
    if (!is_plain(text)) return Fault{member + " has control characters."};
    return text;
}

struct Said {
    std::string by, reason;
};

/// Who says so and why: what an operator's word must come with.
Result<Said, Fault> parse_said(const json::object& body) {
    auto by = required_text(body, "by", by_bytes_max);
    if (!by) return by.error();
    auto reason = required_text(body, "reason", reason_bytes_max);
    if (!reason) return reason.error();
    return Said{std::move(*by), std::move(*reason)};
}

Result<journal::Attested, Fault> parse_finding(const json::object& body) {
    const auto word = required_text(body, "finding", reason_bytes_max);
    if (!word) return word.error();
    const auto finding = parse<Finding>(*word);
    if (!finding) return Fault{"finding is one of applied, not_applied, inconclusive."};
    const auto* source = body.if_contains("source");
    if (source != nullptr && *source != "operator_attested") {
        return Fault{"source is operator_attested; queries are run by the broker alone."};
    }
    auto said = parse_said(body);
    if (!said) return said.error();
    journal::Attested event;
    event.finding = *finding;
    event.by = std::move(said->by);
    event.reason = std::move(said->reason);
    return event;
}

/// Whether the body asks for what only a person may decide.
Result<bool, Fault> parse_forced(const json::object& body) {
    const auto* asked = body.if_contains("unsafe_repeat_despite_unknown");
    if (asked == nullptr) return false;
    if (!asked->is_bool()) {
        return Fault{"unsafe_repeat_despite_unknown is not true or false."};
    }
    if (!asked->as_bool()) return false;
    const auto said = parse_said(body);
    if (!said) return said.error();
    return true;
}

Response refused_retry(const journal::Record& record, const contract::Verdict& verdict,
                       WallTime now) {
    auto envelope = pipeline::envelope_of(record, project(record, now));
    envelope.evidence["decision"] = contract::to_string(verdict.decision);
    envelope.evidence["decision_reason"] = verdict.why;
    if (verdict.not_before) envelope.evidence["not_before"] = format_rfc3339(*verdict.not_before);
    return envelope_response(envelope, 409);
}

Response not_stored(const journal::Record& record) {
    const bool named = record.accepted && !record.accepted->token.empty();
    return problem(ControlProblem::conflict,
                   named ? "Its request was not stored: send the same request with its Sworn-Token."
                         : "Its request was not stored, and it had no Sworn-Token: send the same "
                           "request again.");
}

bool is_delivered(const journal::StoredRecord& stored) {
    return stored.record.delivery == journal::Delivery::delivered;
}

}  // namespace

Response acknowledge(Services& services, const Request& request) {
    const auto stored = read_visible(services, request);
    if (!stored) return no_such_invocation();
    if (is_delivered(*stored)) return show_invocation(services, request);
    const auto appended = append_event(services, stored->record, journal::ResultDelivered{"ack"},
                                       Source::transport_observed);
    if (appended == Appended::moved_on) {
        // Another acknowledgement, or the connection's own, may have come first.
        const auto again = read_visible(services, request);
        if (again && is_delivered(*again)) return show_invocation(services, request);
    }
    if (appended != Appended::done) {
        return not_appended(appended, "There is no committed result to acknowledge.");
    }
    return show_invocation(services, request);
}

Response reconcile(Services& services, const Request& request) {
    const auto stored = read_visible(services, request);
    if (!stored) return no_such_invocation();
    if (request.body.empty()) {
        return problem(ControlProblem::conflict,
                       "No query is run for its route; send a finding with by and reason.");
    }
    const auto body = parse_object(request.body);
    if (!body) return problem(ControlProblem::bad_request, body.error().what);
    auto event = parse_finding(*body);
    if (!event) return problem(ControlProblem::bad_request, event.error().what);
    if (stored->record.running) {
        return problem(ControlProblem::conflict,
                       "This invocation still runs; a finding is about one that ended.");
    }
    event->identity = request.identity;
    const auto appended =
        append_event(services, stored->record, std::move(*event), Source::operator_attested);
    if (appended != Appended::done) {
        return not_appended(appended,
                            "This record takes no finding: it was never sent, or nothing about it "
                            "is in question.");
    }
    return show_invocation(services, request);
}

/// What decide() says. To send from here takes the stored request, which only routes with automatic
/// retries or approvals keep.
Response retry(Services& services, const Request& request) {
    const auto stored = read_visible(services, request);
    if (!stored) return no_such_invocation();
    const auto body = parse_object(request.body);
    if (!body) return problem(ControlProblem::bad_request, body.error().what);
    const auto forced = parse_forced(*body);
    if (!forced) return problem(ControlProblem::bad_request, forced.error().what);
    const auto& record = stored->record;
    const auto now = services.clock.now();
    const auto verdict = contract::decide(record, now);
    using contract::Decision;
    if (verdict.decision == Decision::new_generation) return not_stored(record);
    if (*forced && verdict.decision == Decision::reconcile) {
        return problem(ControlProblem::conflict,
                       "Its request was not stored, so it cannot be repeated from here. Where the "
                       "route has forced_repeat: caller, its caller may send it again with "
                       "Sworn-Repeat-Despite-Unknown.");
    }
    return refused_retry(record, verdict, now);
}

}  // namespace sworn::control
