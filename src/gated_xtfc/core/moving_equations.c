/* The equations at sites that move, with what holds at the two ends: the twin of solver/moving/system.py. */

#include "moving.h"

#define DIFFUSED 4.0 /* factors of nu/d^2 and of v/d in tau */
#define CARRIED 2.0
#define HELD 4e3

size_t system_scratch(const System *s)
{
    const size_t m = s->m, n = s->n;
    size_t programs = 0, parameters = 0;
    for (size_t e = 0; e < m + s->conditions; e++) {
        const size_t own = program_scratch(&s->programs[e]);
        programs = LARGER(programs, own);
        parameters += s->programs[e].parameter_count;
    }
    return 4 * m * n + 4 * m * m * n + m * n + 3 * m * m * n + programs + parameters + 4 * m * (4 * m + 2) + 8;
}

/* Lays out the scratch; parameters are copied, for time is one of them. */
void system_arrange(System *s, double *scratch)
{
    const size_t m = s->m, n = s->n;
    s->jets = scratch;
    s->blocks = s->jets + 4 * m * n;
    s->values = s->blocks + 4 * m * m * n;
    s->partials = s->values + m * n;
    s->small = s->partials + 3 * m * m * n;
    s->memory = s->small + 4 * m * (4 * m + 2) + 8;
    for (size_t e = 0; e < m + s->conditions; e++) {
        Program *program = &s->programs[e];
        memcpy(s->memory, program->parameters, program->parameter_count * sizeof(double));
        s->clock_of[e] = s->clocks[e] < 0 ? NULL : s->memory + s->clocks[e];
        program->parameters = s->memory;
        s->memory += program->parameter_count;
    }
}

/* The two sites of break number k / 2: the own one, that across the break, and whether the own one is the left one. */
static int at_break(const System *s, size_t k, size_t *site, size_t *across)
{
    const size_t left = (size_t)s->left_of[k / 2];
    *site = left + k % 2;
    *across = left + 1 - k % 2;
    return k % 2 == 0;
}

/* u, u_x, u_xx of every field at all sites, (3m, n). */
void system_jets(const System *s, const double *slope, const double *bend, const double *values, int checking, double *jets)
{
    const size_t n = s->n, order = checking ? s->wider : s->order;
    const double *one = checking ? s->wide_one : s->one, *two = checking ? s->wide_two : s->two;
    const int64_t *start = checking ? s->wide_near : s->near;
    for (size_t f = 0; f < s->m; f++) {
        const double *u = values + f * n;
        double *to = jets + 3 * f * n;
        memcpy(to, u, n * sizeof(double));
        for (size_t i = 0; i < n; i++) {
            const double *near = u + start[i], *p = one + i * (order + 1), *q = two + i * (order + 1);
            const double here = u[i];
            double first = 0.0, second = 0.0;
            for (size_t k = 0; k <= order; k++) { /* of differences: what is constant leaves no rounding */
                const double away = near[k] - here;
                first += p[k] * away;
                second += q[k] * away;
            }
            to[n + i] = slope[i] * first;
            to[2 * n + i] = slope[i] * slope[i] * second + bend[i] * first;
        }
    }
}

/* u_x alone, (m, n). */
void system_slopes(const System *s, const double *slope, const double *values, double *slopes)
{
    const size_t n = s->n, order = s->order;
    for (size_t f = 0; f < s->m; f++)
        for (size_t i = 0; i < n; i++) {
            const double *near = values + f * n + s->near[i], *p = s->one + i * (order + 1);
            const double here = values[f * n + i];
            double first = 0.0;
            for (size_t k = 0; k <= order; k++) first += p[k] * (near[k] - here);
            slopes[f * n + i] = slope[i] * first;
        }
}

static void at_time(System *s, size_t program, double t)
{
    if (s->clock_of[program] != NULL) *s->clock_of[program] = t;
}

static uint64_t rates_alone(const System *s) { return ((((uint64_t)1 << (s->m - 1)) << 1) - 1) << 3 * s->m; }

