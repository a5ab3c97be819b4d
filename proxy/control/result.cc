// The stored result of one invocation: a read, never a second send.
#include <charconv>

#include "common/proxy_status.h"
#include "proxy/control/handlers.h"
#include "proxy/pipeline/evidence.h"
#include "proxy/pipeline/respond.h"
#include "proxy/pipeline/stored_result.h"

namespace sworn::control {

namespace {

std::optional<journal::Stream> parse_stream(std::string_view word) {
    if (word.empty()) return journal::Stream::body;
    if (word == "stdout") return journal::Stream::out;
    if (word == "stderr") return journal::Stream::err;
    return std::nullopt;
}

std::optional<std::uint32_t> parse_part(std::string_view text) {
    if (text.empty()) return 0;
    std::uint32_t part = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), part);
    if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return part;
}

std::string outcome_field(const journal::Record& record, const journal::Projection& projection) {
    OutcomeHeader header;
    header.outcome = projection.outcome;
    header.phase = projection.phase;
    header.retry = projection.retry;
    header.code = projection.code;
    header.id = record.id;
    return format_outcome_header(header);
}

/// Settled, but there is no body to fetch: removed by retention, or never kept.
Response gone(const journal::Record& record, const journal::Projection& projection) {
    const auto code = record.result_expired ? Code::result_expired : Code::result_not_retained;
    auto envelope = pipeline::envelope_of(record, projection);
    envelope.code = code;
    envelope.phase = code_info(code).phase;
    envelope.message = pipeline::sentence_for(code);
    envelope.field.clear();
    return envelope_response(envelope, code_info(code).status);
}

bool is_settled(const journal::Projection& projection) {
    if (projection.running) return false;
    return projection.outcome == Outcome::committed || projection.outcome == Outcome::rejected;
}

}  // namespace

Response fetch_result(Services& services, const Request& request) {
    const auto stream = parse_stream(request.parameter("stream"));
    if (!stream) return problem(ControlProblem::bad_request, "stream is stdout or stderr.");
    const auto part = parse_part(request.parameter("from_part"));
    if (!part) return problem(ControlProblem::bad_request, "from_part is a number from 0.");
    const auto stored = read_visible(services, request);
    if (!stored) return no_such_invocation();
    const auto& record = stored->record;
    const auto projection = project(record, services.clock.now());
    if (!is_settled(projection)) {
        return envelope_response(pipeline::envelope_of(record, projection), 409);
    }
    // What a finding settled has no result, though an earlier generation may have left one.
    if (projection.settled_by) return gone(record, projection);
    auto whole = pipeline::load_result(services.journal, request.id, *stream, *part);
    const auto head = whole ? pipeline::load_head(whole->head) : std::nullopt;
    if (!head) return gone(record, projection);
    Response response;
    response.type.clear();
    for (const std::string_view name : {"Content-Type", "Content-Encoding"}) {
        if (const auto value = contract::find_field(head->fields, name)) {
            response.fields.emplace_back(name, *value);
        }
    }
    response.fields.emplace_back("Sworn-Result-Status", std::to_string(head->status));
    response.fields.emplace_back("Sworn-Outcome", outcome_field(record, projection));
    response.body = std::move(whole->body);
    return response;
}

}  // namespace sworn::control
