/* One linear equation of first or second order at once: its gates, the elements that they ask for, the fit, the certificate.

   The twin of `predicted` in gates/prediction.py and `_linear` in solver/interval/elements.py, which have the reasons; for
   texts that hide nothing. What is out of the ordinary there (singular points, waves, layers too thin for the numbers,
   more elements than this way is for) is left to them. */

typedef struct {
    Sight sight;
    Program program;
    size_t order;
    Shapes shapes;
    const double *rows[2];        /* conditions at both ends: factors of u, u', ... and a value */
    size_t conditions[2];
    Py_ssize_t degree[2];         /* of polynomials: for any gates, and where all are exponential layers */
    const double *tables[2], *middles[2], *parts[2], *factors, *floors;
    size_t most;                  /* elements */
} Question;

typedef struct {
    Gates gates;
    size_t elements;
    double figures[6];
    double *places, *shares, *found; /* (3, most), (K,), (K, p + 1), all in one memory: places */
} Answer;

/* 1 where there is an answer, 0 where the question is for others, -1 without memory. */
static int answered(const Question *q, Answer *a)
{
    const int fine = gates_of(&q->sight, &a->gates);
    if (fine != 1) return fine;
    const size_t most = q->most, decays = (size_t)a->gates.decays, sites = (size_t)q->degree[decays] + 1, order = q->order;
    a->places = malloc(most * (4 + sites) * sizeof(double));
    if (a->places == NULL) return -1;
    const Py_ssize_t count = elements_for(&q->sight, &q->shapes, &a->gates, 0, a->places, most);
    if (count <= 0) return (int)count;
    const double *length = a->places + 2 * most;
    a->elements = (size_t)count;
    a->shares = a->places + 3 * most;
    a->found = a->shares + most;
    const size_t orders[2] = {0, 1}, free_left = order - q->conditions[0];
    double basis[2][MOST_STATES * MOST_STATES], particular[2][MOST_STATES];
    states_at(q->rows[0], q->conditions[0], order, orders, length[0], basis[0], particular[0]);
    states_at(q->rows[1], q->conditions[1], order, orders, length[count - 1], basis[1], particular[1]);
    Shape s;
    size_t numbers;
    if (!shaped(&s, &order, 1, q->degree[decays], count, 0, q->tables[decays], q->middles[decays], &numbers) ||
        !freed(&s, (Py_ssize_t)free_left, (Py_ssize_t)(order - q->conditions[1])))
        return 0;
    Input in = {1, 1, NULL, length, {basis[0], basis[1]}, {particular[0], particular[1]}, q->factors, q->floors};
    return evaluated(&s, &in, &q->program, q->parts[decays], a->places, a->places + most, a->found, a->figures, a->shares);
}

/* (degree, elements, figures, gates, (4, K) and (K, p + 1) numbers: anchors, offsets, lengths and shares, and the solution) */
static PyObject *told(const Question *q, const Answer *a)
{
    const size_t K = a->elements, found = K * ((size_t)q->degree[a->gates.decays] + 1);
    PyObject *data = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((4 * K + found) * sizeof(double)));
    PyObject *gates = listed(&a->gates);
    if (data != NULL && gates != NULL) {
        char *to = PyBytes_AsString(data);
        for (size_t i = 0; i < 4; i++) memcpy(to + i * K * sizeof(double), a->places + i * q->most, K * sizeof(double));
        memcpy(to + 4 * K * sizeof(double), a->found, found * sizeof(double));
        const double *f = a->figures;
        return Py_BuildValue("(nn(dddddd)NN)", q->degree[a->gates.decays], (Py_ssize_t)K, f[0], f[1], f[2], f[3], f[4], f[5],
                             gates, data);
    }
    Py_XDECREF(gates);
    Py_XDECREF(data);
    return NULL;
}

/* Whether all numbers are there; b: codes, numbers and parameters of the equation, places where it is looked at, distances,
   laws, shapes, conditions at both ends, tables, middles and parts of both kinds of elements, factors, floors. */
static int asked(Question *q, const Py_buffer *b)
{
    const size_t order = q->order;
    q->sight.programs = &q->program;
    q->sight.order = &q->order;
    q->sight.fields = 1;
    q->sight.highest = q->sight.state = order;
    q->sight.terms = order + 1;
    if (order < 1 || order > 2 || q->most < 1 || q->most > 100000 || !program_from(&q->program, b, order + 1, 0) ||
        !sighted(&q->sight, &q->shapes, b + 3) || !stated(q->rows, q->conditions, order, b + 7))
        return 0;
    for (size_t kind = 0; kind < 2; kind++) {
        const Py_buffer *own = b + 9 + 3 * kind;
        Shape s;
        size_t numbers;
        q->tables[kind] = own[0].buf;
        q->middles[kind] = own[1].buf;
        q->parts[kind] = own[2].buf;
        if (!shaped(&s, &order, 1, q->degree[kind], 1, 0, own[0].buf, own[1].buf, &numbers) ||
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
    if (!PyArg_ParseTuple(args, "nddny*y*y*y*y*y*y*y*y*ny*y*y*ny*y*y*y*y*", &order, &q.sight.left, &q.sight.right, &most,
                          FOUR(b, 0), FOUR(b, 4), &b[8], &q.degree[0], &b[9], &b[10], &b[11], &q.degree[1], FOUR(b, 12), &b[16]))
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
    let_go(b, ROOM(b));
    if (done == 1) return found;
    if (!fits || done < 0) return outcome(done, fits);
    Py_RETURN_NONE;
}
