#include "objects.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "held.hpp"
#include "interrupt.hpp"

namespace nb = nanobind;
using namespace riparian;

namespace {

// ---- Ctrl-C ----

volatile std::sig_atomic_t interrupted = 0;

void remember_interrupt(int) { interrupted = 1; }

// An object that has a state cannot be called once more after Ctrl-C, as a function can. So the main
// thread only remembers Ctrl-C while one of its objects runs; it is raised after the row.
class Shield {
public:
    Shield() : shields_(deferred_interrupt().allowed && in_main_thread()) {
        if (!shields_) return;
        struct sigaction action{};
        action.sa_handler = remember_interrupt;
        sigemptyset(&action.sa_mask);
        action.sa_flags = SA_RESTART;
        sigaction(SIGINT, &action, &before_);
        handle_signals();
    }
    Shield(const Shield&) = delete;
    Shield& operator=(const Shield&) = delete;
    ~Shield() {
        if (!shields_) return;
        sigaction(SIGINT, &before_, nullptr);
        if (!interrupted) return;
        interrupted = 0;
        std::raise(SIGINT);
        handle_signals();
    }

private:
    static void handle_signals() noexcept {
        if (PyErr_CheckSignals() == 0) return;
        nb::python_error error;
        std::optional<nb::python_error>& waiting = deferred_interrupt().error;
        if (!waiting) waiting.emplace(std::move(error));
    }

    bool shields_;
    struct sigaction before_{};
};

// ---- saved states ----

constexpr std::size_t bytes_per_number = 6;  // a double holds whole numbers up to 2^53

void save_bytes(const nb::bytes& state, std::vector<double>& out) {
    const auto* const bytes = static_cast<const unsigned char*>(state.data());
    out.push_back(static_cast<double>(state.size()));
    for (std::size_t i = 0; i < state.size(); i += bytes_per_number) {
        std::uint64_t number = 0;
        for (std::size_t j = i; j < std::min(i + bytes_per_number, state.size()); ++j) {
            number |= std::uint64_t{bytes[j]} << (8 * (j - i));
        }
        out.push_back(static_cast<double>(number));
    }
}

double next(std::span<const double>& rest, double most) {
    if (rest.empty()) throw std::invalid_argument("the state of an object ends too early");
    const double x = rest.front();
    if (!(x >= 0.0 && x <= most && x == std::floor(x))) {
        throw std::invalid_argument("the state of an object does not consist of bytes");
    }
    rest = rest.subspan(1);
    return x;
}

nb::bytes restored_bytes(std::span<const double>& rest) {
    const auto size =
        static_cast<std::size_t>(next(rest, static_cast<double>(rest.size() * bytes_per_number)));
    std::vector<char> bytes(size);
    for (std::size_t i = 0; i < size; i += bytes_per_number) {
        const auto number = static_cast<std::uint64_t>(next(rest, 0x1p48 - 1.0));
        for (std::size_t j = i; j < std::min(i + bytes_per_number, size); ++j) {
            bytes[j] = static_cast<char>(number >> (8 * (j - i)) & 0xff);
        }
    }
    return nb::bytes(bytes.data(), size);
}

// An object of the user, and the Python object that knows how to use it.
class PythonObject {
public:
    PythonObject(std::shared_ptr<const HeldPython> adapter, nb::object object)
        : adapter_(std::move(adapter)), object_(std::move(object)) {}

    // Calls a method of the adapter, with the object first. The interpreter must be held.
    template <class... Arguments>
    nb::object call(const char* method, Arguments&&... arguments) const {
        const Shield shield;
        return adapter_->get().attr(method)(object_.get(), std::forward<Arguments>(arguments)...);
    }
    template <class... Arguments>
    nb::object make(const char* method, Arguments&&... arguments) const {
        const Shield shield;
        return adapter_->get().attr(method)(std::forward<Arguments>(arguments)...);
    }
    [[nodiscard]] const std::shared_ptr<const HeldPython>& adapter() const noexcept {
        return adapter_;
    }
    [[nodiscard]] const nb::object& get() const { return object_.get(); }

private:
    std::shared_ptr<const HeldPython> adapter_;
    HeldPython object_;
};

// ---- drift detectors ----

class PythonDetector final : public DetectorObject {
public:
    PythonDetector(std::shared_ptr<const HeldPython> adapter, nb::object detector)
        : object_(std::move(adapter), std::move(detector)) {}

