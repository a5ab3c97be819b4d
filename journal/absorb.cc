#include "journal/absorb.h"

#include <algorithm>

#include "journal/verdict.h"

namespace sworn::journal {
namespace {

/// What an effect may need beside the event's own fields.
struct Context {
    Record& record;
    Generation& target;
    const Event& event;
    Step before;  ///< The target's step until now.
};

void end(const Context& at, std::optional<Code> code, Phase phase) {
    at.target.code = code;
    at.target.phase = phase;
    at.target.ended_at = at.event.at;
}

bool caller_left(const Context& at) {
    return at.record.cancelled && at.record.cancelled_generation == at.target.number;
}

// A code's own phase where it stands before dispatch; else the last boundary's (section 1).
Phase phase_of_refusal(Code code, Step boundary) {
    const Phase home = code_info(code).phase;
    const bool fixed = home == Phase::validation || home == Phase::credential_injection ||
                       home == Phase::connection_setup;
    return fixed ? home : phase_of(boundary);
}

// The last stage that a connection under this peer rule passes.
Stage last_stage(const Record& record) {
    if (!record.validated) return Stage::tcp_connect;
    const std::string_view rule = record.validated->peer_rule;
    if (rule.starts_with("tls")) return Stage::tls_handshake;
    if (rule.starts_with("ssh")) return Stage::ssh_channel;
    return Stage::tcp_connect;
}

Attempt& attempt_of(const Context& at, std::uint32_t n) {
    auto& attempts = at.record.attempts;
    const auto found = std::ranges::find(attempts, n, &Attempt::n);
    if (found != attempts.end()) return *found;
    attempts.push_back({.n = n, .generation = at.target.number});
    return attempts.back();
}

void mark_dispatched(Attempt& attempt) {
    attempt.dispatched = true;
    attempt.outcome = Outcome::unknown;
}

void settle_attempts(const Context& at) {
    for (Attempt& attempt : at.record.attempts) {
        if (attempt.dispatched && !attempt.code && attempt.generation == at.target.number) {
            attempt.outcome = at.target.outcome;
        }
    }
}

// A settling response after a finding settled the same: the finding stays, the contradiction shows.
void note_contradiction(const Context& at) {
    const Verdict verdict = judge(at.record);
    if (!verdict.settled_by || verdict.outcome == at.target.outcome) return;
    at.record.conflicts.push_back({at.event.seq, "a late response contradicts the finding"});
}

void take_finding(const Context& at, Finding finding, Source source) {
    at.record.finding = finding;
    const Verdict verdict = judge(at.record);
    Generation& newest_dispatched = *std::ranges::find_if(
        at.record.generations.rbegin(), at.record.generations.rend(), was_dispatched);
    if (finding == Finding::inconclusive) return;
    if (verdict.settled_by || verdict.finding) {
        if (newest_dispatched.finding == finding || verdict.generation->finding == finding) return;
        at.record.conflicts.push_back({at.event.seq, "a later finding contradicts the first"});
        return;
    }
    newest_dispatched.finding = finding;
    if (verdict.outcome != Outcome::unknown) return;
    newest_dispatched.settled_by = source;
    at.record.settled_by = source;
}

void effect(const Context& at, const ActionAccepted& event) {
    at.record.accepted = event;
    at.record.accepted_at = at.event.at;
}

void effect(const Context& at, const ActionRefused& event) {
    at.record.refused = event;
    if (at.before == Step::denied) return;  // The first cause wins.
    end(at, event.code, phase_of_refusal(event.code, at.before));
}

void effect(const Context& at, const PreflightValidated& event) {
    at.record.validated = event;
}

void effect(const Context& at, const ApprovalRequested& event) {
    at.record.approval = event;
}

void effect(const Context& at, const ApprovalGranted&) {
    at.record.approval_granted = true;
}

void effect(const Context& at, const ApprovalDenied&) {
    end(at, Code::approval_denied, Phase::credential_injection);
}

void effect(const Context& at, const ApprovalExpired&) {
    end(at, Code::approval_expired, Phase::credential_injection);
}

void effect(const Context&, const CredentialAuthorized&) {}

void effect(const Context& at, const AttemptFailed& event) {
    Attempt& attempt = attempt_of(at, event.n);
    attempt.stage = event.stage;
    attempt.code = event.code;
    attempt.ends_with = event.ends_with;
    attempt.address = event.address;
    if (at.target.connection && at.target.connection->n == event.n) at.target.connection.reset();
}

void effect(const Context& at, const ConnectionReady& event) {
    at.target.connection = event;
    Attempt& attempt = attempt_of(at, event.n);
    attempt.stage = last_stage(at.record);
    attempt.address = event.address;
    if (at.before == Step::dispatched) mark_dispatched(attempt);
}

void effect(const Context& at, const DispatchStarted& event) {
    at.record.approval_granted = false;
    at.target.dispatched_at = at.event.at;
    at.target.dispatch_seq = at.event.seq;
    at.target.outcome = Outcome::unknown;
    at.target.phase = Phase::remote_execution;
    mark_dispatched(attempt_of(at, event.n));
}

void effect(const Context& at, const RequestSent& event) {
    Markers& markers = at.target.markers;
    markers.handed_over = true;
    if (event.headers) markers.request_headers_sent = true;
    if (event.body) markers.request_body_sent = true;
}

void effect(const Context& at, const InformationalResponse&) {
    at.target.markers.handed_over = true;
}

void effect(const Context& at, const RemoteResponseStarted& event) {
    at.target.response = event;
    at.target.status = event.status;
    at.target.markers.handed_over = true;
    at.target.markers.response_headers_received = true;
}

void effect(const Context& at, const ResultPart&) {
    ++at.target.parts;
}

void effect(const Context& at, const RemoteResponseComplete& event) {
    at.target.completion = event;
    at.target.markers.response_complete = true;
    if (event.status != 0) at.target.status = event.status;
    if (!event.settles || event.result_stored) return;
    // The result is lost, its outcome is not (section 7): this event settles alone.
    at.target.outcome = event.outcome;
    at.target.directive = Retry::reconcile;
    end(at, Code::result_store_failed, Phase::result_delivery);
    settle_attempts(at);
    note_contradiction(at);
}

void effect(const Context& at, const ExchangeBroken& event) {
    // Seen stays seen; what was not seen is false or null as the event says.
    const auto merge = [](std::optional<bool>& seen, std::optional<bool> told) {
        if (seen != true) seen = told;
    };
    Markers& markers = at.target.markers;
    merge(markers.handed_over, event.handed_over);
    merge(markers.request_headers_sent, event.request_headers_sent);
    merge(markers.request_body_sent, event.request_body_sent);
    merge(markers.response_headers_received, event.response_headers_received);
    merge(markers.response_complete, event.response_complete);
    at.target.proxy_error = event.proxy_error;
    end(at, caller_left(at) ? Code::caller_cancelled : event.code, Phase::remote_execution);
}

void effect(const Context& at, const CallerCancelled& event) {
    if (at.record.cancelled && caller_left(at)) return;
    at.record.cancelled = event;
    at.record.cancelled_generation = at.target.number;
}

void effect(const Context& at, const ResultCommitted& event) {
    Generation& target = at.target;
    target.result = event;
    target.outcome = event.outcome;
    target.directive = event.directive;
    target.retry_at = event.retry_at;
    if (event.status != 0) target.status = event.status;
    end(at, event.code, phase_of(Step::committed));
    settle_attempts(at);
    note_contradiction(at);
    // Delivery speaks of the newest result.
    at.record.delivery = Delivery::none;
    at.record.fetched = false;
    at.record.result_expired = false;
}

void effect(const Context& at, const ResultDelivered&) {
    at.record.delivery = Delivery::delivered;
    at.record.fetched = true;
}

void effect(const Context& at, const DeliveryFailed&) {
    // A later read that breaks does not undo a confirmed one.
    if (!at.record.fetched) at.record.delivery = Delivery::failed;
}

void effect(const Context& at, const RetryLeased& event) {
    at.record.lease_holder = event.holder;
    at.record.lease_deadline = event.deadline;
    at.record.caller_half_closed = false;
}

void effect(const Context& at, const Reconciled& event) {
    take_finding(at, event.finding, Source::remote_query);
}

void effect(const Context& at, const Attested& event) {
    take_finding(at, event.finding, Source::operator_attested);
}

void effect(const Context& at, const BrokerRecovered&) {
    at.record.recovered_at = at.event.at;
    if (at.before == Step::pending) return;
    if (at.before == Step::committed) {
        at.record.delivery = Delivery::unconfirmed;
        return;
    }
    at.target.interrupted_at = at.before;
    end(at, caller_left(at) ? Code::caller_cancelled : Code::broker_interrupted,
        phase_of(at.before));
}

void effect(const Context& at, const ResultExpired&) {
    at.record.result_expired = true;
}

// Late evidence moves the boundary of an interrupted generation; only an end replaces it.
void advance(Generation& target, Step step) {
    const bool was_interrupted = target.step == Step::interrupted;
    target.step = step;
    if (!was_interrupted || has_ended(target)) return;
    target.interrupted_at = step;
    target.step = Step::interrupted;
}

}  // namespace

void absorb(Record& record, const Event& event, Generation& target, Step step) {
    const Context at{record, target, event, last_boundary(target)};
    std::visit([&](const auto& body) { effect(at, body); }, event.body);
    if (type_of(event.body) == EventType::retry_leased) {
        record.generations.push_back({.number = event.generation, .step = step});
    } else {
        advance(target, step);
    }
    record.running = !record.corrupt && !has_ended(record.generations.back());
    record.last_at = std::max(record.last_at.value_or(event.at), event.at);
    if (event.seq != 0) record.last_seq = event.seq;
    record.next_ordinal = event.ordinal + 1;
}

}  // namespace sworn::journal
