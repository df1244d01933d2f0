/* One linear equation of first or second order at once: its gates, the elements that they ask for, the fit, the certificate.

   The twin of `predicted` in gates/prediction.py and `_linear` in solver/interval/elements.py, which have the reasons; for
   texts that hide nothing. What is out of the ordinary there (singular points, waves, layers too thin for the numbers,
   more elements than this way is for) is left to them. */

#define MOST_STATES 2

typedef struct {
    double location, thickness, grading;
} Gate;

typedef struct {
    double widths, wave;          /* kernel widths across the interval, radians that one resolves */
    double exponential[2], turning[2]; /* thickness, as a part of the layer's, and grading of a gate */
    double several, alike, numbers, outer, step;
} Laws;

typedef struct {
    double left, right;
    Program program;
    const double *x; /* where the operator is looked at */
    size_t samples;
    const double *distance;
    size_t distances;
    Laws laws;
    Shapes shapes;
    const double *rows[2];        /* conditions at both ends: factors of u, u', ... and a value */
    size_t conditions[2], order;
    Py_ssize_t degree[2];         /* of polynomials: for any gates, and where all are exponential layers */
    const double *tables[2], *middles[2], *parts[2], *factors, *floors;
    size_t most;                  /* elements */
} Question;

typedef struct {
    int decays;
    size_t gates, elements;
    Gate gate[2 + MOST_TURNING];
    double figures[6];
    double *places, *shares, *found; /* (3, most), (K,), (K, p + 1), all in one memory: places */
} Answer;

static double thinnest(double location)
{
    const double below = nextafter(fabs(location), 0.0);
    return 4.0 * (nextafter(below, INFINITY) - below);
}

/* Whether a gate belongs before another one: those that are alike stay in their order. */
static int is_thinner(const Gate *a, const Gate *b)
{
    return a->thickness < b->thickness || (a->thickness == b->thickness && a->grading < b->grading);
}

static int is_further_left(const Gate *a, const Gate *b) { return a->location < b->location; }

static void sort_gates(Gate *gates, size_t count, int (*before)(const Gate *, const Gate *))
{
    for (size_t i = 1; i < count; i++) {
        const Gate own = gates[i];
        size_t to = i;
        for (; to > 0 && before(&own, gates + to - 1); to--) gates[to] = gates[to - 1];
        gates[to] = own;
    }
}

/* Without those that a thinner one resolves anyway. */
static size_t merge_gates(Gate *gates, size_t count, const Laws *laws)
{
    if (count < 2) return count;
    size_t kept = 0;
    sort_gates(gates, count, is_thinner);
    for (size_t i = 0; i < count; i++) {
        const Gate gate = gates[i];
        size_t j = 0;
        for (; j < kept; j++) {
            Gate *other = gates + j;
            const double reach = other->grading * fabs(other->location - gate.location);
            if (!(LARGER(other->thickness, reach) <= 1.2 * gate.thickness)) continue;
            if (gate.thickness < 3.0 * other->thickness && gate.grading < other->grading) other->grading = gate.grading;
            else if (gate.thickness > laws->alike * other->thickness && other->grading > laws->several)
                other->grading = laws->several;
            break;
        }
        if (j == kept) gates[kept++] = gate;
    }
    sort_gates(gates, kept, is_further_left);
    return kept;
}

/* The gates of an equation; as `predict_gates`. */
static int gates_of(const Question *q, Answer *a)
{
    double found[6 + 2 * MOST_TURNING];
    Look look = {&q->program, q->order, q->distances, q->distance, NULL, NULL, NULL, NULL, 0, 0.0, 1.0, NULL};
    const size_t size = look_size(q->samples, q->distances);
    double *memory = malloc(size + q->samples * sizeof(double));
    if (memory == NULL) return -1;
    look_into(&look, memory, q->samples);
    const int fine = predict_gates(&look, q->left, q->right, q->x, q->samples, found, memory + size / sizeof(double));
    free(memory);
    const double width = (q->right - q->left) / q->laws.widths;
    if (fine != 1 || !(found[4] * width <= q->laws.wave)) return fine < 0 ? -1 : 0;
    const size_t turns = (size_t)found[5];
    a->gates = 0;
    a->decays = 1;
    for (size_t i = 0; i < 2 + turns; i++) {
        const int end = i < 2;
        const double *shape = end && found[2 * i + 1] == 0.0 ? q->laws.exponential : q->laws.turning;
        const double place = end ? (i ? q->right : q->left) : found[2 * i + 2];
        const double thickness = shape[0] * (end ? found[2 * i] : found[2 * i + 3]), least = thinnest(place);
        if (!(LARGER(thickness, least) < width)) continue;
        if (!(thickness > q->laws.numbers * least)) return 0; /* a translated coordinate is needed */
        a->gate[a->gates++] = (Gate){place, thickness, shape[1]};
    }
    a->gates = merge_gates(a->gate, a->gates, &q->laws);
    for (size_t i = 0; i < a->gates; i++) a->decays &= a->gate[i].grading == q->laws.exponential[1];
    a->decays &= a->gates > 0;
    return 1;
}

