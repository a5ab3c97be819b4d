// How answers leave a session, and how its caller is watched meanwhile.
#include "proxy/http/event.h"
#include "proxy/http/response_writer.h"
#include "tests/proxy/http/session_fixture.h"

namespace sworn::http {
namespace {

std::string request(std::string_view method, std::string_view more = "",
                    std::string_view version = "1.1") {
    return std::string{method} + " http://a.test/a HTTP/" + std::string{version} +
           "\r\nHost: a.test\r\n" + std::string{more} + "\r\n";
}
const std::string get_a = request("GET");

Answer answer_of(int status, std::string body) {
    Answer answer;
    answer.head.status = status;
    answer.head.reason = "X";
    answer.body = std::move(body);
    return answer;
}

TEST(Answer, DropsHopByHopAndFramingFieldsButNotOurOwnWords) {
    Answer answer = answer_of(200, "hello");
    answer.head.fields = {{"Connection", "X-Hop, Sworn-Outcome, keep-alive"},
                          {"X-Hop", "1"},
                          {"Sworn-Outcome", "committed"},
                          {"Keep-Alive", "max=1"},
                          {"Transfer-Encoding", "chunked"},
                          {"Content-Length", "99"},
                          {"Trailer", "T"},
                          {"Upgrade", "h2c"},
                          {"Proxy-Authenticate", "Basic"},
                          {"Date", "today"}};
    const auto head = encode_response_head(answer.head, {BodyFraming::Kind::length, 5}, {"GET", 1});
    EXPECT_EQ(head,
              "HTTP/1.1 200 X\r\nSworn-Outcome: committed\r\nProxy-Authenticate: Basic\r\nDate: "
              "today\r\nContent-Length: 5\r\n\r\n");
}

struct Framed {
    std::string_view name, method;
    int status;
    std::string_view length_field;
    std::string_view body;
    std::string_view want;  ///< After the status line.
};

constexpr Framed framed[] = {
    {"Get", "GET", 200, "", "hello", "Content-Length: 5\r\n\r\nhello"},
    {"Empty", "GET", 200, "", "", "Content-Length: 0\r\n\r\n"},
    {"HeadOfARemote", "HEAD", 200, "77", "", "Content-Length: 77\r\n\r\n"},
    {"HeadOfOurs", "HEAD", 403, "", "hello", "Content-Length: 5\r\n\r\n"},
    {"NoContent", "GET", 204, "7", "", "\r\n"},
    {"NotModified", "GET", 304, "7", "", "Content-Length: 7\r\n\r\n"},
    {"NotModifiedWithout", "GET", 304, "", "", "\r\n"},
};

const Framed* current_framing = nullptr;

io::Task<void> serve_framed(FakeHandler&, CallerSide& side) {
    Answer answer = answer_of(current_framing->status, std::string{current_framing->body});
    if (!current_framing->length_field.empty()) {
        answer.head.fields.emplace_back("content-length", current_framing->length_field);
    }
    const auto ticket = test::commit_ticket();
    static_cast<void>(co_await side.deliver(std::move(answer), ticket));
}

TEST(Answer, IsFramedByMethodAndStatus) {
    for (const auto& row : framed) {
        SCOPED_TRACE(row.name);
        current_framing = &row;
        Connection connection;
        connection.handler.serve = serve_framed;
        const auto out = connection.run(request(row.method));
        EXPECT_EQ(out, "HTTP/1.1 " + std::to_string(row.status) + " X\r\n" + std::string{row.want});
    }
}

/// The bytes out before the commit; then the commit.
std::string before_commit;

io::Task<void> stream_as(CallerSide& side, BodyFraming framing, std::vector<std::string_view> parts,
                         test::MemoryStream& caller) {
    ResponseHead head;
    head.status = 200;
    head.reason = "X";
    static_cast<void>(co_await side.begin(head, framing));
    for (const auto part : parts)
        static_cast<void>(co_await side.part(part));
    before_commit = caller.written;
    const auto ticket = test::commit_ticket();
    static_cast<void>(co_await side.finish(ticket));
}

test::MemoryStream* current_caller = nullptr;

io::Task<void> stream_length(FakeHandler&, CallerSide& side) {
    std::vector<std::string_view> parts{"hel", "lo"};
    const BodyFraming framing{BodyFraming::Kind::length, 5};
    co_await stream_as(side, framing, std::move(parts), *current_caller);
}
io::Task<void> stream_chunked(FakeHandler&, CallerSide& side) {
    std::vector<std::string_view> parts{"hel", "", "lo"};
    const BodyFraming framing{BodyFraming::Kind::chunked, 0};
    co_await stream_as(side, framing, std::move(parts), *current_caller);
}
io::Task<void> stream_until_close(FakeHandler&, CallerSide& side) {
    std::vector<std::string_view> parts{"hello"};
    const BodyFraming framing{BodyFraming::Kind::until_close, 0};
    co_await stream_as(side, framing, std::move(parts), *current_caller);
}
io::Task<void> stream_nothing(FakeHandler&, CallerSide& side) {
    std::vector<std::string_view> parts;
    const BodyFraming framing{BodyFraming::Kind::length, 0};
    co_await stream_as(side, framing, std::move(parts), *current_caller);
}
io::Task<void> stream_short(FakeHandler&, CallerSide& side) {
    std::vector<std::string_view> parts{"hel"};
    const BodyFraming framing{BodyFraming::Kind::length, 5};
    co_await stream_as(side, framing, std::move(parts), *current_caller);
}

struct Streamed {
    std::string_view name;
    FakeHandler::Serve serve;
    std::string_view before, whole;
    std::string_view method = "GET";
    bool reset = false;
};

const Streamed streamed[] = {
    {"LengthHoldsBackItsLastByte", stream_length, "HTTP/1.1 200 X\r\nContent-Length: 5\r\n\r\nhell",
     "HTTP/1.1 200 X\r\nContent-Length: 5\r\n\r\nhello"},
    {"ChunkedHoldsBackItsLastChunk", stream_chunked,
     "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n",
     "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"},
    {"UntilCloseIsChunked", stream_until_close,
     "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
     "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"},
    {"WithoutABodyTheHeadWaits", stream_nothing, "", "HTTP/1.1 200 X\r\nContent-Length: 0\r\n\r\n"},
    {"HeadRequestTheHeadWaits", stream_length, "", "HTTP/1.1 200 X\r\nContent-Length: 5\r\n\r\n",
     "HEAD"},
    {"ShortOfItsLengthIsCut", stream_short, "HTTP/1.1 200 X\r\nContent-Length: 5\r\n\r\nhel",
     "HTTP/1.1 200 X\r\nContent-Length: 5\r\n\r\nhel", "GET", true},
};

TEST(Streaming, EndsOnlyAgainstTheTicket) {
    for (const auto& row : streamed) {
        SCOPED_TRACE(row.name);
        Connection connection;
        current_caller = connection.caller;
        connection.handler.serve = row.serve;
        const auto out = connection.run(request(row.method));
        EXPECT_EQ(before_commit, row.before);
        EXPECT_EQ(out, row.whole);
        EXPECT_EQ(connection.was_reset, row.reset);
    }
}

TEST(Streaming, Http10CallerGetsNoChunksButACut) {
    Connection connection;
    current_caller = connection.caller;
    connection.handler.serve = stream_chunked;
    EXPECT_EQ(connection.run(request("GET", "", "1.0")), "");
    EXPECT_TRUE(connection.was_reset);
}

io::Task<void> inform_then_answer(FakeHandler&, CallerSide& side) {
    static_cast<void>(co_await side.inform(100, Fields{}));
    const Fields hints{{"Link", "</a>"}, {"Content-Length", "5"}};
    static_cast<void>(co_await side.inform(103, hints));
    static_cast<void>(co_await side.inform(101, Fields{}));
    static_cast<void>(co_await side.answer(answer_of(200, "x")));
}

TEST(Informational, IsPassedOnButNotToHttp10AndNeverASwitch) {
    Connection connection;
    connection.handler.serve = inform_then_answer;
    const auto out = connection.run(get_a);
    EXPECT_TRUE(out.starts_with("HTTP/1.1 103 \r\nLink: </a>\r\n\r\nHTTP/1.1 200 X\r\n")) << out;
    Connection old;
    old.handler.serve = inform_then_answer;
    EXPECT_TRUE(old.run(request("GET", "", "1.0")).starts_with("HTTP/1.1 200 X\r\n"));
}

io::Task<void> say_nothing(FakeHandler&, CallerSide&) {
    co_return;
}

io::Task<void> cut_and_go_on(FakeHandler&, CallerSide& side) {
    side.cut();
    TimedEvent moment{side.thread()};
    static_cast<void>(co_await moment.wait(std::chrono::milliseconds{1}));
    const bool written = co_await side.answer(answer_of(200, "too late"));
    EXPECT_FALSE(written);
}

TEST(Session, WritesAfterACutAreNothing) {
    Connection connection;
    connection.handler.serve = cut_and_go_on;
    EXPECT_EQ(connection.run(get_a), "");
    EXPECT_TRUE(connection.was_reset);
}

TEST(Session, CutsACallerThatItsHandlerLeftWithoutAnEnd) {
    Connection connection;
    connection.handler.serve = say_nothing;
    EXPECT_EQ(connection.run(get_a), "");
    EXPECT_TRUE(connection.was_reset);
    const std::vector<std::string> want{"/a begins", "/a failed not_written"};
    EXPECT_EQ(connection.handler.deliveries.lines, want);
}

// Watching.

struct Listening final : CallerListener {
    explicit Listening(io::ThreadContext& thread) : changed{thread} {}
    void caller_changed(CallerState state) noexcept override {
        states.push_back(state);
        if (states.size() == wanted) changed.set();
    }
    std::vector<CallerState> states;
    std::size_t wanted = 1;
    Event changed;
};
std::vector<CallerState> states_seen;
io::IoEnd how_it_leaves = io::IoEnd::eof;

io::Task<void> wait_for_a_change(FakeHandler&, CallerSide& side) {
    Listening listening{side.thread()};
    side.listen(&listening);
    current_caller->end(how_it_leaves);
    co_await listening.changed.wait();
    side.listen(nullptr);
    states_seen = listening.states;
    static_cast<void>(co_await side.answer(answer_of(200, "late")));
}

TEST(Watch, HalfCloseIsNoticedAndTheAnswerStillGoesOut) {
    Connection connection;
    current_caller = connection.caller;
    how_it_leaves = io::IoEnd::eof;
    connection.handler.serve = wait_for_a_change;
    const auto out = connection.run(get_a);
    const std::vector<CallerState> want{CallerState::half_closed};
    EXPECT_EQ(states_seen, want);
    EXPECT_TRUE(out.ends_with("late")) << out;
}

TEST(Watch, ResetIsNoticedAndWritesBecomeNothing) {
    Connection connection;
    current_caller = connection.caller;
    how_it_leaves = io::IoEnd::reset;
    connection.handler.serve = wait_for_a_change;
    EXPECT_EQ(connection.run(get_a), "");
    const std::vector<CallerState> want{CallerState::gone};
    EXPECT_EQ(states_seen, want);
    EXPECT_EQ(connection.handler.state_at_end, CallerState::gone);
}

io::Task<void> half_close_then_reset(FakeHandler&, CallerSide& side) {
    Listening listening{side.thread()};
    listening.wanted = 2;
    side.listen(&listening);
    current_caller->end(io::IoEnd::eof);
    TimedEvent moment{side.thread()};
    static_cast<void>(co_await moment.wait(std::chrono::milliseconds{1}));
    current_caller->end(io::IoEnd::reset);
    co_await listening.changed.wait();
    side.listen(nullptr);
    states_seen = listening.states;
}

TEST(Watch, ResetAfterAHalfCloseIsNoticed) {
    Connection connection;
    current_caller = connection.caller;
    connection.handler.serve = half_close_then_reset;
    connection.run(get_a);
    const std::vector<CallerState> want{CallerState::half_closed, CallerState::gone};
    EXPECT_EQ(states_seen, want);
}

}  // namespace
}  // namespace sworn::http
