// What a leaf remembers about its examples: categorical counts and per-class Gaussians.
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
#include "sparse_moments.hpp"

namespace riparian {

// When the numbers that are derived from the moments are computed: the range of the leaf and, for
// each class, the precisions and the sum of their logarithms.
enum class Derived : std::uint8_t {
    none,              // never, because nothing reads them
    kept,              // after every row; they are stored
    found_when_asked,  // those that need a plane are computed for every prediction
};

// Sizes that all leaves of a tree share. They change only when features or classes appear; then
// every leaf gets a new layout.
struct Shape : RowShape {          // `numeric` is also the number of doubles in a plane
    std::size_t class_stride = 0;  // capacity for classes
    Derived derived = Derived::none;

    [[nodiscard]] bool derives() const noexcept { return derived != Derived::none; }
    // Whether the leaf stores its own planes, and its classes store one of precisions.
    [[nodiscard]] bool keeps_derived() const noexcept { return derived == Derived::kept; }
    [[nodiscard]] bool finds_derived() const noexcept {
        return derived == Derived::found_when_asked;
    }
    [[nodiscard]] std::size_t n_planes() const noexcept {
        return keeps_derived() ? bayes_class_planes : class_planes;
    }
    // Planes of whole vectors are aligned, because a load across two cache lines costs twice as
    // much.
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

// The capacity for the cells of this many values. It grows by a quarter.
[[nodiscard]] constexpr std::size_t room_for(std::size_t values) noexcept {
    std::size_t room = 0;
    while (room < values) room += room / 4 + 1;
    return room;
}

// All data of a leaf is in one block, so that a row touches few cache lines and small allocations
// are avoided. The block contains:
//
//     for each class a pointer to its part, null until the class is seen
//     for each class what naive Bayes adds to its score (if derived)
//     where the cells of each categorical feature start, and where the last ones end
//     the planes of the leaf (if stored)
//     for each class seen here a part with its planes and its cells, which are the weights of each
//     category of each feature that this leaf has seen; and room for more parts
//     three spare doubles, because a check reads whole vectors past the end of a plane
//
// A leaf whose first row is sparse has no such parts but the moments of its non-zeros
// (sparse_moments.hpp), as long as it has no categorical features.
//
// The class counts belong to the node and are passed in, because an inner node keeps them when its
// statistics are freed.
class LeafStatistics {
public:
    void open(const Shape&);
    // Makes room for the classes that have a weight and for this many categories of each
    // categorical feature. The contents must be filled in before refresh_all().
    void open(const Shape&, const double* counts, const std::uint32_t* values);
    void close() noexcept;
    [[nodiscard]] bool is_open() const noexcept { return block_ != nullptr; }
    // Changes to another shape. New parts start empty.
    void reshape(const Shape& from, const Shape& to, const double* counts);

    // Changes to a shape with fewer features: only those at these places are kept, in this order.
    void keep(const Shape& from, const Shape& to, const std::vector<std::uint32_t>& numeric,
              const std::vector<std::uint32_t>& categorical);

    // Frees the counts of a categorical feature, as if all its values had been missing.
    void leave_out(const Shape&, std::size_t c, const double* counts);

    // Adds the rows of `other`. Counts are added and moments are combined by Chan's formula
    // [chan1983]. Its features and classes are the first ones of this leaf; the others are missing
    // from its rows. `counts` are those of this leaf and are updated.
    void merge(const Shape&, double* counts, const LeafStatistics& other, const Shape& of_other,
               const double* counts_of_other);
    // Subtracts rows that were learned or merged before. Minima and maxima are not changed, so they
    // are a hull of the remaining rows. Weights that differ from 0 only by rounding become 0. If
    // more is subtracted than there is, throws std::invalid_argument and changes nothing.
    void downdate(const Shape&, double* counts, const LeafStatistics& other, const Shape& of_other,
                  const double* counts_of_other);
    // The bytes of a block for this many classes and cells.
    [[nodiscard]] static std::size_t bytes(const Shape&, std::size_t classes, std::size_t cells);
    // The bytes that a row of class y would allocate in addition before the old block is freed.
    [[nodiscard]] std::size_t growth(const Shape&, const Row&, std::size_t y) const noexcept;

