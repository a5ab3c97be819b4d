// The journal's parts, in the order in which they are made; the reverse is the order of their end.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "journal/committer.h"
#include "journal/data_directory.h"
#include "journal/journal.h"
#include "journal/live_view.h"
#include "journal/retention.h"
#include "journal/staging.h"

namespace sworn::journal {

struct Journal::Impl {
    Impl(Options opened, const Clock& clock, Observer& observer, DataDirectory owned,
         std::unique_ptr<Store> opened_store)
        : options{std::move(opened)},
          directory{std::move(owned)},
          store{std::move(opened_store)},
          view{clock},
          clock_{clock},
          observer_{observer} {}

    void begin(Position position, std::size_t unsettled) {
        staging.emplace(*store, view, position, unsettled);
        committer.emplace(*store, *staging, view, clock_, observer_,
                          Committer::Limits{options.queue_max, options.lease});
        retention.emplace(*store, *committer, directory, options);
    }

    const Options options;
    DataDirectory directory;
    std::unique_ptr<Store> store;
    LiveView view;
    std::optional<Staging> staging;
    std::optional<Committer> committer;
    std::optional<Retention> retention;
    RecoveryReport report;
    std::atomic<bool> full{false};  ///< Over max_size, and nothing may go.

    const Clock& clock_;
    Observer& observer_;
};

}  // namespace sworn::journal
