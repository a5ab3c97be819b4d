#include "proxy/config/starter.h"

namespace sworn::config {
namespace {

constexpr const char* broker_part =
    R"yaml(# Sworn's configuration. Every key, its default and its meaning: docs/configuration.md.
# Check it with:  sworn check --config sworn.yaml     Load it again with:  kill -HUP <pid>
# Paths are relative to this file. Sizes and durations need a unit (64KiB, 30s).

name: sworn
data_dir: ./data

listen:
  # Set HTTP_PROXY and HTTPS_PROXY to this address, or let `sworn run -- CMD` do it.
  proxy: [127.0.0.1:8118]
  # The operator's door: the socket is for you alone, TCP needs the token below.
  control: [unix:./data/control.sock, 127.0.0.1:8119]
  metrics: 127.0.0.1:8120

control_token: {file: ./data/control.token}

# With this CA Sworn opens HTTPS requests of callers that trust it, to inject the secret.
intercept: {ca_cert: ./data/ca.pem, ca_key: ./data/ca.key}

# Answer 424 instead of 502 or 504 where the outcome is unknown: SDKs repeat 5xx by themselves.
#unknown_status: 424

# network:
#   allow_private: [10.0.0.0/8]    # Private targets are refused unless they are listed.

# The examples below are comments. To use one, set its variable in the broker's environment (or
# name a file: {file: ./key}) and remove the # in front of its credential and its route.

)yaml";

constexpr const char* credentials_part = R"yaml(credentials:
  # An OpenAI API key, sent as a bearer token.
  #- id: openai
  #  source: {env: OPENAI_API_KEY}
  #  inject: {header: Authorization, format: "Bearer {secret}"}

  # An Anthropic API key, sent in its own header.
  #- id: anthropic
  #  source: {env: ANTHROPIC_API_KEY}
  #  inject: {header: x-api-key}

  # A GitHub token for the API.
  #- id: github-api
  #  source: {env: GITHUB_TOKEN}
  #  inject: {header: Authorization, format: "Bearer {secret}"}

  # The same GitHub token for git over HTTPS, which wants a user name with it.
  #- id: github-git
  #  source: {env: GITHUB_TOKEN}
  #  inject: {basic: {username: x-access-token}}

  # A Stripe key; a restricted one is enough for most uses.
  #- id: stripe
  #  source: {env: STRIPE_API_KEY}
  #  inject: {header: Authorization, format: "Bearer {secret}"}

  # A Slack bot token.
  #- id: slack
  #  source: {env: SLACK_TOKEN}
  #  inject: {header: Authorization, format: "Bearer {secret}"}

)yaml";

constexpr const char* model_routes_part =
    R"yaml(# The first route that matches counts; what matches none is refused.
routes:
  # A target without a secret, to try the proxy with:
  # curl -x http://127.0.0.1:8118 http://example.com/
  - id: example
    match: {host: example.com, methods: [GET, HEAD]}

  # Completions and embeddings may be repeated: nothing is changed. The rest goes by method.
  #- id: openai
  #  match: {host: api.openai.com, path: /v1/}
  #  credential: openai
  #  semantics:
  #    - {methods: [POST], path: /v1/chat/completions, is: idempotent}
  #    - {methods: [POST], path: /v1/completions, is: idempotent}
  #    - {methods: [POST], path: /v1/responses, is: idempotent}
  #    - {methods: [POST], path: /v1/embeddings, is: idempotent}
  #    - {methods: [POST], path: /v1/moderations, is: idempotent}
  #  timeouts: {response_header: 10m, response_idle: 10m}

  # Messages may be repeated; a batch of messages is a job and is not created twice.
  #- id: anthropic
  #  match: {host: api.anthropic.com, path: /v1/}
  #  credential: anthropic
  #  semantics:
  #    - {methods: [POST], path: /v1/messages/batches, is: by_method}
  #    - {methods: [POST], path: /v1/messages, is: idempotent}
  #  timeouts: {response_header: 10m, response_idle: 10m}

)yaml";

constexpr const char* service_routes_part =
    R"yaml(  # GraphQL queries may be repeated; leave this route out if your callers send mutations.
  #- id: github-graphql
  #  match: {host: api.github.com, methods: [POST], path: /graphql}
  #  credential: github-api
  #  semantics: idempotent

  # The REST API goes by method: reads and searches (GET) repeat, creating things (POST) does not.
  #- id: github-api
  #  match: {host: api.github.com}
  #  credential: github-api

  # Fetch and clone are known to be reads; a push is sent once.
  #- id: github-git
  #  match: {host: github.com, methods: [GET, POST]}
  #  credential: github-git
  #  timeouts: {response_header: 10m, response_idle: 10m}

  # Every write carries a key that Stripe keeps for a day, so a lost answer can be asked for again.
  #- id: stripe
  #  match: {host: api.stripe.com, path: /v1/}
  #  credential: stripe
  #  idempotency: {preset: stripe, scope: stripe, generate: true}

  # Slack posts everything and has no keys: a message whose answer was lost waits for a person.
  #- id: slack
  #  match: {host: slack.com, path: /api/}
  #  credential: slack

  # Packages need no secret: the connection passes unseen, and only the tunnel is recorded.
  #- id: python-packages
  #  match: {host: pypi.org, port: 443}
  #  mode: tunnel
  #- id: python-files
  #  match: {host: files.pythonhosted.org, port: 443}
  #  mode: tunnel
)yaml";

}  // namespace

std::string starter_config() {
    return std::string{broker_part} + credentials_part + model_routes_part + service_routes_part;
}

}  // namespace sworn::config
