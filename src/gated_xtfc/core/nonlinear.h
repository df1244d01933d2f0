/* Problems that are not linear on one layout at once: gates about the plainest start, the elements that they ask for, Newton's
   method with its certificate.

   The twin of `begin` and of the first layout of `adapt` in solver/adapt.py, for texts that hide nothing. Whether what is found
   will do is decided in Python, and what is out of the ordinary goes the same way step by step there. */

#define MISSED 0.1 /* these two as solver/interval/element_space.py has them */
#define FAINT 1e-8

typedef struct {
    Sight sight;
    Shapes shapes;
    Programs programs;
    size_t order[MOST_FIELDS];
    Monomials start; /* where Newton's method begins */
    size_t state_order[MOST_STATES]; /* of the derivative that every number of a state comes from */
    const double *rows[2];           /* conditions at both ends: factors of a state's numbers, and a value */
    size_t conditions[2], most;      /* elements */
    Py_ssize_t degree;
    const double *tables, *middles, *parts, *hermite, *factors, *floors;
    int watched; /* whether texts may do something sudden along a solution */
    Steps steps;
} Nonlinear;

typedef struct {
    Gates gates;
    size_t elements;
    int ended, leaps;
    double length, figures[4 + 2 * MOST_FIELDS];
    size_t steps;
    double *places; /* (3, most) */
    double *shares, *found, *jets, *x; /* (K,), (K, F, p + 1), (terms, K n), (K n): one memory, shares */
} Begun;

/* Whether texts step over something along the solution, ends included; -1 without memory. */
static int steps_over(const Nonlinear *q, const Shape *s, const Begun *a)
{
    const size_t K = s->elements, N = K * s->points, n = N + 2, T = s->terms;
    const double *anchor = a->places, *offset = anchor + q->most, *length = offset + q->most, ends[2] = {q->sight.left, q->sight.right};
    double *memory = malloc(((T + 1) * n + 2 * T + K) * sizeof(double));
    if (memory == NULL) return -1;
    double *x = memory, *jets = x + n, *at_ends = jets + T * n, *cuts = at_ends + 2 * T;
    Sum sums[MOST_FIELDS];
    for (size_t k = 0; k + 1 < K; k++) cuts[k] = anchor[k + 1] + offset[k + 1];
    sums_of(sums, s, q->hermite, cuts, anchor, offset, length, a->found);
    for (size_t f = 0, t = 0; f < s->fields; t += s->order[f] + 1, f++) sum_up(&sums[f], 2, ends, at_ends + 2 * t, 2);
    memcpy(x + 1, a->x, N * sizeof(double));
    x[0] = ends[0];
    x[n - 1] = ends[1];
    for (size_t t = 0; t < T; t++) {
        memcpy(jets + t * n + 1, a->jets + t * N, N * sizeof(double));
        jets[t * n] = at_ends[2 * t];
        jets[t * n + n - 1] = at_ends[2 * t + 1];
    }
    int found = 0;
    for (size_t e = 0; e < s->fields && found == 0; e++) found = program_leaps(&q->programs.of[e], x, n, jets);
    free(memory);
    return found;
}

/* Whether a solution leaves a residual that is a good part of the largest terms of its equation: the twin of `missed` in
   solver/interval/element_space.py. -1 without memory. */
static int misses(const Nonlinear *q, const Shape *s, const Begun *a)
{
    const size_t N = s->elements * s->points, T = s->terms;
    double *memory = malloc(s->fields * (T + 1) * N * sizeof(double)), *values = memory;
    if (memory == NULL) return -1;
    int found = linearise_all(s, q->programs.of, a->x, a->jets, values) == 1 ? 0 : 1;
    double alike[MOST_STATES + 1] = {0.0}; /* the largest derivative of every order, of whatever field */
    for (size_t f = 0, t = 0; f < s->fields; f++)
        for (size_t o = 0; o <= s->order[f]; o++, t++)
            for (size_t i = 0; i < N; i++) alike[o] = LARGER(alike[o], fabs(a->jets[t * N + i]));
    for (size_t e = 0; e < s->fields && !found; e++, values += (T + 1) * N) {
        double most = 0.0, largest = 0.0;
        for (size_t f = 0, t = 0; f < s->fields; f++)
            for (size_t o = 0; o <= s->order[f]; o++, t++)
                for (size_t i = 0; i < N; i++) largest = LARGER(largest, FAINT * fabs(values[t * N + i]) * alike[o]);
        for (size_t i = 0; i < N; i++) {
            double sum = -values[T * N + i], size = fabs(sum);
            for (size_t t = 0; t < T; t++) {
                const double part = values[t * N + i] * a->jets[t * N + i];
                sum += part;
                size += fabs(part);
            }
            sum = fabs(sum);
            most = LARGER(most, sum);
            largest = LARGER(largest, size);
        }
        found = most > MISSED * largest;
    }
    free(memory);
    return found;
}

