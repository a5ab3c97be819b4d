#include "proxy/contract/request_checks.h"

#include <gtest/gtest.h>

namespace sworn::contract {
namespace {

TEST(RequestChecks, MethodsAreUpperCaseWordsWithoutTraceAndConnect) {
    for (const auto* method :
         {"GET", "POST", "M-SEARCH", "VERSION-CONTROL", "PROPFIND", "BASELINE-CONTROL"}) {
        EXPECT_TRUE(check_method(method)) << method;
    }
    for (const auto* method : {"TRACE", "CONNECT"}) {
        const auto got = check_method(method);
        ASSERT_FALSE(got) << method;
        EXPECT_EQ(got.error().code, Code::unsupported_action);
        EXPECT_EQ(got.error().status, 405);
    }
    for (const std::string method :
         {"", "get", "Get", "GE T", "GET(", "G\xc3\x89T", "GET\t", "G_T"}) {
        const auto got = check_method(method);
        ASSERT_FALSE(got) << method;
        EXPECT_EQ(got.error().code, Code::malformed_request);
        EXPECT_EQ(got.error().field.view(), "method");
    }
    EXPECT_TRUE(check_method(std::string(32, 'A')));
    EXPECT_FALSE(check_method(std::string(33, 'A')));
    EXPECT_FALSE(check_method(std::string_view{"GET\0", 4}));
}

TEST(RequestChecks, FieldsFollowTheGrammar) {
    EXPECT_TRUE(check_fields({{"X-A", "b \t c"}, {"X-Obs", "caf\xc3\xa9"}, {"X-Empty", ""}}));
    for (const auto& fields :
         {Fields{{"", "v"}}, Fields{{"X A", "v"}}, Fields{{"X:A", "v"}}, Fields{{"X\r", "v"}},
          Fields{{"X-A", "v\r\nX-Evil: 1"}}, Fields{{"X-A", "v\n"}},
          Fields{{"X-A", std::string{"v\0w", 3}}}, Fields{{"X-A", "v\x7f"}}}) {
        const auto got = check_fields(fields);
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().code, Code::malformed_request);
    }
}

TEST(RequestChecks, UpgradesOtherThanH2cAreRefused) {
    EXPECT_TRUE(check_fields({{"Upgrade", "h2c"}}));
    EXPECT_TRUE(check_fields({{"upgrade", "H2C, h2c"}}));
    EXPECT_TRUE(check_fields({{"Upgrade", ""}}));
    for (const auto* value : {"websocket", "h2c, websocket", "TLS/1.2", "h2c/1"}) {
        const auto got = check_fields({{"Upgrade", value}});
        ASSERT_FALSE(got) << value;
        EXPECT_EQ(got.error().code, Code::unsupported_action);
        EXPECT_EQ(got.error().status, 501);
    }
}

TEST(RequestChecks, WishesAreVisibleAscii) {
    CallerWishes wishes;
    EXPECT_TRUE(check_wishes(wishes));
    wishes.token = std::string(255, 't');
    EXPECT_TRUE(check_wishes(wishes));
    for (const std::string& bad :
         {std::string(256, 't'), std::string{"a b"}, std::string{"\xc3"}}) {
        wishes = {};
        wishes.token = bad;
        auto got = check_wishes(wishes);
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().field.view(), "Sworn-Token");
        wishes = {};
        wishes.operation_id = bad;
        got = check_wishes(wishes);
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().field.view(), "Sworn-Operation-Id");
    }
}

TEST(RequestChecks, AViaWithOurNameIsALoop) {
    for (const auto* via : {"1.1 sworn", "1.1 SWORN", "1.0 a, 1.1 sworn", "HTTP/1.1 sworn (x)",
                            "1.1\tsworn\t(y)", "1.1 sworn(z)", "1.1 a,1.1 sworn , 1.1 b"}) {
        const auto got = check_loop({{"X", "1"}, {"via", via}}, "sworn");
        ASSERT_FALSE(got) << via;
        EXPECT_EQ(got.error().code, Code::address_forbidden);
        EXPECT_EQ(got.error().field.view(), "Via");
    }
    for (const auto* via : {"1.1 sworn2", "1.1 notsworn", "sworn", "1.1 a (sworn)", "", "1.1"}) {
        EXPECT_TRUE(check_loop({{"Via", via}}, "sworn")) << via;
    }
    EXPECT_FALSE(check_loop({{"Via", "1.1 a"}, {"Via", "1.1 sworn"}}, "sworn"));
}

}  // namespace
}  // namespace sworn::contract
