/* One step of Radau IIA on sites that move, and the error carried along: the twin of solver/moving/step.py and estimate.py.

   Functions take contiguous arrays, keep no state and release the interpreter's lock. */

#include "moving.h"

#define ITERATIONS 20
#define DEPTH 6
#define ROUNDING 1e-12
#define BLURRED 1e-15
#define THINNEST 0.05
#define THICKEST 20.0
#define INSIDE 1.15
#define LATER 3.0
#define STUCK 30.0
#define STALE 0.05
#define SLOW 0.5
#define FARTHEST 1.5
#define UNFILTERED 5.0
#define ENDED 5.0
#define AHEAD 1e-3 /* of a field: smaller values are ahead of a front */
#define NOTHING 1e-8 /* of a column: what is left of it by others */
#define MOST_PROGRAMS (3 * MOST_MOVING)

/* discretise/moving and the method, as Python hands them over. */
typedef struct {
    size_t stages;
    double real, looked;
    const double *nodes, *inverse, *to_stages, *from_stages, *error, *dense, *pairs;
} Method;

typedef struct {
    System system;
    Coordinate coordinate;
    Method method;
    Program programs[MOST_PROGRAMS];
    Py_buffer own[16 + 3 * MOST_PROGRAMS + 8];
    size_t held;
} Layout;

static const void *taken(Layout *l, PyObject *tuple, Py_ssize_t at, size_t size, size_t count)
{
    PyObject *one = PyTuple_GetItem(tuple, at);
    if (one == NULL || PyObject_GetBuffer(one, &l->own[l->held], PyBUF_SIMPLE)) {
        PyErr_Clear();
        return NULL;
    }
    const Py_buffer *b = &l->own[l->held++];
    if ((size_t)b->len != size * count || (count && (uintptr_t)b->buf % size)) return NULL;
    return b->buf;
}

static void released(Layout *l)
{
    while (l->held > 0) PyBuffer_Release(&l->own[--l->held]);
}

static int within(const int64_t *values, size_t count, int64_t low, int64_t high)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] < low || values[i] >= high) return 0;
    return 1;
}

/* The equations on their sites from (shape, rank, order, kinds, eta, gaps, one, two, wide one, wide two, mass, inverse, places,
   clocks, programs); shape: n, m, order, order that checks, timed equations, whether their factors are numbers. */
static int read_system(Layout *l, PyObject *tuple)
{
    System *s = &l->system;
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != 15) return 0;
    const int64_t *shape = taken(l, tuple, 0, sizeof(int64_t), 6);
    if (shape == NULL || shape[0] < 8 || shape[0] > MOST_SITES || shape[1] < 1 || shape[1] > MOST_MOVING || shape[2] < 2 ||
        shape[2] >= shape[0] || shape[3] < shape[2] || shape[3] >= shape[0] || shape[4] < 0 || shape[4] > shape[1])
        return 0;
    const size_t n = s->n = (size_t)shape[0], m = s->m = (size_t)shape[1];
    s->order = (size_t)shape[2];
    s->wider = (size_t)shape[3];
    s->timed = (size_t)shape[4];
    s->constant = shape[5] != 0;
    PyObject *programs = PyTuple_GetItem(tuple, 14);
    if (!PyTuple_Check(programs)) return 0;
    const size_t count = (size_t)PyTuple_Size(programs);
    if (count < m || count > MOST_PROGRAMS) return 0;
    s->conditions = count - m;
    s->rank = taken(l, tuple, 1, sizeof(int64_t), n);
    s->rows = taken(l, tuple, 2, sizeof(int64_t), 2 * m);
    s->ends = taken(l, tuple, 3, sizeof(int64_t), 6 * m);
    s->eta = taken(l, tuple, 4, sizeof(double), n);
    s->gaps = taken(l, tuple, 5, sizeof(double), n);
    s->one = taken(l, tuple, 6, sizeof(double), n * (s->order + 1));
    s->two = taken(l, tuple, 7, sizeof(double), n * (s->order + 1));
    s->wide_one = taken(l, tuple, 8, sizeof(double), n * (s->wider + 1));
    s->wide_two = taken(l, tuple, 9, sizeof(double), n * (s->wider + 1));
    s->mass = taken(l, tuple, 10, sizeof(double), m * n);
    s->inverse = taken(l, tuple, 11, sizeof(double), s->constant ? s->timed * s->timed : 0);
    s->places = taken(l, tuple, 12, sizeof(double), s->conditions);
    s->clocks = taken(l, tuple, 13, sizeof(int64_t), count);
    if (!s->rank || !s->rows || !s->ends || !s->eta || !s->gaps || !s->one || !s->two || !s->wide_one || !s->wide_two || !s->mass ||
        !s->inverse || !s->places || !s->clocks)
        return 0;
    s->fields = s->rows + m;
    s->weak = s->ends + 2 * m;
    s->periodic = s->ends + 4 * m;
    s->orders = s->ends + 5 * m;
    if (!within(s->rank, n, 0, (int64_t)n) || !within(s->rows, 2 * m, 0, (int64_t)m) ||
        !within(s->ends, 2 * m, -1, (int64_t)s->conditions))
        return 0;
    s->programs = l->programs;
    for (size_t e = 0; e < count; e++) {
        PyObject *one = PyTuple_GetItem(programs, (Py_ssize_t)e);
        if (!PyTuple_Check(one) || PyTuple_Size(one) != 3) return 0;
        const Py_buffer *b = &l->own[l->held];
        for (Py_ssize_t i = 0; i < 3; i++, l->held++)
            if (PyObject_GetBuffer(PyTuple_GetItem(one, i), &l->own[l->held], PyBUF_SIMPLE)) {
                PyErr_Clear();
                return 0;
            }
        l->programs[e] = (Program){b[0].buf, (size_t)b[0].len / (2 * sizeof(int32_t)), 0, b[1].buf, b[2].buf,
                                   (size_t)b[1].len / sizeof(double), (size_t)b[2].len / sizeof(double), 4 * m, 0, 0};
        if (b[0].len % (Py_ssize_t)(2 * sizeof(int32_t)) || !program_fits(&l->programs[e]) ||
            !sized(&b[1], l->programs[e].number_count) || !sized(&b[2], l->programs[e].parameter_count) ||
            s->clocks[e] >= (int64_t)l->programs[e].parameter_count)
            return 0;
    }
    return 1;
}

