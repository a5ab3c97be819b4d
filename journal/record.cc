// apply(): first every reason to refuse an event, then its effect. The table (transitions.h)
// decides on the step; what depends on more than the step is one condition per event below.
#include "journal/record.h"

#include "journal/absorb.h"
#include "journal/verdict.h"

namespace sworn::journal {
namespace {

using Refused = std::optional<IllegalTransition>;

Refused unless(bool allowed) {
    return allowed ? Refused{} : Refused{IllegalTransition::not_allowed};
}

// The ticket proves one hand-over; while none was seen another connection may take it.
bool ticket_unused(const Generation& generation) {
    return !was_dispatched(generation) || generation.markers.handed_over != true;
}

// Extra conditions. The step itself was checked before.
Refused check(const Record&, const Generation&, const Event&, const auto&) {
    return {};
}

Refused check(const Record& record, const Generation& generation, const Event&,
              const CredentialAuthorized&) {
    const bool asked = record.validated && record.validated->approval_required;
    return unless(!asked || generation.step == Step::granted || record.approval_granted);
}

Refused check(const Record&, const Generation& generation, const Event&, const AttemptFailed&) {
    return unless(ticket_unused(generation));
}

Refused check(const Record&, const Generation& generation, const Event&, const ConnectionReady&) {
    return unless(ticket_unused(generation));
}

Refused check(const Record&, const Generation& generation, const Event&,
              const ResultCommitted& event) {
    const bool settles = event.outcome == Outcome::committed || event.outcome == Outcome::rejected;
    const auto& completion = generation.completion;
    return unless(settles && completion && completion->settles && completion->result_stored);
}

// Where the result is lost this event settles alone, so it must hold what ResultCommitted would.
Refused check(const Record&, const Generation&, const Event&, const RemoteResponseComplete& event) {
    const bool settles_alone = event.settles && !event.result_stored;
    const bool settling = event.outcome == Outcome::committed || event.outcome == Outcome::rejected;
    return unless(!settles_alone || settling);
}

// What is proven complete cannot have broken.
Refused check(const Record&, const Generation& generation, const Event&, const ExchangeBroken&) {
    const auto& completion = generation.completion;
    return unless(!completion || !completion->settles);
}

Refused check(const Record& record, const Generation&, const Event&, const ResultExpired&) {
    return unless(!record.result_expired);
}

Refused check(const Record& record, const Generation& generation, const Event&,
              const BrokerRecovered&) {
    if (generation.step != Step::committed) return unless(!has_ended(generation));
    return unless(record.delivery == Delivery::none);
}

Refused check(const Record& record, const Generation&, const Event&, const CallerCancelled&) {
    const Outcome outcome = judge(record).outcome;
    return unless(record.running || outcome == Outcome::unknown);
}

// Directives that let a further generation start. Before dispatch a corrected cause does too.
bool allows_retry(const Projection& state) {
    switch (state.retry) {
        case Retry::backoff:
        case Retry::same_idempotency_key:
            return true;
        case Retry::after_correction:
        case Retry::reconcile:
            return state.outcome == Outcome::not_attempted;
        case Retry::never:
        case Retry::fetch_result:
            return false;
    }
    return false;
}

bool lease_is_held(const Record& record, WallTime at) {
    return record.running && record.lease_deadline && at < *record.lease_deadline;
}

Refused check(const Record& record, const Generation& newest, const Event& event,
              const RetryLeased& lease) {
    if (record.corrupt || !record.validated || judge(record).closed()) return unless(false);
    if (record.running && was_dispatched(newest)) return unless(false);
    if (lease_is_held(record, event.at)) return unless(false);
    if (record.generations.size() >= record.validated->generations_max && lease.forced_by.empty()) {
        return unless(false);
    }
    // A worker that lost its lease before dispatch stopped where it stands.
    Record at_rest = record;
    at_rest.running = false;
    return unless(!lease.forced_by.empty() || allows_retry(project(at_rest, event.at)));
}

Refused check_finding(const Record& record, const Event& event) {
    const Verdict verdict = judge(record);
    if (record.running || verdict.outcome == Outcome::not_attempted) return unless(false);
    if (verdict.outcome == Outcome::unknown || verdict.settled_by || verdict.finding) return {};
    return unless(verdict.directive == Retry::reconcile ||
                  project(record, event.at).retry == Retry::reconcile);
}

Refused check(const Record& record, const Generation&, const Event& event, const Reconciled&) {
    return check_finding(record, event);
}

Refused check(const Record& record, const Generation&, const Event& event, const Attested&) {
    return check_finding(record, event);
}

// Evidence about an exchange that a restart cut off may still arrive.
bool is_late_evidence(EventType type) {
    switch (type) {
        case EventType::request_sent:
        case EventType::informational_response:
        case EventType::remote_response_started:
        case EventType::result_part:
        case EventType::remote_response_complete:
        case EventType::exchange_broken:
        case EventType::result_committed:
            return true;
        case EventType::action_accepted:
        case EventType::action_refused:
        case EventType::preflight_validated:
        case EventType::approval_requested:
        case EventType::approval_granted:
        case EventType::approval_denied:
        case EventType::approval_expired:
        case EventType::credential_authorized:
        case EventType::attempt_failed:
        case EventType::connection_ready:
        case EventType::dispatch_started:
        case EventType::caller_cancelled:
        case EventType::result_delivered:
        case EventType::delivery_failed:
        case EventType::retry_leased:
        case EventType::reconciled:
        case EventType::attested:
        case EventType::broker_recovered:
        case EventType::result_expired:
            return false;
    }
    return false;
}

std::optional<Step> step_after(const Generation& generation, EventType type) {
    const auto next = next_step(generation.step, type);
    if (next || generation.step != Step::interrupted || !is_late_evidence(type)) return next;
    return next_step(generation.interrupted_at, type);
}

// The fence: only the newest generation of an open invocation may dispatch.
Refused check_fence(const Record& record, const Event& event) {
    if (record.generations.empty()) return unless(false);
    if (event.generation < record.generations.back().number) {
        return IllegalTransition::stale_generation;
    }
    if (judge(record).closed()) return IllegalTransition::already_settled;
    return unless(!record.corrupt);
}

Refused refusal_of(const Record& record, const Event& event, const Generation& target) {
    const EventType type = type_of(event.body);
    if (type == EventType::dispatch_started) {
        if (const Refused fenced = check_fence(record, event)) return fenced;
    }
    if (!step_after(target, type)) return IllegalTransition::not_allowed;
    return std::visit([&](const auto& body) { return check(record, target, event, body); },
                      event.body);
}

// The generation that an event is about. Retries and restarts are about the newest one, delivery
// about the one that has a result, findings about the one that decides.
const Generation* target_of(const Record& record, const Event& event) {
    if (record.generations.empty()) return nullptr;
    const Generation& newest = record.generations.back();
    switch (type_of(event.body)) {
        case EventType::retry_leased:
            return event.generation == newest.number + 1 ? &newest : nullptr;
        case EventType::reconciled:
        case EventType::attested:
            return judge(record).generation;
        case EventType::result_delivered:
        case EventType::delivery_failed:
        case EventType::result_expired:
            return newest_committed(record);
        case EventType::broker_recovered:
            return &newest;
        case EventType::action_accepted:
        case EventType::action_refused:
        case EventType::preflight_validated:
        case EventType::approval_requested:
        case EventType::approval_granted:
        case EventType::approval_denied:
        case EventType::approval_expired:
        case EventType::credential_authorized:
        case EventType::attempt_failed:
        case EventType::connection_ready:
        case EventType::dispatch_started:
        case EventType::request_sent:
        case EventType::informational_response:
        case EventType::remote_response_started:
        case EventType::result_part:
        case EventType::remote_response_complete:
        case EventType::exchange_broken:
        case EventType::caller_cancelled:
        case EventType::result_committed:
            return find_generation(record, event.generation);
    }
    return nullptr;
}

}  // namespace

std::string_view to_string(IllegalTransition why) noexcept {
    switch (why) {
        case IllegalTransition::not_allowed:
            return "not_allowed";
        case IllegalTransition::stale_generation:
            return "stale_generation";
        case IllegalTransition::already_settled:
            return "already_settled";
        case IllegalTransition::missing_ordinal:
            return "missing_ordinal";
    }
    return "";
}

Result<Done, IllegalTransition> apply(Record& record, const Event& event) {
    if (event.ordinal != record.next_ordinal) return IllegalTransition::missing_ordinal;
    if (record.generations.empty()) {
        const Generation first;
        const auto step = next_step(Step::absent, type_of(event.body));
        if (!step || event.generation != first.number) return IllegalTransition::not_allowed;
        record.generations.push_back(first);
        absorb(record, event, record.generations.back(), *step);
        return Done{};
    }
    const Generation* target = target_of(record, event);
    if (target == nullptr) {
        return type_of(event.body) == EventType::dispatch_started &&
                       event.generation < record.generations.back().number
                   ? IllegalTransition::stale_generation
                   : IllegalTransition::not_allowed;
    }
    if (const Refused why = refusal_of(record, event, *target)) return *why;
    const auto index = static_cast<std::size_t>(target - record.generations.data());
    const Step step = *step_after(*target, type_of(event.body));
    absorb(record, event, record.generations[index], step);
    return Done{};
}

}  // namespace sworn::journal
