#include "proxy/io/tls_stream.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "proxy/io/tcp_stream.h"
#include "tests/support/loopback.h"
#include "tests/support/run_task.h"
#include "tests/support/test_pki.h"

namespace sworn::io {
namespace {

using namespace std::chrono_literals;
using test::FarEnd;
using test::run;

/// A client stream after its handshake with a blocking server, on TLS 1.2 or 1.3.
class TlsPair {
public:
    explicit TlsPair(int version) {
        const test::Identity self = test::make_identity({}, nullptr);
        server = test::server_context(self);
        SSL_CTX_set_max_proto_version(server.get(), version);
        client.reset(SSL_CTX_new(TLS_client_method()));
        TcpSocket socket{thread.context.get_executor()};
        socket.connect({asio::ip::address_v4::loopback(), listener.port()});
        far.emplace(listener.accept());
        SslPtr ssl{SSL_new(client.get())};
        SSL_set_connect_state(ssl.get());
        AnySocket any{std::move(socket)};
        stream = std::make_unique<TlsStream>(thread, std::move(any), std::move(ssl));
    }

    bool shake_hands() {
        auto accepted =
            std::async(std::launch::async, [this] { return far->accept_tls(server.get()); });
        const bool done = run(thread, stream->handshake(5s)).ok();
        return accepted.get() && done;
    }

