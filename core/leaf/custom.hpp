#pragma once

#include <memory>
#include <span>
#include <stdexcept>

#include "units.hpp"

namespace riparian {

// A leaf predictor that the user wrote: one object per leaf. The core does not know Python, so the
// caller passes objects with this interface. All functions may throw.
class LeafObject {
public:
    virtual ~LeafObject() = default;
    virtual void learn(const Shape&, const Row&, std::size_t y, double w) = 0;
    // Writes n_classes numbers that sum to 1. Returns false if it cannot predict yet.
    [[nodiscard]] virtual bool probabilities(const Shape&, const Row&, std::size_t n_classes,
                                             double* out) const = 0;
    // An object that has learned nothing.
    [[nodiscard]] virtual std::unique_ptr<LeafObject> fresh() const = 0;
    // The object of a new leaf below this one.
    [[nodiscard]] virtual std::unique_ptr<LeafObject> child() const = 0;
    virtual void save(std::vector<double>& out) const = 0;
    // The object that `save` wrote; reads it from the front of `rest`.
    [[nodiscard]] virtual std::unique_ptr<LeafObject> restored(
        std::span<const double>& rest) const = 0;
};

struct CustomLeaf;

// The object of one leaf. It is made at the first row, or by the split above.
class CustomLeafState final : public PredictorState {
public:
    explicit CustomLeafState(const CustomLeaf& predictor) noexcept : predictor_(&predictor) {}

    [[nodiscard]] bool empty() const noexcept { return object_ == nullptr; }
    [[nodiscard]] bool probabilities(const Shape& s, const Row& row, std::size_t n_classes,
                                     PredictorScratch&, double* out) const {
        return object_ && object_->probabilities(s, row, n_classes, out);
    }

    [[nodiscard]] static Formula formula(const Shape&, std::size_t) {
        Formula out;
        out.link = Formula::Link::unknown;
        return out;
    }

    void learn(const Shape&, const Row&, std::size_t y, double w, std::size_t n_classes,
               PredictorScratch&) override;
    [[nodiscard]] std::size_t growth(const Shape&, const Row&,
                                     std::size_t) const noexcept override {
        return 0;
    }
    // New features and classes appear in the rows.
    void reshape(const Shape&, const Shape&) override {}
    void inherit(const Shape&, const PredictorState& parent) override {
        const auto& of_parent = static_cast<const CustomLeafState&>(parent);
        if (of_parent.object_) object_ = of_parent.object_->child();
    }
    // The object only sees that the value is missing from now on.
    void leave_out(const Shape&, std::size_t) override {}
    void forget(const Shape&, double) override {
        throw std::invalid_argument("a leaf predictor of the user cannot forget");
    }
    void merge(const Shape&, const PredictorState&, double) override {
        throw std::invalid_argument("leaf predictors of the user cannot be merged");
    }
    void save(const Shape&, std::vector<double>& out) const override {
        if (object_) object_->save(out);
    }
    void restore(const Shape&, const std::int32_t* categories, std::size_t n_classes, double weight,
                 const double* numbers, std::size_t count) override;

private:
    const CustomLeaf* predictor_;
    std::unique_ptr<LeafObject> object_;
};

// A leaf that has learned nothing, or that is inactive, predicts the majority class.
struct CustomLeaf : UnitPredictor<CustomLeafState> {
    static constexpr std::string_view name = "custom";
    static constexpr std::string_view unmergeable =
        "what it keeps at leaves depends on the order of the rows";
    static constexpr int precedence = 4;  // it can already predict in a new leaf

    std::shared_ptr<const LeafObject> prototype;

    static void fit(const Shape&, PredictorScratch&) noexcept {}

    [[nodiscard]] static std::string_view predictor_at(const LeafView& leaf) noexcept {
        return has_learned(leaf) ? name : Majority::name;
    }

    bool operator==(const CustomLeaf&) const = default;
};

static_assert(SinglePredictor<CustomLeaf> && KeepsState<CustomLeaf>);

inline void CustomLeafState::learn(const Shape& s, const Row& row, std::size_t y, double w,
                                   std::size_t, PredictorScratch&) {
    if (!object_) object_ = predictor_->prototype->fresh();
    object_->learn(s, row, y, w);
}

inline void CustomLeafState::restore(const Shape&, const std::int32_t*, std::size_t, double,
                                     const double* numbers, std::size_t count) {
    std::span<const double> rest(numbers, count);
    if (count) object_ = predictor_->prototype->restored(rest);
    if (!rest.empty()) throw std::invalid_argument("units: too many numbers");
}

}  // namespace riparian
