#include "proxy/connect/dialer.h"

#include <openssl/x509_vfy.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ifaddrs.h>
#include <netinet/in.h>

#include "common/result.h"
#include "proxy/connect/address_policy.h"
#include "proxy/connect/failure.h"
#include "proxy/connect/pool.h"
#include "proxy/connect/tls.h"
#include "proxy/io/tcp_stream.h"

namespace sworn::connect {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Shown in records and logs; unique in this process.
std::string next_connection_id() {
    static std::atomic<std::uint64_t> last{0};
    return "c-" + std::to_string(last.fetch_add(1, std::memory_order_relaxed) + 1);
}

std::string text_of(const tcp::endpoint& endpoint) {
    const std::string address = endpoint.address().to_string();
    const std::string port = ":" + std::to_string(endpoint.port());
    return endpoint.address().is_v6() ? "[" + address + "]" + port : address + port;
}

std::vector<asio::ip::address> interface_addresses() {
    std::vector<asio::ip::address> found;
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) return found;
    for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
        if (at->ifa_addr == nullptr) continue;
        if (at->ifa_addr->sa_family == AF_INET) {
            sockaddr_in in{};
            std::memcpy(&in, at->ifa_addr, sizeof in);
            found.emplace_back(asio::ip::address_v4{ntohl(in.sin_addr.s_addr)});
        } else if (at->ifa_addr->sa_family == AF_INET6) {
            sockaddr_in6 in{};
            std::memcpy(&in, at->ifa_addr, sizeof in);
            asio::ip::address_v6::bytes_type bytes{};
            std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
            found.emplace_back(asio::ip::address_v6{bytes});
        }
    }
    ::freeifaddrs(list);
    return found;
}

std::vector<tcp::endpoint> with_interfaces(std::vector<tcp::endpoint> own) {
    const auto addresses = interface_addresses();
    const std::size_t given = own.size();
    for (std::size_t i = 0; i < given; ++i) {
        if (!own[i].address().is_unspecified()) continue;
        for (const auto& address : addresses)
            own.emplace_back(address, own[i].port());
    }
    return own;
}

/// Ends a pending connect.
struct CancelSocket final : io::Expiry {
    explicit CancelSocket(io::TcpSocket& of) : socket{of} {}
    void expired() noexcept override {
        boost::system::error_code closed_already;
        socket.cancel(closed_already);
    }
    io::TcpSocket& socket;
};

}  // namespace

struct Dialer::Impl {
    Impl(io::ThreadContext& thread_in, const config::Network& network_in,
         std::vector<tcp::endpoint> own_in, Limits limits)
        : thread{thread_in},
          network{network_in},
          own{with_interfaces(std::move(own_in))},
          resolver{thread_in, network},
          pool{thread_in, limits} {}

    using Opened = Result<ConnectionPtr, Attempt>;

    io::Task<Dialled> dial(const Origin& origin, const config::Timeouts& timeouts,
                           std::uint32_t attempts_max);
    io::Task<Opened> open(const Origin& origin, tcp::endpoint endpoint,
                          const config::Timeouts& timeouts);
    io::Task<Result<io::TcpSocket, Attempt>> open_transport(tcp::endpoint endpoint,
                                                            milliseconds limit);
    io::Task<Opened> secure(io::TcpSocket socket, const Origin& origin, milliseconds limit);
    [[nodiscard]] ConnectionPtr make_connection(const Origin& origin, io::StreamPtr stream) const;
    void count_in(Connection& connection) const;

    io::ThreadContext& thread;
    const config::Network network;
    const std::vector<tcp::endpoint> own;
    Resolver resolver;
    TlsClient tls;
    Pool pool;
    std::shared_ptr<std::size_t> active = std::make_shared<std::size_t>(0);
};

void Dialer::Impl::count_in(Connection& connection) const {
    ++*active;
    connection.active =
        std::shared_ptr<void>{nullptr, [count = active](std::nullptr_t) { --*count; }};
}

ConnectionPtr Dialer::Impl::make_connection(const Origin& origin, io::StreamPtr stream) const {
    auto connection = std::make_unique<Connection>();
    connection->id = next_connection_id();
    connection->stream = std::move(stream);
    connection->origin = origin;
    count_in(*connection);
    return connection;
}

/// The one place that makes a transport towards an address.
io::Task<Result<io::TcpSocket, Attempt>> Dialer::Impl::open_transport(tcp::endpoint endpoint,
                                                                      milliseconds limit) {
    io::TcpSocket socket{thread.context.get_executor()};
    boost::system::error_code ec;
    socket.open(endpoint.protocol(), ec);
    if (ec) co_return connect_failed(ec.value());
    CancelSocket cancel{socket};
    io::Deadline deadline{thread.wheel, cancel};
    deadline.arm(limit);
    const auto [connect_ec] = co_await socket.async_connect(endpoint, io::no_throw);
    deadline.disarm();
    if (!connect_ec) co_return std::move(socket);
    co_return connect_failed(deadline.fired() ? ETIMEDOUT : connect_ec.value());
}

