#include "journal/retention.h"

#include <algorithm>

#include "journal/load.h"
#include "journal/part_file.h"

namespace sworn::journal {
namespace {

/// Per kind and pass; the next pass takes up where this one ended.
constexpr std::size_t candidates_max = 10'000;
/// Removals per write, so that no pass holds up the appends of others for long.
constexpr std::size_t removals_per_write = 100;
/// What a record's events, summary and index rows take, roughly.
constexpr std::uint64_t record_bytes = 2048;
constexpr std::uint64_t everything = UINT64_MAX;

bool over(WallTime since, std::chrono::milliseconds kept, WallTime now) {
    return since + kept <= now;
}

}  // namespace

Retention::Swept Retention::sweep(WallTime now) {
    const std::lock_guard lock{mutex_};
    committer_.barrier();
    const Due due = find_due(now);
    Swept swept;
    std::uint64_t freed = 0;
    swept.removed += expire(due.results, now, everything, freed);
    swept.removed += bury(due.records, everything, freed);
    swept.removed += erase(due.tombstones);
    const Swept more = make_room(due, now);
    swept.removed += more.removed;
    swept.full = more.full;
    return swept;
}

Retention::Due Retention::find_due(WallTime now) {
    Due due;
    // A range seen in part gives fewer candidates; the next pass sees it again.
    static_cast<void>(
        store_.scan(Column::heads, "", "", [&](std::string_view key, std::string_view row) {
            const std::optional<InvocationId> id = parse_id_key(key);
            const std::optional<Head> head = parse_head(row);
            if (id && head) sort_in(due, *id, *head, now);
            return true;
        }));
    return due;
}

void Retention::sort_in(Due& due, InvocationId id, const Head& head, WallTime now) const {
    const auto add = [&](std::vector<Candidate>& list, std::uint64_t bytes) {
        if (list.size() < candidates_max) list.push_back({id, bytes});
    };
    if (head.tombstone) {
        if (over(head.changed_at, options_.retain_tokens, now)) add(due.tombstones, record_bytes);
        return;
    }
    if (head.running) return;
    if (head.may_age && over(head.changed_at, options_.retain_records, now)) {
        return add(due.records, record_bytes + head.result_bytes);
    }
    if (head.has_result) {
        const bool its_time = over(head.changed_at, options_.retain_results, now);
        add(its_time ? due.results : due.more_results, head.result_bytes);
    }
    if (head.may_age) add(due.more_records, record_bytes);
}

std::size_t Retention::expire(const std::vector<Candidate>& candidates, WallTime now,
                              std::uint64_t room, std::uint64_t& freed) {
    std::vector<InvocationId> asked;
    for (const Candidate& each : candidates) {
        if (freed >= room) break;
        const std::optional<StoredRecord> stored = load_record(store_, each.id);
        if (!stored || stored->record.corrupt || stored->record.running) continue;
        Event event;
        event.ordinal = stored->record.next_ordinal;
        event.at = now;
        event.generation = stored->record.generations.back().number;
        event.body = ResultExpired{};
        Append append;
        append.id = each.id;
        append.events.push_back(std::move(event));
        committer_.append(std::move(append));
        asked.push_back(each.id);
        freed += each.bytes;
    }
    // Durable before a file goes: a record must not promise a body that is not there.
    committer_.run([](Staging&, Group&) {});
    std::size_t removed = 0;
    for (const InvocationId& id : asked) {
        const std::optional<StoredRecord> stored = load_record(store_, id);
        if (!committer_.usable() || !stored || !stored->record.result_expired) continue;
        for (const std::string& name : part_files(stored->record)) {
            remove_part_file(directory_.results(), name);
        }
        ++removed;
    }
    return removed;
}

std::size_t Retention::bury(const std::vector<Candidate>& candidates, std::uint64_t room,
                            std::uint64_t& freed) {
    std::size_t removed = 0;
    for (std::size_t at = 0; at < candidates.size() && freed < room; at += removals_per_write) {
        const std::size_t end = std::min(candidates.size(), at + removals_per_write);
        std::vector<std::string> files;
        std::size_t buried = 0;
        committer_.run([&](Staging& staging, Group& group) {
            for (std::size_t i = at; i < end && freed < room; ++i) {
                const std::optional<StoredRecord> stored = load_record(store_, candidates[i].id);
                if (!stored || !staging.bury(candidates[i].id, group)) continue;
                for (std::string& name : part_files(stored->record)) {
                    files.push_back(std::move(name));
                }
                freed += candidates[i].bytes;
                ++buried;
            }
        });
        if (!committer_.usable()) return removed;
        removed += buried;
        for (const std::string& name : files)
            remove_part_file(directory_.results(), name);
    }
    return removed;
}

std::size_t Retention::erase(const std::vector<Candidate>& candidates) {
    std::size_t removed = 0;
    for (std::size_t at = 0; at < candidates.size(); at += removals_per_write) {
        const std::size_t end = std::min(candidates.size(), at + removals_per_write);
        committer_.run([&](Staging& staging, Group& group) {
            for (std::size_t i = at; i < end; ++i) {
                if (staging.erase_tombstone(candidates[i].id, group)) ++removed;
            }
        });
    }
    return committer_.usable() ? removed : 0;
}

Retention::Swept Retention::make_room(const Due& due, WallTime now) {
    Swept swept;
    const std::uint64_t used = store_.bytes_used() + directory_.result_bytes();
    if (used <= options_.max_size) return swept;
    const std::uint64_t room = used - options_.max_size;
    std::uint64_t freed = 0;
    swept.removed += expire(due.more_results, now, room, freed);
    if (freed < room) swept.removed += bury(due.more_records, room, freed);
    // Deleted rows take room until they are compacted away.
    store_.compact();
    swept.full =
        store_.bytes_used() + directory_.result_bytes() > options_.max_size && swept.removed == 0;
    return swept;
}

std::vector<std::string> Retention::part_files(const Record& record) const {
    std::vector<std::string> names;
    for (const Generation& each : record.generations) {
        if (each.result && !each.result->part_file.empty()) names.push_back(each.result->part_file);
    }
    return names;
}

}  // namespace sworn::journal
