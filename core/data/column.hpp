// A column of a batch, as it lies in the memory of the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace riparian {

struct Column {
    enum class Type : std::uint8_t { f64, f32, code, code8 };
    const void* data = nullptr;  // null means that all values are missing
    std::ptrdiff_t stride = 0;   // bytes from one row to the next
    Type type = Type::f64;

    template <class T>
    [[nodiscard]] T at(std::size_t row) const noexcept {
        T value;
        std::memcpy(&value,
                    static_cast<const char*>(data) + static_cast<std::ptrdiff_t>(row) * stride,
                    sizeof value);
        return value;
    }
};

}  // namespace riparian
