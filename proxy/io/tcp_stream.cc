#include "proxy/io/tcp_stream.h"

#include <array>
#include <cerrno>
#include <sys/socket.h>

#include "common/assert.h"

namespace sworn::io {
namespace {

using Direction = SocketTransport::Direction;

/// What is left of a gathered write.
class Pieces {
public:
    explicit Pieces(std::span<const asio::const_buffer> all) : rest_{all} { skip_empty(); }

    [[nodiscard]] bool done() const noexcept { return rest_.empty(); }

    [[nodiscard]] ssize_t send(int descriptor) const noexcept {
        std::array<iovec, 32> vectors;  // NOLINT: filled as far as it is used
        std::size_t count = 0;
        for (const auto& piece : rest_.first(std::min(rest_.size(), vectors.size()))) {
            const std::size_t skip = count == 0 ? front_taken_ : 0;
            auto* const start = static_cast<char*>(const_cast<void*>(piece.data()));  // NOLINT
            vectors[count++] = {start + skip, piece.size() - skip};
        }
        msghdr message{};
        message.msg_iov = vectors.data();
        message.msg_iovlen = count;
        return ::sendmsg(descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    }

    void take(std::size_t bytes) noexcept {
        while (bytes > 0) {
            SWORN_ASSERT(!rest_.empty());
            const std::size_t step = std::min(bytes, rest_.front().size() - front_taken_);
            front_taken_ += step;
            bytes -= step;
            skip_empty();
        }
    }

private:
    void skip_empty() noexcept {
        while (!rest_.empty() && front_taken_ == rest_.front().size()) {
            rest_ = rest_.subspan(1);
            front_taken_ = 0;
        }
    }

    std::span<const asio::const_buffer> rest_;
    std::size_t front_taken_ = 0;
};

class SocketStream final : public Stream {
public:
    SocketStream(ThreadContext& thread, AnySocket socket) : transport_{thread, std::move(socket)} {}

    Task<IoResult> read_some(asio::mutable_buffer into, std::chrono::milliseconds limit) override;
    Task<IoResult> write(std::span<const asio::const_buffer> pieces,
                         std::chrono::milliseconds limit) override;
    Task<void> shutdown_write() override {
        transport_.shutdown_write();
        co_return;
    }
    Task<IoResult> wait_readable() override { return transport_.wait_readable(); }
    void cancel_wait() noexcept override { transport_.cancel_wait(); }
    Look look() noexcept override { return transport_.look(); }
    void cancel() noexcept override { transport_.cancel(); }
    void close() noexcept override { transport_.close(); }
    void reset() noexcept override { transport_.reset(); }
    bool is_open() const noexcept override { return transport_.is_open(); }
    int unacknowledged() noexcept override { return transport_.unacknowledged(); }
    std::string peer_address() const override { return transport_.peer_address(); }

    AnySocket release() noexcept { return transport_.release(); }

private:
    SocketTransport transport_;
};

Task<IoResult> SocketStream::read_some(asio::mutable_buffer into, std::chrono::milliseconds limit) {
    SocketTransport::Operation operation{transport_, Direction::read, limit};
    co_return co_await operation.receive(into);
}

Task<IoResult> SocketStream::write(std::span<const asio::const_buffer> pieces,
                                   std::chrono::milliseconds limit) {
    SocketTransport::Operation operation{transport_, Direction::write, limit};
    Pieces rest{pieces};
    std::size_t total = 0;
    while (!rest.done()) {
        const ssize_t sent = rest.send(transport_.descriptor());
        if (sent >= 0) {
            rest.take(static_cast<std::size_t>(sent));
            total += static_cast<std::size_t>(sent);
            operation.progress();
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) co_return IoResult{end_of(errno), total};
        const IoEnd waited = co_await operation.wait(Direction::write);
        if (waited != IoEnd::ok) co_return IoResult{waited, total};
    }
    co_return IoResult{IoEnd::ok, total};
}

}  // namespace

StreamPtr make_stream(ThreadContext& thread, TcpSocket socket) {
    boost::system::error_code closed_already;
    socket.set_option(asio::ip::tcp::no_delay{true}, closed_already);
    return std::make_unique<SocketStream>(thread, AnySocket{std::move(socket)});
}

StreamPtr make_stream(ThreadContext& thread, UnixSocket socket) {
    return std::make_unique<SocketStream>(thread, AnySocket{std::move(socket)});
}

AnySocket release_socket(StreamPtr stream) {
    auto* const plain = dynamic_cast<SocketStream*>(stream.get());
    SWORN_ASSERT(plain != nullptr);
    return plain->release();
}

}  // namespace sworn::io
