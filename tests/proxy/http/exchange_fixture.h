// One exchange over a scripted stream: what the upstream says, how it ends, and what was observed.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "proxy/http/exchange.h"
#include "tests/support/drive.h"
#include "tests/support/forged_tickets.h"
#include "tests/support/memory_stream.h"

namespace sworn::http {

inline constexpr std::string_view get_head = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";

struct Outcome {
    Exchange::Head::Kind head = Exchange::Head::Kind::broken;
    std::size_t informational = 0;
    std::string body;
    contract::Observations seen;
    bool reusable = false;
    std::string read_ahead;
};

class Script {
public:
    explicit Script(io::ThreadContext& own_thread) : thread{own_thread} {
        auto owned = std::make_unique<test::MemoryStream>(own_thread);
        stream = owned.get();
        connection->stream = std::move(owned);
        timeouts.response_header = timeouts.response_idle = std::chrono::milliseconds{100};
    }

    /// Sends, then reads heads and the body to the end. The stream is gone afterwards.
    io::Task<void> go(io::WorkerPool& workers) {
        Body body{testing::TempDir()};
        static_cast<void>(body.append(request_body));
        auto sendable = test::sendable(std::string{get_head}, ticket_valid_for);
        Exchange exchange{std::move(connection), method, timeouts, limits, thread, workers};
        co_await exchange.send(std::move(sendable.ticket), sendable.request, body);
        auto head = co_await exchange.read_head();
        while (head.kind == Exchange::Head::Kind::informational) {
            ++outcome.informational;
            head = co_await exchange.read_head();
        }
        outcome.head = head.kind;
        while (head.kind == Exchange::Head::Kind::final) {
            const auto part = co_await exchange.read_body();
            if (part.kind != Exchange::Part::Kind::data) break;
            outcome.body += part.data;
        }
        outcome.seen = exchange.observations();
        if (stream != nullptr) written = stream->written;
        auto back = exchange.finish();
        outcome.reusable = back != nullptr;
        if (back) outcome.read_ahead = back->read_ahead;
    }

    io::ThreadContext& thread;
    connect::ConnectionPtr connection = std::make_unique<connect::Connection>();
    test::MemoryStream* stream;  ///< Null where a test put another stream in.
    config::Timeouts timeouts;
    config::Limits limits;
    std::string method = "GET";
    std::string request_body;
    std::chrono::milliseconds ticket_valid_for = std::chrono::hours{1};
    Outcome outcome;
    std::string written;
};

/// Threads and workers in the order that their destruction asks for.
struct Bench {
    io::ThreadContext thread;
    io::WorkerPool workers{1};
    Outcome run(Script& script) {
        test::drive(thread, script.go(workers));
        return script.outcome;
    }
};

}  // namespace sworn::http
