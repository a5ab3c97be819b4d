// Records as people read them. Pure: JSON of the control API in, text out.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "common/clock.h"

namespace sworn::cli {

enum class Colour : std::uint8_t { off, on };

/// One line per record under a heading: id, age, outcome, phase, retry, code, route, request.
[[nodiscard]] std::string render_table(const std::vector<boost::json::object>& records,
                                       WallTime now, Colour colour);

/// The whole record: what is known, what may be done next (with the command), attempts, events.
[[nodiscard]] std::string render_record(const boost::json::object& record, Colour colour);

/// What may be done next, as a sentence with the exact command; by the retry directive.
[[nodiscard]] std::string next_step(const boost::json::object& record);

}  // namespace sworn::cli
