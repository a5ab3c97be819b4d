// A record as people and programs see it: the evidence object, the envelope and the API's record
// view (contract section 9). Pure.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string_view>

#include "common/envelope.h"
#include "journal/journal.h"
#include "journal/record.h"

namespace sworn::pipeline {

[[nodiscard]] boost::json::object evidence_of(const journal::Record& record,
                                              const journal::Projection& projection);

/// {invocation_id, state, route, caller, http_status, evidence, attempts, generations, children,
/// events}; `events` only where the stored ones are given.
[[nodiscard]] boost::json::object record_view(const journal::Record& record, WallTime now,
                                              const std::vector<journal::StoredEvent>* events);

/// The envelope that this record gives now. `status` 0 takes the code's own.
[[nodiscard]] Envelope envelope_of(const journal::Record& record,
                                   const journal::Projection& projection);

/// The envelope of a refusal that no record holds (the journal cannot be written).
[[nodiscard]] Envelope unrecorded_envelope(const InvocationId& id, const Error& error);

/// One sentence for people; what the record's code means here.
[[nodiscard]] std::string_view sentence_for(Code code) noexcept;

/// RFC 9209 type of a stop: from the code, refined by the last attempt or the broken exchange.
[[nodiscard]] ProxyError proxy_error_of(const journal::Record& record,
                                        const journal::Projection& projection);

/// The HTTP status of a code: its own, or 504 for the timeout types.
[[nodiscard]] int status_for(Code code, ProxyError proxy_error) noexcept;

/// The HTTP status that Sworn answers with: the code's, 504 for the timeout types, or `refused`'s.
[[nodiscard]] int status_of(const journal::Record& record, const journal::Projection& projection);

}  // namespace sworn::pipeline
