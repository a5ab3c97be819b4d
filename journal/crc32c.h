// CRC-32C (Castagnoli; RFC 3720 appendix B.4): finds every single flipped byte of a frame. It is a
// guard against damage, not against forgery.
#pragma once

#include <cstdint>
#include <string_view>

namespace sworn::journal {

[[nodiscard]] std::uint32_t crc32c(std::string_view bytes) noexcept;

}  // namespace sworn::journal