    // Learns one row of class y. `counts` already include it. `before` is counts[y] without it;
    // counts[y] - w would be rounded. `found` are the leaf's planes if it does not store them and
    // they have been computed already; they are updated.
    void learn(const Shape& s, const Row& row, std::size_t y, double w, double before,
               const double* counts, double* found = nullptr) {
        learn(s, row, y, w, before, counts, s.derives(), found);
    }
    // Learns a row without updating the numbers that naive Bayes derives from the moments, because
    // nothing predicts with them.
    void learn_silently(const Shape& s, const Row& row, std::size_t y, double w, double before,
                        const double* counts) {
        learn(s, row, y, w, before, counts, false, nullptr);
    }
    // Forgets a row that was learned. `counts` no longer include it. Minima and maxima are not
    // changed, so they are a hull of the remaining rows. Returns false if so little weight is left
    // that the moments are mostly rounding errors and have to be computed again.
    [[nodiscard]] bool forget(const Shape& s, const Row& row, std::size_t y, double w,
                              const double* counts) {
        return forget(s, row, y, w, counts, s.derives());
    }
    [[nodiscard]] bool forget_silently(const Shape& s, const Row& row, std::size_t y, double w,
                                       const double* counts) {
        return forget(s, row, y, w, counts, false);
    }

    // For each class its planes, followed by its cells; null if the class was not seen here.
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
    // The planes of the leaf, and for each class log n_k plus half the sum of the log precisions.
    [[nodiscard]] double* leaf_planes(const Shape& s) const noexcept {
        return doubles() + s.leaf_place();
    }
    [[nodiscard]] double* base(const Shape& s) const noexcept { return doubles() + s.base_place(); }

    // The cells of feature c start at starts()[c] and end at starts()[c + 1].
    [[nodiscard]] double* cells(const Shape& s, std::size_t k) const noexcept {
        return classes()[k] + s.cells_place();
    }
    [[nodiscard]] const std::uint32_t* starts(const Shape& s) const noexcept {
        return reinterpret_cast<const std::uint32_t*>(doubles() + s.starts_place());
    }

    // Whether any value was missing in this leaf; gaps() tells whether it was a number.
    [[nodiscard]] bool has_gaps() const noexcept { return gaps_ != nullptr; }
    [[nodiscard]] bool gaps() const noexcept { return gaps_ && !gaps_->numbers.empty(); }
    // Weight of the known values: for a class by numeric feature, or for a categorical feature by
    // class. Null if nothing is missing.
    [[nodiscard]] const double* known_numbers(std::size_t k) const noexcept {
        return gaps() && !gaps_->numbers[k].empty() ? gaps_->numbers[k].data() : nullptr;
    }
    [[nodiscard]] const double* known_categories(std::size_t c) const noexcept {
        return gaps_ && !gaps_->categories[c].empty() ? gaps_->categories[c].data() : nullptr;
    }
    double* open_known_numbers(const Shape&, std::size_t k);
    double* open_known_categories(const Shape&, std::size_t c);

    // What the leaf stores if its first row was sparse; else null.
    [[nodiscard]] const SparseMoments* sparse() const noexcept {
        return gaps_ ? gaps_->sparse.get() : nullptr;
    }
    // Begins them. The leaf must be open and empty.
    SparseMoments& open_sparse(const Shape&);
    // Fills these open and empty statistics with the moments of all values of a sparse leaf, of
    // these features only; `numeric` is the number of its features.
    void unfold(const Shape&, const SparseMoments&, const std::vector<std::uint32_t>& features,
                std::size_t numeric, const double* counts);

    void refresh_all(const Shape&, const double* counts, double* found = nullptr) const noexcept;
    // Computes what naive Bayes derives, after rows were learned silently.
    void find_bayes(const Shape& s, const double* counts) const noexcept;

private:
    struct Release {
        std::size_t bytes : 46;
        std::size_t parts : 17;  // number of class parts, which are contiguous
        bool aligned : 1;
        void operator()(std::byte* p) const noexcept {
            aligned ? free_aligned(p, bytes) : free_block(p, bytes);
        }
    };
    using Block = std::unique_ptr<std::byte[], Release>;

