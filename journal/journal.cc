#include "journal/journal.h"

#include <algorithm>
#include <utility>

#include "journal/journal_impl.h"
#include "journal/load.h"
#include "journal/recovery.h"

namespace sworn::journal {

std::string_view to_string(Refusal refusal) noexcept {
    switch (refusal) {
        case Refusal::illegal_transition:
            return "illegal_transition";
        case Refusal::lease_lost:
            return "lease_lost";
        case Refusal::settled:
            return "settled";
        case Refusal::token_bound:
            return "token_bound";
        case Refusal::guard_armed:
            return "guard_armed";
        case Refusal::unavailable:
            return "unavailable";
    }
    return "";
}

namespace {

using Opened = Result<std::unique_ptr<Journal::Impl>, Journal::OpenError>;

Opened open_impl(DataDirectory directory, std::unique_ptr<Store> store, Options options,
                 const Clock& clock, Observer& observer) {
    auto impl = std::make_unique<Journal::Impl>(std::move(options), clock, observer,
                                                std::move(directory), std::move(store));
    const bool reserved = impl->directory.make_reserve(impl->options.reserve_bytes);
    const auto start = read_starting_point(*impl->store, clock.now());
    if (!start) return Journal::OpenError{start.error().what};
    impl->begin(start->position, start->unsettled);
    impl->view.note_time(start->position.at);
    auto report = recover(*impl->store, impl->view, *impl->committer, impl->directory.results());
    if (!report) return Journal::OpenError{report.error().what};
    impl->report = std::move(*report);
    impl->report.last_seq = impl->staging->position().seq;
    if (!reserved) impl->report.note = "the disk has no room for the journal's reserve";
    impl->committer->start();
    return impl;
}

}  // namespace

Result<std::unique_ptr<Journal>, Journal::OpenError> Journal::open(Options options,
                                                                   const Clock& clock,
                                                                   Observer& observer) {
    auto directory = DataDirectory::open(options.directory, clock.now());
    if (!directory) return OpenError{directory.error().what};
    auto store = open_rocksdb_store(directory->journal());
    if (!store) return OpenError{store.error().what};
    Opened impl =
        open_impl(std::move(*directory), std::move(*store), std::move(options), clock, observer);
    if (!impl) return impl.error();
    return std::unique_ptr<Journal>{new Journal{std::move(*impl)}};
}

Result<std::unique_ptr<Journal>, Journal::OpenError> Journal::open_on(std::unique_ptr<Store> store,
                                                                      Options options,
                                                                      const Clock& clock,
                                                                      Observer& observer) {
    auto directory = DataDirectory::open(options.directory, clock.now());
    if (!directory) return OpenError{directory.error().what};
    Opened impl =
        open_impl(std::move(*directory), std::move(store), std::move(options), clock, observer);
    if (!impl) return impl.error();
    return std::unique_ptr<Journal>{new Journal{std::move(*impl)}};
}

Journal::Journal(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
Journal::~Journal() = default;

void Journal::append(Append append) {
    impl_->committer->append(std::move(append));
}

bool Journal::available() const noexcept {
    return impl_->committer->usable() && !impl_->full.load(std::memory_order_relaxed);
}

const RecoveryReport& Journal::recovery() const noexcept {
    return impl_->report;
}

std::size_t Journal::unsettled() const noexcept {
    return impl_->committer->unsettled();
}

std::optional<InvocationId> Journal::guarded(std::string_view caller,
                                             const Digest& fingerprint) const {
    return impl_->view.guarded(caller, fingerprint, nullptr);
}

void Journal::note_half_closed(InvocationId id) {
    impl_->view.note_half_closed(id);
}

void Journal::when_ended(InvocationId id, Waker* waker, Completion* completion) {
    if (impl_->view.wait(id, {waker, completion})) return;
    Wakeups wakeups;
    wakeups.add({waker, completion}, AppendOutcome{});
    wakeups.deliver();
}

bool Journal::forget_waiter(Completion* completion) {
    return impl_->view.forget(completion);
}

std::optional<StoredRecord> Journal::read(InvocationId id) {
    impl_->committer->barrier();
    std::optional<StoredRecord> stored = load_record(*impl_->store, id);
    if (stored) stored->record.caller_half_closed = impl_->view.half_closed(id);
    return stored;
}

Page Journal::list(const ListQuery& query) {
    impl_->committer->barrier();
    Page page;
    const WallTime now = impl_->view.now();
    const std::string prefix = query.unsettled_only ? list_prefix(IdList::unsettled) : "";
    const std::string from = query.oldest ? prefix + id_key(*query.oldest) : prefix;
    const std::string until = query.before ? prefix + id_key(*query.before) : prefix_end(prefix);
    if (!until.empty() && from >= until) return page;
    const Column column = query.unsettled_only ? Column::index : Column::heads;
    const auto visit = [&](std::string_view key, std::string_view row) {
        const std::optional<InvocationId> id = parse_id_key(key.substr(prefix.size()));
        const std::optional<Head> head =
            query.unsettled_only ? std::optional<Head>{} : parse_head(row);
        if (!id || (head && head->tombstone)) return true;
        std::optional<StoredRecord> stored = load_record(*impl_->store, *id);
        if (!stored) return true;
        Record& record = stored->record;
        record.caller_half_closed = impl_->view.half_closed(*id);
        if (query.keep && !query.keep(record, project(record, now))) return true;
        if (page.records.size() == query.limit) {
            if (!page.records.empty()) page.next = page.records.back().id;
            return false;
        }
        page.records.push_back(std::move(record));
        return true;
    };
    // A read fault ends the page early; the journal's health tells of it, and verify names it.
    static_cast<void>(impl_->store->scan_down(column, from, until, visit));
    return page;
}

std::size_t Journal::sweep(WallTime now) {
    const Retention::Swept swept = impl_->retention->sweep(now);
    const bool was_full = impl_->full.exchange(swept.full, std::memory_order_relaxed);
    if (was_full != swept.full && impl_->committer->usable()) {
        impl_->observer_.writable(!swept.full);
    }
    return swept.removed;
}

void Journal::release_reserve() noexcept {
    impl_->directory.release_reserve();
}

const std::filesystem::path& Journal::results_directory() const noexcept {
    return impl_->directory.results();
}

Store& Journal::readable_store() {
    impl_->committer->barrier();
    return *impl_->store;
}

}  // namespace sworn::journal
