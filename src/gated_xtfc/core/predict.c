/* Gates of one equation of first or second order, from the roots of its symbol; and the elements that gates ask for.

   The twins of gates/prediction.py with operator/symbol.py, and of discretise/partition.py, which have the reasons. What
   is out of the ordinary (singular points, leads that nearly vanish, numbers that are not finite) is left to them. */

#include "core.h"

#define DAMPED 0.3
#define FLAT 0.75
#define STEPS 4
#define ROUNDS 13
#define CUTS 17
#define SPACING(x) (nextafter(fabs(x), INFINITY) - fabs(x))

static Roots roots_of(size_t order, const double *a)
{
    const Roots endless = {{1e300, 0.0}, {1e300, 0.0}};
    double size = 0.0, lead = a[order];
    for (size_t j = 0; j <= order; j++) size += fabs(a[j]);
    const double least = 1e-200 * (size > 0.0 ? size : 1.0);
    if (!(fabs(lead) > least)) lead = least;
    const double q = a[0] / lead;
    Roots found = {{-q, 0.0}, {-q, 0.0}};
    if (order == 2) {
        const double p = a[1] / lead, inside = 0.25 * p * p - q, sign = p >= 0.0 ? 1.0 : -1.0;
        const double root = sqrt(fabs(inside)), real = inside < 0.0 ? 0.0 : root, other = inside < 0.0 ? root : 0.0;
        found.large[0] = -0.5 * p - sign * real;
        found.large[1] = -sign * other;
        found.small[0] = found.small[1] = 0.0;
        if (found.large[1] == 0.0) {
            if (found.large[0] != 0.0) found.small[0] = q / found.large[0];
        } else { /* the conjugate */
            found.small[0] = found.large[0];
            found.small[1] = -found.large[1];
        }
    }
    if (!(isfinite(found.large[0]) && isfinite(found.large[1]))) memcpy(found.large, endless.large, sizeof found.large);
    if (!(isfinite(found.small[0]) && isfinite(found.small[1]))) memcpy(found.small, endless.small, sizeof found.small);
    return found;
}

/* The equation at the first n probes: as program_linearise. */
static int linear_at(const Look *look, size_t n)
{
    for (size_t j = 0; look->about != NULL && j <= look->order; j++)
        for (size_t i = 0; i < n; i++) {
            const double t = (look->probes[i] - look->middle) / look->half, *parts = look->about + j * look->count;
            double sum = 0.0;
            for (size_t k = look->count; k-- > 0;) sum = sum * t + parts[k];
            look->jets[j * n + i] = sum;
        }
    return program_linearise(look->program, look->probes, n, look->about == NULL ? NULL : look->jets, NULL, look->values, n);
}

/* The modes at the first n probes; 0 where the equation is not finite there, -1 without memory. */
static int modes(const Look *look, size_t n)
{
    const int finite = linear_at(look, n);
    if (finite != 1) return finite;
    double before[3] = {NAN, NAN, NAN};
    for (size_t i = 0; i < n; i++) {
        double a[3] = {0.0, 0.0, 0.0};
        for (size_t j = 0; j <= look->order; j++) a[j] = look->values[j * n + i];
        look->roots[i] = memcmp(a, before, sizeof a) ? roots_of(look->order, a) : look->roots[i - 1];
        memcpy(before, a, sizeof a);
    }
    return 1;
}

static double modulus(const double *root) { return root[1] == 0.0 ? fabs(root[0]) : hypot(root[0], root[1]); }

static double decay(const double *root, int side)
{
    return -side * root[0] > 0.0 && fabs(root[1]) * DAMPED <= fabs(root[0]) ? modulus(root) : 0.0;
}

static double rate_of(const Roots *roots, int side)
{
    const double first = decay(roots->large, side), second = decay(roots->small, side);
    return first > second ? first : second;
}

static double largest(const Roots *roots)
{
    const double first = modulus(roots->large), second = modulus(roots->small);
    return first > second ? first : second;
}

static int is_singular(const Look *look, const Roots *roots, double place, double reach)
{
    size_t last = look->distances;
    while (last > 0 && !(reach * look->distance[last - 1] >= 8.0 * SPACING(place))) last--;
    if (last == 0) return 1; /* there is no room to tell */
    last--;
    const size_t first = last > STEPS ? last - STEPS : 0;
    const double far = reach * look->distance[first], near = reach * look->distance[last];
    const double outer = largest(roots + first) * far, inner = largest(roots + last) * near;
    if (!(outer > 0.0 && inner > 0.0) || first == last) return 0;
    return log(outer / inner) < FLAT * log(far / near);
}

