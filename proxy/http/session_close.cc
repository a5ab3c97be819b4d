// Lingering close (RFC 9112 section 9.6): FIN first, then read what still comes and throw it away,
// so that no reset destroys an answer on its way. The same wait sees whether it arrived.
#include <array>

#include "proxy/http/session.h"

namespace sworn::http {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds linger_max{5000};
constexpr milliseconds linger_idle_max{2000};
constexpr milliseconds acknowledge_max{2000};
constexpr std::uint64_t linger_bytes_max = 64ull << 20;

/// Linux counts our FIN as one unacknowledged octet of a TCP stream.
constexpr int own_fin = 1;

}  // namespace

/// Between two requests: nothing is owed to the caller.
io::Task<void> Session::leave(io::IoEnd end) {
    if (end == io::IoEnd::reset || !stream_.is_open()) {
        delivery_.over(stream_.unacknowledged(), 0);
        stream_.close();
        co_return;
    }
    const bool caller_ended = end == io::IoEnd::eof || end == io::IoEnd::truncated;
    if (caller_ended) delivery_.closed(stream_.unacknowledged(), 0);
    if (delivery_.waiting()) {
        co_await linger();
        co_return;
    }
    co_await stream_.shutdown_write();
    stream_.close();
}

io::Task<void> Session::linger() {
    if (!cut_ && stream_.is_open()) {
        co_await stream_.shutdown_write();
        const bool caller_ended = reader_.saw_end() || watch_.state() == CallerState::half_closed;
        if (!caller_ended && watch_.state() == CallerState::present) co_await drain();
        const bool gone = watch_.state() == CallerState::gone || reader_.saw_reset();
        if (delivery_.waiting() && !gone) co_await await_acknowledgement(own_fin);
    }
    delivery_.over(stream_.unacknowledged(), own_fin);
    stream_.close();
}

/// Reads and drops until the caller ends, too, or a bound is reached.
io::Task<void> Session::drain() {
    std::array<char, 16 * 1024> scrap;
    std::uint64_t dropped = 0;
    const auto until = steady_clock::now() + linger_max;
    reader_.drop_buffered();
    while (dropped < linger_bytes_max && steady_clock::now() < until) {
        const auto got = co_await stream_.read_some(
            io::asio::mutable_buffer{scrap.data(), scrap.size()}, linger_idle_max);
        if (got.end == io::IoEnd::eof || got.end == io::IoEnd::truncated) {
            delivery_.closed(stream_.unacknowledged(), own_fin);
        }
        if (!got.ok()) co_return;
        dropped += got.bytes;
    }
}

/// A caller that had closed its side before the answer confirms nothing by that. Its kernel does
/// acknowledge what arrives, and resets what it has no reader for.
io::Task<void> Session::await_acknowledgement(int own_end) {
    TimedEvent pause{thread_};
    milliseconds wait{10};
    const auto until = steady_clock::now() + acknowledge_max;
    while (steady_clock::now() < until && stream_.is_open()) {
        if (stream_.unacknowledged() <= own_end) co_return;
        if (stream_.look() == io::Stream::Look::reset) co_return;
        static_cast<void>(co_await pause.wait(wait));
        wait *= 2;
    }
}

}  // namespace sworn::http
