// A disk in memory that keeps what was synced apart from what was only written, fails on demand,
// and can be "pulled out": what a crash leaves is what was synced.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "journal/store.h"

namespace sworn::journal {

class FakeDisk : public std::enable_shared_from_this<FakeDisk> {
public:
    [[nodiscard]] static std::shared_ptr<FakeDisk> make() { return std::make_shared<FakeDisk>(); }
    /// A handle on this disk. Its poison is its own: the next handle starts sound.
    [[nodiscard]] std::unique_ptr<Store> open();
    /// Another disk with what was synced here.
    [[nodiscard]] std::shared_ptr<FakeDisk> crash() const;
    /// Another disk with all that was written here, synced or not.
    [[nodiscard]] std::shared_ptr<FakeDisk> copy() const;

    /// The nth write from now on (1 = the next) fails and leaves nothing; 0: none.
    void fail_write_at(std::size_t nth);
    /// The nth sync from now on fails: its batch is written, not synced; 0: none.
    void fail_sync_at(std::size_t nth);
    /// A flush in the background failed.
    void fail_in_background();
    /// Called inside a synced write, before it takes effect; no lock is held.
    void on_sync(std::function<void()> hook);
    /// Changes one byte of a stored value; the disk then gives back what it never got.
    void flip_byte(Column column, const std::string& key, std::size_t at);
    void erase(Column column, const std::string& key);
    /// Reads of this column fail half-way.
    void fail_reads(Column column);
    void set_bytes_used(std::uint64_t bytes);

    [[nodiscard]] std::vector<std::string> keys(Column column) const;
    [[nodiscard]] std::size_t writes() const;
    [[nodiscard]] std::size_t syncs() const;

private:
    friend class FakeStore;
    using Rows = std::map<std::string, std::string, std::less<>>;
    using Columns = std::array<Rows, 5>;
    static void put(Columns& columns, const Batch& batch);

    mutable std::mutex mutex_;
    Columns written_, synced_;
    std::vector<Batch> unsynced_;
    std::size_t writes_ = 0, syncs_ = 0, fail_write_ = 0, fail_sync_ = 0;
    std::array<bool, 5> unreadable_{};
    bool background_fault_ = false;
    std::uint64_t bytes_used_ = 0;
    std::function<void()> hook_;
};

}  // namespace sworn::journal
