#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/proxy/connect/dialer_fixture.h"

namespace sworn::connect {
namespace {

using namespace std::chrono_literals;
using test::FarEnd;
using test::Listener;

class PoolTest : public testing::Test {
protected:
    explicit PoolTest(Dialer::Limits limits = {})
        : dialling{loopback_network({"127.0.0.1"}), limits} {}

    ConnectionPtr open() { return open(origin); }
    ConnectionPtr open(const Origin& to) {
        Dialled got = dialling.dial(to, 1, Dialer::Reuse::never);
        far.push_back(listener.accept());
        return std::move(got.connection);
    }

    Listener listener;
    Dialling dialling;
    Origin origin = Dialling::clear_origin(listener.port());
    std::vector<FarEnd> far;
};

TEST_F(PoolTest, GivesAConnectionAgainWithItsIdAndSaysSo) {
    ConnectionPtr first = open();
    const std::string id = first->id;
    dialling.dialer.give_back(std::move(first));
    EXPECT_EQ(dialling.dialer.counts().active, 0U);
    EXPECT_EQ(dialling.dialer.counts().idle, 1U);
    const Dialled again = dialling.dial(origin);
    ASSERT_TRUE(again.connection);
    EXPECT_EQ(again.connection->id, id);
    EXPECT_TRUE(again.connection->reused);
    EXPECT_EQ(dialling.dialer.counts().active, 1U);
    EXPECT_EQ(dialling.dialer.counts().idle, 0U);
}

TEST_F(PoolTest, TheNewestComesFirst) {
    ConnectionPtr first = open(), second = open();
    const std::string older = first->id, newer = second->id;
    dialling.dialer.give_back(std::move(first));
    dialling.dialer.give_back(std::move(second));
    EXPECT_EQ(dialling.dialer.take_idle(origin)->id, newer);
    EXPECT_EQ(dialling.dialer.take_idle(origin)->id, older);
    EXPECT_EQ(dialling.dialer.take_idle(origin), nullptr);
}

TEST_F(PoolTest, NothingIsSharedAcrossAnyPartOfTheOrigin) {
    dialling.dialer.give_back(open());
    std::vector<Origin> others(7, origin);
    others[0].host = "other.example.test";
    others[1].port = 1;
    others[2].tls = true;
    others[3].ca = "other.pem";
    others[4].pins = {"sha256/x"};
    others[5].credential = "key@2";
    others[6].caller = "ci";
    for (const auto& other : others)
        EXPECT_EQ(dialling.dialer.take_idle(other), nullptr);
    EXPECT_NE(dialling.dialer.take_idle(origin), nullptr);
}

TEST_F(PoolTest, WhatAPeerEndedOrWroteToWhileIdleIsNeverReused) {
    const struct {
        const char* name;
        void (*act)(FarEnd&);
    } rows[] = {
        {"FIN", [](FarEnd& end) { end.fin(); }},
        {"RST", [](FarEnd& end) { end.reset(); }},
        {"data", [](FarEnd& end) { end.write("HTTP/1.1 200 injected\r\n\r\n"); }},
        {"stray CRLF", [](FarEnd& end) { end.write("\r\n"); }},
        {"408 and FIN",
         [](FarEnd& end) {
             end.write("HTTP/1.1 408 \r\n\r\n");
             end.close();
         }},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        ConnectionPtr connection = open();
        const std::string id = connection->id;
        io::Stream& stream = *connection->stream;
        dialling.dialer.give_back(std::move(connection));
        row.act(far.back());
        EXPECT_TRUE(test::run(dialling.thread, stream.wait_readable()).ok());
        const Dialled next = dialling.dial(origin);
        ASSERT_TRUE(next.connection);
        EXPECT_FALSE(next.connection->reused);
        EXPECT_NE(next.connection->id, id);
        EXPECT_TRUE(next.attempts.empty()) << "no attempt failed: it was only idle";
        EXPECT_EQ(dialling.dialer.counts().idle, 0U);
        far.push_back(listener.accept());
    }
}

TEST_F(PoolTest, WhatIsNotFitIsNotTakenBack) {
    ConnectionPtr ahead = open();
    ahead->read_ahead = "x";
    EXPECT_FALSE(Dialer::fit(*ahead));
    dialling.dialer.give_back(std::move(ahead));
    ConnectionPtr closed = open();
    closed->stream->close();
    EXPECT_FALSE(Dialer::fit(*closed));
    dialling.dialer.give_back(std::move(closed));
    dialling.dialer.give_back(nullptr);
    EXPECT_EQ(dialling.dialer.counts().idle, 0U);
    EXPECT_EQ(dialling.dialer.counts().active, 0U);
}

TEST_F(PoolTest, ReuseNeverOpensANewOneBesideTheIdleOne) {
    dialling.dialer.give_back(open());
    const Dialled fresh = dialling.dial(origin, 1, Dialer::Reuse::never);
    ASSERT_TRUE(fresh.connection);
    EXPECT_FALSE(fresh.connection->reused);
    EXPECT_EQ(dialling.dialer.counts().idle, 1U);
    dialling.dialer.close_idle();
    EXPECT_EQ(dialling.dialer.counts().idle, 0U);
    EXPECT_EQ(far[0].read_all(), "") << "closed towards the peer too";
}

class BoundedPool : public PoolTest {
protected:
    BoundedPool() : PoolTest{{2, 3, 55s}} {}
};

TEST_F(BoundedPool, EachOriginAndTheWholeAreBoundedAndTheOldestGoes) {
    std::vector<std::string> ids;
    std::vector<ConnectionPtr> open_ones;
    for (int i = 0; i < 3; ++i) {
        open_ones.push_back(open());
        ids.push_back(open_ones.back()->id);
    }
    for (auto& one : open_ones)
        dialling.dialer.give_back(std::move(one));
    EXPECT_EQ(dialling.dialer.counts().idle, 2U);
    Origin second = origin, third = origin;
    second.caller = "b";
    third.caller = "c";
    dialling.dialer.give_back(open(second));
    dialling.dialer.give_back(open(third));
    EXPECT_EQ(dialling.dialer.counts().idle, 3U);
    EXPECT_EQ(dialling.dialer.take_idle(origin)->id, ids[2]);
    EXPECT_EQ(dialling.dialer.take_idle(origin), nullptr) << "the oldest made room";
    EXPECT_NE(dialling.dialer.take_idle(second), nullptr);
    EXPECT_NE(dialling.dialer.take_idle(third), nullptr);
}

class ShortLivedPool : public PoolTest {
protected:
    ShortLivedPool() : PoolTest{{32, 1024, 60ms}} {}
};

TEST_F(ShortLivedPool, WhatLayIdleTooLongIsClosedByItself) {
    dialling.dialer.give_back(open());
    dialling.dialer.give_back(open());
    dialling.thread.context.restart();
    dialling.thread.context.run();  // Ends when the pool waits for nothing any more.
    EXPECT_EQ(dialling.dialer.counts().idle, 0U);
    EXPECT_EQ(far[0].read_all(), "");
    EXPECT_EQ(far[1].read_all(), "");
}

}  // namespace
}  // namespace sworn::connect
