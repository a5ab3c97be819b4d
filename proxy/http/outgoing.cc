#include "proxy/http/outgoing.h"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>

namespace sworn::http {

namespace {

/// The next piece of a body in memory, or read from its spool on a worker; nothing on a read error.
io::Task<std::optional<std::string_view>> next_piece(Outgoing& outgoing, io::WorkerPool& workers) {
    const auto& body = *outgoing.body;
    if (body.descriptor < 0) {
        const auto whole = std::string_view{body.memory};
        co_return whole.substr(static_cast<std::size_t>(outgoing.offset), write_piece_bytes);
    }
    outgoing.piece.resize(write_piece_bytes);
    auto read = [&outgoing] {
        return outgoing.body->read(outgoing.offset, outgoing.piece.data(), outgoing.piece.size());
    };
    const auto got = co_await workers.run(read);
    if (!got || *got == 0) co_return std::nullopt;
    co_return std::string_view{outgoing.piece}.substr(0, *got);
}

io::Task<void> write_rest(OutgoingPtr outgoing, io::WorkerPool& workers) {
    while (!outgoing->whole() && !outgoing->stop) {
        const auto piece = co_await next_piece(*outgoing, workers);
        if (!piece) {
            outgoing->end = io::IoEnd::failed;
            break;
        }
        if (outgoing->stop) break;
        const std::array buffers{io::asio::const_buffer{piece->data(), piece->size()}};
        const auto written =
            co_await outgoing->connection->stream->write(buffers, outgoing->idle_limit);
        outgoing->offset += written.bytes;
        outgoing->end = written.end;
        if (!written.ok()) break;
    }
    outgoing->running = false;
    if (outgoing->listener != nullptr) outgoing->listener->writer_finished();
}

}  // namespace

void start_writer(const OutgoingPtr& outgoing, io::ThreadContext& thread, io::WorkerPool& workers) {
    SWORN_ASSERT(!outgoing->running);
    outgoing->running = true;
    io::asio::co_spawn(thread.context.get_executor(), write_rest(outgoing, workers),
                       [](const std::exception_ptr& thrown) {
                           // Only an exhausted heap throws in there; no exchange survives that.
                           SWORN_ASSERT(!thrown);
                       });
}

}  // namespace sworn::http
