// The envelope and the record view, from told records.
#include "proxy/pipeline/evidence.h"

#include <boost/json/array.hpp>
#include <gtest/gtest.h>

#include "common/json.h"
#include "tests/journal/story.h"

namespace sworn::pipeline {
namespace {

using journal::story::keyed;
using journal::story::Story;

/// Stopped while connecting, after one attempt that ended so.
Story stopped(Code code, AttemptCode attempt, Stage stage) {
    Story story;
    story.authorized_with(journal::story::post()).attempt_failed(attempt, stage).refused(code);
    return story;
}

/// Broken off with this code and type.
Story broken(Code code, ProxyError type) {
    journal::ExchangeBroken event;
    event.code = code;
    event.proxy_error = type;
    return Story{}.exchange().broken(event);
}

TEST(Status, AgreesWithTheTypeOfTheError) {
    using A = AttemptCode;
    struct Case {
        Story story;
        int status;
        ProxyError type;
    };
    const Case cases[] = {
        {stopped(Code::name_resolution_failed, A::DNS_FAILED, Stage::name_resolution), 502,
         ProxyError::dns_error},
        {stopped(Code::name_resolution_failed, A::DNS_TIMEOUT, Stage::name_resolution), 504,
         ProxyError::dns_timeout},
        {stopped(Code::name_resolution_failed, A::NXDOMAIN, Stage::name_resolution), 502,
         ProxyError::dns_error},
        {stopped(Code::address_forbidden, A::ADDRESS_FORBIDDEN, Stage::address_policy), 502,
         ProxyError::destination_ip_prohibited},
        {stopped(Code::connection_failed, A::ECONNREFUSED_, Stage::tcp_connect), 502,
         ProxyError::connection_refused},
        {stopped(Code::connection_failed, A::ETIMEDOUT_, Stage::tcp_connect), 504,
         ProxyError::connection_timeout},
        {stopped(Code::connection_failed, A::EHOSTUNREACH_, Stage::tcp_connect), 502,
         ProxyError::destination_ip_unroutable},
        {stopped(Code::connection_failed, A::ENETUNREACH_, Stage::tcp_connect), 502,
         ProxyError::destination_ip_unroutable},
        {stopped(Code::tunnel_failed, A::PROXY_REFUSED, Stage::proxy_tunnel), 502,
         ProxyError::connection_refused},
        {stopped(Code::tls_failed, A::TLS_PROTOCOL, Stage::tls_handshake), 502,
         ProxyError::tls_protocol_error},
        {stopped(Code::tls_failed, A::TLS_ALERT, Stage::tls_handshake), 502,
         ProxyError::tls_alert_received},
        {stopped(Code::peer_identity_mismatch, A::CERT_HOST_MISMATCH, Stage::tls_handshake), 502,
         ProxyError::tls_certificate_error},
        {broken(Code::remote_outcome_unknown, ProxyError::connection_terminated), 502,
         ProxyError::connection_terminated},
        {broken(Code::remote_outcome_unknown, ProxyError::http_protocol_error), 502,
         ProxyError::http_protocol_error},
        {broken(Code::remote_result_incomplete, ProxyError::http_response_incomplete), 502,
         ProxyError::http_response_incomplete},
        {broken(Code::remote_timeout, ProxyError::http_response_timeout), 504,
         ProxyError::http_response_timeout},
        {broken(Code::remote_timeout, ProxyError::connection_read_timeout), 504,
         ProxyError::connection_read_timeout},
        {broken(Code::broker_interrupted, ProxyError::proxy_internal_error), 502,
         ProxyError::proxy_internal_error},
    };
    for (const auto& one : cases) {
        const auto state = one.story.projection();
        SCOPED_TRACE(std::string{to_string(*state.code)} + " " + std::string{to_string(one.type)});
        EXPECT_EQ(status_of(one.story.record, state), one.status);
        EXPECT_EQ(proxy_error_of(one.story.record, state), one.type);
        EXPECT_EQ(envelope_of(one.story.record, state).status, one.status);
    }
}

TEST(Status, OfARefusalIsTheOneThatWasGiven) {
    Story story;
    journal::ActionRefused event;
    event.code = Code::unsupported_action;
    event.status = 501;
    event.message = "No upgrades.";
    event.field = "Upgrade";
    story.accepted().add(event);
    const auto envelope = envelope_of(story.record, story.projection());
    EXPECT_EQ(envelope.status, 501);
    EXPECT_EQ(envelope.message, "No upgrades.");
    EXPECT_EQ(envelope.field, "Upgrade");
}

TEST(Sentence, IsThereForEveryCode) {
    for (const auto code : all_values<Code>())
        EXPECT_FALSE(sentence_for(code).empty()) << to_string(code);
}

TEST(Evidence, OfACutSaysWhatIsKnownAndWhatIsNot) {
    journal::ExchangeBroken event;
    event.handed_over = event.request_headers_sent = true;
    event.response_headers_received = false;
    const auto story = Story{}.exchange(keyed()).broken(event);
    const auto evidence = evidence_of(story.record, story.projection());
    EXPECT_EQ(evidence.at("dispatch_started"), true);
    EXPECT_EQ(evidence.at("handed_over"), true);
    EXPECT_EQ(evidence.at("request_headers_sent"), true);
    EXPECT_EQ(evidence.at("response_headers_received"), false);
    EXPECT_TRUE(evidence.at("response_complete").is_null());
    EXPECT_EQ(evidence.at("source"), "transport_observed");
    EXPECT_EQ(evidence.at("attempt"), 1);
    EXPECT_EQ(evidence.at("generation"), 1);
    EXPECT_GT(evidence.at("dispatch_seq").to_number<int>(), 0);
    EXPECT_EQ(evidence.at("connection").at("reused"), false);
    EXPECT_EQ(evidence.at("connection").at("peer").at("verified"), false);
    EXPECT_EQ(evidence.at("idempotency").at("key"), "req_1");
    EXPECT_EQ(evidence.at("idempotency").at("scope"), "payments.create");
    EXPECT_TRUE(evidence.at("idempotency").as_object().contains("expires_at"));
    EXPECT_EQ(evidence.at("attempts").as_array().size(), 1U);
}

TEST(Evidence, OfAStopNamesTheStagesThatWereReached) {
    const auto story =
        Story{}.authorized_with(journal::story::post()).ready().refused(Code::snapshot_mismatch);
    const auto evidence = evidence_of(story.record, story.projection());
    EXPECT_EQ(evidence.at("dispatch_started"), false);
    EXPECT_EQ(evidence.at("stages_completed").as_array().size(), 3U);
    EXPECT_FALSE(evidence.contains("request_headers_sent"));
}

TEST(RecordView, HasTheShapeOfTheControlApi) {
    const auto story = Story{}.exchange().answered(201).delivered();
    const auto stored = story.stored();
    const auto view = record_view(story.record, story.now(), &stored);
    for (const auto* const key : {"invocation_id", "state", "route", "caller", "http_status",
                                  "evidence", "attempts", "generations", "children", "events"})
        EXPECT_TRUE(view.contains(key)) << key;
    const auto& state = view.at("state").as_object();
    EXPECT_EQ(state.at("phase"), "result_delivery");
    EXPECT_EQ(state.at("outcome"), "committed");
    EXPECT_EQ(state.at("retry"), "never");
    EXPECT_TRUE(state.at("code").is_null());
    EXPECT_EQ(state.at("running"), false);
    EXPECT_TRUE(state.at("settled_by").is_null());
    EXPECT_EQ(view.at("route"), "payments");
    EXPECT_EQ(view.at("caller"), "alice");
    EXPECT_EQ(view.at("http_status"), 201);
    EXPECT_EQ(view.at("events").as_array().size(), story.events.size());
    EXPECT_FALSE(record_view(story.record, story.now(), nullptr).contains("events"));
}

TEST(RecordView, ShowsWhatCannotBeRead) {
    const auto story = Story{}.exchange();
    auto stored = story.stored();
    stored[1].event.reset();
    const auto view = record_view(story.record, story.now(), &stored);
    EXPECT_EQ(view.at("events").at(1).at("unreadable"), true);
    EXPECT_EQ(view.at("events").at(1).at("seq").to_number<std::uint64_t>(), stored[1].seq);
}

TEST(RecordView, DoesNotTellOneGenerationsStopAsAnothersEnd) {
    auto story = Story{}.exchange(keyed()).broken(Code::remote_outcome_unknown);
    journal::ActionRefused event;
    event.code = Code::connection_failed;
    event.message = "No connection to the target could be made.";
    story.leased().authorized().attempt_failed().add(event);
    const auto view = record_view(story.record, story.now(), nullptr);
    EXPECT_EQ(view.at("state").at("code"), "REMOTE_OUTCOME_UNKNOWN");
    EXPECT_EQ(view.at("message").as_string(), sentence_for(Code::remote_outcome_unknown));
}

TEST(RecordView, OfWhatWasNeverUnderstoodShowsItsTarget) {
    Story story;
    journal::ActionRefused event;
    event.code = Code::malformed_request;
    event.method = "GET";
    event.target = "/nowhere";
    event.caller = "ci";
    event.status = 400;
    story.add(event);
    const auto view = record_view(story.record, story.now(), nullptr);
    EXPECT_EQ(view.at("caller"), "ci");
    EXPECT_EQ(view.at("http_status"), 400);
    EXPECT_EQ(view.at("request").at("target"), "/nowhere");
    EXPECT_TRUE(view.at("route").is_null());
}

TEST(UnrecordedEnvelope, SaysSo) {
    const auto envelope =
        unrecorded_envelope(InvocationId{}, Error{Code::journal_unavailable, "No disk."});
    EXPECT_EQ(envelope.status, 503);
    EXPECT_EQ(envelope.outcome, Outcome::not_attempted);
    EXPECT_EQ(envelope.retry, Retry::backoff);
    EXPECT_EQ(envelope.evidence.at("recorded"), false);
    EXPECT_EQ(envelope.evidence.at("dispatch_started"), false);
}

}  // namespace
}  // namespace sworn::pipeline
