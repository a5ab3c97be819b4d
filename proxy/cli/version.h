#pragma once

#include <string_view>

namespace sworn::cli {

/// Follows project(VERSION) in CMakeLists.txt.
inline constexpr std::string_view version = SWORN_VERSION;

}  // namespace sworn::cli
