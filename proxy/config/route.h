// What one route says: where requests for a host go, with which credential, and what is known of
// their meaning. Every default is stated here. Source: docs/configuration.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/digest.h"

namespace sworn::config {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

/// What is known to be repeatable. by_method: GET HEAD OPTIONS PUT DELETE.
enum class Semantics : std::uint8_t { by_method, idempotent, non_idempotent };
struct SemanticsRule {
    std::vector<std::string> methods;  ///< Empty: any.
    std::string path;                  ///< Prefix.
    Semantics is = Semantics::by_method;
};

struct Upstream {
    std::string scheme = "https";
    std::uint16_t port = 443;      ///< Default 80 where scheme is http.
    std::string host;              ///< Empty: the matched host.
    std::filesystem::path ca;      ///< Empty: network.trusted_ca.
    std::vector<std::string> pin;  ///< "sha256/BASE64" of the SPKI.
};

struct Idempotency {
    std::string header;        ///< Header name, or
    std::string body_pointer;  ///< a JSON pointer into the request body.
    std::string scope;
    milliseconds retention{0};  ///< As published, or `window` where nothing is.
    bool conservative_window = false;
    milliseconds margin{0};
    bool generate = false;
    std::string preset;  ///< "stripe"; empty = configured by hand.
    std::string verified_by, verified_on;
};

struct RetryPolicy {
    bool automatic = false;
    std::uint32_t attempts = 3, generations = 3;
    milliseconds deadline = 1h, lease = 30s;
    std::optional<milliseconds> default_delay;
    std::vector<int> refused_without_effect;  ///< Statuses.
};

struct Redirects {
    std::uint32_t follow = 0;
    std::vector<std::string> to;
};
struct Approval {
    bool required = false;
    milliseconds ttl = 10min;
};
/// A value taken from a response: a JSON pointer into the body, or a header.
struct Extract {
    std::string json, header;
};
struct Job {
    std::optional<Extract> id, status_url;
};
struct Batch {
    std::string request, response, id, status;
    std::vector<std::string> applied, refused;
    bool atomic = false;
};
struct FindingRule {
    std::vector<int> status, exit;
    std::map<std::string, std::string> json;  ///< Pointer -> expected scalar text.
};
struct ReconcileQuery {
    std::string method = "GET", path;
    std::string command;  ///< SSH routes.
    FindingRule applied, not_applied;
    milliseconds settle_after{0};
};
struct HeaderRules {
    std::vector<std::string> deny;  ///< Lower case.
    bool replace = false;           ///< override: replace
};
struct Guard {
    bool enabled = true;
    milliseconds window = 24h, unconfirmed = 10min;
};

struct Timeouts {
    milliseconds request_header = 15s, request_body = 60s, client_idle = 75s, resolve = 5s,
                 connect = 5s, tls = 5s, response_header = 120s, response_idle = 120s,
                 total = 30min, drain = 30s;
};
struct Limits {
    std::uint64_t max_body = 256ull << 20, max_header = 64ull << 10, max_connections = 4096,
                  max_inflight = 1024;
};

enum class RouteMode : std::uint8_t { inject, tunnel };
enum class OnCancel : std::uint8_t { by_method, finish, close };  ///< by_method: safe ones close.

struct Route {
    std::string id;
    // match
    std::string host;  ///< "api.example.test" or "*.example.test"; lower case.
    std::optional<std::uint16_t> match_port;  ///< Absent: 80 and 443.
    std::vector<std::string> methods;         ///< Empty: any but TRACE and CONNECT.
    std::string path = "/";                   ///< Prefix.
    RouteMode mode = RouteMode::inject;
    Upstream upstream;
    std::string credential;  ///< Empty: nothing is injected.
    Semantics semantics = Semantics::by_method;
    std::vector<SemanticsRule> semantics_rules;
    bool require_explicit_framing = false;
    OnCancel on_cancel = OnCancel::by_method;
    std::optional<Idempotency> idempotency;
    RetryPolicy retry;
    Redirects redirects;
    Approval approval;
    std::optional<Job> job;
    std::optional<Batch> batch;
    std::optional<ReconcileQuery> reconcile;
    HeaderRules headers;
    Guard guard;
    bool caller_may_force = false;  ///< forced_repeat: caller
    bool redact = true;
    std::vector<std::string> trust_hops;
    Timeouts timeouts;  ///< The global ones with the route's own laid over.
    Limits limits;
    Digest digest;  ///< Over everything above, canonically.
};

struct SshRoute {
    std::string id, host;
    std::uint16_t port = 22;
    std::vector<std::string> users, commands;  ///< commands: ECMAScript regular expressions.
    std::string credential;
    std::vector<std::string> host_keys;
    std::filesystem::path known_hosts;
    Semantics semantics = Semantics::non_idempotent;
    std::string marker_stdout_regex;
    std::optional<ReconcileQuery> reconcile;
    bool shell = false;
    OnCancel on_cancel = OnCancel::finish;
    RetryPolicy retry;
    Approval approval;
    Guard guard;
    Digest digest;
};

}  // namespace sworn::config
