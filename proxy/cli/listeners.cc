#include "proxy/cli/listeners.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <sys/stat.h>
#include <unistd.h>

namespace sworn::cli {

namespace asio = io::asio;
using boost::system::error_code;

namespace {

ListenError cannot(const std::string& where, const error_code& why) {
    return ListenError{"cannot listen on " + where + ": " + why.message()};
}

std::string text_of(const asio::ip::tcp::endpoint& endpoint) {
    const auto address = endpoint.address();
    const auto host = address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
    return host + ":" + std::to_string(endpoint.port());
}

Result<TcpAcceptor, ListenError> open_tcp(asio::io_context& context,
                                          const config::Listener& listener) {
    const auto where = listener.host + ":" + std::to_string(listener.port);
    error_code failed;
    auto address =
        asio::ip::make_address(listener.host == "localhost" ? "127.0.0.1" : listener.host, failed);
    if (failed) {
        return ListenError{"cannot listen on " + where +
                           ": the host must be an address (or localhost)"};
    }
    const asio::ip::tcp::endpoint endpoint{address, listener.port};
    TcpAcceptor acceptor{context};
    acceptor.open(endpoint.protocol(), failed);
    if (!failed) acceptor.set_option(asio::socket_base::reuse_address(true), failed);
    if (!failed) acceptor.bind(endpoint, failed);
    if (!failed) acceptor.listen(4096, failed);
    if (failed) return cannot(where, failed);
    return acceptor;
}

/// A socket file that a killed broker left behind: nobody answers on it.
bool is_stale(asio::io_context& context, const asio::local::stream_protocol::endpoint& endpoint) {
    error_code failed;
    io::UnixSocket probe{context};
    probe.connect(endpoint, failed);
    return failed == asio::error::connection_refused;
}

Result<UnixAcceptor, ListenError> open_unix(asio::io_context& context,
                                            const std::filesystem::path& path) {
    const asio::local::stream_protocol::endpoint endpoint{path.string()};
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    if (std::filesystem::is_socket(path, ignored) && is_stale(context, endpoint)) {
        std::filesystem::remove(path, ignored);
    }
    error_code failed;
    UnixAcceptor acceptor{context};
    acceptor.open(endpoint.protocol(), failed);
    const auto before = ::umask(0177);
    if (!failed) acceptor.bind(endpoint, failed);
    ::umask(before);
    if (!failed) acceptor.listen(1024, failed);
    if (failed) return cannot("unix:" + path.string(), failed);
    return acceptor;
}

}  // namespace

Result<OpenListener, ListenError> OpenListener::open(asio::io_context& context,
                                                     const config::Listener& listener) {
    if (listener.kind == config::Listener::Kind::unix_socket) {
        auto acceptor = open_unix(context, listener.path);
        if (!acceptor) return acceptor.error();
        OpenListener open{std::move(*acceptor)};
        open.path_ = listener.path;
        return open;
    }
    auto acceptor = open_tcp(context, listener);
    if (!acceptor) return acceptor.error();
    return OpenListener{std::move(*acceptor)};
}

std::optional<asio::ip::tcp::endpoint> OpenListener::endpoint() const {
    const auto* tcp = std::get_if<TcpAcceptor>(&acceptor_);
    if (tcp == nullptr) return std::nullopt;
    error_code ignored;
    return tcp->local_endpoint(ignored);
}

std::string OpenListener::address() const {
    const auto tcp = endpoint();
    return tcp ? text_of(*tcp) : "unix:" + path_.string();
}

void OpenListener::close() noexcept {
    error_code ignored;
    std::visit([&](auto& acceptor) { acceptor.close(ignored); }, acceptor_);
    if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace sworn::cli
