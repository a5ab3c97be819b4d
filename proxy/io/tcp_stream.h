// Stream over TCP and unix sockets. TLS over either: proxy/io/tls_stream.h.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "proxy/io/socket_transport.h"
#include "proxy/io/stream.h"
#include "proxy/io/thread_context.h"

namespace sworn::io {

using TcpSocket = asio::basic_stream_socket<asio::ip::tcp, Executor>;
using UnixSocket = asio::basic_stream_socket<asio::local::stream_protocol, Executor>;

/// Takes an open, connected socket. Sets TCP_NODELAY.
[[nodiscard]] StreamPtr make_stream(ThreadContext& thread, TcpSocket socket);
[[nodiscard]] StreamPtr make_stream(ThreadContext& thread, UnixSocket socket);

/// Takes the socket out of a stream that make_stream() made, for TLS over it. Nothing may be
/// pending; any other stream is a bug.
[[nodiscard]] AnySocket release_socket(StreamPtr stream);

}  // namespace sworn::io
