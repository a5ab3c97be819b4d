// The state of one exchange, shared by exchange.cc (reading) and exchange_send.cc (writing).
// Invariants: `ended` never goes back; once it is set, seen.end holds and no deadline is armed.
#pragma once

#include <string>
#include <string_view>

#include "proxy/http/event.h"
#include "proxy/http/exchange.h"
#include "proxy/http/head_scan.h"
#include "proxy/http/outgoing.h"
#include "proxy/http/read_buffer.h"

namespace sworn::http {

struct Exchange::Impl final : WriterListener {
    Impl(connect::ConnectionPtr connection, std::string request_method,
         const config::Timeouts& own_timeouts, const config::Limits& own_limits,
         io::ThreadContext& own_thread, io::WorkerPool& own_workers);
    ~Impl() override;

    // Sending (exchange_send.cc).
    io::Task<void> send(std::string_view head, const Body& body);
    io::Task<void> wait_while_writing();
    void writer_finished() noexcept override;
    void note_written(std::size_t head_bytes_left) noexcept;
    [[nodiscard]] bool writing() const noexcept { return outgoing->running; }

    // Reading (exchange.cc).
    io::Task<Head> read_head();
    Head take_head(std::size_t bytes);
    void note_head(const ResponseHead& head);
    /// Decoded bytes or an end out of what was read already; nothing if more must be read.
    std::optional<Part> take_buffered();
    /// Reads once. False: the exchange has ended.
    io::Task<bool> fill();
    io::Task<bool> wait_for_bytes();

    // Ends.
    void complete() noexcept;
    void broken(contract::ExchangeEnd end, std::string_view why) noexcept;
    void stream_ended(io::IoEnd end) noexcept;
    void stop(contract::ExchangeEnd end) noexcept;
    void header_too_late() noexcept { stop(contract::ExchangeEnd::header_timeout); }
    void silent_too_long() noexcept { stop(contract::ExchangeEnd::idle_timeout); }
    void total_passed() noexcept { stop(contract::ExchangeEnd::total_timeout); }
    void patience_passed() noexcept;

    [[nodiscard]] io::Stream& stream() noexcept { return *outgoing->connection->stream; }

    OutgoingPtr outgoing;
    std::string method;
    config::Timeouts timeouts;
    config::Limits limits;
    io::ThreadContext& thread;
    io::WorkerPool& workers;

    contract::Observations seen;
    std::string_view diagnostic;
    bool sent = false, ended = false, keep_alive = false;
    bool write_broke = false;
    std::optional<contract::ExchangeEnd> stopped;  ///< By us, before anything else ended it.

    ReadBuffer buffer;
    HeadEnd head_end;
    std::size_t head_bytes = 0;  ///< Of all heads so far, informational ones included.
    std::size_t informational = 0;
    std::optional<BodyDecoder> decoder;
    std::size_t shown = 0;  ///< Buffer bytes behind the view that was handed out.

    CallAt<&Impl::header_too_late> header_deadline;
    CallAt<&Impl::silent_too_long> idle_deadline;
    CallAt<&Impl::total_passed> total_deadline;
    CallAt<&Impl::patience_passed> patience_deadline;
    bool header_armed = false, patience_over = false, total_paused = false;
    SteadyTime total_due{};
    std::chrono::milliseconds total_left{0};
};

}  // namespace sworn::http
