// The every-byte cut over real sockets: in clear, and over TLS, where only close_notify is an end.
#include <future>

#include "proxy/io/tcp_stream.h"
#include "proxy/io/tls_stream.h"
#include "tests/proxy/http/exchange_fixture.h"
#include "tests/support/loopback.h"
#include "tests/support/test_pki.h"

namespace sworn::http {
namespace {

using contract::ExchangeEnd;
using std::chrono::seconds;

struct Sample {
    std::string_view name, head, body;
    bool until_close = false;
};

constexpr Sample samples[] = {
    {"ContentLength", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "hello"},
    {"Chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n"},
    {"UntilClose", "HTTP/1.1 200 OK\r\n\r\n", "hello", true},
};

enum class End : std::uint8_t { fin, reset, close_notify };

/// Reads the request, says `bytes`, ends.
void play(test::FarEnd& far, std::string_view bytes, End end) {
    static_cast<void>(far.read(get_head.size()));
    if (!bytes.empty()) static_cast<void>(far.write(bytes));
    switch (end) {
        case End::close_notify:
            far.close_notify();
            return far.fin();
        case End::fin:
            return far.fin();
        case End::reset:
            return far.reset();
    }
}

class Wire {
public:
    explicit Wire(bool tls) {
        if (!tls) return;
        const auto self = test::make_identity({}, nullptr);
        server_ = test::server_context(self);
        client_.reset(SSL_CTX_new(TLS_client_method()));
    }

    Outcome exchange(std::string_view bytes, End end) {
        io::TcpSocket socket{bench_.thread.context.get_executor()};
        socket.connect({io::asio::ip::address_v4::loopback(), listener_.port()});
        auto far = listener_.accept();
        auto peer = std::async(std::launch::async, [&] {
            if (server_ && !far.accept_tls(server_.get())) return;
            play(far, bytes, end);
        });
        Script script{bench_.thread};
        script.timeouts.response_header = script.timeouts.response_idle = seconds{10};
        script.connection->stream = connect(std::move(socket));
        script.stream = nullptr;
        test::drive(bench_.thread, script.go(bench_.workers));
        peer.get();
        return script.outcome;
    }

private:
    io::StreamPtr connect(io::TcpSocket socket) {
        if (!server_) return io::make_stream(bench_.thread, std::move(socket));
        io::SslPtr ssl{SSL_new(client_.get())};
        SSL_set_connect_state(ssl.get());
        auto stream = std::make_unique<io::TlsStream>(
            bench_.thread, io::AnySocket{std::move(socket)}, std::move(ssl));
        test::drive(bench_.thread, shake_hands(*stream));
        return stream;
    }
    static io::Task<void> shake_hands(io::TlsStream& stream) {
        const auto done = co_await stream.handshake(seconds{10});
        SWORN_ASSERT(done.ok());
    }

    Bench bench_;
    test::Listener listener_;
    test::ContextPtr server_, client_;
};

std::vector<ExchangeEnd> allowed(const Sample& sample, std::size_t k, End end, bool tls) {
    const bool head_whole = k >= sample.head.size();
    const bool whole = k == sample.head.size() + sample.body.size();
    const bool proven_end =
        sample.until_close && head_whole && end == (tls ? End::close_notify : End::fin);
    if (end == End::reset) {
        // A reset may destroy what was on its way: complete or reset, and no third kind.
        if (whole && !sample.until_close) return {ExchangeEnd::complete, ExchangeEnd::reset};
        return {ExchangeEnd::reset};
    }
    if (proven_end || (whole && !sample.until_close)) return {ExchangeEnd::complete};
    return {ExchangeEnd::closed};
}

void sweep(const Sample& sample, End end, bool tls) {
    const auto whole = std::string{sample.head} + std::string{sample.body};
    Wire wire{tls};
    for (std::size_t k = 0; k <= whole.size(); ++k) {
        SCOPED_TRACE("after " + std::to_string(k) + " bytes");
        const auto got = wire.exchange(std::string_view{whole}.substr(0, k), end);
        const auto ends = allowed(sample, k, end, tls);
        EXPECT_NE(std::find(ends.begin(), ends.end(), got.seen.end), ends.end())
            << static_cast<int>(got.seen.end);
        EXPECT_EQ(got.seen.markers.response_complete, got.seen.end == ExchangeEnd::complete);
        EXPECT_TRUE(k >= sample.head.size() || !got.seen.head_parsed);
    }
}

class OverTheWire : public testing::TestWithParam<Sample> {};

TEST_P(OverTheWire, ClearFin) {
    sweep(GetParam(), End::fin, false);
}
TEST_P(OverTheWire, ClearReset) {
    sweep(GetParam(), End::reset, false);
}
TEST_P(OverTheWire, TlsCloseNotify) {
    sweep(GetParam(), End::close_notify, true);
}
TEST_P(OverTheWire, TlsBareFin) {
    sweep(GetParam(), End::fin, true);
}

INSTANTIATE_TEST_SUITE_P(Table, OverTheWire, testing::ValuesIn(samples),
                         [](const auto& param) { return std::string{param.param.name}; });

}  // namespace
}  // namespace sworn::http
