// Distributions worked by hand, and trees that learn them with the same bits everywhere.
#include <cmath>
#include <limits>
#include <stdexcept>

#include "../data/uncertain_table.hpp"
#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * (1.0 + std::abs(b)); }

CASE(intervals_and_points) {
    std::vector<Point> none_, drawn;
    Uncertain u{0, 0, Uncertain::Type::interval, 0.0, 4.0, 0.0, 1.0, 0, 0};
    CHECK(u.below(1.0, none_) == 0.25 && u.below(-1.0, none_) == 0.0 && u.below(4.0, none_) == 1.0);
    u.keep_above(1.0, none_);
    u.draw(none_, drawn);
    CHECK(drawn.size() == 10 && near(drawn[0].value, 1.15) && near(drawn[9].value, 3.85));

    std::vector<Point> points{{1.0, 1.0}, {2.0, 2.0}, {5.0, 1.0}};
    Uncertain v{0, 0, Uncertain::Type::numbers, 0, 0, 0, 1, 0, 3};
    CHECK(v.below(2.0, points) == 0.75 && v.below(0.0, points) == 0.0);
    v.keep_above(1.0, points);
    CHECK(v.first == 1 && v.count == 2);
    v.keep_below(2.0, points);
    CHECK(v.count == 1 && v.below(2.0, points) == 1.0);

    Uncertain c{0, 0, Uncertain::Type::categories, 0, 0, 0, 1, 0, 3};
    CHECK(c.of(2, points) == 0.5 && c.of(7, points) == 0.0);
    c.leave_out(2, points);
    CHECK(c.count == 2 && c.of(1, points) == 0.5 && points.size() == 5);
    c.keep_only(5, points);
    CHECK(c.count == 1 && c.of(5, points) == 1.0);
}

// Quantiles agree with the distribution function, also far out on both sides.
CASE(normal_distributions) {
    std::vector<Point> none_, drawn;
    for (const auto& [low, high] : {std::pair{-infinity, infinity},
                                    {-1.0, 0.5},
                                    {3.0, 5.0},
                                    {-5.5, -5.0},
                                    {5.0, infinity},
                                    {-0.1, 0.1}}) {
        for (const double sd : {1.0, 1e-3, 1e6}) {
            Uncertain u{0, 0, Uncertain::Type::normal, 7.0 + sd * low, 7.0 + sd * high, 7.0, sd,
                        0, 0};
            u.draw(none_, drawn);
            for (std::size_t i = 0; i < drawn.size(); ++i) {
                CHECK(drawn[i].value >= u.low && drawn[i].value <= u.high);
                const double share = (static_cast<double>(i) + 0.5) / 10.0;
                CHECK(std::abs(u.below(drawn[i].value, none_) - share) < 1e-9);
            }
        }
    }
}

// Values outside the range of numbers that can be learned are clipped to it.
CASE(values_outside_the_range_are_clipped) {
    const std::int64_t rows[] = {0, 0, 1}, starts[] = {0, 0, 0, 2};
    const std::int32_t features[] = {0, 1, 0};
    const std::uint8_t types[] = {0, 1, 2};
    const double numbers[] = {-1e308, 2.0, 0.0, 0.0, 0.0, 9.0, 1e308, 1.0, 0.0, 0.0, 0.0, 0.0};
    const double points[] = {1.0, 1e308}, weights[] = {0.25, 0.75};
    UncertainTable table{3, 2, rows, features, types, numbers, starts, points, weights};
    Batch batch;
    batch.rows = 2;
    batch.columns.resize(2);
    set_uncertain(batch, table);
    const std::vector<Uncertain>& u = batch.uncertain;
    CHECK(u.size() == 3 && u[1].feature == 1 && u[2].row == 1);
    CHECK(u[0].low == -largest_value && u[0].high == 2.0);
    // A normal distribution that far out becomes a single number.
    CHECK(u[1].type == Uncertain::Type::interval && u[1].low == u[1].high);
    CHECK(u[1].low == largest_value);
    CHECK(u[2].type == Uncertain::Type::numbers && u[2].first == 0 && u[2].count == 2);
    CHECK(batch.points[1].value == largest_value && batch.points[1].weight == 0.75);

    const std::int64_t late[] = {0, 0, 2}, back[] = {1, 0, 1}, beyond[] = {0, 0, 0, 3};
    const std::uint8_t unknown[] = {0, 1, 4}, pointless[] = {2, 1, 2};
    const auto refused = [&](auto change) {
        UncertainTable wrong = table;
        change(wrong);
        try {
            set_uncertain(batch, wrong);
        } catch (const std::invalid_argument&) {
            return batch.uncertain.size() == 3;
        }
        return false;
    };
    CHECK(refused([&](UncertainTable& t) { t.rows = late; }));
    CHECK(refused([&](UncertainTable& t) { t.rows = back; }));
    CHECK(refused([&](UncertainTable& t) { t.starts = beyond; }));
    CHECK(refused([&](UncertainTable& t) { t.types = unknown; }));
    CHECK(refused([&](UncertainTable& t) { t.types = pointless; }));
}

bool same(const Snapshot& a, const Snapshot& b) {
    bool equal = true;
    std::vector<std::vector<std::byte>> all;
    const auto bytes = [](const auto& values) {
        const auto* const p = reinterpret_cast<const std::byte*>(values.data());
        return std::vector<std::byte>(p, p + values.size() * sizeof(values[0]));
    };
    Snapshot::each_of_all(a,
                          [&](const char*, const auto& values) { all.push_back(bytes(values)); });
    std::size_t i = 0;
    Snapshot::each_of_all(
        b, [&](const char*, const auto& values) { equal &= all[i++] == bytes(values); });
    return equal;
}

CASE(the_same_bits_with_every_instruction_set) {
    const examples::Rows rows = examples::make_rows({.weights = true}, 3);
    const Batch batch = examples::blurred(rows, 0, rows.size(), 5);
    for (const AnyLeaf& leaf :
         {AnyLeaf(Majority{}), AnyLeaf(Adaptive{}), AnyLeaf(examples::best_of_three())}) {
        std::vector<Snapshot> snapshots;
        for (const char* const name : kernel_names) {
            const Kernels* const set = kernels_named(name);
            if (!set) continue;
            use_kernels(*set);
            Tree tree(examples::quick_settings(leaf));
            tree.add_features(rows.kinds);
            tree.learn(batch, rows.y.data(), rows.w.data());
            CHECK(tree.facts().n_leaves > 3);
            snapshots.push_back(tree.snapshot());
            CHECK(same(Tree::restore(tree.settings(), snapshots.back())->snapshot(),
                       snapshots.back()));
        }
        for (const Snapshot& s : snapshots) CHECK(same(snapshots[0], s));
    }
}

}  // namespace
