// Answers as pure values: which fields pass, what Sworn adds, when clients are told to stop.
#include "proxy/pipeline/respond.h"

#include <gtest/gtest.h>

#include "common/json.h"
#include "tests/journal/story.h"

namespace sworn::pipeline {
namespace {

using journal::story::get;
using journal::story::keyed;
using journal::story::post;
using journal::story::put;
using journal::story::Story;

const auto some_id = new_invocation_id(SystemClock{}.now());

std::string all_of(const http::Fields& fields, std::string_view name) {
    std::string all;
    for (const auto& [field, value] : fields) {
        if (contract::equals_ignoring_case(field, name)) all += (all.empty() ? "" : " | ") + value;
    }
    return all;
}

http::ResponseHead remote(http::Fields fields, int status = 200) {
    http::ResponseHead head;
    head.status = status;
    head.reason = "Said";
    head.fields = std::move(fields);
    head.framing.kind = http::BodyFraming::Kind::length;
    head.framing.length = 4;
    return head;
}

TEST(StopSigns, FollowOutcomeAndRightToRepeat) {
    struct Case {
        const char* name;
        Story story;
        bool wanted;
    };
    using journal::ExchangeBroken;
    const Case cases[] = {
        {"unknown, not repeatable", Story{}.exchange().broken(), true},
        {"unknown, repeatable", Story{}.exchange(put()).broken(), false},
        {"unknown, the caller's key", Story{}.exchange(keyed()).broken(), false},
        {"unknown, a generated key",
         Story{}.exchange(keyed(journal::KeyOrigin::generated)).broken(), true},
        {"committed 500, not repeatable",
         Story{}.exchange().answered(500, Outcome::committed, Retry::reconcile), true},
        {"committed 500, repeatable",
         Story{}.exchange(put()).answered(500, Outcome::committed, Retry::reconcile), false},
        {"rejected", Story{}.exchange().rejected(404), false},
        {"a repeatable result that was not handed over",
         Story{}.exchange(get()).answered(500).delivery_failed(), true},
        {"a gateway's word", Story{}.exchange().gateway_error(), true},
        {"stopped before dispatch", Story{}.accepted().refused(Code::target_not_allowed), false},
    };
    for (const auto& one : cases) {
        EXPECT_EQ(wants_stop_signs(one.story.record, one.story.projection()), one.wanted)
            << one.name;
    }
}

TEST(StopSigns, ReplaceWhatTheOriginSaid) {
    const auto story = Story{}.exchange().answered(503, Outcome::committed, Retry::reconcile);
    http::Fields fields{{"x-should-retry", "true"}, {"retry-after", "3"}, {"Retry-After", "4"}};
    add_outcome(fields, story.record, story.projection(), 503);
    EXPECT_EQ(all_of(fields, "X-Should-Retry"), "false");
    EXPECT_EQ(all_of(fields, "Stripe-Should-Retry"), "false");
    EXPECT_EQ(all_of(fields, "Retry-After"), "");
    EXPECT_TRUE(all_of(fields, "Sworn-Outcome").starts_with("committed; phase=result_delivery"));
}

TEST(StopSigns, AreForErrorsOnly) {
    const auto story = Story{}.exchange().answered(200);
    http::Fields fields{{"Retry-After", "3"}};
    add_outcome(fields, story.record, story.projection(), 200);
    EXPECT_EQ(all_of(fields, "Retry-After"), "3");
    EXPECT_EQ(all_of(fields, "X-Should-Retry"), "");
}

TEST(PassedOnHead, LeavesOutWhatBelongsToOneHopOrToUs) {
    const char* const dropped[] = {
        "Connection",
        "Keep-Alive",
        "Proxy-Connection",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
        "Set-Cookie2",
        "Proxy-Authenticate",
        "Proxy-Authentication-Info",
        "X-Named",
        "x-other",
        "Sworn-Outcome",
        "sworn-replayed",
        "SWORN-Anything",
    };
    http::Fields fields;
    for (const auto* const name : dropped)
        fields.emplace_back(name, "value");
    fields.emplace_back("Connection", "x-named ,\tX-OTHER, content-length");
    fields.emplace_back("Content-Length", "4");
    fields.emplace_back("Set-Cookie", "a=1");
    fields.emplace_back("Set-Cookie", "b=2");
    fields.emplace_back("WWW-Authenticate", "Basic");
    fields.emplace_back("Swornish", "stays");
    const auto head = passed_on_head(remote(fields), some_id, Voice{});
    for (const auto* const name : dropped)
        EXPECT_EQ(all_of(head.fields, name), "") << name;
    EXPECT_EQ(all_of(head.fields, "Content-Length"), "4");
    EXPECT_EQ(all_of(head.fields, "Set-Cookie"), "a=1 | b=2");
    EXPECT_EQ(all_of(head.fields, "WWW-Authenticate"), "Basic");
    EXPECT_EQ(all_of(head.fields, "Swornish"), "stays");
    EXPECT_EQ(all_of(head.fields, "Sworn-Invocation"), some_id.text());
}

TEST(PassedOnHead, SaysWhoPassedItOnBehindWhoDidBefore) {
    const auto head = passed_on_head(
        remote({{"Via", "1.1 cdn"}, {"Proxy-Status", "cdn; hit"}, {"proxy-status", "lb"}}), some_id,
        Voice{"gate", {}});
    EXPECT_EQ(all_of(head.fields, "Via"), "1.1 cdn | 1.1 gate");
    EXPECT_EQ(all_of(head.fields, "Proxy-Status"), "cdn; hit, lb, gate;received-status=200");
}

TEST(PassedOnHead, DropsAProxyStatusThatIsNone) {
    const auto head = passed_on_head(remote({{"Proxy-Status", "(((bad"}}), some_id, Voice{});
    EXPECT_EQ(all_of(head.fields, "Proxy-Status"), "sworn;received-status=200");
}

TEST(PassedOnHead, NamesTheVersionThatCame) {
    auto old = remote({});
    old.minor_version = 0;
    EXPECT_EQ(all_of(passed_on_head(old, some_id, Voice{}).fields, "Via"), "1.0 sworn");
}

TEST(StoredHead, ComesBackAsItWasWithoutFramingAndOurOwnWords) {
    auto head = passed_on_head(remote({{"Content-Type", "a/b"},
                                       {"Set-Cookie", "a=1"},
                                       {"Set-Cookie", "b=2"},
                                       {"Content-Length", "4"},
                                       {"X-Empty", ""}},
                                      201),
                               some_id, Voice{});
    const auto loaded = load_head(store_head(head));
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->status, 201);
    EXPECT_EQ(loaded->reason, "Said");
    EXPECT_EQ(all_of(loaded->fields, "Set-Cookie"), "a=1 | b=2");
    EXPECT_EQ(all_of(loaded->fields, "Content-Length"), "");
    EXPECT_EQ(all_of(loaded->fields, "Sworn-Invocation"), "");
    EXPECT_EQ(all_of(loaded->fields, "Proxy-Status"), "sworn;received-status=201");
    EXPECT_EQ(loaded->fields.size(), head.fields.size() - 2);
}

TEST(StoredHead, KeepsTheLengthThatABodilessAnswerStates) {
    auto head = remote({{"Content-Length", "4711"}});
    head.framing = {};
    EXPECT_EQ(all_of(load_head(store_head(head))->fields, "Content-Length"), "4711");
}

TEST(StoredHead, IsNothingWhereItIsDamaged) {
    EXPECT_FALSE(load_head(""));
    EXPECT_FALSE(load_head("HTTP/1.1 999999 x\r\n\r\n"));
}

TEST(ErrorAnswer, IsAProblemThatIsNotStored) {
    const auto story = Story{}.accepted().refused(Code::target_not_allowed);
    const auto answer =
        error_answer(story.record, story.projection(), ProxyError::http_request_denied, Voice{},
                     ErrorForm::problem_json);
    const auto& fields = answer.head.fields;
    EXPECT_EQ(answer.head.status, 403);
    EXPECT_TRUE(answer.close);
    EXPECT_EQ(all_of(fields, "Content-Type"), "application/problem+json");
    EXPECT_EQ(all_of(fields, "Cache-Control"), "no-store");
    EXPECT_EQ(all_of(fields, "Proxy-Status"), "sworn;error=http_request_denied");
    EXPECT_EQ(all_of(fields, "Sworn-Invocation"), story.record.id.text());
    EXPECT_EQ(all_of(fields, "Retry-After"), "");
    const auto body = parse_json(answer.body);
    ASSERT_TRUE(body);
    EXPECT_EQ(*json_pointer(*body, "/error/code"), "TARGET_NOT_ALLOWED");
    EXPECT_EQ(*json_pointer(*body, "/status"), 403);
}

TEST(ErrorAnswer, MayBeALineForGit) {
    const auto story = Story{}.accepted().refused(Code::target_not_allowed);
    const auto answer =
        error_answer(story.record, story.projection(), ProxyError::http_request_denied, Voice{},
                     ErrorForm::text_line);
    EXPECT_EQ(all_of(answer.head.fields, "Content-Type"), "text/plain; charset=utf-8");
    EXPECT_TRUE(answer.body.starts_with("sworn: "));
    EXPECT_EQ(answer.body.find('\n'), answer.body.size() - 1);
    EXPECT_NE(answer.body.find("TARGET_NOT_ALLOWED"), std::string::npos);
}

TEST(ErrorAnswer, OfAnUnknownTakesTheStatusThatTheConfigurationWants) {
    const Voice voice{"sworn", 424};
    const auto unknown = Story{}.exchange().broken();
    const auto told =
        error_answer(unknown.record, unknown.projection(), ProxyError::connection_terminated, voice,
                     ErrorForm::problem_json);
    EXPECT_EQ(told.head.status, 424);
    EXPECT_EQ(*json_pointer(*parse_json(told.body), "/status"), 424);
    const auto refused = Story{}.accepted().refused(Code::connection_failed);
    EXPECT_EQ(error_answer(refused.record, refused.projection(), ProxyError::connection_refused,
                           voice, ErrorForm::problem_json)
                  .head.status,
              502);
}

TEST(ErrorAnswer, AsksForCredentialsAndForPatience) {
    Envelope envelope;
    envelope.status = 407;
    envelope.retry = Retry::backoff;
    const auto answer = error_answer(envelope, ProxyError::none, Voice{}, ErrorForm::problem_json);
    EXPECT_FALSE(all_of(answer.head.fields, "Proxy-Authenticate").empty());
    EXPECT_FALSE(all_of(answer.head.fields, "Retry-After").empty());
}

}  // namespace
}  // namespace sworn::pipeline
