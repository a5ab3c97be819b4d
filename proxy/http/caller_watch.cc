#include "proxy/http/caller_watch.h"

#include <boost/asio/co_spawn.hpp>

#include <exception>

namespace sworn::http {

namespace {

/// Behind unread bytes or a FIN a stream stays readable, so a reset is looked for at this pace.
constexpr std::chrono::milliseconds look_again{250};

}  // namespace

CallerWatch::CallerWatch(io::Stream& stream, io::ThreadContext& thread)
    : stream_{stream}, thread_{thread}, pause_{thread}, done_{thread} {}

void CallerWatch::start() {
    SWORN_ASSERT(!running_);
    running_ = true;
    stopping_ = false;
    done_.reset();
    io::asio::co_spawn(thread_.context.get_executor(), watch(),
                       [](const std::exception_ptr& thrown) { SWORN_ASSERT(!thrown); });
}

io::Task<void> CallerWatch::stop() {
    if (!running_) co_return;
    stopping_ = true;
    stream_.cancel_wait();
    pause_.set();
    co_await done_.wait();
    running_ = false;
}

void CallerWatch::change(CallerState state) noexcept {
    if (state <= state_) return;
    state_ = state;
    if (listener_ != nullptr) listener_->caller_changed(state);
}

bool CallerWatch::look() noexcept {
    switch (stream_.look()) {
        case io::Stream::Look::quiet:
        case io::Stream::Look::bytes:
            return true;
        case io::Stream::Look::eof:
            change(CallerState::half_closed);
            return true;
        case io::Stream::Look::reset:
            change(CallerState::gone);
            return false;
    }
    SWORN_ASSERT(false);
}

io::Task<void> CallerWatch::watch() {
    bool pausing = false;
    while (!stopping_ && state_ != CallerState::gone) {
        if (pausing) {
            static_cast<void>(co_await pause_.wait(look_again));
        } else {
            const auto readable = co_await stream_.wait_readable();
            if (readable.end == io::IoEnd::cancelled && stream_.is_open()) continue;
        }
        if (stopping_ || !stream_.is_open()) break;
        pausing = look();
    }
    done_.set();
}

}  // namespace sworn::http
