// Arrow data, from whichever library, as the columns that a schema takes in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "abi.hpp"

namespace riparian::arrow {

// A structure of the interface that is ours: released once, on every way out.
template <class T>
class Owned {
public:
    Owned() noexcept = default;
    // The standard's way to move: copy the bytes and mark the source as released.
    explicit Owned(T& source) noexcept : value_(source) { source.release = nullptr; }
    Owned(Owned&& other) noexcept : Owned(other.value_) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    Owned& operator=(Owned&&) = delete;
    ~Owned() {
        if (*this) value_.release(&value_);
    }

    explicit operator bool() const noexcept { return value_.release != nullptr; }
    T* get() noexcept { return &value_; }
    const T& operator*() const noexcept { return value_; }
    const T* operator->() const noexcept { return &value_; }

private:
    T value_{};
};

enum class Kind {
    numeric,      // `numbers`, NaN where missing
    categorical,  // `codes` into `values`, -1 where missing
    unknown,      // a column without a type: `numbers`, all missing
};

using Value = std::variant<bool, std::int64_t, std::uint64_t, double, std::string>;

// Plain arrays and not vectors: zeroing ten million numbers before they are
// written costs as much again as reading them.
struct Column {
    std::string name;
    Kind kind;
    std::size_t rows = 0;
    std::unique_ptr<double[]> numbers{};
    std::unique_ptr<std::int32_t[]> codes{};
    // Distinct, in order of first appearance in the rows: neither the chunks
    // nor the producer's dictionaries show through.
    std::vector<Value> values{};
};

// All columns of a stream of record batches, or of one record batch. What
// cannot be learned or is malformed throws std::invalid_argument that names the
// column; a stream that fails on the way throws std::runtime_error.
[[nodiscard]] std::vector<Column> read(Owned<ArrowArrayStream> stream);
[[nodiscard]] std::vector<Column> read(Owned<ArrowSchema> schema, Owned<ArrowArray> batch);

}  // namespace riparian::arrow