/* right = F at `n` points with jets (4m, n) whose derivatives in time are set to zero here. */
static void rates(System *s, const double *x, size_t n, double t, double *jets, double *right)
{
    const size_t m = s->m, k = s->timed;
    memset(jets + 3 * m * n, 0, m * n * sizeof(double));
    for (size_t e = 0; e < m; e++) {
        at_time(s, e, t);
        program_evaluate(&s->programs[e], x, n, jets, s->constant ? 0 : rates_alone(s), s->values + e * n,
                         s->constant ? NULL : s->blocks + e * 4 * m * n, s->memory);
    }
    for (size_t e = k; e < m; e++)
        for (size_t i = 0; i < n; i++) right[(size_t)s->fields[e] * n + i] = -s->values[(size_t)s->rows[e] * n + i];
    if (s->constant) {
        for (size_t f = 0; f < k; f++) {
            double *to = right + (size_t)s->fields[f] * n;
            for (size_t i = 0; i < n; i++) to[i] = 0.0;
            for (size_t e = 0; e < k; e++) {
                const double factor = s->inverse[f * k + e], *from = s->values + (size_t)s->rows[e] * n;
                if (factor != 0.0)
                    for (size_t i = 0; i < n; i++) to[i] -= factor * from[i];
            }
        }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        double *matrix = s->small, *side = matrix + k * k;
        for (size_t e = 0; e < k; e++) {
            const size_t row = (size_t)s->rows[e];
            side[e] = s->values[row * n + i];
            for (size_t f = 0; f < k; f++)
                matrix[e * k + f] = s->blocks[(row * 4 * m + 3 * m + (size_t)s->fields[f]) * n + i];
        }
        const int regular = small_solve(matrix, side, k, 1);
        for (size_t f = 0; f < k; f++) right[(size_t)s->fields[f] * n + i] = regular ? -side[f] : NAN;
    }
}

/* dF_a / d(u_b, u_bx, u_bxx), (3, m, m, n), at n points with jets (4m, n); where factors are no numbers, about the rates. */
static void partials(System *s, const double *x, size_t n, double t, double *jets, double *found)
{
    const size_t m = s->m, k = s->timed;
    if (!s->constant) {
        double *right = found; /* room to begin with */
        rates(s, x, n, t, jets, right);
        for (size_t f = 0; f < m; f++) memcpy(jets + (3 * m + f) * n, right + f * n, n * sizeof(double));
        for (size_t f = k; f < m; f++) memset(jets + (3 * m + (size_t)s->fields[f]) * n, 0, n * sizeof(double));
    } else memset(jets + 3 * m * n, 0, m * n * sizeof(double));
    const uint64_t live = s->constant ? ((uint64_t)1 << 3 * m) - 1 : ((uint64_t)1 << 3 * m) - 1 + rates_alone(s);
    for (size_t e = 0; e < m; e++) {
        at_time(s, e, t);
        program_evaluate(&s->programs[e], x, n, jets, live, s->values + e * n, s->blocks + e * 4 * m * n, s->memory);
    }
    for (size_t i = 0; i < n; i++) {
        double *matrix = s->small, *side = matrix + k * k;
        int regular = 1;
        for (size_t e = 0; e < k; e++) {
            const size_t row = (size_t)s->rows[e];
            for (size_t b = 0; b < 3 * m; b++) side[e * 3 * m + b] = s->blocks[(row * 4 * m + b) * n + i];
            for (size_t f = 0; f < k; f++)
                matrix[e * k + f] = s->constant ? 0.0 : s->blocks[(row * 4 * m + 3 * m + (size_t)s->fields[f]) * n + i];
        }
        if (!s->constant) regular = small_solve(matrix, side, k, 3 * m);
        for (size_t f = 0; f < k; f++)
            for (size_t b = 0; b < 3 * m; b++) {
                double sum = 0.0;
                if (s->constant)
                    for (size_t e = 0; e < k; e++) sum += s->inverse[f * k + e] * side[e * 3 * m + b];
                else sum = regular ? side[f * 3 * m + b] : NAN;
                found[(((b % 3) * m + (size_t)s->fields[f]) * m + b / 3) * n + i] = -sum;
            }
        for (size_t e = k; e < m; e++)
            for (size_t b = 0; b < 3 * m; b++)
                found[(((b % 3) * m + (size_t)s->fields[e]) * m + b / 3) * n + i] =
                    -s->blocks[((size_t)s->rows[e] * 4 * m + b) * n + i];
    }
}

