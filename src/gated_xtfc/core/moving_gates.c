/* How gates follow fronts, and sites follow gates: the twin of solver/moving/tracking.py. */

#include "moving_step.h"

#define WIDE 4.0
#define TIED 1e-3
#define NUISANCE 0.03
#define THINNEST 0.05
#define THICKEST 20.0

size_t gates_scratch(size_t n, size_t m) { return n + (2 + 2 * m) * (3 + 2 * m) + m; }

/* At one stage; values, slopes (m, n); distances (g, n); change (g, m, n); fixed (2, g); found (2, g). */
static void fit(size_t n, size_t m, size_t g, const double *values, const double *slopes, const double *distances,
                const double *thickness, const double *change, const double *size, const double *gaps,
                const unsigned char *fixed, double *found, double *scratch)
{
    const size_t k = 2 + 2 * m;
    double *weight = scratch, *matrix = weight + n, *right = matrix + k * k, *total = right + k;
    for (size_t j = 0; j < g; j++) {
        const double *away = distances + j * n, d = thickness[j], reach = 1.0 / (WIDE * d);
        double whole = 0.0, sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            const double z = away[i] * reach, falls = 1.0 / (1.0 + z * z);
            weight[i] = gaps[i] * falls * falls;
            sum += weight[i];
        }
        memset(matrix, 0, (k * k + k) * sizeof(double));
        for (size_t f = 0; f < m; f++) {
            const double unit = 1.0 / (size[f] * size[f]), *u = values + f * n, *p = slopes + f * n;
            const double *r = change + (j * m + f) * n;
            double mean = 0.0;
            total[f] = sum * unit + 1e-300;
            whole += total[f] * size[f] * size[f];
            for (size_t i = 0; i < n; i++) mean += weight[i] * unit * u[i];
            mean /= total[f];
            double a00 = 0, a01 = 0, a11 = 0, a02 = 0, a12 = 0, a22 = 0, a03 = 0, a13 = 0, a23 = 0, b0 = 0, b1 = 0, b2 = 0, b3 = 0;
            for (size_t i = 0; i < n; i++) {
                const double w = weight[i] * unit, shift = p[i] * d, thins = p[i] * away[i], rises = u[i] - mean;
                const double ws = w * shift, wt = w * thins, wr = w * rises;
                a00 += ws * shift;
                a01 += ws * thins;
                a11 += wt * thins;
                a02 += ws * rises;
                a12 += wt * rises;
                a22 += wr * rises;
                a03 += ws;
                a13 += wt;
                a23 += wr;
                b0 += ws * r[i];
                b1 += wt * r[i];
                b2 += wr * r[i];
                b3 += w * r[i];
            }
            const size_t rise = 2 + f, offset = 2 + m + f;
            matrix[0] += a00;
            matrix[1] += a01;
            matrix[k + 1] += a11;
            matrix[rise] = a02;
            matrix[k + rise] = a12;
            matrix[rise * k + rise] = a22;
            matrix[offset] = a03 * size[f];
            matrix[k + offset] = a13 * size[f];
            matrix[rise * k + offset] = a23 * size[f];
            matrix[offset * k + offset] = sum * unit * size[f] * size[f];
            right[0] -= b0;
            right[1] -= b1;
            right[rise] = -b2;
            right[offset] = -b3 * size[f];
        }
        whole /= (double)m;
        for (size_t a = 0; a < k; a++) {
            for (size_t b = 0; b < a; b++) matrix[a * k + b] = matrix[b * k + a];
            matrix[a * k + a] += (a < 2 ? TIED * TIED * whole : NUISANCE * NUISANCE * matrix[a * k + a] + 1e-20 * whole) + 1e-300;
        }
        for (size_t a = 0; a < 2; a++)
            if (fixed[a * g + j]) {
                for (size_t b = 0; b < k; b++) matrix[a * k + b] = matrix[b * k + a] = 0.0;
                matrix[a * k + a] = 1.0;
                right[a] = 0.0;
            }
        const int regular = small_solve(matrix, right, k, 1);
        for (size_t a = 0; a < 2; a++) found[a * g + j] = regular ? right[a] * d : NAN;
    }
}

/* How fast a gate moves, by weights of its places at the stages that turn the nodes into one. Of a steady motion, over many
   thicknesses of a front, every last digit counts: it is not weighted. */
double gate_rate(const Step *w, const double *weights, size_t q)
{
    const double steady = w->stages[(w->s - 1) * w->d + q] - w->gates[q];
    double sum = 0.0;
    for (size_t k = 0; k < w->s; k++) sum += weights[k] * (w->stages[k * w->d + q] - w->gates[q] - w->method.nodes[k] * steady);
    return (steady + sum) / w->step;
}
/* Velocity of sites, (n,), from that of the gates (d,). */
void sites_velocity(const Step *w, const double *motion, const double *rates, double *velocity)
{
    memset(velocity, 0, w->n * sizeof(double));
    for (size_t q = 0; q < w->d; q++)
        for (size_t i = 0; i < w->n; i++) velocity[i] += rates[q] * motion[q * w->n + i];
}

/* The sites for `count` times gates (2, g); where there are none, they stand still. */
void sites_at(Step *w, const double *gates, size_t count, Frame *found)
{
    const size_t n = w->n, bytes = n * sizeof(double);
    if (w->g) moving_frame(&w->coordinate, w->system.eta, n, count, gates, w->anchor, found, w->frame_scratch);
    else
        for (size_t k = 0; k < count; k++) {
            memcpy(found->x + k * n, w->before.x, bytes);
            memcpy(found->slope + k * n, w->before.slope, bytes);
            memcpy(found->bend + k * n, w->before.bend, bytes);
            memcpy(found->sigma + k * n, w->before.sigma, bytes);
            found->slopes[k] = w->before.slopes[0];
        }
}

