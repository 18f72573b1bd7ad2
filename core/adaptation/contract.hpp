// How a tree follows change: what it asks of its adaptation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../growth/change.hpp"
#include "../growth/growth.hpp"

namespace riparian {

// An adaptation learns the rows of one tree. It owns the state that only it needs.
class Adaptation : public GrowthHooks {
public:
    Adaptation(Growth&, Traits);

    // ---- rows ----

    // Learns a row, and gives the class that was predicted before. Routing may begin at `start`.
    virtual std::int32_t learn(std::int32_t start, const Row&, std::size_t y, double w) = 0;
    // The same with uncertain values.
    virtual void learn(Spread&, std::size_t y, double w) = 0;
    // How often rows came to go other ways than before. What was found for a row then is void.
    [[nodiscard]] std::uint64_t reroutings() const noexcept { return reroutings_; }
    // std::invalid_argument, naming the row, where a weight cannot be learned.
    virtual void demand_weights(const double*, std::size_t) const {}

    // ---- predictions ----

    // Whether several leaves predict a row, and where it ends then.
    [[nodiscard]] virtual bool several_predict() const noexcept { return false; }
    virtual void reach(const Row&, Ends&) const {}
    // Room for that, of the row at hand.
    [[nodiscard]] virtual Ends* ends() noexcept { return nullptr; }

    // ---- what it did ----

    [[nodiscard]] virtual bool inner_nodes_learn() const noexcept { return traits().keeps; }
    // Those after the tree had learned so many examples.
    [[nodiscard]] virtual std::vector<Change> changes(std::uint64_t) const { return {}; }
    [[nodiscard]] virtual std::array<std::uint64_t, n_change_kinds> change_totals() const noexcept {
        return {};
    }

    // ---- files ----

    // Whether the arrays are as long as they must be; those of others must be empty.
    virtual void check_sizes(const Snapshot&, const Sizes&) const;
    virtual void save(Snapshot&) const {}
    virtual void restore(const Snapshot&) {}
    // Once the limit of memory is that of the file.
    virtual void settle_in() {}

protected:
    [[nodiscard]] Node& at(std::int32_t id) noexcept { return nodes_.at(id); }
    [[nodiscard]] const Node& at(std::int32_t id) const noexcept { return nodes_.at(id); }
    [[nodiscard]] const Features& features() const noexcept { return growth_.features(); }
    [[nodiscard]] const Shape& shape() const noexcept { return growth_.shape(); }
    // In a list that lasts for a row.
    void note(Held<std::int32_t>& list, std::int32_t id) {
        const Charge charge(working_);
        list.push_back(id);
    }
    // Down a tree from its root: notes every node as a visit, and has the leaves predict before they
    // learn. Where that is asked, it finds whether what is below a node is wrong: the sum of the
    // predictions.
    void explore(Spread&, std::int32_t root, double share, std::size_t y, double w, bool judged);
    // Learns what comes to a node, at leaves only.
    void learn_below(Spread&, std::int32_t node, double share, std::size_t y, double w);
    void reroute() noexcept { ++reroutings_; }

    Growth& growth_;
    Nodes& nodes_;
    Leaves& leaves_;
    const Settings& settings_;
    Account& structure_;
    Account& working_;

private:
    std::uint64_t reroutings_ = 0;
};

}  // namespace riparian