/* A program at one place, with its derivatives by u and u_x of every field, (4m,), where `by` is not NULL. */
static double value_at(System *s, size_t program, const double *x, double t, const double *jets, double *by)
{
    double value;
    at_time(s, program, t);
    if (by != NULL) memset(by, 0, 4 * s->m * sizeof(double));
    program_evaluate(&s->programs[program], x, 1, jets, by == NULL ? 0 : ((uint64_t)1 << 3 * s->m) - 1, &value, by, s->memory);
    return value;
}

/* left - right of a condition. */
static double missed(System *s, size_t condition, double t, const double *jets, double *by)
{
    return value_at(s, s->m + condition, s->places + condition, t, jets, by);
}

static void at_site(const System *s, const double *jets, size_t site, double *here)
{
    for (size_t b = 0; b < 3 * s->m; b++) here[b] = jets[b * s->n + site];
    for (size_t b = 3 * s->m; b < 4 * s->m; b++) here[b] = 0.0;
}

/* f of mass du/dt = f at one time, (m, n), and u_x, (m, n). */
void system_right(System *s, const double *x, const double *slope, const double *bend, double t, const double *values,
                  const double *velocity, const double *penalties, int checking, double *right, double *slopes)
{
    const size_t n = s->n, m = s->m;
    double here[2][4 * MOST_MOVING];
    system_jets(s, slope, bend, values, checking, s->jets);
    for (size_t f = 0; f < m; f++) memcpy(slopes + f * n, s->jets + (3 * f + 1) * n, n * sizeof(double));
    rates(s, x, n, t, s->jets, right);
    if (velocity != NULL)
        for (size_t f = 0; f < m; f++)
            for (size_t i = 0; i < n; i++) right[f * n + i] += s->mass[f * n + i] * slopes[f * n + i] * velocity[i];
    at_site(s, s->jets, 0, here[0]);
    at_site(s, s->jets, n - 1, here[1]);
    for (size_t end = 0; end < 2; end++) {
        const size_t site = end ? n - 1 : 0, across = n - 1 - site;
        for (size_t f = 0; f < m; f++) {
            double *to = right + f * n + site;
            const double *tau = penalties + end * m * m + f;
            if (s->ends[end * m + f] >= 0) {
                const double found = missed(s, (size_t)s->ends[end * m + f], t, here[end], NULL);
                if (!s->weak[end * m + f]) *to = found;
                else
                    for (size_t a = 0; a < m; a++)
                        if (tau[a * m] != 0.0) right[a * n + site] -= tau[a * m] * found;
            } else if (s->periodic[f]) {
                if (s->orders[f] == 1) {
                    const double gap = values[f * n + site] - values[f * n + across];
                    for (size_t a = 0; a < m; a++)
                        if (tau[a * m] != 0.0) right[a * n + site] -= tau[a * m] * gap;
                } else if (end == 0) *to = values[f * n] - values[f * n + n - 1];
                else *to = (slopes[f * n] - slopes[f * n + n - 1]) / slope[0];
            }
        }
    }
    for (size_t k = 0; k < 2 * s->joints; k++) {
        size_t site, across;
        const int left = at_break(s, k, &site, &across);
        for (size_t f = 0; f < m; f++) {
            const double *u = values + f * n, *u_x = slopes + f * n;
            if (s->orders[f] == 1) right[f * n + site] -= penalties[((2 + k) * m + f) * m + f] * (u[site] - u[across]);
            else if (s->hosts[f] >= 0 && !left && s->fluxes[f] >= 0) {
                at_site(s, s->jets, across, here[0]);
                at_site(s, s->jets, site, here[1]);
                right[(size_t)s->hosts[f] * n + site] = value_at(s, (size_t)s->fluxes[f], x + across, t, here[0], NULL) -
                                                        value_at(s, (size_t)s->fluxes[f], x + site, t, here[1], NULL);
            } else if (s->hosts[f] >= 0)
                right[(size_t)s->hosts[f] * n + site] = left ? u[site] - u[across] : (u_x[across] - u_x[site]) / slope[across];
        }
    }
}

