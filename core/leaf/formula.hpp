// The prediction of a leaf as a formula, for exports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace riparian {

// Each class has a score: a constant, plus a term for each value that is not missing. Numeric
// values are clipped to +-largest_value first.
struct Formula {
    // How scores become probabilities.
    enum class Link : std::uint8_t {
        none,     // there are no scores: the leaf predicts its class weights
        softmax,  // exp(score) / sum; the class weights if all scores are -inf
        clipped,  // the scores clipped to [0, 1] / sum; the class weights if all are 0
        unknown,  // the predictor cannot be written as a formula
    };
    Link link = Link::none;
    std::vector<double> constant;  // [class]; -inf if the class cannot be predicted

    // The numeric features that have terms, by their place at the leaf. Either all terms are
    // squares or all are lines.
    std::vector<std::int32_t> numeric;
    // offset - precision (x - centre)^2, each [class][numeric]
    struct Squares {
        std::vector<double> centre, precision, offset;
    } squares;
    // weight z with z = (x - centre) / spread, clipped to +-most_linear
    struct Lines {
        std::vector<double> centre, spread;  // [numeric]
        std::vector<double> weight;          // [class][numeric]
    } lines;

    // The terms of a categorical feature: [category][class], and last those of a category without
    // terms of its own.
    struct Categories {
        std::int32_t feature;
        std::vector<double> terms;
    };
    std::vector<Categories> categorical;
};

}  // namespace riparian
