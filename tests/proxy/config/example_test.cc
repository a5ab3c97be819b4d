// A file that uses every key there is.
#include <gtest/gtest.h>

#include "tests/proxy/config/config_support.h"

namespace sworn::config {
namespace {

constexpr std::string_view example = R"yaml(name: sworn
data_dir: ./data
listen:
  proxy: [127.0.0.1:8118]
  control: [unix:./data/control.sock, 127.0.0.1:8119]
  metrics: 127.0.0.1:8120
  ssh: [unix:./data/ssh.sock, 127.0.0.1:8122]
control_token: {file: ./data/control.token}
intercept: {ca_cert: ./data/ca.pem, ca_key: ./data/ca.key}
journal: {backend: rocksdb, reserve: 64MiB, retain_results: 72h, retain_records: 90d,
      retain_tokens: 400d, max_result: 16MiB, max_size: 10GiB}
limits: {max_body: 256MiB, max_header: 64KiB, max_connections: 4096, max_inflight: 1024}
timeouts: {request_header: 15s, request_body: 60s, client_idle: 75s, resolve: 5s, connect: 5s,
      tls: 5s, response_header: 120s, response_idle: 120s, total: 30m, drain: 30s}
unknown_status: null
network:
  allow_private: []
  trusted_ca: system
  upstream_proxy: null
  nameservers: []
  resolve: {}
callers:
  - {id: ci, token: {env: CI_PROXY_TOKEN}, routes: [payments]}
credentials:
  - id: pay-key
    version: "2026-11"
    source: {env: PAY_KEY}
    inject: {header: Authorization, format: "Bearer {secret}", placeholder: sworn}
  - id: deploy-key
    source: {file: ./id_ed25519}
    inject: {ssh_key: {username: deploy}}
routes:
  - id: payments
    match: {host: api.example.test, methods: [POST, GET], path: /v1/}
    upstream: {scheme: https, port: 443, host: null, ca: null, pin: []}
    credential: pay-key
    semantics: by_method
    require_framing: any
    on_cancel: finish
    idempotency: {header: Idempotency-Key, scope: payments.create, retention: 24h, margin: 1h,
          generate: true, verified: {by: ops, on: 2026-11-01}}
    retry: {automatic: false, attempts: 3, generations: 3, deadline: 1h, lease: 30s,
          default_delay: null, refused_without_effect: [429]}
    redirects: {follow: 0, to: []}
    approval: {required: false, ttl: 10m}
    job: {id: {json: /id}, status_url: {header: Location}}
    batch: {request: /operations, response: /results, id: /id, status: /status, applied: [ok],
          refused: [error], atomic: false}
    reconcile: {method: GET, path: "/v1/by-key/{idempotency_key}", applied: {status: [200]},
          not_applied: {status: [404]}, settle_after: 30s}
    headers: {deny: [X-Admin], override: refuse}
    guard: {window: 24h, unconfirmed: 10m, scope: caller}
    forced_repeat: operator
    redact: true
    trust_hops: []
  - id: docs
    match: {host: docs.example.test}
    mode: tunnel
ssh_routes:
  - id: deploys
    match: {host: build.example.test, port: 22, users: [deploy],
          commands: ["^deploy [a-z0-9-]+$"]}
    credential: deploy-key
    host_keys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"]
    semantics: non_idempotent
    marker: null
    reconcile: {command: "deploy-status {operation_id}", applied: {exit: [0]},
          not_applied: {exit: [3]}}
)yaml";

TEST(Example, LoadsItsBroker) {
    const auto snapshot = loaded(example);
    EXPECT_EQ(snapshot->listen.proxy.at(0).port, 8118);
    EXPECT_EQ(snapshot->listen.control.at(0).kind, Listener::Kind::unix_socket);
    EXPECT_EQ(snapshot->listen.control.at(0).path, "/etc/sworn/data/control.sock");
    EXPECT_EQ(snapshot->listen.ssh.size(), 2u);
    ASSERT_TRUE(snapshot->control_token);
    EXPECT_EQ(snapshot->control_token->kind, SecretSource::Kind::file);
    EXPECT_EQ(snapshot->ca_key, "/etc/sworn/data/ca.key");
    EXPECT_TRUE(snapshot->network.allow_private.empty());
    EXPECT_TRUE(snapshot->network.trusted_ca.empty());
    ASSERT_EQ(snapshot->callers.size(), 1u);
    EXPECT_EQ(snapshot->callers[0].token.name, "CI_PROXY_TOKEN");
    EXPECT_EQ(snapshot->callers[0].routes, std::vector<std::string>{"payments"});
    ASSERT_EQ(snapshot->credentials.size(), 2u);
    EXPECT_EQ(snapshot->credentials[0].version, "2026-11");
    EXPECT_EQ(snapshot->credentials[0].inject.format, "Bearer {secret}");
    EXPECT_EQ(snapshot->credentials[1].inject.username, "deploy");
}

TEST(Example, LoadsWhatItsRouteMatchesAndRepeats) {
    const auto snapshot = loaded(example);
    const Route* route = snapshot->route("payments");
    ASSERT_NE(route, nullptr);
    EXPECT_EQ(route->methods, (std::vector<std::string>{"POST", "GET"}));
    EXPECT_EQ(route->path, "/v1/");
    EXPECT_TRUE(route->upstream.host.empty());
    EXPECT_EQ(route->credential, "pay-key");
    EXPECT_EQ(route->on_cancel, OnCancel::finish);
    ASSERT_TRUE(route->idempotency);
    EXPECT_EQ(route->idempotency->header, "Idempotency-Key");
    EXPECT_EQ(route->idempotency->scope, "payments.create");
    EXPECT_EQ(route->idempotency->retention, 24h);
    EXPECT_EQ(route->idempotency->margin, 1h);
    EXPECT_TRUE(route->idempotency->generate);
    EXPECT_EQ(route->idempotency->verified_by, "ops");
    EXPECT_EQ(route->idempotency->verified_on, "2026-11-01");
    EXPECT_FALSE(route->retry.default_delay);
    EXPECT_EQ(route->retry.refused_without_effect, std::vector<int>{429});
    EXPECT_EQ(route->headers.deny, std::vector<std::string>{"x-admin"});
    EXPECT_EQ(route->guard.unconfirmed, 10min);
    EXPECT_EQ(snapshot->route("docs")->mode, RouteMode::tunnel);
}

TEST(Example, LoadsHowItsRouteReadsAnswers) {
    const auto snapshot = loaded(example);
    const Route* route = snapshot->route("payments");
    ASSERT_NE(route, nullptr);
    ASSERT_TRUE(route->job && route->job->id && route->job->status_url);
    EXPECT_EQ(route->job->id->json, "/id");
    EXPECT_EQ(route->job->status_url->header, "Location");
    ASSERT_TRUE(route->batch);
    EXPECT_EQ(route->batch->request, "/operations");
    EXPECT_EQ(route->batch->refused, std::vector<std::string>{"error"});
    ASSERT_TRUE(route->reconcile);
    EXPECT_EQ(route->reconcile->path, "/v1/by-key/{idempotency_key}");
    EXPECT_EQ(route->reconcile->applied.status, std::vector<int>{200});
    EXPECT_EQ(route->reconcile->not_applied.status, std::vector<int>{404});
    EXPECT_EQ(route->reconcile->settle_after, 30s);
}

TEST(Example, LoadsItsSshRoute) {
    const auto snapshot = loaded(example);
    const SshRoute* route = snapshot->ssh_route("deploys");
    ASSERT_NE(route, nullptr);
    EXPECT_EQ(route->host, "build.example.test");
    EXPECT_EQ(route->users, std::vector<std::string>{"deploy"});
    EXPECT_EQ(route->commands, std::vector<std::string>{"^deploy [a-z0-9-]+$"});
    EXPECT_EQ(route->credential, "deploy-key");
    EXPECT_EQ(route->host_keys.size(), 1u);
    EXPECT_EQ(route->semantics, Semantics::non_idempotent);
    EXPECT_TRUE(route->marker_stdout_regex.empty());
    ASSERT_TRUE(route->reconcile);
    EXPECT_EQ(route->reconcile->command, "deploy-status {operation_id}");
    EXPECT_EQ(route->reconcile->not_applied.exit, std::vector<int>{3});
}

}  // namespace
}  // namespace sworn::config
