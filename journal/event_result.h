// Events of the result and of what comes after: delivery, retries, findings, recovery, retention.
// Fields and tags: see journal/event.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "common/clock.h"
#include "common/digest.h"
#include "common/ids.h"
#include "common/vocabulary.h"
#include "journal/event_type.h"

namespace sworn::journal {

struct CallerCancelled {
    static constexpr auto type = EventType::caller_cancelled;
    std::string how{};  ///< "reset", "closed", "timeout"
    static auto fields(auto& e, auto&& v) { v(1, "how", e.how); }
};

/// Outcome, digest and retrievable result, in one atomic write.
struct ResultCommitted {
    static constexpr auto type = EventType::result_committed;
    Outcome outcome = Outcome::committed;
    std::optional<Code> code{};          ///< REMOTE_REJECTED, REDIRECT_REFUSED, …
    Retry directive = Retry::never;      ///< Contract section 5's row for this response.
    std::optional<WallTime> retry_at{};  ///< With directive backoff.
    std::uint32_t status = 0;
    Digest result_digest{};  ///< Of the stored bytes.
    std::uint64_t bytes = 0;
    bool retained = true;     ///< false: over max_result, only digest and length are kept.
    std::string part_file{};  ///< Name below results/; empty = the parts are in the journal.
    std::string scope{};      ///< "tunnel" for a tunnel; else empty.
    static auto fields(auto& e, auto&& v) {
        v(1, "outcome", e.outcome);
        v(2, "code", e.code);
        v(3, "directive", e.directive);
        v(4, "retry_at", e.retry_at);
        v(5, "status", e.status);
        v(6, "result_digest", e.result_digest);
        v(7, "bytes", e.bytes);
        v(8, "retained", e.retained);
        v(9, "part_file", e.part_file);
        v(10, "scope", e.scope);
    }
};

struct ResultDelivered {
    static constexpr auto type = EventType::result_delivered;
    std::string how{};  ///< "next_request", "closed", "fetched", "ack"
    static auto fields(auto& e, auto&& v) { v(1, "how", e.how); }
};
struct DeliveryFailed {
    static constexpr auto type = EventType::delivery_failed;
    std::string how{};
    static auto fields(auto& e, auto&& v) { v(1, "how", e.how); }
};

/// The event's own `generation` is the new one.
struct RetryLeased {
    static constexpr auto type = EventType::retry_leased;
    std::string holder{};
    WallTime deadline{};
    std::string forced_by{}, reason{};  ///< Empty unless forced past reconcile.
    static auto fields(auto& e, auto&& v) {
        v(1, "holder", e.holder);
        v(2, "deadline", e.deadline);
        v(3, "forced_by", e.forced_by);
        v(4, "reason", e.reason);
    }
};

struct Reconciled {
    static constexpr auto type = EventType::reconciled;
    Finding finding = Finding::inconclusive;
    std::optional<InvocationId> query{};  ///< The query's own invocation.
    static auto fields(auto& e, auto&& v) {
        v(1, "finding", e.finding);
        v(2, "query", e.query);
    }
};
struct Attested {
    static constexpr auto type = EventType::attested;
    Finding finding = Finding::inconclusive;
    std::string by{}, reason{};
    std::string identity{};  ///< The authenticated identity that the door saw.
    static auto fields(auto& e, auto&& v) {
        v(1, "finding", e.finding);
        v(2, "by", e.by);
        v(3, "reason", e.reason);
        v(4, "identity", e.identity);
    }
};

/// Restates what an unfinished record proves after a restart.
struct BrokerRecovered {
    static constexpr auto type = EventType::broker_recovered;
    Phase phase = Phase::validation;
    Outcome outcome = Outcome::not_attempted;
    static auto fields(auto& e, auto&& v) {
        v(1, "phase", e.phase);
        v(2, "outcome", e.outcome);
    }
};
struct ResultExpired {
    static constexpr auto type = EventType::result_expired;
    static auto fields(auto&, auto&&) {}
};

}  // namespace sworn::journal
