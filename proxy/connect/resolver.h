// Names to addresses: fixed answers from the configuration, then the name servers (c-ares), with
// the response code kept. /etc/hosts is consulted; search domains are not. One per I/O thread.
#pragma once

#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/vocabulary.h"
#include "proxy/config/snapshot.h"
#include "proxy/io/task.h"
#include "proxy/io/thread_context.h"

namespace sworn::connect {

struct Resolution {
    std::vector<boost::asio::ip::address> addresses;  ///< Empty on failure.
    AttemptCode failure = AttemptCode::DNS_FAILED;    ///< NXDOMAIN, DNS_TIMEOUT or DNS_FAILED.
    std::string rcode;                                ///< "NXDOMAIN", "SERVFAIL"; may be empty.
};

class Resolver {
public:
    Resolver(io::ThreadContext& thread, const config::Network& network);
    ~Resolver();
    Resolver(const Resolver&) = delete;

    /// Both families at once, at most `addresses_max` answers, IPv4 and IPv6 in turns. Once one
    /// family has answered with addresses, the other gets `straggler_max` more. A literal is its
    /// own answer; fixed answers keep their order. May outlive the Resolver: it then fails.
    io::Task<Resolution> resolve(std::string name, std::chrono::milliseconds limit);
    static constexpr std::size_t addresses_max = 32;
    static constexpr std::chrono::milliseconds straggler_max{250};

    struct Impl;

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace sworn::connect
