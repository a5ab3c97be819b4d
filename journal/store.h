// What the journal needs of a disk: atomic batches, optionally synced, and ordered reads. The
// production store is RocksDB (store_rocksdb.cc); the fake one (tests/support/fake_store.h) forgets
// what was not synced. Nothing above this line may assume RocksDB.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace sworn::journal {

/// Column families; docs/formats.md gives each one's keys and values.
enum class Column : std::uint8_t { events, heads, parts, index, meta };

struct Write {
    Column column;
    std::string key;
    std::optional<std::string> value;  ///< None deletes.
};
using Batch = std::vector<Write>;

struct StoreError {
    std::string what;  ///< For the operator's log; holds no user data.
};
using StoreStatus = Result<Done, StoreError>;

/// Gets a key and its value; false ends the scan. May read the store, not write it.
using Visit = std::function<bool(std::string_view, std::string_view)>;

/// Reads may come from any thread; `write` from the committer only.
class Store {
public:
    virtual ~Store() = default;

    /// All of `batch` or nothing. With `sync`, durable (with every batch before it) on return; an
    /// empty batch may be synced. After the first error every later write fails.
    [[nodiscard]] virtual StoreStatus write(const Batch& batch, bool sync) = 0;
    /// The value, or none. An error is a read fault: it proves nothing about the key.
    [[nodiscard]] virtual Result<std::optional<std::string>, StoreError> get(
        Column column, std::string_view key) = 0;
    /// Visits keys in [from, until) upwards until `visit` returns false. Empty `until`: to the end.
    /// After an error the range was seen only in part.
    virtual StoreStatus scan(Column column, std::string_view from, std::string_view until,
                             const Visit& visit) = 0;
    /// The same range downwards.
    virtual StoreStatus scan_down(Column column, std::string_view from, std::string_view until,
                                  const Visit& visit) = 0;
    /// True once a background fault (flush, compaction) made the handle unfit to write.
    [[nodiscard]] virtual bool poisoned() const noexcept = 0;
    /// Bytes on disk, for `journal.max_size`.
    [[nodiscard]] virtual std::uint64_t bytes_used() const = 0;
    /// Gives the room of deleted rows back to the disk; may take long, blocks only its caller.
    virtual void compact() = 0;
};

/// Opens or makes the database. Refuses a corrupt log with a sentence that says how to export.
/// `read_only` makes nothing, takes no lock, and skips what it cannot read of the log, so that
/// the rest can be verified and exported; `write` then fails.
[[nodiscard]] Result<std::unique_ptr<Store>, StoreError> open_rocksdb_store(
    const std::filesystem::path& directory, bool read_only = false);

}  // namespace sworn::journal
