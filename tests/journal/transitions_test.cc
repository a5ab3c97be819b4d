// Which event may follow which step, derived from the contract's "from state" column and written
// down a second time here, as the list of standings in which each event is legal.
#include "journal/transitions.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "tests/journal/event_samples.h"
#include "tests/journal/story.h"

namespace sworn::journal {
namespace {

using namespace story;

/// One record per standing that the contract tells apart.
std::map<std::string, Story> standings() {
    std::map<std::string, Story> all;
    all["absent"];
    all["accepted"].accepted();
    all["validated"].accepted().validated();
    all["needs_approval"].accepted().validated(approved());
    all["pending"].accepted().validated(approved()).asked();
    all["granted"].accepted().validated(approved()).asked().granted();
    all["denied"].accepted().validated(approved()).asked().denied();
    all["authorized"].authorized_with(post());
    all["ready"].authorized_with(post()).ready();
    all["unused_ticket"].authorized_with(post()).ready().dispatch();
    all["sent"].exchange();
    all["responding"].exchange().responding();
    all["complete"].exchange().responding().complete(completion(true));
    all["complete_unsettled"].exchange().responding().complete(completion(false));
    all["complete_unstored"].exchange().responding().complete(completion(true, false));
    all["committed"].exchange().answered(200);
    all["committed_reconcile"].exchange().answered(500, Outcome::committed, Retry::reconcile);
    all["committed_confirmed"].exchange().answered(200).delivered();
    all["rejected_backoff"].exchange(get()).rejected(429, Retry::backoff);
    all["broken"].exchange().broken();
    all["broken_repeatable"].exchange(get()).broken();
    all["refused"].accepted().validated().refused(Code::credential_source_unavailable);
    all["refused_for_good"].accepted().validated().refused(Code::caller_cancelled);
    all["refused_unparsed"].refused(Code::malformed_request);
    all["interrupted_early"].authorized_with(post()).recovered();
    all["interrupted_dispatched"].exchange().recovered();
    all["interrupted_responding"].exchange().responding().recovered();
    return all;
}

using Standings = std::set<std::string>;

Standings legal_in(EventType type) {
    const Standings permitted{"validated", "granted"};
    const Standings before_dispatch{"accepted", "validated",  "needs_approval", "pending",
                                    "granted",  "authorized", "ready"};
    const Standings in_exchange{"unused_ticket", "sent", "responding", "complete",
                                "complete_unsettled"};
    const auto with = [](Standings set, const Standings& more) {
        set.insert(more.begin(), more.end());
        return set;
    };
    const Standings committed{"committed", "committed_reconcile", "committed_confirmed",
                              "rejected_backoff"};
    const Standings ended_unknown{"broken", "broken_repeatable", "interrupted_dispatched",
                                  "interrupted_responding"};
    switch (type) {
        case EventType::action_accepted:
            return {"absent"};
        case EventType::action_refused:
            return with(before_dispatch, {"absent", "denied"});
        case EventType::preflight_validated:
            return {"accepted"};
        case EventType::approval_requested:
            return {"validated", "needs_approval"};
        case EventType::approval_granted:
        case EventType::approval_denied:
        case EventType::approval_expired:
            return {"pending"};
        case EventType::credential_authorized:
            return permitted;
        case EventType::attempt_failed:
        case EventType::connection_ready:
            return {"authorized", "ready", "unused_ticket"};
        case EventType::dispatch_started:
            return {"ready"};
        case EventType::request_sent:
            return {"unused_ticket", "sent", "responding", "interrupted_dispatched",
                    "interrupted_responding"};
        case EventType::informational_response:
        case EventType::remote_response_started:
            return {"unused_ticket", "sent", "interrupted_dispatched"};
        case EventType::result_part:
        case EventType::remote_response_complete:
            return {"responding", "interrupted_responding"};
        case EventType::result_committed:
            return {"complete"};
        case EventType::exchange_broken:
            return {"unused_ticket",
                    "sent",
                    "responding",
                    "complete_unsettled",
                    "interrupted_dispatched",
                    "interrupted_responding"};
        case EventType::caller_cancelled:
            return with(with(before_dispatch, in_exchange), ended_unknown);
        case EventType::result_delivered:
        case EventType::delivery_failed:
        case EventType::result_expired:
            return committed;
        case EventType::retry_leased:
            // A running generation may lose its lease before it dispatches, never after.
            return {"validated",       "needs_approval", "granted",           "authorized",
                    "ready",           "refused",        "interrupted_early", "broken_repeatable",
                    "rejected_backoff"};
        case EventType::reconciled:
        case EventType::attested:
            return with(ended_unknown, {"committed_reconcile", "complete_unstored"});
        case EventType::broker_recovered:
            return with(with(before_dispatch, in_exchange),
                        {"committed", "committed_reconcile", "rejected_backoff"});
    }
    return {};
}

TEST(Transitions, AllowExactlyWhatTheContractAllows) {
    for (const auto& [name, story] : standings()) {
        for (const EventBody& body : samples::all_default()) {
            Story told = story;
            const bool expected = legal_in(type_of(body)).contains(name);
            EXPECT_EQ(!told.attempt(body), expected) << to_string(type_of(body)) << " in " << name;
        }
    }
}

TEST(Transitions, LeaveTheRecordAloneWhenTheyRefuse) {
    for (const auto& [name, story] : standings()) {
        for (const EventBody& body : samples::all_default()) {
            if (legal_in(type_of(body)).contains(name)) continue;
            Story told = story;
            ASSERT_TRUE(told.attempt(body)) << to_string(type_of(body)) << " in " << name;
            EXPECT_EQ(told.record.next_ordinal, story.record.next_ordinal) << name;
            EXPECT_EQ(told.record.last_seq, story.record.last_seq) << name;
            EXPECT_EQ(told.record.generations.size(), story.record.generations.size()) << name;
            EXPECT_EQ(told.record.attempts.size(), story.record.attempts.size()) << name;
            EXPECT_EQ(told.state(), story.state()) << to_string(type_of(body)) << " in " << name;
        }
    }
}

TEST(Transitions, RunUntilTheGenerationEnds) {
    const Standings ended{"committed",
                          "committed_reconcile",
                          "committed_confirmed",
                          "rejected_backoff",
                          "complete_unstored",
                          "broken",
                          "broken_repeatable",
                          "refused",
                          "refused_for_good",
                          "refused_unparsed",
                          "denied",
                          "interrupted_early",
                          "interrupted_dispatched",
                          "interrupted_responding",
                          "absent"};
    for (const auto& [name, story] : standings()) {
        EXPECT_EQ(story.record.running, !ended.contains(name)) << name;
    }
}

TEST(TransitionTable, HasOneRowForEachPairAndReachesEachStep) {
    std::set<std::pair<Step, EventType>> pairs;
    std::set<Step> reached{Step::absent};
    for (const Transition& row : transitions) {
        EXPECT_TRUE(pairs.emplace(row.from, row.event).second)
            << to_string(row.event) << " from " << static_cast<int>(row.from);
        reached.insert(row.to);
    }
    EXPECT_EQ(reached.size(), all_steps.size());
}

TEST(TransitionTable, LeadsNothingBackBeforeDispatchButANewGeneration) {
    const std::set<Step> after{Step::dispatched, Step::responding, Step::complete, Step::committed,
                               Step::broken};
    for (const Transition& row : transitions) {
        if (!after.contains(row.from) || row.event == EventType::retry_leased) continue;
        EXPECT_TRUE(after.contains(row.to) || row.to == Step::interrupted) << to_string(row.event);
    }
}

}  // namespace
}  // namespace sworn::journal
