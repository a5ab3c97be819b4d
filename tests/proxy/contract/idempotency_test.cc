#include "proxy/contract/idempotency.h"

#include <gtest/gtest.h>

#include "tests/proxy/contract/sample.h"

namespace sworn::contract {
namespace {

using journal::KeyOrigin;
using namespace std::chrono_literals;

constexpr WallTime now{1'796'040'000s};

config::Route contract_route() {
    auto route = test::sample_route();
    route.idempotency = test::sample_contract();
    return route;
}

TEST(Idempotency, KeysAreBareOrQuotedVisibleAscii) {
    for (const std::string key : {"a", "req_01", "\"8e03978e-40d5\"", "a b"}) {
        EXPECT_EQ(is_idempotency_key(key), key != "a b") << key;
    }
    for (const std::string key : {"", "\"", "\"\"", "\"a", "a\"", "a\"b", "\"a\"b\"", "a\\b", "\ta",
                                  "a\x7f", "caf\xc3\xa9", "\"a b\""}) {
        EXPECT_FALSE(is_idempotency_key(key)) << key;
    }
    EXPECT_TRUE(is_idempotency_key(std::string(key_bytes_max, 'k')));
    EXPECT_FALSE(is_idempotency_key(std::string(key_bytes_max + 1, 'k')));
    EXPECT_TRUE(is_idempotency_key("\"" + std::string(key_bytes_max, 'k') + "\""));
    EXPECT_FALSE(is_idempotency_key("\"" + std::string(key_bytes_max + 1, 'k') + "\""));
}

TEST(Idempotency, TheCallersKeyIsBoundAsItCame) {
    for (const std::string key : {"k-1", "\"k-1\""}) {
        const auto got =
            bind_key(contract_route(), "POST", {{"idempotency-key", " " + key + " "}}, {});
        ASSERT_TRUE(got);
        EXPECT_EQ(got->origin, KeyOrigin::caller);
        EXPECT_EQ(got->key, key);
        EXPECT_EQ(got->callers_own, key);
        EXPECT_EQ(got->scope, "payments.create");
        EXPECT_EQ(got->lifetime, 23h);
        EXPECT_EQ(got->remote_contract, "configured");
        EXPECT_FALSE(got->added);
    }
}

TEST(Idempotency, APresetIsNamed) {
    auto route = contract_route();
    route.idempotency->preset = "stripe";
    const auto got = bind_key(route, "POST", {{"Idempotency-Key", "k"}}, {});
    ASSERT_TRUE(got);
    EXPECT_EQ(got->remote_contract, "preset:stripe");
}

TEST(Idempotency, AMarginLongerThanTheRetentionLeavesNothing) {
    auto route = contract_route();
    route.idempotency->margin = 48h;
    const auto got = bind_key(route, "POST", {{"Idempotency-Key", "k"}}, {});
    ASSERT_TRUE(got);
    EXPECT_EQ(got->lifetime, 0ms);
}

TEST(Idempotency, KeysThatAreNoneAreMalformed) {
    for (const auto& fields : {Fields{{"Idempotency-Key", ""}}, Fields{{"Idempotency-Key", "a b"}},
                               Fields{{"Idempotency-Key", std::string(256, 'k')}},
                               Fields{{"Idempotency-Key", "a"}, {"idempotency-key", "a"}}}) {
        const auto got = bind_key(contract_route(), "POST", fields, {});
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().code, Code::malformed_request);
        EXPECT_EQ(got.error().field.view(), "Idempotency-Key");
    }
}

TEST(Idempotency, AContractWithoutKeyOrGeneratorAsksForOne) {
    const auto got = bind_key(contract_route(), "POST", {}, {});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Code::idempotency_key_required);
    EXPECT_EQ(got.error().field.view(), "Idempotency-Key");
}

TEST(Idempotency, AGeneratedKeyIsNewEachTimeAndKeptOverGenerations) {
    auto route = contract_route();
    route.idempotency->generate = true;
    const KeySources sources{.now = now, .body_json_key = {}, .generated_before = {}};
    const auto first = bind_key(route, "POST", {}, sources);
    const auto second = bind_key(route, "POST", {}, sources);
    ASSERT_TRUE(first);
    ASSERT_TRUE(second);
    EXPECT_EQ(first->origin, KeyOrigin::generated);
    EXPECT_TRUE(first->key.starts_with("req_"));
    EXPECT_EQ(first->key.size(), 30u);
    EXPECT_NE(first->key, second->key);
    EXPECT_EQ(first->callers_own, "");
    ASSERT_TRUE(first->added);
    EXPECT_EQ(*first->added, (Field{"Idempotency-Key", first->key}));

    KeySources again = sources;
    again.generated_before = first->key;
    const auto repeated = bind_key(route, "POST", {}, again);
    ASSERT_TRUE(repeated);
    EXPECT_EQ(repeated->key, first->key);
    EXPECT_EQ(repeated->origin, KeyOrigin::generated);
}

TEST(Idempotency, SafeMethodsNeedAndGetNoKey) {
    auto route = contract_route();
    route.idempotency->generate = true;
    for (const auto* method : {"GET", "HEAD", "OPTIONS"}) {
        const auto got = bind_key(route, method, {{"Idempotency-Key", "k"}}, {});
        ASSERT_TRUE(got) << method;
        EXPECT_EQ(got->origin, KeyOrigin::none);
        EXPECT_EQ(got->key, "");
        EXPECT_EQ(got->remote_contract, "");
        EXPECT_EQ(got->callers_own, "k");
        EXPECT_FALSE(got->added);
    }
    for (const auto* method : {"POST", "PUT", "DELETE", "PATCH"}) {
        const auto got = bind_key(route, method, {}, {});
        ASSERT_TRUE(got) << method;
        EXPECT_EQ(got->origin, KeyOrigin::generated);
    }
}

TEST(Idempotency, WithoutAContractAKeyIsOnlyForwarded) {
    const auto got = bind_key(test::sample_route(), "POST", {{"Idempotency-Key", "k 1"}}, {});
    ASSERT_TRUE(got);
    EXPECT_EQ(got->origin, KeyOrigin::none);
    EXPECT_EQ(got->key, "");
    EXPECT_EQ(got->callers_own, "k 1");
    EXPECT_FALSE(got->added);
    EXPECT_TRUE(bind_key(test::sample_route(), "POST", {}, {}));
}

TEST(Idempotency, ABodyKeyComesFromTheBodyOnly) {
    auto route = contract_route();
    route.idempotency->header.clear();
    route.idempotency->body_pointer = "/idempotency_key";
    route.idempotency->generate = true;

    KeySources sources;
    sources.body_json_key = "k-9";
    const auto bound = bind_key(route, "POST", {{"Idempotency-Key", "other"}}, sources);
    ASSERT_TRUE(bound);
    EXPECT_EQ(bound->key, "k-9");
    EXPECT_EQ(bound->origin, KeyOrigin::caller);
    EXPECT_FALSE(bound->added);

    // The body goes out as it came: nothing can be generated into it.
    const auto missing = bind_key(route, "POST", {{"Idempotency-Key", "other"}}, {});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Code::idempotency_key_required);
    EXPECT_EQ(missing.error().field.view(), "/idempotency_key");

    sources.body_json_key = "k 9";
    const auto malformed = bind_key(route, "POST", {}, sources);
    ASSERT_FALSE(malformed);
    EXPECT_EQ(malformed.error().code, Code::malformed_request);
    EXPECT_EQ(malformed.error().field.view(), "body");
}

}  // namespace
}  // namespace sworn::contract
