// The private buffer: the whole request head with the secret in it. Only credentials/ makes one,
// against a permit; only an exchange reads it, against a dispatch ticket. Wiped on destruction.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/digest.h"
#include "common/ids.h"
#include "common/result.h"
#include "common/secret.h"
#include "journal/ticket.h"
#include "proxy/config/snapshot.h"
#include "proxy/contract/request_plan.h"

namespace sworn::credentials {

class SealedRequest {
public:
    SealedRequest(SealedRequest&&) noexcept = default;
    SealedRequest& operator=(SealedRequest&&) noexcept = default;

    /// The request digest of what the buffer now holds, the secret's place marked. Compared with
    /// the bound one right before dispatch.
    [[nodiscard]] Digest request_digest() const;
    /// The bytes to send. Asserts that the ticket is live and of this invocation and digest.
    [[nodiscard]] std::string_view release(const journal::DispatchTicket& ticket) const;
    /// What to mask if the remote echoes it: the raw secret and its rendered form. Empty if none.
    [[nodiscard]] const std::vector<Secret>& needles() const noexcept { return needles_; }

private:
    friend Result<SealedRequest> seal(const contract::RequestPlan&, const config::Credential*,
                                      const Secret*, const journal::CredentialPermit&);
    SealedRequest() = default;

    /// One segment of the plan as it stands in head_. The slots cover head_ without a gap.
    struct Slot {
        contract::Segment::Kind kind;
        std::size_t offset, size;
        std::string mark;  ///< What the plan holds in a secret's place.
    };

    InvocationId id_;
    Secret head_;
    std::vector<Slot> slots_;
    std::vector<Secret> needles_;
    contract::RequestPlan plan_tail_;  ///< Body digest, size and origin, for the digest; no head.
};

}  // namespace sworn::credentials
