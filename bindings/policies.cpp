// What every policy declares, for the Python classes that are made from it.
#include "policies.hpp"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "../core/drift/any.hpp"
#include "../core/tree/settings.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

const char* kind_name(ParameterDeclaration::Kind kind) {
    switch (kind) {
        case ParameterDeclaration::Kind::number: return "number";
        case ParameterDeclaration::Kind::whole: return "whole";
        case ParameterDeclaration::Kind::probability: return "probability";
        case ParameterDeclaration::Kind::truth: return "truth";
        case ParameterDeclaration::Kind::choice: return "choice";
        case ParameterDeclaration::Kind::function: return "function";
    }
    return "";
}

nb::object default_of(const ParameterDeclaration& p) {
    if (const auto* const number = std::get_if<double>(&p.standard)) {
        if (p.kind == ParameterDeclaration::Kind::whole) {
            return nb::cast(static_cast<std::int64_t>(*number));
        }
        return nb::cast(*number);
    }
    if (const auto* const truth = std::get_if<bool>(&p.standard)) return nb::cast(*truth);
    if (const auto* const name = std::get_if<std::string_view>(&p.standard)) return nb::cast(*name);
    return nb::none();
}

nb::list list_of(const auto& names) {
    nb::list out;
    for (const std::string_view name : names) out.append(nb::cast(name));
    return out;
}

nb::object condition_of(const Condition& c) {
    if (c.parameter.empty()) return nb::none();
    nb::list values;
    for (const std::string_view value : c.values) {
        if (!value.empty()) values.append(nb::cast(value));
    }
    return nb::make_tuple(c.parameter, values, c.one_of);
}

nb::list rules_of(const std::vector<Rule>& rules) {
    nb::list out;
    for (const Rule& r : rules) {
        out.append(nb::make_tuple(condition_of(r.when), condition_of(r.needs), r.why));
    }
    return out;
}

nb::list conditions_of(const std::vector<Condition>& conditions) {
    nb::list out;
    for (const Condition& c : conditions) out.append(condition_of(c));
    return out;
}

nb::list means_of(const std::vector<MeanGain>& means) {
    nb::list out;
    for (const MeanGain& m : means) out.append(nb::make_tuple(condition_of(m.when), m.labels));
    return out;
}

nb::list promises_of(const std::vector<Promise>& promises) {
    nb::list out;
    for (const Promise& p : promises) out.append(nb::make_tuple(condition_of(p.when), p.text));
    return out;
}

nb::dict dict_of(const PolicyDeclaration& d) {
    nb::list parameters;
    for (const ParameterDeclaration& p : d.parameters) {
        nb::dict of;
        of["name"] = p.name;
        of["help"] = p.help;
        of["kind"] = kind_name(p.kind);
        of["default"] = default_of(p);
        of["least"] = p.least;
        of["most"] = p.most;
        of["optional"] = p.optional;
        of["choices"] = list_of(p.choices);
        parameters.append(of);
    }
    nb::dict out;
    out["name"] = d.name;
    out["type_name"] = d.type_name;
    out["about"] = d.about;
    out["parameters"] = parameters;
    out["rules"] = rules_of(d.rules);
    out["theorem"] = d.theorem;
    out["premises"] = rules_of(d.premises);
    out["certain_only"] = conditions_of(d.certain_only);
    out["sparse_rules"] = rules_of(d.sparse_rules);
    out["mean_gains"] = means_of(d.mean_gains);
    out["serves"] = list_of(d.serves);
    out["promises"] = promises_of(d.promises);
    out["promise"] = d.promise;
    out["promise_for_means"] = d.promise_for_means;
    out["spending"] = d.spending;
    out["most_delta"] = d.most_delta;
    out["input"] = d.input;
    return out;
}

template <class Variant>
nb::list axis_of() {
    nb::list out;
    for (const PolicyDeclaration& d : declarations(static_cast<const Variant*>(nullptr))) {
        out.append(dict_of(d));
    }
    return out;
}

}  // namespace

ImpurityChoice impurity_of(const nb::handle& given) {
    if (nb::isinstance<nb::tuple>(given)) return policy_of<ImpurityChoice>(given);
    return CustomImpurity{impurity_function(nb::borrow(given))};
}

void bind_policies(nb::module_& m) {
    m.def(
        "policies",
        [] {
            nb::dict out;
            out["statistics"] = axis_of<AnyStatistics>();
            out["cuts"] = axis_of<AnyCuts>();
            out["impurity"] = axis_of<ImpurityChoice>();
            out["bound"] = axis_of<AnyBound>();
            out["leaf"] = axis_of<AnyLeaf>();
            out["adaptation"] = axis_of<AnyAdaptation>();
            out["drift"] = axis_of<AnyDetector>();
            return out;
        },
        nb::sig("def policies() -> dict[str, list[dict[str, typing.Any]]]"));
    m.def(
        "tree_parameters", [] { return dict_of(declaration_of<TreeSettings>()); },
        nb::sig("def tree_parameters() -> dict[str, typing.Any]"));
}
