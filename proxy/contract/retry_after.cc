#include <algorithm>
#include <array>
#include <charconv>

#include "proxy/contract/field_rules.h"
#include "proxy/contract/settle.h"

namespace sworn::contract {
namespace {

using namespace std::chrono;

constexpr seconds delay_max = hours{24};
constexpr std::array<std::string_view, 12> month_names{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> day_names{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                    "Friday", "Saturday", "Sunday"};

/// Reads fixed text, numbers of a fixed width and names from the front; sticky once it failed.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_{text} {}

    void text(std::string_view expected) {
        if (!rest_.starts_with(expected)) return fail();
        rest_.remove_prefix(expected.size());
    }
    int number(std::size_t width) {
        const auto digits = rest_.substr(0, width);
        int value = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        const bool whole = error == std::errc{} && digits.size() == width && digits[0] != '-' &&
                           end == digits.data() + width;
        if (whole) {
            rest_.remove_prefix(width);
        } else {
            fail();
        }
        return whole ? value : 0;
    }
    /// A day of the month as asctime() writes it: "06" never, " 6" or "16".
    int padded_day() {
        if (!rest_.starts_with(' ')) return number(2);
        rest_.remove_prefix(1);
        return number(1);
    }
    /// One of `names`, each cut to `length` (0: whole); its index.
    unsigned name(const auto& names, std::size_t length) {
        for (unsigned i = 0; i < names.size(); ++i) {
            const auto one = length == 0 ? names[i] : names[i].substr(0, length);
            if (!rest_.starts_with(one)) continue;
            rest_.remove_prefix(one.size());
            return i;
        }
        fail();
        return 0;
    }
    void fail() { failed_ = true; }
    [[nodiscard]] bool done() const { return !failed_ && rest_.empty(); }

private:
    std::string_view rest_;
    bool failed_ = false;
};

struct Parts {
    int year = 0;
    unsigned month = 0;  ///< 0 to 11
    int day = 0, hour = 0, minute = 0, second = 0;
};

void read_time(Reader& reader, Parts& parts) {
    parts.hour = reader.number(2);
    reader.text(":");
    parts.minute = reader.number(2);
    reader.text(":");
    parts.second = reader.number(2);
}

/// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<Parts> imf_fixdate(std::string_view text) {
    Reader reader{text};
    Parts parts;
    reader.name(day_names, 3);
    reader.text(", ");
    parts.day = reader.number(2);
    reader.text(" ");
    parts.month = reader.name(month_names, 0);
    reader.text(" ");
    parts.year = reader.number(4);
    reader.text(" ");
    read_time(reader, parts);
    reader.text(" GMT");
    return reader.done() ? std::optional{parts} : std::nullopt;
}

/// "Sunday, 06-Nov-94 08:49:37 GMT": a year that looks more than 50 years ahead lies in the past.
std::optional<Parts> rfc850_date(std::string_view text, WallTime now) {
    Reader reader{text};
    Parts parts;
    reader.name(day_names, 0);
    reader.text(", ");
    parts.day = reader.number(2);
    reader.text("-");
    parts.month = reader.name(month_names, 0);
    reader.text("-");
    parts.year = reader.number(2);
    reader.text(" ");
    read_time(reader, parts);
    reader.text(" GMT");
    const int this_year = static_cast<int>(year_month_day{floor<days>(now)}.year());
    parts.year += this_year / 100 * 100;
    if (parts.year > this_year + 50) parts.year -= 100;
    return reader.done() ? std::optional{parts} : std::nullopt;
}

/// "Sun Nov  6 08:49:37 1994"
std::optional<Parts> asctime_date(std::string_view text) {
    Reader reader{text};
    Parts parts;
    reader.name(day_names, 3);
    reader.text(" ");
    parts.month = reader.name(month_names, 0);
    reader.text(" ");
    parts.day = reader.padded_day();
    reader.text(" ");
    read_time(reader, parts);
    reader.text(" ");
    parts.year = reader.number(4);
    return reader.done() ? std::optional{parts} : std::nullopt;
}

std::optional<WallTime> time_of(const Parts& parts) {
    const auto date =
        year{parts.year} / month{parts.month + 1} / day{static_cast<unsigned>(parts.day)};
    // 60: a leap second.
    if (!date.ok() || parts.hour > 23 || parts.minute > 59 || parts.second > 60) {
        return std::nullopt;
    }
    return sys_days{date} + hours{parts.hour} + minutes{parts.minute} + seconds{parts.second};
}

std::optional<WallTime> http_date(std::string_view text, WallTime now) {
    auto parts = imf_fixdate(text);
    if (!parts) parts = rfc850_date(text, now);
    if (!parts) parts = asctime_date(text);
    return parts ? time_of(*parts) : std::nullopt;
}

}  // namespace

std::optional<seconds> parse_retry_after(std::string_view value, WallTime now) {
    value = trim_blanks(value);
    if (value.empty()) return std::nullopt;
    const bool digits = std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
    if (digits) {
        std::int64_t count = 0;
        const auto result = std::from_chars(value.data(), value.data() + value.size(), count);
        const bool fits = result.ec == std::errc{};
        return fits ? std::min(seconds{count}, delay_max) : delay_max;
    }
    const auto time = http_date(value, now);
    if (!time) return std::nullopt;
    return std::clamp(ceil<seconds>(*time - now), seconds{0}, delay_max);
}

}  // namespace sworn::contract
