#include "journal/live_view.h"

#include <algorithm>

#include "journal/verdict.h"

namespace sworn::journal {
namespace {

std::string guard_key_of(std::string_view caller, const Digest& fingerprint) {
    std::string key{caller};
    for (const std::uint8_t byte : fingerprint.bytes)
        key.push_back(static_cast<char>(byte));
    return key;
}

/// The guard's questions, but for time: is this record one that must not be repeated blindly?
bool guards_by_kind(const Record& record) {
    if (!record.validated || !record.accepted) return false;
    if (!record.validated->guard || is_repeatable(record) || is_tunnel(record)) return false;
    if (record.validated->fingerprint_covers == "command") return false;
    return std::any_of(record.generations.begin(), record.generations.end(), was_dispatched);
}

}  // namespace

bool may_guard(const Record& record, WallTime now) {
    if (!guards_by_kind(record)) return false;
    if (record.running) return true;
    return project(record, now).outcome == Outcome::unknown || guard_state(record, now).armed;
}

void Wakeups::add(Waiter waiter, AppendOutcome outcome) {
    if (waiter.completion == nullptr) return;
    const auto same = [&](const auto& each) { return each.first == waiter.waker; };
    auto at = std::find_if(by_waker_.begin(), by_waker_.end(), same);
    if (at == by_waker_.end())
        at = by_waker_.emplace(by_waker_.end(), waiter.waker, std::vector<Finished>{});
    at->second.push_back(Finished{waiter.completion, std::move(outcome)});
}

void Wakeups::deliver() noexcept {
    for (auto& [waker, finished] : by_waker_) {
        if (waker != nullptr) {
            waker->wake(std::move(finished));
            continue;
        }
        for (Finished& each : finished)
            each.completion->complete(std::move(each.outcome));
    }
    by_waker_.clear();
}

WallTime LiveView::now() const noexcept {
    const WallTime newest{std::chrono::microseconds{newest_at_.load(std::memory_order_relaxed)}};
    return std::max(clock_.now(), newest);
}

void LiveView::note_time(WallTime at) noexcept {
    const std::int64_t count = at.time_since_epoch().count();
    if (count > newest_at_.load(std::memory_order_relaxed)) {
        newest_at_.store(count, std::memory_order_relaxed);
    }
}

std::vector<Waiter> LiveView::publish(std::shared_ptr<Record> record) {
    const InvocationId id = record->id;
    const bool guarding = may_guard(*record, now());
    const bool running = record->running;
    const std::lock_guard lock{mutex_};
    auto at = entries_.find(id);
    if (at == entries_.end() && (running || guarding)) {
        at = entries_.emplace(id, Entry{}).first;
        record->caller_half_closed = take_early(id);
    } else if (at != entries_.end()) {
        // A further generation has a caller of its own.
        const Record& earlier = *at->second.record;
        record->caller_half_closed = running && earlier.caller_half_closed &&
                                     earlier.generations.size() == record->generations.size();
    }
    std::string key =
        guarding ? guard_key_of(record->accepted->caller, record->accepted->fingerprint) : "";
    if (at != entries_.end()) {
        if (at->second.guard_key != key) {
            unlink(at->second, id);
            if (!key.empty()) guards_[key].push_back(id);
            at->second.guard_key = std::move(key);
        }
        at->second.record = std::move(record);
        if (!running && !guarding) entries_.erase(at);
    }
    if (running) return {};
    auto waiting = waiters_.extract(id);
    return waiting ? std::move(waiting.mapped()) : std::vector<Waiter>{};
}

std::vector<Waiter> LiveView::close() {
    const std::lock_guard lock{mutex_};
    closed_ = true;
    std::vector<Waiter> all;
    for (auto& [id, waiting] : waiters_)
        all.insert(all.end(), waiting.begin(), waiting.end());
    waiters_.clear();
    return all;
}

std::optional<InvocationId> LiveView::guarded(std::string_view caller, const Digest& digest,
                                              const InvocationId* except) const {
    const std::string key = guard_key_of(caller, digest);
    const WallTime at = now();
    const std::lock_guard lock{mutex_};
    const auto found = guards_.find(key);
    if (found == guards_.end()) return {};
    for (const InvocationId& id : found->second) {
        if (except != nullptr && id == *except) continue;
        if (guard_state(*entries_.at(id).record, at).armed) return id;
    }
    return {};
}

void LiveView::note_half_closed(InvocationId id) {
    const std::lock_guard lock{mutex_};
    const auto at = entries_.find(id);
    if (at == entries_.end()) {
        if (early_.size() == early_max) early_.pop_front();
        early_.push_back(id);
        return;
    }
    if (!at->second.record->running) return;
    auto copy = std::make_shared<Record>(*at->second.record);
    copy->caller_half_closed = true;
    at->second.record = std::move(copy);
}

bool LiveView::half_closed(InvocationId id) const {
    const std::lock_guard lock{mutex_};
    const auto at = entries_.find(id);
    return at != entries_.end() && at->second.record->caller_half_closed;
}

bool LiveView::wait(InvocationId id, Waiter waiter) {
    const std::lock_guard lock{mutex_};
    const auto at = entries_.find(id);
    if (closed_ || at == entries_.end() || !at->second.record->running) return false;
    waiters_[id].push_back(waiter);
    return true;
}

bool LiveView::forget(const Completion* completion) {
    const std::lock_guard lock{mutex_};
    for (auto at = waiters_.begin(); at != waiters_.end(); ++at) {
        const std::size_t removed = std::erase_if(
            at->second, [&](const Waiter& each) { return each.completion == completion; });
        if (removed == 0) continue;
        if (at->second.empty()) waiters_.erase(at);
        return true;
    }
    return false;
}

bool LiveView::take_early(InvocationId id) {
    const auto at = std::find(early_.begin(), early_.end(), id);
    if (at == early_.end()) return false;
    early_.erase(at);
    return true;
}

void LiveView::unlink(const Entry& entry, InvocationId id) {
    if (entry.guard_key.empty()) return;
    const auto at = guards_.find(entry.guard_key);
    std::erase(at->second, id);
    if (at->second.empty()) guards_.erase(at);
}

}  // namespace sworn::journal
