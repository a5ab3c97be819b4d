// A record from what the disk gave back. A sound one is exactly what apply() makes of its events;
// a corrupt one keeps every readable fact, and claims nothing that an unreadable event could deny.
#include "journal/absorb.h"
#include "journal/record.h"
#include "journal/verdict.h"

namespace sworn::journal {
namespace {

constexpr std::size_t generations_readable_max = 1024;

// Where an event leads when the steps before it are lost: the one step that its type names.
std::optional<Step> step_named_by(EventType type) {
    for (const Transition& row : transitions) {
        if (row.event == type && row.from != row.to) return row.to;
    }
    return std::nullopt;
}

Generation& generation_for(Record& record, std::uint32_t number) {
    for (Generation& generation : record.generations) {
        if (generation.number == number) return generation;
    }
    record.generations.push_back({.number = number});
    return record.generations.back();
}

// Findings, deliveries and restarts only add to what is known; without the table's word for them
// they are left out.
void salvage(Record& record, const Event& event) {
    record.next_ordinal = event.ordinal;
    if (apply(record, event)) return;
    const auto step = step_named_by(type_of(event.body));
    if (step && record.generations.size() < generations_readable_max) {
        const bool retry = type_of(event.body) == EventType::retry_leased;
        const std::uint32_t number = retry ? event.generation - 1 : event.generation;
        absorb(record, event, generation_for(record, number), *step);
    }
    record.next_ordinal = event.ordinal + 1;
    record.last_seq = event.seq;
}

// Rule 5: each known generation has a readable end before dispatch, none is missing between them.
bool all_ended_before_dispatch(const Record& record) {
    std::uint32_t expected = 1;
    for (const Generation& generation : record.generations) {
        if (generation.number != expected++ || was_dispatched(generation)) return false;
        const bool stopped_early =
            generation.step == Step::refused || generation.step == Step::denied;
        if (!stopped_early) return false;
    }
    return !record.generations.empty();
}

}  // namespace

Record replay(InvocationId id, const std::vector<StoredEvent>& events) {
    Record record;
    record.id = id;
    bool unreadable_last = events.empty();
    std::uint64_t last_seq = 0;
    for (const StoredEvent& stored : events) {
        const bool in_order = stored.seq > last_seq;
        last_seq = stored.seq;
        unreadable_last = !stored.event || stored.event->seq != stored.seq || !in_order;
        if (unreadable_last) {
            record.corrupt = true;
        } else if (record.corrupt || !apply(record, *stored.event)) {
            record.corrupt = true;
            salvage(record, *stored.event);
        }
    }
    if (events.empty()) record.corrupt = true;
    if (record.corrupt) {
        record.running = false;
        record.last_seq = last_seq;
        record.ended_before_dispatch = !unreadable_last && all_ended_before_dispatch(record);
        // A record of which nothing is readable still answers: with one unknown generation.
        if (record.generations.empty()) record.generations.push_back({});
    }
    return record;
}

}  // namespace sworn::journal
