// Retry-After is bounded, blind to blanks around it, exact for plain numbers, and later moments
// leave less to wait.
#include <algorithm>

#include "common/assert.h"
#include "proxy/contract/settle.h"
#include "tests/fuzz/fuzz_input.h"

namespace sworn::contract {
namespace {

using namespace std::chrono_literals;

constexpr WallTime now{std::chrono::sys_days{std::chrono::year{2026} / 11 / 30} + 12h};
constexpr std::chrono::seconds delay_max = 24h;

/// Digits alone, as a number that stops at the bound.
std::optional<std::chrono::seconds> plain_number(std::string_view text) {
    std::chrono::seconds value{0};
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        value = std::min(value * 10 + std::chrono::seconds{c - '0'}, delay_max);
    }
    return text.empty() ? std::nullopt : std::optional{value};
}

void check(std::string_view text) {
    const auto delay = parse_retry_after(text, now);
    if (const auto number = plain_number(text)) SWORN_ASSERT(delay == number);
    SWORN_ASSERT(parse_retry_after(" \t" + std::string{text} + "\t ", now) == delay);
    if (!delay) return;
    SWORN_ASSERT(*delay >= 0s);
    SWORN_ASSERT(*delay <= delay_max);
    SWORN_ASSERT(!parse_retry_after(std::string{text} + "!", now));
    const auto later = parse_retry_after(text, now + 1h);
    SWORN_ASSERT(later.has_value());
    SWORN_ASSERT(*later <= *delay);
    // A number is a span; a date names a moment, which comes an hour closer in an hour.
    const bool is_date = text.find(':') != text.npos;
    const bool capped = delay == delay_max;
    const bool past = *delay <= 1h;
    if (!is_date) SWORN_ASSERT(*later == *delay);
    if (is_date && !capped && !past) SWORN_ASSERT(*later == *delay - 1h);
}

}  // namespace
}  // namespace sworn::contract

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sworn::contract::check(sworn::fuzz::text_of(data, size));
    return 0;
}
