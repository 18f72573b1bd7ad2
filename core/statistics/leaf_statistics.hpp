// What a leaf remembers of its examples: categorical counts and per-class Gaussians.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "../data/row.hpp"
#include "../memory/account.hpp"
#include "../simd/kernels.hpp"
#include "class_room.hpp"

namespace riparian {

// What the statistics do about the numbers that they derive from their moments: the range of the
// leaf, and by class the precisions and the sum of their logarithms.
enum class Derived : std::uint8_t {
    none,              // nobody reads them
    kept,              // they are kept up to date
    found_when_asked,  // those that need a plane are found again for every row
};

// Sizes that all leaves of a tree share. They change only when features or
// classes appear; then every leaf is laid out anew.
struct Shape : RowShape {  // `numeric`: also the doubles in a plane
    std::size_t class_stride = 0;  // room for classes
    Derived derived = Derived::none;

    [[nodiscard]] bool derives() const noexcept { return derived != Derived::none; }
    // The leaf has planes of its own, and its classes one of precision.
    [[nodiscard]] bool keeps_derived() const noexcept { return derived == Derived::kept; }
    [[nodiscard]] bool finds_derived() const noexcept {
        return derived == Derived::found_when_asked;
    }
    [[nodiscard]] std::size_t n_planes() const noexcept {
        return keeps_derived() ? bayes_class_planes : class_planes;
    }
    // Planes of whole vectors start at one: a load across two cache lines costs two.
    [[nodiscard]] bool aligned() const noexcept { return stride == numeric && numeric > 0; }
    // Where the parts of a leaf's block begin, in doubles (LeafStatistics).
    [[nodiscard]] std::size_t base_place() const noexcept { return class_stride; }
    [[nodiscard]] std::size_t starts_place() const noexcept {
        return derives() ? 2 * class_stride : class_stride;
    }
    [[nodiscard]] std::size_t leaf_place() const noexcept {
        const std::size_t place = starts_place() + (categorical ? categorical / 2 + 1 : 0);
        return aligned() ? (place + 3) / 4 * 4 : place;
    }
    [[nodiscard]] std::size_t classes_place() const noexcept {
        return leaf_place() + (keeps_derived() ? bayes_leaf_planes * numeric : 0);
    }
    [[nodiscard]] std::size_t cells_place() const noexcept { return n_planes() * numeric; }
};

// Room for the cells of so many values, a quarter more at a time.
[[nodiscard]] constexpr std::size_t room_for(std::size_t values) noexcept {
    std::size_t room = 0;
    while (room < values) room += room / 4 + 1;
    return room;
}

// All that a leaf keeps lies in one block, so that a row touches few cache lines and
// nothing is spent on many small ones:
//
//     a pointer a class to its part, null until it is seen
//     what naive Bayes adds to the score of each class (where it is derived)
//     where the cells of each categorical feature start, and where the last ones end
//     the leaf's planes (where they are kept)
//     a part for each class seen here: its planes, then its cells: the weight of each
//     category of each feature, as far as this leaf has seen any; and room for more parts
//     three spare doubles: a check reads whole vectors, past the end of a plane
//
// The class counts themselves belong to the node and are handed in: an inner
// node keeps them when its statistics are freed.
class LeafStatistics {
public:
    void open(const Shape&);
    // With room for the classes that have a weight, and for so many values a
    // categorical feature; to be filled before refresh_all().
    void open(const Shape&, const double* counts, const std::uint32_t* values);
    void close() noexcept;
    [[nodiscard]] bool is_open() const noexcept { return block_ != nullptr; }
    // Moves to another shape; what is new starts empty.
    void reshape(const Shape& from, const Shape& to, const double* counts);

    // Moves to a shape of fewer features: those at these places stay, in this order.
    void keep(const Shape& from, const Shape& to, const std::vector<std::uint32_t>& numeric,
              const std::vector<std::uint32_t>& categorical);

    // As if the rows of `other` had been learned here too: counts are added, moments joined
    // by Chan's formula [chan1983]. Its features and classes are the first of these; what it
    // does not know is missing from its rows. `counts` are this leaf's, and brought up to date.
    void merge(const Shape&, double* counts, const LeafStatistics& other, const Shape& of_other,
               const double* counts_of_other);
    // As if those rows, learned or merged before, had not been. Minima and maxima stay as they
    // are: a hull of what is left. Weights that differ from 0 by rounding only are 0. Throws
    // std::invalid_argument, and changes nothing, if more is taken away than there is.
    void downdate(const Shape&, double* counts, const LeafStatistics& other,
                  const Shape& of_other, const double* counts_of_other);
    // What a block holds for so many classes and cells.
    [[nodiscard]] static std::size_t bytes(const Shape&, std::size_t classes, std::size_t cells);
    // What a row of class y would take besides, before it gives the old block back.
    [[nodiscard]] std::size_t growth(const Shape&, const Row&, std::size_t y) const noexcept;

