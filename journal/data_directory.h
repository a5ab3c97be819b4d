// The directory that one broker owns: journal/, results/, the holder file that keeps a second
// process out, and the reserve that keeps room for the last settling events on a full disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/clock.h"
#include "common/result.h"

namespace sworn::journal {

class DataDirectory {
public:
    struct OpenError {
        std::string what;
    };
    /// Makes what is missing (directories 0700, files 0600) and locks `holder` until destruction.
    [[nodiscard]] static Result<DataDirectory, OpenError> open(const std::filesystem::path& path,
                                                               WallTime now);
    DataDirectory(DataDirectory&& other) noexcept;
    DataDirectory& operator=(DataDirectory&&) = delete;
    ~DataDirectory();

    [[nodiscard]] const std::filesystem::path& journal() const noexcept { return journal_; }
    [[nodiscard]] const std::filesystem::path& results() const noexcept { return results_; }

    /// False: the disk has no room for it; nothing is reserved then.
    [[nodiscard]] bool make_reserve(std::uint64_t bytes) noexcept;
    void release_reserve() noexcept;
    [[nodiscard]] std::uint64_t result_bytes() const;

private:
    DataDirectory(const std::filesystem::path& path, int holder);
    std::filesystem::path reserve_, journal_, results_;
    int holder_ = -1;
};

}  // namespace sworn::journal