/* Thickness of the layer that these modes can make, infinite where there is none; and whether its decay quickens. */
static double thickness_of(const Look *look, const Roots *roots, int side, double reach, double place, int *quickens)
{
    size_t below = look->distances;
    int known = 0;
    *quickens = 0;
    if (!(rate_of(roots, side) * (reach * look->distance[0]) > 1.0)) return INFINITY;
    for (size_t i = look->distances; i-- > 0;) {
        const double distance = reach * look->distance[i];
        if (rate_of(roots + i, side) * distance <= 1.0) {
            below = i;
            known |= distance >= 8.0 * SPACING(place);
        }
    }
    if (!known && is_singular(look, roots, place, reach)) return INFINITY;
    if (below == look->distances) return reach * look->distance[below - 1];
    const double before = reach * look->distance[below - 1], at = reach * look->distance[below];
    const double inner = rate_of(roots + below, side) * at;
    const double high = log(rate_of(roots + below - 1, side) * before), low = log(inner > 1e-300 ? inner : 1e-300);
    double part = 0.0;
    if (high > low) part = high / (high - low) < 1.0 ? high / (high - low) : 1.0;
    *quickens = rate_of(roots + (below > 2 ? below - 2 : 0), side) > 2.0 * rate_of(roots + below, side);
    return before * pow(at / before, part);
}

static double drift_at(const Look *look, size_t n, size_t i)
{
    const double lead = look->values[2 * n + i];
    return look->values[n + i] * (lead > 0.0 ? 1.0 : lead < 0.0 ? -1.0 : lead);
}

/* Where the drift passes from - to + between two places; what `modes` says otherwise. */
static int bisect(const Look *look, double low, double high, double *place)
{
    for (int round = 0; round < ROUNDS; round++) {
        const double step = (high - low) / (CUTS - 1);
        for (size_t i = 0; i < CUTS; i++) look->probes[i] = i + 1 < CUTS ? low + (double)i * step : high;
        const int finite = linear_at(look, CUTS);
        if (finite != 1) return finite;
        size_t passes = CUTS;
        for (size_t i = CUTS; i-- > 0;) {
            if (drift_at(look, CUTS, i) == 0.0) {
                passes = CUTS + i; /* the first zero goes before every change of sign */
            } else if (passes <= CUTS && i + 1 < CUTS && drift_at(look, CUTS, i) < 0.0 && drift_at(look, CUTS, i + 1) > 0.0)
                passes = i;
        }
        if (passes > CUTS) {
            *place = look->probes[passes - CUTS];
            return 1;
        }
        if (passes == CUTS) return 0;
        low = look->probes[passes];
        high = look->probes[passes + 1];
        if (nextafter(low, high) >= high) break;
    }
    *place = high;
    return 1;
}

size_t look_size(size_t samples, size_t distances)
{
    const size_t most = samples + 2 * distances + CUTS;
    return most * 8 * sizeof(double) + most * sizeof(Roots);
}

void look_into(Look *look, double *memory, size_t samples)
{
    const size_t most = samples + 2 * look->distances + CUTS;
    look->probes = memory;
    look->values = memory + most;
    look->jets = memory + 5 * most;
    look->roots = (Roots *)(memory + 8 * most);
}

