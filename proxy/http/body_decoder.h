// Message bodies out of their framing, byte for byte and strictly (RFC 9112 sections 6 and 7).
// Sticky: a decoder that failed stays failed. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/http/message.h"

namespace sworn::http {

class BodyDecoder {
public:
    explicit BodyDecoder(BodyFraming framing);

    enum class State : std::uint8_t { more, complete, malformed };
    struct Step {
        std::size_t consumed = 0;  ///< Of the input; what is left belongs to the next message.
        std::string_view data;     ///< Body bytes, a view into the input.
        State state = State::more;
    };
    /// Takes as much as yields one run of body bytes; call again while `consumed` < input size and
    /// the state is `more`.
    [[nodiscard]] Step next(std::string_view input);
    /// The stream ended: complete for until_close (or an already complete body), else not.
    [[nodiscard]] State at_end() const noexcept;
    [[nodiscard]] State state() const noexcept { return state_; }

    static constexpr std::size_t chunk_line_bytes_max = 4096;  ///< Size and extensions.
    static constexpr std::size_t trailer_bytes_max = 64 * 1024;

private:
    enum class At : std::uint8_t { size_line, data, data_end, trailer };
    [[nodiscard]] Step chunked(std::string_view input);
    /// Consumes input up to and with the line's CRLF into line_, without it; true once it is whole.
    bool take_line(std::string_view& rest, std::size_t bytes_max);
    void end_of_size_line();
    void end_of_trailer_line();
    void fail() noexcept { state_ = State::malformed; }

    BodyFraming framing_;
    State state_ = State::more;
    At at_ = At::size_line;
    std::uint64_t left_ = 0;
    std::string line_;
    bool carriage_return_ = false;  ///< The line's CR came; only its LF may follow.
    std::size_t trailer_bytes_ = 0;
};

}  // namespace sworn::http
