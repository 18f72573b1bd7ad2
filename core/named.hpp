// Looks a policy up by the name that users write.
#pragma once

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace riparian {

template <class Variant, std::size_t I = 0>
std::optional<Variant> by_name(std::string_view name) {
    if constexpr (I < std::variant_size_v<Variant>) {
        using Policy = std::variant_alternative_t<I, Variant>;
        if (Policy::name == name) return Variant(Policy{});
        return by_name<Variant, I + 1>(name);
    } else {
        return std::nullopt;
    }
}

template <class... Policies>
std::vector<std::string_view> names(const std::variant<Policies...>*) {
    return {Policies::name...};
}

template <class... Policies>
std::string_view name_of(const std::variant<Policies...>& policy) {
    return std::visit([](const auto& p) { return std::string_view(p.name); }, policy);
}

}  // namespace riparian
