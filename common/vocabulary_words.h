// Shared by the two files that spell vocabularies; nobody else includes it. Each defines, before
// the templates are used, one `static constexpr std::string_view word(E)` per vocabulary: a switch
// without a default, so that a new enumerator without a word does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace sworn {

/// word() has no text at all, not even an empty one, for what lies behind the last enumerator.
template <class E>
consteval std::size_t count_values() {
    std::size_t count = 0;
    while (word(static_cast<E>(count)).data() != nullptr)
        ++count;
    return count;
}

template <class E>
consteval auto list_values() {
    std::array<E, count_values<E>()> values{};
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<E>(i);
    return values;
}

template <class E>
inline constexpr auto values_of = list_values<E>();

template <class E>
std::optional<E> parse(std::string_view text) noexcept {
    // ProxyError::none is the absence of a word, which no text spells.
    if (text.empty()) return std::nullopt;
    for (const E value : values_of<E>) {
        if (word(value) == text) return value;
    }
    return std::nullopt;
}

template <class E>
std::span<const E> all_values() noexcept {
    return values_of<E>;
}

}  // namespace sworn
