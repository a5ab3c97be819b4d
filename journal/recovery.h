// What happens between opening the store and letting anybody use it: the format is checked, lost
// summaries are rebuilt, every unfinished record is restated (BROKER_RECOVERED), the guard is armed
// again, and part files that nobody committed are removed. Each step may be cut off and done again.
#pragma once

#include <filesystem>
#include <string>

#include "common/result.h"
#include "journal/committer.h"
#include "journal/journal.h"
#include "journal/live_view.h"
#include "journal/store.h"

namespace sworn::journal {

struct RecoveryError {
    std::string what;
};

/// Where the journal stands. Writes the format of a new journal; refuses a newer one.
struct StartingPoint {
    Position position;
    std::size_t unsettled = 0;
};
[[nodiscard]] Result<StartingPoint, RecoveryError> read_starting_point(Store& store, WallTime now);

/// Before `committer` is started.
[[nodiscard]] Result<RecoveryReport, RecoveryError> recover(Store& store, LiveView& view,
                                                            Committer& committer,
                                                            const std::filesystem::path& results);

}  // namespace sworn::journal
