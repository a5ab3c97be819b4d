// What every Stream over a socket shares: waiting for readiness under a deadline, cancelling,
// closing, and what the kernel tells about the peer. Used by the streams of this folder only.
#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include <chrono>
#include <cstdint>
#include <string>

#include "proxy/io/stream.h"
#include "proxy/io/thread_context.h"

namespace sworn::io {

/// TCP and unix sockets alike.
using AnySocket = asio::basic_stream_socket<asio::generic::stream_protocol, Executor>;

/// What an errno of send or recv means.
[[nodiscard]] IoEnd end_of(int error) noexcept;
/// "127.0.0.1:4711", "[::1]:4711", "unix"; empty where the peer is unknown.
[[nodiscard]] std::string peer_text(int descriptor);

class SocketTransport {
public:
    SocketTransport(ThreadContext& thread, AnySocket socket);

    enum class Direction : std::uint8_t { read, write };

    /// Readiness for as long as one operation runs. The wait ends with ok, timed_out, cancelled or
    /// failed; a cancel() that comes between two waits of the operation ends the second one.
    class Operation {
    public:
        Operation(SocketTransport& transport, Direction direction, std::chrono::milliseconds limit);
        ~Operation();
        Operation(const Operation&) = delete;
        /// Waits for readiness to do `what`: TLS may have to write to read. Arms the deadline anew
        /// where progress was made since the last wait, or at the first one.
        Task<IoEnd> wait(Direction what);
        /// One receive, by Asio's own rule of when to ask the kernel and when to wait first.
        Task<IoResult> receive(asio::mutable_buffer into);
        void progress() noexcept { armed_ = false; }

    private:
        void arm();
        [[nodiscard]] IoEnd interrupted() const noexcept;

        SocketTransport& transport_;
        Deadline& deadline_;
        std::chrono::milliseconds limit_;
        std::uint64_t cancels_;
        bool armed_ = false;
    };

    Task<IoResult> wait_readable();
    void cancel_wait() noexcept;
    [[nodiscard]] Stream::Look look() noexcept;
    void cancel() noexcept;
    void close() noexcept;
    void reset() noexcept;
    void shutdown_write() noexcept;
    [[nodiscard]] bool is_open() const noexcept { return socket_.is_open(); }
    [[nodiscard]] int unacknowledged() noexcept;
    [[nodiscard]] const std::string& peer_address() const noexcept { return peer_; }
    [[nodiscard]] int descriptor() noexcept { return socket_.native_handle(); }
    [[nodiscard]] ThreadContext& thread() noexcept { return thread_; }
    /// Gives the socket away; the transport is then closed.
    [[nodiscard]] AnySocket release() noexcept { return std::move(socket_); }

private:
    /// A passed deadline cancels everything: the stream is only fit to be closed afterwards.
    struct CancelAll final : Expiry {
        explicit CancelAll(SocketTransport& of) : transport{of} {}
        void expired() noexcept override { transport.cancel(); }
        SocketTransport& transport;
    };

    ThreadContext& thread_;
    AnySocket socket_;
    std::string peer_;
    CancelAll cancel_all_{*this};
    Deadline read_deadline_{thread_.wheel, cancel_all_};
    Deadline write_deadline_{thread_.wheel, cancel_all_};
    asio::cancellation_signal wait_signal_;
    std::uint64_t cancels_ = 0;
};

}  // namespace sworn::io