    Detection update(double x) override {
        const nb::gil_scoped_acquire held;
        const auto found = nb::cast<nb::tuple>(object_.call("update", static_cast<int>(x)));
        Detection out{nb::cast<bool>(found[0])};
        if (!found[1].is_none()) {
            out.estimates = true;
            out.estimate = nb::cast<double>(found[1]);
            out.shift = nb::cast<double>(found[2]);
        }
        return out;
    }
    [[nodiscard]] std::unique_ptr<DetectorObject> fresh() const override {
        const nb::gil_scoped_acquire held;
        return with(object_.make("fresh"));
    }
    [[nodiscard]] std::unique_ptr<DetectorObject> copy() const override {
        const nb::gil_scoped_acquire held;
        return with(object_.call("copy"));
    }
    void save(std::vector<double>& out) const override {
        const nb::gil_scoped_acquire held;
        save_bytes(nb::cast<nb::bytes>(object_.call("save")), out);
    }
    [[nodiscard]] std::unique_ptr<DetectorObject> restored(
        std::span<const double>& rest) const override {
        const nb::gil_scoped_acquire held;
        return with(object_.make("restored", restored_bytes(rest)));
    }

private:
    [[nodiscard]] std::unique_ptr<DetectorObject> with(nb::object detector) const {
        return std::make_unique<PythonDetector>(object_.adapter(), std::move(detector));
    }

    PythonObject object_;
};

// ---- leaf predictors ----

nb::object numbers_of(const Shape& s, const Row& row) {
    return nb::cast(owned(std::vector<double>(row.x, row.x + s.numeric)));
}

nb::object codes_of(const Shape& s, const Row& row) {
    return nb::cast(owned(std::vector<std::int32_t>(row.codes, row.codes + s.categorical)));
}

class PythonLeaf final : public LeafObject {
public:
    PythonLeaf(std::shared_ptr<const HeldPython> adapter, nb::object predictor)
        : object_(std::move(adapter), std::move(predictor)) {}

    void learn(const Shape& s, const Row& row, std::size_t y, double w) override {
        const nb::gil_scoped_acquire held;
        object_.call("learn", numbers_of(s, row), codes_of(s, row), y, w);
    }
    [[nodiscard]] bool probabilities(const Shape& s, const Row& row, std::size_t n_classes,
                                     double* out) const override {
        const nb::gil_scoped_acquire held;
        const nb::object returned =
            object_.call("predict", numbers_of(s, row), codes_of(s, row), n_classes);
        if (returned.is_none()) return false;
        const auto shares = nb::cast<VectorIn<double>>(returned);
        if (shares.shape(0) != n_classes) throw std::invalid_argument("shares of another shape");
        std::copy_n(shares.data(), n_classes, out);
        return true;
    }
    [[nodiscard]] std::unique_ptr<LeafObject> fresh() const override {
        const nb::gil_scoped_acquire held;
        return with(object_.make("fresh"));
    }
    [[nodiscard]] std::unique_ptr<LeafObject> child() const override {
        const nb::gil_scoped_acquire held;
        return with(object_.call("child"));
    }
    void save(std::vector<double>& out) const override {
        const nb::gil_scoped_acquire held;
        save_bytes(nb::cast<nb::bytes>(object_.call("save")), out);
    }
    [[nodiscard]] std::unique_ptr<LeafObject> restored(
        std::span<const double>& rest) const override {
        const nb::gil_scoped_acquire held;
        return with(object_.make("restored", restored_bytes(rest)));
    }

private:
    [[nodiscard]] std::unique_ptr<LeafObject> with(nb::object predictor) const {
        return std::make_unique<PythonLeaf>(object_.adapter(), std::move(predictor));
    }

    PythonObject object_;
};

}  // namespace

std::shared_ptr<const DetectorObject> detector_object(nb::object adapter) {
    return std::make_shared<PythonDetector>(std::make_shared<HeldPython>(std::move(adapter)),
                                            nb::none());
}

std::shared_ptr<const LeafObject> leaf_object(nb::object adapter) {
    return std::make_shared<PythonLeaf>(std::make_shared<HeldPython>(std::move(adapter)),
                                        nb::none());
}
