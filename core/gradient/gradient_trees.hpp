// OADT: trees of fixed depth. All of their hyperplanes learn from every row.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../data/batch.hpp"
#include "../data/facts.hpp"
#include "../data/predictions.hpp"
#include "../impurity/loss.hpp"
#include "../memory/account.hpp"
#include "../memory/expected_names.hpp"
#include "../memory/limit_too_low.hpp"
#include "../memory/reserve.hpp"
#include "../tree/pace.hpp"
#include "../tree/stop.hpp"
#include "../tree/turnstile.hpp"
#include "inputs.hpp"
#include "settings.hpp"
#include "soft_tree.hpp"

namespace riparian {

struct GradientSnapshot;

// What one row does at one inner node.
struct SoftNode {
    std::size_t tree;
    std::size_t node;  // in heap order, from 1
    double reached;    // u: the share of the row that reaches the node
    double value;      // v: above 0 most of it goes left
    double left;       // f: the share that goes left
};

// One or two classes have one tree, whose positive class is the second one. More classes have one
// tree each, against all others, and their probabilities are their shares of the sum of all
// positive masses. Learning calls must not overlap each other; reading calls may overlap anything.
class GradientTrees {
public:
    explicit GradientTrees(const GradientSettings&);
    GradientTrees(const GradientTrees&) = delete;
    GradientTrees& operator=(const GradientTrees&) = delete;

    void add_features(const std::vector<Kind>&);
    void declare_classes(std::size_t count);

    // Adds the bytes of names that are stored outside, as in `Tree`.
    void add_names(std::size_t bytes);
    void expect_classes(const std::vector<std::uint32_t>& bytes);
    void expect_categories(std::size_t feature, const std::vector<std::uint32_t>& bytes);
    // Called if the rows that were to bring the names do not come.
    void expect_nothing(std::size_t bytes) noexcept;
    // Every category keeps its input.
    void watch(std::size_t, bool) noexcept {}
    void leave_out(std::size_t, std::size_t names) noexcept {
        const auto lock = turnstile_.writing();
        held_.held -= names;
    }
    // Whether an error interrupted a row.
    [[nodiscard]] bool unfinished() const noexcept { return unfinished_; }

    // Such a model has nothing that it could drop. If it does not fit, throws LimitTooLow.
    void set_max_bytes(std::size_t);
    [[nodiscard]] std::size_t max_bytes() const noexcept { return settings_.max_bytes; }
    // The bytes with this schema and two classes, before the first row.
    [[nodiscard]] std::size_t least_bytes() const;
    // Every new category widens every plane, so with a limit the caller must be ready to undo the
    // batch.
    [[nodiscard]] bool surely_fits(std::size_t, std::size_t) const {
        return settings_.max_bytes == SIZE_MAX;
    }

    // Sets the costs that predictions are chosen by, as [predicted][true].
    void set_costs(const double* matrix, std::size_t classes);

    // A row with y < 0 or w = 0 is not learned. `w` may be null.
    void learn(const Batch&, const std::int32_t* y, const double* w, Stop* stop = nullptr);
    void prequential(const Batch&, const std::int32_t* y, const double* w, const Predictions&,
                     Stop* stop = nullptr);
    // With a `moment`, which is filled in, one state predicts all rows, and learning waits for it.
    void predict(const Batch&, const Predictions&, Stop* stop = nullptr,
                 Moment* moment = nullptr) const;
    // The path of the first row through every tree.
    [[nodiscard]] std::vector<SoftNode> explain(const Batch&) const;

    [[nodiscard]] const GradientSettings& settings() const noexcept { return settings_; }
    [[nodiscard]] Facts facts() const;
    // How many categories of a feature have appeared; 0 for a numeric feature.
    [[nodiscard]] std::size_t n_categories(std::size_t feature) const;
    [[nodiscard]] std::size_t n_trees() const;
    [[nodiscard]] std::size_t memory_bytes() const;

