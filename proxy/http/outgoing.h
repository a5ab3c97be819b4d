// The sending half of an exchange. It may outlive the exchange: what its writer touches (the
// connection, the body's bytes) is owned here, so that an exchange can be dropped while a write is
// pending.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "proxy/connect/dialer.h"
#include "proxy/http/body.h"
#include "proxy/io/thread_context.h"
#include "proxy/io/worker_pool.h"

namespace sworn::http {

/// Told once, on the exchange's thread, when the writer is done.
class WriterListener {
public:
    virtual ~WriterListener() = default;
    virtual void writer_finished() noexcept = 0;
};

struct Outgoing {
    connect::ConnectionPtr connection;
    BodyContentPtr body;
    std::uint64_t offset = 0;  ///< Body bytes that the transport took.
    std::chrono::milliseconds idle_limit{0};
    io::IoEnd end = io::IoEnd::ok;  ///< How the last write ended.
    bool running = false;
    bool stop = false;                   ///< No further piece after the pending one.
    WriterListener* listener = nullptr;  ///< Null once nobody waits.
    std::string piece;

    [[nodiscard]] bool whole() const noexcept { return !body || offset == body->size; }
};
using OutgoingPtr = std::shared_ptr<Outgoing>;

inline constexpr std::size_t write_piece_bytes = 64 * 1024;

/// Writes the body from `offset` on in the background. One at a time.
void start_writer(const OutgoingPtr& outgoing, io::ThreadContext& thread, io::WorkerPool& workers);

}  // namespace sworn::http