    // Learns one row of class y; `counts` already include it, `before` is counts[y]
    // without it (not counts[y] - w: that may have been rounded). `found`: the leaf's planes, if
    // it keeps none and they were found before; they are kept up to date then.
    void learn(const Shape& s, const Row& row, std::size_t y, double w, double before,
               const double* counts, double* found = nullptr) {
        learn(s, row, y, w, before, counts, s.derives(), found);
    }
    // The same where nobody answers: what naive Bayes derives from the moments is left behind.
    void learn_silently(const Shape& s, const Row& row, std::size_t y, double w, double before,
                        const double* counts) {
        learn(s, row, y, w, before, counts, false, nullptr);
    }
    // As if a row that was learned had not been; `counts` no longer include it. Minima and
    // maxima stay as they are: a hull of what is left. False: so little is left beside what was
    // forgotten that its moments are mostly rounding, and have to be counted again.
    [[nodiscard]] bool forget(const Shape& s, const Row& row, std::size_t y, double w,
                              const double* counts) {
        return forget(s, row, y, w, counts, s.derives());
    }
    [[nodiscard]] bool forget_silently(const Shape& s, const Row& row, std::size_t y, double w,
                                       const double* counts) {
        return forget(s, row, y, w, counts, false);
    }

    // By class: its planes, and after them its cells; null: not seen here.
    [[nodiscard]] double* const* classes() const noexcept {
        return reinterpret_cast<double* const*>(block_.get());
    }
    [[nodiscard]] GaussianClass gaussian(std::size_t k, const double* counts) const noexcept {
        return {classes()[k], known_numbers(k), counts[k]};
    }
    [[nodiscard]] LeafRange range(const Shape& s, double* found = nullptr) const noexcept {
        return {s.finds_derived() ? found : leaf_planes(s), classes(), s.class_stride,
                !s.finds_derived()};
    }
    // The leaf's planes, and log n_k + half the sum of log precision by class.
    [[nodiscard]] double* leaf_planes(const Shape& s) const noexcept {
        return doubles() + s.leaf_place();
    }
    [[nodiscard]] double* base(const Shape& s) const noexcept { return doubles() + s.base_place(); }

    // The cells of feature c are those from starts()[c] on, up to starts()[c + 1].
    [[nodiscard]] double* cells(const Shape& s, std::size_t k) const noexcept {
        return classes()[k] + s.cells_place();
    }
    [[nodiscard]] const std::uint32_t* starts(const Shape& s) const noexcept {
        return reinterpret_cast<const std::uint32_t*>(doubles() + s.starts_place());
    }

    // Something is missing from what this leaf has seen, perhaps a number of some class.
    [[nodiscard]] bool has_gaps() const noexcept { return gaps_ != nullptr; }
    [[nodiscard]] bool gaps() const noexcept { return gaps_ && !gaps_->numbers.empty(); }
    // Weight of known values: of a class by numeric feature, of a categorical feature by
    // class. Null: nothing is missing.
    [[nodiscard]] const double* known_numbers(std::size_t k) const noexcept {
        return gaps() && !gaps_->numbers[k].empty() ? gaps_->numbers[k].data() : nullptr;
    }
    [[nodiscard]] const double* known_categories(std::size_t c) const noexcept {
        return gaps_ && !gaps_->categories[c].empty() ? gaps_->categories[c].data() : nullptr;
    }
    double* open_known_numbers(const Shape&, std::size_t k);
    double* open_known_categories(const Shape&, std::size_t c);

    void refresh_all(const Shape&, const double* counts, double* found = nullptr) const noexcept;
    // After rows were learned silently: what naive Bayes derives from them.
    void find_bayes(const Shape& s, const double* counts) const noexcept;

private:
    struct Release {
        std::size_t bytes : 46;
        std::size_t parts : 17;  // of classes, one after the other
        bool aligned : 1;
        void operator()(std::byte* p) const noexcept {
            aligned ? give_aligned(p, bytes) : give(p, bytes);
        }
    };
    using Block = std::unique_ptr<std::byte[], Release>;

    // Few leaves of few streams have any.
    struct Gaps : HeldObject {
        Held<Held<double>> numbers;     // [class][stride]
        Held<Held<double>> categories;  // [feature][class_stride]
    };

