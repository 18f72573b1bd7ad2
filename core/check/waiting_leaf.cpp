#include "waiting_leaf.hpp"

#include <algorithm>

namespace riparian {

// The check has room to spare for classes and branches, which is not part of a leaf's state.
std::vector<double> WaitingLeaf::branches(const Candidate& cut) {
    const Charge charge(working_);
    const std::vector<double> table = checker_.branches(leaf_, cut);
    const std::size_t width = leaf_.shape.class_stride;
    const auto row = [&](std::size_t b) { return table.data() + b * width; };
    std::size_t rows = table.size() / width;
    while (rows && std::all_of(row(rows - 1), row(rows), [](double x) { return x == 0.0; })) {
        --rows;
    }
    std::vector<double> out;
    for (std::size_t b = 0; b < rows; ++b) out.insert(out.end(), row(b), row(b) + n_classes);
    return out;
}

std::vector<Candidate> WaitingLeaf::nominees() {
    std::vector<Candidate> out;
    for (const Candidate& c : checker_.nominees()) {
        if (c.feature == none) continue;
        out.push_back(c);
        if (leaf_.kept) out.back().feature = leaf_.kept->id_of(c.feature);
    }
    return out;
}

}  // namespace riparian
