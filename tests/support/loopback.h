// Real peers on loopback, port zero, with blocking calls: what a test scripts on the other end.
#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sworn::test {

/// The other end of a connection; in clear, or TLS once accept_tls() succeeded.
class FarEnd {
public:
    explicit FarEnd(int descriptor) : descriptor_{descriptor} {}
    FarEnd(FarEnd&& other) noexcept;
    FarEnd& operator=(FarEnd&&) = delete;
    ~FarEnd();

    /// Shakes hands as the server. False: it failed.
    bool accept_tls(SSL_CTX* context);
    bool write(std::string_view bytes);
    /// Exactly `count` bytes, or fewer at the end of the stream.
    std::string read(std::size_t count);
    /// All until the end of the stream.
    std::string read_all();
    void close_notify();  ///< TLS only; the TCP connection stays.
    void fin();           ///< shutdown(SHUT_WR) below any TLS.
    void reset();         ///< Closes with RST.
    void close();
    [[nodiscard]] SSL* ssl() const { return ssl_; }
    [[nodiscard]] int descriptor() const { return descriptor_; }

private:
    int descriptor_;
    SSL* ssl_ = nullptr;
};

class ClosedPort;

class Listener {
public:
    explicit Listener(const std::string& address = "127.0.0.1", int backlog = 64);
    explicit Listener(ClosedPort&& port);  ///< From now on that port takes connections.
    ~Listener();
    Listener(const Listener&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] FarEnd accept();
    /// Whether a connection waits to be accepted.
    [[nodiscard]] bool has_caller() const;

private:
    std::uint16_t port_ = 0;  // First: found out while the descriptor is made.
    int descriptor_;
};

/// A port of 127.0.0.1 that refuses connections while this lives: bound, not listening.
class ClosedPort {
public:
    ClosedPort();
    ~ClosedPort();
    ClosedPort(const ClosedPort&) = delete;
    [[nodiscard]] std::uint16_t port() const { return port_; }

private:
    friend class Listener;
    std::uint16_t port_ = 0;  // First: found out while the descriptor is made.
    int descriptor_;
};

}  // namespace sworn::test
