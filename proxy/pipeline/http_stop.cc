// How a run ends without a committed result: refused before dispatch, or broken after it.
#include <utility>

#include "common/fingerprint.h"
#include "journal/verdict.h"
#include "proxy/http/request_action.h"
#include "proxy/pipeline/evidence.h"
#include "proxy/pipeline/http_run.h"

namespace sworn::pipeline {

namespace {

/// What is known of an action that no route was bound to.
journal::ActionAccepted unbound_action(const contract::HttpAction& action) {
    FingerprintInput input;
    input.method = action.method;
    input.scheme = action.target.scheme;
    input.host = action.target.host;
    input.port = action.target.port;
    input.path_and_query = action.target.path;
    input.headers = action.fields;
    input.body = action.body_digest;
    return contract::accepted_of(action, fingerprint(input));
}

/// Cancelled and interrupted actions stop where their record stops; every other code has a phase.
Phase phase_of_stop(const Error& error, const journal::Record& record) {
    if (error.code != Code::caller_cancelled && error.code != Code::broker_interrupted) {
        return code_info(error.code).phase;
    }
    if (record.generations.empty()) return Phase::validation;
    return journal::phase_of(journal::last_boundary(record.generations.back()));
}

/// The way out of a refused repeat, with the commands as they are typed.
std::string duplicate_message(const InvocationId& first, std::optional<WallTime> until) {
    const auto id = first.text();
    std::string text = "An identical request of this caller, " + id +
                       ", is unresolved, so this one was not sent. Look at it: sworn show " + id +
                       " ; its result, if any: sworn result " + id +
                       " ; if it is certain that nothing was applied: sworn attest " + id +
                       " --not-applied --by WHO --reason TEXT";
    if (until) text += ". The guard ends at " + format_rfc3339(*until);
    return text + ".";
}

}  // namespace

ErrorForm HttpRun::error_form() const {
    return http::wants_plain_text(action_.fields) ? ErrorForm::text_line : ErrorForm::problem_json;
}

/// ACTION_ACCEPTED; from here on there is an invocation, which a joined or replayed answer is not.
void HttpRun::begin_record() {
    begun_ = true;
    services_.observer.inflight_changed(1);
    ledger_->note(bound_ ? bound_->accepted : unbound_action(action_));
}

/// Nothing of it was written: there is no such invocation, and a new one may begin.
void HttpRun::drop_record() {
    begun_ = false;
    services_.observer.inflight_changed(-1);
    ledger_.emplace(new_invocation_id(services_.clock.now()), services_.clock);
}

io::Task<void> HttpRun::refuse(Error error, std::optional<InvocationId> unresolved) {
    if (error.code == Code::journal_unavailable || !services_.journal.available()) {
        co_await refuse_unrecorded(error);
        co_return;
    }
    if (!ledger_->record().accepted) begin_record();
    const auto& info = code_info(error.code);
    journal::ActionRefused event;
    event.code = error.code;
    event.phase = phase_of_stop(error, ledger_->record());
    event.field = error.field.view();
    event.message =
        info.phase == Phase::connection_setup ? sentence_for(error.code) : error.why.view();
    event.caller = action_.caller;
    if (unresolved) {
        event.unresolved = unresolved;
        const auto first = co_await read_earlier(*unresolved);
        std::optional<WallTime> until;
        if (first) until = guard_state(first->record, services_.clock.now()).until;
        event.message = duplicate_message(*unresolved, until);
    }
    if (error.field.view() == "Via") proxy_error_ = ProxyError::proxy_loop_detected;
    event.status = static_cast<std::uint32_t>(
        error.status != 0 ? error.status : status_for(error.code, proxy_error_));
    ledger_->note(std::move(event));
    const auto projection = ledger_->projection();
    const auto type = proxy_error_ != ProxyError::none ? proxy_error_ : info.proxy_error;
    auto answer = error_answer(ledger_->record(), projection, type, voice_, error_form());
    auto last = ledger_->take(journal::Durability::buffered);
    last.last = true;
    services_.journal.append(std::move(last));
    ended();
    co_await side_.answer(std::move(answer));
}

io::Task<void> HttpRun::refuse_unrecorded(Error error) {
    const auto envelope = unrecorded_envelope(ledger_->id(), error);
    auto answer = error_answer(envelope, code_info(error.code).proxy_error, voice_, error_form());
    co_await side_.answer(std::move(answer));
}

io::Task<void> HttpRun::refused_append(journal::AppendOutcome outcome) {
    using journal::Refusal;
    switch (*outcome.refusal) {
        case Refusal::guard_armed:
            ledger_->refused(journal::Ledger::Keep::all_but_last);
            co_await refuse(
                Error{Code::unresolved_duplicate, "An earlier identical request is unresolved."},
                outcome.other);
            co_return;
        case Refusal::unavailable:
            if (outcome.may_be_on_disk) {
                co_await answer_interrupted();
            } else if (services_.journal.available()) {
                co_await refuse_unrecorded(
                    Error{Code::broker_overloaded, "The journal has more to write than it takes."});
            } else {
                co_await refuse_unrecorded(
                    Error{Code::journal_unavailable,
                          "The journal cannot be written, so nothing may be sent."});
            }
            co_return;
        case Refusal::lease_lost:
        case Refusal::settled:
        case Refusal::token_bound:
        case Refusal::illegal_transition:
            co_await refuse_unrecorded(
                Error{Code::lease_lost,
                      "Another generation of this action took its place; fetch "
                      "its result."});
            co_return;
    }
}

/// The append of DISPATCH_STARTED failed: nothing is handed over, but the event may be on disk.
io::Task<void> HttpRun::answer_interrupted() {
    auto envelope = unrecorded_envelope(
        ledger_->id(), Error{Code::broker_interrupted,
                             "The journal failed while this dispatch was being recorded; nothing "
                             "was handed over, but the record may say that it was."});
    envelope.retry = Retry::reconcile;
    envelope.evidence["dispatch_started"] = nullptr;
    envelope.evidence["handed_over"] = false;
    auto answer = error_answer(envelope, ProxyError::proxy_internal_error, voice_, error_form());
    add_stop_signs(answer.head.fields);
    co_await side_.answer(std::move(answer));
}

io::Task<void> HttpRun::break_off(contract::Judgement judgement) {
    journal::ExchangeBroken event;
    // The first cause wins, and the caller that left was before whatever ended the exchange.
    event.code = gone_noted_ ? Code::caller_cancelled
                             : judgement.code.value_or(Code::remote_outcome_unknown);
    event.proxy_error = judgement.proxy_error;
    event.how = judgement.how;
    event.hop = judgement.hop;
    if (exchange_) {
        const auto& markers = exchange_->observations().markers;
        event.handed_over = markers.handed_over;
        event.request_headers_sent = markers.request_headers_sent;
        event.request_body_sent = markers.request_body_sent;
        event.response_headers_received = markers.response_headers_received;
        event.response_complete = markers.response_complete;
    } else {
        event.handed_over = event.request_headers_sent = event.request_body_sent = false;
    }
    ledger_->note(std::move(event), Source::transport_observed);
    auto outcome = co_await append_and_wait(journal::Durability::durable);
    const auto projection = ledger_->projection();
    if (side_.begun()) {
        side_.cut();
    } else if (!outcome) {
        co_await answer_unsettled();
    } else {
        auto answer =
            error_answer(ledger_->record(), projection,
                         proxy_error_of(ledger_->record(), projection), voice_, error_form());
        co_await side_.answer(std::move(answer));
    }
    close_ledger(services_.journal, *ledger_);
    ended();
}

/// The exchange ended, but the journal could not say so durably: unknown, and not recorded.
io::Task<void> HttpRun::answer_unsettled() {
    auto envelope = envelope_of(ledger_->record(), ledger_->projection());
    envelope.code = Code::broker_interrupted;
    envelope.phase = Phase::remote_execution;
    envelope.outcome = Outcome::unknown;
    envelope.retry = Retry::reconcile;
    envelope.status = 502;
    envelope.message = "The journal failed while the end of this exchange was being recorded.";
    envelope.evidence["recorded"] = false;
    auto answer = error_answer(envelope, ProxyError::proxy_internal_error, voice_, error_form());
    add_stop_signs(answer.head.fields);
    co_await side_.answer(std::move(answer));
}

}  // namespace sworn::pipeline
