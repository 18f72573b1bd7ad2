// The growth of a tree: its schema, its nodes and leaves, and how leaves split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checks.hpp"
#include "predictor.hpp"
#include "room.hpp"
#include "state.hpp"

namespace riparian {

struct Seed;

// A tree without its adaptation and without locks. A caller must not read it while another changes it.
//
// If there is a memory limit, every function leaves the tree below it or throws LimitTooLow.
class Growth {
public:
    // `object_bytes`: what the tree counts for the objects that it consists of.
    Growth(const Settings&, std::size_t object_bytes);
    // Makes the root. To be called once, before anything else, with the hooks of the tree's adaptation.
    void begin(GrowthHooks&);

    GrowthState state;
    Room room;
    Checks checks;
    TreePredictor predictor;

    // ---- the schema ----

    // Features get the next places.
    void add_features(const std::vector<Kind>&);
    // Frees what leaves hold of a categorical feature, whose values are missing from now on, and the
    // bytes of its names.
    void leave_out(std::size_t feature, std::size_t names);
    // Makes all classes up to this one known.
    void add_class(std::size_t y);
    // Makes all categories of a feature up to this one known.
    void add_category(std::size_t slot, std::int32_t code);
    // [predicted][true]: predictions are chosen by these costs from now on.
    void set_costs(const double* matrix, std::size_t classes);
    // Starts from the inner nodes of a batch tree. Throws std::invalid_argument unless the seed is a
    // tree and nothing was learned yet.
    void seed(const Seed&);

    // ---- nodes and leaves ----

    // Adds a node without a test or a record.
    std::int32_t add_node(std::int32_t parent, std::int32_t branch, Role role = Role::child);
    // The child for a category without a branch: a new leaf or, where there is no room for one, the
    // child for missing values.
    std::int32_t add_branch(std::int32_t node, std::int32_t category);
    // Makes a node a leaf whose record has this place.
    void open_leaf(std::int32_t node, std::size_t place, bool active = true);
    // Makes room in all lists for this many nodes, so that no copy is larger than the lists were.
    void make_room_in_lists(std::size_t nodes);
    // Splits a node by the best cut of a decision, unless a limit forbids it.
    void split(std::size_t place, const Decision&);
    // The same with the class weights of the branches, [branch][class_stride].
    void split(std::size_t place, const Decision&, const std::vector<double>& table);
    // How many leaves would predict if the subtree of this node took the place of its owner.
    [[nodiscard]] std::size_t leaves_with(std::int32_t id) const;

private:
    void reshape(const Shape&);
    void widen_estimates(std::size_t from);
    void allow_labels() noexcept;
};

}  // namespace riparian
