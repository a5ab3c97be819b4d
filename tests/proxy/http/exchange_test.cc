#include "proxy/http/exchange.h"

#include "tests/proxy/http/exchange_fixture.h"

namespace sworn::http {
namespace {

using contract::ExchangeEnd;
using std::chrono::milliseconds;

constexpr std::string_view ok_hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

struct Faulty {
    std::string_view name;
    std::string response;
    ExchangeEnd end;
    bool head_parsed = false;
};

const Faulty faults[] = {
    {"U02_BadChunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5 \r\nhello",
     ExchangeEnd::malformed_body, true},
    {"U06_Ambiguous", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
     ExchangeEnd::malformed_head},
    {"U08_SshBanner", "SSH-2.0-OpenSSH_9.2\r\n\r\n", ExchangeEnd::malformed_head},
    {"U08_TlsRecord", "\x15\x03\x01", ExchangeEnd::malformed_head},
    {"U09_HundredWithLength", "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\nhello",
     ExchangeEnd::malformed_head},
    {"U10_EndlessHeader", "HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'a'),
     ExchangeEnd::malformed_head},
    {"U10_TooManyFields",
     [] {
         std::string head = "HTTP/1.1 200 OK\r\n";
         for (int i = 0; i < 10'000; ++i)
             head += "X:\r\n";
         return head + "\r\n";
     }(),
     ExchangeEnd::malformed_head},
    {"U13_UninvitedSwitch", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nbytes",
     ExchangeEnd::malformed_head},
    {"U17_TrailersTooLarge",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " + std::string(100'000, 'a'),
     ExchangeEnd::malformed_body, true},
};

TEST(Exchange, BreaksAtEachMalformedResponse) {
    for (const auto& row : faults) {
        SCOPED_TRACE(row.name);
        Bench bench;
        Script script{bench.thread};
        script.stream->push(row.response);
        const auto got = bench.run(script);
        EXPECT_EQ(got.seen.end, row.end);
        EXPECT_EQ(got.seen.head_parsed, row.head_parsed);
        EXPECT_FALSE(got.reusable);
    }
}

TEST(Exchange, SendsHeadAndSmallBodyInOneWriteAndKeepsTheConnection) {
    Bench bench;
    Script script{bench.thread};
    script.request_body = "body";
    int writes = 0;
    script.stream->on_write = [&] { ++writes; };
    script.stream->push(ok_hello);
    const auto got = bench.run(script);
    EXPECT_EQ(script.written, std::string{get_head} + "body");
    EXPECT_EQ(writes, 1);
    EXPECT_EQ(got.body, "hello");
    EXPECT_EQ(got.seen.end, ExchangeEnd::complete);
    EXPECT_EQ(got.seen.framing, Framing::content_length);
    EXPECT_TRUE(got.reusable);
    EXPECT_EQ(got.read_ahead, "");
}

TEST(Exchange, SendsALargeBodyFromMemoryAndFromItsSpool) {
    for (const std::size_t size : {std::size_t{300'000}, body_in_memory_bytes_max + 12'345}) {
        SCOPED_TRACE(size);
        Bench bench;
        Script script{bench.thread};
        for (std::size_t i = 0; i < size; ++i)
            script.request_body += static_cast<char>('a' + i % 23);
        const auto whole = std::string{get_head} + script.request_body;
        script.stream->on_write = [&] {
            if (script.stream->written.size() == whole.size()) script.stream->push(ok_hello);
        };
        const auto got = bench.run(script);
        EXPECT_TRUE(script.written == whole);
        EXPECT_EQ(got.seen.end, ExchangeEnd::complete);
        EXPECT_EQ(got.seen.markers.request_body_sent, true);
        EXPECT_TRUE(got.reusable);
    }
}

TEST(Exchange, ReadsAnEarlyRefusalWhileTheBodyIsStuck) {
    Bench bench;
    Script script{bench.thread};
    script.request_body.assign(500'000, 'x');
    script.stream->block_writes_after(100'000);
    script.stream->on_write = [&] {
        script.stream->push("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
        script.stream->on_write = nullptr;
    };
    const auto got = bench.run(script);
    EXPECT_EQ(got.seen.end, ExchangeEnd::complete);
    EXPECT_EQ(got.seen.status, 413);
    EXPECT_EQ(got.body, "no");
    EXPECT_EQ(got.seen.markers.request_headers_sent, true);
    EXPECT_EQ(got.seen.markers.request_body_sent, false);
    EXPECT_FALSE(got.reusable);
}

TEST(Exchange, GoesOnSendingUnderAnEarlySuccess) {
    Bench bench;
    Script script{bench.thread};
    script.request_body.assign(500'000, 'x');
    script.stream->block_writes_after(100'000);
    script.stream->on_write = [&] {
        script.stream->on_write = [&] {
            if (script.stream->written.size() < get_head.size() + 500'000) return;
            script.stream->push("hello");
        };
        script.stream->push("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
        script.stream->unblock_writes();
    };
    const auto got = bench.run(script);
    EXPECT_EQ(got.seen.end, ExchangeEnd::complete);
    EXPECT_EQ(got.seen.markers.request_body_sent, true);
    EXPECT_EQ(script.written.size(), get_head.size() + 500'000);
}

TEST(Exchange, CompleteAnswerAfterAFailedWriteCounts) {
    for (const std::size_t taken : {std::size_t{0}, std::size_t{10}, get_head.size() + 2}) {
        SCOPED_TRACE(taken);
        Bench bench;
        Script script{bench.thread};
        script.request_body = "body";
        script.stream->fail_writes_after(taken, io::IoEnd::reset);
        script.stream->push(ok_hello);
        const auto got = bench.run(script);
        EXPECT_EQ(got.seen.end, ExchangeEnd::complete);
        EXPECT_EQ(got.seen.markers.handed_over, true);
        EXPECT_EQ(got.seen.markers.request_headers_sent, taken >= get_head.size());
        EXPECT_EQ(got.seen.markers.request_body_sent, false);
        EXPECT_FALSE(got.reusable);
    }
}

TEST(Exchange, FailedWriteWithoutAnAnswerIsToldAsThat) {
    for (const auto end : {io::IoEnd::eof, io::IoEnd::reset}) {
        Bench bench;
        Script script{bench.thread};
        script.stream->fail_writes_after(5, io::IoEnd::reset);
        script.stream->end(end);
        EXPECT_EQ(bench.run(script).seen.end, ExchangeEnd::write_failed);
    }
}

TEST(Exchange, OldTicketSendsNothing) {
    Bench bench;
    Script script{bench.thread};
    script.ticket_valid_for = milliseconds{-1};
    const auto got = bench.run(script);
    EXPECT_EQ(got.seen.end, ExchangeEnd::never_sent);
    EXPECT_EQ(got.seen.markers.handed_over, false);
    EXPECT_EQ(script.written, "");
}

TEST(Exchange, ExtraBytesRetireTheConnectionAndChangeNothing) {
    Bench bench;
    Script script{bench.thread};
    script.stream->push(std::string{ok_hello} + "\r\n");
    const auto got = bench.run(script);
    EXPECT_EQ(got.seen.end, ExchangeEnd::complete);
    EXPECT_EQ(got.body, "hello");
    EXPECT_FALSE(got.reusable);
}

TEST(Exchange, InformationalResponsesAreBoundedAndSettleNothing) {
    for (const std::size_t extra : {std::size_t{0}, std::size_t{1}}) {
        Bench bench;
        Script script{bench.thread};
        for (std::size_t i = 0; i < informational_max + extra; ++i)
            script.stream->push("HTTP/1.1 150 Odd\r\n\r\n");
        script.stream->push(ok_hello);
        const auto got = bench.run(script);
        EXPECT_EQ(got.informational, informational_max);
        EXPECT_EQ(got.seen.end, extra == 0 ? ExchangeEnd::complete : ExchangeEnd::malformed_head);
    }
}

TEST(Exchange, InformationalBytesCountAgainstTheHeaderLimit) {
    Bench bench;
    Script script{bench.thread};
    for (int i = 0; i < 3; ++i)
        script.stream->push("HTTP/1.1 103 Hints\r\nX: " + std::string(30'000, 'a') + "\r\n\r\n");
    script.stream->push(ok_hello);
    const auto got = bench.run(script);
    EXPECT_EQ(got.informational, 2U);
    EXPECT_EQ(got.seen.end, ExchangeEnd::malformed_head);
}

TEST(Exchange, HeaderSizeIsJudgedAtTheLimit) {
    for (const std::size_t extra : {std::size_t{0}, std::size_t{1}}) {
        Bench bench;
        Script script{bench.thread};
        std::string head = "HTTP/1.1 204 X\r\nX: ";
        head += std::string(script.limits.max_header - head.size() - 4 + extra, 'a') + "\r\n\r\n";
        script.stream->push(head);
        EXPECT_EQ(bench.run(script).seen.end,
                  extra == 0 ? ExchangeEnd::complete : ExchangeEnd::malformed_head);
    }
}

TEST(Exchange, TotalEndsADripThatNeverIsIdle) {
    Bench bench;
    Script script{bench.thread};
    script.timeouts.response_idle = std::chrono::hours{1};
    script.timeouts.total = milliseconds{120};
    script.stream->push("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
    const auto got = bench.run(script);
    EXPECT_EQ(got.seen.end, ExchangeEnd::total_timeout);
    EXPECT_TRUE(got.seen.head_parsed);
}

TEST(Exchange, FactsOfTheHeadAreObserved) {
    Bench bench;
    Script script{bench.thread};
    script.stream->push(
        "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nLocation: /x\r\nProxy-Status: a; "
        "error=dns_error\r\n"
        "Proxy-Status: b\r\nContent-Length: 0\r\n\r\n");
    const auto got = bench.run(script);
    EXPECT_EQ(got.seen.status, 503);
    EXPECT_EQ(got.seen.retry_after, "7");
    EXPECT_EQ(got.seen.location, "/x");
    ASSERT_EQ(got.seen.proxy_status.size(), 2U);
    EXPECT_TRUE(got.seen.proxy_status[0].failed);
    EXPECT_EQ(got.seen.proxy_status[1].name, "b");
}

/// Drives one exchange step by step, for what go() does not do.
struct Manual {
    Bench bench;
    Script script{bench.thread};
    std::vector<Exchange::Part::Kind> kinds;
    std::vector<std::string> data;
    ExchangeEnd end = ExchangeEnd::complete;
    bool left_with_writer = false;
};

io::Task<void> wait_with_patience(Manual& m) {
    Body body{testing::TempDir()};
    auto sendable = test::sendable(std::string{get_head});
    Exchange exchange{std::move(m.script.connection),
                      "GET",
                      m.script.timeouts,
                      m.script.limits,
                      m.bench.thread,
                      m.bench.workers};
    co_await exchange.send(std::move(sendable.ticket), sendable.request, body);
    static_cast<void>(co_await exchange.read_head());
    for (int i = 0; i < 2; ++i) {
        const auto part = co_await exchange.read_body_for(milliseconds{10});
        m.kinds.push_back(part.kind);
        m.data.emplace_back(part.data);
    }
    m.script.stream->push("o\r\n0\r\n\r\n");
    for (int i = 0; i < 2; ++i) {
        const auto part = co_await exchange.read_body();
        m.kinds.push_back(part.kind);
        m.data.emplace_back(part.data);
    }
    m.end = exchange.observations().end;
}

TEST(Exchange, PatienceEndsAndTheExchangeGoesOn) {
    Manual m;
    m.script.stream->push("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhell");
    test::drive(m.bench.thread, wait_with_patience(m));
    using Kind = Exchange::Part::Kind;
    const std::vector<Kind> kinds{Kind::data, Kind::data, Kind::data, Kind::complete};
    EXPECT_EQ(m.kinds, kinds);
    const std::vector<std::string> data{"hell", "", "o", ""};
    EXPECT_EQ(m.data, data);
    EXPECT_EQ(m.end, ExchangeEnd::complete);
}

class StopAt final : public io::Expiry {
public:
    explicit StopAt(Exchange& exchange) : exchange_{exchange} {}
    void expired() noexcept override { exchange_.stop(ExchangeEnd::cancelled_by_caller); }

private:
    Exchange& exchange_;
};

io::Task<void> stop_while_reading(Manual& m) {
    Body body{testing::TempDir()};
    auto sendable = test::sendable(std::string{get_head});
    Exchange exchange{std::move(m.script.connection),
                      "GET",
                      m.script.timeouts,
                      m.script.limits,
                      m.bench.thread,
                      m.bench.workers};
    StopAt stop{exchange};
    io::Deadline soon{m.bench.thread.wheel, stop};
    co_await exchange.send(std::move(sendable.ticket), sendable.request, body);
    soon.arm(milliseconds{1});
    static_cast<void>(co_await exchange.read_head());
    m.end = exchange.observations().end;
}

TEST(Exchange, StopEndsAPendingReadWithItsReason) {
    Manual m;
    m.script.timeouts.response_header = std::chrono::hours{1};
    test::drive(m.bench.thread, stop_while_reading(m));
    EXPECT_EQ(m.end, ExchangeEnd::cancelled_by_caller);
}

io::Task<void> leave_early(Manual& m) {
    auto body = std::make_unique<Body>(testing::TempDir());
    static_cast<void>(body->append(std::string(400'000, 'x')));
    auto sendable = test::sendable(std::string{get_head});
    auto exchange =
        std::make_unique<Exchange>(std::move(m.script.connection), "GET", m.script.timeouts,
                                   m.script.limits, m.bench.thread, m.bench.workers);
    co_await exchange->send(std::move(sendable.ticket), sendable.request, *body);
    static_cast<void>(co_await exchange->read_head());
    m.left_with_writer = m.script.stream->written.size() < 400'000;
    exchange.reset();
    body.reset();
}

TEST(Exchange, CanBeDroppedWhileItsBodyIsStillBeingWritten) {
    Manual m;
    m.script.stream->block_writes_after(90'000);
    m.script.stream->push("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    test::drive(m.bench.thread, leave_early(m));
    EXPECT_TRUE(m.left_with_writer);
}

}  // namespace
}  // namespace sworn::http
