#include <gtest/gtest.h>

#include "tests/proxy/config/config_support.h"

namespace sworn::config {
namespace {

class CredentialFaults : public testing::TestWithParam<FaultCase> {};

TEST_P(CredentialFaults, AreToldWithLineKeyAndWhatIsRight) {
    expect_fault(GetParam());
}

constexpr FaultCase cases[] = {
    {"NoId", smallest, "credentials:\n  - {source: {env: A}, inject: {header: X-Key}}\n", 4,
     "credentials[0].id", "is required"},
    {"BadId", smallest, "credentials: [{id: 'a b', source: {env: A}, inject: {header: X}}]\n", 3,
     "credentials[0].id", "is not an id"},
    {"DuplicateId", smallest,
     "credentials:\n  - {id: a, source: {env: A}, inject: {header: X}}\n"
     "  - {id: a, source: {env: B}, inject: {header: X}}\n",
     5, "credentials[1].id", "\"a\" is taken; it stands in line 4"},
    {"NoSource", smallest, "credentials: [{id: a, inject: {header: X}}]\n", 3,
     "credentials[0].source", "is required"},
    {"NoInject", smallest, "credentials: [{id: a, source: {env: A}}]\n", 3, "credentials[0].inject",
     "is required"},
    {"TwoSources", smallest,
     "credentials: [{id: a, source: {env: A, file: b}, inject: {header: X}}]\n", 3,
     "credentials[0].source", "exactly one of env, file and vault"},
    {"LiteralSecret", smallest, "credentials: [{id: a, source: hunter2, inject: {header: X}}]\n", 3,
     "credentials[0].source", "secrets are not written"},
    {"BadVariable", smallest,
     "credentials: [{id: a, source: {env: 'sk-hunter2'}, inject: {header: X}}]\n", 3,
     "credentials[0].source.env", "is not a variable's name"},
    {"BadVersion", smallest,
     "credentials: [{id: a, version: '1 2', source: {env: A}, inject: {header: X}}]\n", 3,
     "credentials[0].version", "is not a version"},
    {"NoPlace", smallest, "credentials: [{id: a, source: {env: A}, inject: {}}]\n", 3,
     "credentials[0].inject", "exactly one of header, basic"},
    {"TwoPlaces", smallest,
     "credentials: [{id: a, source: {env: A}, inject: {header: X, query: k}}]\n", 3,
     "credentials[0].inject", "exactly one of header, basic"},
    {"HeaderNotAToken", smallest,
     "credentials: [{id: a, source: {env: A}, inject: {header: 'X Key'}}]\n", 3,
     "credentials[0].inject.header", "is not a header name"},
    {"FramingHeader", smallest,
     "credentials: [{id: a, source: {env: A}, inject: {header: content-Length}}]\n", 3,
     "credentials[0].inject.header", "frames or routes"},
    {"OwnHeader", smallest,
     "credentials: [{id: a, source: {env: A}, inject: {header: Sworn-Token}}]\n", 3,
     "credentials[0].inject.header", "frames or routes"},
    {"FormatWithoutSecret", smallest,
     "credentials: [{id: a, source: {env: A}, inject: {header: X, format: Bearer}}]\n", 3,
     "credentials[0].inject.format", "exactly once"},
    {"FormatWithTwoSecrets", smallest,
     "credentials: [{id: a, source: {env: A}, inject: {header: X, format: '{secret}{secret}'}}]\n",
     3, "credentials[0].inject.format", "exactly once"},
    {"FormatWithLineBreak", smallest,
     "credentials: [{id: a, source: {env: A}, inject: {header: X, format: \"{secret}\\nY: z\"}}]\n",
     3, "credentials[0].inject.format", "visible ASCII"},
    {"FormatWithoutHeader", smallest,
     "credentials: [{id: a, source: {env: A}, inject: {query: k, format: '{secret}'}}]\n", 3,
     "credentials[0].inject.format", "goes with header only"},
    {"BasicWithoutUser", smallest,
     "credentials: [{id: a, source: {env: A}, inject: {basic: {}}}]\n", 3,
     "credentials[0].inject.basic.username", "is required"},
    {"BasicUserWithColon", smallest,
     "credentials: [{id: a, source: {env: A}, inject: {basic: {username: 'a:b'}}}]\n", 3,
     "credentials[0].inject.basic.username", "is not a user name"},
    {"SshUserEmpty", smallest,
     "credentials: [{id: a, source: {env: A}, inject: {ssh_key: {username: ''}}}]\n", 3,
     "credentials[0].inject.ssh_key.username", "is not a user name"},
    {"PlaceholderWithBlank", smallest,
     "credentials: [{id: a, source: {env: A}, inject: {header: X, placeholder: 'a b'}}]\n", 3,
     "credentials[0].inject.placeholder", "visible ASCII"},
    {"UnknownInjection", smallest,
     "credentials: [{id: a, source: {env: A}, inject: {header: X, headr: Y}}]\n", 3,
     "credentials[0].inject.headr", "did you mean \"header\"?"},
    // callers
    {"CallerWithoutId", smallest, "callers: [{token: {env: A}}]\n", 3, "callers[0].id",
     "is required"},
    {"CallerWithoutToken", smallest, "callers: [{id: ci}]\n", 3, "callers[0]", "needs a token"},
    {"CallerTwice", smallest,
     "callers:\n  - {id: ci, token: {env: A}}\n"
     "  - {id: ci, token: {env: B}}\n",
     5, "callers[1].id", "is taken"},
    {"CallerUnknownRoute", routes_head,
     "  - {id: payments, match: {host: a.test}}\n"
     "callers: [{id: ci, token: {env: A}, routes: [payment]}]\n",
     7, "callers[0].routes[0]", "did you mean \"payments\"?"},
    {"CallerWithEmptyRoutes", smallest, "callers: [{id: ci, token: {env: A}, routes: []}]\n", 3,
     "callers[0].routes", "leave it out to allow all"},
    {"CallerBadSshKey", smallest, "callers: [{id: ci, ssh_keys: [ssh-ed25519 AAAA]}]\n", 3,
     "callers[0].ssh_keys[0]", "is not a public key"},
};
INSTANTIATE_TEST_SUITE_P(Table, CredentialFaults, testing::ValuesIn(cases),
                         [](const auto& row) { return std::string{row.param.name}; });

TEST(CredentialFaults, NeverShowWhatMayBeASecret) {
    for (const std::string_view snippet :
         {"control_token: hunter2\n", "control_token: {env: 'sk-hunter2'}\n",
          "control_token: {vault: 'sk hunter2'}\n",
          "credentials: [{id: a, source: {env: 'hunter2!'}, inject: {header: X}}]\n",
          "credentials: [{id: a, source: [hunter2], inject: {header: X}}]\n",
          "credentials: [{id: a, source: {env: A}, inject: {header: X, format: hunter2}}]\n",
          "callers: [{id: a, token: hunter2}]\n",
          "network: {upstream_proxy: 'http://u:hunter2@p:1'}\n"}) {
        SCOPED_TRACE(snippet);
        const auto result = load(std::string{smallest} + std::string{snippet});
        ASSERT_FALSE(result);
        EXPECT_EQ(format("f", result.error()).find("hunter2"), std::string::npos);
    }
}

}  // namespace
}  // namespace sworn::config
