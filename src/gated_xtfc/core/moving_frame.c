/* Where the sites are: the twin of discretise/moving/coordinate.py and pins.py, which have the formulas in words. */

#include "moving.h"

#define ROUNDED 1.5
#define SETTLED 3e-6
#define MOST_STEPS 40
#define FLAT 40.0 /* beyond, a ramp is one of its two lines */

static double asinh_of(double y)
{
    const double size = fabs(y), root = sqrt(1.0 + size * size);
    const double found = size < 1e-2 ? log1p(size + size * size / (1.0 + root)) : size < 1e150 ? log(size + root) : asinh(size);
    return y < 0.0 ? -found : found;
}

/* Gaussian elimination with pivots by rows; the solution replaces the right sides (n, columns). 0 where it is singular. */
int small_solve(double *matrix, double *right, size_t n, size_t columns)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(matrix[i * n + k]) > fabs(matrix[best * n + k])) best = i;
        if (!(fabs(matrix[best * n + k]) > 0.0)) return 0;
        if (best != k) {
            for (size_t j = k; j < n; j++) {
                const double kept = matrix[k * n + j];
                matrix[k * n + j] = matrix[best * n + j];
                matrix[best * n + j] = kept;
            }
            for (size_t j = 0; j < columns; j++) {
                const double kept = right[k * columns + j];
                right[k * columns + j] = right[best * columns + j];
                right[best * columns + j] = kept;
            }
        }
        for (size_t i = k + 1; i < n; i++) {
            const double factor = matrix[i * n + k] / matrix[k * n + k];
            if (factor == 0.0) continue;
            for (size_t j = k + 1; j < n; j++) matrix[i * n + j] -= factor * matrix[k * n + j];
            for (size_t j = 0; j < columns; j++) right[i * columns + j] -= factor * right[k * columns + j];
        }
    }
    for (size_t k = n; k-- > 0;)
        for (size_t j = 0; j < columns; j++) {
            double sum = right[k * columns + j];
            for (size_t i = k + 1; i < n; i++) sum -= matrix[k * n + i] * right[i * columns + j];
            right[k * columns + j] = sum / matrix[k * n + k];
        }
    return 1;
}

typedef struct {
    double *a, *at_a;              /* (g,) */
    double *slopes, *knots, *start; /* (2g + 1,), (2g,), (2g,): the ramps at zero */
    double *slopes_by, *knots_by;  /* (2g + 1, 2g), (2g, 2g) derivatives by the gates */
    double length;
    double *scratch;
} Curve;

static void lay_curve(Curve *curve, size_t g, double *scratch)
{
    const size_t d = 2 * g;
    curve->a = scratch;
    curve->at_a = curve->a + g;
    curve->slopes = curve->at_a + g;
    curve->knots = curve->slopes + d + 1;
    curve->start = curve->knots + d;
    curve->slopes_by = curve->start + d;
    curve->knots_by = curve->slopes_by + (d + 1) * d;
    curve->scratch = curve->knots_by + d * d;
}

static void ramp(double z, double *value, double *first, double *second)
{
    z /= ROUNDED;
    const double size = fabs(z);
    if (size > FLAT) {
        *value = z > 0.0 ? ROUNDED * z : 0.0;
        *first = z > 0.0;
        *second = 0.0;
        return;
    }
    const double small = exp(-size), part = 1.0 / (1.0 + small);
    *value = ROUNDED * ((z > 0.0 ? z : 0.0) + log(1.0 + small));
    *first = z > 0.0 ? part : small * part;
    *second = small * part * part / ROUNDED;
}

