// Records with unreadable, missing or illegal events: contract section 2, rule 5.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "journal/codec.h"
#include "journal/record.h"
#include "tests/journal/story.h"

namespace sworn::journal {
namespace {

using namespace story;

constexpr auto corrupt_unknown = Outcome::unknown;

/// `told` with its `index`th event unreadable.
Record with_unreadable(const Story& told, std::size_t index) {
    auto stored = told.stored();
    stored[index].event.reset();
    return replay(told.record.id, stored);
}

Record with_missing(const Story& told, std::size_t index) {
    auto stored = told.stored();
    stored.erase(stored.begin() + static_cast<std::ptrdiff_t>(index));
    return replay(told.record.id, stored);
}

std::size_t index_of(const Story& told, EventType type) {
    std::size_t index = 0;
    while (type_of(told.events[index].body) != type)
        ++index;
    return index;
}

TEST(Replay, OfSoundEventsIsNotCorrupt) {
    const Story told = Story{}.exchange(get()).broken().again().answered(200).delivered();
    const Record record = replay(told.record.id, told.stored());
    EXPECT_FALSE(record.corrupt);
    EXPECT_EQ(record.last_seq, told.record.last_seq);
    EXPECT_EQ(record.next_ordinal, told.events.size());
    EXPECT_EQ(describe(project(record, told.now())), told.state());
}

TEST(Replay, OfARecordCutShortByACrashIsSound) {
    const Story told = Story{}.exchange().answered(200).delivered();
    for (std::size_t length = 1; length <= told.events.size(); ++length) {
        auto stored = told.stored();
        stored.resize(length);
        EXPECT_FALSE(replay(told.record.id, stored).corrupt) << length;
    }
}

TEST(Replay, RowFortyTwoWithAnyByteFlippedIsCorruptAndUnknown) {
    const Story told = Story{}.exchange().answered(200).delivered();
    for (std::size_t i = 0; i < told.events.size(); ++i) {
        const Record record = with_unreadable(told, i);
        EXPECT_TRUE(record.corrupt) << i;
        const Projection state = project(record, told.now());
        EXPECT_EQ(state.outcome, corrupt_unknown) << i;
        EXPECT_EQ(state.retry, Retry::reconcile) << i;
        EXPECT_FALSE(state.running) << i;
        EXPECT_TRUE(state.code.has_value()) << i;
    }
}

TEST(Replay, RowFortyTwoThroughTheCodec) {
    const Story told = Story{}.exchange().answered(200).delivered();
    const std::size_t dispatch = index_of(told, EventType::dispatch_started);
    const std::size_t after_commit = told.events.size() - 1;
    for (const std::size_t damaged : {std::size_t{1}, dispatch, after_commit}) {
        std::vector<StoredEvent> stored;
        for (std::size_t i = 0; i < told.events.size(); ++i) {
            std::string bytes;
            encode(told.events[i], bytes);
            if (i == damaged) bytes[bytes.size() / 2] ^= 0x20;
            std::string_view rest = bytes;
            auto event = decode(rest);
            stored.push_back({told.events[i].seq, event ? std::optional{*event} : std::nullopt});
        }
        const Record record = replay(told.record.id, stored);
        EXPECT_TRUE(record.corrupt) << damaged;
        EXPECT_EQ(project(record, told.now()).outcome, corrupt_unknown) << damaged;
    }
}

TEST(Replay, WithAnyInnerEventMissingIsCorruptAndUnknown) {
    const Story told = Story{}.exchange().answered(200).delivered();
    for (std::size_t i = 0; i + 1 < told.events.size(); ++i) {
        const Record record = with_missing(told, i);
        EXPECT_TRUE(record.corrupt) << i;
        EXPECT_EQ(project(record, told.now()).outcome, corrupt_unknown) << i;
    }
}

TEST(Replay, BelievesAReadableEndBeforeDispatch) {
    const Story told =
        Story{}.authorized_with(post()).attempt_failed().refused(Code::connection_failed);
    for (std::size_t i = 0; i + 1 < told.events.size(); ++i) {
        const Record record = with_unreadable(told, i);
        EXPECT_TRUE(record.corrupt) << i;
        EXPECT_EQ(project(record, told.now()).outcome, Outcome::not_attempted) << i;
        EXPECT_EQ(project(record, told.now()).code, Code::connection_failed) << i;
        EXPECT_EQ(project(with_missing(told, i), told.now()).outcome, Outcome::not_attempted) << i;
    }
}

TEST(Replay, DoesNotBelieveAnEndThatSomethingUnreadableFollows) {
    const Story told = Story{}.authorized_with(post()).refused(Code::connection_failed).leased();
    const Record record = with_unreadable(told, told.events.size() - 1);
    EXPECT_TRUE(record.corrupt);
    EXPECT_EQ(project(record, told.now()).outcome, corrupt_unknown);
}

TEST(Replay, DoesNotBelieveALaterGenerationAboutAnEarlierOne) {
    // Generation 1 dispatched; generation 2 ended before it did.
    const Story told =
        Story{}.exchange(get()).broken().leased().authorized().refused(Code::connection_failed);
    for (std::size_t i = 0; i < told.events.size(); ++i) {
        EXPECT_EQ(project(with_unreadable(told, i), told.now()).outcome, corrupt_unknown) << i;
    }
}

TEST(Replay, TakesAnIllegalEventForCorruption) {
    Story told = Story{}.accepted().validated();
    auto stored = told.stored();
    Event illegal = told.make(DispatchStarted{});
    stored.push_back({illegal.seq, illegal});
    const Record record = replay(told.record.id, stored);
    EXPECT_TRUE(record.corrupt);
    EXPECT_EQ(project(record, told.now()).outcome, corrupt_unknown);
}

TEST(Replay, TakesAnEventUnderAnotherSequenceNumberForCorruption) {
    const Story told = Story{}.accepted().validated();
    auto stored = told.stored();
    stored[1].seq = 9;
    EXPECT_TRUE(replay(told.record.id, stored).corrupt);
    stored = told.stored();
    stored[0].seq = stored[1].seq;
    EXPECT_TRUE(replay(told.record.id, stored).corrupt);
}

TEST(Replay, OfNothingReadableStillAnswers) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
        std::vector<StoredEvent> stored(count);
        for (std::size_t i = 0; i < count; ++i)
            stored[i].seq = i + 1;
        const Record record = replay({}, stored);
        EXPECT_TRUE(record.corrupt);
        EXPECT_EQ(describe(project(record, start)),
                  "RE, unknown, reconcile, BROKER_INTERRUPTED, no");
        EXPECT_FALSE(guard_state(record, start).armed);
    }
}

