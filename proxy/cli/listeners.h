// Opening listeners and accepting on them. All acceptors live on the first I/O thread; connections
// are dealt out in turn, so that unix and TCP listeners balance alike.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <string>
#include <variant>

#include "common/result.h"
#include "proxy/config/snapshot.h"
#include "proxy/io/tcp_stream.h"

namespace sworn::cli {

using TcpAcceptor = io::asio::basic_socket_acceptor<io::asio::ip::tcp, io::Executor>;
using UnixAcceptor =
    io::asio::basic_socket_acceptor<io::asio::local::stream_protocol, io::Executor>;

struct ListenError {
    std::string what;  ///< "cannot listen on 127.0.0.1:8118: Address already in use"
};

/// An open listener; `address()` has the port that was really taken.
class OpenListener {
public:
    /// A unix socket is made mode 0600; a stale one nobody listens on is replaced.
    [[nodiscard]] static Result<OpenListener, ListenError> open(io::asio::io_context& context,
                                                                const config::Listener& listener);

    [[nodiscard]] std::string address() const;
    [[nodiscard]] std::optional<io::asio::ip::tcp::endpoint> endpoint() const;
    void close() noexcept;
    std::variant<TcpAcceptor, UnixAcceptor>& acceptor() noexcept { return acceptor_; }

private:
    explicit OpenListener(std::variant<TcpAcceptor, UnixAcceptor> acceptor)
        : acceptor_{std::move(acceptor)} {}
    std::variant<TcpAcceptor, UnixAcceptor> acceptor_;
    std::filesystem::path path_;
};

}  // namespace sworn::cli
