// Stream over TLS, client or server side, on a TCP or unix socket. OpenSSL works on the socket
// itself; this only waits for readiness between its steps.
//
// read_some: close_notify is `eof`, a FIN without it `truncated`, an alert or a bad record
// `tls_failure`. write: `bytes` counts what OpenSSL took into records; of the record that a failed
// write was working on, some bytes may have left as well. look(): messages that carry no
// application data (session tickets, key updates) are consumed and do not count as bytes; half a
// record does. close() sends no close_notify, so a cut stays a cut.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <memory>
#include <string>

#include "proxy/io/socket_transport.h"
#include "proxy/io/stream.h"
#include "proxy/io/tls_bio.h"

namespace sworn::io {

struct SslFree {
    void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
};
using SslPtr = std::unique_ptr<SSL, SslFree>;

class TlsStream final : public Stream {
public:
    /// `ssl` carries every setting, its side included (SSL_set_connect_state or
    /// SSL_set_accept_state). `ahead`: bytes of the handshake that were read already.
    TlsStream(ThreadContext& thread, AnySocket socket, SslPtr ssl, std::string ahead = {});

    /// Before any read or write. `limit` bounds the whole handshake.
    Task<IoResult> handshake(std::chrono::milliseconds limit);
    /// The last failure was an alert of the peer.
    [[nodiscard]] bool alert_received() const noexcept { return alert_received_; }
    [[nodiscard]] SSL* ssl() noexcept { return ssl_.get(); }

    Task<IoResult> read_some(asio::mutable_buffer into, std::chrono::milliseconds limit) override;
    Task<IoResult> write(std::span<const asio::const_buffer> pieces,
                         std::chrono::milliseconds limit) override;
    Task<void> shutdown_write() override;
    Task<IoResult> wait_readable() override;
    void cancel_wait() noexcept override { transport_.cancel_wait(); }
    Look look() noexcept override;
    void cancel() noexcept override { transport_.cancel(); }
    void close() noexcept override { transport_.close(); }
    void reset() noexcept override { transport_.reset(); }
    bool is_open() const noexcept override { return transport_.is_open(); }
    int unacknowledged() noexcept override { return transport_.unacknowledged(); }
    std::string peer_address() const override { return transport_.peer_address(); }

private:
    /// What a call into OpenSSL left: done, wait for a direction, or the end.
    struct Step {
        bool wait = false;
        SocketTransport::Direction direction = SocketTransport::Direction::read;
        IoEnd end = IoEnd::ok;
    };
    [[nodiscard]] Step judge(int returned) noexcept;
    [[nodiscard]] IoEnd failure() noexcept;
    [[nodiscard]] bool inside_record() const noexcept;

    SocketTransport transport_;
    SocketBioState bio_;
    SslPtr ssl_;
    bool alert_received_ = false;
    unsigned reads_at_once_ = 0;
};

}  // namespace sworn::io
