#include <gtest/gtest.h>

#include <functional>

#include "tests/proxy/contract/sample.h"

namespace sworn::contract {
namespace {

Bound bound_to(config::Snapshot snapshot) {
    auto got = preflight(test::sample_action(), test::share(std::move(snapshot)), "2026-11");
    EXPECT_TRUE(got);
    return std::move(*got);
}

struct Change {
    const char* name;
    std::function<void(config::Snapshot&)> apply;
    bool stops_plain;  ///< Without an approval.
    bool stops_approved;
};

const std::vector<Change> changes{
    {"nothing", [](auto&) {}, false, false},
    {"another route", [](auto& s) { s.routes.push_back(config::Route{}); }, false, false},
    {"another credential", [](auto& s) { s.credentials.push_back(config::Credential{}); }, false,
     false},
    {"route removed", [](auto& s) { s.routes.clear(); }, true, true},
    {"route edited", [](auto& s) { s.routes[0].digest = sha256("edited"); }, false, true},
    {"credential removed", [](auto& s) { s.credentials.clear(); }, false, true},
    {"version", [](auto& s) { s.credentials[0].version = "2026-12"; }, false, true},
    {"source name", [](auto& s) { s.credentials[0].source.name = "OTHER"; }, false, true},
    {"source kind",
     [](auto& s) { s.credentials[0].source.kind = config::SecretSource::Kind::file; }, false, true},
    {"injected header", [](auto& s) { s.credentials[0].inject.header = "X-Key"; }, false, true},
    {"format", [](auto& s) { s.credentials[0].inject.format = "{secret}"; }, false, true},
};

TEST(Recheck, OnlyARemovedRouteStopsAPlainAction) {
    const auto bound = bound_to(test::sample_snapshot());
    for (const Change& change : changes) {
        auto current = test::sample_snapshot();
        change.apply(current);
        const auto got = recheck(bound, bound.validated.request_digest, current);
        EXPECT_EQ(!got, change.stops_plain) << change.name;
        if (!got) {
            EXPECT_EQ(got.error().code, Code::snapshot_mismatch);
        }
    }
    EXPECT_TRUE(recheck(bound, bound.validated.request_digest, test::sample_snapshot(), "rotated"));
}

TEST(Recheck, AnyChangeStopsAnApprovedAction) {
    auto snapshot = test::sample_snapshot();
    snapshot.routes[0].approval.required = true;
    const auto bound = bound_to(snapshot);
    for (const Change& change : changes) {
        auto current = snapshot;
        change.apply(current);
        const auto got = recheck(bound, bound.validated.request_digest, current);
        EXPECT_EQ(!got, change.stops_approved) << change.name;
    }
    EXPECT_TRUE(recheck(bound, bound.validated.request_digest, snapshot, "2026-11"));
    EXPECT_FALSE(recheck(bound, bound.validated.request_digest, snapshot, "2026-11+1"));
}

TEST(Recheck, AnotherRequestInTheBufferIsNeverSent) {
    const auto bound = bound_to(test::sample_snapshot());
    const auto got = recheck(bound, sha256("other"), test::sample_snapshot());
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Code::snapshot_mismatch);
}

}  // namespace
}  // namespace sworn::contract
