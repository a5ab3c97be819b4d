// Events of the connection and of the exchange on it: what was observed of the remote side.
// Fields and tags: see journal/event.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/digest.h"
#include "common/ids.h"
#include "common/vocabulary.h"
#include "journal/event_type.h"

namespace sworn::journal {

/// One connection attempt that failed.
struct AttemptFailed {
    static constexpr auto type = EventType::attempt_failed;
    std::uint32_t n = 0;
    Stage stage = Stage::tcp_connect;
    AttemptCode code = AttemptCode::ECONNREFUSED_;
    Code ends_with = Code::connection_failed;  ///< The invocation's code if this is the last one.
    std::string address{};                     ///< "192.0.2.1:443"; empty before resolution.
    std::chrono::microseconds elapsed{0};
    std::string diagnostic{};  ///< Scrubbed; never exported.
    static auto fields(auto& e, auto&& v) {
        v(1, "n", e.n);
        v(2, "stage", e.stage);
        v(3, "code", e.code);
        v(4, "ends_with", e.ends_with);
        v(5, "address", e.address);
        v(6, "elapsed", e.elapsed);
        v(7, "diagnostic", e.diagnostic);
    }
};

struct ConnectionReady {
    static constexpr auto type = EventType::connection_ready;
    std::uint32_t n = 0;       ///< Attempt number of this connection.
    std::string connection{};  ///< "c-17"
    bool reused = false;
    std::string address{};
    std::string peer_name{};    ///< The verified name; empty on a clear-text leg.
    std::string peer_sha256{};  ///< Hex of the leaf certificate or host key; empty in clear.
    bool peer_verified = false;
    std::vector<std::string> hops{};  ///< Proxies on the way.
    static auto fields(auto& e, auto&& v) {
        v(1, "n", e.n);
        v(2, "connection", e.connection);
        v(3, "reused", e.reused);
        v(4, "address", e.address);
        v(5, "peer_name", e.peer_name);
        v(6, "peer_sha256", e.peer_sha256);
        v(7, "peer_verified", e.peer_verified);
        v(8, "hops", e.hops);
    }
};

/// The very next act hands application bytes to the transport.
struct DispatchStarted {
    static constexpr auto type = EventType::dispatch_started;
    std::uint32_t n = 0;  ///< The attempt that dispatches.
    Digest request_digest{};
    static auto fields(auto& e, auto&& v) {
        v(1, "n", e.n);
        v(2, "request_digest", e.request_digest);
    }
};

struct RequestSent {
    static constexpr auto type = EventType::request_sent;
    bool headers = false, body = false;
    std::uint64_t bytes = 0;
    static auto fields(auto& e, auto&& v) {
        v(1, "headers", e.headers);
        v(2, "body", e.body);
        v(3, "bytes", e.bytes);
    }
};

struct InformationalResponse {
    static constexpr auto type = EventType::informational_response;
    std::uint32_t status = 0;
    static auto fields(auto& e, auto&& v) { v(1, "status", e.status); }
};

/// Header section parsed, or exec accepted.
struct RemoteResponseStarted {
    static constexpr auto type = EventType::remote_response_started;
    std::uint32_t status = 0;
    std::string content_type{}, content_encoding{}, remote_request_id{}, location{}, retry_after{};
    static auto fields(auto& e, auto&& v) {
        v(1, "status", e.status);
        v(2, "content_type", e.content_type);
        v(3, "content_encoding", e.content_encoding);
        v(4, "remote_request_id", e.remote_request_id);
        v(5, "location", e.location);
        v(6, "retry_after", e.retry_after);
    }
};

/// Part `part` of one stream is stored; `digest` runs over the stream up to its end.
struct ResultPart {
    static constexpr auto type = EventType::result_part;
    std::uint32_t part = 0;
    Stream stream = Stream::body;
    std::uint64_t offset = 0, size = 0;
    Digest digest{};
    static auto fields(auto& e, auto&& v) {
        v(1, "part", e.part);
        v(2, "stream", e.stream);
        v(3, "offset", e.offset);
        v(4, "size", e.size);
        v(5, "digest", e.digest);
    }
};

struct RemoteResponseComplete {
    static constexpr auto type = EventType::remote_response_complete;
    bool settles = true;
    std::uint32_t status = 0;
    Framing framing = Framing::content_length;
    std::uint64_t bytes = 0;
    Digest received_digest{};  ///< Of the bytes on the wire.
    // The judgement, so that the outcome survives even if RESULT_COMMITTED cannot be written.
    Outcome outcome = Outcome::unknown;
    std::optional<Code> code{};
    Retry directive = Retry::never;
    bool result_stored = true;
    std::uint32_t redactions = 0;
    std::string unscanned{};  ///< Content coding that could not be scanned for the secret.
    std::string hop{};        ///< The hop that a Proxy-Status or status names.
    std::optional<std::uint32_t> exit_status{};
    std::string exit_signal{};
    static auto fields(auto& e, auto&& v) {
        v(1, "settles", e.settles);
        v(2, "status", e.status);
        v(3, "framing", e.framing);
        v(4, "bytes", e.bytes);
        v(5, "received_digest", e.received_digest);
        v(6, "outcome", e.outcome);
        v(7, "code", e.code);
        v(8, "directive", e.directive);
        v(9, "result_stored", e.result_stored);
        v(10, "redactions", e.redactions);
        v(11, "unscanned", e.unscanned);
        v(12, "hop", e.hop);
        v(13, "exit_status", e.exit_status);
        v(14, "exit_signal", e.exit_signal);
    }
};

/// Ended without completion. Markers are absent where they were not observed.
struct ExchangeBroken {
    static constexpr auto type = EventType::exchange_broken;
    Code code = Code::remote_outcome_unknown;
    ProxyError proxy_error = ProxyError::connection_terminated;
    std::string how{};  ///< A literal of ours: "connection reset while reading the header section".
    std::optional<bool> handed_over{}, request_headers_sent{}, request_body_sent{},
        response_headers_received{}, response_complete{};
    std::string hop{};
    static auto fields(auto& e, auto&& v) {
        v(1, "code", e.code);
        v(2, "proxy_error", e.proxy_error);
        v(3, "how", e.how);
        v(4, "handed_over", e.handed_over);
        v(5, "request_headers_sent", e.request_headers_sent);
        v(6, "request_body_sent", e.request_body_sent);
        v(7, "response_headers_received", e.response_headers_received);
        v(8, "response_complete", e.response_complete);
        v(9, "hop", e.hop);
    }
};

}  // namespace sworn::journal
