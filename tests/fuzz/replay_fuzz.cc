// Records from damaged journals. A life is told through apply(), then events of it are lost, made
// unreadable, doubled or swapped. The projection answers for whatever is left, and what was once
// dispatched is never not_attempted (docs/contract.md section 2, rules 1 to 5).
#include <algorithm>
#include <vector>

#include "journal/record.h"
#include "journal/verdict.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/journal/event_samples.h"

namespace sworn::journal {
namespace {

using namespace std::chrono_literals;

constexpr WallTime start{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
constexpr std::size_t events_max = 200;

bool is_dispatch(const Event& event) {
    return std::holds_alternative<DispatchStarted>(event.body);
}

/// The fields that the state turns on, from the script.
struct Variation {
    fuzz::Script& script;

    void operator()(int, const char*, auto& field) { vary(field); }
    void vary(bool& field) { field = script.next() % 2 == 0; }
    void vary(std::chrono::milliseconds& field) { field = 1min * script.next(); }
    void vary(std::uint32_t& field) { field = script.next() % 4 == 0 ? 200 : script.next(); }
    template <class E>
    requires std::is_enum_v<E>
    void vary(E& field) {
        field = static_cast<E>(script.next() % (static_cast<int>(wire::last_value<E>) + 1));
    }
    template <class T>
    void vary(std::optional<T>& field) {
        if (script.next() % 2 == 0) return;
        vary(field.emplace());
    }
    void vary(auto&) {}
};

struct Life {
    std::vector<StoredEvent> events;
    bool dispatched = false;
};

EventBody next_body(fuzz::Script& script) {
    static const auto bodies = samples::all_default();
    const auto choice = script.next();
    auto body = bodies[choice % bodies.size()];
    if (choice >= 128) {
        std::visit([&]<class E>(E& event) { E::fields(event, Variation{script}); }, body);
    }
    return body;
}

/// Events one after the other; what the state does not allow is passed over.
Life tell(fuzz::Script& script) {
    Life life;
    Record record;
    for (std::size_t tried = 0; tried < events_max && !script.empty(); ++tried) {
        Event event;
        event.body = next_body(script);
        const auto newest = record.generations.empty() ? 1 : record.generations.back().number;
        const bool retry = std::holds_alternative<RetryLeased>(event.body);
        event.generation = newest + (retry ? 1 : 0);
        event.ordinal = record.next_ordinal;
        event.seq = record.last_seq + 1 + script.next() % 3;
        event.at = start + 1s * event.seq;
        const Record before = record;
        if (!apply(record, event)) {
            SWORN_ASSERT(record.last_seq == before.last_seq);
            SWORN_ASSERT(record.next_ordinal == before.next_ordinal);
            continue;
        }
        life.dispatched = life.dispatched || is_dispatch(event);
        life.events.push_back({event.seq, event});
        SWORN_ASSERT((project(record, event.at).outcome == Outcome::not_attempted) ==
                     !life.dispatched);
    }
    return life;
}

/// Everything that is asked of a record answers, with words of the closed sets.
Projection answers(const Record& record) {
    Projection state;
    for (const auto later : {0h, 1h, 24h * 400}) {
        const WallTime now = start + later;
        state = project(record, now);
        SWORN_ASSERT(!to_string(state.phase).empty());
        SWORN_ASSERT(!to_string(state.outcome).empty());
        SWORN_ASSERT(!to_string(state.retry).empty());
        SWORN_ASSERT(!state.code || !to_string(*state.code).empty());
        SWORN_ASSERT(!state.running || state.retry == Retry::fetch_result);
        static_cast<void>(guard_state(record, now));
        static_cast<void>(budget_left(record, now));
    }
    static_cast<void>(key_expires_at(record));
    return state;
}

bool holds_readable_dispatch(const std::vector<StoredEvent>& events) {
    return std::ranges::any_of(events, [](const StoredEvent& stored) {
        return stored.event && is_dispatch(*stored.event);
    });
}

/// A loss in the middle: what is last stays, so the loss can be seen.
void lose(std::vector<StoredEvent>& events, fuzz::Script& script) {
    const std::size_t at = script.next() % events.size();
    if (at + 1 == events.size()) return;
    const auto place = events.begin() + static_cast<std::ptrdiff_t>(at);
    if (script.next() % 2 == 0) {
        events.erase(place);
    } else {
        place->event.reset();
    }
}

/// Damage that no disk does: order, copies and fields that contradict each other.
void scramble(std::vector<StoredEvent>& events, fuzz::Script& script) {
    auto& one = events[script.next() % events.size()];
    auto& other = events[script.next() % events.size()];
    switch (script.next() % 5) {
        case 0:
            std::swap(one, other);
            break;
        case 1:
            other = one;
            break;
        case 2:
            if (one.event) one.event->generation = 1 + script.next() % 4U;
            break;
        case 3:
            if (one.event) one.event->ordinal = script.next();
            break;
        default:
            one.seq = script.next();
    }
}

void check(fuzz::Script script) {
    const std::size_t losses = script.next() % 4;
    const std::size_t scrambles = script.next() % 8;
    fuzz::Script story{script.take(script.rest().size() - script.rest().size() / 4)};
    const Life life = tell(story);
    const auto sound = replay({}, life.events);
    SWORN_ASSERT(sound.corrupt == life.events.empty());
    if (life.events.empty()) return;
    SWORN_ASSERT((answers(sound).outcome == Outcome::not_attempted) == !life.dispatched);

    auto events = life.events;
    for (std::size_t i = 0; i < losses && !events.empty(); ++i)
        lose(events, script);
    const auto damaged = replay({}, events);
    const auto state = answers(damaged);
    SWORN_ASSERT(!life.dispatched || state.outcome != Outcome::not_attempted);
    SWORN_ASSERT(!damaged.corrupt || !state.running);

    for (std::size_t i = 0; i < scrambles; ++i)
        scramble(events, script);
    const auto outcome = answers(replay({}, events)).outcome;
    SWORN_ASSERT(!holds_readable_dispatch(events) || outcome != Outcome::not_attempted);
}

}  // namespace
}  // namespace sworn::journal

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sworn::journal::check(sworn::fuzz::Script{sworn::fuzz::text_of(data, size)});
    return 0;
}
