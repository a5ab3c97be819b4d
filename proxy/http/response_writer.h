// Response heads as a caller gets them: one spelling, framing of our own, nothing hop-by-hop. Pure.
#pragma once

#include <string>
#include <string_view>

#include "proxy/http/message.h"

namespace sworn::http {

/// What the caller's request fixes about the answer.
struct AnswerTo {
    std::string_view method;
    int minor_version = 1;
    bool close = false;  ///< The connection ends with this answer.
};

/// No body follows, whatever was announced: HEAD, 1xx, 204, 304.
[[nodiscard]] bool never_has_body(std::string_view method, int status) noexcept;

/// A final head with its empty line. `framing` is how the body will be written; `until_close` is
/// not: a proxy must not end a message like that. Where no body can follow, HEAD and 304 keep the
/// Content-Length that `head` has, else state the length of `framing`.
[[nodiscard]] std::string encode_response_head(const ResponseHead& head, BodyFraming framing,
                                               const AnswerTo& to);

/// A 1xx with its empty line.
[[nodiscard]] std::string encode_informational(int status, const Fields& fields);

/// "1f\r\n": what goes before a chunk's bytes; CRLF goes after them.
[[nodiscard]] std::string encode_chunk_size(std::size_t size);

}  // namespace sworn::http
