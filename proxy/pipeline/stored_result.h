// A stored result read back whole, wherever its parts are. Blocking: for worker threads.
#pragma once

#include <optional>
#include <string>

#include "journal/journal.h"

namespace sworn::pipeline {

struct WholeResult {
    std::string head;  ///< As store_head() wrote it; empty if none was kept.
    std::string body;  ///< The body, or one stream of an SSH result, from a part on.
};

/// Nothing where no result is retained. `from_part` skips earlier parts of `stream`.
[[nodiscard]] std::optional<WholeResult> load_result(journal::Journal& journal, InvocationId id,
                                                     journal::Stream stream = journal::Stream::body,
                                                     std::uint32_t from_part = 0);

}  // namespace sworn::pipeline
