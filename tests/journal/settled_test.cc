// The rules of project() for what is settled: delivery, retention, findings, conflicts.
#include <gtest/gtest.h>

#include "journal/record.h"
#include "tests/journal/story.h"

namespace sworn::journal {
namespace {

using namespace story;

ResultCommitted dropped() {
    ResultCommitted result;
    result.status = 200;
    result.retained = false;
    return result;
}

TEST(SettledProjection, OffersTheResultWhileItsDeliveryFailed) {
    Story told = Story{}.exchange().answered(200).delivery_failed();
    EXPECT_EQ(told.state(), "RD, committed, fetch_result, DELIVERY_FAILED, no");
    Story fetched = told;
    EXPECT_EQ(fetched.delivered("fetched").state(), "RD, committed, never, null, no");
    EXPECT_EQ(told.expired().state(), "RD, committed, reconcile, DELIVERY_FAILED, no");
}

TEST(SettledProjection, OfARepeatableOperationReturnsToItsDirectiveWhenTheBodyIsGone) {
    Story told = Story{}.exchange(get()).answered(200).delivery_failed().expired();
    EXPECT_EQ(told.state(), "RD, committed, never, DELIVERY_FAILED, no");
    told = Story{}.exchange(put()).responding().complete().commit(dropped()).delivery_failed();
    EXPECT_EQ(told.state(), "RD, committed, never, DELIVERY_FAILED, no");
}

TEST(SettledProjection, OfARejectionThatWasLostIsFetchedToo) {
    Story told = Story{}.exchange().rejected(404).delivery_failed();
    EXPECT_EQ(told.state(), "RD, rejected, fetch_result, DELIVERY_FAILED, no");
    EXPECT_EQ(told.delivered("fetched").state(),
              "RE, rejected, after_correction, REMOTE_REJECTED, no");
}

TEST(SettledProjection, FoundUnconfirmedKeepsItsCode) {
    EXPECT_EQ(Story{}.exchange().answered(200).recovered().state(),
              "RD, committed, fetch_result, null, no");
    EXPECT_EQ(Story{}.exchange().rejected(404).recovered().state(),
              "RE, rejected, fetch_result, REMOTE_REJECTED, no");
}

TEST(SettledProjection, RestoresTheTablesDirectiveAfterAnAcknowledgement) {
    Story told = Story{}.exchange().answered(500, Outcome::committed, Retry::reconcile);
    told.delivery_failed();
    EXPECT_EQ(told.projection().retry, Retry::fetch_result);
    told.delivered("ack");
    EXPECT_EQ(told.state(), "RD, committed, reconcile, null, no");
}

TEST(SettledProjection, ThatWasDeliveredStaysSoWhenTheBodyExpires) {
    EXPECT_EQ(Story{}.exchange().answered(200).delivered().expired().state(),
              "RD, committed, never, null, no");
}

TEST(SettledProjection, WithoutAStoredResultKeepsItsOutcome) {
    RemoteResponseComplete refusal;
    refusal.status = 404;
    refusal.outcome = Outcome::rejected;
    refusal.result_stored = false;
    EXPECT_EQ(Story{}.exchange().responding(404).complete(refusal).state(),
              "RD, rejected, reconcile, RESULT_STORE_FAILED, no");
}

TEST(SettledProjection, GivesATimeOnlyWithBackoff) {
    Story told = Story{}.exchange(with_budget(get(), 1, 3)).rejected(429, Retry::backoff);
    EXPECT_EQ(told.projection().retry, Retry::never);
    EXPECT_FALSE(told.projection().retry_at.has_value());
}

TEST(SettledProjection, ByAFindingHasNoCode) {
    Story told = Story{}.exchange().cancelled().broken().attested(Finding::applied);
    EXPECT_EQ(told.state(), "RE, committed, never, null, no");
    EXPECT_EQ(told.projection().settled_by, Source::operator_attested);
    EXPECT_EQ(told.record.finding, Finding::applied);
}

TEST(SettledProjection, IgnoresAnInconclusiveFindingOnADirective) {
    Story told = Story{}.exchange().answered(500, Outcome::committed, Retry::reconcile);
    told.delivered().attested(Finding::inconclusive);
    EXPECT_EQ(told.state(), "RD, committed, reconcile, null, no");
    told.attested(Finding::not_applied);
    EXPECT_EQ(told.state(), "RD, committed, after_correction, null, no");
    told.attested(Finding::applied);
    EXPECT_EQ(told.state(), "RD, committed, reconcile, null, no");
    EXPECT_EQ(told.record.conflicts.size(), 1U);
}

TEST(SettledProjection, OfAConfirmedLateResponseAgreesWithoutConflict) {
    Story told = Story{}.exchange().recovered().attested(Finding::applied).answered(200);
    EXPECT_TRUE(told.record.conflicts.empty());
    EXPECT_EQ(told.projection().outcome, Outcome::committed);
    EXPECT_EQ(told.projection().retry, Retry::never);
}

}  // namespace
}  // namespace sworn::journal