/* tau from nu/d^2 and v/d, inwards. */
static double penalty(double spread, double carried)
{
    const double held = spread > 0.0 ? HELD * (spread * spread * spread) / (spread * spread + carried * carried) : 0.0;
    return LARGER(DIFFUSED * spread + held + CARRIED * LARGER(carried, 0.0), 0.0);
}

/* tau by end and field, divided by what the field is multiplied with in its condition, then by site at a break, on the diagonals
   of (2 + 2 joints, m, m). */
void system_penalties(System *s, const double *x, const double *slope, const double *bend, double t, const double *values,
                      double *penalties)
{
    const size_t n = s->n, m = s->m;
    int any = 0;
    memset(penalties, 0, (2 + 2 * s->joints) * m * m * sizeof(double));
    for (size_t k = 0; k < 2 * m; k++) any |= s->weak[k] || ((s->periodic[k % m] || s->joints) && s->orders[k % m] == 1);
    if (!any) return;
    system_jets(s, slope, bend, values, 0, s->jets);
    double here[2][4 * MOST_MOVING], by[4 * MOST_MOVING], places[2] = {x[0], x[n - 1]};
    double *both = s->jets, *found = s->partials; /* jets at the two ends alone, (4m, 2) */
    for (size_t end = 0; end < 2; end++) at_site(s, s->jets, end ? n - 1 : 0, here[end]);
    for (size_t b = 0; b < 4 * m; b++)
        for (size_t end = 0; end < 2; end++) both[2 * b + end] = here[end][b];
    partials(s, places, 2, t, both, found);
    for (size_t end = 0; end < 2; end++) {
        const size_t site = end ? n - 1 : 0, next = end ? n - 2 : 1;
        const double gap = fabs(s->eta[next] - s->eta[site]) / slope[site];
        for (size_t f = 0; f < m; f++) {
            if (!s->weak[end * m + f] && !(s->periodic[f] && s->orders[f] == 1)) continue;
            const double speed = found[((m + f) * m + f) * 2 + end] * (end == 0 ? -1.0 : 1.0);
            const double tau = penalty(found[((2 * m + f) * m + f) * 2 + end] / (gap * gap), speed / gap);
            double factor = 1.0;
            if (s->ends[end * m + f] >= 0) {
                missed(s, (size_t)s->ends[end * m + f], t, here[end], by);
                factor = by[3 * f];
            }
            penalties[(end * m + f) * m + f] = factor != 0.0 ? tau / factor : 0.0;
        }
    }
    for (size_t k = 0; k < 2 * s->joints; k++) { /* a field flows in from the other side of a break */
        size_t site, across;
        const int left = at_break(s, k, &site, &across);
        const double gap = fabs(s->eta[left ? site - 1 : site + 1] - s->eta[site]) / slope[site];
        system_jets(s, slope, bend, values, 0, s->jets);
        at_site(s, s->jets, site, here[0]);
        memcpy(both, here[0], 4 * m * sizeof(double));
        partials(s, x + site, 1, t, both, found);
        for (size_t f = 0; f < m; f++)
            if (s->orders[f] == 1)
                penalties[((2 + k) * m + f) * m + f] = penalty(0.0, found[(m + f) * m + f] * (left ? 1.0 : -1.0) / gap);
    }
}

static int64_t position(const System *s, size_t field, size_t site) { return s->rank[site] * (int64_t)s->m + (int64_t)field; }

static void widen(Band *b, int64_t row, int64_t column)
{
    b->first[row] = SMALLER(b->first[row], column);
    b->last[row] = LARGER(b->last[row], column);
}

