// The control API: one connection, read and answered until it closes. The transport is Beast over a
// generic socket, so TCP and unix listeners share it; handlers run on the workers, where journal
// reads may block.
#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include <chrono>

#include "metrics/metrics.h"
#include "proxy/io/task.h"
#include "proxy/pipeline/services.h"

namespace sworn::control {

/// Which way a request came in. The unix socket is the operator's by its file mode; TCP asks for
/// the control token; the metrics listener shows health and metrics only; `caller` is
/// sworn.internal on the proxy listener, where a caller sees what is its own.
enum class Door : std::uint8_t { unix_socket, tcp, metrics, caller };

struct Services {
    journal::Journal& journal;
    io::WorkerPool& workers;
    const Clock& clock;
    const pipeline::RuntimeSource& runtime;
    metrics::Metrics& metrics;
    pipeline::Gate& gate;
};

using Socket = io::asio::basic_stream_socket<io::asio::generic::stream_protocol, io::Executor>;

inline constexpr std::size_t head_bytes_max = 64 * 1024;
inline constexpr std::size_t body_bytes_max = 1024 * 1024;

/// Longest time without a byte: between requests, within one, and while an answer is taken.
inline constexpr std::chrono::seconds idle_max{75};

io::Task<void> serve_connection(Socket socket, Door door, Services& services);

}  // namespace sworn::control
