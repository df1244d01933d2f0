/* The calls on sites that move: what Python hands over is read here, and checked.

   Functions take contiguous arrays, keep no state and release the interpreter's lock. */

#include "arguments.h"
#include "moving_step.h"

#define MOST_HELD (49 + 3 * MOST_PROGRAMS)

/* What a call holds until it is over, and whether all of it fitted so far. */
typedef struct {
    size_t count;
    int fits;
    Py_buffer own[MOST_HELD];
} Held;

/* The buffers of a tuple, read one after the other. */
typedef struct {
    Held *held;
    PyObject *tuple;
    Py_ssize_t next;
    int flags;
} Items;

static Items items_of(Held *held, PyObject *tuple, Py_ssize_t count, int flags)
{
    held->fits = held->fits && PyTuple_Check(tuple) && PyTuple_Size(tuple) == count;
    return (Items){held, tuple, 0, flags};
}

/* The next of them, and how many numbers of `size` bytes it has; NULL once something did not fit. */
static void *several(Items *from, size_t size, size_t *count)
{
    Held *held = from->held;
    *count = 0;
    if (!held->fits) return NULL;
    PyObject *one = PyTuple_GetItem(from->tuple, from->next++);
    Py_buffer *b = &held->own[held->count];
    held->fits = held->count < MOST_HELD && one != NULL && !PyObject_GetBuffer(one, b, from->flags);
    if (!held->fits) {
        PyErr_Clear();
        return NULL;
    }
    held->count++;
    *count = (size_t)b->len / size;
    held->fits = (size_t)b->len % size == 0 && (b->len == 0 || (uintptr_t)b->buf % size == 0);
    return b->buf;
}

static void *exactly(Items *from, size_t size, size_t count)
{
    size_t there;
    void *found = several(from, size, &there);
    from->held->fits = from->held->fits && there == count;
    return found;
}

static double *numbers(Items *from, size_t count) { return exactly(from, sizeof(double), count); }

static int64_t *whole(Items *from, size_t count) { return exactly(from, sizeof(int64_t), count); }

static int within(const int64_t *values, size_t count, int64_t low, int64_t high)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] < low || values[i] >= high) return 0;
    return 1;
}

/* The equations on their sites from (shape, rank, order, kinds, eta, gaps, one, two, wide one, wide two, mass, inverse, places,
   clocks, counted, near, joints, programs); shape: n, m, order, order that checks, timed equations, whether their factors are
   numbers, breaks; near: where differences begin, and those that check; joints: sites left of breaks, hosts, fluxes. */
static int system_from(System *s, Held *held, PyObject *tuple)
{
    Items from = items_of(held, tuple, 18, PyBUF_SIMPLE);
    const int64_t *shape = whole(&from, 7);
    if (!held->fits || shape[0] < 8 || shape[0] > MOST_SITES || shape[1] < 1 || shape[1] > MOST_MOVING || shape[2] < 2 ||
        shape[2] >= shape[0] || shape[3] < shape[2] || shape[3] >= shape[0] || shape[4] < 0 || shape[4] > shape[1] ||
        shape[6] < 0 || shape[6] > shape[0] / 4)
        return 0;
    const size_t n = s->n = (size_t)shape[0], m = s->m = (size_t)shape[1];
    s->order = (size_t)shape[2];
    s->wider = (size_t)shape[3];
    s->timed = (size_t)shape[4];
    s->constant = shape[5] != 0;
    s->joints = (size_t)shape[6];
    PyObject *programs = PyTuple_GetItem(tuple, 17);
    if (!PyTuple_Check(programs)) return 0;
    const size_t count = (size_t)PyTuple_Size(programs);
    if (count < m || count > MOST_PROGRAMS) return 0;
    s->conditions = count - m;
    s->rank = whole(&from, n);
    s->rows = whole(&from, 2 * m);
    s->ends = whole(&from, 6 * m);
    s->eta = numbers(&from, n);
    s->gaps = numbers(&from, n);
    s->one = numbers(&from, n * (s->order + 1));
    s->two = numbers(&from, n * (s->order + 1));
    s->wide_one = numbers(&from, n * (s->wider + 1));
    s->wide_two = numbers(&from, n * (s->wider + 1));
    s->mass = numbers(&from, m * n);
    s->inverse = numbers(&from, s->constant ? s->timed * s->timed : 0);
    s->places = numbers(&from, s->conditions);
    s->clocks = whole(&from, count);
    s->counted = numbers(&from, m * n);
    s->near = whole(&from, 2 * n);
    s->left_of = whole(&from, s->joints + 2 * m);
    if (!held->fits) return 0;
    s->fields = s->rows + m;
    s->weak = s->ends + 2 * m;
    s->periodic = s->ends + 4 * m;
    s->orders = s->ends + 5 * m;
    s->wide_near = s->near + n;
    s->hosts = s->left_of + s->joints;
    s->fluxes = s->hosts + m;
    if (!within(s->rank, n, 0, (int64_t)n) || !within(s->rows, 2 * m, 0, (int64_t)m) ||
        !within(s->ends, 2 * m, -1, (int64_t)s->conditions) || !within(s->near, n, 0, (int64_t)(n - s->order)) ||
        !within(s->wide_near, n, 0, (int64_t)(n - s->wider)) || !within(s->left_of, s->joints, 1, (int64_t)n - 2) ||
        !within(s->hosts, m, -1, (int64_t)m) || !within(s->fluxes, m, -1, (int64_t)count))
        return 0;
    for (size_t e = 0; e < count; e++) {
        const Py_buffer *b = &held->own[held->count];
        Items code = items_of(held, PyTuple_GetItem(programs, (Py_ssize_t)e), 3, PyBUF_SIMPLE);
        for (size_t i = 0, bytes; i < 3; i++) several(&code, 1, &bytes);
        if (!held->fits || !program_from(&s->programs[e], b, 4 * m, 0) ||
            s->clocks[e] >= (int64_t)s->programs[e].parameter_count)
            return 0;
    }
    return 1;
}

