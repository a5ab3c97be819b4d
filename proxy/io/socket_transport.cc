#include "proxy/io/socket_transport.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/this_coro.hpp>

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace sworn::io {

IoEnd end_of(int error) noexcept {
    switch (error) {
        case ECONNRESET:
        case EPIPE:
        case ECONNABORTED:
            return IoEnd::reset;
        case ECANCELED:
        case EBADF:
            return IoEnd::cancelled;
        default:
            return IoEnd::failed;
    }
}

std::string peer_text(int descriptor) {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    auto* const address = reinterpret_cast<sockaddr*>(&storage);
    if (::getpeername(descriptor, address, &size) != 0) return {};
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address->sa_family == AF_INET) {
        const auto* const in = reinterpret_cast<const sockaddr_in*>(&storage);
        ::inet_ntop(AF_INET, &in->sin_addr, text.data(), text.size());
        return std::string{text.data()} + ":" + std::to_string(ntohs(in->sin_port));
    }
    if (address->sa_family == AF_INET6) {
        const auto* const in = reinterpret_cast<const sockaddr_in6*>(&storage);
        ::inet_ntop(AF_INET6, &in->sin6_addr, text.data(), text.size());
        return "[" + std::string{text.data()} + "]:" + std::to_string(ntohs(in->sin6_port));
    }
    return address->sa_family == AF_UNIX ? "unix" : "";
}

SocketTransport::SocketTransport(ThreadContext& thread, AnySocket socket)
    : thread_{thread}, socket_{std::move(socket)}, peer_{peer_text(socket_.native_handle())} {
    boost::system::error_code ignored;
    socket_.native_non_blocking(true, ignored);
}

SocketTransport::Operation::Operation(SocketTransport& transport, Direction direction,
                                      std::chrono::milliseconds limit)
    : transport_{transport},
      deadline_{direction == Direction::read ? transport.read_deadline_
                                             : transport.write_deadline_},
      limit_{limit},
      cancels_{transport.cancels_} {}

SocketTransport::Operation::~Operation() {
    deadline_.disarm();
}

void SocketTransport::Operation::arm() {
    if (armed_ || limit_.count() == 0) return;
    deadline_.arm(limit_);
    armed_ = true;
}

IoEnd SocketTransport::Operation::interrupted() const noexcept {
    if (armed_ && deadline_.fired()) return IoEnd::timed_out;
    return cancels_ != transport_.cancels_ ? IoEnd::cancelled : IoEnd::ok;
}

Task<IoEnd> SocketTransport::Operation::wait(Direction what) {
    if (const IoEnd end = interrupted(); end != IoEnd::ok) co_return end;
    arm();
    const auto side =
        what == Direction::read ? asio::socket_base::wait_read : asio::socket_base::wait_write;
    const auto [ec] = co_await transport_.socket_.async_wait(side, no_throw);
    if (const IoEnd end = interrupted(); end != IoEnd::ok) co_return end;
    co_return ec ? end_of(ec.value()) : IoEnd::ok;
}

Task<IoResult> SocketTransport::Operation::receive(asio::mutable_buffer into) {
    arm();
    const auto [ec, bytes] = co_await transport_.socket_.async_read_some(into, no_throw);
    if (!ec) co_return IoResult{IoEnd::ok, bytes};
    if (ec == asio::error::eof) co_return IoResult{IoEnd::eof, 0};
    if (const IoEnd end = interrupted(); end != IoEnd::ok) co_return IoResult{end, 0};
    co_return IoResult{end_of(ec.value()), 0};
}

Task<IoResult> SocketTransport::wait_readable() {
    // The wait has a signal of its own, so that cancel_wait() spares a pending read or write; a
    // cancellation of the whole coroutine is handed on to it.
    const auto state = co_await asio::this_coro::cancellation_state;
    auto outer = state.slot();
    if (outer.is_connected()) {
        outer.assign([this](asio::cancellation_type type) { wait_signal_.emit(type); });
    }
    auto token = asio::bind_cancellation_slot(wait_signal_.slot(), no_throw);
    const auto [ec] = co_await socket_.async_wait(asio::socket_base::wait_read, std::move(token));
    if (outer.is_connected()) outer.clear();
    co_return IoResult{ec ? end_of(ec.value()) : IoEnd::ok, 0};
}

void SocketTransport::cancel_wait() noexcept {
    wait_signal_.emit(asio::cancellation_type::terminal);
}

Stream::Look SocketTransport::look() noexcept {
    char byte = 0;
    const auto got = ::recv(descriptor(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got > 0) return Stream::Look::bytes;
    if (got == 0) {
        // A reset that came after the FIN shows only as the socket's error state.
        pollfd state{descriptor(), 0, 0};
        const bool failed = ::poll(&state, 1, 0) > 0 && (state.revents & POLLERR) != 0;
        return failed ? Stream::Look::reset : Stream::Look::eof;
    }
    return errno == EAGAIN || errno == EINTR ? Stream::Look::quiet : Stream::Look::reset;
}

void SocketTransport::cancel() noexcept {
    ++cancels_;
    boost::system::error_code closed_already;
    socket_.cancel(closed_already);
}

void SocketTransport::close() noexcept {
    ++cancels_;
    boost::system::error_code closed_already;
    socket_.close(closed_already);
}

void SocketTransport::reset() noexcept {
    boost::system::error_code closed_already;
    socket_.set_option(asio::socket_base::linger{true, 0}, closed_already);
    close();
}

void SocketTransport::shutdown_write() noexcept {
    boost::system::error_code closed_already;
    socket_.shutdown(asio::socket_base::shutdown_send, closed_already);
}

int SocketTransport::unacknowledged() noexcept {
    int bytes = 0;
    return ::ioctl(descriptor(), SIOCOUTQ, &bytes) == 0 ? bytes : -1;
}

}  // namespace sworn::io
