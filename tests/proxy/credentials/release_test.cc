#include <gtest/gtest.h>

#include <utility>

#include "tests/support/forged_tickets.h"

namespace sworn::credentials {
namespace {

using config::Injection;
using contract::RequestPlan;
using contract::Segment;
using journal::Committer;
using journal::DispatchTicket;
using journal::Ledger;

const SteadyTime later = std::chrono::steady_clock::now() + std::chrono::hours{1};

RequestPlan plan() {
    RequestPlan made;
    made.head = {{Segment::Kind::text, "GET /"},
                 {Segment::Kind::secret, ""},
                 {Segment::Kind::text, " HTTP/1.1\r\n\r\n"}};
    return made;
}

SealedRequest sealed(InvocationId id, Injection::Kind kind, std::string value) {
    config::Credential credential;
    credential.inject.kind = kind;
    credential.inject.username = "ci";
    const Secret secret{std::move(value)};
    auto made = seal(plan(), &credential, &secret, Ledger::forge_permit(id));
    SWORN_ASSERT(static_cast<bool>(made));
    return *std::move(made);
}

DispatchTicket ticket(InvocationId id, const Digest& digest) {
    return Committer::forge_dispatch(id, later, digest);
}

TEST(Release, GivesTheExactBytesForEachKind) {
    const auto id = test::some_id();
    const struct {
        Injection::Kind kind;
        const char* secret;
        const char* bytes;
    } rows[] = {
        {Injection::Kind::header, "K3y", "GET /K3y HTTP/1.1\r\n\r\n"},
        {Injection::Kind::basic, "K3y", "GET /Y2k6SzN5 HTTP/1.1\r\n\r\n"},
        {Injection::Kind::query, "K 3&y", "GET /K%203%26y HTTP/1.1\r\n\r\n"},
    };
    for (const auto& row : rows) {
        const auto request = sealed(id, row.kind, row.secret);
        const auto proof = ticket(id, plan().request_digest());
        EXPECT_EQ(request.release(proof), row.bytes);
    }
}

TEST(ReleaseDeathTest, OfAnotherInvocationAborts) {
    const auto request = sealed(test::some_id(), Injection::Kind::header, "K3y");
    const auto proof = ticket(test::some_id(), plan().request_digest());
    EXPECT_DEATH(static_cast<void>(request.release(proof)), "ticket.id");
}

TEST(ReleaseDeathTest, OfAnotherRequestAborts) {
    const auto id = test::some_id();
    const auto request = sealed(id, Injection::Kind::header, "K3y");
    const auto proof = ticket(id, sha256("another request"));
    EXPECT_DEATH(static_cast<void>(request.release(proof)), "request_digest");
}

TEST(ReleaseDeathTest, WithASpentTicketAborts) {
    const auto id = test::some_id();
    const auto request = sealed(id, Injection::Kind::header, "K3y");
    auto proof = ticket(id, plan().request_digest());
    const auto spent = std::move(proof);
    EXPECT_TRUE(spent.live());
    EXPECT_DEATH(static_cast<void>(request.release(proof)), "ticket.live");  // NOLINT: moved-from
}

}  // namespace
}  // namespace sworn::credentials
