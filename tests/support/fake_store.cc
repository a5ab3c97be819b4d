#include "tests/support/fake_store.h"

#include <algorithm>
#include <atomic>

namespace sworn::journal {
namespace {

std::size_t index_of(Column column) {
    return static_cast<std::size_t>(column);
}

/// Counts down to the failing call: true when this is it.
bool is_due(std::size_t& countdown) {
    if (countdown == 0) return false;
    return --countdown == 0;
}

}  // namespace

class FakeStore final : public Store {
public:
    explicit FakeStore(std::shared_ptr<FakeDisk> disk) : disk_{std::move(disk)} {}

    StoreStatus write(const Batch& batch, bool sync) override {
        if (poisoned()) return StoreError{"failed before"};
        std::function<void()> hook;
        if (sync) {
            const std::lock_guard lock{disk_->mutex_};
            hook = disk_->hook_;
        }
        if (hook) hook();
        const std::lock_guard lock{disk_->mutex_};
        ++disk_->writes_;
        if (is_due(disk_->fail_write_)) return fail("no room for the write");
        FakeDisk::put(disk_->written_, batch);
        disk_->unsynced_.push_back(batch);
        if (!sync) return Done{};
        ++disk_->syncs_;
        if (is_due(disk_->fail_sync_)) return fail("the sync failed");
        for (const Batch& each : disk_->unsynced_)
            FakeDisk::put(disk_->synced_, each);
        disk_->unsynced_.clear();
        return Done{};
    }

    Result<std::optional<std::string>, StoreError> get(Column column,
                                                       std::string_view key) override {
        const std::lock_guard lock{disk_->mutex_};
        if (disk_->unreadable_[index_of(column)]) return StoreError{"a read failed"};
        const auto& rows = disk_->written_[index_of(column)];
        const auto at = rows.find(key);
        if (at == rows.end()) return std::optional<std::string>{};
        return std::optional<std::string>{at->second};
    }

    StoreStatus scan(Column column, std::string_view from, std::string_view until,
                     const Visit& visit) override {
        const auto rows = range(column, from, until);
        for (const auto& [key, value] : rows) {
            if (!visit(key, value)) return Done{};
        }
        return read_status(column);
    }

    StoreStatus scan_down(Column column, std::string_view from, std::string_view until,
                          const Visit& visit) override {
        const auto rows = range(column, from, until);
        for (auto at = rows.rbegin(); at != rows.rend(); ++at) {
            if (!visit(at->first, at->second)) return Done{};
        }
        return read_status(column);
    }

    [[nodiscard]] bool poisoned() const noexcept override {
        if (failed_.load()) return true;
        const std::lock_guard lock{disk_->mutex_};
        return disk_->background_fault_;
    }
    [[nodiscard]] std::uint64_t bytes_used() const override {
        const std::lock_guard lock{disk_->mutex_};
        return disk_->bytes_used_;
    }
    void compact() override {}

private:
    using RowList = std::vector<std::pair<std::string, std::string>>;

    StoreError fail(const char* what) {
        failed_.store(true);
        return StoreError{what};
    }

    /// A copy, as a snapshot: visitors may read on. Half of it where reads fail.
    RowList range(Column column, std::string_view from, std::string_view until) {
        const std::lock_guard lock{disk_->mutex_};
        const auto& rows = disk_->written_[index_of(column)];
        const auto begin = rows.lower_bound(from);
        const auto end = until.empty() ? rows.end() : rows.lower_bound(until);
        RowList list{begin, end};
        if (disk_->unreadable_[index_of(column)]) list.resize(list.size() / 2);
        return list;
    }

    StoreStatus read_status(Column column) {
        const std::lock_guard lock{disk_->mutex_};
        if (disk_->unreadable_[index_of(column)]) return StoreError{"a read failed"};
        return Done{};
    }

    std::shared_ptr<FakeDisk> disk_;
    std::atomic<bool> failed_{false};
};

std::unique_ptr<Store> FakeDisk::open() {
    return std::make_unique<FakeStore>(shared_from_this());
}

std::shared_ptr<FakeDisk> FakeDisk::crash() const {
    const std::lock_guard lock{mutex_};
    auto left = make();
    left->written_ = synced_;
    left->synced_ = synced_;
    return left;
}

std::shared_ptr<FakeDisk> FakeDisk::copy() const {
    const std::lock_guard lock{mutex_};
    auto same = make();
    same->written_ = written_;
    same->synced_ = written_;
    return same;
}

void FakeDisk::fail_write_at(std::size_t nth) {
    const std::lock_guard lock{mutex_};
    fail_write_ = nth;
}

void FakeDisk::fail_sync_at(std::size_t nth) {
    const std::lock_guard lock{mutex_};
    fail_sync_ = nth;
}

void FakeDisk::fail_in_background() {
    const std::lock_guard lock{mutex_};
    background_fault_ = true;
}

void FakeDisk::on_sync(std::function<void()> hook) {
    const std::lock_guard lock{mutex_};
    hook_ = std::move(hook);
}

void FakeDisk::flip_byte(Column column, const std::string& key, std::size_t at) {
    const std::lock_guard lock{mutex_};
    for (Columns* columns : {&written_, &synced_}) {
        const auto row = (*columns)[index_of(column)].find(key);
        if (row == (*columns)[index_of(column)].end()) continue;
        char& byte = row->second.at(at % row->second.size());
        byte = static_cast<char>(byte ^ 0x40);
    }
}

void FakeDisk::erase(Column column, const std::string& key) {
    const std::lock_guard lock{mutex_};
    for (Columns* columns : {&written_, &synced_})
        (*columns)[index_of(column)].erase(key);
}

void FakeDisk::fail_reads(Column column) {
    const std::lock_guard lock{mutex_};
    unreadable_[index_of(column)] = true;
}

void FakeDisk::set_bytes_used(std::uint64_t bytes) {
    const std::lock_guard lock{mutex_};
    bytes_used_ = bytes;
}

std::vector<std::string> FakeDisk::keys(Column column) const {
    const std::lock_guard lock{mutex_};
    std::vector<std::string> all;
    for (const auto& [key, value] : written_[index_of(column)])
        all.push_back(key);
    return all;
}

std::size_t FakeDisk::writes() const {
    const std::lock_guard lock{mutex_};
    return writes_;
}

std::size_t FakeDisk::syncs() const {
    const std::lock_guard lock{mutex_};
    return syncs_;
}

void FakeDisk::put(Columns& columns, const Batch& batch) {
    for (const Write& write : batch) {
        Rows& rows = columns[index_of(write.column)];
        if (write.value) {
            rows[write.key] = *write.value;
        } else {
            rows.erase(write.key);
        }
    }
}

}  // namespace sworn::journal
