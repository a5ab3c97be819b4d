// Deadlines without a timer per step: one coarse wheel per I/O thread. A Deadline closes over what
// to stop (usually: cancel a stream's pending operation) and is disarmed by its destruction.
// Resolution 50 ms; a deadline never fires early. Everything here lives on one thread. A Deadline
// may outlive its wheel (a coroutine that its io_context destroys last), but is never armed then.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "common/clock.h"
#include "proxy/io/task.h"

namespace sworn::io {

/// What a deadline stops. Called on the I/O thread, at most once per arming.
class Expiry {
public:
    virtual ~Expiry() = default;
    virtual void expired() noexcept = 0;
};

class DeadlineWheel {
public:
    explicit DeadlineWheel(asio::io_context& context);
    ~DeadlineWheel();
    DeadlineWheel(const DeadlineWheel&) = delete;

    struct Impl;

private:
    friend class Deadline;
    std::shared_ptr<Impl> impl_;
};

/// One armed (or idle) deadline; may be re-armed. Not movable: the wheel points at it.
class Deadline {
public:
    Deadline(DeadlineWheel& wheel, Expiry& target) noexcept;
    ~Deadline();
    Deadline(const Deadline&) = delete;

    void arm(std::chrono::milliseconds after);
    void disarm() noexcept;
    [[nodiscard]] bool fired() const noexcept { return fired_; }  ///< Since the last arm().

    // Intrusive list, for the wheel only.
    Deadline* next = nullptr;
    Deadline** link = nullptr;
    SteadyTime due{};
    void fire() noexcept;

private:
    DeadlineWheel& wheel_;
    Expiry& target_;
    bool fired_ = false;
};

}  // namespace sworn::io
