// How a response reaches its caller: held whole or streamed, with its end behind the commit, and
// with every echo of the secret masked.
#include <gtest/gtest.h>

#include "tests/support/broker_rig.h"

namespace sworn::test {
namespace {

constexpr const char* settled = "result_delivery committed never null";
const std::string secret{rig_secret};
const std::string stars(secret.size(), '*');

std::string http10(std::string_view fields = "") {
    auto bytes = get(fields);
    return bytes.replace(bytes.find("HTTP/1.1"), 8, "HTTP/1.0");
}

std::string counted(std::size_t bytes) {
    std::string text;
    for (int i = 0; text.size() < bytes; ++i)
        text += std::to_string(i) + ",";
    return text.substr(0, bytes);
}

TEST(Streaming, TheLastByteWaitsForTheCommit) {
    BrokerRig rig;
    Gate rest, committed, reached;
    const auto body = counted(200'000);
    rig.upstream.will(
        Reply{}
            .send("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n" + body.substr(0, 100))
            .wait(rest)
            .send(body.substr(100)));
    auto caller = rig.caller();
    EXPECT_TRUE(caller.send(post()).read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
    rig.hold_syncs(committed, reached);
    rest.open();
    reached.wait();
    EXPECT_EQ(caller.read(199'999), body.substr(0, 199'999));
    EXPECT_FALSE(caller.has_bytes());
    committed.open();
    EXPECT_EQ(caller.read(1), body.substr(199'999));
}

TEST(Streaming, TheLastChunkWaitsForTheCommit) {
    BrokerRig rig;
    Gate rest, committed, reached;
    rig.upstream.will(chunked(200, "Content-Type: text/event-stream\r\n")
                          .send(chunk("data: 1\n\n"))
                          .wait(rest)
                          .send(chunk("data: 2\n\n"))
                          .send(std::string{last_chunk}));
    auto caller = rig.caller();
    EXPECT_TRUE(caller.send(post()).read_until("data: 1\n\n\r\n").ends_with("data: 1\n\n\r\n"));
    rig.hold_syncs(committed, reached);
    rest.open();
    reached.wait();
    EXPECT_EQ(caller.read_until("data: 2\n\n\r\n"), "9\r\ndata: 2\n\n\r\n");
    EXPECT_FALSE(caller.has_bytes());
    committed.open();
    EXPECT_EQ(caller.read(last_chunk.size()), last_chunk);
}

TEST(Streaming, ASmallAnswerWaitsWholeForTheCommit) {
    BrokerRig rig;
    Gate answers, committed, reached;
    rig.upstream.will(
        Reply{}.wait(answers).send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npaid"));
    auto caller = rig.caller();
    caller.send(post());
    rig.upstream.wait_for_requests(1);
    rig.hold_syncs(committed, reached);
    answers.open();
    reached.wait();
    EXPECT_FALSE(caller.has_bytes());
    committed.open();
    EXPECT_EQ(caller.read_response().body, "paid");
}

TEST(Streaming, AShortChunkedAnswerIsHeldAndGetsALength) {
    BrokerRig rig;
    rig.upstream.will(
        chunked(200).send(chunk("one ")).send(chunk("two")).send(std::string{last_chunk}));
    const auto response = rig.ask(post());
    EXPECT_EQ(response.body, "one two");
    EXPECT_EQ(response.field("Content-Length"), "7");
    EXPECT_TRUE(response.has("Sworn-Outcome"));
    EXPECT_EQ(rig.stored_body(response.id()), "one two");
}

TEST(Streaming, AChunkedAnswerThatTakesItsTimeIsHandedOnMeanwhile) {
    BrokerRig rig;
    Gate seen;
    rig.upstream.will(chunked(200)
                          .send(chunk("one "))
                          .wait(seen)
                          .send(chunk("two"))
                          .send(std::string{last_chunk}));
    auto caller = rig.caller();
    const auto begin = caller.send(post()).read_until("one \r\n");
    EXPECT_EQ(begin.find("Sworn-Outcome"), std::string::npos);
    EXPECT_NE(begin.find("Sworn-Invocation: "), std::string::npos);
    EXPECT_NE(begin.find("Transfer-Encoding: chunked"), std::string::npos);
    seen.open();
    EXPECT_EQ(caller.read_until("0\r\n\r\n"), "3\r\ntwo\r\n0\r\n\r\n");
    const auto id = rig.newest_of(1);
    EXPECT_EQ(rig.stored_body(id), "one two");
    EXPECT_EQ(rig.state(id), settled);
}

TEST(Streaming, AChunkedErrorIsHeldHoweverLongItTakes) {
    BrokerRig rig;
    Gate later;
    rig.upstream.will(chunked(500)
                          .send(chunk("one "))
                          .wait(later)
                          .send(chunk("two"))
                          .send(std::string{last_chunk}));
    auto caller = rig.caller();
    caller.send(post());
    const auto id = rig.newest_of(1);
    rig.upstream.wait_for_requests(1);
    later.open();
    const auto response = caller.read_response();
    EXPECT_EQ(response.field("Content-Length"), "7");
    EXPECT_EQ(response.field("X-Should-Retry"), "false");
}

TEST(Streaming, AnEventStreamIsHandedOnAtOnce) {
    for (const auto* const type : {"text/event-stream", "Application/X-NDJSON; charset=utf-8"}) {
        BrokerRig rig;
        Gate seen;
        rig.upstream.will(chunked(200, "Content-Type: " + std::string{type} + "\r\n")
                              .send(chunk("data: 1\n\n"))
                              .wait(seen)
                              .send(std::string{last_chunk}));
        auto caller = rig.caller();
        EXPECT_TRUE(caller.send(post()).read_until("data: 1\n\n").ends_with("data: 1\n\n"));
        seen.open();
        EXPECT_TRUE(caller.read_until("0\r\n\r\n").ends_with("0\r\n\r\n"));
    }
}

TEST(Streaming, ALargeErrorSaysInItsHeadThatItMustNotBeRepeated) {
    struct Case {
        int status;
        bool signs;
    };
    for (const auto& one : {Case{500, true}, Case{503, true}, Case{504, true}, Case{404, false}}) {
        SCOPED_TRACE(one.status);
        BrokerRig rig;
        rig.upstream.will(answer(one.status, counted(100'000), "Retry-After: 2\r\n"));
        const auto response = rig.ask(post());
        EXPECT_EQ(response.body.size(), 100'000U);
        EXPECT_EQ(response.field("X-Should-Retry"), one.signs ? "false" : "");
        EXPECT_EQ(response.field("Retry-After"), one.signs ? "" : "2");
    }
}

TEST(Streaming, AnHttp10CallerGetsAChunkedAnswerWithALength) {
    for (const std::size_t bytes : {100U, 65'536U, 200'000U}) {
        BrokerRig rig;
        const auto body = counted(bytes);
        rig.upstream.will(chunked(200, "Content-Type: text/event-stream\r\n")
                              .send(chunk(body.substr(0, 50)))
                              .send(chunk(body.substr(50)))
                              .send(std::string{last_chunk}));
        const auto response = rig.ask(http10());
        EXPECT_TRUE(response.complete);
        EXPECT_EQ(response.field("Content-Length"), std::to_string(bytes));
        EXPECT_FALSE(response.has("Transfer-Encoding"));
        EXPECT_TRUE(response.has("Sworn-Outcome"));
        EXPECT_EQ(response.body, body);
    }
}

TEST(Streaming, AnHttp10CallerGetsAnEnvelopeWhereAChunkedAnswerIsCut) {
    for (const std::size_t bytes : {100U, 200'000U}) {
        BrokerRig rig;
        rig.upstream.will(chunked(200).send(chunk(counted(bytes))).fin());
        const auto response = rig.ask(http10());
        EXPECT_EQ(response.status, 502);
        EXPECT_EQ(response.error(), "REMOTE_RESULT_INCOMPLETE remote_execution unknown backoff");
    }
}

TEST(Streaming, AnAnswerThatEndsWithItsConnectionIsComplete) {
    BrokerRig rig;
    rig.upstream.will(Reply{}.send("HTTP/1.1 200 OK\r\n\r\nuntil the end").fin());
    const auto response = rig.ask(post());
    EXPECT_EQ(response.body, "until the end");
    EXPECT_TRUE(response.complete);
    EXPECT_EQ(rig.evidence(response.id())["framing"], "close_delimited");
}

TEST(Masking, AnEchoIsMaskedInHeadAndBody) {
    BrokerRig rig;
    rig.upstream.will(Reply{}.send(
        "HTTP/1.1 103 Early\r\nLink: <" + secret + ">\r\n\r\n" + "HTTP/1.1 200 Bearer " + secret +
        "\r\nX-Echo: Bearer " + secret + "\r\nLocation: /" + secret +
        "\r\nProxy-Status: " + secret + "\r\nContent-Length: " + std::to_string(secret.size() + 2) +
        "\r\n\r\n<" + secret + ">"));
    auto caller = rig.caller();
    const auto everything = caller.send(post()).read_until(">");
    const auto rest = caller.read_until("<" + stars + ">");
    EXPECT_EQ((everything + rest).find(secret), std::string::npos);
    EXPECT_NE(rest.find("X-Echo: Bearer " + stars), std::string::npos);
    EXPECT_TRUE(rest.ends_with("\r\n\r\n<" + stars + ">"));
    const auto id = rig.newest_of(1);
    EXPECT_EQ(rig.stored_body(id), "<" + stars + ">");
    EXPECT_NE(rig.upstream.request(0).find("Authorization: Bearer " + secret), std::string::npos);
    EXPECT_FALSE(rig.anywhere_on_disk(secret));
    EXPECT_GE(rig.evidence(id)["redactions"].to_number<int>(), 5);
}

TEST(Masking, AHopThatIsNamedLikeTheSecretIsMasked) {
    BrokerRig rig;
    rig.upstream.will(
        answer(502, "", "Proxy-Status: \"" + secret + "\"; error=connection_timeout\r\n"));
    const auto response = rig.ask(post());
    EXPECT_EQ(response.head.find(secret), std::string::npos);
    EXPECT_EQ(rig.evidence(response.id())["hop"].as_string(), stars);
    EXPECT_FALSE(rig.anywhere_on_disk(secret));
}

TEST(Masking, AnEchoAcrossPartBordersIsMaskedInAStream) {
    BrokerRig rig;
    std::string body = counted(200'000), masked = body;
    for (const std::size_t at : {std::size_t{0}, std::size_t{65'536 - 7}, std::size_t{131'072 - 20},
                                 body.size() - secret.size()}) {
        body.replace(at, secret.size(), secret);
        masked.replace(at, secret.size(), stars);
    }
    rig.upstream.will(answer(200, body));
    const auto response = rig.ask(post());
    EXPECT_EQ(response.field("Content-Length"), "200000");
    EXPECT_TRUE(response.complete);
    EXPECT_TRUE(response.body == masked);
    EXPECT_TRUE(rig.stored_body(response.id()) == masked);
    EXPECT_EQ(rig.evidence(response.id())["redactions"], 4);
    EXPECT_FALSE(rig.anywhere_on_disk(secret));
}

TEST(Masking, OnlyABeginningOfTheSecretIsHeldBack) {
    BrokerRig rig;
    Gate seen;
    rig.upstream.will(chunked(200, "Content-Type: text/event-stream\r\n")
                          .send(chunk("data: " + secret.substr(0, 9)))
                          .wait(seen)
                          .send(chunk("!"))
                          .send(std::string{last_chunk}));
    auto caller = rig.caller();
    EXPECT_TRUE(caller.send(post()).read_until("data: \r\n").ends_with("6\r\ndata: \r\n"));
    seen.open();
    EXPECT_EQ(caller.read_until("0\r\n\r\n"), "a\r\n" + secret.substr(0, 9) + "!\r\n0\r\n\r\n");
}

TEST(Masking, ACodedBodyIsPassedOnAndSaysThatItWasNotLookedAt) {
    BrokerRig rig;
    rig.upstream.will(answer(200, secret, "Content-Encoding: gzip\r\n"));
    const auto response = rig.ask(post());
    EXPECT_EQ(response.body, secret);
    EXPECT_EQ(rig.evidence(response.id())["unscanned_coding"], "gzip");
}

TEST(Masking, ARouteMayAskForTheBytesAsTheyAre) {
    BrokerRig::Setup setup;
    setup.route = "redact: false";
    BrokerRig rig{setup};
    rig.upstream.will(answer(200, secret, "X-Echo: " + secret + "\r\n"));
    const auto response = rig.ask(post());
    EXPECT_EQ(response.body, secret);
    EXPECT_EQ(response.field("X-Echo"), secret);
}

TEST(Masking, AFieldThatIsNoTextStillGivesARecordThatIsJson) {
    BrokerRig rig;
    rig.upstream.will(answer(302, "", "Location: /caf\xe9\r\n"));
    const auto response = rig.ask(get());
    EXPECT_EQ(response.field("Location"), "/caf\xe9");
    EXPECT_EQ(rig.evidence(response.id())["location"], "/caf\\xe9");
}

}  // namespace
}  // namespace sworn::test
