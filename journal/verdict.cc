#include "journal/verdict.h"

#include <algorithm>

#include "common/assert.h"

namespace sworn::journal {
namespace {

bool is_success(const Generation& generation) noexcept {
    return generation.outcome == Outcome::committed && generation.status.value_or(0) >= 200 &&
           *generation.status < 300;
}

bool key_covers(const Record& record, const Generation& generation) {
    const auto expires = key_expires_at(record);
    return expires && *generation.dispatched_at < *expires;
}

// Rule 4: whether the end of `later` also tells what became of an earlier unknown.
bool settles_earlier(const Record& record, const Generation& later) {
    const bool settled = later.outcome == Outcome::committed || later.outcome == Outcome::rejected;
    if (!settled || !record.validated) return false;
    if (record.validated->safe) return true;
    return is_success(later) && (is_repeatable(record) || key_covers(record, later));
}

void decide_by(Verdict& verdict, const Generation& generation) {
    verdict.generation = &generation;
    verdict.outcome = generation.outcome;
    verdict.directive = generation.directive;
    verdict.settled_by.reset();
    verdict.finding.reset();
}

void join_unknown(const Record& record, Verdict& verdict, const Generation& generation) {
    if (generation.outcome == Outcome::unknown || settles_earlier(record, generation)) {
        decide_by(verdict, generation);
    } else if (generation.outcome == Outcome::rejected && generation.directive != Retry::backoff) {
        verdict.later_refusal = true;
    }
}

void join(const Record& record, Verdict& verdict, const Generation& generation) {
    if (verdict.generation == nullptr) {
        decide_by(verdict, generation);
        return;
    }
    switch (verdict.outcome) {
        case Outcome::unknown:
            join_unknown(record, verdict, generation);
            return;
        case Outcome::rejected:
            if (!verdict.closed()) decide_by(verdict, generation);
            return;
        case Outcome::committed:
        case Outcome::not_attempted:
            return;
    }
}

// A finding that settled an unknown stays final, whatever evidence came later for it.
void join_finding(Verdict& verdict, const Generation& generation) {
    if (!generation.settled_by) {
        verdict.finding = generation.finding;
        return;
    }
    const bool applied = generation.finding == Finding::applied;
    verdict.outcome = applied ? Outcome::committed : Outcome::rejected;
    verdict.directive = applied ? Retry::never : Retry::backoff;
    verdict.settled_by = generation.settled_by;
}

}  // namespace

Verdict judge(const Record& record) {
    SWORN_ASSERT(!record.generations.empty());
    Verdict verdict;
    for (const Generation& generation : record.generations) {
        if (!was_dispatched(generation)) continue;
        join(record, verdict, generation);
        if (generation.finding) join_finding(verdict, generation);
    }
    if (verdict.generation == nullptr) verdict.generation = &record.generations.back();
    return verdict;
}

bool has_ended(const Generation& generation) noexcept {
    switch (generation.step) {
        case Step::absent:
        case Step::accepted:
        case Step::validated:
        case Step::pending:
        case Step::granted:
        case Step::authorized:
        case Step::ready:
        case Step::dispatched:
        case Step::responding:
            return false;
        case Step::complete: {
            // Settles alone where the result could not be stored.
            const auto& completion = generation.completion;
            return completion && completion->settles && !completion->result_stored;
        }
        case Step::denied:
        case Step::committed:
        case Step::broken:
        case Step::refused:
        case Step::interrupted:
            return true;
    }
    return true;
}

Step last_boundary(const Generation& generation) noexcept {
    return generation.step == Step::interrupted ? generation.interrupted_at : generation.step;
}

Phase phase_of(Step step) noexcept {
    switch (step) {
        case Step::absent:
        case Step::accepted:
            return Phase::validation;
        case Step::validated:
        case Step::pending:
        case Step::granted:
        case Step::denied:
            return Phase::credential_injection;
        case Step::authorized:
        case Step::ready:
            return Phase::connection_setup;
        case Step::dispatched:
        case Step::responding:
        case Step::complete:
        case Step::broken:
            return Phase::remote_execution;
        case Step::committed:
            return Phase::result_delivery;
        // The generation knows better: it keeps the phase of its stop.
        case Step::refused:
        case Step::interrupted:
            return Phase::validation;
    }
    return Phase::validation;
}

const Generation* find_generation(const Record& record, std::uint32_t number) noexcept {
    const auto found = std::ranges::find(record.generations, number, &Generation::number);
    return found == record.generations.end() ? nullptr : &*found;
}

const Generation* newest_committed(const Record& record) noexcept {
    const auto found = std::find_if(
        record.generations.rbegin(), record.generations.rend(),
        [](const Generation& generation) { return generation.step == Step::committed; });
    return found == record.generations.rend() ? nullptr : &*found;
}

bool is_tunnel(const Record& record) noexcept {
    return record.accepted && record.accepted->protocol == Protocol::tunnel;
}

bool is_repeatable(const Record& record) noexcept {
    if (!record.validated || record.validated->fingerprint_covers == "command") return false;
    return record.validated->repeatable || record.validated->safe;
}

}  // namespace sworn::journal
