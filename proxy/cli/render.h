// Records as text for people. Pure: a record's JSON of the control API in, text out.
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

// Shared by the two: parts of a record. What is absent or of another type is empty.
[[nodiscard]] std::string text_at(const boost::json::object& object, std::string_view name);
[[nodiscard]] boost::json::object object_at(const boost::json::object& object,
                                            std::string_view name);
[[nodiscard]] bool is_running(const boost::json::object& record);
/// "unknown", "unknown (running)".
[[nodiscard]] std::string outcome_word(const boost::json::object& record);
/// "POST api.example.test/v1/payments"; "-" where nothing of it is known.
[[nodiscard]] std::string request_line(const boost::json::object& record);
/// `text` in the colour of its outcome.
[[nodiscard]] std::string painted(const std::string& text, std::string_view outcome, Colour colour);

}  // namespace sworn::cli
