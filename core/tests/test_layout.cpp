// Sizes that speed and memory depend on.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;

namespace {

static_assert(sizeof(Node) <= 32);
static_assert(sizeof(Gate) <= 16);
static_assert(sizeof(Split) <= 80);
static_assert(std::is_trivially_copyable_v<Node>);
static_assert(std::is_nothrow_move_constructible_v<NodeRecord>);
static_assert(sizeof(NodeRecord) <= 96);
static_assert(sizeof(Row) <= 32);

static_assert(class_planes == precision && bayes_class_planes == precision + 1);
static_assert(bayes_leaf_planes > leaf_high);

CASE(rows_are_padded_with_zeros_to_whole_vectors) {
    for (std::size_t numeric = 1; numeric <= 9; ++numeric) {
        examples::Wanted wanted;
        wanted.rows = 300;
        wanted.numeric = numeric;
        wanted.categorical = 0;
        const examples::Rows rows = examples::make_rows(wanted, numeric);
        Features features;
        for (std::size_t f = 0; f < numeric; ++f) features.push_back({Kind::numeric, f});
        Shape shape;
        shape.numeric = numeric;
        shape.stride = (numeric + 3) / 4 * 4;
        const Batch batch = rows.batch();
        RowBuffer buffer(batch, features, shape);
        CHECK(buffer.capacity() >= 8 && buffer.capacity() <= 256);
        buffer.read(0, buffer.capacity());
        for (std::size_t i = 0; i < buffer.capacity(); ++i) {
            const Row row = buffer.row(i);
            CHECK(reinterpret_cast<std::uintptr_t>(row.x) % 32 == 0);
            bool gap = false;
            for (std::size_t f = 0; f < numeric; ++f) {
                const double x = rows.numbers[f][i];
                gap = gap || x != x;
                CHECK(row.x[f] == x || (row.x[f] != row.x[f] && x != x));
            }
            CHECK(row.gap == gap);
            for (std::size_t f = numeric; f < shape.stride; ++f) CHECK(row.x[f] == 0.0);
        }
    }
}

// The rows are the same, however they are stored in memory.
CASE(layouts_of_columns_give_the_same_rows) {
    examples::Wanted wanted;
    wanted.rows = 700;
    wanted.numeric = 5;
    wanted.categorical = 3;
    examples::Rows rows = examples::make_rows(wanted, 4);
    for (auto& numbers : rows.numbers) {
        for (double& x : numbers) x = static_cast<double>(static_cast<float>(x));
    }
    const std::size_t n = rows.size(), n_features = rows.kinds.size();
    Features features;
    Shape shape;
    for (const Kind kind : rows.kinds) {
        features.push_back({kind, kind == Kind::numeric ? shape.numeric++ : shape.categorical++});
    }
    shape.stride = (shape.numeric + 3) / 4 * 4;

    // Numbers and codes are each in one matrix, with a margin and without.
    std::vector<double> wide(n * 7);
    std::vector<float> narrow(n * 5);
    std::vector<std::int32_t> codes(n * 4);
    std::vector<std::int8_t> bytes(n * 3);
    Batch separate = rows.batch(), side_by_side = separate, packed = separate;
    for (std::size_t f = 0; f < n_features; ++f) {
        const std::size_t slot = features[f].slot;
        const bool numeric = features[f].kind == Kind::numeric;
        for (std::size_t i = 0; i < n; ++i) {
            if (numeric) {
                wide[i * 7 + slot] = rows.numbers[f][i];
                narrow[i * 5 + slot] = static_cast<float>(rows.numbers[f][i]);
            } else {
                codes[i * 4 + slot] = rows.codes[f][i];
                bytes[i * 3 + slot] = static_cast<std::int8_t>(rows.codes[f][i]);
            }
        }
        if (numeric) {
            side_by_side.columns[f] = {&wide[slot], 7 * sizeof(double), Column::Type::f64};
            packed.columns[f] = {&narrow[slot], 5 * sizeof(float), Column::Type::f32};
        } else {
            side_by_side.columns[f] = {&codes[slot], 4 * sizeof codes[0], Column::Type::code};
            packed.columns[f] = {&bytes[slot], 3 * sizeof bytes[0], Column::Type::code8};
        }
    }
    RowBuffer want(separate, features, shape);
    for (const Batch* const batch : {&separate, &side_by_side, &packed}) {
        CHECK(!find_infinite(*batch));
        RowBuffer got(*batch, features, shape);
        CHECK(got.capacity() == want.capacity());
        for (std::size_t start = 0; start < n; start += want.capacity()) {
            const std::size_t count = std::min(want.capacity(), n - start);
            want.read(start, count);
            got.read(start, count);
            for (std::size_t i = 0; i < count; ++i) {
                const Row a = want.row(i), b = got.row(i);
                CHECK(a.gap == b.gap);
                CHECK(std::memcmp(a.x, b.x, shape.stride * sizeof(double)) == 0);
                CHECK(std::equal(a.codes, a.codes + shape.categorical, b.codes));
            }
        }
    }
    wide[300 * 7 + 4] = -std::numeric_limits<double>::infinity();
    wide[300 * 7 + 2] = std::numeric_limits<double>::infinity();
    narrow[12 * 5 + 1] = std::numeric_limits<float>::infinity();
    const auto numeric_place = [&](std::size_t slot) {
        for (std::size_t f = 0; f < n_features; ++f) {
            if (features[f].kind == Kind::numeric && features[f].slot == slot) return f;
        }
        return n_features;
    };
    const auto found = find_infinite(side_by_side);
    CHECK(found && found->row == 300 && found->column == numeric_place(2));
    const auto found_narrow = find_infinite(packed);
    CHECK(found_narrow && found_narrow->row == 12 && found_narrow->column == numeric_place(1));
}

// A leaf with majority predictions stores four planes per class and little more.
CASE(memory_of_a_leaf_is_its_planes) {
    TreeSettings settings;
    settings.leaf = Majority{};
    settings.max_leaves = 1;
    examples::Wanted wanted;
    wanted.rows = 1000;
    wanted.numeric = 100;
    wanted.categorical = 0;
    wanted.classes = 4;
    wanted.missing = 0.0;
    const examples::Rows rows = examples::make_rows(wanted, 3);
    Tree tree(settings);
    tree.add_features(rows.kinds);
    tree.learn(rows.batch(0, 500), rows.y.data(), nullptr);
    const std::size_t bytes = tree.memory_bytes();
    const std::size_t planes = wanted.classes * class_planes * 100 * sizeof(double);
    CHECK(bytes >= planes);
    CHECK(bytes <= planes + planes / 4 + 16'384);
    tree.learn(rows.batch(500, 500), rows.y.data() + 500, nullptr);
    CHECK(tree.memory_bytes() == bytes);
}

}  // namespace