int predict_gates(Look *look, double left, double right, const double *x, size_t n, double *found, double *wave)
{
    const double length = right - left, ends[2] = {left, right};
    const size_t step = look->distances, count = n + 2 * step;
    double turning[MOST_TURNING][2];
    size_t turns = 0;
    memcpy(look->probes, x, n * sizeof(double));
    for (size_t i = 0; i < step; i++) {
        look->probes[n + i] = left + length * look->distance[i];
        look->probes[n + step + i] = right - length * look->distance[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (!(look->probes[i] >= x[0])) look->probes[i] = x[0];
        if (!(look->probes[i] <= x[n - 1])) look->probes[i] = x[n - 1];
    }
    int fine = modes(look, count);
    if (fine != 1) return fine;
    for (size_t end = 0; end < 2; end++) {
        const Roots *near = look->roots + n + end * step;
        int quickens;
        if (is_singular(look, near, ends[end], length)) return 0;
        found[2 * end] = thickness_of(look, near, end ? -1 : 1, length, ends[end], &quickens);
        found[2 * end + 1] = quickens;
    }
    found[4] = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double *large = look->roots[i].large, *small = look->roots[i].small;
        const double first = fabs(large[1]) * DAMPED > fabs(large[0]) ? fabs(large[1]) : 0.0;
        const double second = fabs(small[1]) * DAMPED > fabs(small[0]) ? fabs(small[1]) : 0.0;
        wave[i] = first > second ? first : second;
        if (wave[i] > found[4]) found[4] = wave[i];
    }
    const double *lead = look->values + look->order * count;
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && lead[i] * lead[i + 1] < 0.0) return 0;
        if (i > 0 && i + 1 < n && (lead[i] == 0.0 || (fabs(lead[i]) < fabs(lead[i - 1]) && fabs(lead[i]) < fabs(lead[i + 1]))))
            return 0;
    }
    if (look->order == 2) {
        for (size_t i = 1; i + 1 < n; i++)
            if (drift_at(look, count, i) == 0.0 && drift_at(look, count, i - 1) < 0.0 && drift_at(look, count, i + 1) > 0.0) {
                if (turns == MOST_TURNING) return 0;
                turning[turns++][0] = x[i];
            }
        size_t between[MOST_TURNING], intervals = 0;
        for (size_t i = 0; i + 1 < n; i++)
            if (drift_at(look, count, i) < 0.0 && drift_at(look, count, i + 1) > 0.0) {
                if (turns + intervals == MOST_TURNING) return 0;
                between[intervals++] = i;
            }
        for (size_t k = 0; k < intervals; k++) {
            fine = bisect(look, x[between[k]], x[between[k] + 1], &turning[turns++][0]);
            if (fine != 1) return fine;
        }
        for (size_t k = 0; k < turns; k++) {
            const double place = turning[k][0], before = place - x[0], behind = x[n - 1] - place;
            const double reach = 2.0 * (before < behind ? before : behind);
            turning[k][1] = INFINITY;
            for (int side = -1; side <= 1; side += 2) {
                int quickens;
                for (size_t i = 0; i < step; i++) look->probes[i] = place + side * (reach * look->distance[i]);
                fine = modes(look, step);
                if (fine != 1) return fine;
                const double thickness = thickness_of(look, look->roots, side, reach, place, &quickens);
                if (thickness < turning[k][1]) turning[k][1] = thickness;
            }
        }
    }
    found[5] = (double)turns;
    memcpy(found + 6, turning, turns * sizeof turning[0]);
    return 1;
}

/* predict(codes, numbers, parameters, order, left, right, x, distances, found, wave, about or None, middle, half)
   -> whether it is all there */
PyObject *predict(PyObject *self, PyObject *args)
{
    (void)self;
    Py_buffer b[8];
    Py_ssize_t order;
    double left, right, middle, half;
    if (!PyArg_ParseTuple(args, "y*y*y*nddy*y*w*w*z*dd", &b[0], &b[1], &b[2], &order, &left, &right, &b[3], &b[4], &b[5],
                          &b[6], &b[7], &middle, &half))
        return NULL;
    const size_t n = (size_t)b[3].len / sizeof(double), distances = (size_t)b[4].len / sizeof(double);
    Program program = {b[0].buf, (size_t)b[0].len / (2 * sizeof(int32_t)), 0, b[1].buf, b[2].buf,
                       (size_t)b[1].len / sizeof(double), (size_t)b[2].len / sizeof(double), (size_t)order + 1, 0, 0};
    int done = -2;
    if ((order == 1 || order == 2) && n >= 2 && distances >= 1 && b[0].len % (Py_ssize_t)(2 * sizeof(int32_t)) == 0 &&
        program_fits(&program) && sized(&b[1], program.number_count) && sized(&b[2], program.parameter_count) &&
        sized(&b[3], n) && sized(&b[4], distances) && sized(&b[5], 6 + 2 * MOST_TURNING) && sized(&b[6], n) &&
        (b[7].buf == NULL || ((size_t)b[7].len % (((size_t)order + 1) * sizeof(double)) == 0 && b[7].len > 0 &&
                              (uintptr_t)b[7].buf % sizeof(double) == 0))) {
        Py_BEGIN_ALLOW_THREADS
        double *memory = malloc(look_size(n, distances));
        if (memory == NULL) done = -1;
        else {
            Look look = {&program, (size_t)order, distances, b[4].buf, NULL, NULL, NULL,
                         b[7].buf, (size_t)b[7].len / (((size_t)order + 1) * sizeof(double)), middle, half, NULL};
            look_into(&look, memory, n);
            done = predict_gates(&look, left, right, b[3].buf, n, b[5].buf, b[6].buf);
        }
        free(memory);
        Py_END_ALLOW_THREADS
    }
    for (size_t i = 0; i < sizeof b / sizeof *b; i++) PyBuffer_Release(&b[i]);
    if (done == -1) return PyErr_NoMemory();
    if (done == -2) {
        PyErr_SetString(PyExc_ValueError, "the arrays do not fit together");
        return NULL;
    }
    return PyBool_FromLong(done);
}

