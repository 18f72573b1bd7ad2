#include "sparse_rows.hpp"

namespace riparian {

std::optional<SparseFault> find_fault(const SparseRows& m, std::size_t rows,
                                      std::size_t size) noexcept {
    using Kind = SparseFault::Kind;
    const auto width = static_cast<std::int64_t>(m.width);
    for (std::size_t r = 0; r < rows; ++r) {
        const std::int64_t first = m.starts[r], end = m.starts[r + 1];
        if (first < 0 || end < first || end > static_cast<std::int64_t>(size)) {
            return SparseFault{Kind::starts, r, first < 0 ? first : end};
        }
    }
    std::optional<SparseFault> unsorted;
    for (std::size_t r = 0; r < rows; ++r) {
        std::int64_t before = -1;
        for (std::int64_t i = m.starts[r]; i < m.starts[r + 1]; ++i) {
            const std::int64_t column = m.columns[i];
            if (column < 0 || column >= width) return SparseFault{Kind::column, r, column};
            if (column <= before && !unsorted) unsorted = {Kind::unsorted, r, column};
            before = column;
        }
    }
    return unsorted;
}

}  // namespace riparian