/* The coordinate from (numbers, grading, pins, reach); numbers: left, right, width, slope, and whether it is pinned, held at the
   left and at the right end. */
static int read_coordinate(Layout *l, PyObject *tuple)
{
    Coordinate *c = &l->coordinate;
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != 4) return 0;
    PyObject *grading = PyTuple_GetItem(tuple, 1);
    const Py_ssize_t size = PyObject_Length(grading);
    if (size < 0 || size > MOST_GATES) {
        PyErr_Clear();
        return 0;
    }
    c->gates = (size_t)size;
    const double *numbers = taken(l, tuple, 0, sizeof(double), 7);
    c->grading = taken(l, tuple, 1, sizeof(double), c->gates);
    if (numbers == NULL || c->grading == NULL) return 0;
    c->left = numbers[0];
    c->right = numbers[1];
    c->width = numbers[2];
    c->slope = numbers[3];
    c->pinned = numbers[4] != 0.0;
    c->at_left = numbers[5] != 0.0;
    c->at_right = numbers[6] != 0.0;
    c->pins = taken(l, tuple, 2, sizeof(double), c->pinned ? c->gates : 0);
    c->reach = taken(l, tuple, 3, sizeof(double), c->pinned ? 2 * c->gates : 0);
    return c->pins != NULL && c->reach != NULL && (c->gates > 0 || !c->pinned);
}

/* The method from (numbers, stages): real eigenvalue, `looked`, nodes, A^-1, T, T^-1, E, P, pairs. */
static int read_method(Layout *l, PyObject *numbers, Py_ssize_t stages)
{
    if (stages < 1 || stages > MOST_STAGES || stages % 2 == 0) return 0;
    Method *r = &l->method;
    const size_t s = r->stages = (size_t)stages;
    if (PyObject_GetBuffer(numbers, &l->own[l->held], PyBUF_SIMPLE)) {
        PyErr_Clear();
        return 0;
    }
    const Py_buffer *b = &l->own[l->held++];
    if (!sized(b, 2 + 2 * s + 4 * s * s + s - 1)) return 0;
    const double *at = b->buf;
    r->real = at[0];
    r->looked = at[1];
    r->nodes = at + 2;
    r->inverse = r->nodes + s;
    r->to_stages = r->inverse + s * s;
    r->from_stages = r->to_stages + s * s;
    r->error = r->from_stages + s * s;
    r->dense = r->error + s;
    r->pairs = r->dense + s * s;
    return 1;
}

/* All that one step works with. */
typedef struct {
    Layout *l;
    size_t n, m, g, d, s, N;               /* sites, fields, gates, 2g, stages, unknowns */
    double t, step, drift, settle, noise;
    const double *gates, *values, *size;   /* at the start */
    const double *given;                   /* penalties, or NULL */
    Frame before, frame, between;          /* at the start, at the stages, at one time between them */
    double *rates;                         /* gates and their rates there, (2d,) */
    const int64_t *anchor;
    const unsigned char *fixed;
    double *stages, *changes, *velocity, *penalties; /* (s, 2, g), (s, m, n), (s, n), (2, m, m) */
    double *start, *slopes0, *right, *slopes;        /* (m, n) twice; (s, m, n) twice */
    double *transformed, *turned, *update, *scale, *u, *shift; /* (s, N) thrice, (N,), (m, n), (s, 2, g) */
    double *moved, *distances, *fit;                  /* (g, m, n), (g, n), scratch of gates */
    double *iterates, *residuals, *columns, *last;    /* (DEPTH, s N) thrice; two of (s N) */
    size_t kept, next;
    int begun;
    double *frame_scratch, *vector, *other;           /* of a solve, (N,) */
    Band real, pair[MOST_STAGES / 2];
    double *imaginary[MOST_STAGES / 2], *lower_imaginary[MOST_STAGES / 2], *jacobian;
} Step;

typedef struct {
    char *at;
    size_t used;
} Arena;

static void *part(Arena *a, size_t count, size_t size)
{
    void *found = a->at == NULL ? NULL : a->at + a->used;
    a->used += (count * size + 15) & ~(size_t)15;
    return found;
}

#define DOUBLES(count) part(a, (count), sizeof(double))

static void lay_band(Arena *a, Band *b, const Band *like)
{
    const size_t size = like->size, width = band_width(like);
    *b = *like;
    b->rows = DOUBLES(size * width);
    b->lower = DOUBLES(size * like->below + 1);
    b->pivot = part(a, size, sizeof(int64_t));
    b->end = part(a, size, sizeof(int64_t));
}

