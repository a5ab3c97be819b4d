#include "proxy/io/stream.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <vector>

#include "proxy/io/tcp_stream.h"
#include "tests/support/loopback.h"
#include "tests/support/run_task.h"

namespace sworn::io {
namespace {

using namespace std::chrono_literals;
using test::FarEnd;
using test::run;

/// A stream and the other end of its connection.
struct Pair {
    ThreadContext thread;
    test::Listener listener;
    StreamPtr stream;
    std::optional<FarEnd> far;

    Pair() {
        TcpSocket socket{thread.context.get_executor()};
        socket.connect({asio::ip::address_v4::loopback(), listener.port()});
        stream = make_stream(thread, std::move(socket));
        far.emplace(listener.accept());
    }
};

struct UnixPair {
    ThreadContext thread;
    StreamPtr stream;
    std::optional<FarEnd> far;

    UnixPair() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
        UnixSocket socket{thread.context.get_executor()};
        socket.assign(asio::local::stream_protocol{}, ends[0]);
        stream = make_stream(thread, std::move(socket));
        far.emplace(ends[1]);
    }
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

template <class Ends>
class PlainStream : public testing::Test {
public:
    Ends made;
};
using Carriers = testing::Types<Pair, UnixPair>;
TYPED_TEST_SUITE(PlainStream, Carriers);

TYPED_TEST(PlainStream, CarriesBytesBothWaysAndEndsInOrder) {
    TypeParam& ends = this->made;
    std::string got;
    const IoResult wrote = run(ends.thread, write_all(*ends.stream, {"head ", "", "body"}, 1s));
    EXPECT_TRUE(wrote.ok());
    EXPECT_EQ(wrote.bytes, 9U);
    EXPECT_EQ(ends.far->read(9), "head body");
    ASSERT_TRUE(ends.far->write("answer"));
    EXPECT_TRUE(run(ends.thread, read_into(*ends.stream, got, 1s)).ok());
    EXPECT_EQ(got, "answer");
    ends.far->fin();
    EXPECT_EQ(run(ends.thread, read_into(*ends.stream, got, 1s)).end, IoEnd::eof);
}

TYPED_TEST(PlainStream, HalfClosedStillReads) {
    TypeParam& ends = this->made;
    std::string got;
    run(ends.thread, ends.stream->shutdown_write());
    EXPECT_EQ(ends.far->read_all(), "");
    ASSERT_TRUE(ends.far->write("late answer"));
    EXPECT_TRUE(run(ends.thread, read_into(*ends.stream, got, 1s)).ok());
    EXPECT_EQ(got, "late answer");
}

TYPED_TEST(PlainStream, ASilentPeerTimesTheReadOut) {
    TypeParam& ends = this->made;
    std::string got;
    const auto from = std::chrono::steady_clock::now();
    EXPECT_EQ(run(ends.thread, read_into(*ends.stream, got, 60ms)).end, IoEnd::timed_out);
    EXPECT_GE(std::chrono::steady_clock::now() - from, 60ms);
}

TYPED_TEST(PlainStream, APeerThatTakesNothingTimesTheWriteOutAndTheBytesAreCounted) {
    TypeParam& ends = this->made;
    const std::string large(16U << 20, 'x');
    const IoResult wrote = run(ends.thread, write_all(*ends.stream, {"head", large}, 60ms));
    EXPECT_EQ(wrote.end, IoEnd::timed_out);
    EXPECT_GT(wrote.bytes, 4U);
    EXPECT_LT(wrote.bytes, large.size());
    EXPECT_GT(ends.stream->unacknowledged(), 0);
    ends.stream->close();
    EXPECT_EQ(ends.far->read_all().size(), wrote.bytes) << "no byte more or less than was counted";
}

TYPED_TEST(PlainStream, LooksWithoutTakingAnything) {
    TypeParam& ends = this->made;
    std::string got;
    EXPECT_EQ(ends.stream->look(), Stream::Look::quiet);
    ASSERT_TRUE(ends.far->write("x"));
    EXPECT_TRUE(run(ends.thread, ends.stream->wait_readable()).ok());
    EXPECT_EQ(ends.stream->look(), Stream::Look::bytes);
    EXPECT_TRUE(run(ends.thread, read_into(*ends.stream, got, 1s)).ok());
    EXPECT_EQ(got, "x");
    ends.far->fin();
    EXPECT_TRUE(run(ends.thread, ends.stream->wait_readable()).ok());
    EXPECT_EQ(ends.stream->look(), Stream::Look::eof);
    ends.stream->close();
    EXPECT_EQ(ends.stream->look(), Stream::Look::reset);
    EXPECT_FALSE(ends.stream->is_open());
}

TYPED_TEST(PlainStream, CancelEndsThePendingReadAndItsWait) {
    TypeParam& ends = this->made;
    std::string got;
    test::Running<IoResult> read{ends.thread, read_into(*ends.stream, got, 0ms)};
    test::Running<IoResult> wait{ends.thread, ends.stream->wait_readable()};
    ends.thread.context.poll();
    ends.stream->cancel();
    EXPECT_EQ(read.wait_for().end, IoEnd::cancelled);
    EXPECT_EQ(wait.wait_for().end, IoEnd::cancelled);
}

TYPED_TEST(PlainStream, CancelWaitSparesThePendingRead) {
    TypeParam& ends = this->made;
    std::string got;
    test::Running<IoResult> wait{ends.thread, ends.stream->wait_readable()};
    test::Running<IoResult> read{ends.thread, read_into(*ends.stream, got, 0ms)};
    ends.thread.context.poll();
    ends.stream->cancel_wait();
    EXPECT_EQ(wait.wait_for().end, IoEnd::cancelled);
    EXPECT_FALSE(read.done());
    ASSERT_TRUE(ends.far->write("still here"));
    EXPECT_TRUE(read.wait_for().ok());
    EXPECT_EQ(got, "still here");
}

Task<bool> first_is_the_read(Stream& stream, std::string& got) {
    using namespace asio::experimental::awaitable_operators;
    const auto first = co_await (read_into(stream, got, 0ms) || stream.wait_readable());
    co_return first.index() == 0;
}

TEST(Stream, AWaitThatLosesARaceIsCancelledWithIt) {
    Pair ends;
    std::string got;
    test::Running<bool> race{ends.thread, first_is_the_read(*ends.stream, got)};
    ends.thread.context.poll();
    ASSERT_TRUE(ends.far->write("bytes"));
    race.wait_for();  // Either side may win: both saw the bytes. That it ends is the point.
    ASSERT_TRUE(ends.far->write("more"));
    EXPECT_TRUE(run(ends.thread, ends.stream->wait_readable()).ok()) << "the next wait works";
}

TEST(Stream, APeersResetIsSeenByReadLookAndWrite) {
    Pair ends;
    std::string got;
    ASSERT_TRUE(run(ends.thread, write_all(*ends.stream, {"x"}, 1s)).ok());
    EXPECT_EQ(ends.far->read(1), "x");
    ends.far->reset();
    EXPECT_TRUE(run(ends.thread, ends.stream->wait_readable()).ok());
    EXPECT_EQ(ends.stream->look(), Stream::Look::reset);
    EXPECT_EQ(run(ends.thread, write_all(*ends.stream, {"y"}, 1s)).end, IoEnd::reset);
    EXPECT_NE(run(ends.thread, read_into(*ends.stream, got, 1s)).end, IoEnd::ok);
}

TEST(Stream, ResetReachesThePeerAsAReset) {
    Pair ends;
    ends.stream->reset();
    char byte = 0;
    EXPECT_EQ(::recv(ends.far->descriptor(), &byte, 1, 0), -1);
    EXPECT_EQ(errno, ECONNRESET);
}

TEST(Stream, NamesItsPeer) {
    Pair tcp;
    EXPECT_EQ(tcp.stream->peer_address(), "127.0.0.1:" + std::to_string(tcp.listener.port()));
    EXPECT_EQ(UnixPair{}.stream->peer_address(), "unix");
}

}  // namespace
}  // namespace sworn::io
