#include "proxy/http/body_decoder.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "proxy/http/octets.h"

namespace sworn::http {

namespace {

constexpr std::size_t size_digits_max = 16;

/// 1*16HEXDIG with an optional ";…" right behind it. Extensions are dropped, whatever they say.
std::optional<std::uint64_t> parse_chunk_size(std::string_view line) {
    std::size_t digits = 0;
    while (digits < line.size() && is(line[digits], OctetClass::hex))
        ++digits;
    if (digits == 0 || digits > size_digits_max) return std::nullopt;
    const auto extensions = line.substr(digits);
    if (!extensions.empty() && extensions.front() != ';') return std::nullopt;
    if (!all(extensions, OctetClass::value)) return std::nullopt;
    std::uint64_t size = 0;
    const auto [end, fault] = std::from_chars(line.data(), line.data() + digits, size, 16);
    if (fault != std::errc{} || end != line.data() + digits) return std::nullopt;
    if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return std::nullopt;
    }
    return size;
}

bool is_field_line(std::string_view line) {
    const auto colon = line.find(':');
    if (colon == line.npos || colon == 0) return false;
    return all(line.substr(0, colon), OctetClass::token) &&
           all(line.substr(colon + 1), OctetClass::value);
}

}  // namespace

BodyDecoder::BodyDecoder(BodyFraming framing) : framing_{framing}, left_{framing.length} {
    const bool empty = framing.kind == BodyFraming::Kind::length && framing.length == 0;
    if (framing.kind == BodyFraming::Kind::none || empty) state_ = State::complete;
    if (framing.kind == BodyFraming::Kind::chunked) left_ = 0;
}

BodyDecoder::Step BodyDecoder::next(std::string_view input) {
    if (state_ != State::more) return {0, {}, state_};
    switch (framing_.kind) {
        case BodyFraming::Kind::none:
            break;
        case BodyFraming::Kind::until_close:
            return {input.size(), input, state_};
        case BodyFraming::Kind::length: {
            const auto size =
                static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size()));
            left_ -= size;
            if (left_ == 0) state_ = State::complete;
            return {size, input.substr(0, size), state_};
        }
        case BodyFraming::Kind::chunked:
            return chunked(input);
    }
    SWORN_ASSERT(false);
}

BodyDecoder::State BodyDecoder::at_end() const noexcept {
    if (state_ == State::more && framing_.kind == BodyFraming::Kind::until_close) {
        return State::complete;
    }
    return state_;
}

BodyDecoder::Step BodyDecoder::chunked(std::string_view input) {
    auto rest = input;
    while (!rest.empty() && state_ == State::more) {
        switch (at_) {
            case At::size_line:
                if (take_line(rest, chunk_line_bytes_max)) end_of_size_line();
                break;
            case At::data: {
                const auto size =
                    static_cast<std::size_t>(std::min<std::uint64_t>(left_, rest.size()));
                const auto data = rest.substr(0, size);
                rest.remove_prefix(size);
                left_ -= size;
                if (left_ == 0) at_ = At::data_end;
                return {input.size() - rest.size(), data, state_};
            }
            case At::data_end:
                if (!take_line(rest, 0)) break;
                line_.clear();
                at_ = At::size_line;
                break;
            case At::trailer:
                if (take_line(rest, trailer_bytes_max)) end_of_trailer_line();
                break;
        }
    }
    return {input.size() - rest.size(), {}, state_};
}

bool BodyDecoder::take_line(std::string_view& rest, std::size_t bytes_max) {
    if (carriage_return_) {
        carriage_return_ = false;
        if (rest.front() != '\n') {
            fail();
            return false;
        }
        rest.remove_prefix(1);
        return true;
    }
    const auto end = rest.find_first_of("\r\n");
    const auto taken = rest.substr(0, end);
    if (line_.size() + taken.size() > bytes_max) {
        fail();
        return false;
    }
    line_.append(taken);
    rest.remove_prefix(taken.size());
    if (end == rest.npos) return false;
    if (rest.front() != '\r') {
        fail();
        return false;
    }
    rest.remove_prefix(1);
    carriage_return_ = true;
    return rest.empty() ? false : take_line(rest, bytes_max);
}

void BodyDecoder::end_of_size_line() {
    const auto size = parse_chunk_size(line_);
    line_.clear();
    if (!size) return fail();
    left_ = *size;
    at_ = left_ == 0 ? At::trailer : At::data;
}

void BodyDecoder::end_of_trailer_line() {
    trailer_bytes_ += line_.size() + 2;
    if (line_.empty()) {
        state_ = State::complete;
    } else if (trailer_bytes_ > trailer_bytes_max || !is_field_line(line_)) {
        fail();
    }
    line_.clear();
}

}  // namespace sworn::http
