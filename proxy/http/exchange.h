// One request and its response on one upstream connection. Moves bytes, reports observations,
// decides nothing. The request leaves only against a DispatchTicket.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "journal/ticket.h"
#include "proxy/config/snapshot.h"
#include "proxy/connect/dialer.h"
#include "proxy/contract/settle.h"
#include "proxy/credentials/sealed_request.h"
#include "proxy/http/body.h"
#include "proxy/http/body_decoder.h"
#include "proxy/http/message.h"
#include "proxy/io/worker_pool.h"

namespace sworn::http {

inline constexpr std::size_t informational_max = 16;

class Exchange {
public:
    /// `method` frames the response; `limits.max_header` bounds its head. The deadlines: response
    /// header, response idle, and `total` (stops counting when a response streams).
    Exchange(connect::ConnectionPtr connection, std::string method,
             const config::Timeouts& timeouts, const config::Limits& limits,
             io::ThreadContext& thread, io::WorkerPool& workers);
    ~Exchange();

    /// Hands the request over. A write error does not end the exchange: a complete response that
    /// can still be read settles it (contract section 7). While a large body is being written, an
    /// early final response stops the writing.
    io::Task<void> send(journal::DispatchTicket ticket, const credentials::SealedRequest& request,
                        const Body& body);

    /// The next head: an informational one (1xx; call again), the final one, or nothing: broken.
    struct Head {
        enum class Kind : std::uint8_t { informational, final, broken };
        Kind kind = Kind::broken;
        ResponseHead head;
    };
    io::Task<Head> read_head();

    /// The next run of body bytes; empty data with `complete` or `broken` ends it. The view holds
    /// until the next call.
    struct Part {
        enum class Kind : std::uint8_t { data, complete, broken };
        Kind kind = Kind::broken;
        std::string_view data;
    };
    io::Task<Part> read_body();
    /// As read_body, but gives up with `data` empty and kind data after `patience` (for the 50 ms
    /// hold of small chunked responses). The exchange goes on undisturbed.
    io::Task<Part> read_body_for(std::chrono::milliseconds patience);

    /// Facts so far; final once a broken or complete end was returned.
    [[nodiscard]] const contract::Observations& observations() const noexcept;
    [[nodiscard]] std::string_view diagnostic() const noexcept;  ///< Literal; for the event only.

    /// Stops pending reads and writes; the end becomes `end`. Same thread.
    void stop(contract::ExchangeEnd end) noexcept;
    void streaming() noexcept;          ///< `total` stops counting.
    void count_total_again() noexcept;  ///< After the caller left.

    /// The connection, if it may carry another request; else null and closed.
    [[nodiscard]] connect::ConnectionPtr finish();
    [[nodiscard]] const connect::Connection& connection() const noexcept;

    struct Impl;

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace sworn::http
