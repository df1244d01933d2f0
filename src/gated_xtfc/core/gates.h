/* The gates that equations ask for before anything is solved: the twin of `predicted` in gates/prediction.py, which has the
   reasons, for texts that hide nothing. What is out of the ordinary there (singular points, waves, layers too thin for the
   numbers) is left to it. */

#define MOST_LAYERS (2 + MOST_TURNING) /* at both ends and at turning points */

typedef struct {
    double widths, wave;          /* kernel widths across the interval, radians that one resolves */
    double exponential[2], turning[2]; /* thickness, as a part of the layer's, and grading of a gate */
    double several, alike, numbers, outer, step;
} Laws;

typedef struct {
    double left, right;
    const Program *programs;
    const double *x; /* where the operator is looked at */
    size_t samples;
    const double *distance;
    size_t distances;
    const size_t *order; /* of every field */
    size_t fields, highest, state, terms;
    Laws laws;
    Jets *jets_at; /* what it is linearised about, as `Look` has it */
    const void *about;
} Sight;

typedef struct {
    Gate gate[MOST_LAYERS];
    size_t count;
    int decays; /* whether all are exponential layers */
} Gates;

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

/* The gates of equations; as `predict_gates`. */
static int gates_of(const Sight *q, Gates *a)
{
    double found[6 + 2 * MOST_TURNING];
    const double width = (q->right - q->left) / q->laws.widths;
    Look look = {.programs = q->programs, .order = q->order, .fields = q->fields, .highest = q->highest, .state = q->state,
                 .terms = q->terms, .distances = q->distances, .distance = q->distance, .jets_at = q->jets_at,
                 .about = q->about, .least = q->laws.wave / width};
    const size_t size = look_size(&look, q->samples);
    double *memory = malloc(size + q->samples * sizeof(double));
    if (memory == NULL) return -1;
    look_into(&look, memory, q->samples);
    const int fine = predict_gates(&look, q->left, q->right, q->x, q->samples, found, memory + size / sizeof(double));
    free(memory);
    if (fine != 1 || !(found[4] * width <= q->laws.wave)) return fine < 0 ? -1 : 0;
    const size_t turns = (size_t)found[5];
    a->count = 0;
    a->decays = 1;
    for (size_t i = 0; i < 2 + turns; i++) {
        const int end = i < 2;
        const double *shape = end && found[2 * i + 1] == 0.0 ? q->laws.exponential : q->laws.turning;
        const double place = end ? (i ? q->right : q->left) : found[2 * i + 2];
        const double thickness = shape[0] * (end ? found[2 * i] : found[2 * i + 3]), least = thinnest(place);
        if (!(LARGER(thickness, least) < width)) continue;
        if (!(thickness > q->laws.numbers * least)) return 0; /* a translated coordinate is needed */
        a->gate[a->count++] = (Gate){place, thickness, shape[1]};
    }
    a->count = merge_gates(a->gate, a->count, &q->laws);
    for (size_t i = 0; i < a->count; i++) a->decays &= a->gate[i].grading == q->laws.exponential[1];
    a->decays &= a->count > 0;
    return 1;
}

/* The elements that they ask for, as `cut_elements`; every one of some length, otherwise none. */
static Py_ssize_t elements_for(const Sight *q, const Shapes *shapes, const Gates *gates, int slower, double *out, size_t most)
{
    const double outer = LARGER(q->laws.outer, q->laws.widths / q->laws.step);
    const Py_ssize_t count = cut_elements(shapes, q->left, q->right, gates->gate, gates->count, 1, outer, slower, out, most);
    for (Py_ssize_t k = 0; k < count; k++)
        if (!(out[2 * most + (size_t)k] > 0.0)) return 0;
    return count;
}

/* What of it Python hands over; b: places where the operator is looked at, distances, laws, shapes. */
static int sighted(Sight *q, Shapes *shapes, const Py_buffer *b)
{
    const size_t numbers = doubles(&b[3]);
    q->x = b[0].buf;
    q->samples = doubles(&b[0]);
    q->distance = b[1].buf;
    q->distances = doubles(&b[1]);
    if (q->samples < 2 || q->distances < 1 || !sized(&b[0], q->samples) || !sized(&b[1], q->distances) ||
        !sized(&b[2], sizeof(Laws) / sizeof(double)) || !sized(&b[3], numbers) || !shapes_from(b[3].buf, numbers, shapes))
        return 0;
    memcpy(&q->laws, b[2].buf, sizeof(Laws));
    return 1;
}

/* Gates as Python has them: a tuple of places, thicknesses and gradings; NULL without memory. */
static PyObject *listed(const Gates *gates)
{
    PyObject *found = PyTuple_New((Py_ssize_t)gates->count);
    for (size_t i = 0; i < gates->count && found != NULL; i++) {
        const Gate *own = gates->gate + i;
        PyObject *one = Py_BuildValue("(ddd)", own->location, own->thickness, own->grading);
        if (one == NULL || PyTuple_SetItem(found, (Py_ssize_t)i, one)) {
            Py_DECREF(found);
            found = NULL;
        }
    }
    return found;
}
