#include "proxy/connect/pool.h"

#include <algorithm>
#include <iterator>

#include "common/assert.h"

namespace sworn::connect {

using std::chrono::steady_clock;

Pool::Pool(io::ThreadContext& thread, Dialer::Limits limits)
    : limits_{limits}, deadline_{thread.wheel, *this} {}

ConnectionPtr Pool::take(const Origin& origin) {
    for (auto found = by_origin_.find(origin); found != by_origin_.end();
         found = by_origin_.find(origin)) {
        const Entry newest = found->second.back();
        const bool in_time = steady_clock::now() < newest->until;
        ConnectionPtr connection = remove(newest);
        if (in_time && Dialer::fit(*connection)) return connection;
    }
    return nullptr;
}

void Pool::put(ConnectionPtr connection) {
    if (limits_.idle_per_origin == 0 || limits_.idle_total == 0) return;
    const auto found = by_origin_.find(connection->origin);
    if (found != by_origin_.end() && found->second.size() >= limits_.idle_per_origin) {
        remove(found->second.front());
    } else if (by_age_.size() >= limits_.idle_total) {
        remove(by_age_.begin());
    }
    Idle idle{std::move(connection), steady_clock::now() + limits_.idle};
    by_age_.push_back(std::move(idle));
    const Entry entry = std::prev(by_age_.end());
    by_origin_[entry->connection->origin].push_back(entry);
    if (by_age_.size() == 1) keep_time();
}

void Pool::clear() noexcept {
    by_origin_.clear();
    by_age_.clear();
    deadline_.disarm();
}

ConnectionPtr Pool::remove(Entry entry) {
    const auto found = by_origin_.find(entry->connection->origin);
    SWORN_ASSERT(found != by_origin_.end());
    std::erase(found->second, entry);
    if (found->second.empty()) by_origin_.erase(found);
    ConnectionPtr connection = std::move(entry->connection);
    by_age_.erase(entry);
    return connection;
}

void Pool::expired() noexcept {
    const auto now = steady_clock::now();
    while (!by_age_.empty() && by_age_.front().until <= now)
        remove(by_age_.begin());
    keep_time();
}

void Pool::keep_time() {
    if (by_age_.empty()) return;
    const auto left = by_age_.front().until - steady_clock::now();
    const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(left);
    deadline_.arm(std::max(rounded, std::chrono::milliseconds{1}));
}

}  // namespace sworn::connect