    [[nodiscard]] GradientSnapshot snapshot() const;
    // Throws std::invalid_argument, which names the error, if learning cannot have led to this
    // state.
    [[nodiscard]] static std::unique_ptr<GradientTrees> restore(const GradientSettings&,
                                                                const GradientSnapshot&);

private:
    // Working memory for reading or learning.
    struct Scratch {
        HeldDoubles x;
        SoftPass pass;
        Held<double> shares;  // [class]

        void fit(const GradientSettings&, std::size_t width, std::size_t classes);
    };

    template <bool predicting>
    void run(const Batch&, const std::int32_t* y, const double* w, const Predictions&, Stop*);
    void learn(const Row&, std::size_t y, double w);
    [[nodiscard]] double rate_of(std::uint64_t row) const noexcept {
        const double settling = settings_.settling * static_cast<double>(n_met_ > 0 ? n_met_ : 1);
        const double falling =
            settings_.learning_rate / std::sqrt(1.0 + static_cast<double>(row) / settling);
        return falling > settings_.final_rate ? falling : settings_.final_rate;
    }
    void predict_row(const Row&, Scratch&, const Predictions&, std::size_t row) const;
    // Computes the shares of this many classes; they are positive.
    void share(const Row&, Scratch&, double* shares, std::size_t classes) const noexcept;
    // The class with the largest share, or with the least expected cost. Ties go to the lowest
    // code.
    [[nodiscard]] std::size_t choice(const double* shares, std::size_t classes) const noexcept;
    void fit(Scratch& scratch) const {
        scratch.fit(settings_, inputs_.layout().width(), n_classes_);
    }

    [[nodiscard]] SoftTree tree(std::size_t t) const noexcept {
        const std::size_t n = settings_.inner_nodes(), width = inputs_.layout().width();
        return {const_cast<double*>(weights_.data()) + t * n * width,
                const_cast<double*>(biases_.data()) + t * n, width};
    }
    [[nodiscard]] static std::size_t trees_for(std::size_t classes) noexcept {
        return classes > 2 ? classes : classes > 0 ? 1 : 0;
    }
    void add_class(std::size_t y);
    void add_inputs(const Row&);
    void add_trees(std::size_t count);
    // Moves the weights to the present layout of the inputs; `before` are their former places.
    void move_weights(const std::vector<Input>& before, std::size_t width_before);
    // Sets the initial weights of these inputs in a tree.
    void begin(std::size_t tree, const std::vector<Input>&) noexcept;
    void restore_trees(const GradientSnapshot&);
    // An upper limit for what a row allocates that brings this many inputs and classes.
    [[nodiscard]] std::size_t most_of_a_row(std::size_t inputs,
                                            std::size_t classes) const noexcept {
        const std::size_t width = inputs_.layout().width() + inputs + 8;
        return 3 * held_.held + 64 * 1024 + 512 * width +
               2 * tree_bytes(trees_for(n_classes_ + classes), width);
    }
    void demand_room(std::size_t more) const;
    [[nodiscard]] std::size_t tree_bytes(std::size_t trees, std::size_t width) const noexcept;

    Account held_;
    GradientSettings settings_;
    Inputs inputs_;
    HeldDoubles weights_;    // [tree][node][width]
    Held<double> biases_;    // [tree][node]
    std::size_t n_met_ = 0;  // inputs that have appeared
    std::size_t n_trees_ = 0;
    std::size_t n_classes_ = 0;
    std::uint64_t seen_ = 0;
    Costs costs_;  // empty if there are none
    Scratch scratch_;
    ExpectedNames class_names_;
    // [categorical feature], up to the last that expects any
    std::vector<ExpectedNames> category_names_;
    Reserve reserve_;
    Pace pace_{RowBuffer::most_rows};
    bool unfinished_ = false;
    mutable Turnstile turnstile_;
};

}  // namespace riparian