/* The sites and their velocity at the stages. */
void gates_placed(Step *w)
{
    sites_at(w, w->stages, w->s, &w->frame);
    for (size_t k = 0; k < w->s; k++) {
        for (size_t q = 0; q < w->d; q++) w->rates[q] = gate_rate(w, w->method.inverse + k * w->s, q);
        sites_velocity(w, w->frame.motion + k * w->d * w->n, w->rates, w->velocity + k * w->n);
    }
}

/* What is left to follow, (s, 2, g): the fit of what changed at points carried along with every gate. */
double gates_left(Step *w)
{
    const System *s = &w->system;
    const size_t n = w->n, m = w->m, g = w->g, N = w->N;
    double off = 0.0;
    for (size_t k = 0; k < w->s; k++) {
        const double *stage = w->stages + k * 2 * g, *x = w->frame.x + k * n, *changes = w->changes + k * N;
        double *slopes = w->slopes + k * N;
        for (size_t i = 0; i < N; i++) w->u[i] = w->values[i] + changes[i];
        system_slopes(s, w->frame.slope + k * n, w->u, slopes);
        for (size_t j = 0; j < g; j++) {
            const double ratio = stage[g + j] / w->gates[g + j];
            for (size_t i = 0; i < n; i++) {
                const double away = x[i] - stage[j], rigid = away - ratio * (w->before.x[i] - w->gates[j]);
                w->distances[j * n + i] = away;
                for (size_t f = 0; f < m; f++)
                    w->moved[(j * m + f) * n + i] = changes[f * n + i] - slopes[f * n + i] * rigid;
            }
        }
        double *shift = w->shift + k * 2 * g;
        fit(n, m, g, w->u, slopes, w->distances, stage + g, w->moved, w->size, s->gaps, w->fixed, shift, w->fit);
        for (size_t j = 0; j < 2 * g; j++) {
            const double part = fabs(shift[j] / w->gates[g + j % g]);
            if (!(part <= off)) off = part;
            if (off != off) return off;
        }
    }
    return off;
}

static double clipped(double value, double low, double high) { return value < low ? low : value > high ? high : value; }

/* The sites follow the gates, and values go with them. */
void gates_followed(Step *w, double share)
{
    const size_t n = w->n, m = w->m, g = w->g, d = w->d, N = w->N;
    for (size_t k = 0; k < w->s; k++)
        for (size_t i = 0; i < n; i++) {
            double carried = 0.0;
            for (size_t q = 0; q < d; q++) carried += w->frame.motion[(k * d + q) * n + i] * share * w->shift[k * d + q];
            for (size_t f = 0; f < m; f++) w->changes[k * N + f * n + i] += w->slopes[k * N + f * n + i] * carried;
        }
    stages_combined(w, w->method.from_stages, w->changes, w->transformed);
    for (size_t k = 0; k < w->s; k++)
        for (size_t q = 0; q < d; q++) {
            double *to = w->stages + k * d + q;
            *to += share * w->shift[k * d + q];
            if (q >= g) *to = clipped(*to, THINNEST * w->gates[q], THICKEST * w->gates[q]);
        }
    gates_placed(w);
}

/* Velocity of places and thicknesses from f and u_x at the start, (2, g). */
static void first_velocity(Step *w, double *found)
{
    const size_t n = w->n, m = w->m, g = w->g, N = w->N;
    for (size_t j = 0; j < g; j++) {
        for (size_t i = 0; i < n; i++) w->distances[j * n + i] = w->before.x[i] - w->gates[j];
        memcpy(w->moved + j * N, w->start, N * sizeof(double));
        for (size_t f = 0; f < m; f++) w->moved[j * N + f * n] = w->moved[j * N + f * n + n - 1] = 0.0;
    }
    fit(n, m, g, w->values, w->slopes0, w->distances, w->gates + g, w->moved, w->size, w->system.gaps, w->fixed,
                 found, w->fit);
}

/* Gates at the stages, from the last step ends; at the start from their velocity. */
void gates_foreseen(Step *w)
{
    const size_t d = w->d, g = w->g, count = w->ends;
    const double *times = w->times, *trail = w->trail;
    if (count < 2) first_velocity(w, w->shift);
    for (size_t k = 0; k < w->s; k++) {
        const double at = w->t + w->method.nodes[k] * w->step;
        for (size_t q = 0; q < d; q++) {
            double *to = w->stages + k * d + q;
            if (count < 2) *to = w->gates[q] + (at - w->t) * w->shift[q];
            else {
                const double t1 = times[count - 1], t0 = times[count - 2], g1 = trail[(count - 1) * d + q];
                const double g0 = trail[(count - 2) * d + q], first = (g1 - g0) / (t1 - t0);
                *to = g1 + first * (at - t1);
                if (count > 2) {
                    const double tm = times[count - 3], gm = trail[(count - 3) * d + q];
                    *to += (first - (g0 - gm) / (t0 - tm)) / (t1 - tm) * (at - t1) * (at - t0);
                }
            }
            if (q >= g) *to = clipped(*to, 0.2 * w->gates[q], 5.0 * w->gates[q]);
        }
    }
}
