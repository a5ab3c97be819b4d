// Which answers a caller is known to have got (docs/contract.md section 7). Answers are numbered
// by where their last byte stands in the bytes that went out, so that what the caller's kernel has
// acknowledged decides. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "proxy/http/caller_side.h"

namespace sworn::http {

class Delivery {
public:
    static constexpr std::size_t waiting_max = 64;  ///< More pipelined answers are not confirmed.

    void sent(std::size_t bytes) noexcept { sent_ += bytes; }

    /// Right before the last bytes of an answer are written. What the caller had said by then
    /// (a pipelined request, its FIN) confirms nothing about this answer.
    enum class CallerSaid : std::uint8_t { nothing, more, end };
    void about_to_end(CallerSaid said) noexcept;

    /// The answer just written has a record that waits for confirmation. `after_body`: octets sent
    /// after its last body byte (a last chunk); what has the body has the result.
    void add(DeliveryWatchPtr watch, std::size_t after_body);

    /// Bytes of a further request came. `unacknowledged` as of io::Stream; -1 is unknown.
    void next_request(int unacknowledged) noexcept;
    /// The caller's FIN came. `own_end`: octets that our own FIN counts for.
    void closed(int unacknowledged, int own_end) noexcept;
    /// The connection is over. What was not acknowledged is lost; about the rest nothing is known.
    void over(int unacknowledged, int own_end) noexcept;

    [[nodiscard]] bool waiting() const noexcept { return !waiting_.empty(); }

private:
    struct Waiting {
        DeliveryWatchPtr watch;
        std::uint64_t end = 0;
        bool next_confirms = false, close_confirms = false;
    };
    template <class P>
    void confirm(P&& applies, std::string_view how) noexcept;

    std::vector<Waiting> waiting_;
    std::uint64_t sent_ = 0;
    CallerSaid said_ = CallerSaid::nothing;
};

}  // namespace sworn::http
