// What the generations of one record prove together: which one decides, and its outcome (contract
// section 2, rules 3 and 4). Independent of time; `project` adds retry, delivery and budgets.
// Pure.
#pragma once

#include <optional>

#include "common/vocabulary.h"
#include "journal/record.h"

namespace sworn::journal {

struct Verdict {
    const Generation* generation = nullptr;  ///< The one that decides; lives in the record.
    Outcome outcome = Outcome::not_attempted;
    Retry directive = Retry::never;    ///< Contract section 5's row, of a settled one.
    std::optional<Source> settled_by;  ///< A finding settled it, not a response.
    std::optional<Finding> finding;    ///< On one that a response settled.
    bool later_refusal = false;        ///< A repeat of an unknown was rejected for good.

    /// Committed, or rejected without backoff: no further DISPATCH_STARTED.
    [[nodiscard]] bool closed() const noexcept {
        return outcome == Outcome::committed ||
               (outcome == Outcome::rejected && directive != Retry::backoff);
    }
};

/// The record must hold at least one generation.
[[nodiscard]] Verdict judge(const Record& record);

[[nodiscard]] constexpr bool was_dispatched(const Generation& generation) noexcept {
    return generation.dispatched_at.has_value();
}
/// No further event of its own exchange is expected.
[[nodiscard]] bool has_ended(const Generation& generation) noexcept;
/// The step it stopped at, before a restart or a refusal renamed it.
[[nodiscard]] Step last_boundary(const Generation& generation) noexcept;
/// The phase of a stop after `step` (contract section 1).
[[nodiscard]] Phase phase_of(Step step) noexcept;
[[nodiscard]] const Generation* find_generation(const Record& record,
                                                std::uint32_t number) noexcept;
/// The newest generation that holds RESULT_COMMITTED.
[[nodiscard]] const Generation* newest_committed(const Record& record) noexcept;
[[nodiscard]] bool is_tunnel(const Record& record) noexcept;
/// Repeatable or safe, by what was bound; false where nothing was, or where the fingerprint does
/// not cover the whole request.
[[nodiscard]] bool is_repeatable(const Record& record) noexcept;

}  // namespace sworn::journal
