// Lines of JSON objects as a table: what is copied, and that nothing outside of the lines is read.
#include "../encoding/flat_json.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "checking.hpp"

using namespace riparian;

namespace {

const std::vector<Cell> cells{
    {"x", CellKind::number}, {"id", CellKind::left_out}, {"t", CellKind::text}};

// In memory of exactly the size that is promised, so that a sanitizer sees every byte beyond it.
std::optional<std::string> laid_out(std::string_view lines) {
    const auto in = std::make_unique<char[]>(lines.size());
    const auto out = std::make_unique<char[]>(lines.size());
    std::ranges::copy(lines, in.get());
    const auto used = lay_out({in.get(), lines.size()}, cells, out.get());
    return used ? std::optional(std::string(out.get(), *used)) : std::nullopt;
}

const std::string good = "{\"x\": -1.5e3, \"id\": \"a\", \"t\": \"one\"}\n";

}  // namespace

CASE(values_are_copied_as_they_are_written) {
    CHECK(laid_out(good) == "-1.5e3\x1fone\n");
    CHECK(laid_out(good + "{ \"x\":null,\"id\":7 ,\"t\":\"\" }\t\r\n") == "-1.5e3\x1fone\n\x1f\n");
}

CASE(other_shapes_are_refused) {
    CHECK(!laid_out(""));
    CHECK(!laid_out("\n"));
    CHECK(!laid_out("{\"x\": 1, \"t\": \"one\", \"id\": 2}\n"));
    CHECK(!laid_out("{\"x\": 1, \"id\": 2, \"t\": \"a\\n\"}\n"));
    CHECK(!laid_out("{\"x\": \"1\", \"id\": 2, \"t\": \"a\"}\n"));
    CHECK(!laid_out("{\"x\": 1, \"id\": 2, \"t\": 3}\n"));
}

CASE(lines_that_end_anywhere_are_read_no_further) {
    for (std::size_t n = 0; n < good.size(); ++n) {
        CHECK(!laid_out(good.substr(0, n)));
        if (n != good.size() - 1) CHECK(!laid_out(good.substr(0, n) + "\n"));
    }
}

CASE(damaged_lines_never_need_more_room) {
    std::mt19937 dice(1);
    const std::string_view bytes = "{}\",: \t\r\n019.eE-nul\\\x1f\xef";
    for (int i = 0; i < 200'000; ++i) {
        std::string lines = good + good;
        for (int k = 0; k < 3; ++k) lines[dice() % lines.size()] = bytes[dice() % bytes.size()];
        const auto found = laid_out(lines);
        CHECK(!found || found->size() <= lines.size());
    }
}