/* The scratch of a step; with no memory yet, only its size is found. */
static void lay(Step *w, Arena *a)
{
    const size_t n = w->n, m = w->m, g = w->g, s = w->s, N = w->N;
    double *system = DOUBLES(system_scratch(&w->l->system));
    if (system != NULL) system_arrange(&w->l->system, system);
    w->start = DOUBLES(N);
    w->slopes0 = DOUBLES(N);
    w->right = DOUBLES(s * N);
    w->slopes = DOUBLES(s * N);
    w->transformed = DOUBLES(s * N);
    w->turned = DOUBLES(s * N);
    w->update = DOUBLES(s * N);
    w->scale = DOUBLES(N);
    w->u = DOUBLES(N);
    w->shift = DOUBLES(s * 2 * g);
    w->moved = DOUBLES(g * N);
    w->distances = DOUBLES(g * n);
    w->fit = DOUBLES(gates_scratch(n, m));
    w->iterates = DOUBLES(DEPTH * s * N);
    w->residuals = DOUBLES(DEPTH * s * N);
    w->columns = DOUBLES(DEPTH * s * N);
    w->last = DOUBLES(2 * s * N);
    w->frame_scratch = DOUBLES(moving_frame_scratch(g));
    w->rates = DOUBLES(2 * w->d);
    w->between.x = DOUBLES(n);
    w->between.slope = DOUBLES(n);
    w->between.bend = DOUBLES(n);
    w->between.motion = DOUBLES(w->d * n);
    w->between.slopes = DOUBLES(w->d + 1);
    w->between.sigma = DOUBLES(n);
    w->vector = DOUBLES(N);
    w->other = DOUBLES(N);
    w->jacobian = DOUBLES(N * band_width(&w->real));
    w->between = (Frame){DOUBLES(n), DOUBLES(n), DOUBLES(n), DOUBLES(2 * g * n), DOUBLES(2 * g + 1), DOUBLES(n)};
    for (size_t k = 0; k < s / 2; k++) {
        lay_band(a, &w->pair[k], &w->real);
        w->imaginary[k] = DOUBLES(N * band_width(&w->real));
        w->lower_imaginary[k] = DOUBLES(N * w->real.below + 1);
    }
}

static void to_band(const Step *w, const double *from, double *to)
{
    const int64_t *rank = w->l->system.rank;
    for (size_t f = 0; f < w->m; f++)
        for (size_t i = 0; i < w->n; i++) to[(size_t)rank[i] * w->m + f] = from[f * w->n + i];
}

static void from_band(const Step *w, const double *from, double *to)
{
    const int64_t *rank = w->l->system.rank;
    for (size_t f = 0; f < w->m; f++)
        for (size_t i = 0; i < w->n; i++) to[f * w->n + i] = from[(size_t)rank[i] * w->m + f];
}

