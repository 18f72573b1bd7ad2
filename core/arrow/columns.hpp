// Arrow data from any library, read into the columns that a schema accepts.
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

// A structure of the interface that we own. It is released exactly once, also if an exception is
// thrown.
template <class T>
class Owned {
public:
    Owned() noexcept = default;
    // Moves as the standard prescribes: copies the bytes and marks the source as released.
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
    numeric,      // `numbers`, NaN if missing
    categorical,  // `codes` into `values`, -1 if missing
    unknown,      // a column without a type: `numbers`, all of them missing
};

using Value = std::variant<bool, std::int64_t, std::uint64_t, double, std::string>;

// Plain arrays instead of vectors, because zeroing ten million numbers before they are written
// costs as much as reading them.
struct Column {
    std::string name;
    Kind kind;
    std::size_t rows = 0;
    std::unique_ptr<double[]> numbers{};
    std::unique_ptr<std::int32_t[]> codes{};
    // The distinct values in the order of their first appearance in the rows. They do not depend on
    // the chunks or on the producer's dictionaries.
    std::vector<Value> values{};
};

// Reads all columns of a stream of record batches, or of one record batch. Data that is malformed
// or cannot be learned throws std::invalid_argument with the name of the column. A stream that
// fails throws std::runtime_error.
[[nodiscard]] std::vector<Column> read(Owned<ArrowArrayStream> stream);
[[nodiscard]] std::vector<Column> read(Owned<ArrowSchema> schema, Owned<ArrowArray> batch);

}  // namespace riparian::arrow
