#include "journal/load.h"

#include <algorithm>

#include "journal/codec.h"
#include "journal/verdict.h"

namespace sworn::journal {
namespace {

/// One row of `events`: frames until the end, or until the first that cannot be read.
void add_row(std::vector<StoredEvent>& events, std::uint64_t seq, std::string_view frames) {
    if (frames.empty()) events.push_back(StoredEvent{seq, {}});
    while (!frames.empty()) {
        Result<Event, CodecError> event = decode(frames);
        if (!event) {
            events.push_back(StoredEvent{seq, {}});
            return;
        }
        seq = event->seq + 1;
        events.push_back(StoredEvent{event->seq, std::move(*event)});
    }
}

/// The range was seen only in part: whatever follows is unreadable.
void add_read_fault(std::vector<StoredEvent>& events) {
    const std::uint64_t seq = events.empty() ? 1 : events.back().seq + 1;
    events.push_back(StoredEvent{seq, {}});
}

bool may_age(const Record& record, const Projection& projection) {
    if (record.corrupt) return false;
    if (projection.running) return false;
    if (projection.outcome != Outcome::unknown) return true;
    if (is_tunnel(record)) return true;
    return is_repeatable(record);
}

std::optional<StoredRecord> load_tombstone(Store& store, InvocationId id) {
    const auto row = store.get(Column::heads, id_key(id));
    if (!row || !*row) return {};
    const std::optional<Head> head = parse_head(**row);
    if (!head || !head->tombstone) return {};
    return StoredRecord{tombstone_record(id, *head), {}};
}

}  // namespace

std::optional<StoredRecord> load_record(Store& store, InvocationId id) {
    std::vector<StoredEvent> events;
    const std::string prefix = id_key(id);
    const StoreStatus seen = store.scan(Column::events, prefix, prefix_end(prefix),
                                        [&](std::string_view key, std::string_view frames) {
                                            const std::optional<EventKey> at = parse_event_key(key);
                                            if (at) add_row(events, at->seq, frames);
                                            return true;
                                        });
    if (!seen) add_read_fault(events);
    if (events.empty()) return load_tombstone(store, id);
    Record record = replay(id, events);
    return StoredRecord{std::move(record), std::move(events)};
}

StoreStatus for_each_record(Store& store, const std::function<bool(const StoredRecord&)>& visit,
                            InvocationId first) {
    InvocationId id;
    std::vector<StoredEvent> events;
    bool wanted = true;
    const auto hand_over = [&] {
        if (events.empty() || !wanted) return;
        Record record = replay(id, events);
        wanted = visit(StoredRecord{std::move(record), std::move(events)});
        events = {};
    };
    const StoreStatus seen = store.scan(Column::events, id_key(first), "",
                                        [&](std::string_view key, std::string_view frames) {
                                            const std::optional<EventKey> at = parse_event_key(key);
                                            if (!at) return true;
                                            if (at->id != id) hand_over();
                                            id = at->id;
                                            add_row(events, at->seq, frames);
                                            return wanted;
                                        });
    if (!seen && !events.empty()) add_read_fault(events);
    hand_over();
    return seen;
}

Result<std::vector<InvocationId>, StoreError> listed_ids(Store& store, IdList list) {
    std::vector<InvocationId> ids;
    const std::string prefix = list_prefix(list);
    const StoreStatus seen = store.scan(
        Column::index, prefix, prefix_end(prefix), [&](std::string_view key, std::string_view) {
            const std::optional<InvocationId> id = parse_id_key(key.substr(1));
            if (id) ids.push_back(*id);
            return true;
        });
    if (!seen) return seen.error();
    return ids;
}

bool is_unsettled(const Record& record, const Projection& projection) noexcept {
    if (projection.running) return false;
    return projection.outcome == Outcome::unknown && !is_tunnel(record);
}

Head summarise(const Record& record, WallTime now) {
    const Projection projection = project(record, now);
    Head head;
    head.running = record.running;
    head.unsettled = is_unsettled(record, projection);
    head.may_age = may_age(record, projection);
    head.outcome = projection.outcome;
    head.seq = record.last_seq;
    head.accepted_at = record.accepted_at.value_or(record.last_at.value_or(record.id.time()));
    head.changed_at = record.last_at.value_or(head.accepted_at);
    const Generation* generation = newest_committed(record);
    head.has_result =
        generation != nullptr && generation->result->retained && !record.result_expired;
    if (head.has_result) head.result_bytes = generation->result->bytes;
    return head;
}

Record tombstone_record(InvocationId id, const Head& head) {
    Record record;
    record.id = id;
    record.accepted.emplace();
    record.accepted->caller = head.caller;
    record.accepted->token = head.token;
    record.accepted->fingerprint = head.fingerprint;
    Generation& generation = record.generations.emplace_back();
    generation.outcome = head.outcome;
    generation.phase = head.phase;
    generation.code = head.code;
    generation.directive = head.retry;
    switch (head.outcome) {
        case Outcome::not_attempted:
            generation.step = Step::refused;
            break;
        case Outcome::unknown:
            generation.step = Step::broken;
            break;
        case Outcome::rejected:
        case Outcome::committed:
            generation.step = Step::committed;
            break;
    }
    if (head.outcome != Outcome::not_attempted) generation.dispatched_at = head.changed_at;
    generation.ended_at = head.changed_at;
    record.result_expired = generation.step == Step::committed;
    record.accepted_at = head.accepted_at;
    record.last_at = head.changed_at;
    record.last_seq = head.seq;
    return record;
}

}  // namespace sworn::journal
