// The depth of JSON texts, and of texts that are none.
#include "../encoding/json_depth.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "checking.hpp"

using namespace riparian;

namespace {

// In memory of exactly the size that is promised, so that a sanitizer sees every byte beyond it.
std::size_t depth(const std::string& text) {
    const auto in = std::make_unique<char[]>(text.size());
    std::ranges::copy(text, in.get());
    return json_depth({in.get(), text.size()});
}

}  // namespace

CASE(arrays_and_objects_are_counted) {
    CHECK(depth("") == 0);
    CHECK(depth("3") == 0);
    CHECK(depth("{\"a\": [1, [2], {}], \"b\": {}}") == 3);
    CHECK(depth("[]\n[[]]\n") == 2);
    CHECK(depth(std::string(1000, '[')) == 1000);
}

CASE(brackets_in_texts_do_not_count) {
    CHECK(depth("[\"[[[\", \"\\\"[[[\", \"\\\\\", [\"\\\\\\\"{\"]]") == 2);
    CHECK(depth("[\"[[[") == 1);
    CHECK(depth("]]}[[") == 2);
}

CASE(any_bytes_have_a_depth) {
    std::mt19937 random(3);
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        for (std::size_t n = random() % 30; n > 0; --n) text += "[]{}\"\\a"[random() % 7];
        CHECK(depth(text) <= text.size());
    }
}
