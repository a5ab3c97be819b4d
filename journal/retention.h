// What leaves the journal, and when (contract section 7, Retention): results after retain_results,
// records after retain_records (a tombstone answers their token until retain_tokens), and both
// earlier, oldest first, past max_size. What is unknown and not repeatable never leaves.
// Runs on a worker thread; every removal is a write of the committer, checked there again.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "journal/committer.h"
#include "journal/data_directory.h"
#include "journal/journal.h"
#include "journal/store.h"

namespace sworn::journal {

class Retention {
public:
    /// Everything that is passed outlives this.
    Retention(Store& store, Committer& committer, const DataDirectory& directory,
              const Options& options)
        : store_{store}, committer_{committer}, directory_{directory}, options_{options} {}

    struct Swept {
        std::size_t removed = 0;
        bool full = false;  ///< Over max_size still, and nothing more may go.
    };
    /// One pass; a second caller waits for the first.
    [[nodiscard]] Swept sweep(WallTime now);

private:
    struct Candidate {
        InvocationId id;
        std::uint64_t bytes = 0;
    };
    struct Due {
        std::vector<Candidate> results, records, tombstones;  ///< Their time is over.
        std::vector<Candidate> more_results, more_records;    ///< May go if room is needed.
    };
    [[nodiscard]] Due find_due(WallTime now);
    void sort_in(Due& due, InvocationId id, const Head& head, WallTime now) const;
    /// How many went; stops once `room` bytes are free.
    std::size_t expire(const std::vector<Candidate>& candidates, WallTime now, std::uint64_t room,
                       std::uint64_t& freed);
    std::size_t bury(const std::vector<Candidate>& candidates, std::uint64_t room,
                     std::uint64_t& freed);
    std::size_t erase(const std::vector<Candidate>& candidates);
    [[nodiscard]] Swept make_room(const Due& due, WallTime now);
    [[nodiscard]] std::vector<std::string> part_files(const Record& record) const;

    Store& store_;
    Committer& committer_;
    const DataDirectory& directory_;
    const Options& options_;
    std::mutex mutex_;
};

}  // namespace sworn::journal