/* 1 where it was begun, 0 where it is for others, -1 without memory. */
static int begun(Nonlinear *q, Begun *a)
{
    int fine = gates_of(&q->sight, &a->gates);
    if (fine != 1) return fine;
    const size_t most = q->most;
    a->places = malloc(3 * most * sizeof(double));
    if (a->places == NULL) return -1;
    const Py_ssize_t count = elements_for(&q->sight, &q->shapes, &a->gates, q->sight.state > 2, a->places, most);
    if (count <= 0) return (int)count;
    const double *offset = a->places + most, *length = offset + most;
    double basis[2][MOST_STATES * MOST_STATES], particular[2][MOST_STATES];
    for (int end = 0; end < 2; end++)
        states_at(q->rows[end], q->conditions[end], q->sight.state, q->state_order, length[end ? count - 1 : 0], basis[end], particular[end]);
    Shape s;
    size_t numbers;
    if (!shaped(&s, q->order, (Py_ssize_t)q->sight.fields, q->degree, count, 0, q->tables, q->middles, &numbers) ||
        !freed(&s, (Py_ssize_t)(q->sight.state - q->conditions[0]), (Py_ssize_t)(q->sight.state - q->conditions[1])))
        return 0;
    const size_t K = a->elements = s.elements, n = s.points, p1 = s.sites;
    a->shares = malloc(K * (1 + s.fields * p1 + (s.terms + 1) * n) * sizeof(double));
    if (a->shares == NULL) return -1;
    a->found = a->shares + K;
    a->jets = a->found + K * s.fields * p1;
    a->x = a->jets + s.terms * K * n;
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < n; i++) a->x[k * n + i] = a->places[k] + (offset[k] + length[k] * q->parts[i]);
    jets_of_monomials(&q->start, a->x, K * n, a->jets);
    Input in = {1, 1, NULL, length, {basis[0], basis[1]}, {particular[0], particular[1]}, q->factors, q->floors};
    a->ended = iterate_newton(&s, &in, q->programs.of, a->x, &q->steps, a->jets, a->found, a->figures, a->shares);
    if (a->ended < 0 || a->ended == NOT_FINITE) return a->ended < 0 ? -1 : 0;
    if (a->ended == CONVERGED) a->leaps = misses(q, &s, a);
    if (a->ended == CONVERGED && q->watched && !a->leaps) a->leaps = steps_over(q, &s, a);
    return a->leaps < 0 ? -1 : 1;
}

/* (how it ended, steps, length of the last one, whether texts leap, elements, gates, numbers): the numbers are anchors, offsets,
   lengths and shares of the elements, figures, the solution, and its derivatives at all points. */
static PyObject *told_of(const Nonlinear *q, const Begun *a)
{
    const size_t K = a->elements, p1 = (size_t)q->degree + 1, fields = q->sight.fields, figures = 4 + 2 * fields;
    const size_t size[4] = {K, figures, K * fields * p1, q->sight.terms * K * (2 * p1 + 1)};
    const double *from[4] = {a->shares, a->figures, a->found, a->jets};
    PyObject *data = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((3 * K + size[0] + size[1] + size[2] + size[3]) * sizeof(double)));
    PyObject *gates = listed(&a->gates);
    if (data == NULL || gates == NULL) {
        Py_XDECREF(gates);
        Py_XDECREF(data);
        return NULL;
    }
    char *to = PyBytes_AsString(data);
    for (size_t i = 0; i < 3; i++, to += K * sizeof(double)) memcpy(to, a->places + i * q->most, K * sizeof(double));
    for (size_t i = 0; i < 4; to += size[i++] * sizeof(double)) memcpy(to, from[i], size[i] * sizeof(double));
    return Py_BuildValue("(indinNN)", a->ended, (Py_ssize_t)q->steps.steps, q->steps.length, a->leaps, (Py_ssize_t)K, gates, data);
}

