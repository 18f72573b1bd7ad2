#include "json_depth.hpp"

#include <algorithm>
#include <cstring>

namespace riparian {

namespace {

// The first byte behind a text whose first byte is behind its opening quote.
const char* skip_text(const char* at, const char* end) noexcept {
    while (at < end) {
        const void* const quote = std::memchr(at, '"', static_cast<std::size_t>(end - at));
        if (!quote) return end;
        const char* const found = static_cast<const char*>(quote);
        const char* before = found;
        while (before > at && before[-1] == '\\') --before;
        at = found + 1;
        if ((found - before) % 2 == 0) return at;
    }
    return end;
}

}  // namespace

std::size_t json_depth(std::string_view text) noexcept {
    const char* at = text.data();
    const char* const end = at + text.size();
    std::size_t depth = 0;
    std::size_t deepest = 0;
    while (at < end) {
        const char c = *at++;
        if (c == '"') {
            at = skip_text(at, end);
        } else if (c == '{' || c == '[') {
            deepest = std::max(deepest, ++depth);
        } else if ((c == '}' || c == ']') && depth > 0) {
            --depth;
        }
    }
    return deepest;
}

}  // namespace riparian
