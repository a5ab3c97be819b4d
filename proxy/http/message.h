// HTTP/1.1 heads as values, from strictly checked bytes. Source: RFC 9112, docs/contract.md
// section 4. What this file lets through has exactly one reading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/result.h"
#include "proxy/contract/action.h"

namespace sworn::http {

using contract::Field;
using contract::Fields;

/// How a message body is framed, decided from a checked head (RFC 9112 section 6.3).
struct BodyFraming {
    enum class Kind : std::uint8_t { none, length, chunked, until_close };
    Kind kind = Kind::none;
    std::uint64_t length = 0;
};

struct RequestHead {
    std::string method;
    std::string target;     ///< As received; contract/target.h gives it meaning.
    int minor_version = 1;  ///< HTTP/1.minor
    Fields fields;          ///< All, in order.
    BodyFraming framing;
    bool framed = false;  ///< Content-Length or Transfer-Encoding was there (0 included).
    bool keep_alive = true;
    bool expects_continue = false;
};

struct ResponseHead {
    int status = 0;
    std::string reason;
    int minor_version = 1;
    Fields fields;
    BodyFraming framing;
    bool keep_alive = true;
};

/// The byte just after the empty line that ends a head, or nothing yet. Also finds the ends that
/// are errors (bare LF), so that a bad head is judged at once instead of timing out.
[[nodiscard]] std::optional<std::size_t> find_head_end(std::string_view bytes) noexcept;

/// Strict: one spelling. `bytes` ends with the empty line. Errors: malformed_request naming the
/// field, status 431, 411, 417 and 505 where the code has several.
[[nodiscard]] Result<RequestHead> parse_request_head(std::string_view bytes);

/// `request_method` decides framing for HEAD. An error here breaks the exchange.
enum class BadHead : std::uint8_t { malformed, too_large };
[[nodiscard]] Result<ResponseHead, BadHead> parse_response_head(std::string_view bytes,
                                                                std::string_view request_method);

inline constexpr std::size_t fields_max = 512;

}  // namespace sworn::http