io::Task<Dialer::Impl::Opened> Dialer::Impl::secure(io::TcpSocket socket, const Origin& origin,
                                                    milliseconds limit) {
    HandshakeFailure failure;
    io::SslPtr ssl = tls.session(origin.host, origin.ca.empty() ? network.trusted_ca : origin.ca);
    if (!ssl) {
        failure.verify_result = X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY;
        co_return handshake_failed(failure);
    }
    io::AnySocket any{std::move(socket)};
    auto stream = std::make_unique<io::TlsStream>(thread, std::move(any), std::move(ssl));
    const io::IoResult done = co_await stream->handshake(limit);
    if (!done.ok()) {
        failure.end = done.end;
        failure.alert_received = stream->alert_received();
        failure.verify_result = SSL_get_verify_result(stream->ssl());
        co_return handshake_failed(failure);
    }
    if (!pin_matches(stream->ssl(), origin.pins)) {
        failure.pin_mismatch = true;
        co_return handshake_failed(failure);
    }
    Peer peer;
    peer.name = verified_name(origin.host);
    peer.sha256 = leaf_sha256(stream->ssl());
    peer.verified = true;
    ConnectionPtr connection = make_connection(origin, std::move(stream));
    connection->peer = std::move(peer);
    co_return connection;
}

io::Task<Dialer::Impl::Opened> Dialer::Impl::open(const Origin& origin, tcp::endpoint endpoint,
                                                  const config::Timeouts& timeouts) {
    auto socket = co_await open_transport(endpoint, timeouts.connect);
    if (!socket) co_return socket.error();
    if (!origin.tls) co_return make_connection(origin, io::make_stream(thread, std::move(*socket)));
    co_return co_await secure(std::move(*socket), origin, timeouts.tls);
}

io::Task<Dialled> Dialer::Impl::dial(const Origin& origin, const config::Timeouts& timeouts,
                                     std::uint32_t attempts_max) {
    Dialled out;
    auto started = steady_clock::now();
    const auto report = [&out, &started](Attempt attempt, std::string address) {
        attempt.address = std::move(address);
        attempt.elapsed =
            std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - started);
        out.attempts.push_back(std::move(attempt));
    };
    const Resolution found = co_await resolver.resolve(origin.host, timeouts.resolve);
    if (found.addresses.empty()) {
        report(resolution_failed(found), {});
        co_return out;
    }
    std::uint32_t dials = 0;
    for (const auto& address : found.addresses) {
        const tcp::endpoint endpoint{address, origin.port};
        started = steady_clock::now();
        const Verdict verdict = judge_address(endpoint, network.allow_private, own);
        if (verdict != Verdict::allowed) {
            report(address_refused(verdict), text_of(endpoint));
            continue;
        }
        if (dials > 0 && dials >= attempts_max) continue;
        ++dials;
        auto opened = co_await open(origin, endpoint, timeouts);
        if (opened) {
            out.connection = std::move(*opened);
            out.connection->address = text_of(endpoint);
            break;
        }
        report(opened.error(), text_of(endpoint));
    }
    co_return out;
}

Dialer::Dialer(io::ThreadContext& thread, const config::Network& network,
               std::vector<tcp::endpoint> own, Limits limits)
    : impl_{std::make_unique<Impl>(thread, network, std::move(own), limits)} {}

Dialer::~Dialer() = default;

io::Task<Dialled> Dialer::connect(Origin origin, const config::Timeouts& timeouts,
                                  std::uint32_t attempts_max, Reuse reuse) {
    if (reuse == Reuse::allowed) {
        if (ConnectionPtr idle = take_idle(origin)) {
            Dialled out;
            out.connection = std::move(idle);
            co_return out;
        }
    }
    co_return co_await impl_->dial(origin, timeouts, attempts_max);
}

ConnectionPtr Dialer::take_idle(const Origin& origin) {
    ConnectionPtr connection = impl_->pool.take(origin);
    if (!connection) return nullptr;
    connection->reused = true;
    impl_->count_in(*connection);
    return connection;
}

bool Dialer::fit(Connection& connection) noexcept {
    if (!connection.stream || !connection.stream->is_open()) return false;
    return connection.read_ahead.empty() && connection.stream->look() == io::Stream::Look::quiet;
}

void Dialer::give_back(ConnectionPtr connection) {
    if (!connection || !fit(*connection)) return;
    connection->active.reset();
    impl_->pool.put(std::move(connection));
}

void Dialer::close_idle() noexcept {
    impl_->pool.clear();
}

Dialer::Counts Dialer::counts() const noexcept {
    return {*impl_->active, impl_->pool.size()};
}

}  // namespace sworn::connect
