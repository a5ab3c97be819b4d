#include "proxy/contract/settle.h"

#include <algorithm>
#include <array>

namespace sworn::contract {
namespace {

using namespace std::chrono;

/// Errors that say the hop never reached its next one; section 5 lists them for trust_hops.
constexpr std::array<std::string_view, 10> never_reached{"dns_timeout",
                                                         "dns_error",
                                                         "destination_not_found",
                                                         "destination_unavailable",
                                                         "destination_ip_prohibited",
                                                         "destination_ip_unroutable",
                                                         "connection_refused",
                                                         "connection_timeout",
                                                         "connection_limit_reached",
                                                         "tls_certificate_error"};
/// Those of them, and http_request_denied, that the same request would meet again.
constexpr std::array<std::string_view, 4> needs_correction{
    "http_request_denied", "destination_not_found", "destination_ip_prohibited",
    "tls_certificate_error"};

bool is_one_of(const auto& words, std::string_view word) noexcept {
    return std::ranges::find(words, word) != words.end();
}

Judgement broken(Code code, ProxyError proxy_error, const Operation& operation,
                 std::string_view how) {
    Judgement judgement;
    judgement.code = code;
    judgement.proxy_error = proxy_error;
    judgement.directive = unknown_directive(operation);
    judgement.how = how;
    return judgement;
}

/// The same end means less before a header section was parsed than after it.
Judgement cut(const Observations& seen, const Operation& operation, std::string_view early,
              std::string_view late) {
    if (seen.head_parsed) {
        return broken(Code::remote_result_incomplete, ProxyError::http_response_incomplete,
                      operation, late);
    }
    return broken(Code::remote_outcome_unknown, ProxyError::connection_terminated, operation,
                  early);
}

Judgement settled(Outcome outcome, Retry directive) {
    Judgement judgement;
    judgement.settles = true;
    judgement.outcome = outcome;
    judgement.directive = directive;
    if (outcome == Outcome::rejected) judgement.code = Code::remote_rejected;
    return judgement;
}

bool is_listed(const Operation& operation, int status) noexcept {
    const auto& listed = operation.refused_without_effect;
    return std::ranges::find(listed, status) != listed.end();
}

/// 425 and 429, and what is judged like them: backoff needs a time and a right to repeat.
Judgement refused_for_now(const Observations& seen, const Operation& operation, WallTime now) {
    std::optional<microseconds> delay = parse_retry_after(seen.retry_after, now);
    if (!delay && operation.default_delay) delay = *operation.default_delay;
    const bool may_repeat =
        operation.repeatable || operation.key_bound || is_listed(operation, seen.status);
    if (!delay || !may_repeat) return settled(Outcome::rejected, Retry::never);
    auto judgement = settled(Outcome::rejected, Retry::backoff);
    judgement.retry_at = now + *delay;
    return judgement;
}

/// The word of a trusted hop, if the nearest one is such and says that it got no further.
const HopStatus* trusted_refusal(const Observations& seen, const Operation& operation) noexcept {
    if (seen.proxy_status.empty()) return nullptr;
    const auto& last = seen.proxy_status.back();
    const bool names_it = last.failed && (is_one_of(never_reached, last.error) ||
                                          last.error == "http_request_denied");
    return names_it && is_one_of(operation.trust_hops, last.name) ? &last : nullptr;
}

Judgement hop_refused(const HopStatus& hop, const Observations& seen, const Operation& operation,
                      WallTime now) {
    auto judgement = is_one_of(needs_correction, hop.error)
                         ? settled(Outcome::rejected, Retry::after_correction)
                         : refused_for_now(seen, operation, now);
    judgement.hop = hop.name;
    return judgement;
}

/// Statuses that gateways send in place of an answer from the origin.
bool is_gateway_status(int status) noexcept {
    return status == 502 || status == 504 || (status >= 520 && status <= 527) || status == 530;
}

/// Who failed, if the response says so; the nearest failed hop where several do.
std::optional<std::string> failed_hop(const Observations& seen) {
    const auto& hops = seen.proxy_status;
    const auto failed =
        std::find_if(hops.rbegin(), hops.rend(), [](const HopStatus& hop) { return hop.failed; });
    if (failed != hops.rend()) return failed->name;
    if (!is_gateway_status(seen.status)) return std::nullopt;
    return hops.empty() ? "status " + std::to_string(seen.status) : hops.back().name;
}

Judgement client_error(const Observations& seen, const Operation& operation, WallTime now) {
    if (seen.status == 425 || seen.status == 429) return refused_for_now(seen, operation, now);
    return settled(Outcome::rejected, Retry::after_correction);
}

/// 408 and 503 come from gateways too, some of them after a hand-over.
bool is_refusal_if_repeatable(int status) noexcept {
    return status == 408 || status == 503;
}

Judgement by_status(const Observations& seen, const Operation& operation, WallTime now) {
    const int status = seen.status;
    if (is_refusal_if_repeatable(status)) {
        const bool refusal = operation.repeatable || is_listed(operation, status);
        return refusal ? refused_for_now(seen, operation, now)
                       : settled(Outcome::committed, Retry::reconcile);
    }
    if (status >= 500) {
        return settled(Outcome::committed, operation.safe ? Retry::never : Retry::reconcile);
    }
    if (status >= 400) return client_error(seen, operation, now);
    auto judgement = settled(Outcome::committed, Retry::never);
    if (status >= 300 && operation.redirect_refused) judgement.code = Code::redirect_refused;
    return judgement;
}

Judgement judge_response(const Observations& seen, const Operation& operation, WallTime now) {
    // 1xx settles nothing, and above 599 there is no meaning to rely on (RFC 9110 section 15).
    if (!seen.head_parsed || seen.status < 200 || seen.status > 599) {
        return broken(Code::remote_outcome_unknown, ProxyError::http_protocol_error, operation,
                      "no final status was received");
    }
    const bool weak = seen.framing == Framing::close_delimited && !operation.tls;
    if (weak && operation.require_explicit_framing) {
        return broken(Code::remote_result_incomplete, ProxyError::http_response_incomplete,
                      operation, "the end of the body is not proven by its framing");
    }
    if (const auto* hop = trusted_refusal(seen, operation)) {
        return hop_refused(*hop, seen, operation, now);
    }
    if (auto hop = failed_hop(seen)) {
        auto judgement = broken(Code::intermediary_error, ProxyError::none, operation,
                                "an intermediary answered in place of the target");
        judgement.hop = std::move(*hop);
        return judgement;
    }
    return by_status(seen, operation, now);
}

}  // namespace

Retry unknown_directive(const Operation& operation) noexcept {
    if (operation.key_bound) return Retry::same_idempotency_key;
    return operation.repeatable ? Retry::backoff : Retry::reconcile;
}

Judgement settle(const Observations& seen, const Operation& operation, WallTime now) {
    switch (seen.end) {
        case ExchangeEnd::complete:
            return judge_response(seen, operation, now);
        case ExchangeEnd::closed:
            return cut(seen, operation, "connection closed before a header section was parsed",
                       "connection closed before the end of the response");
        case ExchangeEnd::reset:
            return cut(seen, operation, "connection reset before a header section was parsed",
                       "connection reset before the end of the response");
        case ExchangeEnd::write_failed:
            return cut(seen, operation, "the request could not be written whole",
                       "the request could not be written whole and the response has no end");
        case ExchangeEnd::malformed_head:
            return broken(Code::remote_outcome_unknown, ProxyError::http_protocol_error, operation,
                          "the response's header section is malformed");
        case ExchangeEnd::malformed_body:
            return cut(seen, operation, "the response is malformed",
                       "the response's body framing is malformed");
        case ExchangeEnd::header_timeout:
            return broken(Code::remote_timeout, ProxyError::http_response_timeout, operation,
                          "no header section within the time limit");
        case ExchangeEnd::idle_timeout:
            return broken(Code::remote_timeout, ProxyError::connection_read_timeout, operation,
                          "no byte of the response within the time limit");
        case ExchangeEnd::total_timeout:
            return broken(Code::remote_timeout, ProxyError::connection_read_timeout, operation,
                          "the exchange took longer than its time limit");
        case ExchangeEnd::tls_error:
            return cut(seen, operation, "TLS failed before a header section was parsed",
                       "TLS failed before the end of the response");
        case ExchangeEnd::cancelled_by_caller:
            return broken(Code::caller_cancelled, ProxyError::proxy_internal_error, operation,
                          "the caller left and the route closes then");
        case ExchangeEnd::interrupted:
            return broken(Code::broker_interrupted, ProxyError::proxy_internal_error, operation,
                          "the broker stopped during the exchange");
        case ExchangeEnd::never_sent:
            return broken(Code::remote_outcome_unknown, ProxyError::connection_terminated,
                          operation, "no connection could be had for the request");
    }
    return broken(Code::remote_outcome_unknown, ProxyError::connection_terminated, operation,
                  "the exchange ended");
}

}  // namespace sworn::contract