TEST(Replay, KeepsEveryReadableFactOfACorruptRecord) {
    const Story told = Story{}.exchange().answered(200).delivered();
    const Record record = with_unreadable(told, index_of(told, EventType::dispatch_started));
    ASSERT_TRUE(record.accepted.has_value());
    EXPECT_EQ(record.accepted->caller, "alice");
    EXPECT_TRUE(record.validated.has_value());
    ASSERT_FALSE(record.generations.empty());
    EXPECT_TRUE(record.generations.back().result.has_value());
    EXPECT_EQ(record.generations.back().status, 200U);
    EXPECT_EQ(record.last_seq, told.record.last_seq);
}

TEST(Replay, TakesNoFurtherGenerationOnACorruptRecord) {
    const Story told = Story{}.exchange(get()).broken();
    Record record = with_unreadable(told, 2);
    Event lease = told.make(RetryLeased{});
    lease.generation = 2;
    lease.ordinal = record.next_ordinal;
    EXPECT_FALSE(apply(record, lease));
    EXPECT_EQ(project(record, told.now()).retry, Retry::reconcile);
}

TEST(Replay, NeverClaimsNotAttemptedForADispatchedRecordWhateverIsLost) {
    const Story lives[] = {
        Story{}.exchange().answered(200).delivered(),
        Story{}.exchange(get()).broken().again().rejected(404),
        Story{}.exchange(keyed()).broken().leased().authorized().attempt_failed().refused(
            Code::connection_failed),
        Story{}
            .authorized_with(post())
            .attempt_failed()
            .refused(Code::connection_failed)
            .leased()
            .authorized()
            .ready()
            .dispatch()
            .sent()
            .broken(),
    };
    for (const Story& told : lives) {
        const std::size_t count = told.events.size();
        for (std::size_t first = 0; first < count; ++first) {
            for (std::size_t second = first; second < count; ++second) {
                auto stored = told.stored();
                stored[first].event.reset();
                stored[second].event.reset();
                const Record record = replay(told.record.id, stored);
                EXPECT_EQ(project(record, told.now()).outcome, corrupt_unknown)
                    << first << " and " << second << " of " << count;
            }
        }
    }
}

TEST(Replay, NeverRunsACorruptRecord) {
    const Story told = Story{}.exchange().responding();
    for (std::size_t i = 0; i < told.events.size(); ++i) {
        EXPECT_FALSE(with_unreadable(told, i).running) << i;
    }
}

}  // namespace
}  // namespace sworn::journal
