// The stored form of an event: version, type, header fields, tagged fields, CRC. The grammar and a
// worked example are in docs/formats.md. Strict: a reader accepts one spelling and no trailing
// bytes; unknown tags of a known type are kept out but tolerated (a newer minor writer), an unknown
// version or type is an error.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "journal/event.h"

namespace sworn::journal {

inline constexpr std::uint8_t format_version = 1;

enum class CodecError : std::uint8_t {
    truncated,
    checksum,  ///< The CRC-32C over the frame does not match.
    unknown_version,
    unknown_type,
    malformed,  ///< A field has the wrong shape or an enumeration a value it does not have.
};
[[nodiscard]] std::string_view to_string(CodecError error) noexcept;

/// Appends one frame to `out`.
void encode(const Event& event, std::string& out);

/// Takes one frame off the front of `bytes`; on an error `bytes` is left where it was.
[[nodiscard]] Result<Event, CodecError> decode(std::string_view& bytes);

/// {"seq":…, "type":"DISPATCH_STARTED", "at":…, "generation":1, …fields}; `diagnostic` left out.
[[nodiscard]] boost::json::object to_json(const Event& event);

}  // namespace sworn::journal
