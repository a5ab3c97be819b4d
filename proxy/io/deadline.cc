// A hashed wheel: a deadline sits in the slot of its tick; a slot that comes round fires what is
// due and leaves what belongs to a later turn. Its one timer runs only while something is armed.
#include "proxy/io/deadline.h"

#include <boost/asio/basic_waitable_timer.hpp>

#include <array>
#include <memory>

#include "common/assert.h"

namespace sworn::io {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds tick_length{50};
constexpr std::size_t slot_count = 1024;  // One turn is 51.2 s; longer deadlines take several.

using Timer = asio::basic_waitable_timer<steady_clock, asio::wait_traits<steady_clock>, Executor>;

/// The first tick that is not before `time`, so that nothing fires early.
std::int64_t tick_at_or_after(SteadyTime time) noexcept {
    const auto since = time.time_since_epoch();
    const auto ticks = since / tick_length;
    return ticks * tick_length == since ? ticks : ticks + 1;
}

std::int64_t tick_before(SteadyTime time) noexcept {
    return time.time_since_epoch() / tick_length;
}

}  // namespace

struct DeadlineWheel::Impl : std::enable_shared_from_this<DeadlineWheel::Impl> {
    explicit Impl(asio::io_context& context) : timer{context.get_executor()} {}

    void insert(Deadline& deadline) noexcept {
        const auto slot = static_cast<std::size_t>(tick_at_or_after(deadline.due)) % slot_count;
        Deadline*& head = slots[slot];
        deadline.next = head;
        if (head != nullptr) head->link = &deadline.next;
        deadline.link = &head;
        head = &deadline;
        ++armed;
    }

    void remove(Deadline& deadline) noexcept {
        SWORN_ASSERT(armed > 0);
        *deadline.link = deadline.next;
        if (deadline.next != nullptr) deadline.next->link = deadline.link;
        deadline.next = nullptr;
        deadline.link = nullptr;
        --armed;
    }

    void run_timer() {
        if (running) return;
        running = true;
        turned_to = tick_before(steady_clock::now());
        wait();
    }

    void wait() {
        timer.expires_at(SteadyTime{tick_length * (turned_to + 1)});
        // The wheel may be gone when this comes: it then finds nobody.
        timer.async_wait([self = weak_from_this()](const boost::system::error_code&) {
            if (const auto impl = self.lock()) impl->turn();
        });
    }

    void turn() {
        const std::int64_t now = tick_before(steady_clock::now());
        // A late wake-up visits every slot at most once: each visit fires all that is due by now.
        const std::int64_t first = std::max(turned_to + 1, now - std::int64_t{slot_count} + 1);
        turned_to = now;
        for (std::int64_t tick = first; tick <= now; ++tick) {
            fire_due(slots[static_cast<std::size_t>(tick) % slot_count], now);
        }
        running = armed > 0;
        if (running) wait();
    }

    /// What fires may disarm or arm any other deadline, so each round starts from the head again.
    void fire_due(Deadline*& head, std::int64_t now) {
        Deadline* at = head;
        while (at != nullptr) {
            if (tick_at_or_after(at->due) > now) {
                at = at->next;
                continue;
            }
            remove(*at);
            at->fire();
            at = head;
        }
    }

    Timer timer;
    std::array<Deadline*, slot_count> slots{};
    std::size_t armed = 0;
    std::int64_t turned_to = 0;
    bool running = false;
};

DeadlineWheel::DeadlineWheel(asio::io_context& context) : impl_{std::make_shared<Impl>(context)} {}

DeadlineWheel::~DeadlineWheel() {
    // Coroutines may outlive the wheel until their io_context destroys them.
    for (Deadline* head : impl_->slots) {
        while (head != nullptr) {
            Deadline* const next = head->next;
            head->next = nullptr;
            head->link = nullptr;
            head = next;
        }
    }
}

Deadline::Deadline(DeadlineWheel& wheel, Expiry& target) noexcept
    : wheel_{wheel}, target_{target} {}

Deadline::~Deadline() {
    disarm();
}

void Deadline::arm(std::chrono::milliseconds after) {
    disarm();
    fired_ = false;
    due = std::chrono::steady_clock::now() + after;
    wheel_.impl_->insert(*this);
    wheel_.impl_->run_timer();
}

void Deadline::disarm() noexcept {
    if (link != nullptr) wheel_.impl_->remove(*this);
}

void Deadline::fire() noexcept {
    fired_ = true;
    target_.expired();
}

}  // namespace sworn::io