/* mu/h mass - J in factors. */
static int factored(Step *w)
{
    const System *s = &w->l->system;
    const Method *r = &w->l->method;
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

/* (s, s) times (s, N). */
static void combined(size_t s, size_t N, const double *matrix, const double *from, double *to)
{
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
static void newton_step(Step *w)
{
    const Method *r = &w->l->method;
    const size_t N = w->N;
    const double *mass = w->l->system.mass;
    combined(w->s, N, r->from_stages, w->right, w->turned);
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

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Anderson acceleration: the last few iterates and residuals, combined so that the residual is least. */
static void accelerate(Step *w, int mix)
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

static int all_finite(const double *values, size_t count)
{
    double poison = 0.0;
    for (size_t i = 0; i < count; i++) poison += 0.0 * values[i];
    return poison == 0.0;
}

/* How fast a gate moves, by weights of its places at the stages that turn the nodes into one. Of a steady motion, over many
   thicknesses of a front, every last digit counts: it is not weighted. */
static double gate_rate(const Step *w, const double *weights, size_t q)
{
    const double steady = w->stages[(w->s - 1) * w->d + q] - w->gates[q];
    double sum = 0.0;
    for (size_t k = 0; k < w->s; k++) sum += weights[k] * (w->stages[k * w->d + q] - w->gates[q] - w->l->method.nodes[k] * steady);
    return (steady + sum) / w->step;
}

static void placed(Step *w)
{
    const size_t n = w->n, d = w->d, s = w->s;
    if (w->g == 0) {
        for (size_t k = 0; k < s; k++) {
            memcpy(w->frame.x + k * n, w->before.x, n * sizeof(double));
            memcpy(w->frame.slope + k * n, w->before.slope, n * sizeof(double));
            memcpy(w->frame.bend + k * n, w->before.bend, n * sizeof(double));
            memcpy(w->frame.sigma + k * n, w->before.sigma, n * sizeof(double));
            w->frame.slopes[k] = w->before.slopes[0];
        }
        memset(w->velocity, 0, s * n * sizeof(double));
        return;
    }
    moving_frame(&w->l->coordinate, w->l->system.eta, n, s, w->stages, w->anchor, &w->frame, w->frame_scratch);
    for (size_t k = 0; k < s; k++) {
        double *to = w->velocity + k * n;
        memset(to, 0, n * sizeof(double));
        for (size_t q = 0; q < d; q++) {
            const double rate = gate_rate(w, w->l->method.inverse + k * s, q);
            const double *motion = w->frame.motion + (k * d + q) * n;
            for (size_t i = 0; i < n; i++) to[i] += rate * motion[i];
        }
    }
}

/* What is left to follow, (s, 2, g): the fit of what changed at points carried along with every gate. */
static double left_to_follow(Step *w)
{
    const System *s = &w->l->system;
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
        gates_follow(n, m, g, w->u, slopes, w->distances, stage + g, w->moved, w->size, s->gaps, w->fixed, shift, w->fit);
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
static void follow(Step *w, double share)
{
    const size_t n = w->n, m = w->m, g = w->g, d = w->d, N = w->N;
    for (size_t k = 0; k < w->s; k++)
        for (size_t i = 0; i < n; i++) {
            double carried = 0.0;
            for (size_t q = 0; q < d; q++) carried += w->frame.motion[(k * d + q) * n + i] * share * w->shift[k * d + q];
            for (size_t f = 0; f < m; f++) w->changes[k * N + f * n + i] += w->slopes[k * N + f * n + i] * carried;
        }
    combined(w->s, N, w->l->method.from_stages, w->changes, w->transformed);
    for (size_t k = 0; k < w->s; k++)
        for (size_t q = 0; q < d; q++) {
            double *to = w->stages + k * d + q;
            *to += share * w->shift[k * d + q];
            if (q >= g) *to = clipped(*to, THINNEST * w->gates[q], THICKEST * w->gates[q]);
        }
    placed(w);
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
    gates_follow(n, m, g, w->values, w->slopes0, w->distances, w->gates + g, w->moved, w->size, w->l->system.gaps, w->fixed,
                 found, w->fit);
}

/* Gates at the stages, from the last step ends (k <= 3 of them, oldest first); at the start from their velocity. */
static void foresee_gates(Step *w, const double *times, const double *trail, size_t count)
{
    const size_t d = w->d, g = w->g;
    if (count < 2) first_velocity(w, w->shift);
    for (size_t k = 0; k < w->s; k++) {
        const double at = w->t + w->l->method.nodes[k] * w->step;
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

static void right_sides(Step *w)
{
    System *s = &w->l->system;
    for (size_t k = 0; k < w->s; k++) {
        for (size_t i = 0; i < w->N; i++) w->u[i] = w->values[i] + w->changes[k * w->N + i];
        system_right(s, w->frame.x + k * w->n, w->frame.slope + k * w->n, w->frame.bend + k * w->n,
                     w->t + w->l->method.nodes[k] * w->step, w->u, w->velocity + k * w->n, w->penalties, 0,
                     w->right + k * w->N, w->slopes + k * w->N);
    }
}

/* mass (what is missed), solved by (mu/h mass - J), in its place. */
static void filtered(Step *w, double *missed)
{
    to_band(w, missed, w->other);
    band_solve(&w->real, w->other);
    from_band(w, w->other, missed);
}

/* The polynomial inside the step at theta: values into w->u, their rates in `ahead`, the gates and their rates, (d,) each. */
static void between(Step *w, double theta, double *ahead, double *gates, double *rates)
{
    const Method *r = &w->l->method;
    const size_t s = w->s, N = w->N, d = w->d;
    double value[MOST_STAGES] = {0.0}, slope[MOST_STAGES] = {0.0};
    memcpy(w->u, w->values, N * sizeof(double));
    memset(ahead, 0, N * sizeof(double));
    for (size_t k = 0; k < s; k++) {
        double power = 1.0;
        for (size_t p = 0; p < s; p++, power *= theta) {
            value[k] += r->dense[k * s + p] * power * theta;
            slope[k] += r->dense[k * s + p] * (double)(p + 1) * power;
        }
        for (size_t i = 0; i < N; i++) {
            w->u[i] += value[k] * w->changes[k * N + i];
            ahead[i] += slope[k] / w->step * w->changes[k * N + i];
        }
    }
    for (size_t q = 0; q < d; q++) {
        gates[q] = w->gates[q];
        for (size_t k = 0; k < s; k++) gates[q] += value[k] * (w->stages[k * d + q] - w->gates[q]);
        rates[q] = gate_rate(w, slope, q);
    }
}

/* The embedded method's difference and the error inside the step, (m, n) each. */
static void errors(Step *w, double *local, double *within_step)
{
    System *system = &w->l->system;
    const Method *r = &w->l->method;
    const size_t n = w->n, m = w->m, d = w->d, s = w->s, N = w->N, last = s - 1;
    const double *mass = system->mass;
    double *velocity = w->vector, *gates = w->rates, *rates = w->rates + d;
    between(w, 0.0, within_step, gates, rates);
    memset(velocity, 0, n * sizeof(double));
    for (size_t q = 0; q < d; q++)
        for (size_t i = 0; i < n; i++) velocity[i] += rates[q] * w->before.motion[q * n + i];
    for (size_t f = 0; f < m; f++)
        for (size_t i = 0; i < n; i++) {
            const size_t a = f * n + i;
            double sum = 0.0;
            for (size_t k = 0; k < s; k++) sum += r->error[k] * w->changes[k * N + a];
            local[a] = mass[a] * (w->start[a] + w->slopes0[a] * velocity[i] + sum / w->step);
        }
    filtered(w, local);
    between(w, r->looked, within_step, gates, rates);
    Frame *here = &w->between;
    if (w->g) {
        memcpy(here->sigma, w->frame.sigma + last * n, n * sizeof(double));
        moving_frame(&w->l->coordinate, system->eta, n, 1, gates, w->anchor, here, w->frame_scratch);
    } else {
        memcpy(here->x, w->before.x, n * sizeof(double));
        memcpy(here->slope, w->before.slope, n * sizeof(double));
        memcpy(here->bend, w->before.bend, n * sizeof(double));
    }
    memset(velocity, 0, n * sizeof(double));
    for (size_t q = 0; q < d; q++)
        for (size_t i = 0; i < n; i++) velocity[i] += rates[q] * here->motion[q * n + i];
    system_right(system, here->x, here->slope, here->bend, w->t + r->looked * w->step, w->u, velocity, w->penalties, 0, w->right,
                 w->slopes);
    for (size_t i = 0; i < N; i++) within_step[i] = INSIDE * (mass[i] * within_step[i] - w->right[i]);
    filtered(w, within_step);
}

/* Whether a field has no derivative in time. */
static int at_once(const System *s, size_t f)
{
    for (size_t e = s->timed; e < s->m; e++)
        if ((size_t)s->fields[e] == f) return 1;
    return 0;
}

enum { REFUSED, TAKEN };

/* mu/h mass - J in factors, where the stages are now. */
static int linearised(Step *w)
{
    const size_t n = w->n, N = w->N, middle = w->s / 2;
    for (size_t i = 0; i < N; i++) w->u[i] = w->values[i] + w->changes[middle * N + i];
    Band rows = w->real;
    rows.rows = w->jacobian;
    system_jacobian(&w->l->system, w->frame.x + middle * n, w->frame.slope + middle * n, w->frame.bend + middle * n,
                    w->t + w->l->method.nodes[middle] * w->step, w->u, w->velocity + middle * n, w->penalties, &rows);
    return all_finite(w->jacobian, N * band_width(&rows)) && factored(w);
}

/* Returns whether the equations of the step were solved; `iterations` how many it took. */
static int iterate(Step *w, const double *times, const double *trail, size_t count, double *local, double *within_step,
                   int *iterations)
{
    System *s = &w->l->system;
    const Method *r = &w->l->method;
    const size_t n = w->n, m = w->m, g = w->g, N = w->N, size = w->s * N;
    double thinnest = INFINITY;
    for (size_t j = 0; j < g; j++) thinnest = SMALLER(thinnest, w->gates[g + j]);
    if (w->given != NULL) memcpy(w->penalties, w->given, 2 * m * m * sizeof(double));
    else system_penalties(s, w->before.x, w->before.slope, w->before.bend, w->t, w->values, w->penalties);
    system_right(s, w->before.x, w->before.slope, w->before.bend, w->t, w->values, NULL, w->penalties, 0, w->start, w->slopes0);
    if (g) foresee_gates(w, times, trail, count);
    if (!all_finite(w->stages, w->s * w->d)) return REFUSED;
    placed(w);
    if (!all_finite(w->frame.x, w->s * n) || !all_finite(w->frame.slope, w->s * n)) return REFUSED;
    if (!linearised(w)) return REFUSED;
    for (size_t f = 0; f < m; f++)
        for (size_t i = 0; i < n; i++) w->scale[f * n + i] = w->size[f] + fabs(w->values[f * n + i]);
    const double noise = ROUNDING + (g ? BLURRED * w->step / thinnest : 0.0);
    combined(w->s, N, r->from_stages, w->changes, w->transformed);
    int following = g > 0, converged = 0, fresh = 1, renewed = 0, iteration = 0, best_at = 0;
    double last = INFINITY, best = INFINITY, nearer = INFINITY;
    for (; iteration < ITERATIONS; iteration++) {
        combined(w->s, N, r->to_stages, w->transformed, w->changes);
        right_sides(w);
        if (!all_finite(w->right, size)) return REFUSED;
        newton_step(w);
        double sum = 0.0;
        for (size_t k = 0; k < w->s; k++)
            for (size_t i = 0; i < N; i++) {
                const double part = w->update[k * N + i] / w->scale[i];
                sum += part * part;
            }
        const double norm = sqrt(sum / (double)size);
        if (!(norm < INFINITY)) return REFUSED;
        const double rate = last < INFINITY ? norm / last : INFINITY;
        if (fresh) {
            best = INFINITY;
            best_at = iteration;
            w->kept = w->next = 0;
            w->begun = 0;
        } else if (iteration > 3 && (norm > 20.0 * best || iteration - best_at > 4)) {
            converged = best < 100.0 * noise;
            if (!converged) return REFUSED;
            break;
        }
        if (norm <= best) {
            best = norm;
            best_at = iteration;
        }
        accelerate(w, iteration >= 2 && !fresh);
        fresh = 0;
        last = norm;
        if (following) {
            combined(w->s, N, r->to_stages, w->transformed, w->changes);
            const double off = left_to_follow(w);
            if (!(off < INFINITY)) return REFUSED;
            const int stuck = iteration >= 3 && off > SLOW * nearer;
            nearer = off;
            if (off > w->drift * (iteration < 3 ? 1.0 : stuck ? STUCK : LATER)) {
                follow(w, SMALLER(1.0, FARTHEST / off));
                fresh = 1;
                last = INFINITY;
                continue;
            }
            following = iteration < 1;
        }
        if (norm <= LARGER(w->settle, noise) || (rate < 0.3 && rate * norm < w->settle)) {
            converged = 1;
            break;
        }
        if (rate > STALE && rate < INFINITY && !renewed) {
            combined(w->s, N, r->to_stages, w->transformed, w->changes);
            if (!linearised(w)) return REFUSED;
            fresh = renewed = 1;
            last = INFINITY;
        }
    }
    *iterations = SMALLER(iteration, ITERATIONS - 1) + 1;
    if (!converged && last > 1e3 * w->settle) return REFUSED;
    combined(w->s, N, r->to_stages, w->transformed, w->changes);
    for (size_t i = 0; i < w->s * n; i++)
        if (!(w->frame.slope[i] > 0.0)) return REFUSED;
    for (size_t i = 0; g && i < w->s * ((w->l->coordinate.pinned ? w->d : 0) + 1); i++)
        if (!(w->frame.slopes[i] > 0.0)) return REFUSED;
    if (!all_finite(w->frame.x, w->s * n)) return REFUSED;
    errors(w, local, within_step);
    return TAKEN;
}

/* The error at the end of the step that the one at its start becomes, and what differences in space add: (m, n) each.

   Both by the method itself, R(h J) = sum Re w_k mu_k/h (mu_k/h mass - J)^-1 mass. */
static void carry(Step *w, const double *error, double *old, double *fresh)
{
    System *s = &w->l->system;
    const Method *r = &w->l->method;
    const size_t n = w->n, N = w->N, stages = w->s, last = stages - 1;
    const double *x = w->frame.x + last * n, *slope = w->frame.slope + last * n, *bend = w->frame.bend + last * n;
    double *sides = w->right, *source = w->iterates, *kept = source + N, *became = kept + N, *added = became + N;
    for (size_t i = 0; i < N; i++) w->u[i] = w->values[i] + w->changes[last * N + i];
    for (int checking = 0; checking < 2; checking++)
        system_right(s, x, slope, bend, w->t + w->step, w->u, w->velocity + last * n, w->penalties, checking,
                     sides + (size_t)checking * N, w->slopes);
    for (size_t i = 0; i < N; i++) {
        const int counted = s->mass[i] != 0.0 || s->timed < w->m; /* what follows at once spreads errors of conditions */
        sides[i] = counted ? sides[N + i] - sides[i] : 0.0;
        sides[N + i] = error[i] * s->mass[i] / w->step;
    }
    to_band(w, sides, source);
    to_band(w, sides + N, kept);
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
            double *sum = own ? added : became;
            for (size_t i = 0; i < N; i++) {
                w->vector[i] = own ? source[i] : p * kept[i];
                w->other[i] = own ? 0.0 : q * kept[i];
            }
            if (k)
                band_solve_pair(&w->pair[k - 1], w->imaginary[k - 1], w->lower_imaginary[k - 1], w->vector, w->other);
            else
                band_solve(&w->real, w->vector);
            for (size_t i = 0; i < N; i++)
                sum[i] = (k ? sum[i] : 0.0) + weight * w->vector[i] - turned * w->other[i];
        }
    }
    from_band(w, became, old);
    from_band(w, added, fresh);
}

/* What is added gets the sign that makes the error grow, region by region; site by site where a field has next to no size
   (w->u has it at the end of the step), for what is wrong ahead of a front may grow until it arrives. */
static void add_growing(const Step *w, double *error, const double *added, double factor, const int64_t *regions, size_t count)
{
    for (size_t f = 0; f < w->m; f++)
        for (size_t k = 0; k < count; k++) {
            const size_t begin = (size_t)regions[k], end = k + 1 < count ? (size_t)regions[k + 1] : w->n;
            double agree = 0.0;
            for (size_t i = begin; i < end; i++) agree += error[f * w->n + i] * (factor * added[f * w->n + i]);
            for (size_t i = begin; i < end; i++) {
                const double own = factor * added[f * w->n + i], here = error[f * w->n + i];
                const int alone = fabs(w->u[f * w->n + i]) < AHEAD * w->size[f];
                error[f * w->n + i] += (alone ? here * own >= 0.0 : agree >= 0.0) ? own : -own;
            }
        }
}

/* The whole error at the end of the step, into `error`; found are the largest one in time, relative to size and values, and what
   differences in space add. */
static void grow(Step *w, double *error, const double *added, const double *local, const double *within_step,
                 const int64_t *regions, size_t count, double *embedded, double *spatial)
{
    const double *change = w->changes + (w->s - 1) * w->N;
    double ending = 0.0, inside = 0.0, changed = 0.0;
    for (size_t f = 0; f < w->m; f++) {
        const int instant = at_once(&w->l->system, f);
        for (size_t i = 0; i < w->n; i++) {
            const size_t a = f * w->n + i;
            const double one = fabs(local[a]), two = fabs(within_step[a]), more = LARGER(one, two) / w->scale[a];
            ending = LARGER(ending, one / w->size[f]);
            if (!instant) inside = LARGER(inside, two / w->size[f]);
            changed = LARGER(changed, fabs(change[a]) / w->size[f]);
            if (!(more <= *embedded)) *embedded = more;
            *spatial = LARGER(*spatial, fabs(added[a]) / w->size[f]);
        }
    }
    const double left = inside > 0.0 ? 1.0 - ending / (UNFILTERED * inside) : 0.0;
    const double stiff = left > 0.0 ? (double)w->s * left * left * left * left : 0.0;
    const double root = ENDED * sqrt(ending / LARGER(SMALLER(changed, 1.0), 1e-300));
    const double factor = LARGER(stiff, SMALLER(1.0, root));
    add_growing(w, error, added, 1.0, regions, count);
    add_growing(w, error, local, factor, regions, count);
}

static PyObject *misfit(void)
{
    PyErr_SetString(PyExc_ValueError, "the arrays do not fit together");
    return NULL;
}

/* Buffers of a tuple, contiguous doubles but for one of 64-bit and one of 8-bit numbers; `most` of them. */
static int opened(PyObject *tuple, Py_buffer *to, size_t *held, size_t count, int flags)
{
    if (!PyTuple_Check(tuple) || (size_t)PyTuple_Size(tuple) != count) return 0;
    for (size_t i = 0; i < count; i++) {
        if (PyObject_GetBuffer(PyTuple_GetItem(tuple, (Py_ssize_t)i), &to[*held], flags)) {
            PyErr_Clear();
            return 0;
        }
        ++*held;
    }
    return 1;
}

/* gates, values, size, x, slope, bend, motion, slopes, anchor, sigma, fixed, error, times, trail, regions, penalties or none */
#define STATE 16
#define FOUND 11 /* changes, gates, x, slope, bend, motion, slopes, sigma, local, within, error */

/* moving_step(system, coordinate, method, stages, state, found, t, step, drift, settle)
   -> (whether it was taken, iterations, the largest error in time, what differences in space add to the error)

   `found` has the first guess of the changes, and where the iteration for sigma begins. */
PyObject *moving_step(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *system, *coordinate, *method, *state, *found;
    Py_ssize_t stages;
    double t, step, drift, settle;
    int outcome = REFUSED, iterations = 0, memory = 1;
    double embedded = 0.0, spatial = 0.0;
    if (!PyArg_ParseTuple(args, "OOOnOOdddd", &system, &coordinate, &method, &stages, &state, &found, &t, &step, &drift, &settle))
        return NULL;
    Layout *l = calloc(1, sizeof *l);
    Step *w = calloc(1, sizeof *w);
    Py_buffer b[STATE + FOUND];
    size_t held = 0;
    int fits = l != NULL && w != NULL && PyTuple_Check(state) && PyTuple_Check(found) && read_system(l, system) &&
               read_coordinate(l, coordinate) && read_method(l, method, stages) &&
               opened(state, b, &held, STATE, PyBUF_SIMPLE) && opened(found, b, &held, FOUND, PyBUF_WRITABLE);
    if (fits) {
        const Py_buffer *o = b + STATE;
        w->l = l;
        const size_t n = w->n = l->system.n, m = w->m = l->system.m, g = w->g = l->coordinate.gates, s = w->s = (size_t)stages;
        const size_t N = w->N = n * m, d = w->d = 2 * g, k = l->coordinate.pinned ? d : 0;
        const size_t trail = (size_t)b[12].len / sizeof(double), regions = (size_t)b[14].len / sizeof(int64_t);
        fits = sized(&b[0], d) && sized(&b[1], N) && sized(&b[2], m) && sized(&b[3], n) && sized(&b[4], n) && sized(&b[5], n) &&
               sized(&b[6], d * n) && sized(&b[7], k + 1) && (size_t)b[8].len == n * sizeof(int64_t) && sized(&b[9], n) &&
               (size_t)b[10].len == d && sized(&b[11], N) && sized(&b[12], trail) && trail <= 3 && sized(&b[13], trail * d) &&
               sized(&o[0], s * N) && sized(&o[1], s * d) && sized(&o[2], s * n) && sized(&o[3], s * n) && sized(&o[4], s * n) &&
               sized(&o[5], s * d * n) && sized(&o[6], s * (k + 1)) && sized(&o[7], s * n) && sized(&o[8], N) &&
               sized(&o[9], N) && sized(&o[10], N) && step > 0.0 && regions >= 1 && regions <= MOST_GATES + 1 &&
               (size_t)b[14].len == regions * sizeof(int64_t) && (uintptr_t)b[14].buf % sizeof(int64_t) == 0 &&
               within(b[14].buf, regions, 0, (int64_t)n) && (b[15].len == 0 || sized(&b[15], 2 * m * m)) &&
               (uintptr_t)b[8].buf % sizeof(int64_t) == 0 && (g == 0 || within(b[8].buf, n, 0, (int64_t)g));
        if (fits) {
            w->t = t;
            w->step = step;
            w->drift = drift;
            w->settle = settle;
            w->gates = b[0].buf;
            w->values = b[1].buf;
            w->size = b[2].buf;
            w->before = (Frame){b[3].buf, b[4].buf, b[5].buf, b[6].buf, b[7].buf, b[9].buf};
            w->anchor = b[8].buf;
            w->fixed = b[10].buf;
            w->given = b[15].len ? b[15].buf : NULL;
            w->changes = o[0].buf;
            w->stages = o[1].buf;
            w->frame = (Frame){o[2].buf, o[3].buf, o[4].buf, o[5].buf, o[6].buf, o[7].buf};
            Py_BEGIN_ALLOW_THREADS
            Band *band = &w->real;
            int64_t *profile = malloc(2 * N * sizeof(int64_t));
            char *block = NULL;
            if (profile != NULL) {
                band->first = profile;
                band->last = profile + N;
                system_profile(&l->system, band);
                Arena arena = {NULL, 0};
                for (int twice = 0; twice < 2; twice++) {
                    if (twice) {
                        block = malloc(arena.used);
                        if (block == NULL) break;
                        arena = (Arena){block, 0};
                    }
                    Arena *a = &arena;
                    const Band like = *band;
                    Band own;
                    lay_band(a, &own, &like);
                    w->velocity = DOUBLES(s * n);
                    w->penalties = DOUBLES(2 * m * m);
                    if (twice) *band = own;
                    lay(w, a);
                }
            }
            memory = block != NULL;
            if (memory) {
                outcome = iterate(w, b[12].buf, b[13].buf, trail, o[8].buf, o[9].buf, &iterations);
                if (outcome == TAKEN) {
                    carry(w, b[11].buf, o[10].buf, w->turned);
                    grow(w, o[10].buf, w->turned, o[8].buf, o[9].buf, b[14].buf, regions, &embedded, &spatial);
                }
            }
            free(block);
            free(profile);
            Py_END_ALLOW_THREADS
        }
    }
    while (held > 0) PyBuffer_Release(&b[--held]);
    if (l != NULL) released(l);
    const int there = l != NULL && w != NULL;
    free(l);
    free(w);
    if (!there || !memory) return PyErr_NoMemory();
    if (!fits) return misfit();
    return Py_BuildValue("(iidd)", outcome, iterations, embedded, spatial);
}

/* moving_sites(coordinate, eta, gates, anchor, found, stages): found as the frame of a step, its sigma to begin with. */
PyObject *moving_sites(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *coordinate, *found;
    Py_buffer eta, gates, anchor, b[6];
    Py_ssize_t stages;
    size_t held = 0;
    int memory = 1;
    if (!PyArg_ParseTuple(args, "Oy*y*y*On", &coordinate, &eta, &gates, &anchor, &found, &stages)) return NULL;
    Layout *l = calloc(1, sizeof *l);
    int fits = l != NULL && stages > 0 && stages <= 1024 && read_coordinate(l, coordinate) &&
               opened(found, b, &held, 6, PyBUF_WRITABLE);
    if (fits) {
        const size_t n = (size_t)eta.len / sizeof(double), g = l->coordinate.gates, d = 2 * g, s = (size_t)stages;
        const size_t k = l->coordinate.pinned ? d : 0;
        fits = g > 0 && n > 1 && n <= MOST_SITES && sized(&eta, n) && sized(&gates, s * d) &&
               (size_t)anchor.len == n * sizeof(int64_t) && (uintptr_t)anchor.buf % sizeof(int64_t) == 0 &&
               within(anchor.buf, n, 0, (int64_t)g) && sized(&b[0], s * n) && sized(&b[1], s * n) && sized(&b[2], s * n) &&
               sized(&b[3], s * d * n) && sized(&b[4], s * (k + 1)) && sized(&b[5], s * n);
        if (fits) {
            Frame frame = {b[0].buf, b[1].buf, b[2].buf, b[3].buf, b[4].buf, b[5].buf};
            Py_BEGIN_ALLOW_THREADS
            double *scratch = malloc(moving_frame_scratch(g) * sizeof(double));
            memory = scratch != NULL;
            if (memory) moving_frame(&l->coordinate, eta.buf, n, s, gates.buf, anchor.buf, &frame, scratch);
            free(scratch);
            Py_END_ALLOW_THREADS
        }
    }
    while (held > 0) PyBuffer_Release(&b[--held]);
    PyBuffer_Release(&eta);
    PyBuffer_Release(&gates);
    PyBuffer_Release(&anchor);
    if (l != NULL) released(l);
    const int there = l != NULL;
    free(l);
    if (!there || !memory) return PyErr_NoMemory();
    if (!fits) return misfit();
    Py_RETURN_NONE;
}

/* moving_eta(coordinate, gates, x, eta): eta at places x. */
PyObject *moving_eta(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *coordinate;
    Py_buffer gates, x, eta;
    int memory = 1;
    if (!PyArg_ParseTuple(args, "Oy*y*w*", &coordinate, &gates, &x, &eta)) return NULL;
    Layout *l = calloc(1, sizeof *l);
    int fits = l != NULL && read_coordinate(l, coordinate);
    if (fits) {
        const size_t count = (size_t)x.len / sizeof(double), g = l->coordinate.gates;
        fits = g > 0 && sized(&gates, 2 * g) && sized(&x, count) && sized(&eta, count);
        if (fits) {
            Py_BEGIN_ALLOW_THREADS
            double *scratch = malloc(moving_frame_scratch(g) * sizeof(double));
            memory = scratch != NULL;
            if (memory) moving_along(&l->coordinate, gates.buf, x.buf, count, eta.buf, scratch);
            free(scratch);
            Py_END_ALLOW_THREADS
        }
    }
    PyBuffer_Release(&gates);
    PyBuffer_Release(&x);
    PyBuffer_Release(&eta);
    if (l != NULL) released(l);
    const int there = l != NULL;
    free(l);
    if (!there || !memory) return PyErr_NoMemory();
    if (!fits) return misfit();
    Py_RETURN_NONE;
}

/* moving_sides(system, t, x, slope, bend, values, velocity or None, penalties or None, checking, found, jacobian or None):
   f and u_x, (m, n) each, at one stage, and where it is asked for df/du in the band storage of LAPACK, (3 band + 1, m n). Without
   penalties these are found, (2, m, m), and nothing else. */
PyObject *moving_sides(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *system, *found;
    double t;
    int checking, memory = 1;
    Py_buffer b[7], to[3];
    size_t held = 0;
    if (!PyArg_ParseTuple(args, "Ody*y*y*y*z*z*pOz*", &system, &t, &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &checking, &found,
                          &b[6]))
        return NULL;
    const int given = b[5].buf != NULL;
    Layout *l = calloc(1, sizeof *l);
    int fits = l != NULL && read_system(l, system) && opened(found, to, &held, given ? 2 : 1, PyBUF_WRITABLE);
    if (fits) {
        System *s = &l->system;
        const size_t n = s->n, m = s->m, N = n * m;
        fits = sized(&b[0], n) && sized(&b[1], n) && sized(&b[2], n) && sized(&b[3], N) && (b[4].buf == NULL || sized(&b[4], n)) &&
               (given ? sized(&b[5], 2 * m * m) && sized(&to[0], N) && sized(&to[1], N) : sized(&to[0], 2 * m * m)) &&
               (b[6].buf == NULL || (given && !b[6].readonly && (size_t)b[6].len % (N * sizeof(double)) == 0));
        if (fits) {
            const size_t storage = (size_t)b[6].len / (N * sizeof(double)), reach = (storage - 1) / 3;
            double *jacobian = b[6].buf;
            int tight = 0;
            Py_BEGIN_ALLOW_THREADS
            double *scratch = malloc((system_scratch(s) + N) * sizeof(double)), *rows = NULL;
            int64_t *profile = malloc(2 * N * sizeof(int64_t));
            memory = scratch != NULL && profile != NULL;
            if (memory) system_arrange(s, scratch);
            if (memory && !given) system_penalties(s, b[0].buf, b[1].buf, b[2].buf, t, b[3].buf, to[0].buf);
            else if (memory) {
                system_right(s, b[0].buf, b[1].buf, b[2].buf, t, b[3].buf, b[4].buf, b[5].buf, checking, to[0].buf, to[1].buf);
                if (jacobian != NULL) {
                    Band band = {0};
                    band.first = profile;
                    band.last = profile + N;
                    system_profile(s, &band);
                    tight = storage < 1 || storage != 3 * reach + 1 || band.below > reach || band.above > reach;
                    rows = tight ? NULL : malloc(N * band_width(&band) * sizeof(double));
                    memory = tight || rows != NULL;
                    if (rows != NULL) {
                        band.rows = rows;
                        system_jacobian(s, b[0].buf, b[1].buf, b[2].buf, t, b[3].buf, b[4].buf, b[5].buf, &band);
                        memset(jacobian, 0, storage * N * sizeof(double));
                        for (size_t r = 0; r < N; r++)
                            for (size_t c = r > band.below ? r - band.below : 0; c <= r + band.above && c < N; c++)
                                jacobian[(2 * reach + r - c) * N + c] = rows[r * band_width(&band) + c + band.below - r];
                    }
                }
            }
            free(rows);
            free(scratch);
            free(profile);
            Py_END_ALLOW_THREADS
            fits = !tight;
        }
    }
    while (held > 0) PyBuffer_Release(&to[--held]);
    for (size_t i = 0; i < 7; i++) PyBuffer_Release(&b[i]);
    if (l != NULL) released(l);
    const int there = l != NULL;
    free(l);
    if (!there || !memory) return PyErr_NoMemory();
    if (!fits) return misfit();
    Py_RETURN_NONE;
}
