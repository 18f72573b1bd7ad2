// How much of a memory limit a window of examples uses.
#include <algorithm>

#include "window_tree.hpp"

namespace riparian {
namespace {

// The share of the limit that a window of examples may use.
constexpr std::size_t window_share = 4;

}  // namespace

std::size_t WindowTree::window_fits(std::size_t limit, std::size_t numeric, std::size_t categorical,
                                    std::size_t numbers) const noexcept {
    const std::size_t most = minus(limit / window_share, NumberQueue::bytes(numbers));
    if (ExampleWindow::bytes(window_, numeric, categorical) <= most) return window_;
    return std::min(window_, ExampleWindow::fit(most, numeric, categorical));
}

std::size_t WindowTree::least_window(std::size_t numeric, std::size_t categorical) const noexcept {
    return ExampleWindow::bytes(std::min(window_, 2 * ExampleWindow::a_block), numeric,
                                categorical);
}

std::size_t WindowTree::limit_for(std::size_t bytes) const noexcept {
    const std::size_t window = least_window(leaves_.shape().numeric, leaves_.shape().categorical);
    const std::size_t rest = bytes - std::max(set_aside(), examples_.bytes());
    return std::max(window_share * window, rest + rest / (window_share - 1) + window_share);
}

std::size_t WindowTree::set_aside() const noexcept {
    if (!state_.limited()) return 0;
    return ExampleWindow::bytes(fits_, leaves_.shape().numeric, leaves_.shape().categorical);
}

std::size_t WindowTree::copy_bytes() const noexcept {
    const std::size_t archive = archive_.empty() ? 0 : bytes_of_copy(archive_, sizeof(Archived));
    return std::max({Subtrees::copy_bytes(), examples_.copy_bytes(), archive});
}

std::size_t WindowTree::can_give_up() const noexcept { return archive_bytes(); }

bool WindowTree::give_up() {
    if (archive_.empty()) return false;
    give_up_archived(0);
    return true;
}

bool WindowTree::fits_in(std::size_t limit, std::size_t /*lasting*/) const noexcept {
    const std::size_t window =
        window_fits(limit, leaves_.shape().numeric, leaves_.shape().categorical, 0);
    const std::size_t rest = structure_.held - examples_.bytes() - examples_.numbers().bytes();
    return window > 0 && rest - archive_bytes() +
                                 ExampleWindow::bytes(window, leaves_.shape().numeric,
                                                      leaves_.shape().categorical) <=
                             limit;
}

std::size_t WindowTree::example_bytes(std::size_t numbers) const noexcept {
    const std::size_t fits = window_fits(settings_.max_bytes, leaves_.shape().numeric,
                                         leaves_.shape().categorical, numbers);
    return fits ? NumberQueue::bytes(numbers) : SIZE_MAX;
}

void WindowTree::shrink_to(std::size_t limit) {
    const std::size_t numeric = leaves_.shape().numeric, categorical = leaves_.shape().categorical;
    const auto rest = [&] {
        return structure_.held - examples_.bytes() - examples_.numbers().bytes();
    };
    const std::size_t fits = window_fits(limit, numeric, categorical, 0);
    const std::size_t least =
        rest() - archive_bytes() + ExampleWindow::bytes(fits, numeric, categorical);
    while (least + archive_bytes() > limit && !archive_.empty()) give_up_archived(0);
    shorten(limit, numeric, categorical);
    const auto over = [&] {
        return rest() + ExampleWindow::bytes(fits_, numeric, categorical) +
                   examples_.numbers().bytes() >
               limit;
    };
    while (limit != SIZE_MAX && examples_.size() > 0 && over()) {
        forget_oldest();
        shorten(limit, numeric, categorical);
    }
}

}  // namespace riparian
