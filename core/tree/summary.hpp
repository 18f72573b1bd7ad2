// A summary of rows for a tree that several workers learn (docs/cluster.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../adaptation/contract.hpp"
#include "../data/batch.hpp"
#include "../data/facts.hpp"
#include "../data/predictions.hpp"
#include "../growth/growth.hpp"
#include "../growth/row_learner.hpp"
#include "../growth/snapshot.hpp"
#include "../statistics/relabelling.hpp"
#include "settings.hpp"
#include "stop.hpp"

namespace riparian {

// Why several workers cannot learn a tree with these settings; empty: they can. A policy that keeps more
// at leaves than can be merged says so by its type: a leaf predictor by its State, a bound by its
// PerLeaf, statistics by a PerLeaf without merge().
[[nodiscard]] std::string why_unmergeable(const TreeSettings&);

// The nodes of a tree with empty leaves, which learn rows and are never checked. Summaries of one tree
// are merged, and the tree absorbs the result.
//
// Summaries that learned the same rows in the same order are equal. One call at a time.
class Summary {
public:
    // An empty summary for the tree of a snapshot. A copy of that tree predicts the rows; it does not
    // change while the summary learns.
    Summary(const TreeSettings&, Snapshot tree);
    // Another empty summary of the same tree. Both may predict with the same copy, so only one of them
    // may be called at a time.
    [[nodiscard]] std::unique_ptr<Summary> another() const;
    // A summary that was saved. It has nothing that predicts. Throws std::invalid_argument unless
    // learning could have made it.
    [[nodiscard]] static std::unique_ptr<Summary> restore(const TreeSettings&, const Snapshot&);
    [[nodiscard]] Snapshot snapshot() const;

    // ---- the schema ----

    void add_features(const std::vector<Kind>&);
    void declare_classes(std::size_t count);
    void set_costs(const double* matrix, std::size_t classes);
    [[nodiscard]] Facts facts() const noexcept;
    [[nodiscard]] const Features& features() const noexcept {
        return own_.growth.state.nodes.features();
    }
    [[nodiscard]] std::size_t n_categories(std::size_t feature) const;

    // ---- rows ----

    // Predicts each row by the tree, then learns it. A row with y < 0 or w = 0 is only predicted. If
    // `stop` ends the call, or memory runs out, the summary can only be discarded.
    void learn(const Batch&, const std::int32_t* y, const double* w, const Predictions&,
               Stop* stop = nullptr);

    // Adds another summary of the same tree; its codes become those of this one, which must have its
    // features. Throws std::invalid_argument, and changes nothing, if it is of another tree.
    void merge(const Summary&, const Relabelling&);

    // See Turn::absorb().
    void grow(Growth&) const;

private:
    struct Saved {};
    Summary(const TreeSettings&, const Snapshot& saved, Saved);

    // A tree without locks.
    struct Grove {
        explicit Grove(const TreeSettings&);
        Grove(const TreeSettings&, const Snapshot&);
        // What the statistics keep at a leaf of this tree before its first row.
        [[nodiscard]] static std::vector<double> extras_of_an_empty_leaf(const TreeSettings&,
                                                                         const Snapshot&);

        RowLearner growth;
        std::unique_ptr<Adaptation> adaptation;
    };

    // What every summary of a tree begins with.
    struct Beginning {
        Beginning(const TreeSettings&, Snapshot tree);
        // Whether a copy of the tree is still as it was.
        [[nodiscard]] bool is(const Grove&) const noexcept;

        TreeSettings settings;
        Snapshot tree;
        Snapshot empty;  // the same with empty leaves
    };
    Summary(std::shared_ptr<const Beginning>, std::shared_ptr<Grove> judge);

    template <class Policy, bool plain>
    void learn(const Policy&, const Batch&, const std::int32_t* y, const double* w,
               const Predictions&, Stop*);

    std::shared_ptr<const Beginning> beginning_;  // null in a restored summary
    std::shared_ptr<Grove> judge_;                // predicts; null in a restored summary
    Grove own_;
};

}  // namespace riparian
