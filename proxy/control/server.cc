#include "proxy/control/server.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <array>
#include <memory>
#include <sys/socket.h>

#include "proxy/control/router.h"

namespace sworn::control {

namespace asio = io::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

/// What is read and dropped after the last answer, so that it is not lost to a reset.
constexpr std::size_t linger_bytes_max = 4 * body_bytes_max;
constexpr std::chrono::seconds linger_max{2};

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

/// What could not be read as a request.
Response unreadable(const error_code& why) {
    if (why == http::error::body_limit) {
        return problem(ControlProblem::bad_request, "The body is longer than 1 MiB.");
    }
    if (why == http::error::header_limit) {
        return problem(ControlProblem::bad_request, "The header section is longer than 64 KiB.");
    }
    return problem(ControlProblem::bad_request, "The request is not well-formed HTTP.");
}

/// Nobody waits for an answer to this: the connection is over.
bool is_over(const error_code& broken) {
    if (!broken) return false;
    if (broken == http::error::end_of_stream || broken == http::error::partial_message) return true;
    return broken.category() != error_code{http::error::body_limit}.category();
}

/// Closes a connection on which nothing moves. A handler of the timer may run after this is gone,
/// so it holds what it looks at.
class Stall {
public:
    explicit Stall(Socket& socket)
        : timer_{socket.get_executor()}, watched_{std::make_shared<Watched>(Watched{&socket})} {}
    ~Stall() { watched_->socket = nullptr; }
    Stall(const Stall&) = delete;

    void arm(std::chrono::seconds after = idle_max) {
        const auto turn = ++watched_->turn;
        timer_.expires_after(after);
        timer_.async_wait([watched = watched_, turn](error_code failed) {
            if (failed || watched->socket == nullptr || watched->turn != turn) return;
            error_code ignored;
            watched->socket->close(ignored);
        });
    }
    void disarm() {
        ++watched_->turn;
        timer_.cancel();
    }

private:
    struct Watched {
        Socket* socket;
        std::uint64_t turn = 0;
    };
    using Timer =
        asio::basic_waitable_timer<std::chrono::steady_clock,
                                   asio::wait_traits<std::chrono::steady_clock>, io::Executor>;
    Timer timer_;
    std::shared_ptr<Watched> watched_;
};

/// How an answer has to be framed for the one who asked.
struct Asked {
    unsigned version = 11;
    bool keep_alive = false;
    bool head_only = false;
};

template <class Body>
void set_head(http::response<Body>& message, const Response& answer, const Asked& asked) {
    message.result(static_cast<unsigned>(answer.status));
    message.set(http::field::cache_control, "no-store");
    if (!answer.type.empty()) message.set(http::field::content_type, answer.type);
    for (const auto& [name, value] : answer.fields)
        message.insert(name, value);
    message.keep_alive(asked.keep_alive);
}

/// False: the connection is over.
io::Task<bool> send_whole(Socket& socket, Response& answer, const Asked& asked, Stall& stall) {
    http::response<http::string_body> message;
    set_head(message, answer, asked);
    message.content_length(answer.body.size());
    if (!asked.head_only) message.body() = std::move(answer.body);
    http::response_serializer<http::string_body> serializer{message};
    stall.arm();
    if (asked.head_only) {
        const auto [failed, bytes] =
            co_await http::async_write_header(socket, serializer, io::no_throw);
        co_return !failed;
    }
    const auto [failed, bytes] = co_await http::async_write(socket, serializer, io::no_throw);
    co_return !failed;
}

io::Task<bool> write_piece(Socket& socket, asio::const_buffer piece, const Asked& asked) {
    if (asked.version < 11) {
        const auto [failed, bytes] = co_await asio::async_write(socket, piece, io::no_throw);
        co_return !failed;
    }
    const auto chunk = http::make_chunk(piece);
    const auto [failed, bytes] = co_await asio::async_write(socket, chunk, io::no_throw);
    co_return !failed;
}

/// A body made while it is sent: in chunks, or to the end of the connection where the peer knows no
/// chunks. What breaks leaves the message unfinished.
io::Task<bool> send_pieces(Socket& socket, Response& answer, const Asked& asked, Stall& stall,
                           Services& services) {
    http::response<http::empty_body> message;
    set_head(message, answer, asked);
    const bool chunked = asked.version >= 11;
    message.chunked(chunked);
    http::response_serializer<http::empty_body> serializer{message};
    stall.arm();
    const auto [head_failed, head_bytes] =
        co_await http::async_write_header(socket, serializer, io::no_throw);
    if (head_failed) co_return false;
    auto make = [&] { return answer.pieces(); };
    while (!asked.head_only) {
        stall.disarm();
        const auto piece = co_await services.workers.run(make);
        if (!piece) co_return false;
        if (!*piece) break;
        stall.arm();
        const asio::const_buffer plain = asio::buffer(**piece);
        const bool taken = co_await write_piece(socket, plain, asked);
        if (!taken) co_return false;
    }
    if (!chunked || asked.head_only) co_return true;
    const auto last = http::make_chunk_last();
    const auto [failed, bytes] = co_await asio::async_write(socket, last, io::no_throw);
    co_return !failed;
}

io::Task<bool> send(Socket& socket, Response& answer, const Asked& asked, Stall& stall,
                    Services& services) {
    auto sending = answer.pieces ? send_pieces(socket, answer, asked, stall, services)
                                 : send_whole(socket, answer, asked, stall);
    const bool sent = co_await std::move(sending);
    stall.disarm();
    co_return sent;
}

/// Reads on for a while after the last answer: a close with unread bytes would reset it away.
io::Task<void> linger(Socket& socket, Stall& stall) {
    error_code ignored;
    socket.shutdown(Socket::shutdown_send, ignored);
    std::array<char, 4096> dropped{};
    stall.arm(linger_max);
    for (std::size_t total = 0; total < linger_bytes_max;) {
        const auto [failed, bytes] =
            co_await socket.async_read_some(asio::buffer(dropped), io::no_throw);
        if (failed) break;
        total += bytes;
    }
    stall.disarm();
}

}  // namespace

io::Task<void> serve_connection(Socket socket, Door door, Services& services) {
    const auto identity = peer_identity(socket, door);
    beast::flat_buffer buffer;
    Stall stall{socket};
    for (bool goes_on = true; goes_on;) {
        http::request_parser<http::string_body> parser;
        parser.header_limit(head_bytes_max);
        parser.body_limit(body_bytes_max);
        stall.arm();
        const auto [broken, bytes] =
            co_await http::async_read(socket, buffer, parser, io::no_throw);
        stall.disarm();
        if (is_over(broken)) co_return;
        Response answer;
        Asked asked;
        if (broken) {
            answer = unreadable(broken);
        } else {
            const auto& message = parser.get();
            asked.version = message.version();
            asked.keep_alive = message.keep_alive() && message.version() >= 11;
            const auto request = to_request(message, door, identity);
            asked.head_only = request.method == "HEAD";
            auto work = [&] { return route(services, request); };
            answer = co_await services.workers.run(work);
        }
        const bool sent = co_await send(socket, answer, asked, stall, services);
        goes_on = sent && asked.keep_alive;
    }
    co_await linger(socket, stall);
}

}  // namespace sworn::control
