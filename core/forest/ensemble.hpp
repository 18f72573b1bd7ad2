// What all forests share: the schema, names, costs, the memory limit and the locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "../impurity/loss.hpp"
#include "../tree/tree.hpp"

namespace riparian {

// What all trees of a forest know of the stream.
struct Schema {
    std::vector<Kind> kinds;
    std::vector<std::uint32_t> categories;  // [categorical feature]
    std::size_t classes = 0, declared = 0;  // declared: of them, by the user
    // [feature]: number of the first row that had a value for it, where members draw features.
    std::vector<std::uint64_t> met_at;
    std::vector<std::uint8_t> watched;  // [feature] 1: it may be an identifier, and no tree cuts it

    static constexpr std::uint64_t never = UINT64_MAX;
};

// The part of a forest's arrays that all forests have.
struct SchemaSnapshot {
    std::vector<std::uint64_t> seen;        // [1] rows learned
    std::vector<std::uint32_t> classes;     // [1]
    std::vector<std::uint32_t> declared;    // [1] of them, by the user
    std::vector<std::uint8_t> kinds;        // [feature] 0 numeric, 1 categorical
    std::vector<std::uint32_t> categories;  // [categorical feature]

    template <class Self, class Visit>
    static void each(Self& s, Visit&& visit) {
        visit("seen", s.seen);
        visit("classes", s.classes);
        visit("declared", s.declared);
        visit("kinds", s.kinds);
        visit("categories", s.categories);
    }
};

// The memory limit is too low for a forest. `needed` is what the whole forest needs.
struct ForestTooLow : LimitTooLow {
    ForestTooLow(std::size_t limit, std::size_t needed)
        : LimitTooLow(limit, needed, "the forest as it is with no leaf active") {}
};

// Threads and errors: as Tree.
class Ensemble {
public:
    Ensemble(const Ensemble&) = delete;
    Ensemble& operator=(const Ensemble&) = delete;
    virtual ~Ensemble() = default;

    void add_features(const std::vector<Kind>&);
    void declare_classes(std::size_t count);
    void add_names(std::size_t bytes);
    void expect_classes(const std::vector<std::uint32_t>& bytes);
    void expect_categories(std::size_t feature, const std::vector<std::uint32_t>& bytes);
    // The rows with the expected names were not learned.
    void expect_nothing(std::size_t bytes) noexcept;
    // As Tree::watch and Tree::leave_out.
    void watch(std::size_t feature, bool);
    void leave_out(std::size_t feature, std::size_t names);
    // Whether an error broke out of the middle of a block of rows.
    [[nodiscard]] bool unfinished() const noexcept { return unfinished_; }
    void set_costs(const double* matrix, std::size_t classes);
    // Holds from now on. LimitTooLow, and nothing is changed, if it cannot.
    void set_max_bytes(std::size_t);
    // What the forest as it is needs, together with the classes that it expects.
    [[nodiscard]] std::size_t least_bytes() const;
    void set_threads(std::size_t threads) noexcept { threads_ = threads; }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }
    // As Tree::surely_fits. Names have a part of the limit to themselves.
    [[nodiscard]] bool surely_fits(std::size_t names, std::size_t numbers) const;

    void learn(const Batch&, const std::int32_t* y, const double* w, Stop* stop = nullptr);
    void prequential(const Batch&, const std::int32_t* y, const double* w, const Predictions&,
                     Stop* stop = nullptr);

    [[nodiscard]] Facts facts() const;
    // Categories of a feature that rows have brought; 0 for a numeric one.
    [[nodiscard]] std::size_t n_categories(std::size_t feature) const;

protected:
    Ensemble(std::size_t max_bytes, std::size_t threads)
        : max_bytes_(max_bytes), threads_(threads) {}