/* The coordinate from (numbers, grading, pins, reach); numbers: left, right, width, slope, and whether it is pinned, held at the
   left and at the right end. */
static int coordinate_from(Coordinate *c, Held *held, PyObject *tuple)
{
    Items from = items_of(held, tuple, 4, PyBUF_SIMPLE);
    const double *given = numbers(&from, 7);
    c->grading = several(&from, sizeof(double), &c->gates);
    if (!held->fits || c->gates > MOST_GATES) return 0;
    c->left = given[0];
    c->right = given[1];
    c->width = given[2];
    c->slope = given[3];
    c->pinned = given[4] != 0.0;
    c->at_left = given[5] != 0.0;
    c->at_right = given[6] != 0.0;
    c->pins = numbers(&from, c->pinned ? c->gates : 0);
    c->reach = numbers(&from, c->pinned ? 2 * c->gates : 0);
    return held->fits && (c->gates > 0 || !c->pinned);
}

/* The method from its numbers: real eigenvalue, `looked`, nodes, A^-1, T, T^-1, E, P, pairs. */
static int method_from(Method *r, const Py_buffer *b, Py_ssize_t stages)
{
    if (stages < 1 || stages > MOST_STAGES || stages % 2 == 0) return 0;
    const size_t s = r->stages = (size_t)stages;
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

/* The sites at s stages: x, slope, bend, motion, slopes, sigma. */
static Frame frame_from(Items *from, const Coordinate *c, size_t n, size_t s)
{
    const size_t d = 2 * c->gates;
    Frame found;
    found.x = numbers(from, s * n);
    found.slope = numbers(from, s * n);
    found.bend = numbers(from, s * n);
    found.motion = numbers(from, s * d * n);
    found.slopes = numbers(from, s * ((c->pinned ? d : 0) + 1));
    found.sigma = numbers(from, s * n);
    return found;
}

/* Where a step begins: gates, values, size, the sites, their anchors, which gates are fixed, error, times, trail, regions,
   penalties or none. */
static int state_from(Step *w, Held *held, PyObject *tuple)
{
    Items from = items_of(held, tuple, 16, PyBUF_SIMPLE);
    const size_t n = w->n = w->system.n, m = w->m = w->system.m, g = w->g = w->coordinate.gates, N = w->N = n * m;
    size_t trail, penalties;
    w->d = 2 * g;
    w->s = w->method.stages;
    w->gates = numbers(&from, w->d);
    w->values = numbers(&from, N);
    w->size = numbers(&from, m);
    w->before = frame_from(&from, &w->coordinate, n, 1);
    w->anchor = whole(&from, n);
    w->fixed = exactly(&from, 1, w->d);
    w->error = numbers(&from, N);
    w->times = several(&from, sizeof(double), &w->ends);
    w->trail = several(&from, sizeof(double), &trail);
    w->regions = several(&from, sizeof(int64_t), &w->region_count);
    w->given = several(&from, sizeof(double), &penalties);
    if (penalties == 0) w->given = NULL;
    return held->fits && w->ends <= 3 && trail == w->ends * w->d && w->region_count >= 1 && w->region_count <= MOST_GATES + 1 &&
           within(w->regions, w->region_count, 0, (int64_t)n) && (g == 0 || within(w->anchor, n, 0, (int64_t)g)) &&
           (penalties == 0 || penalties == (2 + 2 * w->system.joints) * m * m);
}

/* What a step finds: changes, gates, the sites, local, within, error. */
static int found_from(Step *w, Held *held, PyObject *tuple)
{
    Items from = items_of(held, tuple, 11, PyBUF_WRITABLE);
    w->changes = numbers(&from, w->s * w->N);
    w->stages = numbers(&from, w->s * w->d);
    w->frame = frame_from(&from, &w->coordinate, w->n, w->s);
    w->local = numbers(&from, w->N);
    w->within = numbers(&from, w->N);
    w->carried = numbers(&from, w->N);
    return held->fits;
}

/* moving_step(system, coordinate, method, stages, state, found, t, step, drift, settle)
   -> (whether it was taken, iterations, the largest error in time, what differences in space add to the error) */
PyObject *moving_step(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *system, *coordinate, *state, *found;
    Py_buffer method;
    Py_ssize_t stages;
    Step w = {0};
    Held held = {0, 1, {{0}}};
    int taken = 0;
    if (!PyArg_ParseTuple(args, "OOy*nOOdddd", &system, &coordinate, &method, &stages, &state, &found, &w.t, &w.step, &w.drift,
                          &w.settle))
        return NULL;
    const int fits = system_from(&w.system, &held, system) && coordinate_from(&w.coordinate, &held, coordinate) &&
                     method_from(&w.method, &method, stages) && state_from(&w, &held, state) &&
                     found_from(&w, &held, found) && w.step > 0.0;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        taken = step_taken(&w);
        Py_END_ALLOW_THREADS
    }
    let_go(held.own, held.count);
    let_go(&method, 1);
    if (!fits || taken < 0) return outcome(taken, fits);
    return Py_BuildValue("(iidd)", taken, w.iterations, w.embedded, w.spatial);
}

