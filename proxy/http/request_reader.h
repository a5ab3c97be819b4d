// Reads requests off a caller's stream, under the caller's deadlines. Knows nothing of answers.
// Its own deadlines cancel a pending read instead of using the stream's limit, because a caller
// that was too slow still gets an answer on this stream.
#pragma once

#include <chrono>

#include "common/result.h"
#include "proxy/http/body.h"
#include "proxy/http/body_decoder.h"
#include "proxy/http/event.h"
#include "proxy/http/front.h"
#include "proxy/http/head_scan.h"
#include "proxy/http/message.h"
#include "proxy/http/read_buffer.h"
#include "proxy/io/stream.h"
#include "proxy/io/worker_pool.h"

namespace sworn::http {

/// A body may take `request_body` for each run of this many bytes: a bound on time that does not
/// bound size.
inline constexpr std::uint64_t body_progress_bytes = 1 << 20;

class RequestReader {
public:
    RequestReader(io::Stream& stream, io::ThreadContext& thread, io::WorkerPool& workers,
                  const FrontSettingsSource& source);

    /// Waits for the first byte of a request. `cancelled`: nothing came within client_idle, or the
    /// broker drains.
    io::Task<io::IoEnd> await_request(std::chrono::milliseconds idle_max);
    /// The head, whose first byte is there. Errors: malformed_request (field "header", 431 or 414
    /// for size, 400 for time, an early end or grammar).
    io::Task<Result<RequestHead>> read_head(const FrontSettings& settings);
    /// The whole body. Errors: malformed_request (field "body"), payload_limit.
    io::Task<Status> read_body(BodyFraming framing, Body& body, const FrontSettings& settings);

    [[nodiscard]] bool buffered() const noexcept { return !buffer_.empty(); }
    void drop_buffered() noexcept { buffer_.clear(); }
    /// The caller's FIN was read.
    [[nodiscard]] bool saw_end() const noexcept { return saw_end_; }
    [[nodiscard]] bool saw_reset() const noexcept { return saw_reset_; }

private:
    io::Task<io::IoEnd> fill();
    io::Task<Status> keep(std::string_view data, Body& body);
    void passed() noexcept;  ///< A head's or body's deadline.
    void idle_tick() noexcept;

    io::Stream& stream_;
    io::WorkerPool& workers_;
    const FrontSettingsSource& source_;
    ReadBuffer buffer_;
    CallAt<&RequestReader::passed> deadline_;
    CallAt<&RequestReader::idle_tick> idle_;
    std::chrono::steady_clock::time_point idle_until_{};
    bool saw_end_ = false, saw_reset_ = false;
};

}  // namespace sworn::http
