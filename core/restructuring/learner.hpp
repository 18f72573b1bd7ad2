// What every engine of this folder holds besides its tree: who learns row by row, exactly, and
// knows no limit in bytes and no costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shared_mutex>
#include <stdexcept>
#include <vector>

#include "../data/batch.hpp"
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
    void set_max_bytes(std::size_t) { throw std::invalid_argument("there is no limit in bytes"); }
    void set_costs(const double*, std::size_t) { throw std::invalid_argument("there are no costs"); }

    void add_names(std::size_t bytes);
    void expect_classes(const std::vector<std::uint32_t>& bytes);
    void expect_categories(std::size_t feature, const std::vector<std::uint32_t>& bytes);
    void declare_classes(std::size_t);
    // The rows that were to bring the names do not come.
    void expect_nothing(std::size_t bytes) noexcept;
    // Whether an error broke out of the middle of a row.
    [[nodiscard]] bool unfinished() const noexcept { return unfinished_; }

    // A row with y < 0 is not learned. What cannot be learned is said before the first change.
    void learn(const Batch&, const std::int32_t* y, const double* w, Stop* stop = nullptr);
    void prequential(const Batch&, const std::int32_t* y, const double* w, const Answers&,
                     Stop* stop = nullptr);
    // With a `moment`, which is filled, one state predicts all rows, and learners wait for it.
    void predict(const Batch&, const Answers&, Stop* stop = nullptr, Moment* moment = nullptr) const;

    // With the path of a row, if one is given.
    [[nodiscard]] Description describe(const Batch* row = nullptr) const;
    [[nodiscard]] std::size_t n_features() const;
    [[nodiscard]] std::size_t n_classes() const;
    // Categories of a feature that rows have brought; 0 for a numeric one.
    [[nodiscard]] std::size_t n_categories(std::size_t feature) const;
    [[nodiscard]] std::size_t depth() const;
    [[nodiscard]] std::uint64_t seen() const;
    [[nodiscard]] Counters counters() const;
    // Of the examples that the tree stands for.
    [[nodiscard]] double weight() const;

protected:
    // Room for an answer.
    struct Reply {
        struct Share {
            std::int32_t node;
            double share;
        };
        std::vector<Share> open;
        std::vector<double> shares;  // [class]
        std::vector<std::int32_t> path;
    };

    virtual void learn_row(const Batch&, std::size_t row, std::int32_t y, double w) = 0;
    virtual void answer(const Batch&, std::size_t row, const Answers&, Reply&) const = 0;
    [[nodiscard]] virtual Description described() const = 0;
    // An error unless so many more rows can be learned.
    virtual void demand_room(std::size_t) const {}
    // A lock for reading the tree as it should be.
    [[nodiscard]] virtual std::shared_lock<std::shared_mutex> asked(Stop* = nullptr) const {
        return turnstile_.reading();
    }
    // At most what a row allocates that must be finished.
    [[nodiscard]] std::size_t most_of_a_row() const noexcept {
        return 2 * account_.held + 256 * 1024 + 512 * categories_.size() + 64 * classes_;
    }

    void save(LearnerSnapshot&, const std::vector<Kind>&) const;
    // Throws std::invalid_argument, naming what is wrong; then the kinds.
    [[nodiscard]] static std::vector<Kind> check(const LearnerSnapshot&);
    // Once the features were added.
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
    Stop* stop_ = nullptr;  // of the call that learns
    bool unfinished_ = false;

private:
    void finish_row(const Batch&, std::size_t row, std::int32_t y, const double* w, Stop*);
    void check(const Batch&, const std::int32_t* y, const double* w) const;
};

}  // namespace riparian::restructuring
