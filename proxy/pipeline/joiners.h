// Who else waits for a running invocation: with joined callers, only the last one leaving is a
// cancel (contract section 7). Thread-safe.
#pragma once

#include <mutex>
#include <unordered_map>

#include "common/ids.h"

namespace sworn::pipeline {

class Joiners {
public:
    /// Counts one joined caller for as long as it lives.
    class Wait {
    public:
        Wait(Joiners& joiners, InvocationId id) : joiners_{joiners}, id_{id} {
            const std::lock_guard lock{joiners_.mutex_};
            ++joiners_.waiting_[id_];
        }
        ~Wait() {
            const std::lock_guard lock{joiners_.mutex_};
            if (--joiners_.waiting_[id_] == 0) joiners_.waiting_.erase(id_);
        }
        Wait(const Wait&) = delete;
        Wait& operator=(const Wait&) = delete;

    private:
        Joiners& joiners_;
        InvocationId id_;
    };

    [[nodiscard]] bool any(InvocationId id) const {
        const std::lock_guard lock{mutex_};
        return waiting_.contains(id);
    }

private:
    mutable std::mutex mutex_;
    std::unordered_map<InvocationId, unsigned, InvocationIdHash> waiting_;
};

}  // namespace sworn::pipeline
