// Invariants of the projection over random sequences of legal events.
#include <gtest/gtest.h>

#include <random>

#include "journal/record.h"
#include "tests/journal/event_samples.h"
#include "tests/journal/story.h"

namespace sworn::journal {
namespace {

using namespace story;

bool is_early_end(EventType type) {
    return type == EventType::action_refused || type == EventType::broker_recovered ||
           type == EventType::approval_denied || type == EventType::approval_expired;
}

void vary(EventBody& body, std::mt19937& random, const PreflightValidated& bound) {
    if (std::holds_alternative<PreflightValidated>(body)) body = bound;
    if (auto* complete = std::get_if<RemoteResponseComplete>(&body)) {
        complete->settles = random() % 2 == 0;
        complete->result_stored = random() % 4 != 0;
        complete->outcome = Outcome::committed;
    }
    if (auto* result = std::get_if<ResultCommitted>(&body)) {
        result->outcome = random() % 2 == 0 ? Outcome::committed : Outcome::rejected;
        result->directive = random() % 2 == 0 ? Retry::backoff : Retry::reconcile;
        result->status = random() % 2 == 0 ? 200 : 409;
    }
    if (auto* finding = std::get_if<Attested>(&body)) {
        finding->finding = static_cast<Finding>(random() % 3);
    }
}

/// One legal event after the other, at random; ends before dispatch are rare, so that lives go far.
Story wander(std::mt19937& random, const PreflightValidated& bound) {
    Story told;
    const auto bodies = samples::all_default();
    for (int i = 0; i < 400; ++i) {
        EventBody body = bodies[random() % bodies.size()];
        if (is_early_end(type_of(body)) && random() % 40 != 0) continue;
        vary(body, random, bound);
        static_cast<void>(told.attempt(std::move(body)));
    }
    return told;
}

class RandomLives : public testing::TestWithParam<unsigned> {};

TEST_P(RandomLives, NeverContradictTheirEvents) {
    std::mt19937 random{GetParam()};
    const PreflightValidated bounds[] = {post(), put(), get(), keyed(), approved()};
    int dispatches = 0;
    for (int life = 0; life < 20; ++life) {
        const Story told = wander(random, bounds[random() % std::size(bounds)]);
        if (told.events.empty()) continue;
        const Projection state = told.projection();
        bool dispatched = false;
        for (const Event& event : told.events) {
            dispatched |= type_of(event.body) == EventType::dispatch_started;
        }
        dispatches += dispatched ? 1 : 0;
        EXPECT_EQ(state.outcome == Outcome::not_attempted, !dispatched);
        EXPECT_EQ(state.running, told.record.running);
        EXPECT_EQ(state.running && state.retry != Retry::fetch_result, false);
        EXPECT_EQ(state.retry_at && state.retry != Retry::backoff, false);
        const bool armed = guard_state(told.record, told.now()).armed;
        EXPECT_FALSE(armed && !dispatched && !state.running);
    }
    EXPECT_GT(dispatches, 10);
}

TEST_P(RandomLives, KeepUnknownUntilAnAuthoritativeCompletion) {
    std::mt19937 random{GetParam() + 1000};
    for (int life = 0; life < 20; ++life) {
        const Story told = wander(random, put());
        Record record;
        bool dispatched = false;
        for (const Event& event : told.events) {
            ASSERT_TRUE(apply(record, event));
            dispatched |= type_of(event.body) == EventType::dispatch_started;
            const Outcome outcome = project(record, told.now()).outcome;
            EXPECT_EQ(outcome == Outcome::not_attempted, !dispatched);
        }
    }
}

TEST_P(RandomLives, AreTheSameAfterReplay) {
    std::mt19937 random{GetParam() + 2000};
    for (int life = 0; life < 20; ++life) {
        const Story told = wander(random, get());
        if (told.events.empty()) continue;
        const Record again = replay(told.record.id, told.stored());
        EXPECT_FALSE(again.corrupt);
        EXPECT_EQ(describe(project(again, told.now())), told.state());
        EXPECT_EQ(again.attempts.size(), told.record.attempts.size());
        EXPECT_EQ(again.conflicts.size(), told.record.conflicts.size());
        EXPECT_EQ(again.last_seq, told.record.last_seq);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLives, testing::Range(1U, 5U));

}  // namespace
}  // namespace sworn::journal
