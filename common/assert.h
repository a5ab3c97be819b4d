// Broken invariants stop the process: restarting is cheap and safe, going on is neither.
#pragma once

namespace sworn {

/// Prints the expression and its place to stderr and aborts. Never prints a value.
[[noreturn]] void assert_failed(const char* expression, const char* file, int line) noexcept;

}  // namespace sworn

/// On in every build. One condition each; split conjunctions.
#define SWORN_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : ::sworn::assert_failed(#condition, __FILE__, __LINE__))

/// For what follows an exhaustive switch.
#define SWORN_UNREACHABLE() ::sworn::assert_failed("unreachable", __FILE__, __LINE__)
