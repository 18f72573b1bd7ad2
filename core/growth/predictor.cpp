#include "predictor.hpp"

#include <variant>

#include "scatter.hpp"

namespace riparian {

std::vector<std::string_view> TreePredictor::names() const {
    std::vector<std::string_view> out(state_.nodes.size());
    std::visit(
        [&](const auto& policy) {
            for (const NodeRecord& leaf : state_.leaves) {
                if (state_.nodes.at(leaf.node).test != Test::leaf) continue;
                out[static_cast<std::size_t>(leaf.node)] = policy.predictor_at(view(leaf.node));
            }
        },
        state_.settings.leaf);
    return out;
}

std::vector<Formula> TreePredictor::formulas() const {
    const Features& features = state_.nodes.features();
    const Shape& shape = state_.leaves.shape();
    RowScratch scratch;
    fit(scratch);
    const HeldDoubles x(shape.stride, 0.0);
    const std::vector<std::int32_t> codes(shape.categorical, missing_code);
    std::vector<Formula> out(state_.nodes.size());
    for (const NodeRecord& record : state_.leaves) {
        const Node& node = state_.nodes.at(record.node);
        if (node.test != Test::leaf) continue;
        const Row row{x.data(), codes.data(), false};
        const LeafView leaf = leaf_and_row(record.node, row, scratch).leaf;
        Formula& formula = out[static_cast<std::size_t>(record.node)];
        std::visit(
            [&]<class Policy>(const Policy& policy) {
                if constexpr (Describes<Policy>) formula = policy.describe(leaf, scratch);
                else formula.link = Formula::Link::unknown;
            },
            state_.settings.leaf);
        // The leaf knows features by their place among those that it tracks.
        const TrackedFeatures* const tracked =
            state_.plain ? nullptr
                         : state_.leaves.tracked_features(static_cast<std::size_t>(node.place));
        std::vector<std::int32_t> numeric, categorical;
        for (std::size_t p = 0; p < leaf.shape.numeric + leaf.shape.categorical; ++p) {
            const auto place = static_cast<std::int32_t>(p);
            const std::int32_t id = tracked ? tracked->id_of(place) : place;
            const bool is_number = features[static_cast<std::size_t>(id)].kind == Kind::numeric;
            (is_number ? numeric : categorical).push_back(id);
        }
        for (std::int32_t& f : formula.numeric) f = numeric[static_cast<std::size_t>(f)];
        for (Formula::Categories& c : formula.categorical) {
            c.feature = categorical[static_cast<std::size_t>(c.feature)];
        }
    }
    return out;
}

void TreePredictor::fit(RowScratch& scratch) const {
    riparian::fit(scratch, state_.settings.leaf, state_.leaves.shape(), state_.costs.classes > 0);
    if (state_.settings.selects()) scratch.gathered.fit(state_.leaves.shape());
}

void TreePredictor::probabilities(std::int32_t node, Spread& spread, PredictorScratch& scratch,
                                  std::size_t n_classes, double* out) const {
    LeafView leaf = view(node);
    leaf.n_classes = n_classes;
    if (state_.nodes.at(node).test != Test::leaf) {
        Majority{}.probabilities(leaf, spread, scratch, out);
        return;
    }
    std::visit([&](const auto& policy) { policy.probabilities(leaf, spread, scratch, out); },
               state_.settings.leaf);
}

void TreePredictor::predict(Spread& spread, PredictorScratch& scratch,
                            const Predictions& predictions, std::size_t row) const {
    const std::size_t n_classes = state_.known.n_classes;
    const std::size_t n =
        predictions.probabilities ? std::min(n_classes, predictions.width) : n_classes;
    std::vector<double>& sum = spread.room.prediction;
    std::vector<double>& shares = spread.room.shares;
    sum.assign(std::max(n_classes, predictions.width), 0.0);
    shares.resize(sum.size());
    double all = 0.0;
    spread.wait(0, 1.0);
    scatter(
        state_.nodes, spread,
        [&](std::int32_t node, double share) {
            state_.hooks->send_to_options(node, share, spread);
            return true;
        },
        [](std::int32_t, std::int32_t child, std::int32_t) { return child; },
        [&](std::int32_t node, double share) {
            probabilities(node, spread, scratch, n, shares.data());
            for (std::size_t k = 0; k < n; ++k) sum[k] += share * shares[k];
            all += share;
        });
    for (std::size_t k = 0; k < n; ++k) {
        sum[k] = all > 0.0 ? sum[k] / all : 1.0 / static_cast<double>(n);
    }
    if (predictions.probabilities) {
        std::copy_n(sum.begin(), predictions.width,
                    predictions.probabilities + row * predictions.width);
    }
    if (!predictions.classes) return;
    predictions.classes[row] = !state_.seen           ? no_prediction
                               : state_.costs.classes ? state_.costs.cheapest(sum.data(), n)
                                                      : largest_class(sum.data(), n);
}

}  // namespace riparian
