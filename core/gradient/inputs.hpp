// A row as a hyperplane reads it: standardised numbers, and one input per category.
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

// The order of the inputs: numbers first, then the categories of each categorical feature, all
// padded to whole vectors. It depends only on the features and on the categories that have
// appeared, so batches make no difference.
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

// An input that has appeared in a row.
struct Input {
    std::size_t place;  // index in the layout
    std::size_t feature;
    std::int32_t category;  // InitialWeights::numeric if there is none
};

class Inputs {
public:
    void add_features(const std::vector<Kind>&);

    // Whether a row has values of a feature, or categories, that no earlier row had.
    [[nodiscard]] bool brings(const Row&) const noexcept;
    // Adds them and returns which they are. The places of other inputs may change.
    std::vector<Input> add_new(const Row&);
    // How much wider the layout would become.
    [[nodiscard]] std::size_t growth(const Row&) const noexcept;

    // Updates mean and spread first, so that they include the row, and then writes its inputs. `x`
    // is as wide as the layout. A missing value becomes the mean; an unknown category has no input.
    void learn(const Row&, double w, bool standardise, double* x) noexcept;
    void read(const Row&, bool standardise, double* x) const noexcept;

    [[nodiscard]] const Features& features() const noexcept { return features_; }
    [[nodiscard]] const InputLayout& layout() const noexcept { return layout_; }
    [[nodiscard]] Shape shape() const noexcept;
    // All inputs that have appeared, in the order of the layout.
    [[nodiscard]] std::vector<Input> appeared() const;
    // All numeric features, whether they have appeared or not, and all categories, in the same
    // order.
    [[nodiscard]] std::vector<Input> all() const;
    [[nodiscard]] std::size_t place(const Input& input) const noexcept {
        const std::size_t slot = features_[input.feature].slot;
        return input.category < 0 ? slot : layout_.place(slot, input.category);
    }
    [[nodiscard]] bool has_appeared(const Input& input) const noexcept {
        return met_[input.feature];
    }
    [[nodiscard]] std::size_t categories(std::size_t slot) const noexcept {
        return static_cast<std::size_t>(categories_[slot]);
    }

    struct State {
        std::vector<std::uint8_t> kinds;           // [feature]: 1 if categorical
        std::vector<std::uint8_t> met;             // [feature]: 1 if a row had a value of it
        std::vector<std::int32_t> categories;      // [categorical feature]
        std::vector<double> known, mean, squares;  // [numeric feature]
    };
    void save(State&) const;
    // Throws std::invalid_argument if rows cannot have led to this state.
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
    Held<std::uint8_t> met_;  // [feature]
    // [categorical feature]: number of categories that have appeared
    Held<std::int32_t> categories_;
    InputLayout layout_;
    HeldDoubles moments_;  // [3][stride]
};

}  // namespace riparian
