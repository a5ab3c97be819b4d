// Idle connections by origin: the newest is used first, each origin and the whole are bounded, and
// what lay idle too long is closed. One per dialer; lives on its I/O thread.
#pragma once

#include <list>
#include <map>
#include <vector>

#include "common/clock.h"
#include "proxy/connect/dialer.h"
#include "proxy/io/deadline.h"

namespace sworn::connect {

class Pool final : private io::Expiry {
public:
    Pool(io::ThreadContext& thread, Dialer::Limits limits);
    ~Pool() override = default;
    Pool(const Pool&) = delete;

    /// The newest idle connection that is still fit; those that are not are closed on the way.
    [[nodiscard]] ConnectionPtr take(const Origin& origin);
    /// Closes the oldest of this origin, or of all, where a bound is reached.
    void put(ConnectionPtr connection);
    void clear() noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return by_age_.size(); }

private:
    struct Idle {
        ConnectionPtr connection;
        SteadyTime until;
    };
    using Entry = std::list<Idle>::iterator;

    void expired() noexcept override;
    ConnectionPtr remove(Entry entry);
    void keep_time();

    Dialer::Limits limits_;
    std::list<Idle> by_age_;                          ///< The oldest first.
    std::map<Origin, std::vector<Entry>> by_origin_;  ///< The oldest first; never empty.
    io::Deadline deadline_;
};

}  // namespace sworn::connect
