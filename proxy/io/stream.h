// One byte stream, whatever carries it: TCP, a unix socket, or TLS over either. Reads and writes
// take a deadline; when it passes the operation ends with `timed_out` and the stream is only fit
// to be closed. One read and one write may be pending at once. Lives on one I/O thread.
#pragma once

#include <boost/asio/buffer.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "proxy/io/task.h"

namespace sworn::io {

/// How an operation ended.
enum class IoEnd : std::uint8_t {
    ok,
    eof,        ///< Orderly: FIN in clear, close_notify on TLS.
    truncated,  ///< TLS only: FIN without close_notify.
    reset,
    timed_out,
    tls_failure,  ///< An alert or a record that does not verify.
    cancelled,    ///< By cancel().
    failed,       ///< Anything else.
};

struct IoResult {
    IoEnd end = IoEnd::ok;
    std::size_t bytes = 0;
    [[nodiscard]] bool ok() const noexcept { return end == IoEnd::ok; }
};

class Stream {
public:
    virtual ~Stream() = default;

    /// At least one byte, or the end. `limit` zero: no deadline.
    virtual Task<IoResult> read_some(asio::mutable_buffer into,
                                     std::chrono::milliseconds limit) = 0;
    /// All bytes, or how far it came: `bytes` counts what the transport took. The idle deadline
    /// starts again whenever some bytes were taken.
    virtual Task<IoResult> write(std::span<const asio::const_buffer> pieces,
                                 std::chrono::milliseconds limit) = 0;
    /// Orderly end of our side: FIN, after close_notify on TLS.
    virtual Task<void> shutdown_write() = 0;
    /// Waits until the peer's side becomes readable (bytes, FIN or RST) without reading. Ends with
    /// `cancelled` on cancel_wait(). For watching a caller while an exchange runs.
    virtual Task<IoResult> wait_readable() = 0;
    virtual void cancel_wait() noexcept = 0;
    /// What is visible now without blocking or consuming.
    enum class Look : std::uint8_t { quiet, bytes, eof, reset };
    [[nodiscard]] virtual Look look() noexcept = 0;

    virtual void cancel() noexcept = 0;  ///< Pending operations end with `cancelled`.
    virtual void close() noexcept = 0;   ///< At once; nothing pending survives.
    virtual void reset() noexcept = 0;   ///< Closes with RST, so that a peer sees a cut.
    [[nodiscard]] virtual bool is_open() const noexcept = 0;
    /// Bytes that the peer's kernel has not acknowledged (SIOCOUTQ); -1 if unknown.
    [[nodiscard]] virtual int unacknowledged() noexcept = 0;
    [[nodiscard]] virtual std::string peer_address() const = 0;  ///< "127.0.0.1:4711", "unix"
};
using StreamPtr = std::unique_ptr<Stream>;

}  // namespace sworn::io
