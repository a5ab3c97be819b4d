#include "journal/ledger.h"

#include <utility>

#include "common/assert.h"

namespace sworn::journal {

Ledger::Ledger(InvocationId id, const Clock& clock, Record stored)
    : id_{id}, clock_{clock}, record_{std::move(stored)} {
    record_.id = id_;
    follow_newest();
}

void Ledger::follow_newest() {
    generation_ = record_.generations.empty() ? 1 : record_.generations.back().number;
}

Result<Done, IllegalTransition> Ledger::add(EventBody body, std::optional<Source> source) {
    const bool leases = type_of(body) == EventType::retry_leased;
    Event event{.ordinal = record_.next_ordinal,
                .at = clock_.now(),
                .generation = leases ? generation_ + 1 : generation_,
                .source = source,
                .body = std::move(body)};
    if (pending_.empty()) staged_on_ = record_;
    if (const auto applied = apply(record_, event); !applied) return applied.error();
    if (leases) generation_ = event.generation;
    pending_.push_back(std::move(event));
    return Done{};
}

void Ledger::note(EventBody body, std::optional<Source> source) {
    const auto added = add(std::move(body), source);
    SWORN_ASSERT(static_cast<bool>(added));
}

Result<CredentialPermit, IllegalTransition> Ledger::authorize(CredentialAuthorized event) {
    if (const auto added = add(std::move(event)); !added) return added.error();
    return CredentialPermit{id_, generation_};
}

Append Ledger::take(Durability durability, Waker* waker, Completion* completion) {
    before_ = pending_.empty() ? record_ : std::move(staged_on_);
    taken_ = pending_;
    return {.id = id_,
            .events = std::exchange(pending_, {}),
            .parts = std::exchange(parts_, {}),
            .head = std::exchange(head_, std::nullopt),
            .durability = durability,
            .waker = waker,
            .completion = completion};
}

void Ledger::dispatched_at(std::uint64_t seq) noexcept {
    record_.generations.back().dispatch_seq = seq;
}

void Ledger::refused(Keep keep) {
    SWORN_ASSERT(!taken_.empty());
    std::vector<Event> again = std::exchange(taken_, {});
    if (keep == Keep::nothing) again.clear();
    if (keep == Keep::all_but_last) again.pop_back();
    // What was staged while the append was under way is still wanted, where it is still legal.
    for (Event& event : std::exchange(pending_, {}))
        again.push_back(std::move(event));

    record_ = before_;
    staged_on_ = before_;
    for (Event& event : again) {
        event.ordinal = record_.next_ordinal;
        if (apply(record_, event)) pending_.push_back(std::move(event));
    }
    follow_newest();
}

}  // namespace sworn::journal
