// A record told event by event. Verbs have defaults: what a test sets is what it is about.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "journal/record.h"
#include "tests/journal/story_bound.h"

namespace sworn::journal::story {

using namespace std::chrono_literals;

class Story {
public:
    // --- The way to a dispatch ---
    Story& accepted(Protocol protocol = Protocol::http) {
        ActionAccepted event;
        event.protocol = protocol;
        event.caller = "alice";
        event.fingerprint = Digest{{1}};
        return add(event);
    }
    Story& validated(PreflightValidated bound = post()) { return add(std::move(bound)); }
    Story& asked() { return add(ApprovalRequested{}); }
    Story& granted() { return add(ApprovalGranted{}); }
    Story& denied() { return add(ApprovalDenied{}); }
    Story& approval_expired() { return add(ApprovalExpired{}); }
    Story& authorized() { return add(CredentialAuthorized{}); }
    Story& attempt_failed(AttemptCode code = AttemptCode::ECONNREFUSED_,
                          Stage stage = Stage::tcp_connect) {
        AttemptFailed event;
        event.n = ++attempts_;
        event.code = code;
        event.stage = stage;
        event.address = "192.0.2.1:443";
        return add(event);
    }
    /// The connection last made ready turned out to be dead.
    Story& connection_lost() {
        AttemptFailed event;
        event.n = attempts_;
        event.code = AttemptCode::ECONNRESET_;
        return add(event);
    }
    Story& ready(bool reused = false) {
        ConnectionReady event;
        event.n = ++attempts_;
        event.connection = "c-" + std::to_string(attempts_);
        event.reused = reused;
        return add(event);
    }
    Story& dispatch() {
        DispatchStarted event;
        event.n = attempts_;
        return add(event);
    }
    Story& refused(Code code) {
        ActionRefused event;
        event.code = code;
        return add(event);
    }

    // --- The exchange ---
    Story& sent() { return add(RequestSent{true, true, 100}); }
    Story& informational(std::uint32_t status = 103) { return add(InformationalResponse{status}); }
    Story& responding(std::uint32_t status = 200) {
        RemoteResponseStarted event;
        event.status = status;
        return add(event);
    }
    Story& part(std::uint32_t n = 0) {
        ResultPart event;
        event.part = n;
        return add(event);
    }
    Story& complete(RemoteResponseComplete event = {}) { return add(std::move(event)); }
    Story& broken(Code code = Code::remote_result_incomplete) {
        ExchangeBroken event;
        event.code = code;
        return add(event);
    }
    Story& broken(ExchangeBroken event) { return add(std::move(event)); }
    Story& cancelled(std::string how = "reset") { return add(CallerCancelled{std::move(how)}); }
    Story& commit(ResultCommitted event = {}) { return add(std::move(event)); }

    // --- What comes after ---
    Story& delivered(std::string how = "next_request") {
        return add(ResultDelivered{std::move(how)});
    }
    Story& delivery_failed() { return add(DeliveryFailed{"reset"}); }
    Story& expired() { return add(ResultExpired{}); }
    Story& leased(std::string forced_by = {}) {
        RetryLeased event;
        event.holder = "worker";
        event.deadline = now_ + 30s;
        event.forced_by = std::move(forced_by);
        return add(std::move(event));
    }
    Story& reconciled(Finding finding) { return add(Reconciled{finding, {}}); }
    Story& attested(Finding finding) { return add(Attested{finding, "bob", "looked", "bob"}); }
    Story& recovered() { return add(BrokerRecovered{}); }

    // --- Whole stretches ---
    Story& authorized_with(PreflightValidated bound) {
        return accepted().validated(std::move(bound)).authorized();
    }
    /// Accepted … sent, with nothing read yet.
    Story& exchange(PreflightValidated bound = post(), Protocol protocol = Protocol::http) {
        return accepted(protocol)
            .validated(std::move(bound))
            .authorized()
            .ready()
            .dispatch()
            .sent();
    }
    /// The next generation up to the request being sent.
    Story& again(std::string forced_by = {}) {
        return leased(std::move(forced_by)).authorized().ready().dispatch().sent();
    }
    /// A complete answer, judged as given.
    Story& answered(std::uint32_t status, Outcome outcome = Outcome::committed,
                    Retry directive = Retry::never, std::optional<Code> code = {}) {
        RemoteResponseComplete completion;
        completion.status = status;
        completion.outcome = outcome;
        ResultCommitted result;
        result.status = status;
        result.outcome = outcome;
        result.directive = directive;
        result.code = code;
        if (directive == Retry::backoff) result.retry_at = now_ + 5s;
        return responding(status).part().complete(completion).commit(result);
    }
    Story& rejected(std::uint32_t status, Retry directive = Retry::after_correction) {
        return answered(status, Outcome::rejected, directive, Code::remote_rejected);
    }
    /// A gateway's 502 that is passed on: complete, yet it settles nothing.
    Story& gateway_error() {
        RemoteResponseComplete completion;
        completion.settles = false;
        completion.status = 502;
        return responding(502).part().complete(completion).broken(Code::intermediary_error);
    }

    // --- Time and generation of the next events ---
    Story& later(std::chrono::microseconds by) {
        now_ += by;
        return *this;
    }
    /// The next events speak of generation `n`, as late evidence does; 0 ends that.
    Story& as_generation(std::uint32_t n) {
        speaking_of_ = n;
        return *this;
    }
    Story& half_closed() {
        record.caller_half_closed = true;
        return *this;
    }

    /// Applies `body`; a refusal fails the test.
    Story& add(EventBody body) {
        const EventType type = type_of(body);
        if (const auto why = attempt(std::move(body))) {
            ADD_FAILURE() << to_string(type) << " was refused: " << to_string(*why);
        }
        return *this;
    }
    /// Applies `body` where it is legal, and tells why not where it is not.
    std::optional<IllegalTransition> attempt(EventBody body) {
        Event event = make(std::move(body));
        const auto applied = apply(record, event);
        if (!applied) return applied.error();
        now_ += 1ms;
        events.push_back(std::move(event));
        return std::nullopt;
    }
    Event make(EventBody body) const {
        Event event;
        event.seq = record.last_seq + 1;
        event.ordinal = record.next_ordinal;
        event.at = now_;
        event.generation = next_generation(type_of(body));
        event.body = std::move(body);
        return event;
    }

    [[nodiscard]] Projection projection() const { return project(record, now_); }
    [[nodiscard]] std::string state() const { return describe(projection()); }
    [[nodiscard]] bool guarded() const { return guard_state(record, now_).armed; }
    [[nodiscard]] WallTime now() const { return now_; }
    [[nodiscard]] std::vector<StoredEvent> stored() const {
        std::vector<StoredEvent> all;
        for (const Event& event : events)
            all.push_back({event.seq, event});
        return all;
    }

    Record record{};
    std::vector<Event> events;

private:
    [[nodiscard]] std::uint32_t next_generation(EventType type) const {
        if (speaking_of_ != 0) return speaking_of_;
        const std::uint32_t newest =
            record.generations.empty() ? 1 : record.generations.back().number;
        return type == EventType::retry_leased ? newest + 1 : newest;
    }

    WallTime now_ = start;
    std::uint32_t attempts_ = 0;
    std::uint32_t speaking_of_ = 0;
};

}  // namespace sworn::journal::story
