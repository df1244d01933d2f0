/* Elements divided where too much of the error comes from: the twin of `divided` in solver/interval/element_layout.py. */

typedef struct {
    size_t count;
    double *anchor, *offset, *length;
} Pieces;

typedef struct {
    size_t count;
    const double *location, *thickness, *grading;
} Layers;

/* Where an element is divided, as a part of it: half-way along the stretch of the layer that is densest there. */
static double halfway(double anchor, double offset, double length, const Layers *layers)
{
    double part = 0.5, densest = 0.0;
    for (size_t i = 0; i < layers->count; i++) {
        const double thickness = layers->thickness[i], grading = layers->grading[i];
        const double left = (anchor - layers->location[i]) + offset, right = left + length;
        const double density = 1.0 / hypot(thickness, grading * 0.5 * fabs(left + right));
        if (!(density > densest)) continue;
        densest = density;
        const double a = fabs(left), b = fabs(right), near = a < b ? a : b, far = a < b ? b : a, unit = grading / thickness;
        const double middle = sinh(0.5 * (asinh(unit * near) + asinh(unit * far))) / unit;
        const double own = left >= 0.0 ? (middle - near) / length : (far - middle) / length;
        part = left * right >= 0.0 && own > 0.0 && own < 1.0 ? own : 0.5;
    }
    return part;
}

/* One element more at the end of `to`, or two where it is divided at a part of it. */
static void put(Pieces *to, double anchor, double offset, double length, int divided, double part)
{
    const double first = divided ? part * length : length;
    to->anchor[to->count] = anchor;
    to->offset[to->count] = offset;
    to->length[to->count++] = first;
    if (!divided) return;
    to->anchor[to->count] = anchor;
    to->offset[to->count] = offset + first;
    to->length[to->count++] = length - first;
}

/* Where a long element stands beside one whose excess is above one, what is near to that one is cut off, and both parts of
   the rest are too much: `excess` is that of every element, `more` gets that of every part. */
static void cut_long(const Pieces *from, const double *excess, double longer, Pieces *to, double *more)
{
    const size_t K = from->count;
    for (size_t k = 0; k < K; k++) {
        const double own = from->length[k], before = k > 0 ? from->length[k - 1] : 0.0, after = k + 1 < K ? from->length[k + 1] : 0.0;
        const int left = k > 0 && excess[k - 1] > 1.0 && own > longer * before;
        const int right = !left && k + 1 < K && excess[k + 1] > 1.0 && own > longer * after;
        more[to->count] = left ? 0.0 : right ? 2.0 : excess[k];
        if (left || right) more[to->count + 1] = left ? 2.0 : 0.0;
        put(to, from->anchor[k], from->offset[k], own, left || right, left ? 2.0 * (before / own) : 1.0 - 2.0 * (after / own));
    }
}

/* divide(anchor, offset, length, excess, location, thickness, grading, longer, most, found) -> how many

   found has room for eight times as many elements, (3, 8 K). An excess above `most` asks for quarters. */
static PyObject *divide(PyObject *self, PyObject *args)
{
    (void)self;
    Py_buffer b[8];
    double longer, most;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*y*ddw*", FOUR(b, 0), &b[4], &b[5], &b[6], &longer, &most, &b[7]))
        return NULL;
    const size_t K = doubles(&b[2]), n = doubles(&b[4]);
    const int fits = K > 0 && K <= 100000 && sized(&b[0], K) && sized(&b[1], K) && sized(&b[2], K) && sized(&b[3], K) &&
                     sized(&b[4], n) && sized(&b[5], n) && sized(&b[6], n) && sized(&b[7], 24 * K);
    double *memory = fits ? malloc(8 * K * sizeof(double)) : NULL;
    size_t count = 0;
    if (memory != NULL) {
        Py_BEGIN_ALLOW_THREADS
        const Pieces from = {K, b[0].buf, b[1].buf, b[2].buf};
        const Layers layers = {n, b[4].buf, b[5].buf, b[6].buf};
        Pieces cut = {0, memory, memory + 2 * K, memory + 4 * K};
        double *more = memory + 6 * K, *out = b[7].buf;
        Pieces found = {0, out, out + 8 * K, out + 16 * K};
        cut_long(&from, b[3].buf, longer, &cut, more);
        for (size_t k = 0; k < cut.count; k++) {
            const double anchor = cut.anchor[k], offset = cut.offset[k], length = cut.length[k];
            if (!(more[k] > 1.0)) {
                put(&found, anchor, offset, length, 0, 0.0);
                continue;
            }
            const double part = halfway(anchor, offset, length, &layers), first = part * length;
            const double begin[2] = {offset, offset + first}, size[2] = {first, length - first};
            for (size_t i = 0; i < 2; i++)
                put(&found, anchor, begin[i], size[i], more[k] > most, more[k] > most ? halfway(anchor, begin[i], size[i], &layers) : 0.0);
        }
        count = found.count;
        Py_END_ALLOW_THREADS
    }
    free(memory);
    let_go(b, ROOM(b));
    if (!fits || memory == NULL) return outcome(-1, fits);
    return PyLong_FromSize_t(count);
}
