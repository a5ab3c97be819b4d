// decide(): what a retry engine or a repeating caller may do with a record now (contract sections
// 5 and 6). Pure. It may slow down or stop, never upgrade.
#pragma once

#include <optional>
#include <string>

#include "common/clock.h"
#include "common/digest.h"
#include "journal/record.h"

namespace sworn::contract {

enum class Decision : std::uint8_t {
    fetch_result,
    new_generation,  ///< May be sent again (with the bound key, if any), at `not_before`.
    wait,            ///< As new_generation, but `not_before` lies ahead.
    stop_for_correction,
    reconcile,
    return_recorded,
};
[[nodiscard]] std::string_view to_string(Decision decision) noexcept;

struct Verdict {
    Decision decision = Decision::return_recorded;
    std::optional<WallTime> not_before;
    std::string_view why;  ///< A literal sentence.
};
[[nodiscard]] Verdict decide(const journal::Record& record, WallTime now);

/// What a second request with the same token or key gets (contract section 6).
enum class Repeat : std::uint8_t {
    join,    ///< Running: the same answer.
    replay,  ///< Settled: the stored result, a read.
    new_generation,
    new_invocation,  ///< The token moves; `previous` links back.
    recorded_envelope,
    mismatch,  ///< IDEMPOTENCY_MISMATCH
};
[[nodiscard]] Repeat repeat_of(const journal::Record& first, const Digest& fingerprint,
                               bool binding_unchanged, WallTime now);

}  // namespace sworn::contract
