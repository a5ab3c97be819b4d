#include "common/envelope.h"

#include <boost/json/serialize.hpp>

#include <utility>

namespace sworn {
namespace {

constexpr int envelope_version = 1;

std::string type_of(const std::optional<Code>& code) {
    // RFC 9457 section 4.2.1: a problem without semantics of its own.
    if (!code) return "about:blank";
    return "urn:sworn:error:" + std::string{to_string(*code)};
}

std::string title_of(const Envelope& envelope) {
    if (envelope.code) return std::string{code_info(*envelope.code).title};
    std::string title = "Outcome " + std::string{to_string(envelope.outcome)};
    for (char& c : title) {
        if (c == '_') c = ' ';
    }
    return title;
}

boost::json::value text_or_null(std::string_view text) {
    if (text.empty()) return nullptr;
    return boost::json::string{text};
}

std::string_view title_of(ControlProblem kind) noexcept {
    switch (kind) {
        case ControlProblem::not_found:
            return "Not found";
        case ControlProblem::bad_request:
            return "Bad request";
        case ControlProblem::unauthorized:
            return "Unauthorized";
        case ControlProblem::conflict:
            return "Conflict";
    }
    return {};
}

}  // namespace

boost::json::object to_json(const Envelope& envelope) {
    const std::string code{envelope.code ? to_string(*envelope.code) : std::string_view{}};
    boost::json::object error;
    error["code"] = text_or_null(code);
    error["phase"] = to_string(envelope.phase);
    error["outcome"] = to_string(envelope.outcome);
    error["retry"] = to_string(envelope.retry);
    error["message"] = envelope.message;
    error["field"] = text_or_null(envelope.field);

    boost::json::object problem;
    problem["type"] = type_of(envelope.code);
    problem["title"] = title_of(envelope);
    problem["status"] = envelope.status;
    problem["detail"] = envelope.message;
    problem["message"] = envelope.message;
    problem["version"] = envelope_version;
    problem["invocation_id"] = text_or_null(envelope.id ? envelope.id->text() : std::string{});
    problem["error"] = std::move(error);
    problem["evidence"] = envelope.evidence;
    return problem;
}

std::string to_body(const Envelope& envelope) {
    return boost::json::serialize(to_json(envelope));
}

std::string to_text_line(const Envelope& envelope) {
    std::string line = "sworn: ";
    for (const char c : envelope.message) {
        const auto byte = static_cast<unsigned char>(c);
        line += byte < 0x20 || byte == 0x7f ? ' ' : c;
    }
    line += " (";
    if (envelope.code) line.append("code=").append(to_string(*envelope.code)).append("; ");
    line.append("phase=").append(to_string(envelope.phase));
    line.append("; outcome=").append(to_string(envelope.outcome));
    line.append("; retry=").append(to_string(envelope.retry));
    if (envelope.id) line.append("; id=").append(envelope.id->text());
    return line + ")\n";
}

std::string_view to_string(ControlProblem kind) noexcept {
    switch (kind) {
        case ControlProblem::not_found:
            return "not_found";
        case ControlProblem::bad_request:
            return "bad_request";
        case ControlProblem::unauthorized:
            return "unauthorized";
        case ControlProblem::conflict:
            return "conflict";
    }
    return {};
}

int status_of(ControlProblem kind) noexcept {
    switch (kind) {
        case ControlProblem::not_found:
            return 404;
        case ControlProblem::bad_request:
            return 400;
        case ControlProblem::unauthorized:
            return 401;
        case ControlProblem::conflict:
            return 409;
    }
    return 0;
}

boost::json::object control_problem(ControlProblem kind, std::string_view detail) {
    boost::json::object problem;
    problem["type"] = "urn:sworn:control:" + std::string{to_string(kind)};
    problem["title"] = title_of(kind);
    problem["status"] = status_of(kind);
    problem["detail"] = detail;
    return problem;
}

}  // namespace sworn
