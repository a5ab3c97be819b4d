// An action as the pipeline walks it: a caller's parsed message, before and after it is bound to a
// route. Protocol rooms make it; nothing in it is a secret of ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/digest.h"
#include "common/ids.h"
#include "journal/event.h"

namespace sworn::contract {

/// Name as received, value without surrounding blanks.
using Field = std::pair<std::string, std::string>;
using Fields = std::vector<Field>;

/// Case-insensitive lookup of the first field so named.
[[nodiscard]] std::optional<std::string_view> find_field(const Fields& fields,
                                                         std::string_view name) noexcept;
[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept;

/// Where the caller wants to go, in one normal form (contract/target.h makes it).
struct Target {
    std::string scheme = "http";  ///< As the caller wrote it: http or https.
    std::string host;             ///< Lower case, no brackets, no trailing dot.
    bool host_is_address = false;
    std::uint16_t port = 80;
    std::string path = "/";  ///< Path and query, the exact bytes that the target will get.

    [[nodiscard]] std::string_view path_only() const noexcept;
    [[nodiscard]] std::string authority() const;  ///< Host header form; port left out if 80/443.
};

/// What Sworn's own request fields say. They are removed before forwarding.
struct CallerWishes {
    std::string token;         ///< Sworn-Token
    std::string operation_id;  ///< Sworn-Operation-Id
    std::optional<int> wait_approval_seconds;
    std::optional<InvocationId> repeat_despite_unknown;
    std::string repeat_reason;
};

struct HttpAction {
    std::string caller = "local";
    std::string method;
    Target target;
    Fields fields;  ///< Hop-by-hop and Sworn-* fields already removed.
    CallerWishes wishes;
    Digest body_digest;  ///< Of the whole body, read before anything else happens.
    std::uint64_t body_size = 0;
    bool body_present = false;  ///< The caller framed a body, maybe an empty one.
    bool prefer_async = false;  ///< Prefer: respond-async
    std::optional<InvocationId> parent;
};

}  // namespace sworn::contract