/* Elements */

typedef struct {
    double anchor, offset, length, density;
} Piece;

int shapes_from(const double *numbers, size_t count, Shapes *shapes)
{
    if (count < 6 || !(numbers[1] >= 1.0 && numbers[1] <= 1000.0)) return 0;
    *shapes = (Shapes){numbers[0], numbers[1], numbers[2], numbers[3], numbers + 4, count - 4};
    return 1;
}

static double density_of(const Shapes *shapes, double distance, double thickness, double grading, int slower)
{
    if (grading != shapes->exponential || slower) return 1.0 / (shapes->step * hypot(thickness, grading * distance));
    const double unit = thickness / shapes->unit;
    for (size_t j = 1; j < shapes->cut_count; j++)
        if (distance < shapes->cuts[j] * unit) return 1.0 / ((shapes->cuts[j] - shapes->cuts[j - 1]) * unit);
    return 0.0;
}

/* What lies between two places, each an anchor and an offset: measured from the anchor that is nearer to it. */
static Piece between(double anchor, double offset, double next_anchor, double next_offset)
{
    const int first = fabs(offset) <= fabs(next_offset);
    const double apart = next_anchor - anchor;
    const double start = first ? offset : offset - apart, stop = first ? next_offset + apart : next_offset;
    return (Piece){first ? anchor : next_anchor, start, stop - start > 0.0 ? stop - start : 0.0, 0.0};
}

/* Whether one place comes before another; those that numbers cannot tell apart are in the order of their offsets. */
static int before(const Piece *a, const Piece *b)
{
    return a->density < b->density || (a->density == b->density && a->offset <= b->offset);
}

/* Sorts places by their sums, which stand where their densities will. */
static void sort_places(Piece *places, Piece *other, size_t n)
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * width) {
            const size_t middle = begin + width < n ? begin + width : n, end = begin + 2 * width < n ? begin + 2 * width : n;
            size_t a = begin, b = middle;
            for (size_t to = begin; to < end; to++)
                other[to] = a < middle && (b >= end || before(places + a, places + b)) ? places[a++] : places[b++];
        }
        memcpy(places, other, n * sizeof *places);
    }
}

/* Between which places densities are constant, one after the other; how many there are. `total` is the integral of densities. */
static size_t pieces_of(const Shapes *shapes, double low, double high, const Gate *gates, size_t count, double outer, int slower,
                        Piece *places, Piece *pieces, double *total)
{
    const double room = high - low;
    const size_t graded = (size_t)shapes->graded;
    size_t n = 0;
    places[n++] = (Piece){low, 0.0, 0.0, low};
    places[n++] = (Piece){high, 0.0, 0.0, high};
    for (size_t g = 0; g < count; g++) {
        const double at = gates[g].location, grading = gates[g].grading, thin = SMALLER(gates[g].thickness, 1e3 * room);
        const int exponential = grading == shapes->exponential && !slower;
        const size_t cuts = exponential ? shapes->cut_count : graded + 1;
        const double span = exponential ? 0.0 : asinh(grading * room / thin);
        for (size_t j = 0; j < cuts; j++) {
            double away = exponential ? shapes->cuts[j] * (thin / shapes->unit)
                                      : thin / grading * sinh(span * ((double)j / shapes->graded));
            if (exponential ? !(away < room) : j == graded) away = room;
            for (int side = j ? -1 : 1; side <= 1; side += 2) {
                double offset = side * away;
                if (!(offset > low - at)) offset = low - at;
                if (!(offset < high - at)) offset = high - at;
                places[n++] = (Piece){at, offset, 0.0, at + offset};
            }
        }
    }
    sort_places(places, pieces, n);
    *total = 0.0;
    for (size_t i = 0; i + 1 < n; i++) {
        Piece piece = between(places[i].anchor, places[i].offset, places[i + 1].anchor, places[i + 1].offset);
        piece.density = outer / room;
        for (size_t g = 0; g < count; g++) {
            const double middle = fabs((piece.anchor - gates[g].location) + (piece.offset + 0.5 * piece.length));
            const double thin = SMALLER(gates[g].thickness, 1e3 * room);
            const double own = density_of(shapes, middle, thin, gates[g].grading, slower);
            if (own > piece.density) piece.density = own;
        }
        pieces[i] = piece;
        *total += piece.length * piece.density;
    }
    return n - 1;
}

