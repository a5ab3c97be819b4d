// Scenarios from an action's life: events in, state out. POST, non-repeatable and without a
// contract, unless a row says so. States are spelled phase, outcome, retry, code, running.
// Included by one source file of each test binary: it defines the two tests that every row passes.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <functional>
#include <string>
#include <string_view>

#include "tests/journal/story.h"

namespace sworn::journal::story {

struct Scenario {
    const char* name;
    std::function<Story()> told;
    const char* state;
    bool guarded = false;
};

inline void PrintTo(const Scenario& scenario, std::ostream* out) {
    *out << scenario.name;
}

class Walk : public testing::TestWithParam<Scenario> {};

TEST_P(Walk, EndsInTheStateThatTheContractNames) {
    const Scenario& scenario = GetParam();
    const Story told = scenario.told();
    EXPECT_EQ(told.state(), scenario.state) << scenario.name;
    EXPECT_EQ(told.guarded(), scenario.guarded) << scenario.name;
}

TEST_P(Walk, IsTheSameAfterReplay) {
    const Story told = GetParam().told();
    Record again = replay(told.record.id, told.stored());
    again.caller_half_closed = told.record.caller_half_closed;  // Live only.
    EXPECT_FALSE(again.corrupt);
    EXPECT_EQ(describe(project(again, told.now())), GetParam().state);
    EXPECT_EQ(guard_state(again, told.now()).armed, GetParam().guarded);
    EXPECT_EQ(again.next_ordinal, told.record.next_ordinal);
}

inline std::string plain_name(const testing::TestParamInfo<Scenario>& info) {
    std::string name;
    for (const char c : std::string_view{info.param.name}) {
        if (c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0) name.push_back(c);
    }
    return name;
}

inline Story begin() {
    return {};
}

inline RemoteResponseComplete unstored(Outcome outcome = Outcome::committed) {
    RemoteResponseComplete completion;
    completion.status = 200;
    completion.outcome = outcome;
    completion.result_stored = false;
    return completion;
}

inline ResultCommitted not_retained() {
    ResultCommitted result;
    result.status = 200;
    result.retained = false;
    return result;
}

inline ExchangeBroken never_handed_over() {
    ExchangeBroken broken;
    broken.code = Code::remote_outcome_unknown;
    broken.handed_over = false;
    broken.request_headers_sent = false;
    broken.request_body_sent = false;
    return broken;
}

}  // namespace sworn::journal::story
