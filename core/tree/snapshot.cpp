// Saves and restores a tree as arrays, and fills in the arrays that older files lack.
#include "../growth/snapshot.hpp"

#include <algorithm>

#include "../growth/files.hpp"
#include "../growth/snapshot_rules.hpp"
#include "tree.hpp"

namespace riparian {

Snapshot Tree::snapshot() const {
    const auto lock = turnstile_.reading();
    Snapshot s;
    riparian::save(growth_, s);
    adaptation_->save(s);
    return s;
}

std::unique_ptr<Tree> Tree::restore(const TreeSettings& settings, const Snapshot& s) {
    TreeSettings unlimited = settings;
    unlimited.max_bytes = SIZE_MAX;
    auto tree = std::make_unique<Tree>(unlimited);
    Growth& growth = tree->growth_;
    Adaptation& adaptation = *tree->adaptation_;
    const Sizes sizes = check_sizes(adaptation.traits(), s);
    adaptation.check_sizes(s, sizes);
    riparian::restore(growth, s, sizes);
    {
        const Charge charge(growth.state.structure);
        adaptation.restore(s);
    }
    restore_limit(growth, s, settings.max_bytes);
    adaptation.settle_in();
    growth.room.settle();
    growth.room.add_to_structure(0);
    return tree;
}

// Before format 3 there was one pass over the data.
void fill_passes(Snapshot& s) {
    s.passes = {1};
    s.split_pass.assign(s.split_node.size(), 1);
}

// Files of format 1 do not have these arrays.
void fill_later_arrays(const Settings& settings, Snapshot& s) {
    const auto leaves =
        static_cast<std::size_t>(std::count(s.test.begin(), s.test.end(), std::uint8_t{0}));
    s.spent = {0.0};
    s.checks.assign(leaves, 0);
    s.met.assign(s.kinds.size(), 1);
    s.split_delta.assign(s.split_node.size(), settings.delta);
    s.split_spent.assign(s.split_node.size(), 0.0);
    s.split_criterion.assign(s.split_node.size(), 0);
    s.rivals.assign(s.split_node.size(), 0);
    fill_passes(s);
    fill_arrays_since_3(s);
}

// Files before format 3 have no inactive leaves.
void fill_arrays_since_3(Snapshot& s) {
    s.inactive.assign(s.weight.size(), 0);
    s.ranked_at = {0};
    s.least_promise = {0.0};
}

}  // namespace riparian
