// Predicting rows, batch by batch.
#include <algorithm>
#include <optional>

#include "../growth/predictor.hpp"
#include "tree.hpp"
#include "uncertain_rows.hpp"

namespace riparian {
namespace {

// What predictions work with. It fits itself to each tree.
struct PredictionRoom {
    RowScratch scratch;
    Routes routes;
    Ends ends;
};

// The room of a call. A call for a single row would spend a third of its time on allocating one, so a
// thread keeps a room for such calls.
class LentRoom {
public:
    explicit LentRoom(std::size_t rows)
        : shared_(rows == 1 && !shared().lent), charge_(shared().account) {
        if (shared_) shared().lent = true;
        else own_.emplace();
    }
    ~LentRoom() {
        if (shared_) shared().lent = false;
    }
    LentRoom(const LentRoom&) = delete;
    LentRoom& operator=(const LentRoom&) = delete;

    [[nodiscard]] PredictionRoom& room() noexcept { return shared_ ? shared().room : *own_; }

private:
    struct Shared {
        PredictionRoom room;
        Account account;
        bool lent = false;  // a leaf predictor of the user may ask another tree
    };
    static Shared& shared() {
        thread_local Shared one;
        return one;
    }

    const bool shared_;
    const Charge charge_;
    std::optional<PredictionRoom> own_;
};

}  // namespace

void Tree::predict(const Batch& batch, const Predictions& predictions, Stop* stop,
                   Moment* moment) const {
    const BlockLocks locks(turnstile_, moment != nullptr);
    const TreePredictor& predictor = growth_.predictor;
    const Features& features = growth_.state.nodes.features();
    const Shape& shape = growth_.state.leaves.shape();
    if (moment) *moment = {growth_.state.seen, growth_.state.known.n_classes};
    Pace pace(RowBuffer::most_rows);
    std::optional<RowBuffer> buffer;
    LentRoom lent(batch.rows);
    auto& [scratch, routes, ends] = lent.room();
    UncertainRows uncertain(batch);
    std::optional<Spread> spread;
    if (!batch.uncertain.empty()) spread.emplace();
    for (std::size_t first = 0, n = 0; first < batch.rows; first += n) {
        poll(stop);
        // Between two blocks a writer may have added features.
        const auto lock = locks.of_block();
        if (!buffer || !buffer->reads(shape)) buffer.emplace(batch, features, shape);
        predictor.fit(scratch);
        const bool certain = uncertain.next() != first;
        n = certain ? std::min(pace.rows(buffer->capacity()), uncertain.next() - first) : 1;
        const Pace::Timer timer(pace, n, turnstile_);
        buffer->read(first, n);
        if (!certain) {
            uncertain.begin(*spread, buffer->row(0), features, shape, batch.points);
            predictor.predict(*spread, scratch, predictions, first);
            uncertain.pass();
            continue;
        }
        route(*buffer, n, routes);
        std::visit(
            [&](const auto& policy) {
                if (adaptation_->several_predict()) {
                    for (std::size_t i = 0; i < n; ++i) {
                        adaptation_->reach(buffer->row(i), ends);
                        predictor.predict(policy, ends, buffer->row(i), scratch, predictions,
                                          first + i);
                    }
                    return;
                }
                for (std::size_t i = 0; i < n; ++i) {
                    predictor.predict(policy, routes.starts[i], buffer->row(i), scratch,
                                      predictions, first + i);
                }
            },
            growth_.state.settings.leaf);
    }
}

void Tree::predict(std::int32_t start, const Row& row, const Predictions& predictions,
                   std::size_t i) {
    std::visit(
        [&](const auto& policy) {
            if (Ends* const ends = adaptation_->ends()) {
                const Charge charge(growth_.state.working);
                adaptation_->reach(row, *ends);
                growth_.predictor.predict(policy, *ends, row, growth_.state.scratch, predictions,
                                          i);
            } else {
                growth_.predictor.predict(policy, start, row, growth_.state.scratch, predictions,
                                          i);
            }
        },
        growth_.state.settings.leaf);
}

std::vector<std::int32_t> Tree::ends(const Batch& batch) const {
    const Nodes& nodes = growth_.state.nodes;
    RowBuffer buffer(batch, nodes.features(), growth_.state.leaves.shape());
    const auto numbers = nodes.numbers();
    std::vector<std::int32_t> found;
    found.reserve(batch.rows);
    for (std::size_t first = 0, n = 0; first < batch.rows; first += n) {
        n = std::min(buffer.capacity(), batch.rows - first);
        buffer.read(first, n);
        for (std::size_t i = 0; i < n; ++i) {
            found.push_back(numbers[static_cast<std::size_t>(nodes.route(0, buffer.row(i)))]);
        }
    }
    return found;
}

}  // namespace riparian
