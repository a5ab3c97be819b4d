// The error envelope (docs/contract.md section 9): application/problem+json (RFC 9457) with the
// three facts beside it. Callers branch on the enumerations; the message is for people.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/ids.h"
#include "common/vocabulary.h"

namespace sworn {

inline constexpr std::string_view problem_media_type = "application/problem+json";

/// `code` is empty only for an invocation without a broker error (running, or settled by a
/// finding). `status` is the HTTP status that is answered. Messages and evidence hold no secret
/// and no unfiltered remote byte: that is for the maker of the envelope to keep.
struct Envelope {
    std::optional<InvocationId> id{};
    std::optional<Code> code{};
    Phase phase = Phase::validation;
    Outcome outcome = Outcome::not_attempted;
    Retry retry = Retry::never;
    int status = 0;
    std::string message{};
    std::string field{};  ///< Empty is null.
    boost::json::object evidence{};
};

/// Members in the order of the contract's example.
[[nodiscard]] boost::json::object to_json(const Envelope& envelope);

/// to_json() as text, without a line end.
[[nodiscard]] std::string to_body(const Envelope& envelope);

/// One line of text/plain for git, which shows nothing else:
/// "sworn: <message> (code=…; phase=…; outcome=…; retry=…; id=act_…)\n". `code` and `id` are left
/// out where there is none; control characters in the message become blanks.
[[nodiscard]] std::string to_text_line(const Envelope& envelope);

/// Errors of the control API itself.
enum class ControlProblem : std::uint8_t { not_found, bad_request, unauthorized, conflict };

[[nodiscard]] std::string_view to_string(ControlProblem kind) noexcept;
[[nodiscard]] int status_of(ControlProblem kind) noexcept;  ///< 404, 400, 401, 409.

/// {type: "urn:sworn:control:<kind>", title, status, detail}; no `error` member.
[[nodiscard]] boost::json::object control_problem(ControlProblem kind, std::string_view detail);

}  // namespace sworn
