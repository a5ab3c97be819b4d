// A dialer that may reach loopback, and a name that resolves to what a test says.
#pragma once

#include <string>
#include <vector>

#include "proxy/connect/dialer.h"
#include "tests/support/loopback.h"
#include "tests/support/run_task.h"

namespace sworn::connect {

inline config::Network loopback_network(std::vector<std::string> addresses) {
    config::Network network;
    network.allow_private.push_back({{127, 0, 0, 0}, 8});
    network.resolve["api.example.test"] = std::move(addresses);
    return network;
}

class Dialling {
public:
    explicit Dialling(config::Network network = loopback_network({"127.0.0.1"}),
                      Dialer::Limits limits = {},
                      std::vector<boost::asio::ip::tcp::endpoint> own = {})
        : dialer{thread, network, std::move(own), limits} {
        timeouts.connect = std::chrono::milliseconds{2'000};
        timeouts.tls = std::chrono::milliseconds{2'000};
    }

    static Origin clear_origin(std::uint16_t port) {
        Origin origin;
        origin.host = "api.example.test";
        origin.port = port;
        origin.tls = false;
        return origin;
    }

    Dialled dial(const Origin& origin, std::uint32_t attempts_max = 5,
                 Dialer::Reuse reuse = Dialer::Reuse::allowed) {
        return test::run(thread, dialer.connect(origin, timeouts, attempts_max, reuse));
    }

    io::ThreadContext thread;
    config::Timeouts timeouts;
    Dialer dialer;
};

}  // namespace sworn::connect