/* M for the gates of one stage, with its derivatives by them. */
static int bend_curve(const Coordinate *c, const double *gates, Curve *curve)
{
    const size_t g = c->gates, d = 2 * g;
    const double *places = gates, *thickness = gates + g, *beta = c->grading;
    double *length_by = curve->scratch, *xi = length_by + d, *xi_by = xi + g, *rest = xi_by + g * d;
    curve->length = (c->right - c->left) / c->width;
    for (size_t j = 0; j < g; j++) {
        const double a = beta[j] * (c->left - places[j]) / thickness[j], b = beta[j] * (c->right - places[j]) / thickness[j];
        const double at_a = 1.0 / sqrt(1.0 + a * a), at_b = 1.0 / sqrt(1.0 + b * b);
        curve->length += (asinh_of(b) - asinh_of(a)) / beta[j];
        curve->a[j] = a;
        curve->at_a[j] = at_a;
        length_by[j] = (at_a - at_b) / thickness[j];
        length_by[g + j] = (a * at_a - b * at_b) / (beta[j] * thickness[j]);
    }
    if (!c->pinned) {
        curve->slopes[0] = 1.0 / curve->length;
        for (size_t k = 0; k < d; k++) curve->slopes_by[k] = -length_by[k] / (curve->length * curve->length);
        return 1;
    }
    for (size_t i = 0; i < g; i++) {
        double along = 1.0 / c->width; /* by its own place, without what the gate and its own place have in common */
        xi[i] = (places[i] - c->left) / c->width;
        for (size_t j = 0; j < g; j++) {
            const double y = beta[j] * (places[i] - places[j]) / thickness[j], near = 1.0 / sqrt(1.0 + y * y);
            xi[i] += (asinh_of(y) - asinh_of(curve->a[j])) / beta[j];
            if (j != i) along += near / thickness[j];
            xi_by[i * d + j] = (curve->at_a[j] - (j == i ? 0.0 : near)) / thickness[j];
            xi_by[i * d + g + j] = (curve->a[j] * curve->at_a[j] - y * near) / (beta[j] * thickness[j]);
        }
        xi_by[i * d + i] += along;
    }
    for (size_t k = 0; k < d; k++) {
        double second;
        curve->knots[k] = xi[k / 2] + c->reach[k];
        memcpy(curve->knots_by + k * d, xi_by + k / 2 * d, d * sizeof(double));
        ramp(-curve->knots[k], curve->start + k, rest + k, &second);
    }
    /* rows: the gates and the right end; basis: d eta / d slope */
    const double *at_start = rest;
    double *matrix = rest + d, *twin = matrix + (g + 1) * (g + 1), *target = twin + (g + 1) * (g + 1);
    double *basis = target + (g + 1), *firsts = basis + d + 1, *by_knot = firsts + d + 1, *change = by_knot + (g + 1) * d;
    double *slope_basis = change + (g + 1) * d;
    for (size_t row = 0; row <= g; row++) {
        const double point = row < g ? xi[row] : curve->length;
        basis[0] = point;
        firsts[0] = 1.0;
        for (size_t k = 0; k < d; k++) {
            double value, first, second;
            ramp(point - curve->knots[k], &value, &first, &second);
            basis[k + 1] = value - curve->start[k];
            firsts[k + 1] = first;
            by_knot[row * d + k] = at_start[k] - first;
        }
        for (size_t k = 0; k < d; k++) {
            basis[k] -= basis[k + 1];
            firsts[k] -= firsts[k + 1];
        }
        double sum = 0.0;
        for (size_t k = 1; k <= d; k += 2) sum += basis[k];
        for (size_t k = 0; k <= g; k++) matrix[row * (g + 1) + k] = basis[2 * k];
        target[row] = (row < g ? c->pins[row] : 1.0) - c->slope * sum;
        memcpy(slope_basis + row * (d + 1), firsts, (d + 1) * sizeof(double));
    }
    int held[2] = {c->at_left, c->at_right && !(g == 1 && c->at_left)};
    const size_t held_row[2] = {0, g - 1}, held_column[2] = {0, g};
    for (int h = 0; h < 2; h++)
        if (held[h]) {
            for (size_t k = 0; k <= g; k++) matrix[held_row[h] * (g + 1) + k] = k == held_column[h];
            target[held_row[h]] = c->slope;
        }
    memcpy(twin, matrix, (g + 1) * (g + 1) * sizeof(double));
    if (!small_solve(matrix, target, g + 1, 1)) return 0;
    for (size_t k = 0; k <= d; k++) curve->slopes[k] = k % 2 ? c->slope : target[k / 2];
    for (size_t row = 0; row <= g; row++) {
        double first = 0.0;
        for (size_t k = 0; k <= d; k++) first += slope_basis[row * (d + 1) + k] * curve->slopes[k];
        for (size_t k = 0; k < d; k++) {
            double sum = first * (row < g ? xi_by[row * d + k] : length_by[k]);
            for (size_t i = 0; i < d; i++)
                sum += by_knot[row * d + i] * (curve->slopes[i + 1] - curve->slopes[i]) * curve->knots_by[i * d + k];
            change[row * d + k] = -sum;
        }
    }
    for (int h = 0; h < 2; h++)
        if (held[h]) memset(change + held_row[h] * d, 0, d * sizeof(double));
    if (!small_solve(twin, change, g + 1, d)) return 0;
    memset(curve->slopes_by, 0, (d + 1) * d * sizeof(double));
    for (size_t row = 0; row <= g; row++) memcpy(curve->slopes_by + 2 * row * d, change + row * d, d * sizeof(double));
    return 1;
}

