#include "common/units.h"

#include <array>
#include <charconv>
#include <limits>
#include <span>

namespace sworn {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

constexpr std::array sizes{
    Unit{"B", 1},
    Unit{"KiB", 1ULL << 10},
    Unit{"MiB", 1ULL << 20},
    Unit{"GiB", 1ULL << 30},
    Unit{"TiB", 1ULL << 40},
};

constexpr std::array durations{
    Unit{"ms", 1}, Unit{"s", 1'000}, Unit{"m", 60'000}, Unit{"h", 3'600'000}, Unit{"d", 86'400'000},
};

/// One spelling per value: digits without a leading zero, then the unit, nothing between.
std::optional<std::uint64_t> parse_amount(std::string_view text, std::span<const Unit> units,
                                          std::uint64_t max) noexcept {
    std::uint64_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, fault] = std::from_chars(text.data(), end, count);
    if (fault != std::errc{}) return std::nullopt;
    if (text.front() == '0' && rest - text.data() > 1) return std::nullopt;
    const std::string_view name{rest, static_cast<std::size_t>(end - rest)};
    for (const Unit& unit : units) {
        if (unit.name != name) continue;
        if (count > max / unit.factor) return std::nullopt;
        return count * unit.factor;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) noexcept {
    return parse_amount(text, sizes, std::numeric_limits<std::uint64_t>::max());
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) noexcept {
    using Rep = std::chrono::milliseconds::rep;
    const auto amount =
        parse_amount(text, durations, static_cast<std::uint64_t>(std::numeric_limits<Rep>::max()));
    if (!amount) return std::nullopt;
    return std::chrono::milliseconds{static_cast<Rep>(*amount)};
}

}  // namespace sworn
