// Tickets and sealed requests for tests of the code that spends them, without a journal. Stands in
// for the two classes that may make tickets, so no file that includes this may include the
// journal's own.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "common/clock.h"
#include "common/ids.h"
#include "journal/ticket.h"
#include "proxy/contract/request_plan.h"
#include "proxy/credentials/credentials.h"

namespace sworn::journal {

class Committer {
public:
    static CommitTicket forge_commit(InvocationId id) { return CommitTicket{id, 1}; }
    static DispatchTicket forge_dispatch(InvocationId id, SteadyTime deadline, Digest digest) {
        return DispatchTicket{id, 1, deadline, digest};
    }
};

class Ledger {
public:
    static CredentialPermit forge_permit(InvocationId id) { return CredentialPermit{id, 1}; }
};

}  // namespace sworn::journal

namespace sworn::test {

inline InvocationId some_id() {
    return new_invocation_id(SystemClock{}.now());
}

inline journal::CommitTicket commit_ticket() {
    return journal::Committer::forge_commit(some_id());
}

/// A request whose head is `head`, with the ticket that lets it go.
struct Sendable {
    credentials::SealedRequest request;
    journal::DispatchTicket ticket;
};

inline Sendable sendable(std::string head,
                         std::chrono::milliseconds valid_for = std::chrono::hours{1}) {
    const auto id = some_id();
    contract::RequestPlan plan;
    plan.head.push_back({contract::Segment::Kind::text, std::move(head)});
    const auto permit = journal::Ledger::forge_permit(id);
    auto sealed = credentials::seal(plan, nullptr, nullptr, permit);
    SWORN_ASSERT(static_cast<bool>(sealed));
    auto ticket = journal::Committer::forge_dispatch(
        id, std::chrono::steady_clock::now() + valid_for, sealed->request_digest());
    return {*std::move(sealed), std::move(ticket)};
}

}  // namespace sworn::test