/* Which columns every row of the Jacobian reaches, made monotone, as elimination needs it. */
void system_profile(const System *s, Band *b)
{
    const size_t n = s->n, m = s->m, size = m * n;
    b->size = size;
    b->below = b->above = 0;
    for (size_t r = 0; r < size; r++) b->first[r] = b->last[r] = (int64_t)r;
    int joined = 0;
    for (size_t f = 0; f < m; f++) joined |= s->periodic[f] != 0;
    for (size_t i = 0; i < n; i++) {
        const size_t start = (size_t)s->near[i];
        int64_t low = s->rank[i], high = s->rank[i];
        for (size_t k = start; k <= start + s->order; k++) {
            low = SMALLER(low, s->rank[k]);
            high = LARGER(high, s->rank[k]);
        }
        for (size_t f = 0; f < m; f++) {
            widen(b, position(s, f, i), low * (int64_t)m);
            widen(b, position(s, f, i), high * (int64_t)m + (int64_t)m - 1);
        }
    }
    if (joined)
        for (size_t f = 0; f < m; f++)
            for (size_t end = 0; end < 2; end++) {
                const size_t site = end ? n - 1 : 0;
                widen(b, position(s, f, site), position(s, 0, n - 1 - site));
                widen(b, position(s, f, site), position(s, m - 1, n - 1 - site));
                for (size_t k = 0; k <= s->order; k++) widen(b, position(s, f, site), position(s, f, end ? k : 0));
            }
    for (size_t k = 0; k < 2 * s->joints; k++) {
        size_t site, across;
        at_break(s, k, &site, &across);
        for (size_t f = 0; f < m; f++) {
            const size_t start = (size_t)s->near[across], row = s->hosts[f] < 0 ? f : (size_t)s->hosts[f];
            for (size_t a = 0; a < m; a++) {
                widen(b, position(s, row, site), position(s, a, across));
                for (size_t j = 0; j <= s->order; j++) widen(b, position(s, row, site), position(s, a, start + j));
            }
        }
    }
    for (size_t r = 1; r < size; r++) b->last[r] = LARGER(b->last[r], b->last[r - 1]);
    for (size_t r = size - 1; r-- > 0;) b->first[r] = SMALLER(b->first[r], b->first[r + 1]);
    for (size_t r = 0; r < size; r++) {
        b->below = LARGER(b->below, (size_t)((int64_t)r - b->first[r]));
        b->above = LARGER(b->above, (size_t)(b->last[r] - (int64_t)r));
    }
}

static double *entry(const Band *b, int64_t row, int64_t column)
{
    return b->rows + row * (int64_t)band_width(b) + (column + (int64_t)b->below - row);
}

