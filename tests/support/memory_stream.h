// A Stream without a socket: a test pushes what the peer says, and reads what was written to it.
// Reads may be cut into any size; ends, stalls and write faults come when the test says so.
#pragma once

#include <boost/asio/basic_waitable_timer.hpp>

#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/io/stream.h"
#include "proxy/io/thread_context.h"

namespace sworn::test {

class MemoryStream final : public io::Stream {
public:
    explicit MemoryStream(io::ThreadContext& thread);
    ~MemoryStream() override;

    // The peer's side.
    void push(std::string_view bytes);
    void end(io::IoEnd how);  ///< After what was pushed: eof, truncated, reset or tls_failure.
    /// Writes fail once this many bytes were taken.
    void fail_writes_after(std::size_t bytes, io::IoEnd how);
    /// Writes block once this many bytes were taken, until cancelled or closed.
    void block_writes_after(std::size_t bytes) { write_room_ = bytes; }
    void unblock_writes();
    std::size_t read_max = std::numeric_limits<std::size_t>::max();
    std::function<void()> on_write;  ///< After each write that took bytes.
    std::function<void()> on_fin;    ///< After our side was shut down.
    int unacked = 0;                 ///< What unacknowledged() says.
    // Where the stream leaves what was done to it when it is destroyed; may be null.
    std::string* keep_written = nullptr;
    bool* keep_reset = nullptr;

    // What was done to it.
    std::string written;
    bool fin = false, was_reset = false;

    // Stream
    io::Task<io::IoResult> read_some(io::asio::mutable_buffer into,
                                     std::chrono::milliseconds limit) override;
    io::Task<io::IoResult> write(std::span<const io::asio::const_buffer> pieces,
                                 std::chrono::milliseconds limit) override;
    io::Task<void> shutdown_write() override;
    io::Task<io::IoResult> wait_readable() override;
    void cancel_wait() noexcept override;
    [[nodiscard]] Look look() noexcept override;
    void cancel() noexcept override;
    void close() noexcept override;
    void reset() noexcept override;
    [[nodiscard]] bool is_open() const noexcept override { return open_; }
    [[nodiscard]] int unacknowledged() noexcept override { return unacked; }
    [[nodiscard]] std::string peer_address() const override { return "memory"; }

private:
    using Timer = io::asio::basic_waitable_timer<
        std::chrono::steady_clock, io::asio::wait_traits<std::chrono::steady_clock>, io::Executor>;
    /// Sleeps until woken or `limit` passed (zero: never); false when it passed.
    io::Task<bool> sleep(Timer& timer, std::chrono::milliseconds limit);
    void wake() noexcept;

    std::string incoming_;
    std::optional<io::IoEnd> end_;
    std::optional<io::IoEnd> write_fault_;
    std::size_t write_fault_at_ = 0;
    std::size_t write_room_ = std::numeric_limits<std::size_t>::max();
    bool open_ = true;
    unsigned cancels_ = 0, wait_cancels_ = 0;
    Timer reading_, waiting_, writing_;
};

}  // namespace sworn::test