size_t moving_frame_scratch(size_t gates)
{
    const size_t g = gates, d = 2 * g;
    return 2 * g + 3 * d + 1 + (d + 1) * d + d * d /* the curve */
           + d + g + g * d + d + 2 * (g + 1) * (g + 1) + (g + 1) + 2 * (d + 1) + 3 * (g + 1) * d + (g + 1) * (d + 1);
}

/* One site at one sigma: all that the coordinate is made of there. */
typedef struct {
    double sinh_of, xi, slope, bend, value, first, second;
    double near[MOST_GATES], ys[MOST_GATES], values[2 * MOST_GATES], firsts[2 * MOST_GATES];
} Spot;

static void look(const Coordinate *c, const Curve *curve, const double *thickness, size_t k, const double *offset,
                 const double *ratio, double base, double sigma, int same, Spot *p)
{
    const size_t g = c->gates, knots = c->pinned ? 2 * g : 0;
    const double *beta = c->grading, z = beta[k] * sigma, up = exp(z);
    double product = 1.0;
    p->sinh_of = fabs(z) < 0.5 ? sinh(z) : 0.5 * (up - 1.0 / up);
    p->xi = base + thickness[k] * p->sinh_of / (beta[k] * c->width) + sigma;
    p->slope = 1.0 / c->width;
    p->bend = 0.0;
    for (size_t j = 0; j < g; j++) {
        const double y = offset[j] + ratio[j] * p->sinh_of, root = sqrt(1.0 + y * y), near = 1.0 / root;
        p->near[j] = near;
        p->ys[j] = y;
        p->slope += near / thickness[j];
        p->bend -= beta[j] * y * near * near * near / (thickness[j] * thickness[j]);
        if (j == k) continue;
        if (same && fabs(y) < 1e15 && product < 1e200 && product > 1e-200) /* logarithms of one grading are one */
            product *= y < 0.0 ? 1.0 / (root - y) : root + y;
        else p->xi += asinh_of(y) / beta[j];
    }
    if (product != 1.0) p->xi += log(product) / beta[k];
    p->value = curve->slopes[0] * p->xi;
    p->first = curve->slopes[0];
    p->second = 0.0;
    for (size_t q = 0; q < knots; q++) {
        const double turn = curve->slopes[q + 1] - curve->slopes[q];
        double value, first, second;
        ramp(p->xi - curve->knots[q], &value, &first, &second);
        p->values[q] = value - curve->start[q];
        p->firsts[q] = first;
        p->value += turn * p->values[q];
        p->first += turn * first;
        p->second += turn * second;
    }
}

static double clipped(double value, double most) { return SMALLER(LARGER(value, -most), most); }

static void nowhere(size_t n, size_t d, double *x, double *slope, double *bend, double *motion, double *slopes)
{
    for (size_t i = 0; i < n; i++) x[i] = slope[i] = bend[i] = NAN;
    for (size_t i = 0; i < d * n; i++) motion[i] = NAN;
    for (size_t i = 0; i <= d; i++) slopes[i] = NAN;
}