/* The states at an end that meet its conditions, as EndStates.of has them, (M, M - count) and (M,). */
static void states_at(const double *rows, size_t count, size_t states, double length, double *basis, double *particular)
{
    double table[MOST_STATES][MOST_STATES + 1];
    size_t pivots[MOST_STATES] = {0}, free = 0;
    int taken[MOST_STATES] = {0};
    for (size_t i = 0; i < count; i++) {
        double power = 1.0;
        for (size_t j = 0; j <= states; j++, power *= length)
            table[i][j] = j < states ? rows[i * (states + 1) + j] / power : rows[i * (states + 1) + j];
    }
    for (size_t k = 0; k < count; k++) {
        double best = -1.0;
        size_t row = k;
        for (size_t i = k; i < count; i++) {
            double most = 0.0;
            for (size_t j = 0; j < states; j++) most = LARGER(most, fabs(table[i][j]));
            for (size_t j = 0; j < states; j++)
                if (fabs(table[i][j]) / most > best) {
                    best = fabs(table[i][j]) / most;
                    row = i;
                    pivots[k] = j;
                }
        }
        for (size_t j = 0; j <= states; j++) {
            const double other = table[k][j];
            table[k][j] = table[row][j];
            table[row][j] = other;
        }
        const double lead = table[k][pivots[k]];
        for (size_t j = 0; j <= states; j++) table[k][j] /= lead;
        for (size_t i = 0; i < count; i++) {
            const double factor = table[i][pivots[k]];
            for (size_t j = 0; j <= states && i != k; j++) table[i][j] -= factor * table[k][j];
        }
        taken[pivots[k]] = 1;
    }
    const size_t left = states - count;
    memset(basis, 0, states * left * sizeof(double));
    memset(particular, 0, states * sizeof(double));
    for (size_t k = 0; k < count; k++) particular[pivots[k]] = table[k][states];
    for (size_t j = 0; j < states; j++) {
        if (taken[j]) continue;
        if (free < left) basis[j * left + free] = 1.0;
        for (size_t k = 0; k < count && free < left; k++) basis[pivots[k] * left + free] = -table[k][j];
        free++;
    }
}

/* 1 where there is an answer, 0 where the question is for others, -1 without memory. */
static int answered(const Question *q, Answer *a)
{
    const int fine = gates_of(q, a);
    if (fine != 1) return fine;
    double location[2 + MOST_TURNING], thickness[2 + MOST_TURNING], grading[2 + MOST_TURNING];
    for (size_t i = 0; i < a->gates; i++) {
        location[i] = a->gate[i].location;
        thickness[i] = a->gate[i].thickness;
        grading[i] = a->gate[i].grading;
    }
    const size_t most = q->most, sites = (size_t)q->degree[a->decays] + 1;
    a->places = malloc(most * (4 + sites) * sizeof(double));
    if (a->places == NULL) return -1;
    const double outer = LARGER(q->laws.outer, q->laws.widths / q->laws.step);
    const Py_ssize_t count = cut_elements(&q->shapes, q->left, q->right, location, thickness, grading, a->gates, outer, 0,
                                          a->places, most);
    if (count <= 0) return (int)count;
    const double *length = a->places + 2 * most;
    a->elements = (size_t)count;
    a->shares = a->places + 3 * most;
    a->found = a->shares + most;
    for (size_t k = 0; k < a->elements; k++)
        if (!(length[k] > 0.0)) return 0;
    double basis[2][MOST_STATES * MOST_STATES], particular[2][MOST_STATES];
    states_at(q->rows[0], q->conditions[0], q->order, length[0], basis[0], particular[0]);
    states_at(q->rows[1], q->conditions[1], q->order, length[count - 1], basis[1], particular[1]);
    const Py_ssize_t free_left = (Py_ssize_t)(q->order - q->conditions[0]), free_right = (Py_ssize_t)(q->order - q->conditions[1]);
    Shape s;
    size_t numbers;
    if (!shaped(&s, &q->order, 1, q->degree[a->decays], count, 0, q->tables[a->decays], q->middles[a->decays], &numbers) ||
        !freed(&s, free_left, free_right))
        return 0;
    Input in = {1, 1, NULL, length, {basis[0], basis[1]}, {particular[0], particular[1]}, q->factors, q->floors};
    return evaluated(&s, &in, &q->program, q->parts[a->decays], a->places, a->places + most, a->found, a->figures, a->shares);
}

