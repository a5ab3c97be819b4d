// c-ares on an I/O thread: its sockets watched by Asio, its time-outs kept by the deadline wheel.
// No search lists, no aliases, no cache.
#pragma once

#include <boost/asio/ip/address.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proxy/io/thread_context.h"

namespace sworn::connect {

/// What came of one question.
struct DnsAnswer {
    enum class Kind : std::uint8_t { addresses, no_such_name, no_addresses, timed_out, failed };
    Kind kind = Kind::failed;
    std::vector<boost::asio::ip::address> addresses;  ///< In the order of the answer.
    std::string rcode;                                ///< As in RFC 9209: "SERVFAIL"; may be empty.
};

enum class Family : std::uint8_t { v4, v6 };

class AresChannel {
public:
    /// What a server's refusal (SERVFAIL, REFUSED, NOTIMP) does. c-ares cannot do both: once it
    /// asked the next server, the response code is lost.
    enum class Refusal : std::uint8_t { ends_with_its_code, asks_the_next_server };

    /// `servers`: "192.0.2.53", "192.0.2.53:5353", "[2001:db8::53]:53"; empty: the system's.
    AresChannel(io::ThreadContext& thread, const std::vector<std::string>& servers,
                Refusal refusal);
    /// Questions still open are answered with `failed` first.
    ~AresChannel();
    AresChannel(const AresChannel&) = delete;

    [[nodiscard]] bool has_several_servers() const;
    /// The addresses that the hosts file has for a name; empty where it has none.
    [[nodiscard]] std::vector<boost::asio::ip::address> hosts_file(const std::string& name);
    /// `done` runs exactly once, possibly before this returns. Truncated answers are asked again
    /// over TCP; CNAMEs within the answer are followed.
    void ask(const std::string& name, Family family, std::function<void(DnsAnswer)> done);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sworn::connect