/* Cuts that are uniform in the integral of densities; numbers of out are `stride` apart, its rows `row`. */
static void cut_pieces(const Piece *pieces, size_t n, double total, double low, double high, size_t number, double *out,
                       size_t stride, size_t row)
{
    double integral = 0.0, anchor = low, offset = 0.0;
    size_t at = 0;
    for (size_t k = 1; k <= number; k++) {
        double next_anchor = high, next_offset = 0.0;
        if (k < number) {
            const double place = total * ((double)k / (double)number);
            while (at + 1 < n && integral + pieces[at].length * pieces[at].density <= place) {
                integral += pieces[at].length * pieces[at].density;
                at++;
            }
            next_anchor = pieces[at].anchor;
            next_offset = pieces[at].offset + (place - integral) / pieces[at].density;
        }
        const Piece piece = between(anchor, offset, next_anchor, next_offset);
        out[(k - 1) * stride] = piece.anchor;
        out[row + (k - 1) * stride] = piece.offset;
        out[2 * row + (k - 1) * stride] = piece.length;
        anchor = next_anchor;
        offset = next_offset;
    }
}

Py_ssize_t cut_elements(const Shapes *shapes, double low, double high, const Gate *gates, size_t count, size_t members,
                        double outer, int slower, double *out, size_t most)
{
    const size_t widest = LARGER((size_t)shapes->graded + 1, shapes->cut_count), size = 2 + count * 2 * widest;
    Piece *places = malloc((members + 1) * size * sizeof(Piece)), *pieces = places + size;
    double *totals = malloc((members + 1) * sizeof(double)), wanted = 1.0;
    size_t n = 0;
    Py_ssize_t found = places == NULL || totals == NULL ? -1 : 0;
    for (size_t m = 0; m < members && found == 0; m++) {
        n = pieces_of(shapes, low, high, gates + m * count, count, outer, slower, places, pieces + m * size, totals + m);
        const double own = ceil(totals[m] - 1e-6);
        if (own > wanted || own != own) wanted = own; /* what is no number stays */
    }
    if (found == 0 && wanted <= (double)most) {
        found = (Py_ssize_t)wanted;
        for (size_t m = 0; m < members; m++)
            cut_pieces(pieces + m * size, n, totals[m], low, high, (size_t)found, out + m, members, most * members);
    }
    free(places);
    free(totals);
    return found;
}

/* partition(left, right, members, location, thickness, grading, outer, slower, shapes, out) -> how many elements every member
   has, zero where too many; location and thickness are (gates, members) */
PyObject *partition(PyObject *self, PyObject *args)
{
    (void)self;
    Py_buffer b[5];
    double left, right, outer;
    Py_ssize_t members;
    int slower;
    if (!PyArg_ParseTuple(args, "ddny*y*y*dpy*w*", &left, &right, &members, &b[0], &b[1], &b[2], &outer, &slower, &b[3], &b[4]))
        return NULL;
    const size_t gates = (size_t)b[2].len / sizeof(double), shapes = (size_t)b[3].len / sizeof(double);
    Shapes own;
    Py_ssize_t found = -2;
    if (members >= 1 && members <= 10000000 && gates <= 100000 && sized(&b[0], gates * (size_t)members) &&
        sized(&b[1], gates * (size_t)members) && sized(&b[2], gates) && sized(&b[3], shapes) &&
        shapes_from(b[3].buf, shapes, &own)) {
        const size_t count = (size_t)members, most = (size_t)b[4].len / (3 * sizeof(double) * count);
        if (sized(&b[4], 3 * most * count)) {
            Py_BEGIN_ALLOW_THREADS
            Gate *each = malloc((count * gates + 1) * sizeof(Gate));
            const double *location = b[0].buf, *thickness = b[1].buf, *grading = b[2].buf;
            for (size_t m = 0; m < count && each != NULL; m++)
                for (size_t g = 0; g < gates; g++)
                    each[m * gates + g] = (Gate){location[g * count + m], thickness[g * count + m], grading[g]};
            found = each == NULL ? -1 : cut_elements(&own, left, right, each, gates, count, outer, slower, b[4].buf, most);
            free(each);
            Py_END_ALLOW_THREADS
        }
    }
    for (size_t i = 0; i < sizeof b / sizeof *b; i++) PyBuffer_Release(&b[i]);
    if (found == -1) return PyErr_NoMemory();
    if (found == -2) {
        PyErr_SetString(PyExc_ValueError, "the arrays do not fit together");
        return NULL;
    }
    return PyLong_FromSsize_t(found);
}
