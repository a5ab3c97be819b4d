// A result too large for the journal itself: one file below results/, named by invocation and
// generation, cut into parts of fixed size so that a part's offset is its number times that size.
// Written and synced by a worker thread before RESULT_COMMITTED names it; what is never committed
// is removed. Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "common/digest.h"
#include "common/ids.h"
#include "common/result.h"

namespace sworn::journal {

inline constexpr std::uint64_t part_bytes = 64 * 1024;

struct PartFileName {
    InvocationId id;
    std::uint32_t generation = 1;
};
/// "act_….1": the value of RESULT_COMMITTED's `part_file`.
[[nodiscard]] std::string part_file_name(InvocationId id, std::uint32_t generation);
[[nodiscard]] std::optional<PartFileName> parse_part_file_name(std::string_view name);

/// Proof that a part file and its directory entry are on the disk. Moves, never copies.
class SyncedResult {
public:
    SyncedResult(SyncedResult&&) noexcept = default;
    SyncedResult& operator=(SyncedResult&&) noexcept = default;
    SyncedResult(const SyncedResult&) = delete;
    SyncedResult& operator=(const SyncedResult&) = delete;
    ~SyncedResult() = default;

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] const Digest& digest() const noexcept { return digest_; }

private:
    friend class PartFile;
    SyncedResult(std::string name, std::uint64_t bytes, Digest digest)
        : name_{std::move(name)}, bytes_{bytes}, digest_{digest} {}
    std::string name_;
    std::uint64_t bytes_;
    Digest digest_;
};

class PartFile {
public:
    /// Errors are RESULT_STORE_FAILED.
    [[nodiscard]] static Result<PartFile> create(const std::filesystem::path& directory,
                                                 InvocationId id, std::uint32_t generation);
    PartFile(PartFile&& other) noexcept;
    PartFile& operator=(PartFile&& other) noexcept;
    ~PartFile();  ///< Removes the file unless it was kept.

    /// Sticky: after an error every further call fails.
    Status write(std::string_view bytes);
    /// The file's data and its name in the directory are durable. Nothing may be written after.
    [[nodiscard]] Result<SyncedResult> sync();
    /// RESULT_COMMITTED is durable, or may be: the file stays.
    void keep() noexcept { kept_ = true; }
    void remove() noexcept;

    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    /// Over all bytes so far; what RESULT_PART carries.
    [[nodiscard]] Digest digest() const noexcept { return running_.digest(); }
    /// Whole parts so far; the last one may be shorter and counts once the file is synced.
    [[nodiscard]] std::uint32_t whole_parts() const noexcept {
        return static_cast<std::uint32_t>(bytes_ / part_bytes);
    }

private:
    PartFile(std::filesystem::path directory, std::string name, int descriptor);
    void close() noexcept;

    std::filesystem::path directory_;
    std::string name_;
    int descriptor_ = -1;
    std::uint64_t bytes_ = 0;
    Sha256 running_;
    bool failed_ = false, kept_ = false;
};

/// `size` bytes from `offset`; nothing where the file has fewer or cannot be read.
[[nodiscard]] std::optional<std::string> read_file_range(const std::filesystem::path& file,
                                                         std::uint64_t offset, std::uint64_t size);
/// Unlinks, and makes the directory forget it durably. A missing file is fine.
void remove_part_file(const std::filesystem::path& directory, const std::string& name) noexcept;

}  // namespace sworn::journal
