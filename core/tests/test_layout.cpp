// Sizes that speed and memory hang on.
#include <cstddef>
#include <type_traits>

#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;

namespace {

// Routing reads one node a level: two of them must not be three cache lines.
static_assert(sizeof(Node) <= 64);
static_assert(std::is_trivially_copyable_v<Node>);
static_assert(std::is_trivially_copyable_v<LeafStatistics>);
static_assert(sizeof(Leaf) <= 128);
static_assert(sizeof(CountTable) <= 24);
static_assert(sizeof(Row) <= 24);

static_assert(class_planes == precision && bayes_class_planes == precision + 1);
static_assert(bayes_leaf_planes > leaf_high);

void rows_are_padded_with_zeros_to_whole_vectors() {
    for (std::size_t numeric = 1; numeric <= 9; ++numeric) {
        examples::Wanted wanted;
        wanted.rows = 300;
        wanted.numeric = numeric;
        wanted.categorical = 0;
        const examples::Rows rows = examples::make_rows(wanted, numeric);
        std::vector<Feature> features;
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

// A leaf with majority answers holds four planes a class and little more.
void memory_of_a_leaf_is_its_planes() {
    Settings settings;
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
    tree.make_room_for_classes(wanted.classes);
    tree.learn(rows.batch(0, 500), rows.y.data(), nullptr);
    const std::size_t bytes = tree.memory_bytes();
    const std::size_t planes = wanted.classes * class_planes * 100 * sizeof(double);
    CHECK(bytes >= planes);
    CHECK(bytes <= planes + planes / 4 + 16'384);
    tree.learn(rows.batch(500, 500), rows.y.data() + 500, nullptr);
    CHECK(tree.memory_bytes() == bytes);
}

}  // namespace

int main() {
    rows_are_padded_with_zeros_to_whole_vectors();
    memory_of_a_leaf_is_its_planes();
    return checking::failures();
}
