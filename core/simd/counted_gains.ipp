// Gains computed from counts, of listed cuts and of categories. Part of kernels.ipp, inside its
// namespace.

template <class Impurity>
void list_gains(const void* policy, const ListCheck& check) {
    const Impurity& impurity = *static_cast<const Impurity*>(policy);
    auto* const left = reinterpret_cast<Lanes*>(check.scratch);
    auto* const right = left + check.n_classes;
    auto* const all = right + check.n_classes;
    Lanes total = 0.0;
    for (std::size_t k = 0; k < check.n_classes; ++k) {
        all[k] = check.all[k];
        total += all[k];
    }
    const Lanes whole = impurity.mass(all, check.n_classes, total);
    for (std::size_t i = 0; i < check.n_cuts; i += width) {
        const std::size_t lanes = check.n_cuts - i < width ? check.n_cuts - i : width;
        Lanes n_left = 0.0;
        Lanes n_right = 0.0;
        for (std::size_t k = 0; k < check.n_classes; ++k) {
            Lanes::Vector cells = {};
            for (std::size_t j = 0; j < lanes; ++j) {
                cells[j] = check.left[(i + j) * check.n_classes + k];
            }
            left[k] = Lanes(cells);
            right[k] = max(all[k] - left[k], 0.0);  // sums of fractions may be off by a bit
            n_left += left[k];
            n_right += right[k];
        }
        const Lanes parts = mass_of_both(impurity, left, right, check.n_classes, n_left, n_right);
        const Mask valid = (n_left > check.least) & (n_right > check.least);
        select(valid, (whole - parts) / check.total, -infinity).store(check.gains + i);
    }
}

template <class Impurity>
double categorical_masses(const void* policy, const CategoricalCheck& check) {
    const Impurity& impurity = *static_cast<const Impurity*>(policy);
    auto* const branch = reinterpret_cast<Lanes*>(check.scratch);
    auto* const others = branch + check.n_classes;
    Lanes whole = 0.0;
    for (std::size_t k = 0; k < check.n_classes; ++k) {
        branch[k] = check.known[k];
        whole += branch[k];
    }
    const double mass = impurity.mass(branch, check.n_classes, whole)[0];
    for (std::size_t v = 0; v < check.n_values; v += width) {
        Lanes n_branch = 0.0;
        Lanes n_others = 0.0;
        for (std::size_t k = 0; k < check.n_classes; ++k) {
            branch[k] = Lanes::load(check.cells[k] + v);
            others[k] = Lanes(check.known[k]) - branch[k];
            n_branch += branch[k];
            n_others += others[k];
        }
        impurity.mass(branch, check.n_classes, n_branch).store(check.mass + v);
        impurity.mass(others, check.n_classes, n_others).store(check.rest + v);
        n_branch.store(check.weight + v);
    }
    return mass;
}
