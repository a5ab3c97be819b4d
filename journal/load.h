// Records as the store holds them: read, replayed, summarised. Read faults and unreadable bytes
// make a record corrupt, never absent.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "journal/columns.h"
#include "journal/journal.h"
#include "journal/store.h"

namespace sworn::journal {

/// All events of `id` in order and what they prove; none if the store has nothing of it. A
/// tombstone gives a record without events that still answers for its token.
[[nodiscard]] std::optional<StoredRecord> load_record(Store& store, InvocationId id);

/// Replays each record of the store in id order, from `first` on, until `visit` returns false;
/// tombstones are left out. One record is in memory at a time.
StoreStatus for_each_record(Store& store, const std::function<bool(const StoredRecord&)>& visit,
                            InvocationId first = {});

/// The ids of one list in `index`.
[[nodiscard]] Result<std::vector<InvocationId>, StoreError> listed_ids(Store& store, IdList list);

/// What `heads` says of this record; `changed_at` is its newest event's.
[[nodiscard]] Head summarise(const Record& record, WallTime now);
[[nodiscard]] bool is_unsettled(const Record& record, const Projection& projection) noexcept;

[[nodiscard]] Record tombstone_record(InvocationId id, const Head& head);

}  // namespace sworn::journal
