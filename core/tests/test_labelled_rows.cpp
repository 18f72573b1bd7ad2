// Rows with labels as JSON: what is split, what is left to another reader, and that nothing behind
// the text is read.
#include "../encoding/labelled_rows.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "checking.hpp"

using namespace riparian;

namespace {

// In memory of exactly the size that is promised, so that a sanitizer sees every byte beyond it.
std::optional<LabelledRows> split(const std::string& text, RowsIn where = RowsIn::object) {
    const auto in = std::make_unique<char[]>(text.size() + 1);
    std::ranges::copy(text, in.get());
    return split_labelled(in.get(), text.size(), where);
}

bool is_split(const std::string& features, const std::string& label = "1") {
    return split("{\"rows\":[{\"features\":" + features + ",\"label\":" + label + "}]}")
        .has_value();
}

const std::string good =
    "{\"rows\": [{\"features\": {\"x\": -1.5e3, \"t\": \"a b\"}, \"label\": \"no\"},\n"
    " {\"label\":\"yes\",\"features\":{\"x\":null}} , {\"features\":{\"x\" : true},\"label\":\"no\"}]}\n";

}  // namespace

CASE(rows_are_split_into_lines_and_codes) {
    const auto found = split(good);
    CHECK(found.has_value());
    CHECK(found->features == "{\"x\":-1.5e3,\"t\":\"a b\"}\n{\"x\":null}\n{\"x\":true}\n");
    CHECK((found->ends == std::vector<std::uint64_t>{23, 34, 45}));
    CHECK((found->labels == std::vector<std::string>{"\"no\"", "\"yes\""}));
    CHECK((found->codes == std::vector<std::uint32_t>{0, 1, 0}));
}

CASE(lines_hold_a_row_each) {
    const std::string row = "{\"features\": {\"x\": 1}, \"label\": 7}";
    CHECK(split(row + "\n" + row + "\r\n", RowsIn::lines)->codes.size() == 2);
    CHECK(split(row + "\n" + row, RowsIn::lines)->codes.size() == 2);
    CHECK(!split(row + row, RowsIn::lines));
    CHECK(!split("{\"features\": {\"x\":\n1}, \"label\": 7}\n", RowsIn::lines));
    CHECK(!split(row, RowsIn::object));
}

CASE(other_shapes_are_left_to_another_reader) {
    CHECK(is_split("{\"x\":1}"));
    CHECK(!is_split("{}"));
    CHECK(!is_split("[1]"));
    CHECK(!is_split("{\"x\":{}}"));
    CHECK(!is_split("{\"x\":[]}"));
    CHECK(!is_split("{\"x\":1,}"));
    CHECK(!is_split("{\"x\":\"\\n\"}"));
    CHECK(!is_split("{\"x\":NaN}"));
    CHECK(!is_split("{\"x\":1}", "null"));
    CHECK(!is_split("{\"x\":1}", "1.0"));
    CHECK(!is_split("{\"x\":1},\"weight\":2"));
    CHECK(!is_split("{\"x\":1},\"label\":2"));
    CHECK(!split("{\"rows\":[]}"));
    CHECK(!split(good + "}"));
    CHECK(!split(""));
}

CASE(numbers_that_readers_could_read_differently_are_left_to_one) {
    CHECK(is_split("{\"x\":123456789012345678}"));
    CHECK(!is_split("{\"x\":1234567890123456789}"));
    CHECK(is_split("{\"x\":-0.5E-99}"));
    CHECK(!is_split("{\"x\":1e100}"));
    for (const char* wrong : {"01", "1.", ".5", "-", "1e", "+1"}) {
        CHECK(!is_split(std::string("{\"x\":") + wrong + "}"));
    }
}

CASE(damaged_texts_are_never_read_beyond_their_end) {
    std::mt19937 random(7);
    for (std::size_t n = 0; n < good.size() - 1; ++n) CHECK(!split(good.substr(0, n)));
    for (int i = 0; i < 20000; ++i) {
        std::string text = good.substr(0, 1 + random() % good.size());
        text[random() % text.size()] = "\"{}[],:\\ 1e\n"[random() % 12];
        const auto found = split(text);
        CHECK(!found || found->ends.back() == found->features.size());
    }
}
