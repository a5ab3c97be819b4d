// RocksDB as the journal's disk. Strict recovery (a flipped byte must not silently drop what was
// synced after it), small memtables, one background thread, and no second chance after a fault.
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <array>
#include <atomic>
#include <system_error>

#include "journal/store.h"

namespace sworn::journal {
namespace {

constexpr std::size_t memtables_bytes_max = 8u << 20;
constexpr std::size_t block_cache_bytes = 8u << 20;
constexpr std::uint64_t log_bytes_max = 32u << 20;
constexpr int open_files_max = 64;

constexpr std::array<const char*, 5> column_names{"events", "heads", "parts", "index", "meta"};

StoreError fault(const char* doing, const rocksdb::Status& status) {
    return StoreError{std::string{doing} + ": " + status.ToString()};
}

rocksdb::Slice slice(std::string_view bytes) {
    return {bytes.data(), bytes.size()};
}
std::string_view view(const rocksdb::Slice& bytes) {
    return {bytes.data(), bytes.size()};
}

/// A flush or compaction that failed leaves the handle unfit, whatever RocksDB thinks later.
class FaultListener final : public rocksdb::EventListener {
public:
    void OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status*) override {
        faulted_.store(true, std::memory_order_release);
    }
    [[nodiscard]] bool faulted() const noexcept { return faulted_.load(std::memory_order_acquire); }

private:
    std::atomic<bool> faulted_{false};
};

rocksdb::DBOptions database_options(std::shared_ptr<FaultListener> listener, bool read_only) {
    rocksdb::DBOptions options;
    options.create_if_missing = !read_only;
    options.create_missing_column_families = !read_only;
    options.wal_recovery_mode = read_only ? rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords
                                          : rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
    options.recycle_log_file_num = 0;
    options.max_bgerror_resume_count = 0;
    options.paranoid_checks = true;
    options.db_write_buffer_size = memtables_bytes_max;
    options.max_total_wal_size = log_bytes_max;
    options.max_open_files = open_files_max;
    options.max_background_jobs = 1;
    options.max_file_opening_threads = 1;
    options.table_cache_numshardbits = 2;
    options.skip_stats_update_on_db_open = true;
    options.stats_dump_period_sec = 0;
    options.stats_persist_period_sec = 0;
    options.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
    options.keep_log_file_num = 1;
    options.max_log_file_size = 256u << 10;
    options.bytes_per_sync = 1u << 20;
    options.max_manifest_file_size = 1u << 20;
    options.listeners.push_back(std::move(listener));
    return options;
}

rocksdb::ColumnFamilyOptions column_options(const std::shared_ptr<rocksdb::Cache>& cache) {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = cache;
    table.cache_index_and_filter_blocks = true;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    rocksdb::ColumnFamilyOptions options;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options.compression = rocksdb::kNoCompression;
    options.write_buffer_size = memtables_bytes_max / 2;
    options.arena_block_size = 128u << 10;
    options.max_write_buffer_number = 3;
    options.target_file_size_base = 8u << 20;
    options.max_bytes_for_level_base = 64u << 20;
    return options;
}

std::string refusal(const std::filesystem::path& directory, const rocksdb::Status& status) {
    if (status.IsCorruption()) {
        return "the journal in " + directory.string() + " is damaged (" + status.ToString() +
               "); it is left as it is. What is readable can be saved with `sworn journal "
               "export`, and what was damaged is named by `sworn journal verify`.";
    }
    return "the journal in " + directory.string() + " cannot be opened: " + status.ToString();
}

class RocksStore final : public Store {
public:
    RocksStore(std::filesystem::path directory, std::shared_ptr<FaultListener> listener,
               std::unique_ptr<rocksdb::DB> database,
               std::vector<rocksdb::ColumnFamilyHandle*> handles, bool read_only)
        : directory_{std::move(directory)},
          listener_{std::move(listener)},
          database_{std::move(database)},
          handles_{std::move(handles)},
          read_only_{read_only} {}

    ~RocksStore() override {
        for (rocksdb::ColumnFamilyHandle* handle : handles_) {
            // A handle that fails to close is freed with the database on the next line.
            static_cast<void>(database_->DestroyColumnFamilyHandle(handle));
        }
        static_cast<void>(database_->Close());
    }
    RocksStore(const RocksStore&) = delete;
    RocksStore& operator=(const RocksStore&) = delete;

    StoreStatus write(const Batch& batch, bool sync) override {
        if (read_only_) return StoreError{"the journal is open for reading only"};
        if (poisoned()) return StoreError{"the journal failed before"};
        const rocksdb::Status status = batch.empty() ? sync_log(sync) : put(batch, sync);
        if (status.ok()) return Done{};
        failed_.store(true, std::memory_order_release);
        return fault("writing the journal", status);
    }

