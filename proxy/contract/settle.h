// Observations in, judgement out: what a finished or broken exchange proves, and what may be done
// next (contract sections 4 and 5). The only code that reads a status for its meaning. Pure; its
// table is data in tests/vectors/settle.txt.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/clock.h"
#include "common/proxy_status.h"
#include "common/vocabulary.h"
#include "journal/record.h"

namespace sworn::contract {

/// How an exchange ended, as the wire code saw it.
enum class ExchangeEnd : std::uint8_t {
    complete,  ///< Framing proves the end.
    closed,    ///< FIN (or TLS end without close_notify) before the end.
    reset,
    write_failed,    ///< The request could not be written whole and nothing complete came back.
    malformed_head,  ///< The header section breaks the grammar or a limit.
    malformed_body,  ///< Chunk framing breaks the grammar.
    header_timeout,
    idle_timeout,
    total_timeout,
    tls_error,            ///< Alert or record failure after the hand-over.
    cancelled_by_caller,  ///< on_cancel: close
    interrupted,          ///< The broker stops.
    never_sent,           ///< The ticket stayed unused.
};

/// Plain facts; no judgement. Markers are what was observed, never inferred.
struct Observations {
    ExchangeEnd end = ExchangeEnd::closed;
    journal::Markers markers;
    bool head_parsed = false;
    int status = 0;
    Framing framing = Framing::content_length;
    std::uint64_t body_bytes = 0;
    std::string retry_after;              ///< Field value; empty = none.
    std::vector<HopStatus> proxy_status;  ///< Parsed Proxy-Status members of the response.
    std::string location;
};

/// What the route and the request say about this operation.
struct Operation {
    bool repeatable = false;
    bool safe = false;
    bool key_bound = false;  ///< An idempotency key under a declared contract.
    bool require_explicit_framing = false;
    std::vector<int> refused_without_effect;
    std::optional<std::chrono::milliseconds> default_delay;
    std::vector<std::string> trust_hops;
    bool tls = true;
    bool redirect_refused = false;  ///< A follow was asked for and not allowed.
};

struct Judgement {
    bool settles = false;  ///< RESULT_COMMITTED follows; else EXCHANGE_BROKEN.
    Outcome outcome = Outcome::unknown;
    std::optional<Code> code;
    Retry directive = Retry::never;             ///< Section 5's row; for unknown: its rules apply.
    std::optional<WallTime> retry_at;           ///< With backoff.
    ProxyError proxy_error = ProxyError::none;  ///< For a broken exchange's own answer.
    std::string hop;                            ///< INTERMEDIARY_ERROR: who failed.
    std::string_view how;                       ///< A literal sentence for EXCHANGE_BROKEN.
};

/// Section 5's rules for `unknown` before key expiry and budgets, which the projection applies.
[[nodiscard]] Retry unknown_directive(const Operation& operation) noexcept;

[[nodiscard]] Judgement settle(const Observations& seen, const Operation& operation, WallTime now);

/// Retry-After (RFC 9110 section 10.2.3) as seconds or as any of the three HTTP-date forms; bounded
/// to [0, 24 h], so a date in the past is zero; nothing for any other text.
[[nodiscard]] std::optional<std::chrono::seconds> parse_retry_after(std::string_view value,
                                                                    WallTime now);

}  // namespace sworn::contract
