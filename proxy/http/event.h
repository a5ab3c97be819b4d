// Something that one coroutine waits for and another (or a deadline) brings about. One thread.
#pragma once

#include <boost/asio/basic_waitable_timer.hpp>

#include <chrono>

#include "proxy/io/deadline.h"
#include "proxy/io/task.h"
#include "proxy/io/thread_context.h"

namespace sworn::http {

/// Set once, stays set until reset(). At most one waiter.
class Event {
public:
    explicit Event(io::ThreadContext& thread) : timer_{thread.context.get_executor()} {
        timer_.expires_at(Timer::time_point::max());
    }

    void set() noexcept {
        if (set_) return;
        set_ = true;
        timer_.cancel();
    }
    void reset() noexcept { set_ = false; }
    [[nodiscard]] bool is_set() const noexcept { return set_; }

    io::Task<void> wait() {
        while (!set_) {
            const auto [woken] = co_await timer_.async_wait(io::no_throw);
            static_cast<void>(woken);
        }
    }

private:
    using Timer = io::asio::basic_waitable_timer<
        std::chrono::steady_clock, io::asio::wait_traits<std::chrono::steady_clock>, io::Executor>;
    Timer timer_;
    bool set_ = false;
};

/// An event that also happens by itself when its time has come.
class TimedEvent final : private io::Expiry {
public:
    explicit TimedEvent(io::ThreadContext& thread)
        : event_{thread}, deadline_{thread.wheel, *this} {}

    void set() noexcept { event_.set(); }
    /// True if it was set, false if `limit` passed first. Resets itself.
    io::Task<bool> wait(std::chrono::milliseconds limit) {
        timed_out_ = false;
        deadline_.arm(limit);
        co_await event_.wait();
        deadline_.disarm();
        event_.reset();
        co_return !timed_out_;
    }

private:
    void expired() noexcept override {
        timed_out_ = true;
        event_.set();
    }
    Event event_;
    io::Deadline deadline_;
    bool timed_out_ = false;
};

/// A deadline that calls a member function.
template <auto Member>
class CallAt;
template <class Owner, void (Owner::*Member)() noexcept>
class CallAt<Member> final : private io::Expiry {
public:
    CallAt(io::ThreadContext& thread, Owner& owner)
        : owner_{owner}, deadline_{thread.wheel, *this} {}
    void arm(std::chrono::milliseconds after) { deadline_.arm(after); }
    void disarm() noexcept { deadline_.disarm(); }

private:
    void expired() noexcept override { (owner_.*Member)(); }
    Owner& owner_;
    io::Deadline deadline_;
};

}  // namespace sworn::http
