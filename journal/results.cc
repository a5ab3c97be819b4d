// The journal's look-ups beside records: who holds a token or key, and the stored bodies.
#include "journal/journal_impl.h"
#include "journal/load.h"
#include "journal/part_file.h"
#include "journal/verdict.h"

namespace sworn::journal {
namespace {

std::vector<Binding> bindings_of(Store& store, const std::string& key) {
    const auto row = store.get(Column::index, key);
    if (!row || !*row) return {};
    return parse_bindings(**row).value_or(std::vector<Binding>{});
}

/// The generation whose body is asked for: the committed one, or the one that still streams.
const Generation* body_of(const Record& record) {
    if (record.result_expired || record.generations.empty()) return nullptr;
    if (const Generation* committed = newest_committed(record)) {
        return committed->result->retained ? committed : nullptr;
    }
    return record.running ? &record.generations.back() : nullptr;
}

std::filesystem::path file_of(const std::filesystem::path& results, const Record& record,
                              const Generation& generation) {
    if (generation.result) {
        return generation.result->part_file.empty() ? std::filesystem::path{}
                                                    : results / generation.result->part_file;
    }
    std::filesystem::path file = results / part_file_name(record.id, generation.number);
    std::error_code error;
    return std::filesystem::exists(file, error) ? file : std::filesystem::path{};
}

/// Parts as RESULT_PART told them; else fixed cuts of the committed length.
std::vector<StoredResult::Part> parts_in_file(const StoredRecord& stored,
                                              const Generation& generation) {
    std::vector<StoredResult::Part> parts;
    for (const StoredEvent& each : stored.events) {
        if (!each.event || each.event->generation != generation.number) continue;
        const auto* part = std::get_if<ResultPart>(&each.event->body);
        if (part == nullptr) continue;
        parts.push_back({part->part, part->stream, part->offset, part->size});
    }
    if (!parts.empty() || !generation.result) return parts;
    for (std::uint64_t offset = 0; offset < generation.result->bytes; offset += part_bytes) {
        parts.push_back({static_cast<std::uint32_t>(offset / part_bytes), Stream::body, offset,
                         std::min(part_bytes, generation.result->bytes - offset)});
    }
    return parts;
}

std::vector<StoredResult::Part> parts_in_journal(Store& store, InvocationId id,
                                                 std::uint32_t generation) {
    std::vector<StoredResult::Part> parts;
    const std::string prefix = generation_key(id, generation);
    // A part that cannot be read is missing to the reader, who knows digest and length.
    static_cast<void>(store.scan(Column::parts, prefix, prefix_end(prefix),
                                 [&](std::string_view key, std::string_view bytes) {
                                     const std::optional<PartKey> at = parse_part_key(key);
                                     if (!at || at->head) return true;
                                     const bool follows =
                                         !parts.empty() && parts.back().stream == at->stream;
                                     const std::uint64_t offset =
                                         follows ? parts.back().offset + parts.back().size : 0;
                                     parts.push_back({at->part, at->stream, offset, bytes.size()});
                                     return true;
                                 }));
    return parts;
}

}  // namespace

std::vector<Found> Journal::find_token(std::string_view caller, std::string_view token) {
    impl_->committer->barrier();
    std::vector<Found> found;
    for (Binding& each : bindings_of(*impl_->store, token_key(caller, token))) {
        found.push_back({each.id, each.fingerprint, std::move(each.caller)});
    }
    return found;
}

std::optional<Found> Journal::find_key(std::string_view scope, std::string_view key) {
    impl_->committer->barrier();
    std::vector<Binding> held = bindings_of(*impl_->store, idempotency_key(scope, key));
    if (held.empty()) return {};
    return Found{held.front().id, held.front().fingerprint, std::move(held.front().caller)};
}

std::optional<StoredResult> Journal::result(InvocationId id) {
    impl_->committer->barrier();
    const std::optional<StoredRecord> stored = load_record(*impl_->store, id);
    const Generation* generation = stored ? body_of(stored->record) : nullptr;
    if (generation == nullptr) return {};
    StoredResult result;
    const auto head = impl_->store->get(Column::parts, result_head_key(id, generation->number));
    if (head && *head) result.head = **head;
    result.file = file_of(impl_->directory.results(), stored->record, *generation);
    result.parts = result.file.empty() ? parts_in_journal(*impl_->store, id, generation->number)
                                       : parts_in_file(*stored, *generation);
    return result;
}

std::optional<std::string> Journal::read_part(InvocationId id, std::uint32_t part, Stream stream) {
    impl_->committer->barrier();
    const std::optional<StoredRecord> stored = load_record(*impl_->store, id);
    const Generation* generation = stored ? body_of(stored->record) : nullptr;
    if (generation == nullptr) return {};
    const std::filesystem::path file =
        file_of(impl_->directory.results(), stored->record, *generation);
    if (file.empty()) {
        const auto row =
            impl_->store->get(Column::parts, part_key(id, generation->number, stream, part));
        return row ? *row : std::optional<std::string>{};
    }
    std::uint64_t offset = 0;  // In the file, where the parts of all streams follow each other.
    for (const StoredResult::Part& each : parts_in_file(*stored, *generation)) {
        if (each.part == part && each.stream == stream) {
            return read_file_range(file, offset, each.size);
        }
        offset += each.size;
    }
    return {};
}

}  // namespace sworn::journal
