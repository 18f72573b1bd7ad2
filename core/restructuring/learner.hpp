// What every engine of this folder has apart from its tree. These engines learn one row at a time
// and exactly, and have no memory limit and no costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shared_mutex>
#include <stdexcept>
#include <vector>

#include "../data/batch.hpp"
#include "../data/facts.hpp"
#include "../data/predictions.hpp"
#include "../memory/account.hpp"
#include "../memory/reserve.hpp"
#include "../tree/stop.hpp"
#include "../tree/turnstile.hpp"
#include "counters.hpp"
#include "description.hpp"

namespace riparian::restructuring {

// The arrays that the files of all these engines begin with.
struct LearnerSnapshot {
    std::vector<std::uint64_t> seen, counters;
    std::vector<std::uint32_t> classes;
    std::vector<std::uint8_t> kinds;
    std::vector<std::int32_t> categories;  // [categorical feature]

    template <class Self, class Call>
    static void each(Self& s, Call&& call) {
        call("seen", s.seen);
        call("counters", s.counters);
        call("classes", s.classes);
        call("kinds", s.kinds);
        call("categories", s.categories);
    }
};

class Learner {
public:
    // A single row may restructure the whole tree.
    static constexpr bool long_rows = true;

    Learner() = default;
    Learner(const Learner&) = delete;
    Learner& operator=(const Learner&) = delete;
    virtual ~Learner() = default;

    [[nodiscard]] std::size_t max_bytes() const noexcept { return SIZE_MAX; }
    [[nodiscard]] std::size_t least_bytes() const noexcept { return 0; }
    [[nodiscard]] bool surely_fits(std::size_t, std::size_t) const noexcept { return true; }
    void set_max_bytes(std::size_t) {
        throw std::invalid_argument("this model has no memory limit");
    }
    void set_costs(const double*, std::size_t) {
        throw std::invalid_argument("this model has no costs");
    }

    void add_names(std::size_t bytes);
    void expect_classes(const std::vector<std::uint32_t>& bytes);
    void expect_categories(std::size_t feature, const std::vector<std::uint32_t>& bytes);
    // Such a tree keeps its examples and tests any feature: it has nothing to free but the names.
    void watch(std::size_t, bool) noexcept {}
    void leave_out(std::size_t, std::size_t names) noexcept { expect_nothing(names); }
    void declare_classes(std::size_t);
    // Called if the rows that were to bring the names do not come.
    void expect_nothing(std::size_t bytes) noexcept;
    // Whether an error interrupted a row.
    [[nodiscard]] bool unfinished() const noexcept { return unfinished_; }

    // A row with y < 0 is not learned. Rows that cannot be learned are reported before the first
    // change.
    void learn(const Batch&, const std::int32_t* y, const double* w, Stop* stop = nullptr);
    void prequential(const Batch&, const std::int32_t* y, const double* w, const Predictions&,
                     Stop* stop = nullptr);
    // With a `moment`, which is filled in, one state predicts all rows, and learning waits for it.
    void predict(const Batch&, const Predictions&, Stop* stop = nullptr,
                 Moment* moment = nullptr) const;

    // With the nodes at which the paths of rows end, if rows are given.
    [[nodiscard]] Description describe(const Batch* rows = nullptr) const;
    [[nodiscard]] Facts facts() const;
    // How many categories of a feature have appeared; 0 for a numeric feature.
    [[nodiscard]] std::size_t n_categories(std::size_t feature) const;
    [[nodiscard]] std::size_t depth() const;
    [[nodiscard]] Counters counters() const;
    // The weight of the examples that the tree represents.
    [[nodiscard]] double weight() const;

protected:
    // Working memory for a prediction.
    struct PredictionRoom {
        struct Share {
            std::int32_t node;
            double share;
        };
        std::vector<Share> open;
        std::vector<double> shares;  // [class]
        std::vector<std::int32_t> path;
    };

    virtual void learn_row(const Batch&, std::size_t row, std::int32_t y, double w) = 0;
    virtual void predict_row(const Batch&, std::size_t row, const Predictions&,
                             PredictionRoom&) const = 0;
    [[nodiscard]] virtual Description described() const = 0;
    // Throws if this many more rows cannot be learned.
    virtual void demand_room(std::size_t) const {}
    // Locks the tree for reading, and brings it up to date first.
    [[nodiscard]] virtual std::shared_lock<std::shared_mutex> read_lock(Stop* = nullptr) const {
        return turnstile_.reading();
    }
    // An upper limit for what a row allocates that has to be finished.
    [[nodiscard]] std::size_t most_of_a_row() const noexcept {
        return 2 * account_.held + 256 * 1024 + 512 * categories_.size() + 64 * classes_;
    }

    void save(LearnerSnapshot&, const std::vector<Kind>&) const;
    // Throws std::invalid_argument, which names the error; otherwise returns the kinds.
    [[nodiscard]] static std::vector<Kind> check(const LearnerSnapshot&);
    // To be called when the features have been added.
    void restore(const LearnerSnapshot&, double weight);

    mutable Turnstile turnstile_;
    Account account_;
    std::size_t names_ = 0;
    std::size_t classes_ = 0;
    std::vector<std::int32_t> categories_;  // [feature]
    std::uint64_t seen_ = 0;
    double weight_ = 0.0;
    Counters counters_;
    Reserve reserve_;
    Stop* stop_ = nullptr;  // of the call that is learning
    bool unfinished_ = false;

private:
    void finish_row(const Batch&, std::size_t row, std::int32_t y, const double* w, Stop*);
    void check(const Batch&, const std::int32_t* y, const double* w) const;
};

}  // namespace riparian::restructuring