    Result<std::optional<std::string>, StoreError> get(Column column,
                                                       std::string_view key) override {
        std::string value;
        const rocksdb::Status status =
            database_->Get(rocksdb::ReadOptions{}, handle(column), slice(key), &value);
        if (status.IsNotFound()) return std::optional<std::string>{};
        if (!status.ok()) return fault("reading the journal", status);
        return std::optional<std::string>{std::move(value)};
    }

    StoreStatus scan(Column column, std::string_view from, std::string_view until,
                     const Visit& visit) override {
        const rocksdb::Slice end = slice(until);
        rocksdb::ReadOptions options;
        if (!until.empty()) options.iterate_upper_bound = &end;
        const std::unique_ptr<rocksdb::Iterator> at{
            database_->NewIterator(options, handle(column))};
        for (at->Seek(slice(from)); at->Valid(); at->Next()) {
            if (!visit(view(at->key()), view(at->value()))) return Done{};
        }
        if (!at->status().ok()) return fault("reading the journal", at->status());
        return Done{};
    }

    StoreStatus scan_down(Column column, std::string_view from, std::string_view until,
                          const Visit& visit) override {
        const std::unique_ptr<rocksdb::Iterator> at{
            database_->NewIterator(rocksdb::ReadOptions{}, handle(column))};
        if (until.empty()) {
            at->SeekToLast();
        } else {
            at->SeekForPrev(slice(until));
            if (at->Valid() && view(at->key()) == until) at->Prev();
        }
        for (; at->Valid() && view(at->key()) >= from; at->Prev()) {
            if (!visit(view(at->key()), view(at->value()))) return Done{};
        }
        if (!at->status().ok()) return fault("reading the journal", at->status());
        return Done{};
    }

    [[nodiscard]] bool poisoned() const noexcept override {
        return failed_.load(std::memory_order_acquire) || listener_->faulted();
    }

    [[nodiscard]] std::uint64_t bytes_used() const override {
        std::uint64_t bytes = 0;
        std::error_code error;
        for (std::filesystem::directory_iterator at{directory_, error}, end; !error && at != end;
             at.increment(error)) {
            std::error_code gone;  // Compaction removes files while they are listed.
            const std::uintmax_t size = at->file_size(gone);
            if (!gone) bytes += size;
        }
        return bytes;
    }

    void compact() override {
        if (read_only_ || poisoned()) return;
        for (rocksdb::ColumnFamilyHandle* each : handles_) {
            // A failure reaches the listener.
            static_cast<void>(
                database_->CompactRange(rocksdb::CompactRangeOptions{}, each, nullptr, nullptr));
        }
    }

private:
    [[nodiscard]] rocksdb::ColumnFamilyHandle* handle(Column column) const {
        return handles_[static_cast<std::size_t>(column)];
    }

    rocksdb::Status sync_log(bool sync) {
        return sync ? database_->SyncWAL() : rocksdb::Status::OK();
    }

    rocksdb::Status put(const Batch& batch, bool sync) {
        rocksdb::WriteBatch rows;
        for (const Write& write : batch) {
            const rocksdb::Status status =
                write.value ? rows.Put(handle(write.column), slice(write.key), slice(*write.value))
                            : rows.Delete(handle(write.column), slice(write.key));
            if (!status.ok()) return status;
        }
        rocksdb::WriteOptions options;
        options.sync = sync;
        return database_->Write(options, &rows);
    }

    std::filesystem::path directory_;
    std::shared_ptr<FaultListener> listener_;
    std::unique_ptr<rocksdb::DB> database_;
    std::vector<rocksdb::ColumnFamilyHandle*> handles_;  ///< In the order of Column.
    bool read_only_;
    std::atomic<bool> failed_{false};
};

std::vector<rocksdb::ColumnFamilyDescriptor> columns() {
    const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(block_cache_bytes, 2);
    std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
    for (const char* name : column_names)
        descriptors.emplace_back(name, column_options(cache));
    // RocksDB insists on its own family; nothing is stored there.
    descriptors.emplace_back(rocksdb::kDefaultColumnFamilyName, column_options(cache));
    return descriptors;
}

}  // namespace

Result<std::unique_ptr<Store>, StoreError> open_rocksdb_store(
    const std::filesystem::path& directory, bool read_only) {
    auto listener = std::make_shared<FaultListener>();
    const rocksdb::DBOptions options = database_options(listener, read_only);
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* opened = nullptr;
    const rocksdb::Status status =
        read_only ? rocksdb::DB::OpenForReadOnly(options, directory.string(), columns(), &handles,
                                                 &opened)
                  : rocksdb::DB::Open(options, directory.string(), columns(), &handles, &opened);
    if (!status.ok()) return StoreError{refusal(directory, status)};
    std::unique_ptr<Store> store = std::make_unique<RocksStore>(
        directory, std::move(listener), std::unique_ptr<rocksdb::DB>{opened}, std::move(handles),
        read_only);
    return store;
}

}  // namespace sworn::journal
