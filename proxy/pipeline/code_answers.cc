// What a code answers with: Proxy-Status type, HTTP status, and the sentence for people.
#include "journal/verdict.h"
#include "proxy/pipeline/evidence.h"

namespace sworn::pipeline {

using journal::Generation;
using journal::Record;

ProxyError proxy_error_of(const Record& record, const journal::Projection& projection) {
    if (!projection.code) return ProxyError::none;
    const Generation* generation = journal::find_generation(record, projection.generation);
    if (generation != nullptr && was_dispatched(*generation)) {
        return generation->proxy_error != ProxyError::none
                   ? generation->proxy_error
                   : code_info(*projection.code).proxy_error;
    }
    // Without a failed attempt no case below asks; any value that none of them names will do.
    constexpr auto other = AttemptCode::ECONNREFUSED_;
    const auto last = record.attempts.empty() ? other : record.attempts.back().code.value_or(other);
    switch (*projection.code) {
        case Code::name_resolution_failed:
            return last == AttemptCode::DNS_TIMEOUT ? ProxyError::dns_timeout
                                                    : ProxyError::dns_error;
        case Code::connection_failed:
            if (last == AttemptCode::ETIMEDOUT_) return ProxyError::connection_timeout;
            if (last == AttemptCode::ENETUNREACH_ || last == AttemptCode::EHOSTUNREACH_) {
                return ProxyError::destination_ip_unroutable;
            }
            return ProxyError::connection_refused;
        case Code::tls_failed:
            return last == AttemptCode::TLS_ALERT ? ProxyError::tls_alert_received
                                                  : ProxyError::tls_protocol_error;
        default:
            return code_info(*projection.code).proxy_error;
    }
}

int status_for(Code code, ProxyError proxy_error) noexcept {
    switch (proxy_error) {
        case ProxyError::dns_timeout:
        case ProxyError::connection_timeout:
        case ProxyError::http_response_timeout:
        case ProxyError::connection_read_timeout:
            return 504;
        default:
            break;
    }
    const int own = code_info(code).status;
    return own == 0 ? 502 : own;
}

int status_of(const Record& record, const journal::Projection& projection) {
    if (record.refused && record.refused->code == projection.code && record.refused->status != 0) {
        return static_cast<int>(record.refused->status);
    }
    if (!projection.code) return 502;
    return status_for(*projection.code, proxy_error_of(record, projection));
}

std::string_view sentence_for(Code code) noexcept {
    switch (code) {
        case Code::remote_outcome_unknown:
            return "Connection closed before a complete response was recorded.";
        case Code::remote_result_incomplete:
            return "The response ended before its framing was complete; what was received is not "
                   "a result.";
        case Code::remote_timeout:
            return "The remote did not answer in time after the request was handed over.";
        case Code::caller_cancelled:
            return "The caller left before the exchange was settled.";
        case Code::broker_interrupted:
            return "The broker stopped while this action was under way.";
        case Code::intermediary_error:
            return "A hop between here and the target reported that it failed; whether the target "
                   "acted is not known.";
        case Code::remote_rejected:
            return "The remote refused the request.";
        case Code::redirect_refused:
            return "The remote answered with a redirect that the route "
                   "does not allow to be followed.";
        case Code::connection_failed:
            return "No connection to the target could be made.";
        case Code::name_resolution_failed:
            return "The target's name could not be resolved.";
        case Code::address_forbidden:
            return "The target's address is private, special or one of the broker's own; allow it "
                   "with network.allow_private if that is meant.";
        case Code::tls_failed:
            return "The TLS handshake with the target failed.";
        case Code::peer_identity_mismatch:
            return "The target's certificate does not prove the name that was asked for.";
        case Code::tunnel_failed:
            return "The upstream proxy refused the tunnel.";
        case Code::delivery_failed:
            return "The result is durable but was not handed over; fetch it by its invocation id.";
        case Code::result_store_failed:
            return "The remote answered completely, but the result could not be stored.";
        case Code::result_expired:
            return "The stored result was removed by retention.";
        case Code::result_not_retained:
            return "No stored result: it was too large to keep, or the outcome was settled "
                   "without one.";
        default:
            return code_info(code).title;
    }
}

}  // namespace sworn::pipeline
