// From a bound origin to a verified connection: look into the pool, else resolve, check the
// address, connect, hand-shake; every address is tried and every attempt reported. Decides nothing
// about the invocation: it reports attempts and a connection. One per I/O thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/vocabulary.h"
#include "proxy/config/snapshot.h"
#include "proxy/connect/resolver.h"
#include "proxy/io/stream.h"

namespace sworn::connect {

/// Where to and under which rules; also the pool's key. Connections are shared only where all of
/// it is equal.
struct Origin {
    std::string host;  ///< Name to resolve and to verify.
    std::uint16_t port = 443;
    bool tls = true;
    std::filesystem::path ca;  ///< Empty: network.trusted_ca.
    std::vector<std::string> pins;
    std::string credential;  ///< Id and version: a connection never crosses credentials …
    std::string caller;      ///< … or callers.

    auto operator<=>(const Origin&) const = default;
};

/// One failed attempt, ready for ATTEMPT_FAILED.
struct Attempt {
    Stage stage = Stage::tcp_connect;
    AttemptCode code = AttemptCode::ECONNREFUSED_;
    Code ends_with = Code::connection_failed;
    ProxyError proxy_error = ProxyError::connection_refused;
    std::string address;  ///< "192.0.2.1:443"; empty before resolution.
    std::chrono::microseconds elapsed{0};
    std::string rcode;  ///< Of a failed resolution.
};

struct Peer {
    std::string name;    ///< The name that was verified; empty in clear.
    std::string sha256;  ///< Hex of the leaf certificate; empty in clear.
    bool verified = false;
};

/// A connection that is fit to carry one request at a time.
struct Connection {
    std::string id;  ///< "c-17"
    io::StreamPtr stream;
    bool reused = false;
    std::string address;
    Peer peer;
    Origin origin;
    std::vector<std::string> hops;
    std::string read_ahead;        ///< Bytes read past the last response; must stay empty.
    std::shared_ptr<void> active;  ///< The dialer's count of connections in use; others let it be.
};
using ConnectionPtr = std::unique_ptr<Connection>;

struct Dialled {
    ConnectionPtr connection;  ///< Null: every attempt failed; the last one says why.
    std::vector<Attempt> attempts;
};

class Dialer {
public:
    struct Limits {
        std::size_t idle_per_origin = 32, idle_total = 1024;
        std::chrono::milliseconds idle{55'000};
    };
    /// `network` and `own` (the broker's listeners) are kept by value for one snapshot. A wildcard
    /// listener stands for every address that the host's interfaces have now.
    Dialer(io::ThreadContext& thread, const config::Network& network,
           std::vector<boost::asio::ip::tcp::endpoint> own, Limits limits);
    ~Dialer();
    Dialer(const Dialer&) = delete;

    /// A pooled connection that passes the look (no readable byte, no EOF), else a new one.
    /// `attempts_max` (at least one is made) bounds the addresses that are dialled; forbidden ones
    /// are reported beside them. The dialer and `timeouts` must live until it is done.
    enum class Reuse : std::uint8_t { allowed, never };
    io::Task<Dialled> connect(Origin origin, const config::Timeouts& timeouts,
                              std::uint32_t attempts_max, Reuse reuse);
    /// A pooled connection right now, without waiting; null if there is none.
    [[nodiscard]] ConnectionPtr take_idle(const Origin& origin);
    /// The look right before dispatch: quiet connections only.
    [[nodiscard]] static bool fit(Connection& connection) noexcept;
    /// Back into the pool after a complete exchange that allows reuse.
    void give_back(ConnectionPtr connection);
    void close_idle() noexcept;

    struct Counts {
        std::size_t active = 0, idle = 0;
    };
    [[nodiscard]] Counts counts() const noexcept;

    struct Impl;

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace sworn::connect
