// Delivery over real TCP, where the kernels' acknowledgements decide (contract section 7).
#include <future>

#include "proxy/http/event.h"
#include "proxy/io/tcp_stream.h"
#include "tests/proxy/http/session_fixture.h"
#include "tests/support/loopback.h"

namespace sworn::http {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view get_a = "GET http://a.test/a HTTP/1.1\r\nHost: a.test\r\n\r\n";
constexpr std::string_view last_b =
    "GET http://a.test/b HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n";
constexpr std::string_view answer_a = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/a";

struct Changed final : CallerListener {
    explicit Changed(io::ThreadContext& thread) : event{thread} {}
    void caller_changed(CallerState) noexcept override { event.set(); }
    Event event;
};

io::Task<void> answer_once_the_caller_has_left(FakeHandler&, CallerSide& side) {
    Changed changed{side.thread()};
    side.listen(&changed);
    if (side.state() == CallerState::present) co_await changed.event.wait();
    side.listen(nullptr);
    Answer answer;
    answer.head.status = 200;
    answer.head.reason = "OK";
    answer.body = "/a";
    const auto ticket = test::commit_ticket();
    static_cast<void>(co_await side.deliver(std::move(answer), ticket));
}

constexpr std::string_view hint = "HTTP/1.1 103 \r\n\r\n";

io::Task<void> hint_and_answer_once_the_caller_has_left(FakeHandler& handler, CallerSide& side) {
    static_cast<void>(co_await side.inform(103, Fields{}));
    co_await answer_once_the_caller_has_left(handler, side);
}

io::Task<void> serve(Connection& connection, io::StreamPtr stream) {
    co_await serve_connection(std::move(stream), connection.thread, connection.handler,
                              connection.settings, connection.workers);
}

/// Serves one TCP connection whose caller does what `caller` says.
Lines deliveries(void (*caller)(test::FarEnd&), FakeHandler::Serve how = nullptr) {
    Connection connection;
    connection.settings.value->timeouts.client_idle = std::chrono::seconds{10};
    connection.handler.serve = how;
    test::Listener listener;
    io::TcpSocket socket{connection.thread.context.get_executor()};
    socket.connect({io::asio::ip::address_v4::loopback(), listener.port()});
    auto far = listener.accept();
    auto peer = std::async(std::launch::async, [&] { caller(far); });
    test::drive(connection.thread,
                serve(connection, io::make_stream(connection.thread, std::move(socket))));
    peer.get();
    return connection.handler.deliveries.lines;
}

struct Story {
    std::string_view name;
    void (*caller)(test::FarEnd&);
    FakeHandler::Serve serve;
    Lines want;
};

const Story stories[] = {
    {"ReadsAndCloses",
     [](test::FarEnd& far) {
         far.write(get_a);
         far.read(answer_a.size());
         far.close();
     },
     nullptr,
     {"/a begins", "/a delivered closed"}},
    {"ReadsToOurEndAndCloses",
     [](test::FarEnd& far) {
         far.write(last_b);
         far.read_all();
         far.close();
     },
     nullptr,
     {"/b begins", "/b delivered closed"}},
    {"SendsTheNextRequest",
     [](test::FarEnd& far) {
         far.write(get_a);
         far.read(answer_a.size());
         far.write(last_b);
         far.read_all();
         far.close();
     },
     nullptr,
     {"/a begins", "/a delivered next_request", "/b begins", "/b delivered closed"}},
    {"ResetsAfterReading",
     [](test::FarEnd& far) {
         far.write(get_a);
         far.read(answer_a.size());
         far.reset();
     },
     nullptr,
     {"/a begins"}},
    {"HalfClosesBeforeAndReads",
     [](test::FarEnd& far) {
         far.write(get_a);
         far.fin();
         far.read_all();
         far.close();
     },
     answer_once_the_caller_has_left,
     {"/a begins"}},
    {"ClosesBeforeTheAnswer",
     [](test::FarEnd& far) {
         far.write(get_a);
         far.close();
     },
     answer_once_the_caller_has_left,
     {"/a begins", "/a failed unacknowledged"}},
    {"ResetsBeforeTheAnswer",
     [](test::FarEnd& far) {
         far.write(get_a);
         // What comes first says that the request was taken.
         far.read(hint.size());
         far.reset();
     },
     hint_and_answer_once_the_caller_has_left,
     {"/a begins", "/a failed not_written"}},
};

class DeliveredOverTcp : public testing::TestWithParam<Story> {};

TEST_P(DeliveredOverTcp, IsSaidOnlyWhereItIsProven) {
    const auto& story = GetParam();
    EXPECT_EQ(deliveries(story.caller, story.serve), story.want);
}

INSTANTIATE_TEST_SUITE_P(Table, DeliveredOverTcp, testing::ValuesIn(stories),
                         [](const auto& param) { return std::string{param.param.name}; });

}  // namespace
}  // namespace sworn::http
