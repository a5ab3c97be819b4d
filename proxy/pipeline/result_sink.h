// Where a response's bytes go before the caller may have them: masked, digested, and kept in memory
// (small results, stored with the commit) or in a part file (synced before the commit). Knows
// nothing of framing or outcome. Lives on one I/O thread; file work happens on the workers.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/digest.h"
#include "journal/ledger.h"
#include "journal/part_file.h"
#include "proxy/contract/masker.h"
#include "proxy/io/worker_pool.h"

namespace sworn::pipeline {

inline constexpr std::size_t held_bytes_max = journal::inline_result_bytes_max;

class ResultSink {
public:
    /// `needles` outlive the sink.
    ResultSink(io::WorkerPool& workers, std::filesystem::path results_directory, InvocationId id,
               std::uint32_t generation, std::uint64_t result_bytes_max,
               const std::vector<Secret>& needles);

    /// Nothing of this one will be kept: it is known to be too large.
    void keep_nothing() noexcept { keeping_ = false; }
    /// A content coding hides the body from the masker.
    void cannot_scan(std::string_view coding) { unscanned_ = coding; }
    [[nodiscard]] contract::Masker& masker() noexcept { return masker_; }

    /// Masks and digests; returns what may go on.
    [[nodiscard]] std::string take(std::string_view received);
    [[nodiscard]] std::string take_rest();

    /// Small: kept in memory until the commit.
    void hold(std::string_view bytes);
    [[nodiscard]] const std::string& held() const noexcept { return held_; }
    [[nodiscard]] std::string release_held() noexcept { return std::move(held_); }
    [[nodiscard]] bool fits(std::size_t more) const noexcept {
        return held_.size() + more <= held_bytes_max;
    }
    /// From here on parts go to the file; what was held goes first.
    io::Task<void> start_file();
    io::Task<void> store(std::string bytes);
    /// Syncs the file. False: the result could not be stored (or an earlier write failed).
    io::Task<bool> seal();

    [[nodiscard]] bool failed() const noexcept { return failed_; }
    [[nodiscard]] bool retained() const noexcept { return keeping_ && !failed_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] Digest stored_digest() const;
    [[nodiscard]] Digest received_digest() const { return received_.digest(); }
    [[nodiscard]] std::string file_name() const;
    [[nodiscard]] const std::string& unscanned() const noexcept { return unscanned_; }
    [[nodiscard]] std::uint32_t redactions() const noexcept { return masker_.count(); }

    /// RESULT_PART events for the parts that were filled since the last call; the last one, which
    /// may be shorter, after seal().
    void note_parts(journal::Ledger& ledger);

private:
    Status write(std::string_view bytes);
    void end_part();

    io::WorkerPool& workers_;
    std::filesystem::path directory_;
    InvocationId id_;
    std::uint32_t generation_;
    std::uint64_t result_bytes_max_;
    contract::Masker masker_;
    std::optional<journal::PartFile> file_;
    std::optional<journal::SyncedResult> synced_;
    std::string held_, unscanned_;
    Sha256 received_, stored_;
    std::vector<journal::ResultPart> filled_;  ///< Not noted yet.
    std::uint64_t bytes_ = 0, filled_bytes_ = 0;
    bool keeping_ = true, failed_ = false, streams_ = false;
};

}  // namespace sworn::pipeline