/* Whether all numbers are there; b: places where the operator is looked at, distances, laws, shapes, conditions at both ends,
   tables, middles, parts, monomials of the functions at ends, the start, factors, floors. */
static int asked_nonlinear(Nonlinear *q, PyObject *orders, PyObject *programs, const Py_buffer *b)
{
    Shape s;
    if (!shaped_by(&s, orders, q->degree, 1, 0, b + 6) || q->most < 1 || q->most > 100000 || s.state > MOST_STATES) return 0;
    size_t hermite = 0;
    Sight *sight = &q->sight;
    sight->order = q->order;
    sight->fields = s.fields;
    sight->state = s.state;
    sight->terms = s.terms;
    sight->programs = q->programs.of;
    for (size_t f = 0, at = 0; f < s.fields; f++) {
        q->order[f] = s.order[f];
        sight->highest = LARGER(sight->highest, s.order[f]);
        for (size_t j = 0; j <= s.order[f]; j++) hermite += (2 * s.order[f] - j) * s.order[f];
        for (size_t j = 0; j < s.order[f]; j++) q->state_order[at++] = j;
    }
    const size_t starts = s.fields * (sight->highest + 1);
    q->start.fields = s.fields;
    q->start.highest = sight->highest;
    q->start.parts = doubles(&b[10]) / starts;
    q->start.order = q->order;
    q->start.monomials = b[10].buf;
    sight->jets_at = jets_of_monomials;
    sight->about = &q->start;
    q->tables = b[6].buf;
    q->middles = b[7].buf;
    q->parts = b[8].buf;
    q->hermite = b[9].buf;
    q->factors = b[11].buf;
    q->floors = b[12].buf;
    return q->start.parts >= 1 && sighted(sight, &q->shapes, b) && stated(q->rows, q->conditions, s.state, b + 4) &&
           sized(&b[8], s.points) && sized(&b[9], hermite) && sized(&b[10], starts * q->start.parts) && sized(&b[11], s.fields) &&
           sized(&b[12], s.fields) && programmed(&q->programs, programs, &s, 0);
}

/* nonlinear(orders, left, right, most, goal, steps, watched, middle, half, degree, programs, x, distances, laws, shapes,
             conditions_left, conditions_right, tables, middles, parts, hermite, start, factors, floors)
   -> None, or what `told_of` has */
static PyObject *nonlinear(PyObject *self, PyObject *args)
{
    (void)self;
    Nonlinear q;
    Begun a;
    PyObject *orders, *programs;
    Py_ssize_t most, steps;
    double goal;
    Py_buffer b[13];
    memset(&q, 0, sizeof q);
    memset(&a, 0, sizeof a);
    if (!PyArg_ParseTuple(args, "O!ddndnpddnO!y*y*y*y*y*y*y*y*y*y*y*y*y*", &PyTuple_Type, &orders, &q.sight.left, &q.sight.right,
                          &most, &goal, &steps, &q.watched, &q.start.middle, &q.start.half, &q.degree, &PyTuple_Type, &programs,
                          FOUR(b, 0), FOUR(b, 4), FOUR(b, 8), &b[12]))
        return NULL;
    q.most = most < 0 ? 0 : (size_t)most;
    q.steps = (Steps){goal, steps < 0 ? 0 : (size_t)steps, 0, INFINITY};
    int done = 0;
    const int fits = asked_nonlinear(&q, orders, programs, b);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        done = begun(&q, &a);
        Py_END_ALLOW_THREADS
    }
    PyObject *found = done == 1 ? told_of(&q, &a) : NULL;
    free(a.places);
    free(a.shares);
    let_go(q.programs.own, q.programs.held);
    let_go(b, ROOM(b));
    if (done == 1) return found;
    if (!fits || done < 0) return outcome(done, fits);
    Py_RETURN_NONE;
}
