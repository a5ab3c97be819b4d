#include "proxy/config/starter.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/proxy/config/config_support.h"

namespace sworn::config {
namespace {

/// Takes the # away from the examples: "  #- id: x" and "  #  match: …".
std::string with_examples(const std::string& yaml) {
    std::istringstream in{yaml};
    std::string out;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("  #- ") || line.starts_with("  #  ")) line.erase(2, 1);
        out += line + "\n";
    }
    return out;
}

TEST(Starter, LoadsAsItStands) {
    const auto snapshot = loaded(starter_config());
    EXPECT_TRUE(snapshot->credentials.empty()) << "no secret is needed to start";
    ASSERT_EQ(snapshot->listen.proxy.size(), 1u);
    EXPECT_EQ(snapshot->listen.proxy[0].host, "127.0.0.1");
    EXPECT_EQ(snapshot->listen.proxy[0].port, 8118);
    ASSERT_EQ(snapshot->listen.control.size(), 2u);
    EXPECT_EQ(snapshot->listen.control[0].path, "/etc/sworn/data/control.sock");
    EXPECT_EQ(snapshot->listen.control[1].port, 8119);
    ASSERT_TRUE(snapshot->listen.metrics);
    EXPECT_EQ(snapshot->listen.metrics->port, 8120);
    ASSERT_TRUE(snapshot->control_token);
    EXPECT_EQ(snapshot->control_token->name, "/etc/sworn/data/control.token");
    EXPECT_EQ(snapshot->ca_cert, "/etc/sworn/data/ca.pem");
    EXPECT_EQ(snapshot->ca_key, "/etc/sworn/data/ca.key");
    for (const Route& route : snapshot->routes) {
        EXPECT_TRUE(route.credential.empty()) << route.id;
    }
}

TEST(Starter, LoadsWithEveryExampleInUse) {
    const auto snapshot = loaded(with_examples(starter_config()));
    EXPECT_EQ(snapshot->credentials.size(), 6u);
    EXPECT_EQ(snapshot->routes.size(), 10u);
    for (const Credential& credential : snapshot->credentials) {
        const bool used =
            std::any_of(snapshot->routes.begin(), snapshot->routes.end(),
                        [&](const Route& route) { return route.credential == credential.id; });
        EXPECT_TRUE(used) << credential.id;
    }
}

TEST(Starter, DeclaresRepeatableOnlyWhatIs) {
    const auto snapshot = loaded(with_examples(starter_config()));
    const Route* messages = snapshot->route("anthropic");
    ASSERT_NE(messages, nullptr);
    ASSERT_EQ(messages->semantics_rules.size(), 2u);
    EXPECT_EQ(messages->semantics_rules[0].path, "/v1/messages/batches") << "first match wins";
    EXPECT_NE(messages->semantics_rules[0].is, Semantics::idempotent);
    EXPECT_EQ(messages->semantics_rules[1].is, Semantics::idempotent);
    EXPECT_EQ(snapshot->route("github-graphql")->semantics, Semantics::idempotent);
    EXPECT_EQ(snapshot->route("github-api")->semantics, Semantics::by_method);
    EXPECT_EQ(snapshot->route("slack")->semantics, Semantics::by_method);
    ASSERT_TRUE(snapshot->route("stripe")->idempotency);
    EXPECT_EQ(snapshot->route("stripe")->idempotency->preset, "stripe");
}

}  // namespace
}  // namespace sworn::config