/* df/du at one time, into the rows of the band. */
void system_jacobian(System *s, const double *x, const double *slope, const double *bend, double t, const double *values,
                     const double *velocity, const double *penalties, Band *b)
{
    const size_t n = s->n, m = s->m, order = s->order;
    double here[2][4 * MOST_MOVING], by[4 * MOST_MOVING], *by_value = s->partials, *first = by_value + m * m * n;
    double *second = first + m * m * n;
    system_jets(s, slope, bend, values, 0, s->jets);
    at_site(s, s->jets, 0, here[0]);
    at_site(s, s->jets, n - 1, here[1]);
    partials(s, x, n, t, s->jets, s->partials);
    for (size_t a = 0; a < m * m; a++)
        for (size_t i = 0; i < n; i++) {
            double *p = first + a * n + i, *q = second + a * n + i;
            if (velocity != NULL && a % (m + 1) == 0) *p += s->mass[a / (m + 1) * n + i] * velocity[i];
            *p = *p * slope[i] + *q * bend[i];
            *q *= slope[i] * slope[i];
        }
    memset(b->rows, 0, b->size * band_width(b) * sizeof(double));
    int joined = 0;
    for (size_t end = 0; end < 2; end++) {
        const size_t site = end ? n - 1 : 0, across = n - 1 - site;
        for (size_t f = 0; f < m; f++) {
            const double *tau = penalties + end * m * m + f;
            if (s->ends[end * m + f] >= 0) {
                missed(s, (size_t)s->ends[end * m + f], t, here[end], by);
                for (size_t a = 0; a < m; a++) {
                    const size_t k = (f * m + a) * n + site;
                    if (s->weak[end * m + f])
                        for (size_t c = 0; c < m; c++) by_value[(c * m + a) * n + site] -= tau[c * m] * by[3 * a];
                    else {
                        by_value[k] = by[3 * a];
                        first[k] = by[3 * a + 1] * slope[site];
                        second[k] = 0.0;
                    }
                }
            } else if (s->periodic[f] && s->orders[f] == 1) {
                for (size_t c = 0; c < m; c++) {
                    by_value[(c * m + f) * n + site] -= tau[c * m];
                    if (tau[c * m] != 0.0) *entry(b, position(s, c, site), position(s, f, across)) += tau[c * m];
                }
                joined = 1;
            } else if (s->periodic[f]) {
                for (size_t a = 0; a < m; a++)
                    by_value[(f * m + a) * n + site] = first[(f * m + a) * n + site] = second[(f * m + a) * n + site] = 0.0;
                if (end == 0) {
                    by_value[(f * m + f) * n] = 1.0;
                    *entry(b, position(s, f, 0), position(s, f, n - 1)) -= 1.0;
                    joined = 1;
                } else first[(f * m + f) * n + n - 1] = -slope[n - 1] / slope[0];
            }
        }
    }
    for (size_t k = 0; k < 2 * s->joints; k++) {
        size_t site, across;
        const int left = at_break(s, k, &site, &across);
        for (size_t f = 0; f < m; f++) {
            if (s->orders[f] == 1) {
                by_value[(f * m + f) * n + site] -= penalties[((2 + k) * m + f) * m + f];
                *entry(b, position(s, f, site), position(s, f, across)) += penalties[((2 + k) * m + f) * m + f];
            } else if (s->hosts[f] >= 0) {
                const size_t host = (size_t)s->hosts[f];
                for (size_t a = 0; a < m; a++)
                    by_value[(host * m + a) * n + site] = first[(host * m + a) * n + site] = second[(host * m + a) * n + site] = 0.0;
                if (left) {
                    by_value[(host * m + f) * n + site] = 1.0;
                    *entry(b, position(s, host, site), position(s, f, across)) -= 1.0;
                } else if (s->fluxes[f] >= 0) {
                    const double *weights = s->one + across * (order + 1);
                    at_site(s, s->jets, across, here[0]);
                    at_site(s, s->jets, site, here[1]);
                    value_at(s, (size_t)s->fluxes[f], x + site, t, here[1], by);
                    for (size_t a = 0; a < m; a++) {
                        by_value[(host * m + a) * n + site] = -by[3 * a];
                        first[(host * m + a) * n + site] = -by[3 * a + 1] * slope[site];
                    }
                    value_at(s, (size_t)s->fluxes[f], x + across, t, here[0], by);
                    for (size_t a = 0; a < m; a++) {
                        *entry(b, position(s, host, site), position(s, a, across)) += by[3 * a];
                        for (size_t j = 0; j <= order; j++)
                            *entry(b, position(s, host, site), position(s, a, (size_t)s->near[across] + j)) +=
                                by[3 * a + 1] * slope[across] * weights[j];
                    }
                } else {
                    first[(host * m + f) * n + site] = -slope[site] / slope[across];
                    const double *weights = s->one + across * (order + 1);
                    for (size_t j = 0; j <= order; j++)
                        *entry(b, position(s, host, site), position(s, f, (size_t)s->near[across] + j)) += weights[j];
                }
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        const size_t start = (size_t)s->near[i];
        const double *one = s->one + i * (order + 1), *two = s->two + i * (order + 1);
        for (size_t f = 0; f < m; f++)
            for (size_t a = 0; a < m; a++) {
                const size_t k = (f * m + a) * n + i;
                const int64_t row = position(s, f, i);
                for (size_t j = 0; j <= order; j++)
                    *entry(b, row, position(s, a, start + j)) += first[k] * one[j] + second[k] * two[j];
                *entry(b, row, position(s, a, i)) += by_value[k];
            }
    }
    if (joined)
        for (size_t f = 0; f < m; f++)
            if (s->periodic[f] && s->orders[f] == 2)
                for (size_t j = 0; j <= order; j++) *entry(b, position(s, f, n - 1), position(s, f, j)) += s->one[j];
}
