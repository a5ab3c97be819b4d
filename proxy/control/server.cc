#include "proxy/control/server.h"

#include <sys/socket.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "proxy/control/router.h"

namespace sworn::control {

namespace asio = io::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using namespace std::chrono_literals;

namespace {

constexpr auto idle_max = 75s;

std::string peer_identity(Socket& socket, Door door) {
    if (door != Door::unix_socket) return "anonymous";
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return "unix";
    }
    return "unix:" + std::to_string(peer.uid);
}

Request to_request(const http::request<http::string_body>& message, Door door,
                   std::string identity) {
    Request request;
    request.method = message.method_string();
    split_target({message.target().data(), message.target().size()}, request);
    request.authorization = message[http::field::authorization];
    request.host = message[http::field::host];
    request.body = message.body();
    request.door = door;
    request.identity = std::move(identity);
    return request;
}

http::response<http::string_body> to_message(Response answer, bool keep_alive, bool head_only) {
    http::response<http::string_body> message;
    message.result(static_cast<unsigned>(answer.status));
    message.set(http::field::cache_control, "no-store");
    if (!answer.type.empty()) message.set(http::field::content_type, answer.type);
    for (const auto& [name, value] : answer.fields) message.insert(name, value);
    message.keep_alive(keep_alive);
    const auto size = answer.body.size();
    if (!head_only) message.body() = std::move(answer.body);
    message.content_length(size);
    return message;
}

/// Closes a connection on which nothing happens; re-armed by every request.
class IdleClose {
public:
    explicit IdleClose(Socket& socket) : socket_{socket}, timer_{socket.get_executor()} {}
    void arm() {
        timer_.expires_after(idle_max);
        timer_.async_wait([this](boost::system::error_code failed) {
            if (failed) return;
            boost::system::error_code ignored;
            socket_.close(ignored);
        });
    }
    void disarm() { timer_.cancel(); }

private:
    using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                             asio::wait_traits<std::chrono::steady_clock>,
                                             io::Executor>;
    Socket& socket_;
    Timer timer_;
};

}  // namespace

io::Task<void> serve_connection(Socket socket, Door door, Services& services) {
    const auto identity = peer_identity(socket, door);
    beast::flat_buffer buffer;
    IdleClose idle{socket};
    for (bool keep_alive = true; keep_alive;) {
        http::request_parser<http::string_body> parser;
        parser.header_limit(head_bytes_max);
        parser.body_limit(body_bytes_max);
        idle.arm();
        const auto [broken, bytes] = co_await http::async_read(socket, buffer, parser, io::no_throw);
        if (broken == http::error::end_of_stream || broken == asio::error::operation_aborted) break;
        Response answer;
        bool head_only = false;
        if (broken) {
            answer = problem(ControlProblem::bad_request, "The request is not well-formed HTTP.");
            keep_alive = false;
        } else {
            const auto request = to_request(parser.get(), door, identity);
            keep_alive = parser.get().keep_alive();
            head_only = request.method == "HEAD";
            auto work = [&] { return route(services, request); };
            answer = co_await services.workers.run(work);
        }
        auto message = to_message(std::move(answer), keep_alive, head_only);
        if (head_only) {
            http::response_serializer<http::string_body> serializer{message};
            const auto [failed, written] =
                co_await http::async_write_header(socket, serializer, io::no_throw);
            if (failed) break;
            continue;
        }
        const auto [failed, written] = co_await http::async_write(socket, message, io::no_throw);
        if (failed) break;
    }
    idle.disarm();
    boost::system::error_code ignored;
    socket.shutdown(Socket::shutdown_send, ignored);
}

}  // namespace sworn::control
