// Trees whose snapshots are changed, and whether these are refused.
#pragma once

#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "checking.hpp"
#include "examples.hpp"

namespace restoring {

using namespace riparian;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

inline Snapshot grown(const TreeSettings& settings) {
    const examples::Rows rows = examples::make_rows({}, 1);
    Tree tree(settings);
    tree.add_features(rows.kinds);
    tree.learn(rows.batch(), rows.y.data(), nullptr);
    return tree.snapshot();
}

inline bool refused(const TreeSettings& settings, const Snapshot& s) {
    try {
        static_cast<void>(Tree::restore(settings, s));
        return false;
    } catch (const std::invalid_argument& error) {
        return !std::string(error.what()).empty();
    }
}

inline std::size_t first_of(const Snapshot& s, Test test) {
    for (std::size_t i = 0; i < s.test.size(); ++i) {
        if (s.test[i] == static_cast<std::uint8_t>(test)) return i;
    }
    CHECK(false);
    return 0;
}

}  // namespace restoring
