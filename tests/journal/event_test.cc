#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "journal/codec.h"
#include "tests/journal/event_samples.h"

namespace sworn::journal {
namespace {

TEST(Events, CoverEachTypeOnceInTheOrderOfTheirNumbers) {
    std::uint8_t expected = 1;
    for (const EventBody& body : samples::all_default()) {
        EXPECT_EQ(static_cast<std::uint8_t>(type_of(body)), expected++);
    }
    EXPECT_EQ(expected, 27);
}

TEST(Events, HaveTheNamesOfTheContract) {
    const std::string_view names[] = {"ACTION_ACCEPTED",
                                      "ACTION_REFUSED",
                                      "PREFLIGHT_VALIDATED",
                                      "APPROVAL_REQUESTED",
                                      "APPROVAL_GRANTED",
                                      "APPROVAL_DENIED",
                                      "APPROVAL_EXPIRED",
                                      "CREDENTIAL_AUTHORIZED",
                                      "ATTEMPT_FAILED",
                                      "CONNECTION_READY",
                                      "DISPATCH_STARTED",
                                      "REQUEST_SENT",
                                      "INFORMATIONAL_RESPONSE",
                                      "REMOTE_RESPONSE_STARTED",
                                      "RESULT_PART",
                                      "REMOTE_RESPONSE_COMPLETE",
                                      "EXCHANGE_BROKEN",
                                      "CALLER_CANCELLED",
                                      "RESULT_COMMITTED",
                                      "RESULT_DELIVERED",
                                      "DELIVERY_FAILED",
                                      "RETRY_LEASED",
                                      "RECONCILED",
                                      "ATTESTED",
                                      "BROKER_RECOVERED",
                                      "RESULT_EXPIRED"};
    const auto bodies = samples::all_default();
    ASSERT_EQ(bodies.size(), std::size(names));
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        EXPECT_EQ(to_string(type_of(bodies[i])), names[i]);
    }
}

TEST(Events, TagsRiseAndNamesAreUnique) {
    for (const EventBody& body : samples::all_default()) {
        int last = 0;
        std::set<std::string_view> names{"seq", "type", "at", "generation", "source"};
        std::visit(
            [&](const auto& event) {
                event.fields(event, [&](int tag, const char* name, const auto&) {
                    EXPECT_EQ(tag, last + 1) << to_string(event.type) << " " << name;
                    EXPECT_TRUE(names.insert(name).second) << to_string(event.type) << " " << name;
                    last = tag;
                });
            },
            body);
    }
}

TEST(Events, SmallVocabulariesHaveWords) {
    EXPECT_EQ(to_string(Protocol::http), "http");
    EXPECT_EQ(to_string(Protocol::ssh), "ssh");
    EXPECT_EQ(to_string(Protocol::tunnel), "tunnel");
    EXPECT_EQ(to_string(KeyOrigin::none), "none");
    EXPECT_EQ(to_string(KeyOrigin::caller), "caller");
    EXPECT_EQ(to_string(KeyOrigin::generated), "generated");
    EXPECT_EQ(to_string(Stream::body), "body");
    EXPECT_EQ(to_string(Stream::out), "stdout");
    EXPECT_EQ(to_string(Stream::err), "stderr");
}

TEST(EventJson, NamesTypeTimeAndSource) {
    Event event = samples::event_of(DispatchStarted{.n = 3, .request_digest = {}});
    event.at = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
    EXPECT_EQ(boost::json::serialize(to_json(event)),
              R"({"seq":4711,"type":"DISPATCH_STARTED","at":"2026-03-01T00:00:00.000000Z",)"
              R"("generation":2,"source":"transport_observed","n":3})");
}

TEST(EventJson, SpellsEnumerationsByTheirWords) {
    ResultCommitted result;
    result.outcome = Outcome::rejected;
    result.code = Code::remote_rejected;
    result.directive = Retry::after_correction;
    result.status = 404;
    const auto json = to_json(samples::event_of(result));
    EXPECT_EQ(json.at("outcome"), "rejected");
    EXPECT_EQ(json.at("code"), "REMOTE_REJECTED");
    EXPECT_EQ(json.at("directive"), "after_correction");
    EXPECT_EQ(json.at("status"), 404U);
    EXPECT_EQ(json.at("retained"), true);
}

TEST(EventJson, GivesDurationsInMilliseconds) {
    AttemptFailed attempt;
    attempt.elapsed = std::chrono::microseconds{12'900};
    EXPECT_EQ(to_json(samples::event_of(attempt)).at("elapsed"), 12);
    PreflightValidated bound;
    EXPECT_EQ(to_json(samples::event_of(bound)).at("deadline"), 3'600'000);
}

TEST(EventJson, LeavesOutWhatIsEmptyAndTheDiagnostic) {
    AttemptFailed attempt;
    attempt.diagnostic = "SSL routines::wrong version number";
    const auto json = to_json(samples::event_of(attempt));
    EXPECT_FALSE(json.contains("diagnostic"));
    EXPECT_FALSE(json.contains("address"));
    EXPECT_EQ(boost::json::serialize(json).find("wrong version"), std::string::npos);
}

TEST(EventJson, KeepsThreeValuedMarkersApart) {
    ExchangeBroken broken;
    broken.handed_over = false;
    broken.request_headers_sent = true;
    const auto json = to_json(samples::event_of(broken));
    EXPECT_EQ(json.at("handed_over"), false);
    EXPECT_EQ(json.at("request_headers_sent"), true);
    EXPECT_FALSE(json.contains("response_complete"));
}

TEST(EventJson, ShowsEveryFieldThatIsSet) {
    for (const EventBody& body : samples::all_filled()) {
        const auto json = to_json(samples::event_of(body));
        std::visit(
            [&](const auto& event) {
                event.fields(event, [&](int, const char* name, const auto& field) {
                    if (std::string_view{name} == "diagnostic") return;
                    // An enumeration whose word is empty says nothing.
                    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>,
                                                 ProxyError>) {
                        if (field == ProxyError::none) return;
                    }
                    EXPECT_TRUE(json.contains(name)) << to_string(event.type) << " " << name;
                });
            },
            body);
    }
}

}  // namespace
}  // namespace sworn::journal
