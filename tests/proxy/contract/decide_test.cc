#include "proxy/contract/decide.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace sworn::contract {
namespace {

using namespace std::chrono_literals;
using namespace journal;

constexpr WallTime start{1'796'040'000s};
const Digest print_a = sha256("a");
const Digest print_b = sha256("b");

/// Tells a record event by event; an illegal step fails the test.
class Story {
public:
    explicit Story(PreflightValidated bound = {}) : bound_{std::move(bound)} {
        ActionAccepted accepted;
        accepted.caller = "local";
        accepted.fingerprint = print_a;
        tell(accepted);
        bound_.fingerprint = print_a;
        bound_.fingerprint_covers = "request";
        tell(bound_);
    }

    Story& tell(EventBody body) {
        Event event{++seq_,      record_.next_ordinal, start,
                    generation_, std::nullopt,         std::move(body)};
        const auto applied = apply(record_, event);
        EXPECT_TRUE(applied) << to_string(type_of(event.body));
        return *this;
    }
    Story& connected() {
        return tell(CredentialAuthorized{}).tell(ConnectionReady{.n = ++attempts_});
    }
    Story& dispatched() {
        return connected().tell(DispatchStarted{.n = attempts_, .request_digest = {}});
    }
    Story& cut() { return dispatched().tell(ExchangeBroken{}); }
    Story& refused(Code code) {
        return tell(ActionRefused{.code = code, .phase = code_info(code).phase});
    }
    Story& answered(std::uint32_t status, Outcome outcome, Retry directive,
                    std::optional<WallTime> retry_at = {}) {
        std::optional<Code> code;
        if (outcome == Outcome::rejected) code = Code::remote_rejected;
        dispatched().tell(RemoteResponseStarted{.status = status});
        RemoteResponseComplete complete;
        complete.status = status;
        complete.outcome = outcome;
        complete.code = code;
        complete.directive = directive;
        ResultCommitted committed;
        committed.status = status;
        committed.outcome = outcome;
        committed.code = code;
        committed.directive = directive;
        committed.retry_at = retry_at;
        return tell(complete).tell(committed);
    }
    Story& delivered() { return tell(ResultDelivered{.how = "closed"}); }
    Story& leased() {
        ++generation_;
        return tell(RetryLeased{.holder = "test", .deadline = start + 30s});
    }
    [[nodiscard]] const Record& record() const { return record_; }

private:
    Record record_;
    PreflightValidated bound_;
    std::uint64_t seq_ = 0;
    std::uint32_t attempts_ = 0, generation_ = 1;
};

PreflightValidated plain() {
    return {};
}
PreflightValidated repeatable() {
    PreflightValidated bound;
    bound.repeatable = true;
    return bound;
}
PreflightValidated keyed() {
    PreflightValidated bound;
    bound.key_origin = KeyOrigin::caller;
    bound.key = "k-1";
    bound.remote_contract = "configured";
    bound.key_lifetime = 10min;
    return bound;
}

struct Case {
    const char* name;
    std::function<Story()> story;
    Decision decision;
    Repeat unchanged;  ///< The same token, fingerprint and binding.
    Repeat changed;    ///< The same token and fingerprint, another binding.
};

std::vector<Case> before_dispatch() {
    using enum Retry;
    return {
        {"running", [] { return Story{plain()}; }, Decision::fetch_result, Repeat::join,
         Repeat::join},
        {"overloaded", [] { return Story{plain()}.refused(Code::broker_overloaded); },
         Decision::new_generation, Repeat::new_generation, Repeat::new_generation},
        {"secret missing", [] { return Story{plain()}.refused(Code::credential_missing); },
         Decision::stop_for_correction, Repeat::new_generation, Repeat::new_invocation},
        {"approval denied",
         [] {
             Story story{plain()};
             return story.tell(ApprovalRequested{}).tell(ApprovalDenied{.by = "ops"});
         },
         Decision::stop_for_correction, Repeat::recorded_envelope, Repeat::recorded_envelope},
        {"approval pending", [] { return Story{plain()}.tell(ApprovalRequested{}); },
         Decision::fetch_result, Repeat::join, Repeat::join},
        {"a blind repeat", [] { return Story{plain()}.refused(Code::unresolved_duplicate); },
         Decision::stop_for_correction, Repeat::recorded_envelope, Repeat::recorded_envelope},
        {"generations used up",
         [] {
             auto bound = plain();
             bound.generations_max = 1;
             return Story{bound}.refused(Code::broker_overloaded);
         },
         Decision::stop_for_correction, Repeat::new_invocation, Repeat::new_invocation},
    };
}

std::vector<Case> unknown_ends() {
    return {
        {"dispatched", [] { return Story{plain()}.dispatched(); }, Decision::fetch_result,
         Repeat::join, Repeat::join},
        {"cut, plain", [] { return Story{plain()}.cut(); }, Decision::reconcile,
         Repeat::recorded_envelope, Repeat::recorded_envelope},
        {"cut, repeatable", [] { return Story{repeatable()}.cut(); }, Decision::new_generation,
         Repeat::recorded_envelope, Repeat::recorded_envelope},
        {"cut, key bound", [] { return Story{keyed()}.cut(); }, Decision::new_generation,
         Repeat::new_generation, Repeat::new_generation},
        {"cut twice, key bound", [] { return Story{keyed()}.cut().leased().cut(); },
         Decision::new_generation, Repeat::new_generation, Repeat::new_generation},
        {"cut, repeatable, budget used up",
         [] {
             auto bound = repeatable();
             bound.generations_max = 1;
             return Story{bound}.cut();
         },
         Decision::reconcile, Repeat::recorded_envelope, Repeat::recorded_envelope},
        {"cut, attested applied",
         [] { return Story{plain()}.cut().tell(Attested{.finding = Finding::applied}); },
         Decision::return_recorded, Repeat::replay, Repeat::replay},
        {"cut, attested not applied",
         [] { return Story{plain()}.cut().tell(Attested{.finding = Finding::not_applied}); },
         Decision::new_generation, Repeat::new_generation, Repeat::new_generation},
        {"cut, inconclusive",
         [] { return Story{plain()}.cut().tell(Attested{.finding = Finding::inconclusive}); },
         Decision::reconcile, Repeat::recorded_envelope, Repeat::recorded_envelope},
    };
}

std::vector<Case> settled_ends() {
    using enum Outcome;
    return {
        {"200", [] { return Story{plain()}.answered(200, committed, Retry::never).delivered(); },
         Decision::return_recorded, Repeat::replay, Repeat::replay},
        {"200, delivery failed",
         [] {
             return Story{plain()}.answered(200, committed, Retry::never).tell(DeliveryFailed{});
         },
         Decision::fetch_result, Repeat::replay, Repeat::replay},
        {"500",
         [] { return Story{plain()}.answered(500, committed, Retry::reconcile).delivered(); },
         Decision::return_recorded, Repeat::replay, Repeat::replay},
        {"404",
         [] { return Story{plain()}.answered(404, rejected, Retry::after_correction).delivered(); },
         Decision::return_recorded, Repeat::new_invocation, Repeat::new_invocation},
        {"429 for good",
         [] { return Story{plain()}.answered(429, rejected, Retry::never).delivered(); },
         Decision::return_recorded, Repeat::replay, Repeat::replay},
        {"429, due",
         [] {
             return Story{repeatable()}.answered(429, rejected, Retry::backoff, start).delivered();
         },
         Decision::new_generation, Repeat::new_generation, Repeat::new_generation},
        {"429, not yet due",
         [] {
             return Story{repeatable()}
                 .answered(429, rejected, Retry::backoff, start + 10s)
                 .delivered();
         },
         Decision::wait, Repeat::recorded_envelope, Repeat::recorded_envelope},
    };
}

void expect_all(const std::vector<Case>& cases) {
    for (const Case& one : cases) {
        const auto story = one.story();
        const auto now = start + 1s;
        EXPECT_EQ(decide(story.record(), now).decision, one.decision)
            << one.name << ": " << to_string(decide(story.record(), now).decision);
        EXPECT_EQ(repeat_of(story.record(), print_a, true, now), one.unchanged) << one.name;
        EXPECT_EQ(repeat_of(story.record(), print_a, false, now), one.changed) << one.name;
        EXPECT_EQ(repeat_of(story.record(), print_b, true, now), Repeat::mismatch) << one.name;
        EXPECT_FALSE(decide(story.record(), now).why.empty()) << one.name;
    }
}

TEST(Decide, BeforeDispatchACauseIsWaitedOutOrCorrected) {
    expect_all(before_dispatch());
}
TEST(Decide, AnUnknownIsRepeatedOnlyOnAGround) {
    expect_all(unknown_ends());
}
TEST(Decide, ASettledOneIsReadOrWaitsForItsTime) {
    expect_all(settled_ends());
}

TEST(Decide, ARetryTimeIsToldAndThenReached) {
    Story story{repeatable()};
    story.answered(429, Outcome::rejected, Retry::backoff, start + 10s).delivered();
    const auto early = decide(story.record(), start + 9s);
    EXPECT_EQ(early.decision, Decision::wait);
    EXPECT_EQ(early.not_before, start + 10s);
    EXPECT_EQ(decide(story.record(), start + 10s).decision, Decision::new_generation);
    EXPECT_EQ(repeat_of(story.record(), print_a, true, start + 10s), Repeat::new_generation);
}

TEST(Decide, AnExpiredKeyIsNeverSentAgain) {
    Story story{keyed()};
    story.cut();
    EXPECT_EQ(decide(story.record(), start + 10min - 1s).decision, Decision::new_generation);
    EXPECT_EQ(decide(story.record(), start + 10min).decision, Decision::reconcile);
    EXPECT_EQ(repeat_of(story.record(), print_a, true, start + 10min), Repeat::recorded_envelope);
}

TEST(Decide, ACorruptRecordStartsNothing) {
    for (const Case& one : unknown_ends()) {
        auto record = one.story().record();
        record.corrupt = true;
        const auto got = decide(record, start + 1s).decision;
        EXPECT_NE(got, Decision::new_generation) << one.name;
        EXPECT_NE(got, Decision::wait) << one.name;
        const auto repeat = repeat_of(record, print_a, true, start + 1s);
        EXPECT_NE(repeat, Repeat::new_generation) << one.name;
        EXPECT_NE(repeat, Repeat::new_invocation) << one.name;
    }
}

TEST(Decide, ABrokenTunnelIsLeftAlone) {
    Record record = Story{plain()}.cut().record();
    record.accepted->protocol = Protocol::tunnel;
    EXPECT_EQ(decide(record, start + 1s).decision, Decision::return_recorded);
}

TEST(Decide, ARecordThatWasNeverParsedMatchesNoRepeat) {
    EXPECT_EQ(repeat_of(Record{}, print_a, true, start), Repeat::mismatch);
}

/// The record itself must accept what is decided: a new generation never meets a closed record.
TEST(Decide, EveryNewGenerationIsOneThatTheRecordTakes) {
    std::size_t taken = 0;
    for (const auto& cases : {before_dispatch(), unknown_ends(), settled_ends()}) {
        for (const Case& one : cases) {
            const auto now = start + 1s;
            auto record = one.story().record();
            const bool by_decision = decide(record, now).decision == Decision::new_generation;
            const bool by_repeat = repeat_of(record, print_a, true, now) == Repeat::new_generation;
            if (!by_decision && !by_repeat) continue;
            ++taken;
            Event lease{record.last_seq + 1,
                        record.next_ordinal,
                        now,
                        record.generations.back().number + 1,
                        std::nullopt,
                        RetryLeased{.holder = "test", .deadline = now + 30s}};
            EXPECT_TRUE(apply(record, lease)) << one.name;
        }
    }
    EXPECT_GE(taken, 6u);
}

TEST(Decide, EveryDecisionHasItsWord) {
    std::set<std::string_view> words;
    for (const auto decision :
         {Decision::fetch_result, Decision::new_generation, Decision::wait,
          Decision::stop_for_correction, Decision::reconcile, Decision::return_recorded}) {
        words.insert(to_string(decision));
    }
    EXPECT_EQ(words.size(), 6u);
}

}  // namespace
}  // namespace sworn::contract
