// Two response headers. Proxy-Status (RFC 9209): what each hop says of itself. Sworn-Outcome: what
// the record holds (docs/contract.md section 9). Both are structured fields. Pure: no I/O.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/ids.h"
#include "common/vocabulary.h"

namespace sworn {

/// One hop's own member. Text that a String cannot carry is shown with '?' in place of each such
/// byte, cut to `proxy_status_text_max`.
struct ProxyStatusMember {
    std::string name{};  ///< This broker's name; a Token where the grammar allows, else a String.
    ProxyError error = ProxyError::none;
    std::optional<int> received_status{};  ///< 100..999; another value is left out.
    std::string next_hop{};                ///< Host name or address; empty is left out.
    std::string rcode{};                   ///< With dns_error only: "NXDOMAIN"; empty is left out.
    std::string details{};                 ///< Words of ours, never a peer's; empty is left out.
};

inline constexpr std::size_t proxy_status_text_max = 256;

[[nodiscard]] std::string format_member(const ProxyStatusMember& member);

/// The whole field value, with `member` last. `existing` is the combined value that came from the
/// next hop; one that is no list of Tokens and Strings is dropped.
[[nodiscard]] std::string append_proxy_status(std::optional<std::string_view> existing,
                                              const ProxyStatusMember& member);

/// What a member that came from another hop says. Evidence about that hop only.
struct HopStatus {
    std::string name{};
    bool failed = false;  ///< An `error` parameter is there, of whatever type.
    std::string error{};  ///< Its word as it came; empty where there is none.
    std::optional<int> received_status{};
    std::string next_hop{};
    std::string rcode{};
    std::string details{};
};

/// In the order of the field: the last one is the nearest hop. Empty when unparsable.
[[nodiscard]] std::vector<HopStatus> parse_proxy_status(std::string_view text);

/// The value of Sworn-Outcome. `code` and `id` are left out where there is none.
struct OutcomeHeader {
    Outcome outcome = Outcome::unknown;
    Phase phase = Phase::validation;
    Retry retry = Retry::never;
    std::optional<Code> code{};
    std::optional<InvocationId> id{};
    bool operator==(const OutcomeHeader&) const = default;
};

/// `unknown; phase=remote_execution; retry=reconcile; code=REMOTE_OUTCOME_UNKNOWN; id="act_…"`
[[nodiscard]] std::string format_outcome_header(const OutcomeHeader& header);
/// Unknown parameters are skipped; an unknown word or a missing phase or retry is nothing.
[[nodiscard]] std::optional<OutcomeHeader> parse_outcome_header(std::string_view text);

}  // namespace sworn
