/* Newton's iteration for the stages of a step: its matrices in factors, and Anderson acceleration. */

#include "moving_step.h"

#define NOTHING 1e-8 /* of a column: what is left of it by others */

static void to_band(const Step *w, const double *from, double *to)
{
    const int64_t *rank = w->system.rank;
    for (size_t f = 0; f < w->m; f++)
        for (size_t i = 0; i < w->n; i++) to[(size_t)rank[i] * w->m + f] = from[f * w->n + i];
}

static void from_band(const Step *w, const double *from, double *to)
{
    const int64_t *rank = w->system.rank;
    for (size_t f = 0; f < w->m; f++)
        for (size_t i = 0; i < w->n; i++) to[f * w->n + i] = from[(size_t)rank[i] * w->m + f];
}

/* mu/h mass - J in factors. */
static int factored(Step *w)
{
    const System *s = &w->system;
    const Method *r = &w->method;
    const size_t N = w->N, width = band_width(&w->real), middle = w->real.below;
    to_band(w, s->mass, w->vector);
    for (size_t i = 0; i < N * width; i++) w->real.rows[i] = -w->jacobian[i];
    for (size_t i = 0; i < N; i++) w->real.rows[i * width + middle] += r->real / w->step * w->vector[i];
    if (!band_factor(&w->real)) return 0;
    for (size_t k = 0; k < w->s / 2; k++) {
        const double p = r->pairs[2 * k] / w->step, q = r->pairs[2 * k + 1] / w->step;
        for (size_t i = 0; i < N * width; i++) w->pair[k].rows[i] = -w->jacobian[i];
        memset(w->imaginary[k], 0, N * width * sizeof(double));
        for (size_t i = 0; i < N; i++) {
            w->pair[k].rows[i * width + middle] += p * w->vector[i];
            w->imaginary[k][i * width + middle] += q * w->vector[i];
        }
        if (!band_factor_pair(&w->pair[k], w->imaginary[k], w->lower_imaginary[k])) return 0;
    }
    return 1;
}

int newton_linearised(Step *w)
{
    const size_t n = w->n, N = w->N, middle = w->s / 2;
    for (size_t i = 0; i < N; i++) w->u[i] = w->values[i] + w->changes[middle * N + i];
    Band rows = w->real;
    rows.rows = w->jacobian;
    system_jacobian(&w->system, w->frame.x + middle * n, w->frame.slope + middle * n, w->frame.bend + middle * n,
                    w->t + w->method.nodes[middle] * w->step, w->u, w->velocity + middle * n, w->penalties, &rows);
    return all_finite(w->jacobian, N * band_width(&rows)) && factored(w);
}

/* A matrix (s, s) of the method times (s, N). */
void stages_combined(const Step *w, const double *matrix, const double *from, double *to)
{
    const size_t s = w->s, N = w->N;
    for (size_t a = 0; a < s; a++) {
        double *row = to + a * N;
        for (size_t i = 0; i < N; i++) row[i] = matrix[a * s] * from[i];
        for (size_t b = 1; b < s; b++) {
            const double factor = matrix[a * s + b], *other = from + b * N;
            for (size_t i = 0; i < N; i++) row[i] += factor * other[i];
        }
    }
}

/* Newton's step in the eigenvectors, from f at the stages. */
void newton_update(Step *w)
{
    const Method *r = &w->method;
    const size_t N = w->N;
    const double *mass = w->system.mass;
    stages_combined(w, r->from_stages, w->right, w->turned);
    for (size_t i = 0; i < N; i++) w->turned[i] -= r->real / w->step * mass[i] * w->transformed[i];
    to_band(w, w->turned, w->vector);
    band_solve(&w->real, w->vector);
    from_band(w, w->vector, w->update);
    for (size_t k = 0; k < w->s / 2; k++) {
        const double p = r->pairs[2 * k] / w->step, q = r->pairs[2 * k + 1] / w->step;
        double *one = w->turned + (1 + 2 * k) * N, *two = one + N;
        const double *a = w->transformed + (1 + 2 * k) * N, *b = a + N;
        for (size_t i = 0; i < N; i++) {
            one[i] -= mass[i] * (p * a[i] - q * b[i]);
            two[i] -= mass[i] * (p * b[i] + q * a[i]);
        }
        to_band(w, one, w->vector);
        to_band(w, two, w->other);
        band_solve_pair(&w->pair[k], w->imaginary[k], w->lower_imaginary[k], w->vector, w->other);
        from_band(w, w->vector, w->update + (1 + 2 * k) * N);
        from_band(w, w->other, w->update + (2 + 2 * k) * N);
    }
}

/* mass (what is missed), solved by (mu/h mass - J), in its place. */
void newton_filter(Step *w, double *missed)
{
    to_band(w, missed, w->other);
    band_solve(&w->real, w->other);
    from_band(w, w->other, missed);
}