    // Only allocated if a value is missing, which is rare, or if rows are sparse.
    struct Gaps : HeldObject {
        Held<Held<double>> numbers;     // [class][stride]
        Held<Held<double>> categories;  // [feature][class_stride]
        std::unique_ptr<SparseMoments> sparse;
    };

    [[gnu::always_inline]] void learn(const Shape& s, const Row& row, std::size_t y, double w,
                                      double before, const double* counts, bool bayes,
                                      double* found) {
        if (!classes()[y]) [[unlikely]] {
            if (sparse() || begins_sparse(s, row)) return learn_sparse(s, row, y, w);
            make_room(s, row, y);
        }
        if (s.categorical) {
            const std::size_t c = gaps_ ? 0 : learn_usual(s, row, y, w);
            if (c < s.categorical) [[unlikely]]
                learn_rare(s, row, c, y, w, before, counts);
        }
        if (row.gap || gaps()) [[unlikely]] {
            learn_known(s, row, y, w, before, counts, bayes);
        } else if (bayes) {
            learn_bayes(s, row, y, w, counts, found);
        } else if (s.numeric) {
            // counts[y], but it need not wait until that was written.
            kernels().learn(classes()[y], s.numeric, row.x, w, w / (before + w));
        }
    }
    // Whether this row, the first of the leaf, decides that it stores non-zeros. What is derived
    // needs all values.
    [[nodiscard]] bool begins_sparse(const Shape& s, const Row& row) const noexcept {
        return row.nonzeros && n_parts() == 0 && s.categorical == 0 && !s.derives();
    }
    void learn_sparse(const Shape&, const Row&, std::size_t y, double w);
    // The same with all values, for statistics that must know them.
    [[nodiscard]] LeafStatistics dense_copy(const Shape&, const double* counts) const;
    // Stores all values from now on.
    void make_dense(const Shape& from, const Shape& to, const double* counts);
    // A mean keeps 33 of its 53 bits if the forgotten weight is this many times the remaining one.
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
    // Handles the cases in which there is more to do than to update moments.
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
    // Makes the next part that of class k. There must be room for it.
    void add_part(const Shape&, std::size_t k) noexcept;
    // Returns false if the block has to become smaller.
    bool remove_part(const Shape&, std::size_t k) noexcept;
    template <class Seen>
    void lay_out(const Shape&, const std::uint32_t* starts, const Seen& seen);
    void copy_from(const LeafStatistics& old, const Shape& from, const Shape& to) noexcept;
    // Makes room for the categories and the class of a row; or for this many cells, and a class if
    // y is one.
    void make_room(const Shape&, const Row&, std::size_t y);
    void make_room(const Shape&, const std::vector<std::uint32_t>& cells, std::size_t y);
    void demand_part(const Shape&, const double* counts, const LeafStatistics& other,
                     const Shape& of_other, const double* counts_of_other) const;
    Gaps& open_gaps(const Shape&);
    void learn_bayes(const Shape&, const Row&, std::size_t y, double w, const double* counts,
                     double* found);
    void learn_known(const Shape&, const Row&, std::size_t y, double w, double before,
                     const double* counts, bool bayes);
    // Counts categories as long as this leaf has cells for them. Returns the first feature that was
    // not counted.
    std::size_t learn_usual(const Shape& s, const Row& row, std::size_t y, double w) noexcept {
        const std::uint32_t* const starts = this->starts(s);
        double* const cells = this->cells(s, y);
        for (std::size_t c = 0; c < s.categorical; ++c) {
            const auto code = static_cast<std::uint32_t>(row.codes[c]);
            if (code >= starts[c + 1] - starts[c]) return c;  // also if it is missing
            cells[starts[c] + code] += w;
        }
        return s.categorical;
    }
    void learn_rare(const Shape&, const Row&, std::size_t c, std::size_t y, double w, double before,
                    const double* counts);
    void refresh(const Shape&, std::size_t k, const double* counts,
                 double* found = nullptr) const noexcept;

    Block block_;
    std::unique_ptr<Gaps> gaps_;
};

}  // namespace riparian
