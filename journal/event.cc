#include "journal/event.h"

namespace sworn::journal {

std::string_view to_string(EventType type) noexcept {
    switch (type) {
        case EventType::action_accepted:
            return "ACTION_ACCEPTED";
        case EventType::action_refused:
            return "ACTION_REFUSED";
        case EventType::preflight_validated:
            return "PREFLIGHT_VALIDATED";
        case EventType::approval_requested:
            return "APPROVAL_REQUESTED";
        case EventType::approval_granted:
            return "APPROVAL_GRANTED";
        case EventType::approval_denied:
            return "APPROVAL_DENIED";
        case EventType::approval_expired:
            return "APPROVAL_EXPIRED";
        case EventType::credential_authorized:
            return "CREDENTIAL_AUTHORIZED";
        case EventType::attempt_failed:
            return "ATTEMPT_FAILED";
        case EventType::connection_ready:
            return "CONNECTION_READY";
        case EventType::dispatch_started:
            return "DISPATCH_STARTED";
        case EventType::request_sent:
            return "REQUEST_SENT";
        case EventType::informational_response:
            return "INFORMATIONAL_RESPONSE";
        case EventType::remote_response_started:
            return "REMOTE_RESPONSE_STARTED";
        case EventType::result_part:
            return "RESULT_PART";
        case EventType::remote_response_complete:
            return "REMOTE_RESPONSE_COMPLETE";
        case EventType::exchange_broken:
            return "EXCHANGE_BROKEN";
        case EventType::caller_cancelled:
            return "CALLER_CANCELLED";
        case EventType::result_committed:
            return "RESULT_COMMITTED";
        case EventType::result_delivered:
            return "RESULT_DELIVERED";
        case EventType::delivery_failed:
            return "DELIVERY_FAILED";
        case EventType::retry_leased:
            return "RETRY_LEASED";
        case EventType::reconciled:
            return "RECONCILED";
        case EventType::attested:
            return "ATTESTED";
        case EventType::broker_recovered:
            return "BROKER_RECOVERED";
        case EventType::result_expired:
            return "RESULT_EXPIRED";
    }
    return "";
}

std::string_view to_string(Protocol value) noexcept {
    switch (value) {
        case Protocol::http:
            return "http";
        case Protocol::ssh:
            return "ssh";
        case Protocol::tunnel:
            return "tunnel";
    }
    return "";
}

std::string_view to_string(KeyOrigin value) noexcept {
    switch (value) {
        case KeyOrigin::none:
            return "none";
        case KeyOrigin::caller:
            return "caller";
        case KeyOrigin::generated:
            return "generated";
    }
    return "";
}

std::string_view to_string(Stream value) noexcept {
    switch (value) {
        case Stream::body:
            return "body";
        case Stream::out:
            return "stdout";
        case Stream::err:
            return "stderr";
    }
    return "";
}

EventType type_of(const EventBody& body) noexcept {
    return std::visit([](const auto& event) { return event.type; }, body);
}

}  // namespace sworn::journal
