#include "journal/committer.h"

#include <algorithm>
#include <utility>

namespace sworn::journal {
namespace {

/// A larger queue is written in several batches.
constexpr std::size_t group_bytes_max = 4u << 20;
/// How long a buffered append may wait for company.
constexpr std::chrono::milliseconds doze{5};

bool earns_commit_ticket(const Event& event) {
    if (std::holds_alternative<ResultCommitted>(event.body)) return true;
    if (std::holds_alternative<ExchangeBroken>(event.body)) return true;
    const auto* complete = std::get_if<RemoteResponseComplete>(&event.body);
    return complete != nullptr && !complete->result_stored;
}

AppendOutcome unavailable(bool may_be_on_disk) {
    AppendOutcome outcome;
    outcome.refusal = Refusal::unavailable;
    outcome.may_be_on_disk = may_be_on_disk;
    return outcome;
}

}  // namespace

Committer::Committer(Store& store, Staging& staging, LiveView& view, const Clock& clock,
                     Observer& observer, Limits limits)
    : store_{store},
      staging_{staging},
      view_{view},
      clock_{clock},
      observer_{observer},
      limits_{limits} {}

Committer::~Committer() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    wanted_.notify_one();
    thread_.join();
}

bool Committer::commit_now(std::vector<Append> appends) {
    SWORN_ASSERT(!thread_.joinable());
    std::vector<Item> items;
    for (Append& each : appends) {
        each.durability = Durability::durable;
        items.push_back(Item{std::move(each), {}});
    }
    commit(std::move(items));
    return usable();
}

void Committer::start() {
    SWORN_ASSERT(!thread_.joinable());
    if (usable()) observer_.writable(true);
    report_unsettled();
    thread_ = std::thread{[this] { work(); }};
}

void Committer::append(Append append) {
    bool call = false;
    {
        const std::lock_guard lock{mutex_};
        const bool awaited = append.durability != Durability::buffered || append.completion;
        if (queue_.size() >= limits_.queue_max) {
            if (append.completion == nullptr) return;  // Its record's next append will say so.
            overflow_.push_back(Waiter{append.waker, append.completion});
        } else {
            queue_.push_back(Item{std::move(append), {}});
            ++queued_;
        }
        urgent_ = urgent_ || awaited;
        call = state_ == State::asleep || (state_ == State::dozing && awaited);
        if (call) state_ = State::busy;
    }
    if (call) wanted_.notify_one();
}

void Committer::barrier() {
    SWORN_ASSERT(std::this_thread::get_id() != thread_.get_id());
    std::unique_lock lock{mutex_};
    const std::uint64_t target = queued_;
    if (written_ >= target) return;
    urgent_ = true;
    if (state_ != State::busy) wanted_.notify_one();
    state_ = State::busy;
    done_.wait(lock, [&] { return written_ >= target; });
}

void Committer::run(Maintenance maintenance) {
    SWORN_ASSERT(std::this_thread::get_id() != thread_.get_id());
    {
        const std::lock_guard lock{mutex_};
        queue_.push_back(Item{{}, std::move(maintenance)});
        ++queued_;
    }
    barrier();
}

bool Committer::usable() const noexcept {
    return !poisoned_.load(std::memory_order_acquire) && !store_.poisoned();
}

std::size_t Committer::unsettled() const noexcept {
    return unsettled_.load(std::memory_order_relaxed);
}

void Committer::work() {
    for (bool stop = false; !stop;) {
        std::vector<Item> items = take(stop);
        const std::uint64_t count = items.size();
        commit(std::move(items));
        if (stop && usable() && !store_.write({}, true)) poison();
        {
            const std::lock_guard lock{mutex_};
            written_ += count;
        }
        if (count != 0) done_.notify_all();
    }
}

/// Waits for work: all that is queued, and whether it is the last.
std::vector<Committer::Item> Committer::take(bool& stop) {
    std::vector<Waiter> overflow;
    std::vector<Item> items;
    {
        std::unique_lock lock{mutex_};
        const auto called = [&] { return urgent_ || stopping_; };
        if (!called()) {
            state_ = State::dozing;
            wanted_.wait_for(lock, doze, called);
        }
        if (!called() && queue_.empty()) {
            state_ = State::asleep;
            wanted_.wait(lock, [&] { return called() || !queue_.empty(); });
            if (!called()) {
                state_ = State::dozing;
                wanted_.wait_for(lock, doze, called);
            }
        }
        state_ = State::busy;
        urgent_ = false;
        stop = stopping_;
        items.swap(queue_);
        overflow.swap(overflow_);
    }
    Wakeups wakeups;
    for (const Waiter& each : overflow)
        wakeups.add(each, unavailable(false));
    wakeups.deliver();
    return items;
}

