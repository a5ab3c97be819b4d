// UTF-8 as RFC 3629 section 4 has it: no overlong forms, no surrogates, nothing past U+10FFFF.
#pragma once

#include <string_view>

namespace sworn {

[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

}  // namespace sworn
