#include "proxy/config/load.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/proxy/config/config_support.h"

namespace sworn::config {
namespace {

TEST(Load, FillsInTheStatedDefaults) {
    const auto snapshot = loaded(smallest);
    EXPECT_EQ(snapshot->name, "sworn");
    EXPECT_EQ(snapshot->data_dir, "/etc/sworn/data");
    EXPECT_TRUE(snapshot->listen.control.empty());
    EXPECT_TRUE(snapshot->listen.ssh.empty());
    EXPECT_FALSE(snapshot->listen.metrics);
    EXPECT_FALSE(snapshot->control_token);
    EXPECT_TRUE(snapshot->ca_cert.empty());
    EXPECT_EQ(snapshot->journal.reserve, 64u << 20);
    EXPECT_EQ(snapshot->journal.max_result, 16u << 20);
    EXPECT_EQ(snapshot->journal.max_size, 10ull << 30);
    EXPECT_EQ(snapshot->journal.retain_results, 72h);
    EXPECT_EQ(snapshot->journal.retain_records, 24h * 90);
    EXPECT_EQ(snapshot->journal.retain_tokens, 24h * 400);
    EXPECT_EQ(snapshot->limits.max_body, 256u << 20);
    EXPECT_EQ(snapshot->limits.max_header, 64u << 10);
    EXPECT_EQ(snapshot->limits.max_connections, 4096u);
    EXPECT_EQ(snapshot->limits.max_inflight, 1024u);
    EXPECT_EQ(snapshot->timeouts.request_header, 15s);
    EXPECT_EQ(snapshot->timeouts.total, 30min);
    EXPECT_FALSE(snapshot->unknown_status);
    EXPECT_TRUE(snapshot->network.trusted_ca.empty());
    EXPECT_TRUE(snapshot->routes.empty());
}

TEST(Load, FillsInTheStatedDefaultsOfARoute) {
    const auto snapshot = loaded(std::string{routes_head} + "  - {id: r, match: {host: A.test}}\n");
    const Route* route = snapshot->route("r");
    ASSERT_NE(route, nullptr);
    EXPECT_EQ(route->host, "a.test");
    EXPECT_FALSE(route->match_port);
    EXPECT_TRUE(route->methods.empty());
    EXPECT_EQ(route->path, "/");
    EXPECT_EQ(route->upstream.scheme, "https");
    EXPECT_EQ(route->upstream.port, 443);
    EXPECT_EQ(route->semantics, Semantics::by_method);
    EXPECT_EQ(route->on_cancel, OnCancel::by_method);
    EXPECT_TRUE(route->guard.enabled);
    EXPECT_EQ(route->guard.window, 24h);
    EXPECT_EQ(route->guard.unconfirmed, 10min);
    EXPECT_TRUE(route->redact);
    EXPECT_FALSE(route->retry.automatic);
    EXPECT_EQ(route->retry.attempts, 3u);
    EXPECT_EQ(route->retry.generations, 3u);
    EXPECT_EQ(route->retry.deadline, 1h);
    EXPECT_EQ(route->retry.lease, 30s);
    EXPECT_FALSE(route->approval.required);
    EXPECT_FALSE(route->idempotency);
    EXPECT_FALSE(route->caller_may_force);
    EXPECT_FALSE(route->headers.replace);
}

TEST(Load, TakesNullForTheDefault) {
    const auto snapshot = loaded(std::string{smallest} +
                                 "unknown_status: null\nintercept:\nlimits: ~\n"
                                 "network: {upstream_proxy: null, resolve: null}\nroutes:\n");
    EXPECT_FALSE(snapshot->unknown_status);
    EXPECT_EQ(snapshot->limits.max_inflight, 1024u);
}

TEST(Load, DialsPort80WhereTheSchemeIsHttp) {
    const auto snapshot = loaded(std::string{routes_head} +
                                 "  - {id: a, match: {host: a.test}, upstream: {scheme: http}}\n"
                                 "  - {id: b, match: {host: b.test}, upstream: {port: 8443}}\n");
    EXPECT_EQ(snapshot->route("a")->upstream.port, 80);
    EXPECT_EQ(snapshot->route("b")->upstream.port, 8443);
}

TEST(Load, LaysARoutesOwnTimeoutsAndLimitsOverTheGlobalOnes) {
    const auto snapshot = loaded(
        "data_dir: ./data\nlisten: {proxy: [127.0.0.1:0]}\n"
        "routes: [{id: r, match: {host: a.test}, timeouts: {total: 1h}, limits: {max_body: "
        "1KiB}}]\n"
        "timeouts: {connect: 2s, total: 5m}\nlimits: {max_inflight: 7}\n");
    const Route* route = snapshot->route("r");
    EXPECT_EQ(route->timeouts.total, 1h);
    EXPECT_EQ(route->timeouts.connect, 2s) << "the order of the sections does not count";
    EXPECT_EQ(route->limits.max_body, 1024u);
    EXPECT_EQ(route->limits.max_inflight, 7u);
    EXPECT_EQ(snapshot->timeouts.total, 5min);
}

struct PresetCase {
    std::string_view preset;
    std::string_view header;
    milliseconds retention;
};
TEST(Load, KnowsWhatWellKnownServicesPublish) {
    for (const PresetCase& want : {PresetCase{"stripe", "Idempotency-Key", 24h},
                                   PresetCase{"stripe_v2", "Idempotency-Key", 24h * 30},
                                   PresetCase{"adyen", "Idempotency-Key", 24h * 7},
                                   PresetCase{"paypal", "PayPal-Request-Id", 6h},
                                   PresetCase{"checkout", "Cko-Idempotency-Key", 24h}}) {
        SCOPED_TRACE(want.preset);
        const auto snapshot = loaded(std::string{routes_head} +
                                     "  - {id: r, match: {host: a.test}, idempotency: {preset: " +
                                     std::string{want.preset} + ", generate: true}}\n");
        const auto& contract = snapshot->route("r")->idempotency;
        ASSERT_TRUE(contract);
        EXPECT_EQ(contract->header, want.header);
        EXPECT_EQ(contract->retention, want.retention);
        EXPECT_EQ(contract->margin, 1h);
        EXPECT_EQ(contract->preset, want.preset);
        EXPECT_EQ(contract->scope, "r") << "the route's id where no scope is given";
        EXPECT_TRUE(contract->generate);
        EXPECT_FALSE(contract->conservative_window);
    }
}

TEST(Load, TellsAWindowFromAPublishedRetention) {
    const auto snapshot = loaded(
        std::string{routes_head} +
        "  - {id: r, match: {host: a.test}, idempotency: {body_pointer: /key, window: 2h}}\n");
    const auto& contract = snapshot->route("r")->idempotency;
    ASSERT_TRUE(contract);
    EXPECT_TRUE(contract->conservative_window);
    EXPECT_EQ(contract->retention, 2h);
    EXPECT_EQ(contract->body_pointer, "/key");
    EXPECT_TRUE(contract->header.empty());
}

TEST(Load, TakesEveryPlaceForASecret) {
    const auto snapshot =
        loaded(std::string{smallest} +
               "credentials:\n"
               "  - {id: a, source: {env: A}, inject: {header: X-Key, placeholder: none}}\n"
               "  - {id: b, source: {file: b}, inject: {basic: {username: ''}}}\n"
               "  - {id: c, source: {vault: c}, inject: {query: api_key}}\n"
               "  - {id: d, source: {file: /d}, inject: {client_cert: {}}}\n"
               "  - {id: e, source: {file: e}, inject: {client_cert: {chain: e.pem}}}\n"
               "  - {id: f, source: {file: f}, inject: {ssh_key: {username: git}}}\n");
    using Kind = Injection::Kind;
    const Kind kinds[] = {Kind::header,      Kind::basic,       Kind::query,
                          Kind::client_cert, Kind::client_cert, Kind::ssh_key};
    ASSERT_EQ(snapshot->credentials.size(), std::size(kinds));
    for (std::size_t i = 0; i < std::size(kinds); ++i) {
        EXPECT_EQ(snapshot->credentials[i].inject.kind, kinds[i]) << i;
    }
    EXPECT_EQ(snapshot->credential("a")->inject.placeholder, "none");
    EXPECT_EQ(snapshot->credential("a")->version, "1");
    EXPECT_EQ(snapshot->credential("b")->source.name, "/etc/sworn/b");
    EXPECT_EQ(snapshot->credential("b")->inject.placeholder, "sworn");
    EXPECT_EQ(snapshot->credential("d")->source.name, "/d");
    EXPECT_EQ(snapshot->credential("e")->inject.client_cert_chain, "/etc/sworn/e.pem");
    EXPECT_EQ(snapshot->credential("missing"), nullptr);
}

TEST(Load, TakesAnUpstreamProxyWithACredential) {
    const auto snapshot =
        loaded(std::string{smallest} +
               "credentials: [{id: corp, source: {env: A}, inject: {basic: {username: me}}}]\n"
               "network: {upstream_proxy: {url: 'http://proxy.test:3128/', credential: corp},\n"
               "  trusted_ca: ./ca.pem, nameservers: [192.0.2.53, '[2001:db8::53]:5353'],\n"
               "  resolve: {A.test: [127.0.0.1, '::1'], b.test: 127.0.0.2}}\n");
    const Network& network = snapshot->network;
    EXPECT_EQ(network.upstream_proxy_host, "proxy.test");
    EXPECT_EQ(network.upstream_proxy_port, 3128);
    EXPECT_EQ(network.upstream_proxy_credential, "corp");
    EXPECT_EQ(network.trusted_ca, "/etc/sworn/ca.pem");
    EXPECT_EQ(network.nameservers.size(), 2u);
    EXPECT_EQ(network.resolve.at("a.test"), (std::vector<std::string>{"127.0.0.1", "::1"}));
    EXPECT_EQ(network.resolve.at("b.test"), std::vector<std::string>{"127.0.0.2"});
}

TEST(Load, ReportsAllFaultsInTheOrderOfTheFile) {
    const auto result = load(
        "data_dir: ./data\n"
        "listen: {proxy: [127.0.0.1]}\n"
        "routes:\n"
        "  - {id: r, match: {host: a.test, port: 0}, credential: nobody}\n"
        "limits: {max_body: 5}\n"
        "nmae: x\n");
    ASSERT_FALSE(result);
    EXPECT_EQ(format("sworn.yaml", result.error()),
              "sworn.yaml:2: listen.proxy[0]: \"127.0.0.1\" is not a listener like "
              "127.0.0.1:8118, [::1]:8118 or unix:/path\n"
              "sworn.yaml:4: routes[0].match.port: \"0\" is not a whole number from 1 to 65535\n"
              "sworn.yaml:4: routes[0].credential: no credential has the id \"nobody\"\n"
              "sworn.yaml:5: limits.max_body: the number \"5\" needs a unit: 5B or 5KiB\n"
              "sworn.yaml:6: nmae: unknown key (did you mean \"name\"?)\n");
}

TEST(Load, DoesNotFollowAFaultyCredentialIntoItsRoutes) {
    const auto result = load(std::string{smallest} +
                             "credentials: [{id: k, source: {env: A}, inject: {}}]\n"
                             "routes: [{id: r, match: {host: a.test}, credential: k}]\n"
                             "ssh_routes: [{id: s, match: {host: b.test}, credential: k,\n"
                             "  host_keys: {known_hosts: k}}]\n");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().size(), 1u) << format("f", result.error());
}

TEST(Load, ReadsAFile) {
    const std::filesystem::path folder =
        std::filesystem::path{testing::TempDir()} / "sworn_config_load_test";
    std::filesystem::create_directories(folder);
    const auto file = folder / "sworn.yaml";
    std::ofstream{file} << smallest;
    const auto result = load_file(file);
    ASSERT_TRUE(result);
    EXPECT_EQ((*result)->file, file);
    EXPECT_EQ((*result)->data_dir, folder / "data");
    std::filesystem::remove_all(folder);
    EXPECT_EQ(load_file(file).error().at(0).message, "cannot be opened");
    EXPECT_EQ(load_file("/").error().at(0).message, "is a folder, not a file");
}

TEST(Load, RefusesAFileBeyondItsLimit) {
    const auto file = std::filesystem::path{testing::TempDir()} / "sworn_config_large.yaml";
    std::ofstream{file} << smallest << "#" << std::string(4u << 20, 'x');
    const auto result = load_file(file);
    std::filesystem::remove(file);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().at(0).message, "is larger than 4 MiB");
}

}  // namespace
}  // namespace sworn::config
