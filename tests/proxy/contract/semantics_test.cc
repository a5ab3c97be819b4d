#include "proxy/contract/semantics.h"

#include <gtest/gtest.h>

namespace sworn::contract {
namespace {

using Declared = config::Semantics;

std::string shown(const config::Route& route, const std::string& method, const std::string& path) {
    Target target;
    target.path = path;
    const auto got = semantics_of(route, method, target);
    const auto* const word = got.safe ? "safe " : got.repeatable ? "repeatable " : "once ";
    EXPECT_TRUE(got.repeatable || !got.safe);
    return word + std::string{got.ground};
}

TEST(Semantics, FollowDeclarationThenMethod) {
    struct Case {
        Declared declared;
        const char* method;
        const char* expected;
    };
    for (const Case& one : {
             Case{Declared::by_method, "GET", "safe method"},
             Case{Declared::by_method, "HEAD", "safe method"},
             Case{Declared::by_method, "OPTIONS", "safe method"},
             Case{Declared::by_method, "PUT", "repeatable method"},
             Case{Declared::by_method, "DELETE", "repeatable method"},
             Case{Declared::by_method, "POST", "once method"},
             Case{Declared::by_method, "PATCH", "once method"},
             Case{Declared::by_method, "PROPFIND", "once method"},
             Case{Declared::by_method, "get", "once method"},
             Case{Declared::idempotent, "POST", "repeatable route"},
             Case{Declared::idempotent, "GET", "safe route"},
             Case{Declared::non_idempotent, "GET", "once route"},
             Case{Declared::non_idempotent, "PUT", "once route"},
         }) {
        config::Route route;
        route.semantics = one.declared;
        EXPECT_EQ(shown(route, one.method, "/x"), one.expected)
            << one.method << " " << static_cast<int>(one.declared);
    }
}

TEST(Semantics, RulesByMethodAndPathComeFirstInTheirOrder) {
    config::Route route;
    route.semantics_rules = {{{"POST"}, "/search", Declared::idempotent},
                             {{}, "/counter/", Declared::non_idempotent},
                             {{"PUT", "GET"}, "/", Declared::by_method},
                             {{}, "/", Declared::idempotent}};
    EXPECT_EQ(shown(route, "POST", "/search?q=1"), "repeatable route");
    EXPECT_EQ(shown(route, "GET", "/counter/1"), "once route");
    EXPECT_EQ(shown(route, "PUT", "/x"), "repeatable method");
    EXPECT_EQ(shown(route, "PATCH", "/x"), "repeatable route");
    route.semantics_rules.pop_back();
    EXPECT_EQ(shown(route, "PATCH", "/x"), "once method");
    EXPECT_EQ(shown(route, "POST", "/x?y=/search"), "once method");
}

TEST(Semantics, ARuleThatAllowsRepeatingNeedsEveryReadingOfThePath) {
    config::Route route;
    route.semantics_rules = {{{"POST"}, "/search", Declared::idempotent}};
    for (const auto* path : {"/search/../pay", "/search%2f..%2fpay", "/search/..;/pay",
                             "/search/%252e%252e/pay", "/%73earch"}) {
        EXPECT_EQ(shown(route, "POST", path), "once method") << path;
    }
    EXPECT_EQ(shown(route, "POST", "/search/a%2fb"), "repeatable route");
}

TEST(Semantics, ARuleThatForbidsRepeatingNeedsOneReading) {
    config::Route route;
    route.semantics_rules = {{{}, "/counter/", Declared::non_idempotent}};
    for (const auto* path : {"/counter/1", "/x/../counter/1", "/%63ounter/1", "//counter/1"}) {
        EXPECT_EQ(shown(route, "PUT", path), "once route") << path;
    }
    EXPECT_EQ(shown(route, "PUT", "/x"), "repeatable method");
}

TEST(Semantics, GitsFetchIsARead) {
    config::Route route;
    EXPECT_EQ(shown(route, "POST", "/group/repo.git/git-upload-pack"), "safe builtin");
    EXPECT_EQ(shown(route, "POST", "/r/git-upload-pack?x"), "safe builtin");
    EXPECT_EQ(shown(route, "POST", "/r/git-receive-pack"), "once method");
    EXPECT_EQ(shown(route, "PUT", "/r/git-upload-pack"), "repeatable method");
    EXPECT_EQ(shown(route, "POST", "/r/git-upload-packs"), "once method");
    EXPECT_EQ(shown(route, "POST", "/rgit-upload-pack"), "once method");
    EXPECT_EQ(shown(route, "POST", "/pay?/git-upload-pack"), "once method");
    EXPECT_EQ(shown(route, "POST", "/pay;a/git-upload-pack/.."), "once method");
    EXPECT_EQ(shown(route, "POST", "/r%2fgit-upload-pack"), "once method");
    route.semantics = Declared::non_idempotent;
    EXPECT_EQ(shown(route, "POST", "/r/git-upload-pack"), "once route");
}

}  // namespace
}  // namespace sworn::contract
