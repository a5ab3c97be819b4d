// The head that will be sent, with the secret's place marked instead of the secret. The request
// digest is taken over this plan and the body, so it can be bound, shown and compared without the
// secret. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/digest.h"
#include "proxy/config/snapshot.h"
#include "proxy/contract/action.h"

namespace sworn::contract {

/// One run of bytes, or the place where the credential's rendered value goes. Rendered: for
/// inject.header the secret's own bytes (the format's text stands beside it); for basic
/// base64(username ":" secret); for query the secret, percent-encoded.
struct Segment {
    enum class Kind : std::uint8_t { text, secret };
    Kind kind = Kind::text;
    std::string text;
};

struct RequestPlan {
    std::vector<Segment> head;  ///< Request line and fields, through the empty line.
    Digest body_digest;
    std::uint64_t body_size = 0;
    std::string origin_host;  ///< Host to dial and to verify: upstream.host, or the target's.
    std::uint16_t origin_port = 443;
    bool tls = true;

    /// Over head, body digest and size, and origin. The secret's place is marked by structure, not
    /// by bytes, so no text can imitate it; how text is cut into segments does not count.
    [[nodiscard]] Digest request_digest() const;
};

/// What the head is made of; everything is borrowed for the call.
struct HeadParts {
    std::string_view method;
    std::string_view path;  ///< Path and query, without the injected parameter.
    std::string authority;  ///< The Host field's value.
    const Fields& fields;   ///< The caller's, in order, cleared.
    const config::Injection* injection = nullptr;
    const Field* generated_key = nullptr;
    std::string_view via;  ///< This broker's name.
    std::optional<std::uint64_t> content_length{};
};
[[nodiscard]] std::vector<Segment> build_head(const HeadParts& parts);

}  // namespace sworn::contract
