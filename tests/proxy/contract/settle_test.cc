#include "proxy/contract/settle.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/proxy/contract/vector_file.h"

namespace sworn::contract {
namespace {

using namespace std::chrono_literals;

constexpr WallTime now{1'796'040'000s};

const std::map<std::string, ExchangeEnd> ends{
    {"complete", ExchangeEnd::complete},
    {"closed", ExchangeEnd::closed},
    {"reset", ExchangeEnd::reset},
    {"write_failed", ExchangeEnd::write_failed},
    {"malformed_head", ExchangeEnd::malformed_head},
    {"malformed_body", ExchangeEnd::malformed_body},
    {"header_timeout", ExchangeEnd::header_timeout},
    {"idle_timeout", ExchangeEnd::idle_timeout},
    {"total_timeout", ExchangeEnd::total_timeout},
    {"tls_error", ExchangeEnd::tls_error},
    {"cancelled_by_caller", ExchangeEnd::cancelled_by_caller},
    {"interrupted", ExchangeEnd::interrupted},
    {"never_sent", ExchangeEnd::never_sent},
};

/// "key=value" words; the value is empty for a bare word.
std::vector<std::pair<std::string, std::string>> pairs_of(const std::string& text) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto& word : test::words_of(text)) {
        const auto equals = word.find('=');
        pairs.emplace_back(word.substr(0, equals),
                           equals == std::string::npos ? "" : word.substr(equals + 1));
    }
    return pairs;
}

HopStatus hop_of(const std::string& text) {
    const auto colon = text.find(':');
    HopStatus hop;
    hop.name = text.substr(0, colon);
    hop.failed = colon != std::string::npos;
    if (hop.failed) hop.error = text.substr(colon + 1);
    return hop;
}

std::chrono::milliseconds duration_of(const std::string& text) {
    const bool whole_seconds = !text.ends_with("ms");
    const auto count = std::stoll(text);
    return whole_seconds ? std::chrono::milliseconds{count * 1000}
                         : std::chrono::milliseconds{count};
}

Observations observations_of(const std::string& text) {
    Observations seen;
    for (const auto& [key, value] : pairs_of(text)) {
        if (const auto end = ends.find(key); end != ends.end()) {
            seen.end = end->second;
            if (key == "complete") seen.head_parsed = true;
        } else if (key == "head") {
            seen.head_parsed = true;
        } else if (key == "status") {
            seen.status = std::stoi(value);
        } else if (key == "framing") {
            seen.framing = parse<Framing>(value).value();
        } else if (key == "retry-after") {
            seen.retry_after = value;
        } else if (key == "hop") {
            seen.proxy_status.push_back(hop_of(value));
        } else {
            ADD_FAILURE() << "unknown observation " << key;
        }
    }
    return seen;
}

Operation operation_of_words(const std::string& text) {
    Operation operation;
    for (const auto& [key, value] : pairs_of(text)) {
        if (key == "repeatable") {
            operation.repeatable = true;
        } else if (key == "safe") {
            operation.safe = operation.repeatable = true;
        } else if (key == "key") {
            operation.key_bound = true;
        } else if (key == "clear") {
            operation.tls = false;
        } else if (key == "explicit") {
            operation.require_explicit_framing = true;
        } else if (key == "redirect-refused") {
            operation.redirect_refused = true;
        } else if (key == "listed") {
            operation.refused_without_effect.push_back(std::stoi(value));
        } else if (key == "delay") {
            operation.default_delay = duration_of(value);
        } else if (key == "trust") {
            operation.trust_hops.push_back(value);
        } else {
            EXPECT_TRUE(key == "plain" || key == "tls") << "unknown operation " << key;
        }
    }
    return operation;
}

/// The same words as the table's last column.
std::string shown(const Judgement& got) {
    std::string text = got.settles ? "settles " : "open ";
    text += std::string{to_string(got.outcome)} + " " + std::string{to_string(got.directive)} + " ";
    text += got.code ? std::string{to_string(*got.code)} : "-";
    if (!got.settles) {
        const auto error = to_string(got.proxy_error);
        text += error.empty() ? " none" : " " + std::string{error};
    }
    const bool has_blank = got.hop.find(' ') != std::string::npos;
    if (!got.hop.empty()) text += has_blank ? " hop=\"" + got.hop + "\"" : " hop=" + got.hop;
    if (got.retry_at) {
        const auto delay =
            std::chrono::duration_cast<std::chrono::milliseconds>(*got.retry_at - now);
        text += delay % 1s == 0ms ? " at=" + std::to_string(delay / 1s) + "s"
                                  : " at=" + std::to_string(delay.count()) + "ms";
    }
    return text;
}

TEST(Settle, JudgesEveryRowOfItsTable) {
    const auto rows = test::read_rows("settle.txt");
    ASSERT_GT(rows.size(), 350u);
    std::set<std::string> names;
    for (const test::Row& row : rows) {
        ASSERT_EQ(row.columns.size(), 4u) << "line " << row.line;
        const auto got =
            settle(observations_of(row.columns[1]), operation_of_words(row.columns[2]), now);
        EXPECT_EQ(shown(got), row.columns[3]) << "settle.txt:" << row.line << " " << row.columns[0];
        EXPECT_TRUE(names.insert(row.columns[0]).second) << "twice: " << row.columns[0];
    }
}

TEST(Settle, TheTableCoversEveryEndAndEveryKindOfOperation) {
    std::set<std::string> seen_ends;
    std::set<std::string> operations;
    for (const test::Row& row : test::read_rows("settle.txt")) {
        seen_ends.insert(test::words_of(row.columns[1]).front());
        operations.insert(test::words_of(row.columns[2]).front());
    }
    EXPECT_EQ(seen_ends.size(), ends.size());
    EXPECT_EQ(operations, (std::set<std::string>{"key", "plain", "repeatable", "safe"}));
}

std::vector<Operation> all_operations() {
    std::vector<Operation> all;
    for (unsigned bits = 0; bits < 64; ++bits) {
        Operation operation;
        operation.safe = (bits & 1) != 0;
        operation.repeatable = operation.safe || (bits & 2) != 0;
        operation.key_bound = (bits & 4) != 0;
        operation.tls = (bits & 8) != 0;
        operation.require_explicit_framing = (bits & 16) != 0;
        if ((bits & 32) != 0) operation.default_delay = 1s;
        all.push_back(operation);
    }
    return all;
}

void expect_sound(const Judgement& got, const Observations& seen, const Operation& operation) {
    // Only a complete exchange settles, and what does not settle is unknown.
    EXPECT_EQ(got.settles, got.outcome != Outcome::unknown);
    EXPECT_NE(got.outcome, Outcome::not_attempted);
    if (seen.end != ExchangeEnd::complete) {
        EXPECT_FALSE(got.settles);
    }
    if (!got.settles) {
        EXPECT_TRUE(got.code.has_value());
        EXPECT_FALSE(got.how.empty());
        EXPECT_EQ(got.directive, unknown_directive(operation));
    }
    EXPECT_EQ(got.retry_at.has_value(), got.settles && got.directive == Retry::backoff);
    if (got.retry_at) {
        EXPECT_GE(*got.retry_at, now);
    }
    if (got.outcome == Outcome::rejected) {
        EXPECT_EQ(got.code, Code::remote_rejected);
    }
    // Nothing that may have had an effect is repeated without a ground.
    const bool may_repeat = operation.repeatable || operation.key_bound;
    if (!may_repeat) {
        EXPECT_NE(got.directive, Retry::backoff);
        EXPECT_NE(got.directive, Retry::same_idempotency_key);
    }
    EXPECT_NE(got.directive, Retry::fetch_result);
}

TEST(Settle, EveryStatusAndEndIsJudgedSoundly) {
    const auto operations = all_operations();
    for (const auto& [name, end] : ends) {
        // The status of a broken exchange has no meaning: a few of them will do.
        const int step = end == ExchangeEnd::complete ? 1 : 101;
        for (int status = 0; status <= 1000; status += step) {
            Observations seen;
            seen.end = end;
            seen.status = status;
            seen.head_parsed = status % 2 == 0 || end == ExchangeEnd::complete;
            seen.framing = status % 3 == 0 ? Framing::close_delimited : Framing::chunked;
            if (status % 5 == 0) seen.retry_after = "9";
            for (const Operation& operation : operations) {
                const auto got = settle(seen, operation, now);
                expect_sound(got, seen, operation);
                if (HasFailure()) FAIL() << name << " " << status;
            }
        }
    }
}

TEST(Settle, ABodyWithoutItsHeadSettlesNothing) {
    Observations seen;
    seen.end = ExchangeEnd::complete;
    seen.status = 200;
    seen.head_parsed = false;
    const auto got = settle(seen, Operation{}, now);
    EXPECT_FALSE(got.settles);
    EXPECT_EQ(got.code, Code::remote_outcome_unknown);
}

TEST(Settle, WhatIsSaidOfABrokenExchangeTellsItsEndsApart) {
    std::set<std::string_view> sentences;
    for (const auto& [name, end] : ends) {
        for (const bool head : {false, true}) {
            Observations seen;
            seen.end = end;
            seen.head_parsed = head;
            const auto got = settle(seen, Operation{}, now);
            EXPECT_FALSE(got.how.empty()) << name;
            sentences.insert(got.how);
        }
    }
    // The five ends that mean less before the header section have two sentences each.
    EXPECT_EQ(sentences.size(), ends.size() + 5);
}

TEST(Settle, TheUnknownRulesStandInTheirOrder) {
    Operation operation;
    EXPECT_EQ(unknown_directive(operation), Retry::reconcile);
    operation.repeatable = true;
    EXPECT_EQ(unknown_directive(operation), Retry::backoff);
    operation.key_bound = true;
    EXPECT_EQ(unknown_directive(operation), Retry::same_idempotency_key);
}

}  // namespace
}  // namespace sworn::contract
