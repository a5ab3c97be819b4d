// What other threads may ask about records that are running or stop a blind repeat: the guard by
// caller and fingerprint, and who waits for a record's end. Written by the committer, read by the
// I/O threads; one mutex, held for look-ups only, never over the disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/clock.h"
#include "journal/journal.h"

namespace sworn::journal {

struct Waiter {
    Waker* waker = nullptr;
    Completion* completion = nullptr;
};

/// Calls each waker once with all of its completions; those without a waker directly.
class Wakeups {
public:
    void add(Waiter waiter, AppendOutcome outcome);
    void deliver() noexcept;

private:
    std::vector<std::pair<Waker*, std::vector<Finished>>> by_waker_;
};

class LiveView {
public:
    explicit LiveView(const Clock& clock) : clock_{clock} {}

    /// The later of the clock and of the newest `at` that was stored (contract section 2, rule 7).
    [[nodiscard]] WallTime now() const noexcept;

    // --- Committer ---
    void note_time(WallTime at) noexcept;
    /// The newest state of a record. Returns who waited for its end, if this is it.
    [[nodiscard]] std::vector<Waiter> publish(std::shared_ptr<Record> record);
    /// Nothing more will be published: everybody is told, now and later.
    [[nodiscard]] std::vector<Waiter> close();

    // --- Any thread ---
    /// Another record than `except` that stops this fingerprint of this caller now.
    [[nodiscard]] std::optional<InvocationId> guarded(std::string_view caller, const Digest& digest,
                                                      const InvocationId* except) const;
    void note_half_closed(InvocationId id);
    [[nodiscard]] bool half_closed(InvocationId id) const;
    /// False: `id` is not running, nobody will call.
    [[nodiscard]] bool wait(InvocationId id, Waiter waiter);
    /// False: it was already handed to its waker, or never waited.
    bool forget(const Completion* completion);

private:
    static constexpr std::size_t early_max = 1024;
    struct Entry {
        std::shared_ptr<const Record> record;
        std::string guard_key;  ///< Empty: outside the guard.
    };
    [[nodiscard]] bool take_early(InvocationId id);
    void unlink(const Entry& entry, InvocationId id);

    const Clock& clock_;
    std::atomic<std::int64_t> newest_at_{0};  ///< Microseconds since the epoch.
    mutable std::mutex mutex_;
    std::unordered_map<InvocationId, Entry, InvocationIdHash> entries_;
    std::unordered_map<std::string, std::vector<InvocationId>> guards_;
    std::unordered_map<InvocationId, std::vector<Waiter>, InvocationIdHash> waiters_;
    std::deque<InvocationId> early_;  ///< Half-closed before their first event was committed.
    bool closed_ = false;
};

/// Whether a record may stop a blind repeat, now or once time has passed.
[[nodiscard]] bool may_guard(const Record& record, WallTime now);

}  // namespace sworn::journal
