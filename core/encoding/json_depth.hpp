// How deeply a JSON text is nested.
#pragma once

#include <cstddef>
#include <string_view>

namespace riparian {

// The most arrays and objects of a text that are open at once. The text may be no JSON: then the
// answer is that of its brackets outside of what looks like texts.
std::size_t json_depth(std::string_view text) noexcept;

}  // namespace riparian
