// Answers as the caller sees them: envelopes, passed-on heads and replays, with the fields that
// contract section 9 puts beside every response. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/envelope.h"
#include "journal/record.h"
#include "proxy/config/snapshot.h"
#include "proxy/http/caller_side.h"

namespace sworn::pipeline {

/// How this broker speaks; from the snapshot.
struct Voice {
    std::string name = "sworn";
    std::optional<int> unknown_status;  ///< 424, for callers whose SDKs repeat a 502.
};
[[nodiscard]] Voice voice_of(const config::Snapshot& snapshot);

enum class ErrorForm : std::uint8_t { problem_json, text_line };  ///< git shows only text.

/// An answer of Sworn's own making from what the record holds.
[[nodiscard]] http::Answer error_answer(const journal::Record& record,
                                        const journal::Projection& projection,
                                        ProxyError proxy_error, const Voice& voice, ErrorForm form);
/// The same from an envelope without a record of its own (journal unavailable, a refused repeat).
[[nodiscard]] http::Answer error_answer(const Envelope& envelope, ProxyError proxy_error,
                                        const Voice& voice, ErrorForm form);

/// The remote's end-to-end fields with ours: hop-by-hop and Sworn-* removed, Via and Proxy-Status
/// added. Without the outcome: that is known only once it is committed.
[[nodiscard]] http::ResponseHead passed_on_head(const http::ResponseHead& remote,
                                                const InvocationId& id, const Voice& voice);

/// Adds what the record now holds: Sworn-Outcome, and the stop signs of section 9.
void add_outcome(http::Fields& fields, const journal::Record& record,
                 const journal::Projection& projection, int status);

/// Whether clients must be told not to repeat this by themselves (section 9).
[[nodiscard]] bool wants_stop_signs(const journal::Record& record,
                                    const journal::Projection& projection) noexcept;

/// Tells clients not to repeat this by themselves; what the origin said about it goes.
void add_stop_signs(http::Fields& fields);

/// A stored head as text (status line and fields) and back, for replays.
[[nodiscard]] std::string store_head(const http::ResponseHead& head);
[[nodiscard]] std::optional<http::ResponseHead> load_head(std::string_view bytes);

/// A replay of a settled result.
[[nodiscard]] http::Answer replay_answer(http::ResponseHead head, std::string body,
                                         const journal::Record& record,
                                         const journal::Projection& projection);

}  // namespace sworn::pipeline