/* moving_sites(coordinate, eta, gates, anchor, found, stages): found as the frame of a step, its sigma to begin with. */
PyObject *moving_sites(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *coordinate, *found;
    Py_buffer b[3];
    Py_ssize_t stages;
    Coordinate c;
    Held held = {0, 1, {{0}}};
    int done = 0;
    if (!PyArg_ParseTuple(args, "Oy*y*y*On", &coordinate, &b[0], &b[1], &b[2], &found, &stages)) return NULL;
    int fits = stages > 0 && stages <= 1024 && coordinate_from(&c, &held, coordinate);
    if (fits) {
        const size_t n = doubles(&b[0]), s = (size_t)stages;
        Items from = items_of(&held, found, 6, PyBUF_WRITABLE);
        Frame frame = frame_from(&from, &c, n, s);
        fits = held.fits && c.gates > 0 && n > 1 && n <= MOST_SITES && sized(&b[0], n) && sized(&b[1], s * 2 * c.gates) &&
               sized(&b[2], n) && within(b[2].buf, n, 0, (int64_t)c.gates); /* anchors are as long as doubles */
        if (fits) {
            Py_BEGIN_ALLOW_THREADS
            double *scratch = malloc(moving_frame_scratch(c.gates) * sizeof(double));
            done = scratch != NULL ? 1 : -1;
            if (scratch != NULL) moving_frame(&c, b[0].buf, n, s, b[1].buf, b[2].buf, &frame, scratch);
            free(scratch);
            Py_END_ALLOW_THREADS
        }
    }
    let_go(held.own, held.count);
    let_go(b, ROOM(b));
    return outcome(done, fits);
}

