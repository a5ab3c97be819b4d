// Input bytes of a fuzz target as text, and the choices it makes from them. A run depends on its
// bytes alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sworn::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) noexcept {
    return size == 0 ? std::string_view{}
                     : std::string_view{reinterpret_cast<const char*>(data), size};
}

/// Numbers that follow from a text (splitmix64): where it is cut, for instance.
class Choices {
public:
    explicit Choices(std::string_view text) noexcept {
        for (const char c : text)
            state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    /// From 0 to `bound` - 1; `bound` is not 0.
    [[nodiscard]] std::size_t below(std::size_t bound) noexcept {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
        return static_cast<std::size_t>((mixed ^ (mixed >> 31)) % bound);
    }

private:
    std::uint64_t state_ = 0xcbf29ce484222325U;
};

/// Bytes as a list of small decisions; zeros once they are used up.
class Script {
public:
    explicit Script(std::string_view bytes) noexcept : rest_{bytes} {}
    [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
    [[nodiscard]] std::uint8_t next() noexcept {
        if (rest_.empty()) return 0;
        const auto byte = static_cast<std::uint8_t>(rest_.front());
        rest_.remove_prefix(1);
        return byte;
    }
    [[nodiscard]] std::string_view take(std::size_t count) noexcept {
        const auto taken = rest_.substr(0, count);
        rest_.remove_prefix(taken.size());
        return taken;
    }
    [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

private:
    std::string_view rest_;
};

}  // namespace sworn::fuzz