    // Called under the lock of a writer, when the schema has changed, or the memory limit to one that the
    // trees fit.
    virtual void give_features(const std::vector<Kind>&) = 0;
    virtual void give_classes(std::size_t) {}
    // Calls a function for each tree that sees a feature, with the feature's place in the tree.
    virtual void each_tree_with(std::size_t feature,
                                const std::function<void(Tree&, std::size_t place)>&) const;
    // Lets a new tree, which sees all features, watch those that are watched.
    void watch_in(Tree&) const;
    virtual void give_limit(std::size_t) = 0;
    // Whether a limit has room for all that is not a tree; how much of the limit a tree may hold; and the
    // limit that has room for everything if each tree holds this much.
    [[nodiscard]] virtual bool has_room(std::size_t limit) const noexcept;
    [[nodiscard]] virtual std::size_t bytes_of_a_tree(std::size_t limit) const noexcept = 0;
    [[nodiscard]] virtual std::size_t limit_for(std::size_t of_a_tree) const noexcept = 0;
    [[nodiscard]] virtual std::vector<std::shared_ptr<Tree>> trees() const = 0;
    // The settings of new trees, one for each kind, and how many classes they will know.
    [[nodiscard]] virtual std::vector<TreeSettings> settings_of_trees() const = 0;
    [[nodiscard]] virtual std::size_t classes_of_a_tree() const noexcept { return expected(); }
    // Predicts and learns rows, block by block. Called without a lock.
    virtual void run(const Batch&, const std::int32_t* y, const double* w, const Predictions*,
                     Stop*) = 0;

    // An upper bound of what a block of this many rows allocates. All trees grow with every block.
    [[nodiscard]] virtual std::size_t most_of_rows(std::size_t rows) const;
    // Sets memory aside for a block of this many rows, or of fewer where memory is short. Returns their
    // number. Throws std::bad_alloc if there is not enough for one.
    [[nodiscard]] std::size_t set_aside(std::size_t rows);
    // Does a block of rows for which memory was set aside. Throws std::bad_alloc after it if that memory
    // was needed.
    template <class Block>
    void finish(const Block& block) {
        const Section section(reserve_);
        unfinished_ = true;
        block();
        unfinished_ = false;
        if (reserve_.used()) throw std::bad_alloc();
    }

    [[nodiscard]] bool limited() const noexcept { return max_bytes_ != SIZE_MAX; }
    // The part of a limit that is not set aside for names; and the limit that leaves this much.
    [[nodiscard]] static std::size_t without_names(std::size_t limit) noexcept {
        return limit - limit / names_share;
    }
    [[nodiscard]] std::size_t with_names(std::size_t left) const noexcept;
    void demand_room() const;
    // Classes that are known, or will be after the batch.
    [[nodiscard]] std::size_t expected() const noexcept {
        return expected_ > schema_.classes ? expected_ : schema_.classes;
    }
    // How many of them the batch brings.
    [[nodiscard]] std::size_t coming() const noexcept { return coming_; }
    // Makes a category of a row known.
    void note_category(std::size_t categorical, std::int32_t code) noexcept;
    [[nodiscard]] std::vector<std::uint32_t> all_features() const;

    void save(SchemaSnapshot&) const;
    // Throws std::invalid_argument, naming what is wrong. Each forest restores its trees itself.
    void restore_schema(const SchemaSnapshot&);
    // Restores a tree, which must not have seen more than the forest.
    [[nodiscard]] std::shared_ptr<Tree> restore_tree(
        const TreeSettings&, const Snapshot&, const std::vector<std::uint32_t>& features) const;

    static constexpr std::size_t names_share =
        16;  // this part of the memory limit is set aside for names

    Schema schema_;
    std::uint64_t seen_ = 0;
    std::size_t names_ = 0;
    std::size_t max_bytes_, threads_;
    Costs costs_;
    Reserve reserve_;
    Pace pace_{128};
    mutable Turnstile turnstile_{Turnstile::Level::outer};

private:
    [[nodiscard]] std::size_t needed() const;
    // Does a job. Where a tree has too little memory, the error states what the whole forest needs.
    template <class Job>
    void within_limit(Job&&);

    std::size_t expected_ = 0, coming_ = 0;
    std::size_t rows_left_ = 0;  // that memory was set aside for
    bool unfinished_ = false;
};

}  // namespace riparian
