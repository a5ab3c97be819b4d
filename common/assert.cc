#include "common/assert.h"

#include <cstdio>
#include <cstdlib>

namespace sworn {

void assert_failed(const char* expression, const char* file, int line) noexcept {
    std::fprintf(stderr, "sworn: %s:%d: broken invariant: %s\n", file, line, expression);
    std::abort();
}

}  // namespace sworn