    [[gnu::always_inline]] void learn(const Shape& s, const Row& row, std::size_t y, double w,
                                      double before, const double* counts, bool bayes,
                                      double* found) {
        if (!classes()[y]) [[unlikely]] make_room(s, row, y);
        if (s.categorical) {
            const std::size_t c = gaps_ ? 0 : learn_usual(s, row, y, w);
            if (c < s.categorical) [[unlikely]] learn_rare(s, row, c, y, w, before, counts);
        }
        if (row.gap || gaps()) [[unlikely]] {
            learn_known(s, row, y, w, before, counts, bayes);
        } else if (bayes) {
            learn_bayes(s, row, y, w, counts, found);
        } else if (s.numeric) {
            kernels().learn(classes()[y], s.numeric, row.x, w, w / counts[y]);
        }
    }
    // A mean keeps 33 of its 53 bits where this much more than what is left was forgotten.
    static constexpr double much_more = 0x1p20;
    [[gnu::always_inline]] bool forget(const Shape& s, const Row& row, std::size_t y, double w,
                                       const double* counts, bool bayes) {
        if (s.categorical || gaps_ || row.gap || !classes()[y] || !(counts[y] > 0.0)) {
            return forget_rare(s, row, y, w, counts, bayes);
        }
        if (s.numeric) kernels().forget(classes()[y], s.numeric, row.x, w, w / counts[y]);
        if (bayes) refresh(s, y, counts);
        return w <= much_more * counts[y];
    }
    // Where there is more to do than to downdate moments.
    bool forget_rare(const Shape&, const Row&, std::size_t y, double w, const double* counts,
                     bool bayes);
    void forget_class(const Shape&, std::size_t y, const double* counts, bool bayes);
    [[nodiscard]] bool keeps_precision(const Shape&, const Row&, std::size_t y, double w,
                                       const double* counts) const noexcept;
    void close_up(const Shape&, const double* counts);
    [[nodiscard]] bool widens(const Shape&, const Row&) const noexcept;
    [[nodiscard]] std::size_t values(const Shape&, std::size_t c) const noexcept;

    [[nodiscard]] double* doubles() const noexcept {
        return reinterpret_cast<double*>(block_.get());
    }
    [[nodiscard]] double** class_pointers() noexcept {
        return reinterpret_cast<double**>(block_.get());
    }
    [[nodiscard]] std::size_t n_parts() const noexcept { return block_.get_deleter().parts; }
    [[nodiscard]] std::size_t part_size(const Shape& s) const noexcept {
        return s.cells_place() + (s.categorical ? starts(s)[s.categorical] : 0);
    }
    // The next part is that of class k; there is room for it.
    void add_part(const Shape&, std::size_t k) noexcept;
    // False: the block has to get smaller.
    bool remove_part(const Shape&, std::size_t k) noexcept;
    template <class Seen>
    void lay_out(const Shape&, const std::uint32_t* starts, const Seen& seen);
    void copy_from(const LeafStatistics& old, const Shape& from, const Shape& to) noexcept;
    // For the categories of a row and for its class; for so many cells, and a class or none.
    void make_room(const Shape&, const Row&, std::size_t y);
    void make_room(const Shape&, const std::vector<std::uint32_t>& cells, std::size_t y);
    void demand_part(const Shape&, const double* counts, const LeafStatistics& other,
                     const Shape& of_other, const double* counts_of_other) const;
    Gaps& open_gaps(const Shape&);
    void learn_bayes(const Shape&, const Row&, std::size_t y, double w, const double* counts,
                     double* found);
    void learn_known(const Shape&, const Row&, std::size_t y, double w, double before,
                     const double* counts, bool bayes);
    // Counts categories as long as this leaf has cells for them; returns the first feature
    // that is left.
    std::size_t learn_usual(const Shape& s, const Row& row, std::size_t y, double w) noexcept {
        const std::uint32_t* const starts = this->starts(s);
        double* const cells = this->cells(s, y);
        for (std::size_t c = 0; c < s.categorical; ++c) {
            const auto code = static_cast<std::uint32_t>(row.codes[c]);
            if (code >= starts[c + 1] - starts[c]) return c;  // also where it is missing
            cells[starts[c] + code] += w;
        }
        return s.categorical;
    }
    void learn_rare(const Shape&, const Row&, std::size_t c, std::size_t y, double w,
                    double before, const double* counts);
    void refresh(const Shape&, std::size_t k, const double* counts,
                 double* found = nullptr) const noexcept;

    Block block_;
    std::unique_ptr<Gaps> gaps_;
};

}  // namespace riparian
