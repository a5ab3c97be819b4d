#include "tests/support/loopback.h"

#include <arpa/inet.h>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace sworn::test {
namespace {

void must(bool condition) {
    if (!condition) std::abort();
}

sockaddr_storage loopback(const std::string& address, std::uint16_t port, socklen_t& size) {
    sockaddr_storage storage{};
    if (address.find(':') != std::string::npos) {
        sockaddr_in6 in{};
        in.sin6_family = AF_INET6;
        in.sin6_port = htons(port);
        must(::inet_pton(AF_INET6, address.c_str(), &in.sin6_addr) == 1);
        size = sizeof in;
        std::memcpy(&storage, &in, sizeof in);
    } else {
        sockaddr_in in{};
        in.sin_family = AF_INET;
        in.sin_port = htons(port);
        must(::inet_pton(AF_INET, address.c_str(), &in.sin_addr) == 1);
        size = sizeof in;
        std::memcpy(&storage, &in, sizeof in);
    }
    return storage;
}

int bound(const std::string& address, std::uint16_t& port) {
    socklen_t size = 0;
    sockaddr_storage storage = loopback(address, 0, size);
    const int descriptor = ::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(descriptor >= 0);
    auto* const name = reinterpret_cast<sockaddr*>(&storage);
    must(::bind(descriptor, name, size) == 0);
    must(::getsockname(descriptor, name, &size) == 0);
    // The port is at the same place in both families.
    port = ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
    return descriptor;
}

}  // namespace

FarEnd::FarEnd(FarEnd&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)}, ssl_{std::exchange(other.ssl_, nullptr)} {}

FarEnd::~FarEnd() {
    close();
}

bool FarEnd::accept_tls(SSL_CTX* context) {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL's own socket BIO raises it.
    ssl_ = SSL_new(context);
    SSL_set_fd(ssl_, descriptor_);
    return SSL_accept(ssl_) == 1;
}

bool FarEnd::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = ssl_ != nullptr
                              ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                              : ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

std::string FarEnd::read(std::size_t count) {
    std::string out(count, '\0');
    std::size_t have = 0;
    while (have < count) {
        const std::size_t rest = count - have;
        const auto got = ssl_ != nullptr ? SSL_read(ssl_, out.data() + have, static_cast<int>(rest))
                                         : ::recv(descriptor_, out.data() + have, rest, 0);
        if (got <= 0) break;
        have += static_cast<std::size_t>(got);
    }
    out.resize(have);
    return out;
}

std::string FarEnd::read_all() {
    std::string out;
    for (std::string part = read(4096); !part.empty(); part = read(4096))
        out += part;
    return out;
}

void FarEnd::close_notify() {
    SSL_shutdown(ssl_);
}

void FarEnd::fin() {
    ::shutdown(descriptor_, SHUT_WR);
}

void FarEnd::reset() {
    const linger hard{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close();
}

void FarEnd::close() {
    SSL_free(std::exchange(ssl_, nullptr));
    if (const int descriptor = std::exchange(descriptor_, -1); descriptor >= 0) ::close(descriptor);
}

Listener::Listener(const std::string& address, int backlog) : descriptor_{bound(address, port_)} {
    must(::listen(descriptor_, backlog) == 0);
}

Listener::Listener(ClosedPort&& port)
    : port_{port.port_}, descriptor_{std::exchange(port.descriptor_, -1)} {
    must(::listen(descriptor_, 64) == 0);
}

Listener::~Listener() {
    ::close(descriptor_);
}

FarEnd Listener::accept() {
    const int descriptor = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
    must(descriptor >= 0);
    // What a test writes is visible at once, not after a delayed acknowledgement.
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return FarEnd{descriptor};
}

bool Listener::has_caller() const {
    pollfd waiting{descriptor_, POLLIN, 0};
    return ::poll(&waiting, 1, 0) == 1;
}

ClosedPort::ClosedPort() : descriptor_{bound("127.0.0.1", port_)} {}

ClosedPort::~ClosedPort() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace sworn::test
