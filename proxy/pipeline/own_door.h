// http://sworn.internal/v1/…, reached through the proxy listener: what a caller may see of its own
// records. The control room answers; the pipeline only knows that there is such a door.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/ids.h"
#include "proxy/http/caller_side.h"

namespace sworn::pipeline {

inline constexpr std::string_view own_door_host = "sworn.internal";
inline constexpr std::uint64_t own_door_body_bytes_max = 64 * 1024;

struct OwnAnswer {
    http::Answer answer;
    std::optional<InvocationId> fetched;  ///< The caller gets this one's whole result.
};

class OwnDoor {
public:
    virtual ~OwnDoor() = default;
    /// Blocking: called on a worker. `target` is path and query.
    [[nodiscard]] virtual OwnAnswer answer(const std::string& caller, const std::string& method,
                                           const std::string& target, const std::string& body) = 0;
};

}  // namespace sworn::pipeline