    ThreadContext thread;
    test::Listener listener;
    test::ContextPtr server, client;
    std::optional<FarEnd> far;
    std::unique_ptr<TlsStream> stream;
};

Task<IoResult> read_into(Stream& stream, std::string& into, std::chrono::milliseconds limit) {
    into.resize(4096);
    const IoResult got = co_await stream.read_some(asio::buffer(into), limit);
    into.resize(got.bytes);
    co_return got;
}

Task<IoResult> write_all(Stream& stream, std::vector<std::string> pieces,
                         std::chrono::milliseconds limit) {
    std::vector<asio::const_buffer> buffers;
    for (const auto& piece : pieces)
        buffers.push_back(asio::buffer(piece));
    co_return co_await stream.write(buffers, limit);
}

Task<IoResult> read_to_end(Stream& stream, std::string& all) {
    std::string part;
    for (;;) {
        const IoResult got = co_await read_into(stream, part, 5s);
        if (!got.ok()) co_return got;
        all += part;
    }
}

class Tls : public testing::TestWithParam<int> {
protected:
    TlsPair ends{GetParam()};
};

TEST_P(Tls, GathersPiecesOfEverySizeInOrder) {
    ASSERT_TRUE(ends.shake_hands());
    const std::vector<std::string> pieces{"GET / HTTP/1.1\r\n\r\n",  "",
                                          std::string(40'000, 'a'),  "b",
                                          std::string(300'000, 'c'), "d"};
    std::string want;
    for (const auto& piece : pieces)
        want += piece;
    auto got = std::async(std::launch::async, [&] { return ends.far->read(want.size()); });
    const IoResult wrote = run(ends.thread, write_all(*ends.stream, pieces, 5s));
    EXPECT_TRUE(wrote.ok());
    EXPECT_EQ(wrote.bytes, want.size());
    EXPECT_TRUE(got.get() == want);
}

TEST_P(Tls, ReadsMoreThanOneRecordWithoutLosingAny) {
    ASSERT_TRUE(ends.shake_hands());
    const std::string want(1U << 20, 'r');
    auto sent = std::async(std::launch::async, [&] {
        const bool all = ends.far->write(want);
        ends.far->close_notify();
        return all;
    });
    std::string got;
    EXPECT_EQ(run(ends.thread, read_to_end(*ends.stream, got)).end, IoEnd::eof);
    EXPECT_TRUE(sent.get());
    EXPECT_TRUE(got == want);
}

TEST_P(Tls, ABareFinIsTruncationAndStaysSo) {
    ASSERT_TRUE(ends.shake_hands());
    ASSERT_TRUE(ends.far->write("part"));
    ends.far->fin();
    std::string got;
    EXPECT_EQ(run(ends.thread, read_to_end(*ends.stream, got)).end, IoEnd::truncated);
    EXPECT_EQ(got, "part");
    EXPECT_EQ(run(ends.thread, read_into(*ends.stream, got, 1s)).end, IoEnd::truncated);
}

TEST_P(Tls, AResetIsNoTruncation) {
    ASSERT_TRUE(ends.shake_hands());
    ends.far->reset();
    std::string got;
    EXPECT_EQ(run(ends.thread, read_into(*ends.stream, got, 1s)).end, IoEnd::reset);
}

TEST_P(Tls, BytesThatAreNoRecordAreATlsFailure) {
    ASSERT_TRUE(ends.shake_hands());
    FarEnd below{::dup(ends.far->descriptor())};
    ASSERT_TRUE(below.write("HTTP/1.1 200 OK\r\n\r\n"));
    std::string got;
    EXPECT_EQ(run(ends.thread, read_into(*ends.stream, got, 1s)).end, IoEnd::tls_failure);
    EXPECT_FALSE(ends.stream->alert_received());
}

TEST_P(Tls, HalfClosedStillReads) {
    ASSERT_TRUE(ends.shake_hands());
    run(ends.thread, ends.stream->shutdown_write());
    EXPECT_EQ(ends.far->read_all(), "");
    EXPECT_NE(SSL_get_shutdown(ends.far->ssl()) & SSL_RECEIVED_SHUTDOWN, 0) << "close_notify came";
    ASSERT_TRUE(ends.far->write("late answer"));
    std::string got;
    EXPECT_TRUE(run(ends.thread, read_into(*ends.stream, got, 1s)).ok());
    EXPECT_EQ(got, "late answer");
}

TEST_P(Tls, LooksThroughSessionTicketsButNotThroughData) {
    ASSERT_TRUE(ends.shake_hands());
    EXPECT_EQ(ends.stream->look(), Stream::Look::quiet) << "tickets may have come already";
    ASSERT_TRUE(ends.far->write("x"));
    EXPECT_TRUE(run(ends.thread, ends.stream->wait_readable()).ok());
    EXPECT_EQ(ends.stream->look(), Stream::Look::bytes);
    std::string got;
    EXPECT_TRUE(run(ends.thread, read_into(*ends.stream, got, 1s)).ok());
    EXPECT_EQ(got, "x") << "a look takes nothing";
    EXPECT_EQ(ends.stream->look(), Stream::Look::quiet);
}

TEST_P(Tls, LooksSeeTheOrderlyEndTheBareEndAndHalfARecord) {
    ASSERT_TRUE(ends.shake_hands());
    FarEnd below{::dup(ends.far->descriptor())};
    ASSERT_TRUE(below.write(std::string_view{"\x17\x03\x03\x00\x20", 5}));
    EXPECT_TRUE(run(ends.thread, ends.stream->wait_readable()).ok());
    EXPECT_EQ(ends.stream->look(), Stream::Look::bytes) << "a header without its record";
    EXPECT_EQ(ends.stream->look(), Stream::Look::bytes);

    TlsPair orderly{GetParam()};
    ASSERT_TRUE(orderly.shake_hands());
    orderly.far->close_notify();
    EXPECT_TRUE(run(orderly.thread, orderly.stream->wait_readable()).ok());
    EXPECT_EQ(orderly.stream->look(), Stream::Look::eof);

    TlsPair bare{GetParam()};
    ASSERT_TRUE(bare.shake_hands());
    EXPECT_EQ(bare.stream->look(), Stream::Look::quiet);
    bare.far->fin();
    EXPECT_TRUE(run(bare.thread, bare.stream->wait_readable()).ok());
    EXPECT_EQ(bare.stream->look(), Stream::Look::eof);
}

TEST_P(Tls, DeadlinesHoldInHandshakeReadAndWrite) {
    std::string got;
    EXPECT_EQ(run(ends.thread, ends.stream->handshake(60ms)).end, IoEnd::timed_out);
    TlsPair second{GetParam()};
    ASSERT_TRUE(second.shake_hands());
    EXPECT_EQ(run(second.thread, read_into(*second.stream, got, 60ms)).end, IoEnd::timed_out);
    const std::string large(16U << 20, 'x');
    const IoResult wrote = run(second.thread, write_all(*second.stream, {large}, 60ms));
    EXPECT_EQ(wrote.end, IoEnd::timed_out);
    EXPECT_LT(wrote.bytes, large.size());
}

TEST_P(Tls, CloseSendsNoCloseNotify) {
    ASSERT_TRUE(ends.shake_hands());
    ends.stream->close();
    EXPECT_EQ(ends.far->read_all(), "");
    EXPECT_EQ(SSL_get_shutdown(ends.far->ssl()) & SSL_RECEIVED_SHUTDOWN, 0);
}

TEST_P(Tls, CancelEndsAPendingRead) {
    ASSERT_TRUE(ends.shake_hands());
    std::string got;
    test::Running<IoResult> read{ends.thread, read_into(*ends.stream, got, 0ms)};
    ends.thread.context.poll();
    ends.stream->cancel();
    EXPECT_EQ(read.wait_for().end, IoEnd::cancelled);
}

INSTANTIATE_TEST_SUITE_P(Versions, Tls, testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& param) {
                             return param.param == TLS1_2_VERSION ? "Tls12" : "Tls13";
                         });

TEST(TlsServer, TakesBytesThatWereReadBeforeItBegan) {
    ThreadContext thread;
    test::Listener listener;
    const test::Identity self = test::make_identity({}, nullptr);
    const test::ContextPtr server = test::server_context(self);
    const test::ContextPtr client{SSL_CTX_new(TLS_client_method())};
    TcpSocket socket{thread.context.get_executor()};
    socket.connect({asio::ip::address_v4::loopback(), listener.port()});
    FarEnd far = listener.accept();
    auto connected = std::async(std::launch::async, [&] {
        SSL* const ssl = SSL_new(client.get());
        SSL_set_fd(ssl, far.descriptor());
        const bool done = SSL_connect(ssl) == 1 && SSL_write(ssl, "hello", 5) == 5;
        SSL_free(ssl);
        return done;
    });
    StreamPtr plain = make_stream(thread, std::move(socket));
    std::string ahead;
    ASSERT_TRUE(run(thread, read_into(*plain, ahead, 5s)).ok());
    SslPtr ssl{SSL_new(server.get())};
    SSL_set_accept_state(ssl.get());
    TlsStream stream{thread, release_socket(std::move(plain)), std::move(ssl), std::move(ahead)};
    ASSERT_TRUE(run(thread, stream.handshake(5s)).ok());
    std::string got;
    EXPECT_TRUE(run(thread, read_into(stream, got, 5s)).ok());
    EXPECT_EQ(got, "hello");
    EXPECT_TRUE(connected.get());
}

TEST(TlsServer, AnAlertOfThePeerIsToldFromOtherFailures) {
    ThreadContext thread;
    test::Listener listener;
    const test::Identity self = test::make_identity({}, nullptr);
    const test::ContextPtr server = test::server_context(self);
    const test::ContextPtr client{SSL_CTX_new(TLS_client_method())};
    SSL_CTX_set_verify(client.get(), SSL_VERIFY_PEER, nullptr);  // It trusts nobody.
    TcpSocket socket{thread.context.get_executor()};
    socket.connect({asio::ip::address_v4::loopback(), listener.port()});
    FarEnd far = listener.accept();
    auto refused = std::async(std::launch::async, [&] {
        SSL* const ssl = SSL_new(client.get());
        SSL_set_fd(ssl, far.descriptor());
        const bool done = SSL_connect(ssl) == 1;
        SSL_free(ssl);
        return !done;
    });
    SslPtr ssl{SSL_new(server.get())};
    SSL_set_accept_state(ssl.get());
    AnySocket any{std::move(socket)};
    TlsStream stream{thread, std::move(any), std::move(ssl)};
    EXPECT_EQ(run(thread, stream.handshake(5s)).end, IoEnd::tls_failure);
    EXPECT_TRUE(stream.alert_received());
    EXPECT_TRUE(refused.get());
}

}  // namespace
}  // namespace sworn::io
