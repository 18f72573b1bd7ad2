// One value on each axis.
#include "settings.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "../core/simd/scalar.hpp"
#include "objects.hpp"
#include "policies.hpp"

namespace nb = nanobind;
using namespace riparian;

// As `check_features` has made it: how, and the number.
Subspace subspace_of(const nb::handle& pair) {
    const auto [how, value] = nb::cast<std::pair<std::string, double>>(pair);
    Subspace out;
    out.by = how == "count"   ? Subspace::By::count
             : how == "share" ? Subspace::By::share
                              : Subspace::By::root;
    out.value = value;
    return out;
}

namespace {

AnyBound bound_of(const nb::handle& given) {
    if (nb::isinstance<nb::tuple>(given)) return policy_of<AnyBound>(given);
    return CustomBound{bound_function(nb::borrow(given))};
}

AnyLeaf leaf_of(const nb::handle& given) {
    if (nb::isinstance<nb::tuple>(given)) return policy_of<AnyLeaf>(given);
    CustomLeaf own;
    own.prototype = leaf_object(nb::borrow(given));
    return own;
}

}  // namespace

TreeSettings settings_of(const nb::dict& d) {
    TreeSettings s;
    TreeSettings::each_parameter(s, SetParameters{d});
    s.choose(impurity_of(d["impurity"]));
    s.statistics = policy_of<AnyStatistics>(d["statistics"]);
    s.bound = bound_of(d["bound"]);
    s.cuts = policy_of<AnyCuts>(d["cuts"]);
    std::vector<AnyLeaf> leaves;
    for (const nb::handle given : nb::cast<nb::list>(d["leaf"])) {
        leaves.push_back(leaf_of(given));
    }
    s.choose(leaves);
    s.adaptation = policy_of<AnyAdaptation>(d["adaptation"]);
    const auto seed = nb::cast<std::uint64_t>(d["random_state"]);
    set_seed(s.adaptation, seed);
    if (!d["leaf_features"].is_none()) {
        s.leaf_features = subspace_of(d["leaf_features"]);
        s.leaf_features.seed = seed;
    }
    if (!d["max_bytes"].is_none()) s.max_bytes = nb::cast<std::size_t>(d["max_bytes"]);
    return s;
}
