// The one writer of the store. Callers queue appends; the committer's thread takes the whole queue,
// stages it in order, and writes it as one batch: synced if any member asked for it (group commit).
// Only then are tickets made and completions sent, one wake per waker. A failed write or sync is
// final: every member is told that it may be on disk, and nothing is written ever after.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "journal/journal.h"
#include "journal/live_view.h"
#include "journal/staging.h"
#include "journal/store.h"

namespace sworn::journal {

/// Work on the store besides appends (retention); runs on the committer's thread.
using Maintenance = std::function<void(Staging&, Group&)>;

class Committer {
public:
    struct Limits {
        std::size_t queue_max = 65536;
        std::chrono::milliseconds lease{30'000};
    };
    /// Everything that is passed outlives the committer.
    Committer(Store& store, Staging& staging, LiveView& view, const Clock& clock,
              Observer& observer, Limits limits);
    ~Committer();  ///< Writes and syncs what is queued, then stops.
    Committer(const Committer&) = delete;
    Committer& operator=(const Committer&) = delete;

    /// Before `start` only, on the caller's thread: all of it, synced.
    [[nodiscard]] bool commit_now(std::vector<Append> appends);
    void start();

    // --- Any thread but the committer's ---
    void append(Append append);
    void barrier();                     ///< Returns when all that was queued before is written.
    void run(Maintenance maintenance);  ///< Returns when it is written and synced.
    [[nodiscard]] bool usable() const noexcept;
    [[nodiscard]] std::size_t unsettled() const noexcept;

private:
    /// busy: it will look at the queue by itself. dozing: it does so after `doze`, which suits
    /// buffered appends. asleep: somebody must call.
    enum class State : std::uint8_t { busy, dozing, asleep };
    struct Item {
        Append append;
        Maintenance maintenance;  ///< In place of an append, if set.
    };
    struct Member {
        Append append;
        AppendOutcome outcome;
        std::optional<Digest> dispatches;  ///< The request digest, if it earns a DispatchTicket.
        bool commits = false;              ///< It earns a CommitTicket.
    };

    void work();
    [[nodiscard]] std::vector<Item> take(bool& stop);
    void commit(std::vector<Item> items);
    void stage(Item& item, Group& group, std::vector<Member>& members);
    void flush(Group& group, std::vector<Member>& members);
    [[nodiscard]] bool write(Group& group);
    void finish(Member& member, bool written);
    void poison();
    void report_unsettled();

    Store& store_;
    Staging& staging_;
    LiveView& view_;
    const Clock& clock_;
    Observer& observer_;
    const Limits limits_;

    mutable std::mutex mutex_;
    std::condition_variable wanted_, done_;
    std::vector<Item> queue_;       // Guarded by mutex_, as is what follows.
    std::vector<Waiter> overflow_;  ///< Refused: the queue was full.
    std::uint64_t queued_ = 0, written_ = 0;
    bool urgent_ = false, stopping_ = false;
    State state_ = State::busy;

    std::atomic<bool> poisoned_{false};
    std::atomic<std::size_t> unsettled_{0};
    std::size_t reported_unsettled_ = SIZE_MAX;
    std::thread thread_;
};

}  // namespace sworn::journal