/* What a value times mass/h becomes over the step, and what a source adds: (m, n) each.

   By the method itself, R(h J) = sum Re w_k mu_k/h (mu_k/h mass - J)^-1 mass. */
void newton_advance(Step *w, const double *value, const double *source, double *became, double *added)
{
    const Method *r = &w->method;
    const size_t N = w->N, stages = w->s, last = stages - 1;
    double *sources = w->iterates, *values = sources + N, *sums[2] = {values + N, values + 2 * N};
    to_band(w, source, sources);
    to_band(w, value, values);
    for (size_t k = 0; k <= stages / 2; k++) {
        const size_t a = k ? 2 * k - 1 : 0, b = 2 * k;
        const double *end = r->to_stages + last * stages;
        double one = 0.0, two = 0.0, p = r->real, q = 0.0;
        for (size_t c = 0; c < stages; c++) {
            one += r->from_stages[a * stages + c];
            if (k) two += r->from_stages[b * stages + c];
        }
        if (k) {
            p = r->pairs[2 * k - 2];
            q = r->pairs[2 * k - 1];
        }
        const double weight = end[a] * one + (k ? end[b] * two : 0.0), turned = k ? end[a] * two - end[b] * one : 0.0;
        for (int own = 0; own < 2; own++) {
            double *sum = sums[own];
            for (size_t i = 0; i < N; i++) {
                w->vector[i] = own ? sources[i] : p * values[i];
                w->other[i] = own ? 0.0 : q * values[i];
            }
            if (k)
                band_solve_pair(&w->pair[k - 1], w->imaginary[k - 1], w->lower_imaginary[k - 1], w->vector, w->other);
            else
                band_solve(&w->real, w->vector);
            for (size_t i = 0; i < N; i++)
                sum[i] = (k ? sum[i] : 0.0) + weight * w->vector[i] - turned * w->other[i];
        }
    }
    from_band(w, sums[0], became);
    from_band(w, sums[1], added);
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Anderson acceleration: the last few iterates and residuals, combined so that the residual is least. */
void newton_accelerate(Step *w, int mix)
{
    const size_t size = w->s * w->N, N = w->N;
    double *iterate = w->transformed, *residual = w->update;
    if (w->begun) {
        double *moved = w->iterates + w->next * size, *changed = w->residuals + w->next * size;
        for (size_t i = 0; i < size; i++) {
            moved[i] = iterate[i] - w->last[i];
            changed[i] = residual[i] - w->last[size + i];
        }
        w->next = (w->next + 1) % DEPTH;
        w->kept = SMALLER(w->kept + 1, (size_t)DEPTH);
    }
    memcpy(w->last, iterate, size * sizeof(double));
    memcpy(w->last + size, residual, size * sizeof(double));
    w->begun = 1;
    double share[DEPTH] = {0.0}, triangle[DEPTH][DEPTH], side[DEPTH];
    size_t number[DEPTH], used = 0;
    if (w->kept && mix) { /* columns from the newest on, each without what those before it explain */
        double *target = w->turned;
        for (size_t a = 0; a < w->s; a++)
            for (size_t i = 0; i < N; i++) target[a * N + i] = residual[a * N + i] / w->scale[i];
        for (size_t k = 0; k < w->kept; k++) {
            const size_t which = (w->next + DEPTH - 1 - k) % DEPTH;
            double *column = w->columns + used * size;
            const double *changed = w->residuals + which * size;
            for (size_t a = 0; a < w->s; a++)
                for (size_t i = 0; i < N; i++) column[a * N + i] = changed[a * N + i] / w->scale[i];
            const double whole = sqrt(product(column, column, size));
            for (size_t q = 0; q < used; q++) {
                const double *other = w->columns + q * size, along = product(other, column, size);
                triangle[q][used] = along;
                for (size_t i = 0; i < size; i++) column[i] -= along * other[i];
            }
            const double left = sqrt(product(column, column, size));
            if (!(left > NOTHING * whole)) continue;
            for (size_t i = 0; i < size; i++) column[i] /= left;
            triangle[used][used] = left;
            side[used] = product(column, target, size);
            number[used++] = which;
        }
        for (size_t k = used; k-- > 0;) {
            double sum = side[k];
            for (size_t q = k + 1; q < used; q++) sum -= triangle[k][q] * share[q];
            share[k] = sum / triangle[k][k];
        }
    }
    for (size_t i = 0; i < size; i++) iterate[i] += residual[i];
    for (size_t k = 0; k < used; k++) {
        const double *moved = w->iterates + number[k] * size, *changed = w->residuals + number[k] * size;
        for (size_t i = 0; i < size; i++) iterate[i] -= share[k] * (moved[i] + changed[i]);
    }
}
