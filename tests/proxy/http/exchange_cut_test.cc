// Table U, every-byte-cut: a response of n bytes ends after k = 0..n by FIN, by FIN without
// close_notify, by RST and by silence. Only what its framing proves complete may be complete.
#include <vector>

#include "tests/proxy/http/exchange_fixture.h"

namespace sworn::http {
namespace {

using contract::ExchangeEnd;

struct Sample {
    std::string_view name;
    std::string_view head, body;
    std::string_view method = "GET";
    bool until_close = false;
};

constexpr Sample samples[] = {
    {"ContentLength", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "hello"},
    {"Chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
     "3;x\r\nhel\r\n2\r\nlo\r\n0\r\nT: v\r\n\r\n"},
    {"NoContent", "HTTP/1.1 204 No Content\r\n\r\n", ""},
    {"Head", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "", "HEAD"},
    {"NotModified", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", ""},
    {"EmptyLength", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""},
    {"UntilClose", "HTTP/1.1 200 OK\r\n\r\n", "hello", "GET", true},
    {"Http10", "HTTP/1.0 200 OK\r\n\r\n", "hello", "GET", true},
    {"AfterInformational",
     "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
     "hello"},
};

enum class Cut : std::uint8_t { fin, truncated, reset, silence };

ExchangeEnd expected_end(const Sample& sample, std::size_t k, Cut cut) {
    const bool head_whole = k >= sample.head.size();
    const bool whole = k == sample.head.size() + sample.body.size();
    if (whole && !sample.until_close) return ExchangeEnd::complete;
    switch (cut) {
        case Cut::fin:
            return head_whole && sample.until_close ? ExchangeEnd::complete : ExchangeEnd::closed;
        case Cut::truncated:
            return ExchangeEnd::closed;
        case Cut::reset:
            return ExchangeEnd::reset;
        case Cut::silence:
            return head_whole ? ExchangeEnd::idle_timeout : ExchangeEnd::header_timeout;
    }
    return ExchangeEnd::closed;
}

void play(test::MemoryStream& stream, std::string_view bytes, Cut cut) {
    stream.push(bytes);
    switch (cut) {
        case Cut::fin:
            return stream.end(io::IoEnd::eof);
        case Cut::truncated:
            return stream.end(io::IoEnd::truncated);
        case Cut::reset:
            return stream.end(io::IoEnd::reset);
        case Cut::silence:
            return;
    }
}

void expect_outcome(const Sample& sample, std::size_t k, Cut cut, const Outcome& got) {
    const auto end = expected_end(sample, k, cut);
    const bool head_whole = k >= sample.head.size();
    EXPECT_EQ(got.seen.end, end);
    EXPECT_EQ(got.seen.head_parsed, head_whole);
    EXPECT_EQ(got.seen.markers.response_headers_received, head_whole);
    EXPECT_EQ(got.seen.markers.response_complete, end == ExchangeEnd::complete);
    EXPECT_EQ(got.seen.markers.request_headers_sent, true);
    EXPECT_EQ(got.seen.markers.request_body_sent, true);
    EXPECT_EQ(got.seen.markers.handed_over, true);
    EXPECT_EQ(got.seen.status, head_whole ? got.seen.status : 0);
    if (end == ExchangeEnd::complete && !sample.until_close && sample.body.size() > 0) {
        EXPECT_EQ(got.body, "hello");
    }
    EXPECT_EQ(got.seen.body_bytes, got.body.size());
    EXPECT_EQ(got.reusable, end == ExchangeEnd::complete && !sample.until_close);
}

class EveryByteCut : public testing::TestWithParam<Sample> {};

TEST_P(EveryByteCut, OnlyTheWholeMessageIsComplete) {
    const auto& sample = GetParam();
    const auto whole = std::string{sample.head} + std::string{sample.body};
    Bench bench;
    // All at once, so that the silent ones wait together.
    std::vector<std::unique_ptr<Script>> scripts;
    constexpr Cut cuts[] = {Cut::fin, Cut::truncated, Cut::reset, Cut::silence};
    for (std::size_t k = 0; k <= whole.size(); ++k) {
        for (const Cut cut : cuts) {
            auto script = std::make_unique<Script>(bench.thread);
            script->method = sample.method;
            script->stream->read_max = k % 3 == 0 ? 1 : 1000;
            play(*script->stream, std::string_view{whole}.substr(0, k), cut);
            test::spawn(bench.thread, script->go(bench.workers));
            scripts.push_back(std::move(script));
        }
    }
    test::drive(bench.thread);
    for (std::size_t i = 0; i < scripts.size(); ++i) {
        SCOPED_TRACE("after " + std::to_string(i / 4) + " bytes, cut " + std::to_string(i % 4));
        expect_outcome(sample, i / 4, cuts[i % 4], scripts[i]->outcome);
    }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryByteCut, testing::ValuesIn(samples),
                         [](const auto& param) { return std::string{param.param.name}; });

}  // namespace
}  // namespace sworn::http