/* (degree, elements, figures, gates, (4, K) and (K, p + 1) numbers: anchors, offsets, lengths and shares, and the solution) */
static PyObject *told(const Question *q, const Answer *a)
{
    const size_t K = a->elements, found = K * ((size_t)q->degree[a->decays] + 1);
    PyObject *data = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((4 * K + found) * sizeof(double)));
    PyObject *gates = PyTuple_New((Py_ssize_t)a->gates);
    if (data != NULL && gates != NULL) {
        char *to = PyBytes_AsString(data);
        for (size_t i = 0; i < 4; i++) memcpy(to + i * K * sizeof(double), a->places + i * q->most, K * sizeof(double));
        memcpy(to + 4 * K * sizeof(double), a->found, found * sizeof(double));
        for (size_t i = 0; i < a->gates; i++) {
            const Gate *own = a->gate + i;
            PyObject *one = Py_BuildValue("(ddd)", own->location, own->thickness, own->grading);
            if (one == NULL || PyTuple_SetItem(gates, (Py_ssize_t)i, one)) {
                Py_DECREF(gates);
                Py_DECREF(data);
                return NULL;
            }
        }
        const double *f = a->figures;
        return Py_BuildValue("(nn(dddddd)NN)", q->degree[a->decays], (Py_ssize_t)K, f[0], f[1], f[2], f[3], f[4], f[5], gates, data);
    }
    Py_XDECREF(gates);
    Py_XDECREF(data);
    return NULL;
}

/* Whether all numbers are there; b: codes, numbers and parameters of the equation, places where it is looked at, distances,
   laws, shapes, conditions at both ends, tables, middles and parts of both kinds of elements, factors, floors. */
static int asked(Question *q, const Py_buffer *b)
{
    const size_t laws = sizeof(Laws) / sizeof(double), shapes = (size_t)b[6].len / sizeof(double), row = q->order + 2;
    q->program = (Program){b[0].buf, (size_t)b[0].len / (2 * sizeof(int32_t)), 0, b[1].buf, b[2].buf,
                           (size_t)b[1].len / sizeof(double), (size_t)b[2].len / sizeof(double), q->order + 1, 0, 0};
    q->x = b[3].buf;
    q->samples = (size_t)b[3].len / sizeof(double);
    q->distance = b[4].buf;
    q->distances = (size_t)b[4].len / sizeof(double);
    if (q->order < 1 || q->order > MOST_STATES || q->samples < 2 || q->distances < 1 || q->most < 1 || q->most > 100000 ||
        b[0].len % (Py_ssize_t)(2 * sizeof(int32_t)) || !program_fits(&q->program) || !sized(&b[1], q->program.number_count) ||
        !sized(&b[2], q->program.parameter_count) || !sized(&b[3], q->samples) || !sized(&b[4], q->distances) ||
        !sized(&b[5], laws) || !sized(&b[6], shapes) || !shapes_from(b[6].buf, shapes, &q->shapes))
        return 0;
    memcpy(&q->laws, b[5].buf, sizeof(Laws));
    for (size_t end = 0; end < 2; end++) {
        q->conditions[end] = (size_t)b[7 + end].len / sizeof(double) / (row - 1);
        q->rows[end] = b[7 + end].buf;
        if (!sized(&b[7 + end], q->conditions[end] * (row - 1))) return 0;
    }
    if (q->conditions[0] + q->conditions[1] != q->order) return 0;
    for (size_t kind = 0; kind < 2; kind++) {
        const Py_buffer *own = b + 9 + 3 * kind;
        Shape s;
        size_t numbers;
        q->tables[kind] = own[0].buf;
        q->middles[kind] = own[1].buf;
        q->parts[kind] = own[2].buf;
        if (!shaped(&s, &q->order, 1, q->degree[kind], 1, 0, own[0].buf, own[1].buf, &numbers) ||
            !sized(&own[0], numbers) || !sized(&own[1], s.columns) || !sized(&own[2], s.points))
            return 0;
    }
    q->factors = b[15].buf;
    q->floors = b[16].buf;
    return sized(&b[15], 1) && sized(&b[16], 1);
}

/* linear(order, left, right, most, codes, numbers, parameters, x, distances, laws, shapes, conditions_left, conditions_right,
          degree, tables, middles, parts, the same four where all gates are exponential layers, factors, floors)
   -> None, or what `told` has. Nested tuples are not for buffers: CPython counts those of the outermost level only. */
static PyObject *linear(PyObject *self, PyObject *args)
{
    (void)self;
    Question q;
    Answer a;
    Py_ssize_t order, most;
    Py_buffer b[17];
    memset(&q, 0, sizeof q);
    memset(&a, 0, sizeof a);
    if (!PyArg_ParseTuple(args, "nddny*y*y*y*y*y*y*y*y*ny*y*y*ny*y*y*y*y*", &order, &q.left, &q.right, &most, &b[0],
                          &b[1], &b[2], &b[3], &b[4], &b[5], &b[6], &b[7], &b[8], &q.degree[0], &b[9], &b[10], &b[11],
                          &q.degree[1], &b[12], &b[13], &b[14], &b[15], &b[16]))
        return NULL;
    q.order = order < 0 ? 0 : (size_t)order;
    q.most = most < 0 ? 0 : (size_t)most;
    int done = 0;
    const int fits = asked(&q, b);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        done = answered(&q, &a);
        Py_END_ALLOW_THREADS
    }
    PyObject *found = done == 1 ? told(&q, &a) : NULL;
    free(a.places);
    for (size_t i = 0; i < sizeof b / sizeof *b; i++) PyBuffer_Release(&b[i]);
    if (done == 1) return found;
    if (!fits || done < 0) return outcome(done, fits);
    Py_RETURN_NONE;
}
