/* Matrices in a band, real and complex, factored with pivots by rows: nothing outside of the rows' own columns is touched. */

#include "moving.h"

size_t band_width(const Band *b) { return 2 * b->below + b->above + 1; }

#define ENTRY(rows, r, c) ((rows)[(r) * width + ((c) + b->below - (r))])

/* The last row that reaches column k, where `bottom` was that of the column before. */
static size_t reached(const Band *b, size_t k, size_t bottom)
{
    while (bottom + 1 < b->size && b->first[bottom + 1] <= (int64_t)k) bottom++;
    return LARGER(bottom, k);
}

/* The row that is turned with, among those that reach column k: notes it, and how far such rows reach. */
static size_t pivoted(Band *b, size_t k, size_t best, size_t right)
{
    b->pivot[k] = (int64_t)best;
    right = LARGER(right, (size_t)b->last[best]);
    b->end[k] = (int64_t)right;
    return right;
}

static void exchange(double *row, double *other, size_t count)
{
    for (size_t j = 0; j < count; j++) {
        const double kept = row[j];
        row[j] = other[j];
        other[j] = kept;
    }
}

/* The factors replace the rows; 0 where the matrix is singular. Multipliers are kept by column. */
int band_factor(Band *b)
{
    const size_t n = b->size, width = band_width(b);
    size_t bottom = 0, right = 0;
    for (size_t k = 0; k < n; k++) {
        bottom = reached(b, k, bottom);
        size_t best = k;
        double most = fabs(ENTRY(b->rows, k, k));
        for (size_t r = k + 1; r <= bottom; r++)
            if (fabs(ENTRY(b->rows, r, k)) > most) {
                most = fabs(ENTRY(b->rows, r, k));
                best = r;
            }
        if (!(most > 0.0)) return 0;
        right = pivoted(b, k, best, right);
        double *pivot = &ENTRY(b->rows, k, k);
        if (best != k) exchange(pivot, &ENTRY(b->rows, best, k), right - k + 1);
        const double inverse = 1.0 / pivot[0];
        for (size_t r = k + 1; r <= bottom; r++) {
            double *row = &ENTRY(b->rows, r, k);
            const double factor = row[0] * inverse;
            b->lower[k * b->below + (r - k - 1)] = factor;
            if (factor == 0.0) continue;
            for (size_t j = 1; j <= right - k; j++) row[j] -= factor * pivot[j];
        }
        for (size_t r = bottom + 1; r <= k + b->below && r < n; r++) b->lower[k * b->below + (r - k - 1)] = 0.0;
        pivot[0] = inverse;
    }
    return 1;
}

void band_solve(const Band *b, double *right)
{
    const size_t n = b->size, width = band_width(b);
    for (size_t k = 0; k < n; k++) {
        const size_t other = (size_t)b->pivot[k], most = SMALLER(b->below, n - 1 - k);
        const double value = right[other], *factors = b->lower + k * b->below;
        right[other] = right[k];
        right[k] = value;
        for (size_t r = 0; r < most; r++) right[k + 1 + r] -= factors[r] * value;
    }
    for (size_t k = n; k-- > 0;) {
        const double *row = &ENTRY(b->rows, k, k);
        const size_t most = (size_t)b->end[k] - k;
        double sum = right[k];
        for (size_t j = 1; j <= most; j++) sum -= row[j] * right[k + j];
        right[k] = sum * row[0];
    }
}

/* The same for complex matrices, whose imaginary parts stand in an array of their own. */
int band_factor_pair(Band *b, double *imaginary, double *lower_imaginary)
{
    const size_t n = b->size, width = band_width(b);
    size_t bottom = 0, right = 0;
    for (size_t k = 0; k < n; k++) {
        bottom = reached(b, k, bottom);
        size_t best = k;
        double most = -1.0;
        for (size_t r = k; r <= bottom; r++) {
            const double size = fabs(ENTRY(b->rows, r, k)) + fabs(ENTRY(imaginary, r, k));
            if (size > most) {
                most = size;
                best = r;
            }
        }
        if (!(most > 0.0)) return 0;
        right = pivoted(b, k, best, right);
        double *real = &ENTRY(b->rows, k, k), *other = &ENTRY(imaginary, k, k);
        if (best != k) {
            exchange(real, &ENTRY(b->rows, best, k), right - k + 1);
            exchange(other, &ENTRY(imaginary, best, k), right - k + 1);
        }
        const double size = real[0] * real[0] + other[0] * other[0], p = real[0] / size, q = -other[0] / size;
        for (size_t r = k + 1; r <= bottom; r++) {
            double *row = &ENTRY(b->rows, r, k), *twin = &ENTRY(imaginary, r, k);
            const double f = row[0] * p - twin[0] * q, h = row[0] * q + twin[0] * p;
            b->lower[k * b->below + (r - k - 1)] = f;
            lower_imaginary[k * b->below + (r - k - 1)] = h;
            if (f == 0.0 && h == 0.0) continue;
            for (size_t j = 1; j <= right - k; j++) {
                row[j] -= f * real[j] - h * other[j];
                twin[j] -= f * other[j] + h * real[j];
            }
        }
        for (size_t r = bottom + 1; r <= k + b->below && r < n; r++)
            b->lower[k * b->below + (r - k - 1)] = lower_imaginary[k * b->below + (r - k - 1)] = 0.0;
        real[0] = p;
        other[0] = q;
    }
    return 1;
}

void band_solve_pair(const Band *b, const double *imaginary, const double *lower_imaginary, double *right, double *other)
{
    const size_t n = b->size, width = band_width(b);
    for (size_t k = 0; k < n; k++) {
        const size_t pivot = (size_t)b->pivot[k], most = SMALLER(b->below, n - 1 - k);
        const double p = right[pivot], q = other[pivot];
        const double *f = b->lower + k * b->below, *h = lower_imaginary + k * b->below;
        right[pivot] = right[k];
        other[pivot] = other[k];
        right[k] = p;
        other[k] = q;
        for (size_t r = 0; r < most; r++) {
            right[k + 1 + r] -= f[r] * p - h[r] * q;
            other[k + 1 + r] -= f[r] * q + h[r] * p;
        }
    }
    for (size_t k = n; k-- > 0;) {
        const double *row = &ENTRY(b->rows, k, k), *twin = &ENTRY(imaginary, k, k);
        const size_t most = (size_t)b->end[k] - k;
        double p = right[k], q = other[k];
        for (size_t j = 1; j <= most; j++) {
            p -= row[j] * right[k + j] - twin[j] * other[k + j];
            q -= row[j] * other[k + j] + twin[j] * right[k + j];
        }
        right[k] = p * row[0] - q * twin[0];
        other[k] = p * twin[0] + q * row[0];
    }
}
