#include "journal/crc32c.h"

#include <array>

namespace sworn::journal {
namespace {

constexpr std::uint32_t reflected_polynomial = 0x82f63b78;

constexpr auto table = [] {
    std::array<std::uint32_t, 256> rows{};
    for (std::uint32_t byte = 0; byte < rows.size(); ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? reflected_polynomial : 0);
        }
        rows[byte] = crc;
    }
    return rows;
}();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) noexcept {
    std::uint32_t crc = 0xffffffff;
    for (const char byte : bytes) {
        crc = (crc >> 8) ^ table[(crc ^ static_cast<std::uint8_t>(byte)) & 0xff];
    }
    return ~crc;
}

}  // namespace sworn::journal
