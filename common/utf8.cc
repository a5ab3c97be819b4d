#include "common/utf8.h"

#include <array>
#include <cstddef>

namespace sworn {
namespace {

/// One row of the grammar: the range of the first byte, that of the second, and the length.
struct Form {
    unsigned char first_min, first_max;
    unsigned char second_min, second_max;
    std::size_t size;
};

constexpr std::array forms{
    Form{0x00, 0x7f, 0x00, 0x00, 1}, Form{0xc2, 0xdf, 0x80, 0xbf, 2},
    Form{0xe0, 0xe0, 0xa0, 0xbf, 3}, Form{0xe1, 0xec, 0x80, 0xbf, 3},
    Form{0xed, 0xed, 0x80, 0x9f, 3}, Form{0xee, 0xef, 0x80, 0xbf, 3},
    Form{0xf0, 0xf0, 0x90, 0xbf, 4}, Form{0xf1, 0xf3, 0x80, 0xbf, 4},
    Form{0xf4, 0xf4, 0x80, 0x8f, 4},
};

/// Bytes of the character at the front; 0 where there is none.
std::size_t character_size(std::string_view bytes) noexcept {
    const auto at = [bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    for (const Form& form : forms) {
        if (at(0) < form.first_min || at(0) > form.first_max) continue;
        if (bytes.size() < form.size) return 0;
        if (form.size == 1) return 1;
        if (at(1) < form.second_min || at(1) > form.second_max) return 0;
        for (std::size_t i = 2; i < form.size; ++i) {
            if ((at(i) & 0xc0U) != 0x80U) return 0;
        }
        return form.size;
    }
    return 0;
}

}  // namespace

bool is_utf8(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const std::size_t size = character_size(bytes);
        if (size == 0) return false;
        bytes.remove_prefix(size);
    }
    return true;
}

}  // namespace sworn
