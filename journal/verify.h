// Reading a whole journal back: does every record replay, and do its stored bodies match their
// digests? Works on a store that is open for reading only, as well as beside a running broker.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/ids.h"
#include "journal/store.h"

namespace sworn::journal {

struct VerifyProblem {
    InvocationId id;
    std::string what;  ///< "an event cannot be read", "events are missing", …
};

struct VerifyReport {
    std::size_t records = 0, events = 0, unreadable = 0, tombstones = 0;
    std::vector<VerifyProblem> problems;
    std::string fault;  ///< The store could not be read to its end; empty otherwise.

    [[nodiscard]] bool sound() const noexcept { return problems.empty() && fault.empty(); }
};

/// `results`: where the part files are; empty leaves them out.
[[nodiscard]] VerifyReport verify(Store& store, const std::filesystem::path& results = {});

/// One JSON object a line, in id order, each event as codec's to_json with its invocation_id; an
/// unreadable one as {"invocation_id":…, "seq":…, "unreadable":true}. Lines end without '\n'.
StoreStatus export_jsonl(Store& store, const std::function<void(std::string_view)>& line);

/// The same in pieces, for readers that are slow or go away: the lines of whole records, each ended
/// by '\n', from `first` on, until they are more than `bytes_max`.
struct ExportPiece {
    std::string lines;
    std::optional<InvocationId> next;  ///< Where the next piece begins; none at the end.
};
[[nodiscard]] Result<ExportPiece, StoreError> export_piece(Store& store, InvocationId first,
                                                           std::size_t bytes_max);

}  // namespace sworn::journal
