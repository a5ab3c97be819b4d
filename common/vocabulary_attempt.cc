// The words of connection attempts and of Proxy-Status.
#include "common/vocabulary.h"
#include "common/vocabulary_words.h"

namespace sworn {

static constexpr std::string_view word(Stage value) noexcept {
    using enum Stage;
    switch (value) {
        case name_resolution:
            return "name_resolution";
        case address_policy:
            return "address_policy";
        case tcp_connect:
            return "tcp_connect";
        case proxy_tunnel:
            return "proxy_tunnel";
        case tls_handshake:
            return "tls_handshake";
        case ssh_transport:
            return "ssh_transport";
        case ssh_host_key:
            return "ssh_host_key";
        case ssh_auth:
            return "ssh_auth";
        case ssh_channel:
            return "ssh_channel";
        case ssh_environment:
            return "ssh_environment";
    }
    return {};
}

static constexpr std::string_view word(AttemptCode value) noexcept {
    using enum AttemptCode;
    switch (value) {
        case ECONNREFUSED_:
            return "ECONNREFUSED";
        case ETIMEDOUT_:
            return "ETIMEDOUT";
        case ENETUNREACH_:
            return "ENETUNREACH";
        case EHOSTUNREACH_:
            return "EHOSTUNREACH";
        case ECONNRESET_:
            return "ECONNRESET";
        case NXDOMAIN:
            return "NXDOMAIN";
        case DNS_TIMEOUT:
            return "DNS_TIMEOUT";
        case DNS_FAILED:
            return "DNS_FAILED";
        case ADDRESS_FORBIDDEN:
            return "ADDRESS_FORBIDDEN";
        case CERT_EXPIRED:
            return "CERT_EXPIRED";
        case CERT_NOT_YET_VALID:
            return "CERT_NOT_YET_VALID";
        case CERT_UNTRUSTED:
            return "CERT_UNTRUSTED";
        case CERT_HOST_MISMATCH:
            return "CERT_HOST_MISMATCH";
        case CERT_REVOKED:
            return "CERT_REVOKED";
        case CERT_PIN_MISMATCH:
            return "CERT_PIN_MISMATCH";
        case TLS_ALERT:
            return "TLS_ALERT";
        case TLS_PROTOCOL:
            return "TLS_PROTOCOL";
        case PROXY_REFUSED:
            return "PROXY_REFUSED";
        case PROXY_AUTH_REQUIRED:
            return "PROXY_AUTH_REQUIRED";
        case SSH_KEX_FAILED:
            return "SSH_KEX_FAILED";
        case HOST_KEY_UNKNOWN:
            return "HOST_KEY_UNKNOWN";
        case HOST_KEY_MISMATCH:
            return "HOST_KEY_MISMATCH";
        case AUTH_FAILED:
            return "AUTH_FAILED";
        case CHANNEL_REFUSED:
            return "CHANNEL_REFUSED";
        case ENV_REFUSED:
            return "ENV_REFUSED";
    }
    return {};
}

static constexpr std::string_view word(ProxyError value) noexcept {
    using enum ProxyError;
    switch (value) {
        case none:
            return "";
        case dns_timeout:
            return "dns_timeout";
        case dns_error:
            return "dns_error";
        case destination_ip_prohibited:
            return "destination_ip_prohibited";
        case destination_ip_unroutable:
            return "destination_ip_unroutable";
        case connection_refused:
            return "connection_refused";
        case connection_terminated:
            return "connection_terminated";
        case connection_timeout:
            return "connection_timeout";
        case connection_read_timeout:
            return "connection_read_timeout";
        case connection_limit_reached:
            return "connection_limit_reached";
        case tls_protocol_error:
            return "tls_protocol_error";
        case tls_certificate_error:
            return "tls_certificate_error";
        case tls_alert_received:
            return "tls_alert_received";
        case http_request_error:
            return "http_request_error";
        case http_request_denied:
            return "http_request_denied";
        case http_response_incomplete:
            return "http_response_incomplete";
        case http_response_timeout:
            return "http_response_timeout";
        case http_protocol_error:
            return "http_protocol_error";
        case proxy_internal_error:
            return "proxy_internal_error";
        case proxy_configuration_error:
            return "proxy_configuration_error";
        case proxy_loop_detected:
            return "proxy_loop_detected";
    }
    return {};
}

std::string_view to_string(Stage value) noexcept {
    return word(value);
}
std::string_view to_string(AttemptCode value) noexcept {
    return word(value);
}
std::string_view to_string(ProxyError value) noexcept {
    return word(value);
}

template std::optional<Stage> parse<Stage>(std::string_view) noexcept;
template std::span<const Stage> all_values<Stage>() noexcept;
template std::optional<AttemptCode> parse<AttemptCode>(std::string_view) noexcept;
template std::span<const AttemptCode> all_values<AttemptCode>() noexcept;
template std::optional<ProxyError> parse<ProxyError>(std::string_view) noexcept;
template std::span<const ProxyError> all_values<ProxyError>() noexcept;

}  // namespace sworn
