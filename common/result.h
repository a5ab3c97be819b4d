// A value or the error that stopped it. One error type for everything that a peer, the disk or a
// policy can cause; bugs abort (common/assert.h). The spelling follows std::expected.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <variant>

#include "common/assert.h"
#include "common/vocabulary.h"

namespace sworn {

/// A string literal. Only the compiler makes one, so no peer byte and no secret can be in it.
class Literal {
public:
    consteval Literal(const char* text) noexcept : text_{text} {}  // NOLINT: implicit by design
    [[nodiscard]] constexpr std::string_view view() const noexcept { return text_; }

private:
    const char* text_;
};

/// Where in the input the fault is: a header name, "body", "target", a config key. At most
/// `bytes_max` bytes; anything but visible ASCII is replaced by '?', so it is safe to show.
class FieldPath {
public:
    static constexpr std::size_t bytes_max = 63;

    constexpr FieldPath() noexcept = default;
    FieldPath(std::string_view text) noexcept {  // NOLINT: implicit by design
        size_ = static_cast<std::uint8_t>(text.size() < bytes_max ? text.size() : bytes_max);
        for (std::size_t i = 0; i < size_; ++i) {
            bytes_[i] = (text[i] > ' ' && text[i] < 0x7f) ? text[i] : '?';
        }
    }
    FieldPath(const char* text) noexcept : FieldPath{std::string_view{text}} {}  // NOLINT

    [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

private:
    std::array<char, bytes_max> bytes_{};
    std::uint8_t size_ = 0;
};

/// What stopped an action. `code` decides phase, HTTP status and metric label (code_info()).
struct Error {
    Code code;
    Literal why;        ///< One sentence for people; never parsed.
    FieldPath field{};  ///< Empty where no single field is at fault.
    int status = 0;     ///< Overrides code_info(code).status where one code has several (405/501).
};

/// A T or the Error that stopped it. To read the side that is not there aborts.
template <class T, class E = Error>
class [[nodiscard]] Result {
public:
    Result(T value) : state_{std::in_place_index<0>, std::move(value)} {}  // NOLINT
    Result(E error) : state_{std::in_place_index<1>, std::move(error)} {}  // NOLINT

    explicit operator bool() const noexcept { return state_.index() == 0; }
    [[nodiscard]] T& operator*() & noexcept { return value(); }
    [[nodiscard]] const T& operator*() const& noexcept { return value(); }
    [[nodiscard]] T&& operator*() && noexcept { return std::move(value()); }
    T* operator->() noexcept { return &value(); }
    const T* operator->() const noexcept { return &value(); }
    [[nodiscard]] const E& error() const noexcept {
        SWORN_ASSERT(state_.index() == 1);
        return *std::get_if<1>(&state_);
    }

private:
    T& value() noexcept {
        SWORN_ASSERT(state_.index() == 0);
        return *std::get_if<0>(&state_);
    }
    const T& value() const noexcept {
        SWORN_ASSERT(state_.index() == 0);
        return *std::get_if<0>(&state_);
    }
    std::variant<T, E> state_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace sworn
