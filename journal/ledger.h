// One action's own view of its record while it runs: stages events, keeps the projection that they
// give, and makes the append requests. Every step passes `apply`, so an illegal one is refused here
// before it is queued, and again by the committer against the truth.
// Lives on one thread; knows no I/O. The pipeline submits what `take` returns and hands the
// outcome back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"
#include "journal/journal.h"
#include "journal/record.h"

namespace sworn::journal {

class Ledger {
public:
    Ledger(InvocationId id, const Clock& clock) : Ledger{id, clock, Record{}} {}
    /// Continues a stored record (retries, findings, deliveries after a restart).
    Ledger(InvocationId id, const Clock& clock, Record stored);

    [[nodiscard]] const InvocationId& id() const noexcept { return id_; }
    [[nodiscard]] const Record& record() const noexcept { return record_; }
    [[nodiscard]] Projection projection() const { return project(record_, clock_.now()); }
    [[nodiscard]] std::uint32_t generation() const noexcept { return generation_; }

    /// Stages one event of the current generation (RETRY_LEASED begins the next one).
    Result<Done, IllegalTransition> add(EventBody body, std::optional<Source> source = {});
    /// The same where the state must allow it: to be refused here is a bug.
    void note(EventBody body, std::optional<Source> source = {});
    /// Stages CREDENTIAL_AUTHORIZED; the permit is what reveals the secret.
    Result<CredentialPermit, IllegalTransition> authorize(CredentialAuthorized event);

    void add_part(InlinePart part) { parts_.push_back(std::move(part)); }
    void set_head(ResultHead head) { head_ = std::move(head); }
    [[nodiscard]] bool has_pending() const noexcept { return !pending_.empty(); }

    /// Everything staged since the last take, as one atomic append. May be empty: then it only
    /// closes the record (Append::last).
    [[nodiscard]] Append take(Durability durability, Waker* waker = nullptr,
                              Completion* completion = nullptr);
    /// The committer gave DISPATCH_STARTED this number; the mirror does not count them itself.
    void dispatched_at(std::uint64_t seq) noexcept;
    /// The append last taken was refused: the mirror goes back to before it. The staged events
    /// but the last one are pending again where `keep_earlier`.
    enum class Keep : std::uint8_t { nothing, all_but_last };
    void refused(Keep keep);

private:
    void follow_newest();

    InvocationId id_;
    const Clock& clock_;
    Record record_;
    std::uint32_t generation_ = 1;
    std::vector<Event> pending_;
    std::vector<InlinePart> parts_;
    std::optional<ResultHead> head_;
    Record staged_on_;  ///< The state before the first pending event.
    // What `refused` restores.
    Record before_;
    std::vector<Event> taken_;
};

}  // namespace sworn::journal
