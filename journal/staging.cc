#include "journal/staging.h"

#include <algorithm>
#include <utility>

#include "journal/load.h"
#include "journal/verdict.h"

namespace sworn::journal {
namespace {

Refusal refusal_of(IllegalTransition why) {
    switch (why) {
        case IllegalTransition::not_allowed:
        case IllegalTransition::missing_ordinal:
            return Refusal::illegal_transition;
        case IllegalTransition::stale_generation:
            return Refusal::lease_lost;
        case IllegalTransition::already_settled:
            return Refusal::settled;
    }
    return Refusal::illegal_transition;
}

Staged refuse(Refusal refusal) {
    Staged staged;
    staged.refusal = refusal;
    return staged;
}

Staged read_fault() {
    Staged staged = refuse(Refusal::unavailable);
    staged.read_fault = true;
    return staged;
}

/// A restart must look at it: it runs, or nobody can say whether the caller had the result.
bool unfinished(const Record& record) {
    if (record.running) return true;
    if (record.fetched || record.result_expired) return false;
    return record.delivery == Delivery::none && newest_committed(record) != nullptr;
}

bool same_head(const Head& a, const Head& b) {
    return a.running == b.running && a.unsettled == b.unsettled && a.may_age == b.may_age &&
           a.has_result == b.has_result && a.outcome == b.outcome &&
           a.result_bytes == b.result_bytes && a.seq != 0;
}

std::size_t size_of(const Write& write) {
    return write.key.size() + (write.value ? write.value->size() : 0);
}

void add(Group& group, Write write) {
    group.bytes += size_of(write);
    group.batch.push_back(std::move(write));
}

bool guarded_kind(const Record& record) {
    if (!record.validated || !record.accepted) return false;
    if (!record.validated->guard || is_repeatable(record) || is_tunnel(record)) return false;
    return record.validated->fingerprint_covers != "command";
}

}  // namespace

Staged Staging::stage(Append& append, Group& group) {
    Live* live = find(append.id, &append);
    if (live == nullptr) return refuse(Refusal::illegal_transition);
    const Staged staged = stage_on(*live, append, group);
    if (!staged.refusal) return staged;
    // What never began is not kept in mind. What did may have events in this very group, which is
    // not written yet: it goes with the group, not before.
    if (live->record->next_ordinal == 0) {
        live_.erase(append.id);
    } else if (append.last) {
        group.done.push_back(append.id);
    }
    return staged;
}

Staged Staging::stage_on(Live& live, Append& append, Group& group) {
    auto after = std::make_shared<Record>(*live.record);
    const std::uint64_t first_seq = position_.seq + 1;
    std::uint64_t seq = position_.seq;
    std::string frames;
    std::vector<Bound> bound;
    WallTime newest = position_.at;
    for (Event& event : append.events) {
        event.seq = ++seq;
        if (event.at == WallTime{}) event.at = view_.now();
        newest = std::max(newest, event.at);
        const Result<Done, IllegalTransition> applied = apply(*after, event);
        if (!applied) return refuse(refusal_of(applied.error()));
        const std::optional<Staged> refused = check_event(*after, event, group, bound);
        if (refused) return *refused;
        encode(event, frames);
    }
    position_ = Position{seq, newest};
    view_.note_time(newest);
    if (!frames.empty()) {
        add(group, {Column::events, event_key(append.id, first_seq), std::move(frames)});
    }
    group.events += append.events.size();
    for (Bound& row : bound) {
        add(group, {Column::index, row.key, row.value});
        group.bound[std::move(row.key)] = std::move(row.value);
    }
    stage_parts(append, *after, group);
    stage_lists(live, *after, append.last, group);
    live.record = after;
    if (append.last || !live.unfinished_row) group.done.push_back(append.id);
    std::vector<Waiter> ended = view_.publish(std::move(after));
    group.ended.insert(group.ended.end(), ended.begin(), ended.end());
    Staged staged;
    staged.last_seq = seq;
    return staged;
}

void Staging::retire(const Group& group) {
    for (const InvocationId& id : group.done)
        live_.erase(id);
}

/// The live state of `id`, loaded if need be; with `first`, a new one for an append that begins a
/// record. Null: there is no such record, or only a tombstone.
Staging::Live* Staging::find(InvocationId id, const Append* first) {
    const auto at = live_.find(id);
    if (at != live_.end()) return &at->second;
    if (!newest_known_) {
        newest_known_ = true;
        static_cast<void>(
            store_.scan_down(Column::events, "", "", [&](std::string_view key, std::string_view) {
                const auto parsed = parse_event_key(key);
                if (parsed) newest_ = parsed->id;
                return !parsed;
            }));
    }
    Live live;
    std::optional<StoredRecord> stored;
    if (id <= newest_) stored = load_record(store_, id);
    if (stored) {
        if (stored->events.empty()) return nullptr;
        live.head = summarise(stored->record, view_.now());
        live.unfinished_row = unfinished(stored->record);
        live.guarding_row = !stored->record.running && may_guard(stored->record, view_.now());
        live.record = std::make_shared<Record>(std::move(stored->record));
    } else {
        if (first == nullptr || first->events.empty()) return nullptr;
        auto fresh = std::make_shared<Record>();
        fresh->id = id;
        live.record = std::move(fresh);
        newest_ = std::max(newest_, id);
    }
    return &live_.emplace(id, std::move(live)).first->second;
}

std::optional<Staged> Staging::check_event(const Record& record, const Event& event,
                                           const Group& group, std::vector<Bound>& bound) {
    if (std::holds_alternative<PreflightValidated>(event.body)) {
        return check_bindings(record, group, bound);
    }
    if (!std::holds_alternative<DispatchStarted>(event.body) || !guarded_kind(record)) return {};
    const std::optional<InvocationId> other =
        view_.guarded(record.accepted->caller, record.accepted->fingerprint, &record.id);
    if (!other) return {};
    Staged staged = refuse(Refusal::guard_armed);
    staged.other = other;
    staged.same_fingerprint = true;
    return staged;
}

std::optional<Staged> Staging::check_bindings(const Record& record, const Group& group,
                                              std::vector<Bound>& bound) {
    SWORN_ASSERT(record.accepted.has_value());
    SWORN_ASSERT(record.validated.has_value());
    const PreflightValidated& validated = *record.validated;
    if (!record.accepted->token.empty()) {
        std::string key = token_key(record.accepted->caller, record.accepted->token);
        std::optional<Staged> refused = bind(record, std::move(key), group, bound);
        if (refused) return refused;
    }
    // Without a contract a key is only forwarded: it is the remote's to judge.
    if (validated.key.empty() || validated.remote_contract.empty()) return {};
    return bind(record, idempotency_key(validated.key_scope, validated.key), group, bound);
}

std::optional<Staged> Staging::bind(const Record& record, std::string key, const Group& group,
                                    std::vector<Bound>& bound) {
    std::optional<std::string> row;
    const auto here = group.bound.find(key);
    if (here != group.bound.end()) {
        row = here->second;
    } else {
        auto stored = store_.get(Column::index, key);
        if (!stored) return read_fault();
        row = std::move(*stored);
    }
    std::vector<Binding> bindings;
    if (row) {
        std::optional<std::vector<Binding>> parsed = parse_bindings(*row);
        if (!parsed) return refuse(Refusal::token_bound);  // Damaged: bound to nobody knows whom.
        bindings = std::move(*parsed);
        const Binding& holder = bindings.front();
        if (holder.id == record.id) return {};
        const bool same_caller = holder.caller == record.accepted->caller;
        if (!same_caller || record.accepted->previous != holder.id || !may_move(holder.id)) {
            Staged staged = refuse(Refusal::token_bound);
            if (!same_caller) return staged;
            staged.other = holder.id;
            staged.same_fingerprint = holder.fingerprint == record.accepted->fingerprint;
            return staged;
        }
    }
    if (bindings.size() == bindings_max) bindings.pop_back();
    bindings.insert(bindings.begin(),
                    Binding{record.id, record.accepted->fingerprint, record.accepted->caller});
    bound.push_back({std::move(key), encode_bindings(bindings)});
    return {};
}

/// Contract section 6: only what certainly had no effect, and waits for a correction, lets go.
bool Staging::may_move(InvocationId holder) {
    const auto at = live_.find(holder);
    std::optional<StoredRecord> stored;
    if (at == live_.end()) stored = load_record(store_, holder);
    if (at == live_.end() && !stored) return false;
    const Record& record = at == live_.end() ? stored->record : *at->second.record;
    const Projection projection = project(record, view_.now());
    if (projection.running || projection.retry != Retry::after_correction) return false;
    return projection.outcome == Outcome::not_attempted || projection.outcome == Outcome::rejected;
}

void Staging::stage_parts(Append& append, const Record& record, Group& group) {
    const std::uint32_t generation =
        append.events.empty() ? record.generations.back().number : append.events.back().generation;
    for (InlinePart& part : append.parts) {
        add(group, {Column::parts, part_key(append.id, generation, part.stream, part.part),
                    std::move(part.bytes)});
    }
    if (append.head) {
        add(group,
            {Column::parts, result_head_key(append.id, generation), std::move(append.head->bytes)});
    }
    for (const Event& event : append.events) {
        if (std::holds_alternative<ResultExpired>(event.body)) {
            remove_rows(Column::parts, id_key(append.id), group);
        }
    }
}

void Staging::stage_lists(Live& live, const Record& after, bool last, Group& group) {
    const WallTime now = view_.now();
    const Head head = summarise(after, now);
    if (!same_head(live.head, head)) {
        add(group, {Column::heads, id_key(after.id), encode_head(head)});
    }
    if (head.unsettled && !live.head.unsettled) ++unsettled_;
    if (!head.unsettled && live.head.unsettled) --unsettled_;
    bool unsettled = live.head.unsettled;
    set_listed(IdList::unsettled, after.id, unsettled, head.unsettled, group);
    // A record that was given up by its writer is not taken up again by a mere late event.
    const bool runs_again = after.running && !live.record->running;
    const bool begins = live.record->next_ordinal == 0;
    const bool wanted = unfinished(after) && (after.running || !last) &&
                        (live.unfinished_row || runs_again || begins);
    set_listed(IdList::unfinished, after.id, live.unfinished_row, wanted, group);
    set_listed(IdList::guarding, after.id, live.guarding_row,
               !after.running && may_guard(after, now), group);
    live.head = head;
}

void Staging::set_listed(IdList list, InvocationId id, bool& listed, bool wanted, Group& group) {
    if (listed == wanted) return;
    listed = wanted;
    Write write{Column::index, list_key(list, id), {}};
    if (wanted) write.value = std::string{};
    add(group, std::move(write));
}

void Staging::remove_rows(Column column, const std::string& prefix, Group& group) {
    static_cast<void>(store_.scan(column, prefix, prefix_end(prefix),
                                  [&](std::string_view key, std::string_view) {
                                      add(group, {column, std::string{key}, {}});
                                      return true;
                                  }));
}

bool Staging::bury(InvocationId id, Group& group) {
    const Live* live = find(id, nullptr);
    if (live == nullptr || live->unfinished_row) return false;
    const Record& record = *live->record;
    const WallTime now = view_.now();
    Head head = summarise(record, now);
    if (!head.may_age || guard_state(record, now).armed) return false;
    const Projection projection = project(record, now);
    head.tombstone = true;
    head.has_result = false;
    head.result_bytes = 0;
    head.phase = projection.phase;
    head.retry = projection.retry;
    head.code = projection.code;
    if (record.accepted) {
        head.caller = record.accepted->caller;
        head.token = record.accepted->token;
        head.fingerprint = record.accepted->fingerprint;
    }
    if (record.validated && !record.validated->remote_contract.empty()) {
        head.key_scope = record.validated->key_scope;
        head.key = record.validated->key;
    }
    remove_rows(Column::events, id_key(id), group);
    remove_rows(Column::parts, id_key(id), group);
    // Without a token or a key there is nothing that a tombstone could answer.
    const bool answers = !head.token.empty() || !head.key.empty();
    add(group, {Column::heads, id_key(id),
                answers ? std::optional<std::string>{encode_head(head)} : std::nullopt});
    if (head.unsettled) {
        --unsettled_;
        add(group, {Column::index, list_key(IdList::unsettled, id), {}});
    }
    add(group, {Column::index, list_key(IdList::guarding, id), {}});
    group.done.push_back(id);
    return true;
}

bool Staging::erase_tombstone(InvocationId id, Group& group) {
    const auto row = store_.get(Column::heads, id_key(id));
    if (!row || !*row) return false;
    const std::optional<Head> head = parse_head(**row);
    if (!head || !head->tombstone) return false;
    add(group, {Column::heads, id_key(id), {}});
    for (const std::string& key :
         {token_key(head->caller, head->token), idempotency_key(head->key_scope, head->key)}) {
        const auto held = store_.get(Column::index, key);
        if (!held || !*held) continue;
        const auto bindings = parse_bindings(**held);
        if (bindings && bindings->front().id == id) add(group, {Column::index, key, {}});
    }
    return true;
}

}  // namespace sworn::journal
