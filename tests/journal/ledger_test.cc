#include "journal/ledger.h"

#include <gtest/gtest.h>

#include "tests/journal/story.h"

namespace sworn::journal {
namespace {

using namespace story;

class HandClock final : public Clock {
public:
    [[nodiscard]] WallTime now() const noexcept override { return now_; }
    [[nodiscard]] SteadyTime steady() const noexcept override { return {}; }
    void advance(std::chrono::microseconds by) { now_ += by; }

private:
    WallTime now_ = start;
};

const InvocationId id{{7, 7}};

class LedgerTest : public testing::Test {
protected:
    HandClock clock;
    Ledger ledger{id, clock};

    void must_add(EventBody body) {
        const EventType type = type_of(body);
        EXPECT_TRUE(ledger.add(std::move(body))) << to_string(type);
    }
    void up_to_ready(PreflightValidated bound = post()) {
        must_add(ActionAccepted{});
        must_add(std::move(bound));
        EXPECT_TRUE(ledger.authorize(CredentialAuthorized{}));
        must_add(ConnectionReady{.n = 1});
    }
};

TEST_F(LedgerTest, StampsTimeOrdinalAndGeneration) {
    must_add(ActionAccepted{});
    clock.advance(3s);
    EXPECT_TRUE(ledger.add(post(), Source::transport_observed));
    const Append append = ledger.take(Durability::buffered);
    EXPECT_EQ(append.id, id);
    ASSERT_EQ(append.events.size(), 2U);
    EXPECT_EQ(append.events[0].ordinal, 0U);
    EXPECT_EQ(append.events[0].at, start);
    EXPECT_EQ(append.events[0].seq, 0U);
    EXPECT_EQ(append.events[1].ordinal, 1U);
    EXPECT_EQ(append.events[1].at, start + 3s);
    EXPECT_EQ(append.events[1].generation, 1U);
    EXPECT_EQ(append.events[1].source, Source::transport_observed);
}

TEST_F(LedgerTest, RefusesAnIllegalStepAndStagesNothing) {
    must_add(ActionAccepted{});
    const auto got = ledger.add(DispatchStarted{});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error(), IllegalTransition::not_allowed);
    EXPECT_EQ(ledger.take(Durability::buffered).events.size(), 1U);
    EXPECT_EQ(ledger.record().next_ordinal, 1U);
}

TEST_F(LedgerTest, GivesAPermitOnlyForALegalAuthorization) {
    must_add(ActionAccepted{});
    EXPECT_FALSE(ledger.authorize(CredentialAuthorized{}));
    must_add(post());
    const auto permit = ledger.authorize(CredentialAuthorized{});
    ASSERT_TRUE(permit);
    EXPECT_TRUE(permit->live());
    EXPECT_EQ(permit->id(), id);
    EXPECT_EQ(permit->generation(), 1U);
}

TEST_F(LedgerTest, GivesNoPermitWhileAnApprovalIsMissing) {
    must_add(ActionAccepted{});
    must_add(approved());
    EXPECT_FALSE(ledger.authorize(CredentialAuthorized{}));
    must_add(ApprovalRequested{});
    EXPECT_FALSE(ledger.authorize(CredentialAuthorized{}));
    must_add(ApprovalGranted{});
    EXPECT_TRUE(ledger.authorize(CredentialAuthorized{}));
}

TEST_F(LedgerTest, TakesEverythingStagedOnce) {
    up_to_ready();
    ledger.add_part({.part = 4, .bytes = "abc"});
    ledger.set_head({"HTTP/1.1 200 OK"});
    EXPECT_TRUE(ledger.has_pending());
    const Append first = ledger.take(Durability::durable);
    EXPECT_EQ(first.durability, Durability::durable);
    EXPECT_EQ(first.events.size(), 4U);
    ASSERT_EQ(first.parts.size(), 1U);
    EXPECT_EQ(first.parts[0].part, 4U);
    ASSERT_TRUE(first.head.has_value());
    EXPECT_EQ(first.head->bytes, "HTTP/1.1 200 OK");

    EXPECT_FALSE(ledger.has_pending());
    must_add(DispatchStarted{.n = 1});
    const Append second = ledger.take(Durability::durable);
    ASSERT_EQ(second.events.size(), 1U);
    EXPECT_EQ(second.events[0].ordinal, 4U);
    EXPECT_TRUE(second.parts.empty());
    EXPECT_FALSE(second.head.has_value());
}

TEST_F(LedgerTest, ForgetsARefusedAppend) {
    up_to_ready();
    static_cast<void>(ledger.take(Durability::buffered));
    must_add(DispatchStarted{.n = 1});
    static_cast<void>(ledger.take(Durability::durable));
    EXPECT_EQ(ledger.projection().outcome, Outcome::unknown);
    ledger.refused(Ledger::Keep::nothing);
    EXPECT_EQ(ledger.projection().outcome, Outcome::not_attempted);
    EXPECT_EQ(ledger.record().next_ordinal, 4U);
    EXPECT_FALSE(ledger.has_pending());
}

TEST_F(LedgerTest, KeepsAllButTheLastOfARefusedAppend) {
    up_to_ready();
    must_add(DispatchStarted{.n = 1});
    static_cast<void>(ledger.take(Durability::durable));
    ledger.refused(Ledger::Keep::all_but_last);
    must_add(ActionRefused{.code = Code::unresolved_duplicate});
    const Append again = ledger.take(Durability::buffered);
    ASSERT_EQ(again.events.size(), 5U);
    EXPECT_EQ(type_of(again.events[3].body), EventType::connection_ready);
    EXPECT_EQ(type_of(again.events[4].body), EventType::action_refused);
    EXPECT_EQ(again.events[4].ordinal, 4U);
    EXPECT_EQ(describe(ledger.projection()),
              "V, not_attempted, reconcile, UNRESOLVED_DUPLICATE, no");
}

TEST_F(LedgerTest, RenumbersWhatWasStagedWhileTheRefusedAppendWasUnderWay) {
    up_to_ready();
    static_cast<void>(ledger.take(Durability::buffered));
    must_add(DispatchStarted{.n = 1});
    static_cast<void>(ledger.take(Durability::durable));
    must_add(CallerCancelled{"reset"});
    must_add(RequestSent{.headers = true});  // Illegal once the dispatch is gone.
    ledger.refused(Ledger::Keep::nothing);
    const Append again = ledger.take(Durability::buffered);
    ASSERT_EQ(again.events.size(), 1U);
    EXPECT_EQ(type_of(again.events[0].body), EventType::caller_cancelled);
    EXPECT_EQ(again.events[0].ordinal, 4U);
}

TEST_F(LedgerTest, MovesOnToTheNextGenerationWithALease) {
    up_to_ready(get());
    must_add(DispatchStarted{.n = 1});
    must_add(ExchangeBroken{});
    static_cast<void>(ledger.take(Durability::durable));
    must_add(RetryLeased{.holder = "w"});
    EXPECT_EQ(ledger.generation(), 2U);
    EXPECT_TRUE(ledger.authorize(CredentialAuthorized{}));
    const Append append = ledger.take(Durability::buffered);
    EXPECT_EQ(append.events[0].generation, 2U);
    EXPECT_EQ(append.events[1].generation, 2U);
    ledger.refused(Ledger::Keep::nothing);
    EXPECT_EQ(ledger.generation(), 1U);
}

TEST_F(LedgerTest, ContinuesAStoredRecordAtItsNewestGeneration) {
    const Story told = Story{}.exchange(get()).broken().again().answered(200);
    Ledger continued{id, clock, told.record};
    EXPECT_EQ(continued.id(), id);
    EXPECT_EQ(continued.generation(), 2U);
    EXPECT_TRUE(continued.add(ResultDelivered{"ack"}));
    const Append append = continued.take(Durability::buffered);
    EXPECT_EQ(append.events[0].ordinal, told.record.next_ordinal);
    EXPECT_EQ(append.events[0].generation, 2U);
}

TEST_F(LedgerTest, ProjectsAtItsOwnClock) {
    const Story told = Story{}.exchange(keyed()).broken();
    Ledger continued{id, clock, told.record};
    EXPECT_EQ(continued.projection().retry, Retry::same_idempotency_key);
    clock.advance(23h + 1min);
    EXPECT_EQ(continued.projection().retry, Retry::reconcile);
}

}  // namespace
}  // namespace sworn::journal
