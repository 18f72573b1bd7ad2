// The documented limits of a schema.
#pragma once

#include <cstddef>

namespace riparian {

// Far above what a model needs. A file with larger numbers is damaged.
inline constexpr std::size_t max_features = 1'000'000;
inline constexpr std::size_t max_classes = 65'536;
inline constexpr std::size_t max_categories = 1'000'000;

}  // namespace riparian
