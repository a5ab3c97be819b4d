#include "proxy/contract/injection_rules.h"

#include <gtest/gtest.h>

#include "proxy/contract/base64.h"

namespace sworn::contract {
namespace {

using Kind = config::Injection::Kind;

config::Injection header_injection(std::string header = "Authorization",
                                   std::string format = "Bearer {secret}") {
    config::Injection injection;
    injection.kind = Kind::header;
    injection.header = std::move(header);
    injection.format = std::move(format);
    return injection;
}

config::Injection basic_injection() {
    config::Injection injection;
    injection.kind = Kind::basic;
    injection.username = "x";
    return injection;
}

config::Injection query_injection(std::string name = "key") {
    config::Injection injection;
    injection.kind = Kind::query;
    injection.query = std::move(name);
    return injection;
}

/// "taken", "replaced" or "refused": what becomes of one value in the injected header.
std::string fate(const config::Injection& injection, const std::string& value, bool replace) {
    const Fields fields{{"X-Other", "1"}, {"authorization", value}};
    const auto got = clear_injected_place(fields, "/", injection, replace);
    if (!got) {
        EXPECT_EQ(got.error().code, Code::forbidden_header);
        EXPECT_EQ(got.error().field.view(), "Authorization");
        return "refused";
    }
    EXPECT_EQ(got->fields, (Fields{{"X-Other", "1"}}));
    return got->replaced.empty() ? "taken" : "replaced";
}

TEST(InjectionRules, AHeaderTakesNothingEmptyOrThePlaceholder) {
    for (const auto* value :
         {"", " ", "sworn", "Bearer sworn", " Bearer sworn ", "Bearer", "Bearer "}) {
        EXPECT_EQ(fate(header_injection(), value, false), "taken") << value;
        EXPECT_EQ(fate(header_injection(), value, true), "taken") << value;
    }
    for (const auto* value : {"Bearer other", "Bearer swornx", "swor", "Basic c3dvcm4=",
                              "Bearer sworn sworn", "Bearersworn", "Token sworn"}) {
        EXPECT_EQ(fate(header_injection(), value, false), "refused") << value;
        EXPECT_EQ(fate(header_injection(), value, true), "replaced") << value;
    }
}

TEST(InjectionRules, FormatsAndPlaceholdersAreTheCredentials) {
    auto injection = header_injection("Authorization", "token {secret};v=1");
    injection.placeholder = "none";
    EXPECT_EQ(fate(injection, "token none;v=1", false), "taken");
    EXPECT_EQ(fate(injection, "none", false), "taken");
    EXPECT_EQ(fate(injection, "sworn", false), "refused");
}

TEST(InjectionRules, BasicTakesAnyUserWithThePlaceholderAsPassword) {
    struct Case {
        const char* plain;  ///< What stands behind "Basic " in base64.
        const char* value;
        bool taken;
    };
    for (const Case& one : {
             Case{"x:sworn", "Basic eDpzd29ybg==", true},
             Case{"user:sworn", "basic dXNlcjpzd29ybg==", true},
             Case{"sworn", "Basic c3dvcm4=", true},
             Case{"sworn, no padding", "Basic c3dvcm4", true},
             Case{"x:", "Basic eDo=", true},
             Case{"sworn:", "Basic c3dvcm46", true},
             Case{":", "Basic Og==", true},
             Case{"bare placeholder", "sworn", true},
             Case{"nothing", "Basic", true},
             Case{"placeholder as it is", "Basic sworn", true},
             Case{"empty", "", true},
             Case{"user:", "Basic dXNlcjo=", false},
             Case{"x:secret", "Basic eDpzZWNyZXQ=", false},
             Case{"sworn:secret", "Basic c3dvcm46c2VjcmV0", false},
             Case{"x:y:sworn", "Basic eDp5OnN3b3Ju", false},
             Case{"x", "Basic eA==", false},
             Case{"no base64", "Basic ?", false},
             Case{"another scheme", "Bearer sworn", false},
             Case{"no blank", "Basicsworn", false},
         }) {
        EXPECT_EQ(fate(basic_injection(), one.value, false), one.taken ? "taken" : "refused")
            << one.plain;
        EXPECT_EQ(fate(basic_injection(), one.value, true), one.taken ? "taken" : "replaced")
            << one.plain;
    }
}

TEST(InjectionRules, EveryOneOfSeveralValuesIsLookedAt) {
    const Fields fields{{"Authorization", "Bearer sworn"}, {"AUTHORIZATION", "Bearer mine"}};
    EXPECT_FALSE(clear_injected_place(fields, "/", header_injection(), false));
    const auto replaced = clear_injected_place(fields, "/", header_injection(), true);
    ASSERT_TRUE(replaced);
    EXPECT_TRUE(replaced->fields.empty());
    EXPECT_EQ(replaced->replaced, (std::vector<std::string>{"Authorization"}));
}

TEST(InjectionRules, TheQueryParameterIsTakenOutWhereverItStands) {
    struct Case {
        const char* path;
        const char* cleared;  ///< Null: refused.
    };
    for (const Case& one : {
             Case{"/x", "/x"},
             Case{"/x?a=1", "/x?a=1"},
             Case{"/x?key=sworn", "/x"},
             Case{"/x?key", "/x"},
             Case{"/x?key=", "/x"},
             Case{"/x?a=1&key=sworn", "/x?a=1"},
             Case{"/x?key=sworn&a=1", "/x?a=1"},
             Case{"/x?a=1&key=&b=2", "/x?a=1&b=2"},
             Case{"/x?a=1&key=sworn&key=", "/x?a=1"},
             Case{"/x?%6bey=s%77orn&a=1", "/x?a=1"},
             Case{"/x?monkey=1&keys=2", "/x?monkey=1&keys=2"},
             Case{"/x?a=1&&b=2&", "/x?a=1&&b=2&"},
             Case{"/x?a=key=1", "/x?a=key=1"},
             Case{"/x?key=mine", nullptr},
             Case{"/x?a=1&key=mine", nullptr},
             Case{"/x?key=sworn&key=mine", nullptr},
             Case{"/x?%6bey=mine", nullptr},
             Case{"/x?a=1;key=mine", nullptr},
             Case{"/x?key=sworn=", nullptr},
         }) {
        const auto got = clear_injected_place({}, one.path, query_injection(), false);
        if (one.cleared == nullptr) {
            ASSERT_FALSE(got) << one.path;
            EXPECT_EQ(got.error().code, Code::forbidden_header);
            EXPECT_EQ(got.error().field.view(), "?key");
            const auto replaced = clear_injected_place({}, one.path, query_injection(), true);
            ASSERT_TRUE(replaced) << one.path;
            EXPECT_EQ(replaced->replaced, (std::vector<std::string>{"?key"}));
            EXPECT_EQ(replaced->path.find("mine"), std::string::npos);
        } else {
            ASSERT_TRUE(got) << one.path;
            EXPECT_EQ(got->path, one.cleared) << one.path;
            EXPECT_TRUE(got->replaced.empty());
        }
    }
    const auto plus =
        clear_injected_place({}, "/x?api+key=sworn", query_injection("api key"), false);
    ASSERT_TRUE(plus);
    EXPECT_EQ(plus->path, "/x");
}

TEST(InjectionRules, InjectionsBesideTheHeadLeaveItAlone) {
    for (const Kind kind : {Kind::none, Kind::client_cert, Kind::ssh_key}) {
        config::Injection injection;
        injection.kind = kind;
        const Fields fields{{"Authorization", "Bearer mine"}};
        const auto got = clear_injected_place(fields, "/x?key=mine", injection, false);
        ASSERT_TRUE(got);
        EXPECT_EQ(got->fields, fields);
        EXPECT_EQ(got->path, "/x?key=mine");
        EXPECT_TRUE(injected_header(injection).empty());
        EXPECT_TRUE(injected_field(injection).empty());
        EXPECT_TRUE(injected_query(injection, "/x").empty());
    }
}

TEST(InjectionRules, AliasesOfWhatSwornWritesAreRefused) {
    config::HeaderRules rules;
    for (const auto* name : {"X_Api_Key", "x_api-key", "X-Api_Key", "Sworn_Token", "sworn_anything",
                             "Content_Length", "Transfer_Encoding", "Proxy_Authorization"}) {
        const auto got = check_names({{"X", "1"}, {name, "v"}}, rules, "X-Api-Key");
        ASSERT_FALSE(got) << name;
        EXPECT_EQ(got.error().code, Code::forbidden_header);
        EXPECT_EQ(got.error().field.view(), name);
    }
    for (const auto* name :
         {"X-Api-Key", "x-api-key", "X_Other", "Sworn-Token", "Content-Length", "XApiKey"}) {
        EXPECT_TRUE(check_names({{name, "v"}}, rules, "X-Api-Key")) << name;
    }
    EXPECT_TRUE(check_names({{"X_Api_Key", "v"}}, rules, ""));
    // The injected name may hold an underscore itself; then the dash is the alias.
    EXPECT_TRUE(check_names({{"x_token", "sworn"}}, rules, "X_Token"));
    EXPECT_FALSE(check_names({{"X-Token", "sworn"}}, rules, "X_Token"));
}

TEST(InjectionRules, DeniedHeadersAreRefusedUnderEverySpelling) {
    config::HeaderRules rules;
    rules.deny = {"x-admin"};
    for (const auto* name : {"X-Admin", "x-ADMIN", "X_Admin"}) {
        const auto got = check_names({{name, "1"}}, rules, "");
        ASSERT_FALSE(got) << name;
        EXPECT_EQ(got.error().field.view(), name);
    }
    EXPECT_TRUE(check_names({{"X-Administrator", "1"}}, rules, ""));
}

TEST(InjectionRules, Base64IsStrictButForPadding) {
    struct Case {
        const char* text;
        const char* decoded;  ///< Null: refused.
    };
    for (const Case& one : {Case{"", ""},
                            {"QQ==", "A"},
                            {"QQ", "A"},
                            {"QUI=", "AB"},
                            {"QUJD", "ABC"},
                            {"Q", nullptr},
                            {"QQ=Q", nullptr},
                            {"QQ===", nullptr},
                            {"Q Q", nullptr},
                            {"QQ-_", nullptr},
                            {"====", nullptr}}) {
        const auto got = base64_decode(one.text);
        EXPECT_EQ(got.has_value(), one.decoded != nullptr) << one.text;
        if (got && one.decoded != nullptr) {
            EXPECT_EQ(*got, one.decoded);
        }
    }
}

}  // namespace
}  // namespace sworn::contract
