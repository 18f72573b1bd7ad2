// CHECK says what does not hold, and goes on; main ends with `return failures();`.
#pragma once

#include <cstdio>

namespace checking {

inline int failed = 0;
inline constexpr int skipped = 77;  // ctest's SKIP_RETURN_CODE

inline bool check(bool holds, const char* what, const char* file, int line) {
    if (!holds && ++failed <= 20) std::fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    return holds;
}

inline int failures() {
    if (failed) std::fprintf(stderr, "%d checks failed\n", failed);
    return failed ? 1 : 0;
}

}  // namespace checking

#define CHECK(holds) ::checking::check((holds), #holds, __FILE__, __LINE__)
