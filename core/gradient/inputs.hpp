// A row as a hyperplane sees it: standardised numbers, and one input a category.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../data/feature.hpp"
#include "../data/row.hpp"
#include "../memory/account.hpp"
#include "../simd/kernels.hpp"
#include "../statistics/leaf_statistics.hpp"

namespace riparian {

// Where inputs stand: numbers first, then room for the categories of each categorical
// feature, all in whole vectors. It is a function of the features and of the categories
// that rows have brought, so that batches make no difference.
struct InputLayout {
    std::size_t numeric = 0;
    Held<std::uint32_t> starts;  // [categorical feature + 1]

    [[nodiscard]] std::size_t stride() const noexcept { return (numeric + 3) / 4 * 4; }
    [[nodiscard]] std::size_t width() const noexcept {
        return stride() + (starts.empty() ? 0 : starts.back());
    }
    [[nodiscard]] std::size_t place(std::size_t slot, std::int32_t category) const noexcept {
        return stride() + starts[slot] + static_cast<std::size_t>(category);
    }
};

// An input that a row has brought.
struct Input {
    std::size_t place;  // in the layout
    std::size_t feature;
    std::int32_t category;  // InitialWeights::numeric: none
};

class Inputs {
public:
    void add_features(const std::vector<Kind>&);

    // Whether a row has values of a feature or categories that no row before had.
    [[nodiscard]] bool brings(const Row&) const noexcept;
    // Takes them in, and tells which; inputs that were there may get other places.
    std::vector<Input> meet(const Row&);
    // By how much that would widen the layout.
    [[nodiscard]] std::size_t growth(const Row&) const noexcept;

    // Learns mean and spread first, so that the row's own values are in them. `x` is as wide
    // as the layout. A missing value is the mean; a category that is not known is none.
    void learn(const Row&, double w, bool standardise, double* x) noexcept;
    void ask(const Row&, bool standardise, double* x) const noexcept;

    [[nodiscard]] const Features& features() const noexcept { return features_; }
    [[nodiscard]] const InputLayout& layout() const noexcept { return layout_; }
    [[nodiscard]] Shape shape() const noexcept;
    // All inputs that rows have brought, in the order of the layout.
    [[nodiscard]] std::vector<Input> met() const;
    // Numeric features, whether met or not, and categories; likewise.
    [[nodiscard]] std::vector<Input> all() const;
    [[nodiscard]] std::size_t place(const Input& input) const noexcept {
        const std::size_t slot = features_[input.feature].slot;
        return input.category < 0 ? slot : layout_.place(slot, input.category);
    }
    [[nodiscard]] bool is_met(const Input& input) const noexcept { return met_[input.feature]; }
    [[nodiscard]] std::size_t categories(std::size_t slot) const noexcept {
        return static_cast<std::size_t>(categories_[slot]);
    }

    struct State {
        std::vector<std::uint8_t> kinds;         // [feature] 1: categorical
        std::vector<std::uint8_t> met;           // [feature] 1: a row had a value of it
        std::vector<std::int32_t> categories;    // [categorical feature]
        std::vector<double> known, mean, squares;  // [numeric feature]
    };
    void save(State&) const;
    // std::invalid_argument unless rows could have led to it.
    void restore(const State&);

private:
    [[nodiscard]] PooledMoments moments() const noexcept {
        auto* const first = const_cast<double*>(moments_.data());
        return {first, first + layout_.stride(), first + 2 * layout_.stride()};
    }
    void raw(const Row&, double* x) const noexcept;
    void indicate(const Row&, double* x) const noexcept;
    void lay_out();

    Features features_;
    Held<std::uint8_t> met_;         // [feature]
    Held<std::int32_t> categories_;  // [categorical feature]: how many rows have brought
    InputLayout layout_;
    HeldDoubles moments_;  // [3][stride]
};

}  // namespace riparian
