// The body decoder against a model that sees the whole input at once: the same bytes come out, the
// same number is used up and the same end is seen, however the input is cut.
#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

#include "proxy/http/body_decoder.h"
#include "proxy/http/octets.h"
#include "tests/fuzz/fuzz_input.h"

namespace sworn::http {
namespace {

using State = BodyDecoder::State;

struct Decoded {
    std::string data;
    State state = State::more;
    std::size_t used = 0;  ///< Where the next message begins; counts when complete.
};

/// RFC 9112 section 7.1 by plain string search.
class ChunkedModel {
public:
    explicit ChunkedModel(std::string_view bytes) : bytes_{bytes} {}

    Decoded decode() {
        while (decoded_.state == State::more && chunk()) {
        }
        decoded_.used = at_;
        return std::move(decoded_);
    }

private:
    /// A line of at most `bytes_max` bytes, or nothing: more has to come, or it is malformed.
    std::optional<std::string_view> line(std::size_t bytes_max) {
        const auto rest = bytes_.substr(at_);
        const auto end = rest.find_first_of("\r\n");
        if (std::min(end, rest.size()) > bytes_max) return malformed();
        if (end == rest.npos) return std::nullopt;
        if (rest[end] == '\n') return malformed();
        if (end + 1 == rest.size()) return std::nullopt;
        if (rest[end + 1] != '\n') return malformed();
        at_ += end + 2;
        return rest.substr(0, end);
    }

    std::optional<std::string_view> malformed() {
        decoded_.state = State::malformed;
        return std::nullopt;
    }

    std::optional<std::uint64_t> size_of(std::string_view text) {
        const auto digits = std::min(text.find(';'), text.size());
        std::uint64_t size = 0;
        const auto* const last = text.data() + digits;
        const auto [end, fault] = std::from_chars(text.data(), last, size, 16);
        const bool sound = digits > 0 && digits <= 16 && fault == std::errc{} && end == last &&
                           size <= std::numeric_limits<std::int64_t>::max() &&
                           std::ranges::none_of(text, is_control);
        return sound ? std::optional{size} : std::nullopt;
    }

    static bool is_control(char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f; }

    /// One chunk; false once nothing more can be read.
    bool chunk() {
        const auto head = line(BodyDecoder::chunk_line_bytes_max);
        if (!head) return false;
        const auto size = size_of(*head);
        if (!size) return malformed().has_value();
        if (*size == 0) return trailer();
        const auto data = bytes_.substr(at_, static_cast<std::size_t>(*size));
        decoded_.data += data;
        at_ += data.size();
        return data.size() == *size && line(0).has_value();
    }

    bool trailer() {
        std::size_t total = 0;
        for (;;) {
            const auto field = line(BodyDecoder::trailer_bytes_max);
            if (!field) return false;
            if (field->empty()) break;
            total += field->size() + 2;
            const auto colon = field->find(':');
            const auto name = field->substr(0, colon);
            const bool sound =
                colon != field->npos && !name.empty() && total <= BodyDecoder::trailer_bytes_max &&
                std::ranges::none_of(*field, is_control) && all(name, OctetClass::token);
            if (!sound) return malformed().has_value();
        }
        decoded_.state = State::complete;
        return false;
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    Decoded decoded_;
};

Decoded whole_length(std::string_view bytes, std::uint64_t length) {
    const auto data = bytes.substr(0, static_cast<std::size_t>(length));
    return {std::string{data}, data.size() == length ? State::complete : State::more, data.size()};
}

/// Feeds the input in pieces of 1 to `piece_max` bytes.
Decoded decode(std::string_view bytes, BodyFraming framing, std::size_t piece_max) {
    BodyDecoder decoder{framing};
    fuzz::Choices choices{bytes};
    Decoded decoded;
    decoded.state = decoder.state();
    for (std::size_t fed = 0; fed < bytes.size() && decoded.state == State::more;) {
        auto piece = bytes.substr(fed, 1 + choices.below(piece_max));
        while (!piece.empty() && decoded.state == State::more) {
            const auto step = decoder.next(piece);
            SWORN_ASSERT(step.consumed <= piece.size());
            SWORN_ASSERT(step.consumed > 0 || step.state != State::more);
            SWORN_ASSERT(step.state == decoder.state());
            decoded.data += step.data;
            decoded.state = step.state;
            fed += step.consumed;
            piece.remove_prefix(step.consumed);
        }
    }
    decoded.used = bytes.size();
    if (decoded.state == State::complete) decoded.used = 0;
    return decoded;
}

/// The bytes used up until the decoder was complete.
std::size_t used_by(std::string_view bytes, BodyFraming framing) {
    BodyDecoder decoder{framing};
    std::size_t used = 0;
    while (used < bytes.size() && decoder.state() == State::more)
        used += decoder.next(bytes.substr(used)).consumed;
    return used;
}

void check(std::string_view bytes, BodyFraming framing, const Decoded& model) {
    for (const std::size_t piece_max : {std::size_t{1}, std::size_t{7}, bytes.size() + 1}) {
        const auto decoded = decode(bytes, framing, piece_max);
        SWORN_ASSERT(decoded.state == model.state);
        SWORN_ASSERT(decoded.data == model.data);
    }
    if (model.state == State::complete) SWORN_ASSERT(used_by(bytes, framing) == model.used);
}

}  // namespace
}  // namespace sworn::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace sworn::http;
    using Kind = BodyFraming::Kind;
    const auto bytes = sworn::fuzz::text_of(data, size);
    check(bytes, {Kind::chunked, 0}, ChunkedModel{bytes}.decode());
    const std::uint64_t length = sworn::fuzz::Choices{bytes}.below(size * 2 + 1);
    check(bytes, {Kind::length, length}, whole_length(bytes, length));
    check(bytes, {Kind::until_close, 0}, {std::string{bytes}, State::more, size});
    SWORN_ASSERT(BodyDecoder({Kind::until_close, 0}).at_end() == State::complete);
    return 0;
}
