// Watches a caller that waits for its answer: does it stay, has it closed its side, is it gone?
// Reads nothing. Must be stopped before the stream is read again.
#pragma once

#include "proxy/http/caller_side.h"
#include "proxy/http/event.h"
#include "proxy/io/stream.h"

namespace sworn::http {

class CallerWatch {
public:
    CallerWatch(io::Stream& stream, io::ThreadContext& thread);

    void start();
    /// Ends the watch and returns once nothing of it runs any more.
    io::Task<void> stop();

    void listen(CallerListener* listener) noexcept { listener_ = listener; }
    [[nodiscard]] CallerState state() const noexcept { return state_; }
    /// Only ever for the worse.
    void change(CallerState state) noexcept;

private:
    io::Task<void> watch();
    /// What is visible now. True while bytes or a FIN stand in the way of waiting for more.
    bool look() noexcept;

    io::Stream& stream_;
    io::ThreadContext& thread_;
    CallerListener* listener_ = nullptr;
    CallerState state_ = CallerState::present;
    bool running_ = false, stopping_ = false;
    TimedEvent pause_;
    Event done_;
};

}  // namespace sworn::http
