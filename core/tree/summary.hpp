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
    Summary(const TreeSettings&, const Snapshot& tree);
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

private:
    friend Snapshot grown(const TreeSettings&, const Snapshot& tree, const Summary&);

    struct Saved {};
    Summary(const TreeSettings&, const Snapshot& saved, Saved);

    // A tree without locks.
    struct Grove {
        explicit Grove(const TreeSettings&);
        Grove(const TreeSettings&, const Snapshot&);
        // Adds a summary to the leaves.
        void add(const Grove& summary, const Relabelling&);
        // What the statistics keep at a leaf of this tree before its first row.
        [[nodiscard]] static std::vector<double> extras_of_an_empty_leaf(const TreeSettings&,
                                                                         const Snapshot&);

        RowLearner growth;
        std::unique_ptr<Adaptation> adaptation;
    };

    template <class Policy, bool plain>
    void learn(const Policy&, const Batch&, const std::int32_t* y, const double* w,
               const Predictions&, Stop*);

    std::unique_ptr<Grove> judge_;  // predicts; null in a restored summary
    Grove own_;
};

// The tree of a snapshot after it has absorbed a summary whose first codes are its own: what the summary
// has learned is added to its leaves, and then those that are due are checked, in the order of nodes.
[[nodiscard]] Snapshot grown(const TreeSettings&, const Snapshot& tree, const Summary&);

}  // namespace riparian
