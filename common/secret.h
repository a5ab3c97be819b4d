// A secret value: moves, never copies, wipes itself, prints as a fixed word.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

namespace sworn {

/// Bytes that must not outlive their use. The storage is wiped on destruction and on move-from.
/// Only proxy/credentials/ may call `bytes()` for an injected credential, against a permit;
/// elsewhere it serves to compare tokens (`equals`).
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string&& bytes) noexcept;  ///< Takes the bytes and wipes the source.
    Secret(Secret&& other) noexcept;
    Secret& operator=(Secret&& other) noexcept;
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;
    ~Secret();

    [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
    [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }
    /// Constant time in the length of the longer one.
    [[nodiscard]] bool equals(std::string_view other) const noexcept;
    [[nodiscard]] Secret clone() const;  ///< An explicit second copy, wiped like the first.

private:
    std::string bytes_;
};

std::ostream& operator<<(std::ostream& out, const Secret&);  ///< Always "[secret]".

/// Overwrites in a way that the compiler may not drop.
void wipe(std::string& bytes) noexcept;

}  // namespace sworn
