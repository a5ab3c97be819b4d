#include "journal/verify.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "journal/codec.h"
#include "journal/load.h"
#include "journal/part_file.h"
#include "journal/verdict.h"

namespace sworn::journal {
namespace {

constexpr std::uint64_t read_bytes = 1u << 20;

std::optional<Digest> inline_digest(Store& store, InvocationId id, const Generation& generation) {
    Sha256 digest;
    const std::string prefix = generation_key(id, generation.number);
    const StoreStatus seen = store.scan(Column::parts, prefix, prefix_end(prefix),
                                        [&](std::string_view key, std::string_view bytes) {
                                            const std::optional<PartKey> part = parse_part_key(key);
                                            if (part && !part->head) digest.update(bytes);
                                            return true;
                                        });
    if (!seen) return {};
    return digest.digest();
}

std::optional<Digest> file_digest(const std::filesystem::path& file, std::uint64_t bytes) {
    Sha256 digest;
    for (std::uint64_t offset = 0; offset < bytes; offset += read_bytes) {
        const auto piece = read_file_range(file, offset, std::min(read_bytes, bytes - offset));
        if (!piece) return {};
        digest.update(*piece);
    }
    return digest.digest();
}

class Verifier {
public:
    Verifier(Store& store, const std::filesystem::path& results)
        : store_{store}, results_{results} {}

    void check(const StoredRecord& stored) {
        ++report.records;
        for (const StoredEvent& each : stored.events)
            ++(each.event ? report.events : report.unreadable);
        std::vector<const char*> faults = faults_of(stored);
        if (!faults.empty()) {
            // Beside a running broker it may have been written on, or removed, since it was seen.
            read_position();
            const std::optional<StoredRecord> now = load_record(store_, stored.record.id);
            const bool is_there = now && !now->events.empty();
            faults = is_there ? faults_of(*now) : std::vector<const char*>{};
        }
        for (const char* what : faults)
            report.problems.push_back({stored.record.id, what});
    }

    void read_position() {
        const auto row = store_.get(Column::meta, position_meta_key);
        const std::optional<Position> position =
            row && *row ? parse_position(**row) : std::optional<Position>{};
        newest_seq_ = position ? position->seq : UINT64_MAX;
    }

    /// Heads without events: tombstones, or records that were lost whole.
    StoreStatus check_heads() {
        return store_.scan(Column::heads, "", "", [&](std::string_view key, std::string_view row) {
            const std::optional<InvocationId> id = parse_id_key(key);
            const std::optional<Head> head = parse_head(row);
            if (!id) return true;
            if (!head) {
                report.problems.push_back({*id, "its summary cannot be read"});
            } else if (head->tombstone) {
                ++report.tombstones;
            } else if (!load_record(store_, *id)) {
                report.problems.push_back({*id, "its events are missing"});
            }
            return true;
        });
    }

    VerifyReport report;

private:
    using Faults = std::vector<const char*>;

    Faults faults_of(const StoredRecord& stored) {
        Faults faults;
        bool readable = true;
        for (const StoredEvent& each : stored.events) {
            readable = readable && each.event.has_value();
            if (each.seq > newest_seq_) faults.push_back("an event is newer than the journal");
        }
        if (!readable) {
            faults.push_back("an event cannot be read");
        } else if (stored.record.corrupt) {
            faults.push_back("an event is missing or illegal");
        }
        check_head(stored.record, faults);
        check_result(stored.record, faults);
        return faults;
    }

    void check_head(const Record& record, Faults& faults) {
        const auto row = store_.get(Column::heads, id_key(record.id));
        if (!row || !*row) return faults.push_back("its summary is missing");
        const std::optional<Head> head = parse_head(**row);
        if (head && head->seq > record.last_seq) {
            faults.push_back("its newest events are missing");
        }
    }

    void check_result(const Record& record, Faults& faults) {
        const Generation* generation = newest_committed(record);
        if (generation == nullptr || record.result_expired) return;
        const ResultCommitted& result = *generation->result;
        if (!result.retained || result.bytes == 0) return;
        if (!result.part_file.empty() && results_.empty()) return;
        const std::optional<Digest> found =
            result.part_file.empty() ? inline_digest(store_, record.id, *generation)
                                     : file_digest(results_ / result.part_file, result.bytes);
        if (found != result.result_digest) {
            faults.push_back("its result does not match its digest");
        }
    }

    Store& store_;
    const std::filesystem::path& results_;
    std::uint64_t newest_seq_ = UINT64_MAX;
};

std::string export_line(InvocationId id, const StoredEvent& stored) {
    boost::json::object object;
    object["invocation_id"] = id.text();
    if (stored.event) {
        for (const auto& field : to_json(*stored.event))
            object.insert(field);
    } else {
        object["seq"] = stored.seq;
        object["unreadable"] = true;
    }
    return boost::json::serialize(object);
}

}  // namespace

VerifyReport verify(Store& store, const std::filesystem::path& results) {
    Verifier verifier{store, results};
    verifier.read_position();
    StoreStatus seen = for_each_record(store, [&](const StoredRecord& stored) {
        verifier.check(stored);
        return true;
    });
    if (seen) seen = verifier.check_heads();
    if (!seen) verifier.report.fault = seen.error().what;
    return std::move(verifier.report);
}

StoreStatus export_jsonl(Store& store, const std::function<void(std::string_view)>& line) {
    return for_each_record(store, [&](const StoredRecord& stored) {
        for (const StoredEvent& each : stored.events)
            line(export_line(stored.record.id, each));
        return true;
    });
}

Result<ExportPiece, StoreError> export_piece(Store& store, InvocationId first,
                                             std::size_t bytes_max) {
    ExportPiece piece;
    const auto take = [&](const StoredRecord& stored) {
        if (piece.lines.size() > bytes_max) {
            piece.next = stored.record.id;
            return false;
        }
        for (const StoredEvent& each : stored.events)
            piece.lines += export_line(stored.record.id, each) + '\n';
        return true;
    };
    const StoreStatus seen = for_each_record(store, take, first);
    if (!seen) return seen.error();
    return piece;
}

}  // namespace sworn::journal
