/* The least that any learner with Gaussian leaves must do: one pass that updates each row's
 * per-class count, sum, sum of squares, minimum and maximum. No tree, no checks.
 *
 * `moments` is [class][sum, squares, minimum, maximum][feature], as a leaf would keep it. */
#include <stddef.h>
#include <stdint.h>

void plain_pass(const double *restrict rows, const int64_t *restrict labels, size_t n_rows,
                size_t n_features, double *restrict counts, double *restrict moments) {
    for (size_t i = 0; i < n_rows; ++i) {
        const double *restrict x = rows + i * n_features;
        const size_t k = (size_t)labels[i];
        double *restrict sum = moments + k * 4 * n_features;
        double *restrict squares = sum + n_features;
        double *restrict minimum = squares + n_features;
        double *restrict maximum = minimum + n_features;
        counts[k] += 1.0;
        for (size_t j = 0; j < n_features; ++j) {
            sum[j] += x[j];
            squares[j] += x[j] * x[j];
            minimum[j] = x[j] < minimum[j] ? x[j] : minimum[j];
            maximum[j] = x[j] > maximum[j] ? x[j] : maximum[j];
        }
    }
}
