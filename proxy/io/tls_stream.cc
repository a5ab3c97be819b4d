#include "proxy/io/tls_stream.h"

#include <boost/asio/post.hpp>
#include <openssl/crypto.h>
#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "common/assert.h"

namespace sworn::io {
namespace {

using Direction = SocketTransport::Direction;

constexpr std::size_t record_bytes_max = SSL3_RT_MAX_PLAIN_LENGTH;
constexpr std::chrono::milliseconds shutdown_limit{5'000};
/// Other connections get their turn after so many reads that needed no waiting.
constexpr unsigned reads_at_once_max = 16;

/// The next record's plaintext: the caller's own bytes where one piece fills a record, else small
/// pieces gathered here. What was gathered may hold a secret and is wiped.
class Gather {
public:
    explicit Gather(std::span<const asio::const_buffer> all) : rest_{all} {}
    ~Gather() { wipe(); }
    Gather(const Gather&) = delete;

    /// Stays the same until taken, as SSL_write() demands of a repeat. Empty: all is written.
    [[nodiscard]] std::span<const char> next() {
        if (current_.empty()) fill();
        return current_;
    }

    void take(std::size_t bytes) {
        SWORN_ASSERT(bytes <= current_.size());
        current_ = current_.subspan(bytes);
    }

private:
    [[nodiscard]] std::span<const char> cut(std::size_t bytes_max) {
        const auto& front = rest_.front();
        const std::size_t count = std::min(bytes_max, front.size() - front_taken_);
        const char* const start = static_cast<const char*>(front.data()) + front_taken_;
        front_taken_ += count;
        if (front_taken_ == front.size()) {
            rest_ = rest_.subspan(1);
            front_taken_ = 0;
        }
        return {start, count};
    }

    void fill() {
        while (!rest_.empty() && rest_.front().size() == 0)
            rest_ = rest_.subspan(1);
        if (rest_.empty()) return;
        const bool fills_a_record = rest_.front().size() - front_taken_ >= record_bytes_max;
        if (fills_a_record || rest_.size() == 1) {
            current_ = cut(record_bytes_max);
            return;
        }
        if (!staging_) staging_ = std::make_unique<std::array<char, record_bytes_max>>();
        std::size_t used = 0;
        while (!rest_.empty() && used < record_bytes_max) {
            const auto piece = cut(record_bytes_max - used);
            if (!piece.empty()) std::memcpy(staging_->data() + used, piece.data(), piece.size());
            used += piece.size();
        }
        current_ = {staging_->data(), used};
    }

    void wipe() noexcept {
        if (staging_) OPENSSL_cleanse(staging_->data(), staging_->size());
    }

    std::span<const asio::const_buffer> rest_;
    std::size_t front_taken_ = 0;
    std::unique_ptr<std::array<char, record_bytes_max>> staging_;
    std::span<const char> current_;
};

}  // namespace

TlsStream::TlsStream(ThreadContext& thread, AnySocket socket, SslPtr ssl, std::string ahead)
    : transport_{thread, std::move(socket)}, ssl_{std::move(ssl)} {
    bio_.descriptor = transport_.descriptor();
    bio_.ahead = std::move(ahead);
    BIO* const bio = make_socket_bio(bio_);
    SSL_set_bio(ssl_.get(), bio, bio);
    SSL_set_mode(ssl_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                 SSL_MODE_RELEASE_BUFFERS);
    SSL_set_read_ahead(ssl_.get(), 1);
    const int on = 1;  // Fails harmlessly on a unix socket.
    ::setsockopt(bio_.descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

IoEnd TlsStream::failure() noexcept {
    const unsigned long error = ERR_peek_last_error();
    const bool from_tls = error != 0 && ERR_GET_LIB(error) == ERR_LIB_SSL;
    const int reason = ERR_GET_REASON(error);
    alert_received_ =
        from_tls && reason >= SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256;
    ERR_clear_error();
    if (alert_received_) return IoEnd::tls_failure;
    if (bio_.error != 0) return end_of(bio_.error);
    if (bio_.fin_seen) return IoEnd::truncated;
    return IoEnd::tls_failure;
}

TlsStream::Step TlsStream::judge(int returned) noexcept {
    if (returned > 0) return {};
    switch (SSL_get_error(ssl_.get(), returned)) {
        case SSL_ERROR_WANT_READ:
            return {true, Direction::read, IoEnd::ok};
        case SSL_ERROR_WANT_WRITE:
            return {true, Direction::write, IoEnd::ok};
        case SSL_ERROR_ZERO_RETURN:
            return {false, Direction::read, IoEnd::eof};
        default:
            return {false, Direction::read, failure()};
    }
}

Task<IoResult> TlsStream::handshake(std::chrono::milliseconds limit) {
    SocketTransport::Operation operation{transport_, Direction::read, limit};
    for (;;) {
        if (!is_open()) co_return IoResult{IoEnd::cancelled, 0};
        ERR_clear_error();
        const Step step = judge(SSL_do_handshake(ssl_.get()));
        if (!step.wait) {
            bio_.ahead.shrink_to_fit();
            // The peer's orderly end in the middle of a handshake is an end all the same.
            co_return IoResult{step.end, 0};
        }
        const IoEnd waited = co_await operation.wait(step.direction);
        if (waited != IoEnd::ok) co_return IoResult{waited, 0};
    }
}

Task<IoResult> TlsStream::read_some(asio::mutable_buffer into, std::chrono::milliseconds limit) {
    SocketTransport::Operation operation{transport_, Direction::read, limit};
    if (++reads_at_once_ >= reads_at_once_max) {
        reads_at_once_ = 0;
        const auto executor = transport_.thread().context.get_executor();
        co_await asio::post(executor, asio::use_awaitable_t<Executor>{});
    }
    for (;;) {
        if (!is_open()) co_return IoResult{IoEnd::cancelled, 0};
        ERR_clear_error();
        std::size_t bytes = 0;
        const Step step = judge(SSL_read_ex(ssl_.get(), into.data(), into.size(), &bytes));
        if (!step.wait) co_return IoResult{step.end, bytes};
        reads_at_once_ = 0;
        const IoEnd waited = co_await operation.wait(step.direction);
        if (waited != IoEnd::ok) co_return IoResult{waited, 0};
    }
}

Task<IoResult> TlsStream::write(std::span<const asio::const_buffer> pieces,
                                std::chrono::milliseconds limit) {
    SocketTransport::Operation operation{transport_, Direction::write, limit};
    Gather gather{pieces};
    std::size_t total = 0;
    for (auto next = gather.next(); !next.empty(); next = gather.next()) {
        if (!is_open()) co_return IoResult{IoEnd::cancelled, total};
        ERR_clear_error();
        std::size_t bytes = 0;
        const Step step = judge(SSL_write_ex(ssl_.get(), next.data(), next.size(), &bytes));
        if (!step.wait) {
            if (step.end != IoEnd::ok) co_return IoResult{step.end, total};
            gather.take(bytes);
            total += bytes;
            operation.progress();
            continue;
        }
        const IoEnd waited = co_await operation.wait(step.direction);
        if (waited != IoEnd::ok) co_return IoResult{waited, total};
    }
    co_return IoResult{IoEnd::ok, total};
}

Task<void> TlsStream::shutdown_write() {
    SocketTransport::Operation operation{transport_, Direction::write, shutdown_limit};
    while (is_open() && SSL_is_init_finished(ssl_.get()) == 1) {
        ERR_clear_error();
        const int returned = SSL_shutdown(ssl_.get());
        if (returned >= 0) break;
        // Our close_notify is out; to read the peer's is read_some()'s part.
        if ((SSL_get_shutdown(ssl_.get()) & SSL_SENT_SHUTDOWN) != 0 &&
            SSL_want_write(ssl_.get()) == 0) {
            break;
        }
        const Step step = judge(returned);
        if (!step.wait || co_await operation.wait(step.direction) != IoEnd::ok) break;
    }
    ERR_clear_error();
    transport_.shutdown_write();
}

Task<IoResult> TlsStream::wait_readable() {
    const bool at_hand = SSL_has_pending(ssl_.get()) == 1 || bio_.ahead_taken < bio_.ahead.size();
    if (at_hand) co_return IoResult{IoEnd::ok, 0};
    co_return co_await transport_.wait_readable();
}

bool TlsStream::inside_record() const noexcept {
    return SSL_has_pending(ssl_.get()) == 1 ||
           std::strcmp(SSL_rstate_string(ssl_.get()), "RH") != 0;
}

Stream::Look TlsStream::look() noexcept {
    if (!is_open()) return Look::reset;
    ERR_clear_error();
    char byte = 0;
    const Step step = judge(SSL_peek(ssl_.get(), &byte, 1));
    if (step.wait) return inside_record() ? Look::bytes : Look::quiet;
    switch (step.end) {
        case IoEnd::ok:
            return Look::bytes;
        case IoEnd::eof:
        case IoEnd::truncated:
            return Look::eof;
        case IoEnd::reset:
        case IoEnd::timed_out:
        case IoEnd::tls_failure:
        case IoEnd::cancelled:
        case IoEnd::failed:
            return Look::reset;
    }
    return Look::reset;
}

}  // namespace sworn::io
