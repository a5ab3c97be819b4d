// What confirms a delivery and what does not (contract section 7), on a scripted stream.
#include "tests/proxy/http/session_fixture.h"

namespace sworn::http {
namespace {

const std::string get_a = "GET http://a.test/a HTTP/1.1\r\nHost: a.test\r\n\r\n";
const std::string head_a = "HEAD http://a.test/a HTTP/1.1\r\nHost: a.test\r\n\r\n";
const std::string last_a =
    "GET http://a.test/a HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n";

io::Task<void> stream_as(CallerSide& side, BodyFraming framing) {
    ResponseHead head;
    head.status = 200;
    head.reason = "X";
    static_cast<void>(co_await side.begin(head, framing));
    static_cast<void>(co_await side.part("hel"));
    static_cast<void>(co_await side.part("lo"));
    const auto ticket = test::commit_ticket();
    static_cast<void>(co_await side.finish(ticket));
}
io::Task<void> stream_length(FakeHandler&, CallerSide& side) {
    const BodyFraming framing{BodyFraming::Kind::length, 5};
    co_await stream_as(side, framing);
}
io::Task<void> stream_chunked(FakeHandler&, CallerSide& side) {
    const BodyFraming framing{BodyFraming::Kind::chunked, 0};
    co_await stream_as(side, framing);
}

using Lines = std::vector<std::string>;

TEST(Delivered, ByTheNextRequestOnTheConnection) {
    Connection connection;
    int rounds = 0;
    connection.caller->on_write = [&] {
        if (++rounds == 1) connection.caller->push(head_a);
    };
    connection.run(get_a);
    // The second one is confirmed by the caller's FIN after our idle close.
    const Lines want{"/a begins", "/a delivered next_request", "/a begins", "/a delivered closed"};
    EXPECT_EQ(connection.handler.deliveries.lines, want);
}

TEST(Delivered, ByTheCallersFinAfterTheAnswer) {
    Connection connection;
    connection.caller->on_write = [&] { connection.caller->end(io::IoEnd::eof); };
    connection.run(get_a);
    const Lines want{"/a begins", "/a delivered closed"};
    EXPECT_EQ(connection.handler.deliveries.lines, want);
}

TEST(Delivered, ByTheCallersFinAfterOurs) {
    Connection connection;
    connection.caller->unacked = 1;  // Our FIN.
    connection.run(last_a);
    const Lines want{"/a begins", "/a delivered closed"};
    EXPECT_EQ(connection.handler.deliveries.lines, want);
}

TEST(Delivered, NotByAPipelinedRequestThatWasThereBefore) {
    Connection connection;
    connection.caller->on_fin = [&] { connection.caller->end(io::IoEnd::reset); };
    connection.run(get_a + get_a);
    const Lines want{"/a begins", "/a begins"};
    EXPECT_EQ(connection.handler.deliveries.lines, want);
}

TEST(Delivered, AllTogetherByWhatComesAfterTheLast) {
    Connection connection;
    int rounds = 0;
    connection.caller->on_write = [&] {
        if (++rounds == 2) connection.caller->end(io::IoEnd::eof);
    };
    connection.run(get_a + get_a);
    const Lines want{"/a begins", "/a begins", "/a delivered closed", "/a delivered closed"};
    EXPECT_EQ(connection.handler.deliveries.lines, want);
}

TEST(Delivered, NotByAFinWhileBytesAreUnacknowledged) {
    Connection connection;
    connection.caller->on_write = [&] {
        connection.caller->unacked = 3;
        connection.caller->end(io::IoEnd::eof);
    };
    connection.caller->on_fin = [&] { connection.caller->unacked = 0; };
    connection.run(get_a);
    EXPECT_EQ(connection.handler.deliveries.lines, Lines{"/a begins"});
}

TEST(Delivered, FailsWhenTheConnectionEndsWithBytesUnacknowledged) {
    Connection connection;
    connection.caller->on_write = [&] {
        connection.caller->unacked = 3;
        connection.caller->end(io::IoEnd::reset);
    };
    connection.run(get_a);
    const Lines want{"/a begins", "/a failed unacknowledged"};
    EXPECT_EQ(connection.handler.deliveries.lines, want);
}

TEST(Delivered, NeitherByAResetAfterEverythingWasAcknowledged) {
    Connection connection;
    connection.caller->on_write = [&] { connection.caller->end(io::IoEnd::reset); };
    connection.run(get_a);
    EXPECT_EQ(connection.handler.deliveries.lines, Lines{"/a begins"});
}

TEST(Delivered, FailsWhenTheAnswerCannotBeWritten) {
    Connection connection;
    connection.caller->fail_writes_after(10, io::IoEnd::reset);
    connection.run(get_a);
    const Lines want{"/a begins", "/a failed write_failed"};
    EXPECT_EQ(connection.handler.deliveries.lines, want);
}

/// Walk 4: the caller leaves after the last body byte, before the last chunk.
struct LastChunkLost {
    std::string_view name;
    int unacked;
    Lines want;
};
const LastChunkLost last_chunk_lost[] = {
    {"AllBodyBytesAcknowledged", 0, {"/a begins"}},
    {"BodyBytesMissing", 3, {"/a begins", "/a failed unacknowledged"}},
};

TEST(Delivered, NeitherWhenOnlyTheLastChunkIsMissing) {
    constexpr std::string_view up_to_body =
        "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n";
    for (const auto& row : last_chunk_lost) {
        SCOPED_TRACE(row.name);
        Connection connection;
        connection.caller->unacked = row.unacked;
        connection.caller->fail_writes_after(up_to_body.size(), io::IoEnd::reset);
        connection.handler.serve = stream_chunked;
        connection.run(get_a);
        EXPECT_EQ(connection.out, up_to_body);
        EXPECT_EQ(connection.handler.deliveries.lines, row.want);
    }
}

TEST(Delivered, FailsWhenABodyByteIsMissing) {
    Connection connection;
    connection.caller->fail_writes_after(60, io::IoEnd::reset);
    connection.handler.serve = stream_length;
    connection.run(get_a);
    const Lines want{"/a begins", "/a delivered closed"};
    EXPECT_EQ(connection.handler.deliveries.lines, want);
    Connection shorter;
    shorter.caller->fail_writes_after(41, io::IoEnd::reset);
    shorter.handler.serve = stream_length;
    shorter.run(get_a);
    const Lines lost{"/a begins", "/a failed write_failed"};
    EXPECT_EQ(shorter.handler.deliveries.lines, lost);
}

/// Walk 6: a FIN before the answer confirms nothing, whatever is acknowledged afterwards.
TEST(Delivered, NotByAFinBeforeTheAnswer) {
    Connection connection;
    connection.caller->push(get_a);
    connection.caller->end(io::IoEnd::eof);
    connection.run();
    EXPECT_EQ(status_of(connection.out), 200);
    EXPECT_EQ(connection.handler.deliveries.lines, Lines{"/a begins"});
}

TEST(Delivered, FailsForACallerThatHadClosedAndThenResets) {
    Connection connection;
    connection.caller->push(get_a);
    connection.caller->end(io::IoEnd::eof);
    connection.caller->on_write = [&] {
        connection.caller->unacked = 40;
        connection.caller->end(io::IoEnd::reset);
    };
    connection.run();
    const Lines want{"/a begins", "/a failed unacknowledged"};
    EXPECT_EQ(connection.handler.deliveries.lines, want);
}

}  // namespace
}  // namespace sworn::http
