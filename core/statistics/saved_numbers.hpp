// What leaves store, as a list of numbers: written, and read with checks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace riparian {

// Reads whole numbers and arrays from the front of a list of numbers. Errors name the array in the
// model file.
class SavedNumbers {
public:
    SavedNumbers(const double* first, std::size_t count) : next_(first), left_(count) {}

    [[nodiscard]] const double* rest() const noexcept { return next_; }
    [[nodiscard]] std::size_t left() const noexcept { return left_; }
    void skip(std::size_t n) {
        next_ += n;
        left_ -= n;
    }
    template <class T>
    std::vector<T> array() {
        const auto n = whole<std::uint64_t>(0x1p53);
        if (n > left_) throw std::invalid_argument("watch: too few numbers");
        std::vector<T> out(n);
        for (T& x : out) {
            if constexpr (std::is_integral_v<T>) {
                x = whole<T>(static_cast<double>(std::numeric_limits<T>::max()));
            } else {
                x = number();
            }
        }
        return out;
    }

private:
    double number() {
        if (!left_) throw std::invalid_argument("watch: too few numbers");
        const double x = *next_;
        skip(1);
        return x;
    }
    template <class T>
    T whole(double most) {
        const double x = number();
        if (!(x >= 0.0 && x <= most && x == std::floor(x))) {
            throw std::invalid_argument("watch: not a whole number");
        }
        return static_cast<T>(x);
    }

    const double* next_;
    std::size_t left_;
};

// Appends an array in the form that SavedNumbers reads.
template <class T>
void save_array(std::vector<double>& out, const std::vector<T>& values) {
    out.push_back(static_cast<double>(values.size()));
    out.insert(out.end(), values.begin(), values.end());
}

// Throws std::invalid_argument if a leaf cannot have seen these values.
void demand_values(const std::vector<double>& values);

// Compares saved weights with the class weights of a leaf.
class SeenWeights {
public:
    SeenWeights(const double* counts, std::size_t classes) : counts_(counts), known_(classes) {}

    // Throws std::invalid_argument if one feature has more weight of a class than the leaf.
    void demand(const std::vector<std::int32_t>& codes, const std::vector<double>& weights);

private:
    const double* counts_;       // [class]
    std::vector<double> known_;  // [class], 0 between calls
};

}  // namespace riparian
