// Proof, as types. The two orderings that the contract rests on (durable before dispatch, durable
// before the last byte is delivered) hold because only the journal can make these, and the acts
// that they protect cannot be called without one (docs/architecture.md).
#pragma once

#include <cstdint>
#include <utility>

#include "common/clock.h"
#include "common/digest.h"
#include "common/ids.h"

namespace sworn::journal {

class Committer;
class Ledger;

/// Moves, never copies; a moved-from proof proves nothing and asserts when it is spent.
class Proof {
public:
    Proof(Proof&& other) noexcept
        : id_{other.id_},
          generation_{other.generation_},
          live_{std::exchange(other.live_, false)} {}
    Proof& operator=(Proof&& other) noexcept {
        id_ = other.id_;
        generation_ = other.generation_;
        live_ = std::exchange(other.live_, false);
        return *this;
    }
    Proof(const Proof&) = delete;
    Proof& operator=(const Proof&) = delete;
    ~Proof() = default;

    [[nodiscard]] const InvocationId& id() const noexcept { return id_; }
    [[nodiscard]] std::uint32_t generation() const noexcept { return generation_; }
    [[nodiscard]] bool live() const noexcept { return live_; }

protected:
    Proof(InvocationId id, std::uint32_t generation) noexcept : id_{id}, generation_{generation} {}
    InvocationId id_;
    std::uint32_t generation_;
    bool live_ = true;
};

/// A credential may be revealed for this invocation: CREDENTIAL_AUTHORIZED was accepted by the
/// journal (after a durable approval where the route requires one).
class CredentialPermit : public Proof {
    friend class Ledger;
    using Proof::Proof;
};

/// DISPATCH_STARTED is durable: this generation may hand over its request, once, until `deadline`.
class DispatchTicket : public Proof {
public:
    [[nodiscard]] SteadyTime deadline() const noexcept { return deadline_; }
    [[nodiscard]] const Digest& request_digest() const noexcept { return request_digest_; }

private:
    friend class Committer;
    DispatchTicket(InvocationId id, std::uint32_t generation, SteadyTime deadline, Digest digest)
        : Proof{id, generation}, deadline_{deadline}, request_digest_{digest} {}
    SteadyTime deadline_;
    Digest request_digest_;
};

/// RESULT_COMMITTED (or the settles:false end of contract section 5) is durable: the last byte may
/// go to the caller.
class CommitTicket : public Proof {
    friend class Committer;
    using Proof::Proof;
};

}  // namespace sworn::journal