void Committer::commit(std::vector<Item> items) {
    Group group;
    std::vector<Member> members;
    for (Item& item : items) {
        stage(item, group, members);
        if (group.bytes >= group_bytes_max) flush(group, members);
    }
    flush(group, members);
}

void Committer::stage(Item& item, Group& group, std::vector<Member>& members) {
    if (!usable()) {
        poison();
        if (!item.maintenance)
            members.push_back(Member{std::move(item.append), unavailable(false), {}, false});
        return;
    }
    if (item.maintenance) {
        item.maintenance(staging_, group);
        group.sync = true;
        return;
    }
    Append& append = item.append;
    const Staged staged = staging_.stage(append, group);
    if (staged.read_fault) poison();
    AppendOutcome outcome;
    outcome.refusal = staged.refusal;
    outcome.other = staged.other;
    outcome.same_fingerprint = staged.same_fingerprint;
    outcome.last_seq = staged.last_seq;
    Member member{std::move(append), std::move(outcome), {}, false};
    if (!staged.refusal && member.append.durability == Durability::durable) {
        group.sync = true;
        const std::vector<Event>& events = member.append.events;
        const auto* dispatch =
            events.empty() ? nullptr : std::get_if<DispatchStarted>(&events.back().body);
        if (dispatch != nullptr) member.dispatches = dispatch->request_digest;
        member.commits = std::any_of(events.begin(), events.end(), earns_commit_ticket);
    }
    members.push_back(std::move(member));
}

void Committer::flush(Group& group, std::vector<Member>& members) {
    if (group.batch.empty() && members.empty()) return;
    const bool written = write(group);
    staging_.retire(group);
    report_unsettled();
    Wakeups wakeups;
    for (Member& member : members) {
        finish(member, written);
        wakeups.add({member.append.waker, member.append.completion}, std::move(member.outcome));
    }
    for (const Waiter& each : group.ended)
        wakeups.add(each, AppendOutcome{});
    wakeups.deliver();
    group = Group{};
    members.clear();
}

/// The batch with the position behind it; poisons the journal where that fails.
bool Committer::write(Group& group) {
    if (group.batch.empty() && !group.sync) return true;
    if (poisoned_.load(std::memory_order_relaxed)) return false;
    if (group.events != 0) {
        group.batch.push_back(
            {Column::meta, std::string{position_meta_key}, encode_position(staging_.position())});
    }
    const SteadyTime started = clock_.steady();
    if (!store_.write(group.batch, group.sync)) {
        poison();
        return false;
    }
    observer_.committed(group.events, clock_.steady() - started);
    return true;
}

/// The only maker of tickets: called after the write, and its sync, came back.
void Committer::finish(Member& member, bool written) {
    if (member.outcome.refusal) return;
    if (!written) {
        member.outcome = unavailable(true);
        return;
    }
    const InvocationId id = member.append.id;
    if (member.dispatches) {
        member.outcome.dispatch =
            DispatchTicket{id, member.append.events.back().generation,
                           clock_.steady() + limits_.lease, *member.dispatches};
    }
    if (member.commits) {
        member.outcome.commit = CommitTicket{id, member.append.events.back().generation};
    }
}

void Committer::poison() {
    if (poisoned_.exchange(true, std::memory_order_acq_rel)) return;
    observer_.writable(false);
    // No record ends any more as far as anybody can prove; nobody is left waiting for it.
    Wakeups wakeups;
    for (const Waiter& each : view_.close())
        wakeups.add(each, AppendOutcome{});
    wakeups.deliver();
}

void Committer::report_unsettled() {
    const std::size_t count = staging_.unsettled();
    unsettled_.store(count, std::memory_order_relaxed);
    if (count == reported_unsettled_) return;
    reported_unsettled_ = count;
    observer_.unsettled(count);
}

}  // namespace sworn::journal
