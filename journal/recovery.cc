#include "journal/recovery.h"

#include <algorithm>
#include <system_error>

#include "journal/load.h"
#include "journal/part_file.h"
#include "journal/verdict.h"

namespace sworn::journal {
namespace {

constexpr std::size_t rebuild_rows_max = 1024;

bool has_rows(Store& store, Column column) {
    bool any = false;
    const StoreStatus seen = store.scan(column, "", "", [&](std::string_view, std::string_view) {
        any = true;
        return false;
    });
    return any || !seen;
}

std::optional<RecoveryError> check_format(Store& store) {
    const auto row = store.get(Column::meta, format_meta_key);
    if (!row) return RecoveryError{row.error().what};
    if (!*row) {
        const Batch batch{
            {Column::meta, std::string{format_meta_key}, encode_format(format_version)}};
        const StoreStatus written = store.write(batch, true);
        if (!written) return RecoveryError{written.error().what};
        return {};
    }
    const std::optional<std::uint32_t> version = parse_format(**row);
    if (!version) return RecoveryError{"the journal's format row cannot be read"};
    if (*version > format_version) {
        return RecoveryError{"the journal was written by a newer version (format " +
                             std::to_string(*version) + ")"};
    }
    return {};
}

/// The position and the summaries from the events themselves.
std::optional<RecoveryError> rebuild(Store& store, WallTime now, Position& position) {
    Batch batch;
    StoreStatus written = Done{};
    const StoreStatus seen = for_each_record(store, [&](const StoredRecord& stored) {
        const Record& record = stored.record;
        position.seq = std::max(position.seq, record.last_seq);
        position.at = std::max(position.at, record.last_at.value_or(WallTime{}));
        batch.push_back({Column::heads, id_key(record.id), encode_head(summarise(record, now))});
        if (batch.size() < rebuild_rows_max) return true;
        written = store.write(batch, false);
        batch.clear();
        return static_cast<bool>(written);
    });
    if (!seen) return RecoveryError{seen.error().what};
    batch.push_back({Column::meta, std::string{position_meta_key}, encode_position(position)});
    if (written) written = store.write(batch, true);
    if (!written) return RecoveryError{written.error().what};
    return {};
}

/// Nothing for a record whose events cannot carry one; its list rows are put right all the same.
std::vector<Event> restate(const Record& record, WallTime now) {
    if (record.corrupt || record.generations.empty()) return {};
    Record at_rest = record;
    at_rest.running = false;
    const Projection proven = project(at_rest, now);
    Event event;
    event.ordinal = record.next_ordinal;
    event.at = now;
    event.generation = record.generations.back().number;
    event.body = BrokerRecovered{proven.phase, proven.outcome};
    return {std::move(event)};
}

bool is_wanted(Store& store, const PartFileName& name) {
    const std::optional<StoredRecord> stored = load_record(store, name.id);
    if (!stored) return false;
    // What cannot be read may be the event that names the file.
    if (stored->record.corrupt) return true;
    if (stored->record.result_expired) return false;
    const std::string text = part_file_name(name.id, name.generation);
    return std::any_of(
        stored->record.generations.begin(), stored->record.generations.end(),
        [&](const Generation& each) { return each.result && each.result->part_file == text; });
}

std::size_t remove_orphans(Store& store, const std::filesystem::path& results) {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator at{results, error}, end; !error && at != end;
         at.increment(error)) {
        names.push_back(at->path().filename().string());
    }
    std::size_t removed = 0;
    for (const std::string& text : names) {
        const std::optional<PartFileName> name = parse_part_file_name(text);
        if (!name || is_wanted(store, *name)) continue;
        remove_part_file(results, text);
        ++removed;
    }
    return removed;
}

}  // namespace

Result<StartingPoint, RecoveryError> read_starting_point(Store& store, WallTime now) {
    if (const auto refused = check_format(store)) return *refused;
    StartingPoint start;
    const auto row = store.get(Column::meta, position_meta_key);
    if (!row) return RecoveryError{row.error().what};
    const std::optional<Position> position =
        *row ? parse_position(**row) : std::optional<Position>{};
    if (position) start.position = *position;
    const bool summaries_lost = !has_rows(store, Column::heads) && has_rows(store, Column::events);
    if (summaries_lost || (!position && has_rows(store, Column::events))) {
        if (const auto failed = rebuild(store, now, start.position)) return *failed;
    }
    const auto unsettled = listed_ids(store, IdList::unsettled);
    if (!unsettled) return RecoveryError{unsettled.error().what};
    start.unsettled = unsettled->size();
    return start;
}

Result<RecoveryReport, RecoveryError> recover(Store& store, LiveView& view, Committer& committer,
                                              const std::filesystem::path& results) {
    const auto guarding = listed_ids(store, IdList::guarding);
    if (!guarding) return RecoveryError{guarding.error().what};
    for (const InvocationId& id : *guarding) {
        std::optional<StoredRecord> stored = load_record(store, id);
        if (!stored) continue;
        static_cast<void>(view.publish(std::make_shared<Record>(std::move(stored->record))));
    }
    const auto unfinished = listed_ids(store, IdList::unfinished);
    if (!unfinished) return RecoveryError{unfinished.error().what};
    RecoveryReport report;
    std::vector<Append> appends;
    for (const InvocationId& id : *unfinished) {
        const std::optional<StoredRecord> stored = load_record(store, id);
        if (!stored || stored->events.empty()) continue;
        ++(stored->record.corrupt ? report.corrupt : report.unfinished);
        Append append;
        append.id = id;
        append.events = restate(stored->record, view.now());
        append.last = true;
        appends.push_back(std::move(append));
    }
    if (!committer.commit_now(std::move(appends))) {
        return RecoveryError{"the journal cannot be written"};
    }
    report.part_files_removed = remove_orphans(store, results);
    return report;
}

}  // namespace sworn::journal