void moving_frame(const Coordinate *c, const double *eta, size_t n, size_t stages, const double *gates,
                  const int64_t *anchor, Frame *out, double *scratch)
{
    const size_t g = c->gates, d = 2 * g, knots = c->pinned ? d : 0;
    const double *beta = c->grading;
    Curve curve;
    Spot spot;
    lay_curve(&curve, g, scratch);
    for (size_t s = 0; s < stages; s++) {
        const double *places = gates + s * d, *thickness = places + g;
        double *x = out->x + s * n, *slope = out->slope + s * n, *bend = out->bend + s * n, *sigmas = out->sigma + s * n;
        double *motion = out->motion + s * d * n, *slopes = out->slopes + s * (knots + 1);
        if (!bend_curve(c, places, &curve)) {
            nowhere(n, d, x, slope, bend, motion, slopes);
            continue;
        }
        memcpy(slopes, curve.slopes, (knots + 1) * sizeof(double));
        const double *at_start = curve.scratch + d + g + g * d;
        for (size_t q = 0; q < knots; q++) /* what a ramp counts for, by the gates */
            for (size_t k = 0; k < d; k++) {
                const double turn = curve.slopes[q + 1] - curve.slopes[q];
                curve.knots_by[q * d + k] *= turn;
            }
        double behind = 0.0, offset[MOST_GATES], ratio[MOST_GATES];
        int same = 1;
        for (size_t j = 0; j < g; j++) {
            behind += asinh_of(curve.a[j]) / beta[j];
            same &= beta[j] == beta[0];
        }
        size_t k = g; /* the gate from which the last site was measured */
        double base = 0.0;
        for (size_t i = 0; i < n; i++) {
            if ((size_t)anchor[i] != k) {
                k = (size_t)anchor[i];
                base = (places[k] - c->left) / c->width - behind;
                for (size_t j = 0; j < g; j++) {
                    offset[j] = (places[k] - places[j]) / thickness[j] * beta[j];
                    ratio[j] = thickness[k] / beta[k] / thickness[j] * beta[j];
                }
            }
            double sigma = sigmas[i], before = INFINITY;
            for (int step = 0; step < MOST_STEPS; step++) { /* Halley's method: errors e become of the order of e^3 */
                look(c, &curve, thickness, k, offset, ratio, base, sigma, same, &spot);
                const double root = sqrt(1.0 + spot.sinh_of * spot.sinh_of), x_by = thickness[k] * root;
                const double eta_x = spot.first * spot.slope, eta_xx = spot.second * spot.slope * spot.slope + spot.first * spot.bend;
                double change = (spot.value - eta[i]) / (eta_x * x_by);
                const double turn = 0.5 * change * (eta_xx / eta_x * x_by + beta[k] * spot.sinh_of / root);
                change = clipped(change, 3.0) / (1.0 - clipped(turn, 0.5));
                sigma -= change;
                const double size = fabs(change);
                if (!(size >= SETTLED) || (size < 10.0 * SETTLED && size >= 0.5 * before)) break;
                before = size;
            }
            look(c, &curve, thickness, k, offset, ratio, base, sigma, same, &spot);
            sigmas[i] = sigma;
            x[i] = i == 0 ? c->left : i == n - 1 ? c->right : places[k] + thickness[k] * spot.sinh_of / beta[k];
            const double eta_x = spot.first * spot.slope;
            slope[i] = eta_x;
            bend[i] = spot.second * spot.slope * spot.slope + spot.first * spot.bend;
            /* xi by the gates at a fixed distance from the own gate, in its thicknesses: what is large has cancelled there */
            const double own = spot.sinh_of / beta[k];
            double along = 1.0 / c->width;
            for (size_t j = 0; j < g; j++) {
                const double near = j == k ? 0.0 : spot.near[j] / thickness[j];
                along += near;
                spot.ys[j] = ((j == k ? 0.0 : -spot.ys[j] * spot.near[j]) + curve.a[j] * curve.at_a[j]) / (beta[j] * thickness[j]);
                spot.near[j] = curve.at_a[j] / thickness[j] - near;
            }
            spot.near[k] += along;
            spot.ys[k] += own * along;
            double moved[2 * MOST_GATES];
            for (size_t j = 0; j < d; j++)
                moved[j] = spot.first * (j < g ? spot.near[j] : spot.ys[j - g]) + spot.xi * curve.slopes_by[j];
            for (size_t q = 0; q < knots; q++) {
                const double value = spot.values[q], first = at_start[q] - spot.firsts[q];
                const double *by = curve.knots_by + q * d, *here = curve.slopes_by + q * d, *next = here + d;
                for (size_t j = 0; j < d; j++) moved[j] += value * (next[j] - here[j]) + first * by[j];
            }
            for (size_t j = 0; j < d; j++) motion[j * n + i] = i == 0 || i == n - 1 ? 0.0 : (j == k ? 1.0 : j == g + k ? own : 0.0) - moved[j] / eta_x;
        }
    }
}

/* eta at places x (count,), for the gates of one stage. */
void moving_along(const Coordinate *c, const double *gates, const double *x, size_t count, double *eta, double *scratch)
{
    const size_t g = c->gates, knots = c->pinned ? 2 * g : 0;
    Curve curve;
    lay_curve(&curve, g, scratch);
    const int there = bend_curve(c, gates, &curve);
    double behind = 0.0;
    for (size_t j = 0; j < g; j++) behind += asinh_of(curve.a[j]) / c->grading[j];
    for (size_t i = 0; i < count; i++) {
        double xi = (x[i] - c->left) / c->width - behind;
        for (size_t j = 0; j < g; j++) xi += asinh_of(c->grading[j] * (x[i] - gates[j]) / gates[g + j]) / c->grading[j];
        double value = curve.slopes[0] * xi;
        for (size_t q = 0; q < knots; q++) {
            double own, first, second;
            ramp(xi - curve.knots[q], &own, &first, &second);
            value += (curve.slopes[q + 1] - curve.slopes[q]) * (own - curve.start[q]);
        }
        eta[i] = there ? value : NAN;
    }
}
