// The parts of a tree that grows, which its memory, its checks, its predictions and its growth share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../impurity/loss.hpp"
#include "../memory/account.hpp"
#include "../settings.hpp"
#include "certificates.hpp"
#include "hooks.hpp"
#include "known.hpp"
#include "leaves.hpp"
#include "nodes.hpp"
#include "short_memory.hpp"

namespace riparian {

// Each part keeps its own order. What spans several of them is the business of the classes that hold a
// reference to the state: Room, Checks, TreePredictor, Growth and RowLearner.
struct GrowthState {
    explicit GrowthState(const Settings&);
    GrowthState(const GrowthState&) = delete;
    GrowthState& operator=(const GrowthState&) = delete;

    [[nodiscard]] bool limited() const noexcept { return settings.max_bytes != SIZE_MAX; }
    [[nodiscard]] std::size_t held_bytes() const noexcept {
        return structure.held + leaves.account().held + working.held;
    }
    // The place of the record of a node; none: the node keeps no statistics.
    [[nodiscard]] std::int32_t record(std::int32_t id) const noexcept {
        return nodes.at(id).test == Test::leaf ? nodes.at(id).place : hooks->record(id);
    }
    // [class]: the weight that the split above estimated for a node.
    [[nodiscard]] const double* estimated(std::int32_t node) const noexcept;

    Account structure;  // counts what lasts; statistics have the account of the leaves
    Account working;    // counts what the last check and the row at hand worked with
    Settings settings;
    GrowthHooks* hooks = nullptr;  // of the tree's adaptation
    Known known;
    Nodes nodes;
    Leaves leaves;
    Certificates certificates;
    ShortMemory memory;
    Held<double> estimates;    // [node][class_stride]: weights before the short memory was recalled
    Costs costs;               // predictions are chosen by these; or none
    std::size_t n_leaves = 0;  // that predict
    std::uint64_t seen = 0;    // examples learned
    std::uint64_t draws = 0;   // of features, by leaves
    double spent = 0.0;        // delta, by all checks so far
    std::uint32_t passes = 1;  // over the data
    // No leaf keeps more than statistics, and all wait for the grace period. The row loop then needs no
    // other code, unless memory is limited.
    const bool plain;

    // Room for the prediction of the row at hand, and for its values as a leaf tracks them.
    RowScratch scratch;
    GatheredRow gathered;
};

}  // namespace riparian
