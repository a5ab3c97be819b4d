// What a request gets whose token, or whose own idempotency key, was seen before (contract section
// 6): the running one's answer, the stored result, another generation, or the recorded envelope.
#include <utility>

#include "proxy/contract/decide.h"
#include "proxy/pipeline/evidence.h"
#include "proxy/pipeline/http_run.h"
#include "proxy/pipeline/stored_result.h"

namespace sworn::pipeline {

using contract::Repeat;

namespace {

/// How often a request may find that another one with its token was a moment earlier.
constexpr int bind_tries = 3;

}  // namespace

bool HttpRun::names_a_first() const {
    const auto& bound = bound_->validated;
    return !action_.wishes.token.empty() ||
           (bound.key_origin == journal::KeyOrigin::caller && !bound.key.empty());
}

Error HttpRun::key_is_taken() const {
    return Error{Code::idempotency_mismatch,
                 "This token or key already stands for another request; nothing was sent. Use a "
                 "new one for a new request.",
                 action_.wishes.token.empty() ? "Idempotency-Key" : "Sworn-Token"};
}

io::Task<std::optional<journal::StoredRecord>> HttpRun::read_earlier(InvocationId id) {
    auto read = [&] { return services_.journal.read(id); };
    auto stored = co_await services_.workers.run(read);
    co_return stored;
}

io::Task<std::optional<journal::StoredRecord>> HttpRun::find_first() {
    const auto& bound = bound_->validated;
    auto look = [&]() -> std::optional<journal::StoredRecord> {
        if (!action_.wishes.token.empty()) {
            const auto found = services_.journal.find_token(action_.caller, action_.wishes.token);
            if (!found.empty()) return services_.journal.read(found.front().id);
        }
        if (bound.key_origin == journal::KeyOrigin::caller && !bound.key.empty()) {
            const auto found = services_.journal.find_key(bound.key_scope, bound.key);
            if (found) return services_.journal.read(found->id);
        }
        return std::nullopt;
    };
    auto stored = co_await services_.workers.run(look);
    co_return stored;
}

/// Whether what stopped `first` is still as it was bound then.
bool HttpRun::binding_unchanged(const journal::Record& first) const {
    // A credential that could not be used then and can be now is another one.
    const auto code = project(first, services_.clock.now()).code;
    if (code && code_info(*code).phase == Phase::credential_injection) return false;
    return same_binding(first);
}

/// Whether another generation of `first` would go out under the very same rules: a record is never
/// re-bound.
bool HttpRun::same_binding(const journal::Record& first) const {
    if (!first.validated) return false;
    const auto& then = *first.validated;
    const auto& now = bound_->validated;
    return then.route == now.route && then.route_digest == now.route_digest &&
           then.credential == now.credential && then.credential_version == now.credential_version;
}

io::Task<bool> HttpRun::answer_repeat(journal::StoredRecord first) {
    const auto& record = first.record;
    const bool others = record.accepted && record.accepted->caller != action_.caller;
    const auto state = project(record, services_.clock.now());
    if (!others && !state.running && state.outcome != Outcome::committed) {
        // It may go on, if the credential's version is still the bound one; whether it can be had
        // is asked again where that counts.
        static_cast<void>(co_await obtain_credential());
    }
    const auto verdict =
        others ? Repeat::mismatch
               : contract::repeat_of(record, bound_->accepted.fingerprint,
                                     binding_unchanged(record), services_.clock.now());
    switch (verdict) {
        case Repeat::join: {
            const Joiners::Wait waits{*services_.joiners, record.id};
            co_await wait_until_ended(services_.journal, record.id, pipeline_.waker());
            const auto ended_now = co_await read_earlier(record.id);
            if (ended_now) co_await give_recorded(*ended_now);
            co_return ended_now.has_value();
        }
        case Repeat::replay:
        case Repeat::recorded_envelope:
            co_await give_recorded(first);
            co_return true;
        case Repeat::new_generation:
            if (same_binding(record)) {
                if (continue_record(record, {}, {})) co_return false;
            } else if (state.outcome == Outcome::not_attempted && end_binding(record)) {
                bound_->accepted.previous = record.id;
                co_return false;
            }
            co_await give_recorded(first);
            co_return true;
        case Repeat::new_invocation:
            bound_->accepted.previous = record.id;
            co_return false;
        case Repeat::mismatch:
            co_await refuse(key_is_taken());
            co_return true;
    }
    SWORN_UNREACHABLE();
}

/// The token (or key) is this invocation's from here on, unless another request was a moment
/// earlier: then that one's record decides, as if it had been found at once. False: answered.
io::Task<bool> HttpRun::bind_token() {
    for (int left = bind_tries; left > 0; --left) {
        note_bound();
        auto outcome = co_await append_and_wait(journal::Durability::written);
        if (outcome) co_return true;
        if (outcome.refusal != journal::Refusal::token_bound) {
            co_await refused_append(std::move(outcome));
            co_return false;
        }
        drop_record();
        if (!outcome.other) {
            co_await refuse(key_is_taken());
            co_return false;
        }
        auto first = co_await read_earlier(*outcome.other);
        if (first && co_await answer_repeat(std::move(*first))) co_return false;
        // The next generation of the first; the token is its own already.
        if (ledger_->record().accepted) co_return true;
    }
    co_await refuse(Error{Code::lease_lost, "Other requests with this token came first."});
    co_return false;
}

/// The next generation of a recorded action, leased by this process.
Status HttpRun::continue_record(journal::Record record, std::string forced_by, std::string reason) {
    if (record.validated && record.validated->key_origin == journal::KeyOrigin::generated) {
        contract::KeySources keys;
        keys.now = services_.clock.now();
        keys.generated_before = record.validated->key;
        auto bound = contract::preflight(action_, bound_->snapshot,
                                         bound_->validated.credential_version, keys);
        if (!bound) return bound.error();
        bound_.emplace(std::move(*bound));
    }
    const auto id = record.id;
    ledger_.emplace(id, services_.clock, std::move(record));
    journal::RetryLeased lease;
    lease.holder = "broker";
    lease.deadline = services_.clock.now() + bound_->route->retry.lease;
    lease.forced_by = std::move(forced_by);
    lease.reason = std::move(reason);
    if (!ledger_->add(std::move(lease))) {
        ledger_.emplace(new_invocation_id(services_.clock.now()), services_.clock);
        return Error{Code::lease_lost, "Another generation of this action is under way."};
    }
    begun_ = true;
    services_.observer.inflight_changed(1);
    return Done{};
}

/// What `first` was bound to has changed, so it takes no further generation and its token may move.
bool HttpRun::end_binding(const journal::Record& first) {
    journal::Ledger ledger{first.id, services_.clock, first};
    journal::RetryLeased lease;
    lease.holder = "broker";
    lease.deadline = services_.clock.now() + bound_->route->retry.lease;
    if (!ledger.add(std::move(lease))) return false;
    const auto& info = code_info(Code::snapshot_mismatch);
    journal::ActionRefused event;
    event.code = Code::snapshot_mismatch;
    event.phase = info.phase;
    event.message = "The route or the credential has changed; a new invocation took over.";
    event.caller = action_.caller;
    event.status = static_cast<std::uint32_t>(info.status);
    ledger.note(std::move(event));
    close_ledger(services_.journal, ledger);
    return true;
}

/// Sworn-Repeat-Despite-Unknown: the caller's own record, knowingly sent again.
io::Task<Status> HttpRun::force_repeat() {
    static constexpr const char* field = "Sworn-Repeat-Despite-Unknown";
    if (!bound_->route->caller_may_force) {
        co_return Error{Code::forbidden_header,
                        "This route leaves forced repeats to the operator (forced_repeat: caller "
                        "would allow it).",
                        field};
    }
    const auto first = co_await read_earlier(*action_.wishes.repeat_despite_unknown);
    const bool own =
        first && first->record.accepted && first->record.accepted->caller == action_.caller;
    if (!own) {
        co_return Error{Code::malformed_request, "No record of this caller has that id.", field};
    }
    if (first->record.accepted->fingerprint != bound_->accepted.fingerprint) {
        co_return Error{Code::idempotency_mismatch, "That record is of another request.", field};
    }
    co_return continue_record(first->record, action_.caller, action_.wishes.repeat_reason);
}

/// The stored result, or the envelope that the record gives. Makes no record of its own.
io::Task<void> HttpRun::give_recorded(const journal::StoredRecord& stored) {
    const auto& record = stored.record;
    const auto projection = project(record, services_.clock.now());
    const bool settled =
        projection.outcome == Outcome::committed || projection.outcome == Outcome::rejected;
    if (!settled) {
        auto answer = error_answer(record, projection, proxy_error_of(record, projection), voice_,
                                   error_form());
        answer.head.fields.emplace_back("Sworn-Replayed", "?1");
        co_await side_.answer(std::move(answer));
        co_return;
    }
    auto load = [&] { return load_result(services_.journal, record.id); };
    auto result = co_await services_.workers.run(load);
    auto head = result ? load_head(result->head) : std::nullopt;
    if (!head) {
        auto envelope = envelope_of(record, projection);
        envelope.code = record.result_expired ? Code::result_expired : Code::result_not_retained;
        envelope.status = code_info(*envelope.code).status;
        envelope.message = sentence_for(*envelope.code);
        auto answer = error_answer(envelope, ProxyError::none, voice_, error_form());
        answer.head.fields.emplace_back("Sworn-Replayed", "?1");
        co_await side_.answer(std::move(answer));
        co_return;
    }
    auto answer = replay_answer(std::move(*head), std::move(result->body), record, projection);
    const bool handed_over = co_await side_.answer(std::move(answer));
    if (handed_over && record.delivery != journal::Delivery::delivered) {
        repeat_watch_ = std::make_unique<Delivery>(
            services_.journal, journal::Ledger{record.id, services_.clock, record});
    }
}

}  // namespace sworn::pipeline
