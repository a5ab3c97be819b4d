// The API over real sockets: a pair of them, one end served, the other one scripted.
#include <sys/socket.h>
#include <unistd.h>

#include "tests/proxy/control/control_rig.h"
#include "tests/support/loopback.h"
#include "tests/support/run_task.h"

namespace sworn::control {
namespace {

class Served {
public:
    /// Sends all that the peer says, ends its side, and serves until the connection is over.
    std::string exchange(std::string_view said, Door door = Door::unix_socket) {
        int ends[2] = {-1, -1};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        test::FarEnd peer{ends[1]};
        EXPECT_TRUE(peer.write(said));
        peer.fin();
        io::asio::generic::stream_protocol protocol{AF_UNIX, 0};
        Socket socket{thread.context.get_executor(), protocol, ends[0]};
        test::run(thread, serve_connection(std::move(socket), door, *rig.services));
        return peer.read_all();
    }

    io::ThreadContext thread;  // Outlives the rig's workers, which post to it.
    ControlRig rig;
};

std::string get(std::string_view target, std::string_view fields = {}) {
    return "GET " + std::string{target} + " HTTP/1.1\r\nHost: localhost\r\n" + std::string{fields} +
           "\r\n";
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (auto from = text.find(part); from != std::string_view::npos;
         from = text.find(part, from + part.size())) {
        ++found;
    }
    return found;
}

TEST(ControlServer, AnswersOneRequestAfterTheOtherOnOneConnection) {
    Served served;
    const auto said = served.exchange(get("/healthz") + get("/v1/nothing") + get("/readyz"));
    EXPECT_EQ(count(said, "HTTP/1.1 200 OK\r\n"), 2u);
    EXPECT_EQ(count(said, "HTTP/1.1 404 Not Found\r\n"), 1u);
    EXPECT_EQ(count(said, "Cache-Control: no-store\r\n"), 3u);
    EXPECT_EQ(count(said, "Connection: close"), 0u);
    EXPECT_NE(said.find("Content-Type: application/problem+json\r\n"), std::string::npos);
    EXPECT_TRUE(said.ends_with("{\"ready\":true}\n"));
}

TEST(ControlServer, ClosesWhenItIsAskedTo) {
    Served served;
    const auto said = served.exchange(get("/healthz", "Connection: close\r\n") + get("/readyz"));
    EXPECT_EQ(count(said, "HTTP/1.1 "), 1u);
    EXPECT_NE(said.find("Connection: close\r\n"), std::string::npos);
    const auto old = served.exchange("GET /healthz HTTP/1.0\r\n\r\n");
    EXPECT_EQ(count(old, "200 OK"), 1u);
    EXPECT_TRUE(old.ends_with("{\"status\":\"alive\"}\n"));
}

TEST(ControlServer, SendsTheStoredResultWithItsOwnType) {
    Served served;
    const auto action = served.rig.settled("line\n");
    const auto said = served.exchange(get(path_of(action->id, "result")));
    EXPECT_NE(said.find("Content-Type: text/plain\r\n"), std::string::npos);
    EXPECT_NE(said.find("Sworn-Result-Status: 200\r\n"), std::string::npos);
    EXPECT_NE(said.find("Content-Length: 5\r\n"), std::string::npos);
    EXPECT_TRUE(said.ends_with("\r\n\r\nline\n"));
}

TEST(ControlServer, AnswersHeadWithoutABody) {
    Served served;
    const auto said =
        served.exchange("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" + get("/readyz"));
    EXPECT_EQ(count(said, "HTTP/1.1 200 OK\r\n"), 2u);
    EXPECT_NE(said.find("Content-Length: 19\r\n"), std::string::npos);
    EXPECT_EQ(said.find("alive"), std::string::npos);
}

TEST(ControlServer, RecordsTheUserBehindAUnixSocket) {
    Served served;
    const auto action = served.rig.unknown();
    const std::string body = R"({"finding":"applied","by":"ops","reason":"seen"})";
    const auto said = served.exchange("POST " + path_of(action->id, "reconcile") +
                                      " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                                      std::to_string(body.size()) + "\r\n\r\n" + body);
    EXPECT_NE(said.find("200 OK"), std::string::npos);
    const auto want = "\"identity\":\"unix:" + std::to_string(::getuid()) + "\"";
    EXPECT_NE(said.find(want), std::string::npos) << said;
}

TEST(ControlServer, AsksForTheTokenOnTcp) {
    Served served;
    const std::string good = "Authorization: Bearer " + std::string{ControlRig::token} + "\r\n";
    EXPECT_EQ(count(served.exchange(get("/v1/routes"), Door::tcp), "401 Unauthorized"), 1u);
    EXPECT_EQ(count(served.exchange(get("/v1/routes", good), Door::tcp), "200 OK"), 1u);
    EXPECT_EQ(count(served.exchange(get("/metrics"), Door::metrics), "200 OK"), 1u);
}

TEST(ControlServer, StreamsAnExportInChunks) {
    Served served;
    const auto first = served.rig.settled();
    const auto second = served.rig.unknown();
    const auto said = served.exchange(get("/v1/journal/export") + get("/healthz"));
    EXPECT_NE(said.find("Transfer-Encoding: chunked\r\n"), std::string::npos);
    EXPECT_EQ(count(said, "\"type\":\"DISPATCH_STARTED\""), 2u);
    EXPECT_EQ(count(said, "\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n"), 1u);
    const auto old = served.exchange("GET /v1/journal/export HTTP/1.0\r\n\r\n");
    EXPECT_EQ(old.find("chunked"), std::string::npos);
    EXPECT_EQ(count(old, "\n{\"invocation_id\""), 14u);
}

TEST(ControlServer, BreaksAnExportOffWhereTheStoreFails) {
    Served served;
    const auto settled = served.rig.settled();
    served.rig.journal.disk->fail_reads(journal::Column::events);
    const auto said = served.exchange(get("/v1/journal/export") + get("/healthz"));
    EXPECT_EQ(count(said, "HTTP/1.1 "), 1u);
    EXPECT_FALSE(said.ends_with("0\r\n\r\n"));
}

TEST(ControlServer, RefusesWhatItCannotRead) {
    struct Row {
        const char* name;
        std::string said;
        const char* detail;
    };
    const Row table[] = {
        {"no HTTP", "hello\r\n\r\n", "not well-formed"},
        {"another version", "GET / HTTP/3.0\r\n\r\n", "not well-formed"},
        {"a long header", get("/", "X: " + std::string(70'000, 'x') + "\r\n"), "64 KiB"},
        {"a long body",
         "POST /v1/journal/verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048577\r\n\r\n",
         "1 MiB"},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.name);
        Served served;
        const auto said = served.exchange(row.said);
        EXPECT_TRUE(said.starts_with("HTTP/1.1 400 Bad Request\r\n")) << said;
        EXPECT_NE(said.find("Connection: close\r\n"), std::string::npos);
        EXPECT_NE(said.find("urn:sworn:control:bad_request"), std::string::npos);
        EXPECT_NE(said.find(row.detail), std::string::npos) << said;
    }
}

TEST(ControlServer, SaysNothingToWhoeverLeaves) {
    Served served;
    EXPECT_EQ(served.exchange(""), "");
    EXPECT_EQ(served.exchange("GET /healthz HT"), "");
    EXPECT_EQ(served.exchange("POST /v1/journal/verify HTTP/1.1\r\nContent-Length: 5\r\n\r\n{"),
              "");
}

}  // namespace
}  // namespace sworn::control
