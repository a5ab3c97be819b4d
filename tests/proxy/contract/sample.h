// A route, its credential and a request that fits them: what a test sets is what it is about.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "proxy/contract/preflight.h"

namespace sworn::test {

using namespace std::chrono_literals;

inline config::Credential sample_credential() {
    config::Credential credential;
    credential.id = "pay-key";
    credential.version = "2026-11";
    credential.source.name = "PAY_KEY";
    credential.inject.kind = config::Injection::Kind::header;
    credential.inject.header = "Authorization";
    credential.inject.format = "Bearer {secret}";
    return credential;
}

inline config::Route sample_route() {
    config::Route route;
    route.id = "payments";
    route.host = "api.example.test";
    route.path = "/v1/";
    route.credential = "pay-key";
    route.digest = sha256("payments route");
    return route;
}

inline config::Idempotency sample_contract() {
    config::Idempotency contract;
    contract.header = "Idempotency-Key";
    contract.scope = "payments.create";
    contract.retention = 24h;
    contract.margin = 1h;
    contract.verified_by = "ops";
    return contract;
}

inline config::Snapshot sample_snapshot() {
    config::Snapshot snapshot;
    snapshot.credentials = {sample_credential()};
    snapshot.routes = {sample_route()};
    return snapshot;
}

inline config::SnapshotPtr share(config::Snapshot snapshot) {
    return std::make_shared<const config::Snapshot>(std::move(snapshot));
}

inline contract::HttpAction sample_action(std::string method = "POST",
                                          std::string path = "/v1/charges") {
    contract::HttpAction action;
    action.method = std::move(method);
    action.target.host = "api.example.test";
    action.target.path = std::move(path);
    action.body_digest = sha256("");
    return action;
}

/// The head with "<secret>" in the secret's place.
inline std::string head_text(const contract::RequestPlan& plan) {
    std::string text;
    for (const auto& segment : plan.head) {
        text += segment.kind == contract::Segment::Kind::text ? segment.text : "<secret>";
    }
    return text;
}

inline std::size_t count_of(const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++count;
    return count;
}

}  // namespace sworn::test
