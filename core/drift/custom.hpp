#pragma once

#include <memory>
#include <utility>

#include "state.hpp"

namespace riparian {

// A detector that the user wrote. The core does not know Python, so the caller passes objects with
// this interface. All functions may throw.
class DetectorObject {
public:
    // What an update found. A detector that estimates no mean sets `estimates` to false; then the
    // direction of a change is unknown too, and `shift` is 1.
    struct Detection {
        bool drift = false;
        bool estimates = false;
        double estimate = 0.0;
        double shift = 1.0;
    };

    virtual ~DetectorObject() = default;
    virtual Detection update(double x) = 0;
    // A detector that has seen nothing.
    [[nodiscard]] virtual std::unique_ptr<DetectorObject> fresh() const = 0;
    // An independent detector in the same state.
    [[nodiscard]] virtual std::unique_ptr<DetectorObject> copy() const = 0;
    virtual void save(std::vector<double>& out) const = 0;
    // The detector that `save` wrote; reads it from the front of `rest`.
    [[nodiscard]] virtual std::unique_ptr<DetectorObject> restored(
        std::span<const double>& rest) const = 0;
};

// Each CustomDetector has an object of its own, which is made from the prototype at the first value.
// Where the object does not estimate a mean, the estimate is the mean since the last drift. Without
// a prototype nothing is detected.
class CustomDetector {
public:
    static constexpr std::string_view name = "custom";
    static constexpr DetectorInput input = DetectorInput::errors;

    struct Parameters {
        std::shared_ptr<const DetectorObject> prototype;

        template <class Self, class Visit>
        static void each_parameter(Self&, Visit&&) {}
        bool operator==(const Parameters&) const = default;
    };

    CustomDetector() = default;
    explicit CustomDetector(const Parameters& p) : parameters_(p) {}
    CustomDetector(const CustomDetector& other)
        : parameters_(other.parameters_),
          object_(other.object_ ? other.object_->copy() : nullptr),
          seen_(other.seen_) {}
    CustomDetector(CustomDetector&&) noexcept = default;
    CustomDetector& operator=(CustomDetector&&) noexcept = default;
    CustomDetector& operator=(const CustomDetector& other) { return *this = CustomDetector(other); }
    ~CustomDetector() = default;

    Signal update(double x) {
        if (!object_ && parameters_.prototype) object_ = parameters_.prototype->fresh();
        DetectorObject::Detection found;
        if (object_) found = object_->update(x);
        if (seen_.signal == Signal::drift) seen_.n = seen_.sum = 0.0;
        seen_.n += 1.0;
        seen_.sum += x;
        seen_.signal = found.drift ? Signal::drift : Signal::none;
        seen_.estimate = found.estimates ? found.estimate : seen_.sum / seen_.n;
        seen_.shift = found.shift;
        return seen_.signal;
    }

    void reset() noexcept {
        object_.reset();
        seen_ = {};
    }

    [[nodiscard]] Signal signal() const noexcept { return seen_.signal; }
    [[nodiscard]] double estimate() const noexcept { return seen_.estimate; }
    [[nodiscard]] double shift() const noexcept { return seen_.shift; }
    [[nodiscard]] std::uint64_t width() const noexcept {
        return static_cast<std::uint64_t>(seen_.n);
    }
    [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return sizeof(CustomDetector); }

    void save(std::vector<double>& out) const {
        out.insert(out.end(), {static_cast<double>(seen_.signal), seen_.n, seen_.sum,
                               seen_.estimate, seen_.shift, object_ ? 1.0 : 0.0});
        if (object_) object_->save(out);
    }
    [[nodiscard]] static CustomDetector restore(const Parameters& p,
                                                std::span<const double>& rest) {
        CustomDetector d(p);
        StateReader in(rest);
        d.seen_.signal = in.signal(false);
        d.seen_.n = static_cast<double>(in.count(0, most_values, "the number of values"));
        d.seen_.sum = in.number(0.0, d.seen_.n, "the sum of the values");
        d.seen_.estimate = in.number(-largest_input, largest_input, "the estimate");
        d.seen_.shift = in.number(-2.0 * largest_input, 2.0 * largest_input, "the shift");
        if (in.count(0, 1, "whether there is an object") == 1) {
            require(p.prototype != nullptr, "a detector without an object");
            d.object_ = p.prototype->restored(rest);
        }
        return d;
    }

private:
    struct Seen {
        double n = 0.0;  // values since the last drift
        double sum = 0.0;
        double estimate = 0.0;
        double shift = 1.0;
        Signal signal = Signal::none;
    };

    Parameters parameters_;
    std::unique_ptr<DetectorObject> object_;
    Seen seen_;
};

static_assert(Detector<CustomDetector>);

}  // namespace riparian
