#include "functions.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "held.hpp"
#include "interrupt.hpp"

namespace nb = nanobind;
using namespace riparian;

namespace {

// Calls a function of the user. Ctrl-C in it would leave the row half learned, so the function is called
// again, and what Ctrl-C raised is raised after the row.
template <class Call>
auto called(const Call& call) {
    try {
        return call();
    } catch (nb::python_error& error) {
        DeferredInterrupt& deferred = deferred_interrupt();
        if (!deferred.allowed || deferred.error || !error.matches(PyExc_KeyboardInterrupt)) throw;
        deferred.error.emplace(error);
        return call();
    }
}

class PythonImpurity final : public ImpurityFunction {
public:
    explicit PythonImpurity(nb::object function) : function_(std::move(function)) {}

    void impurities(const double* counts, std::size_t candidates, std::size_t branches,
                    std::size_t classes, double* values) const override {
        const nb::gil_scoped_acquire held;
        using Cube = nb::ndarray<nb::numpy, double, nb::ndim<3>, nb::c_contig>;
        const nb::object returned = called([&] {
            std::vector<double> copy(counts, counts + candidates * branches * classes);
            return function_.get()(owned<Cube>(std::move(copy), {candidates, branches, classes}));
        });
        const auto array =
            nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(
                returned);
        if (array.shape(0) != candidates || array.shape(1) != branches) {
            throw std::invalid_argument("impurities of another shape");
        }
        std::copy_n(array.data(), candidates * branches, values);
    }

    // Its value where all classes are equally frequent, and at least 1, as for Gini and
    // misclassification.
    [[nodiscard]] double gain_range(std::size_t classes) const override {
        const nb::gil_scoped_acquire held;  // guards the ranges, too
        const auto known = ranges_.find(classes);
        if (known != ranges_.end()) return known->second;
        const std::vector<double> equal(std::max<std::size_t>(classes, 2), 1.0);
        double range = 0.0;
        impurities(equal.data(), 1, 1, equal.size(), &range);
        return ranges_[classes] = std::max(range, 1.0);
    }

private:
    HeldPython function_;
    mutable std::map<std::size_t, double> ranges_;
};

class PythonBound final : public BoundFunction {
public:
    explicit PythonBound(nb::object function) : function_(std::move(function)) {}

    [[nodiscard]] double half_width(const Evidence& e) const override {
        const nb::gil_scoped_acquire held;
        return nb::cast<double>(called([&] {
            return function_.get()(e.n, e.gain_range, e.delta, e.classes, e.depth, e.seen,
                                   e.features, e.variance);
        }));
    }

private:
    HeldPython function_;
};

class PythonWindow final : public WindowFunction {
public:
    explicit PythonWindow(nb::object function) : function_(std::move(function)) {}

    [[nodiscard]] std::size_t window(const WindowReport& r) const override {
        const nb::gil_scoped_acquire held;
        nb::dict d;
        d["questionable"] = r.questionable;
        d["started"] = r.started;
        d["inner"] = r.inner;
        d["replaced"] = r.replaced;
        d["rows"] = r.rows;
        d["window"] = r.window;
        return nb::cast<std::size_t>(called([&] { return function_.get()(d); }));
    }

private:
    HeldPython function_;
};

}  // namespace

std::shared_ptr<const ImpurityFunction> impurity_function(nb::object function) {
    return std::make_shared<PythonImpurity>(std::move(function));
}

std::shared_ptr<const BoundFunction> bound_function(nb::object function) {
    return std::make_shared<PythonBound>(std::move(function));
}

std::shared_ptr<const WindowFunction> window_function(nb::object function) {
    return std::make_shared<PythonWindow>(std::move(function));
}