/* moving_eta(coordinate, gates, x, eta): eta at places x. */
PyObject *moving_eta(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *coordinate;
    Py_buffer b[3];
    Coordinate c;
    Held held = {0, 1, {{0}}};
    int done = 0;
    if (!PyArg_ParseTuple(args, "Oy*y*w*", &coordinate, &b[0], &b[1], &b[2])) return NULL;
    const size_t count = doubles(&b[1]);
    const int fits = coordinate_from(&c, &held, coordinate) && c.gates > 0 && sized(&b[0], 2 * c.gates) && sized(&b[1], count) &&
                     sized(&b[2], count);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        double *scratch = malloc(moving_frame_scratch(c.gates) * sizeof(double));
        done = scratch != NULL ? 1 : -1;
        if (scratch != NULL) moving_along(&c, b[0].buf, b[1].buf, count, b[2].buf, scratch);
        free(scratch);
        Py_END_ALLOW_THREADS
    }
    let_go(held.own, held.count);
    let_go(b, ROOM(b));
    return outcome(done, fits);
}

/* df/du in the band storage of LAPACK, (storage, m n) with room for fill-in; 0 where it is too narrow, -1 without memory. */
static int jacobian_into(double *found, size_t storage, System *s, const Py_buffer *b, double t)
{
    const size_t N = s->n * s->m, reach = (storage - 1) / 3;
    int64_t *profile = malloc(2 * N * sizeof(int64_t));
    if (profile == NULL) return -1;
    Band band = {0};
    band.first = profile;
    band.last = profile + N;
    system_profile(s, &band);
    const size_t width = band_width(&band);
    int done = storage > 0 && storage == 3 * reach + 1 && band.below <= reach && band.above <= reach;
    if (done) {
        band.rows = malloc(N * width * sizeof(double));
        if (band.rows == NULL) done = -1;
        else {
            system_jacobian(s, b[0].buf, b[1].buf, b[2].buf, t, b[3].buf, b[4].buf, b[5].buf, &band);
            memset(found, 0, storage * N * sizeof(double));
            for (size_t r = 0; r < N; r++)
                for (size_t c = r > band.below ? r - band.below : 0; c <= r + band.above && c < N; c++)
                    found[(2 * reach + r - c) * N + c] = band.rows[r * width + c + band.below - r];
            free(band.rows);
        }
    }
    free(profile);
    return done;
}

/* moving_sides(system, t, x, slope, bend, values, velocity or None, penalties or None, checking, found, jacobian or None):
   f and u_x, (m, n) each, at one stage, and where it is asked for df/du in the band storage of LAPACK, (3 band + 1, m n). Without
   penalties these are found, (2 + 2 joints, m, m), and nothing else. */
PyObject *moving_sides(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *system, *found;
    double t;
    int checking, done = 0;
    Py_buffer b[7];
    System s;
    Held held = {0, 1, {{0}}};
    if (!PyArg_ParseTuple(args, "Ody*y*y*y*z*z*pOz*", &system, &t, &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &checking, &found,
                          &b[6]))
        return NULL;
    int fits = system_from(&s, &held, system);
    if (fits) {
        const int given = b[5].buf != NULL;
        const size_t n = s.n, N = n * s.m, count = (2 + 2 * s.joints) * s.m * s.m;
        Items to = items_of(&held, found, given ? 2 : 1, PyBUF_WRITABLE);
        double *first = numbers(&to, given ? N : count), *slopes = given ? numbers(&to, N) : NULL;
        fits = held.fits && sized(&b[0], n) && sized(&b[1], n) && sized(&b[2], n) && sized(&b[3], N) &&
               (b[4].buf == NULL || sized(&b[4], n)) && (!given || sized(&b[5], count)) &&
               (b[6].buf == NULL || (given && !b[6].readonly && sized(&b[6], doubles(&b[6])) && doubles(&b[6]) % N == 0));
        if (fits) {
            Py_BEGIN_ALLOW_THREADS
            double *scratch = malloc(system_scratch(&s) * sizeof(double));
            done = scratch != NULL ? 1 : -1;
            if (scratch != NULL) {
                system_arrange(&s, scratch);
                if (given)
                    system_right(&s, b[0].buf, b[1].buf, b[2].buf, t, b[3].buf, b[4].buf, b[5].buf, checking, first, slopes);
                else system_penalties(&s, b[0].buf, b[1].buf, b[2].buf, t, b[3].buf, first);
                if (b[6].buf != NULL) done = jacobian_into(b[6].buf, doubles(&b[6]) / N, &s, b, t);
            }
            free(scratch);
            Py_END_ALLOW_THREADS
            fits = done != 0;
        }
    }
    let_go(held.own, held.count);
    let_go(b, ROOM(b));
    return outcome(done, fits);
}
