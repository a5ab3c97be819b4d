#include "common/clock.h"

#include <array>
#include <cstdint>
#include <cstdio>

#include "common/assert.h"

namespace sworn {
namespace {

using std::chrono::days;
using std::chrono::microseconds;
using std::chrono::minutes;

/// What four year digits can say.
constexpr WallTime earliest = std::chrono::sys_days{std::chrono::year{0} / 1 / 1};
constexpr WallTime latest =
    WallTime{std::chrono::sys_days{std::chrono::year{10000} / 1 / 1}} - microseconds{1};

/// Reads fixed-width fields from the front; broken for good after the first fault.
class Reader {
public:
    explicit Reader(std::string_view text) noexcept : rest_{text} {}

    int number(std::size_t width) noexcept {
        if (rest_.size() < width) return fail();
        int value = 0;
        for (const char digit : rest_.substr(0, width)) {
            if (digit < '0' || digit > '9') return fail();
            value = value * 10 + (digit - '0');
        }
        rest_.remove_prefix(width);
        return value;
    }

    bool skip(char wanted) noexcept {
        if (rest_.empty() || rest_.front() != wanted) return false;
        rest_.remove_prefix(1);
        return true;
    }

    void expect(char wanted) noexcept {
        if (!skip(wanted)) fail();
    }

    /// 1 to 9 digits after the point; what is finer than a microsecond is cut off.
    microseconds fraction() noexcept {
        std::int64_t value = 0;
        std::size_t count = 0;
        while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
            if (count < 6) value = value * 10 + (rest_.front() - '0');
            rest_.remove_prefix(1);
            ++count;
        }
        if (count == 0 || count > 9) fail();
        for (; count < 6; ++count)
            value *= 10;
        return microseconds{value};
    }

    [[nodiscard]] bool ended_well() const noexcept { return good_ && rest_.empty(); }

private:
    int fail() noexcept {
        good_ = false;
        rest_ = {};
        return 0;
    }

    std::string_view rest_;
    bool good_ = true;
};

/// "Z", or the offset that has to be taken away.
std::optional<minutes> read_offset(Reader& reader) noexcept {
    if (reader.skip('Z')) return minutes{0};
    const bool east = reader.skip('+');
    if (!east) reader.expect('-');
    const int hour = reader.number(2);
    reader.expect(':');
    const int minute = reader.number(2);
    if (hour > 23 || minute > 59) return std::nullopt;
    const minutes offset{hour * 60 + minute};
    return east ? offset : -offset;
}

}  // namespace

WallTime SystemClock::now() const noexcept {
    return std::chrono::floor<microseconds>(std::chrono::system_clock::now());
}

SteadyTime SystemClock::steady() const noexcept {
    return std::chrono::steady_clock::now();
}

std::string format_rfc3339(WallTime time) {
    if (time < earliest) time = earliest;
    if (time > latest) time = latest;
    const auto day = std::chrono::floor<days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{time - day};
    std::array<char, 64> text{};
    const int size = std::snprintf(
        text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
        static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
        static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
        static_cast<int>(clock.subseconds().count()));
    SWORN_ASSERT(size == 27);
    return {text.data(), static_cast<std::size_t>(size)};
}

std::optional<WallTime> parse_rfc3339(std::string_view text) {
    Reader reader{text};
    const std::chrono::year year{reader.number(4)};
    reader.expect('-');
    const std::chrono::month month{static_cast<unsigned>(reader.number(2))};
    reader.expect('-');
    const std::chrono::day day{static_cast<unsigned>(reader.number(2))};
    const std::chrono::year_month_day date{year / month / day};
    reader.expect('T');
    const int hour = reader.number(2);
    reader.expect(':');
    const int minute = reader.number(2);
    reader.expect(':');
    const int second = reader.number(2);
    const microseconds fraction = reader.skip('.') ? reader.fraction() : microseconds{0};
    const auto offset = read_offset(reader);
    if (!offset || !reader.ended_well() || !date.ok()) return std::nullopt;
    // No leap second: the clock has none, and 23:59:60 has no place in its order.
    if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return WallTime{std::chrono::sys_days{date}} + std::chrono::hours{hour} + minutes{minute} +
           std::chrono::seconds{second} + fraction - *offset;
}

}  // namespace sworn
