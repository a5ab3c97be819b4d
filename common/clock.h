// Time, as an argument. Wall time is for people and for expiry; steady time is for deadlines.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sworn {

using WallTime = std::chrono::sys_time<std::chrono::microseconds>;
using SteadyTime = std::chrono::steady_clock::time_point;

/// One production clock and one that tests move by hand.
class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual WallTime now() const noexcept = 0;
    [[nodiscard]] virtual SteadyTime steady() const noexcept = 0;
};

class SystemClock final : public Clock {
public:
    [[nodiscard]] WallTime now() const noexcept override;
    [[nodiscard]] SteadyTime steady() const noexcept override;
};

/// RFC 3339 in UTC with microseconds: 2026-11-30T12:00:00.000000Z.
[[nodiscard]] std::string format_rfc3339(WallTime time);
[[nodiscard]] std::optional<WallTime> parse_rfc3339(std::string_view text);

}  // namespace sworn
