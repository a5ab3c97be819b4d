// Acting on a record: acknowledging a result, attesting what happened, asking for a retry. Each is
// one durable event; the record that it gives is the answer.
#include "common/json.h"
#include "journal/ledger.h"
#include "proxy/contract/decide.h"
#include "proxy/control/handlers.h"
#include "proxy/pipeline/append.h"
#include "proxy/pipeline/evidence.h"

namespace sworn::control {

namespace json = boost::json;

namespace {

Response show(Services& services, const Request& request) {
    return show_invocation(services, request);
}

/// Appends one event to a stored record; a conflict where its state does not take it.
std::optional<Response> append_event(Services& services, const journal::Record& record,
                                     journal::EventBody event, std::string_view conflict) {
    journal::Ledger ledger{record.id, services.clock, record};
    if (!ledger.add(std::move(event), Source::operator_attested)) {
        return problem(ControlProblem::conflict, conflict);
    }
    auto append = ledger.take(journal::Durability::durable);
    append.last = true;
    const auto outcome = pipeline::append_and_wait(services.journal, std::move(append));
    if (outcome) return std::nullopt;
    if (outcome.refusal == journal::Refusal::unavailable) {
        return problem(ControlProblem::conflict, "The journal cannot be written.");
    }
    return problem(ControlProblem::conflict, "The record moved on meanwhile; look at it again.");
}

std::string text_member(const json::object& body, std::string_view name) {
    const auto* value = body.if_contains(name);
    return value != nullptr && value->is_string() ? std::string{value->as_string()} : std::string{};
}

}  // namespace

Response acknowledge(Services& services, const Request& request) {
    const auto stored = read_visible(services, request);
    if (!stored) return problem(ControlProblem::not_found, "No invocation has that id.");
    const auto& record = stored->record;
    if (record.delivery == journal::Delivery::delivered) return show(services, request);
    auto refused = append_event(services, record, journal::ResultDelivered{"ack"},
                                "There is no committed result to acknowledge.");
    if (refused) return std::move(*refused);
    return show(services, request);
}

Response reconcile(Services& services, const Request& request) {
    const auto stored = read_visible(services, request);
    if (!stored) return problem(ControlProblem::not_found, "No invocation has that id.");
    if (request.body.empty()) {
        return problem(ControlProblem::conflict,
                       "The record's route has no reconcile query that can be run; send a finding "
                       "with by and reason.");
    }
    const auto parsed = parse_json(request.body);
    if (!parsed || !parsed->is_object()) {
        return problem(ControlProblem::bad_request, "The body is not a JSON object.");
    }
    const auto& body = parsed->as_object();
    const auto finding = parse<Finding>(text_member(body, "finding"));
    if (!finding) {
        return problem(ControlProblem::bad_request,
                       "finding is one of applied, not_applied, inconclusive.");
    }
    const auto source = text_member(body, "source");
    if (!source.empty() && source != "operator_attested") {
        return problem(ControlProblem::bad_request, "source is operator_attested.");
    }
    journal::Attested event;
    event.finding = *finding;
    event.by = printable(text_member(body, "by"), 128);
    event.reason = printable(text_member(body, "reason"), 1024);
    event.identity = request.identity;
    if (event.by.empty()) return problem(ControlProblem::bad_request, "by says who attests.");
    if (event.reason.empty()) {
        return problem(ControlProblem::bad_request, "reason says how that is known.");
    }
    auto refused = append_event(
        services, stored->record, std::move(event),
        "This record takes no finding: it still runs, was never sent, or is settled without a "
        "question.");
    if (refused) return std::move(*refused);
    return show(services, request);
}

/// What decide() says. Sending again from here needs the stored request, which only routes with
/// automatic retries or approvals keep.
Response retry(Services& services, const Request& request) {
    const auto stored = read_visible(services, request);
    if (!stored) return problem(ControlProblem::not_found, "No invocation has that id.");
    const auto now = services.clock.now();
    const auto verdict = contract::decide(stored->record, now);
    if (verdict.decision == contract::Decision::new_generation) {
        return problem(ControlProblem::conflict,
                       "This may be sent again, but its request was not stored: send the same "
                       "request with its Sworn-Token.");
    }
    auto envelope = pipeline::envelope_of(stored->record, project(stored->record, now));
    envelope.evidence["decision"] = contract::to_string(verdict.decision);
    envelope.evidence["decision_reason"] = verdict.why;
    if (verdict.not_before) envelope.evidence["not_before"] = format_rfc3339(*verdict.not_before);
    return envelope_response(envelope, 409);
}

}  // namespace sworn::control
