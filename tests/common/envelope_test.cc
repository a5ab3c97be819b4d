#include "common/envelope.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sworn {
namespace {

const InvocationId id = *parse_invocation_id("act_01ARZ3NDEKTSV4RRFFQ69G5FAV");

Envelope unknown_outcome() {
    Envelope envelope;
    envelope.id = id;
    envelope.code = Code::remote_outcome_unknown;
    envelope.phase = Phase::remote_execution;
    envelope.outcome = Outcome::unknown;
    envelope.retry = Retry::same_idempotency_key;
    envelope.status = 502;
    envelope.message = "Connection closed before a complete response was recorded.";
    envelope.evidence["dispatch_started"] = true;
    envelope.evidence["dispatch_seq"] = 4711;
    return envelope;
}

std::vector<std::string> keys_of(const boost::json::object& object) {
    std::vector<std::string> keys;
    for (const auto& entry : object)
        keys.emplace_back(entry.key());
    return keys;
}

TEST(Envelope, IsTheContractsExample) {
    const auto want = boost::json::parse(R"({
        "type":"urn:sworn:error:REMOTE_OUTCOME_UNKNOWN","title":"Remote outcome unknown",
        "status":502,
        "detail":"Connection closed before a complete response was recorded.",
        "message":"Connection closed before a complete response was recorded.","version":1,
        "invocation_id":"act_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "error":{"code":"REMOTE_OUTCOME_UNKNOWN","phase":"remote_execution","outcome":"unknown",
            "retry":"same_idempotency_key",
            "message":"Connection closed before a complete response was recorded.","field":null},
        "evidence":{"dispatch_started":true,"dispatch_seq":4711}})");
    EXPECT_EQ(to_json(unknown_outcome()), want.as_object());
    EXPECT_EQ(to_body(unknown_outcome()), boost::json::serialize(want)) << "order included";
}

TEST(Envelope, HasEveryMemberWhateverIsMissing) {
    const auto problem = to_json(Envelope{});
    const std::vector<std::string> want{"type",    "title",         "status", "detail",  "message",
                                        "version", "invocation_id", "error",  "evidence"};
    EXPECT_EQ(keys_of(problem), want);
    EXPECT_TRUE(problem.at("invocation_id").is_null());
    EXPECT_TRUE(problem.at("evidence").is_object());
    const auto& error = problem.at("error").as_object();
    const std::vector<std::string> want_error{"code",  "phase",   "outcome",
                                              "retry", "message", "field"};
    EXPECT_EQ(keys_of(error), want_error);
    EXPECT_TRUE(error.at("code").is_null());
    EXPECT_TRUE(error.at("field").is_null());
}

TEST(Envelope, NamesTheFieldAtFault) {
    Envelope envelope = unknown_outcome();
    envelope.field = "Content-Length";
    EXPECT_EQ(to_json(envelope).at("error").at("field"), "Content-Length");
}

TEST(Envelope, EveryCodeHasItsTypeAndTitle) {
    for (const Code code : all_values<Code>()) {
        Envelope envelope = unknown_outcome();
        envelope.code = code;
        const auto problem = to_json(envelope);
        const std::string name{to_string(code)};
        EXPECT_EQ(problem.at("type").as_string(), "urn:sworn:error:" + name);
        EXPECT_EQ(problem.at("title").as_string(), code_info(code).title);
        EXPECT_EQ(problem.at("error").at("code").as_string(), name);
    }
}

TEST(Envelope, WithoutACodeIsNoErrorType) {
    Envelope envelope = unknown_outcome();
    envelope.code.reset();
    EXPECT_EQ(to_json(envelope).at("type"), "about:blank");
    EXPECT_EQ(to_json(envelope).at("title"), "Outcome unknown");
    envelope.outcome = Outcome::not_attempted;
    EXPECT_EQ(to_json(envelope).at("title"), "Outcome not attempted");
}

TEST(Envelope, KeepsABodyOnOneLineWhateverTheMessageHolds) {
    Envelope envelope = unknown_outcome();
    envelope.message = "a \"quoted\"\nword";
    const std::string body = to_body(envelope);
    EXPECT_EQ(body.find('\n'), std::string::npos);
    EXPECT_EQ(boost::json::parse(body).at("message"), "a \"quoted\"\nword");
}

TEST(EnvelopeTextLine, TellsTheSameFacts) {
    EXPECT_EQ(to_text_line(unknown_outcome()),
              "sworn: Connection closed before a complete response was recorded. "
              "(code=REMOTE_OUTCOME_UNKNOWN; phase=remote_execution; outcome=unknown; "
              "retry=same_idempotency_key; id=act_01ARZ3NDEKTSV4RRFFQ69G5FAV)\n");
}

TEST(EnvelopeTextLine, LeavesOutWhatIsNotThere) {
    Envelope envelope;
    envelope.message = "m";
    EXPECT_EQ(to_text_line(envelope),
              "sworn: m (phase=validation; outcome=not_attempted; retry=never)\n");
}

TEST(EnvelopeTextLine, IsOneLineAlways) {
    Envelope envelope = unknown_outcome();
    envelope.message = "a\r\nb\x1b[31m\x7f\tc";
    const std::string line = to_text_line(envelope);
    EXPECT_TRUE(line.starts_with("sworn: a  b [31m  c (code=")) << line;
    EXPECT_EQ(line.find('\n'), line.size() - 1);
}

struct Problem {
    ControlProblem kind;
    std::string_view word, title;
    int status;
};

constexpr Problem problems[] = {
    {ControlProblem::not_found, "not_found", "Not found", 404},
    {ControlProblem::bad_request, "bad_request", "Bad request", 400},
    {ControlProblem::unauthorized, "unauthorized", "Unauthorized", 401},
    {ControlProblem::conflict, "conflict", "Conflict", 409},
};

class ControlProblems : public testing::TestWithParam<Problem> {};

TEST_P(ControlProblems, ArePlainProblemsWithoutAnError) {
    const Problem& want = GetParam();
    const auto problem = control_problem(want.kind, "No such invocation.");
    const std::vector<std::string> keys{"type", "title", "status", "detail"};
    EXPECT_EQ(keys_of(problem), keys);
    EXPECT_EQ(problem.at("type").as_string(), "urn:sworn:control:" + std::string{want.word});
    EXPECT_EQ(problem.at("title").as_string(), want.title);
    EXPECT_EQ(problem.at("status"), want.status);
    EXPECT_EQ(problem.at("detail"), "No such invocation.");
    EXPECT_EQ(to_string(want.kind), want.word);
    EXPECT_EQ(status_of(want.kind), want.status);
}

INSTANTIATE_TEST_SUITE_P(Table, ControlProblems, testing::ValuesIn(problems),
                         [](const auto& row) { return std::string{row.param.word}; });

}  // namespace
}  // namespace sworn
