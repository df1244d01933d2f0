/* Gates of equations from the roots of their symbol, and the elements that gates ask for.

   The twins of gates/prediction.py with operator/symbol.py, and of discretise/partition.py, which have the reasons. What
   is out of the ordinary (singular points, leads that nearly vanish, numbers that are not finite) is left to them. */

#include "arguments.h"
#include "modes.h"

#define FLAT 0.75
#define SAME 1e-12
#define DECAYED (1.0 + 1e-9)
#define STEPS 4
#define ROUNDS 13
#define CUTS 17
#define SPACING(x) (nextafter(fabs(x), INFINITY) - fabs(x))

/* The equations at the first n probes: as program_linearise. No modes are known there yet. */
static int linear_at(Look *look, size_t n)
{
    look->count = n;
    for (size_t i = 0; i < n; i++) look->modes[i].largest = -1.0;
    if (look->jets_at != NULL) look->jets_at(look->about, look->probes, n, look->jets);
    int finite = 1;
    for (size_t e = 0; e < look->fields && finite == 1; e++)
        finite = program_linearise(look->programs + e, look->probes, n, look->jets_at == NULL ? NULL : look->jets, NULL,
                                   look->values + e * (look->terms + 1) * n, n);
    return finite;
}

/* Whether modes are those of one equation of first or second order. */
static int is_plain(const Look *look) { return look->fields == 1 && look->state <= 2; }

/* The modes at a probe. Where they are slower than `enough` for sure they need not be known, and are none. */
static const Modes *modes_at(Look *look, size_t i, double enough)
{
    static const Modes none = {{0.0, 0.0}, 0.0, 0.0};
    Modes *own = look->modes + i;
    if (own->largest >= 0.0) return own;
    if (is_plain(look)) {
        double a[3] = {0.0, 0.0, 0.0};
        for (size_t j = 0; j <= look->state; j++) a[j] = look->values[j * look->count + i];
        *own = modes_of_one(look->state, a);
        return own;
    }
    double b[MOST_STATES * MOST_STATES];
    if (!solved_for_highest(look, i, b)) look->lost = 1;
    if (look->lost || (enough > 0.0 && all_slower(look, b, enough))) return &none;
    if (modes_of_system(look, b, own)) return own;
    look->lost = 1;
    return &none;
}

/* Whether the equations are the same at two probes, so that their modes are. */
static int are_alike(const Look *look, size_t i, size_t k)
{
    const double *own = look->values;
    for (size_t row = 0; row < look->fields * (look->terms + 1); row++, own += look->count)
        if (row % (look->terms + 1) != look->terms && fabs(own[i] - own[k]) > SAME * fabs(own[i])) return 0;
    return 1;
}

/* `near` is the first of the probes that approach a place. */
static int is_singular(Look *look, size_t near, double place, double reach)
{
    size_t last = look->distances;
    while (last > 0 && !(reach * look->distance[last - 1] >= 8.0 * SPACING(place))) last--;
    if (last == 0) return 1; /* there is no room to tell */
    last--;
    const size_t first = last > STEPS ? last - STEPS : 0;
    if (first == last || are_alike(look, near + first, near + last)) return 0;
    const double far = reach * look->distance[first], close = reach * look->distance[last];
    const double outer = modes_at(look, near + first, 0.0)->largest * far, inner = modes_at(look, near + last, 0.0)->largest * close;
    if (!(outer > 0.0 && inner > 0.0)) return 0;
    return log(outer / inner) < FLAT * log(far / close);
}

/* Thickness of the layer that the modes at these probes can make, infinite where there is none; and whether its decay
   quickens. The product of rate and distance grows with the distance where there is a layer. */
static double thickness_of(Look *look, size_t near, int side, double reach, double place, int *quickens)
{
    const size_t toward = side < 0;
    const double *parts = look->distance;
    double at = reach * parts[0], product = modes_at(look, near, 1.0 / at)->rate[toward] * at, before = 0.0, outer = 0.0;
    *quickens = 0;
    if (!(product > DECAYED)) return INFINITY;
    size_t below = 0;
    while (product > 1.0 && ++below < look->distances) {
        before = at;
        outer = product;
        at = reach * parts[below];
        product = modes_at(look, near + below, 0.0)->rate[toward] * at;
    }
    const int known = below < look->distances && at >= 8.0 * SPACING(place);
    if (!known && is_singular(look, near, place, reach)) return INFINITY;
    if (below == look->distances) return at;
    const double high = log(outer), low = log(product > 1e-300 ? product : 1e-300);
    double part = 0.0;
    if (high > low) part = high / (high - low) < 1.0 ? high / (high - low) : 1.0;
    const double further = modes_at(look, near + (below > 2 ? below - 2 : 0), 0.0)->rate[toward];
    *quickens = further > 2.0 * modes_at(look, near + below, 0.0)->rate[toward];
    return before * pow(at / before, part);
}

static double drift_at(const Look *look, size_t i)
{
    const double *values = look->values + (look->state - 1) * look->count, lead = values[look->count + i];
    return values[i] * (lead > 0.0 ? 1.0 : lead < 0.0 ? -1.0 : lead);
}

/* Where the drift passes from - to + between two places; what `linear_at` says otherwise. Probes are ever closer about where
   a straight line has it. */
static int bisect(Look *look, double low, double high, double *place)
{
    const double step = (high - low) / (CUTS - 1);
    for (size_t i = 0; i < CUTS; i++) look->probes[i] = i + 1 < CUTS ? low + (double)i * step : high;
    for (int round = 0; round < ROUNDS; round++) {
        const int finite = linear_at(look, CUTS);
        if (finite != 1) return finite;
        size_t passes = CUTS;
        for (size_t i = CUTS; i-- > 0;) {
            if (drift_at(look, i) == 0.0) {
                passes = CUTS + i; /* the first zero goes before every change of sign */
            } else if (passes <= CUTS && i + 1 < CUTS && drift_at(look, i) < 0.0 && drift_at(look, i + 1) > 0.0)
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
        const double length = high - low, first = drift_at(look, passes), rise = drift_at(look, passes + 1) - first;
        const int even = length < 1e3 * SPACING(high);
        double part = 0.1;
        for (size_t i = 1; i <= CUTS / 2; i++, part *= 0.1) {
            const double apart = i < CUTS / 2 ? part * length : 0.0, between = low - first * length / rise;
            const double before = between - apart, behind = between + apart;
            look->probes[i] = even ? low + (double)i * (length / (CUTS - 1)) : before > low ? before < high ? before : high : low;
            look->probes[CUTS - 1 - i] = even ? low + (double)(CUTS - 1 - i) * (length / (CUTS - 1))
                                         : behind > low ? behind < high ? behind : high : low;
        }
        look->probes[0] = low;
        look->probes[CUTS - 1] = high;
    }
    *place = high;
    return 1;
}

static size_t most_probes(const Look *look, size_t samples) { return samples + 2 * look->distances + CUTS; }

size_t look_size(const Look *look, size_t samples)
{
    const size_t numbers = 1 + look->fields * (look->terms + 1) + look->terms;
    return most_probes(look, samples) * (numbers * sizeof(double) + sizeof(Modes));
}

void look_into(Look *look, double *memory, size_t samples)
{
    const size_t most = most_probes(look, samples);
    look->probes = memory;
    look->values = memory + most;
    look->jets = look->values + look->fields * (look->terms + 1) * most;
    look->modes = (Modes *)(look->jets + look->terms * most);
}

/* Layers at turning points of one equation, of which there are `turns` in the end; as predict_gates. */
static int predict_turning(Look *look, const double *x, size_t n, size_t *turns, double turning[MOST_TURNING][2])
{
    for (size_t i = 1; i + 1 < n; i++)
        if (drift_at(look, i) == 0.0 && drift_at(look, i - 1) < 0.0 && drift_at(look, i + 1) > 0.0) {
            if (*turns == MOST_TURNING) return 0;
            turning[(*turns)++][0] = x[i];
        }
    size_t between[MOST_TURNING], intervals = 0;
    for (size_t i = 0; i + 1 < n; i++)
        if (drift_at(look, i) < 0.0 && drift_at(look, i + 1) > 0.0) {
            if (*turns + intervals == MOST_TURNING) return 0;
            between[intervals++] = i;
        }
    for (size_t k = 0; k < intervals; k++) {
        const int fine = bisect(look, x[between[k]], x[between[k] + 1], &turning[(*turns)++][0]);
        if (fine != 1) return fine;
    }
    for (size_t k = 0; k < *turns; k++) {
        const double place = turning[k][0], before = place - x[0], behind = x[n - 1] - place;
        const double reach = 2.0 * (before < behind ? before : behind);
        turning[k][1] = INFINITY;
        for (int side = -1; side <= 1; side += 2) {
            int quickens;
            for (size_t i = 0; i < look->distances; i++) look->probes[i] = place + side * (reach * look->distance[i]);
            const int fine = linear_at(look, look->distances);
            if (fine != 1) return fine;
            const double thickness = thickness_of(look, 0, side, reach, place, &quickens);
            if (thickness < turning[k][1]) turning[k][1] = thickness;
        }
    }
    return 1;
}

int predict_gates(Look *look, double left, double right, const double *x, size_t n, double *found, double *wave)
{
    const double length = right - left, ends[2] = {left, right};
    const size_t step = look->distances, count = n + 2 * step;
    double turning[MOST_TURNING][2];
    size_t turns = 0;
    look->lost = 0;
    memcpy(look->probes, x, n * sizeof(double));
    for (size_t i = 0; i < step; i++) {
        look->probes[n + i] = left + length * look->distance[i];
        look->probes[n + step + i] = right - length * look->distance[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (!(look->probes[i] >= x[0])) look->probes[i] = x[0];
        if (!(look->probes[i] <= x[n - 1])) look->probes[i] = x[n - 1];
    }
    int fine = linear_at(look, count);
    if (fine != 1) return fine;
    for (size_t end = 0; end < 2; end++) {
        const size_t near = n + end * step;
        int quickens;
        if (is_singular(look, near, ends[end], length)) return 0;
        found[2 * end] = thickness_of(look, near, end ? -1 : 1, length, ends[end], &quickens);
        found[2 * end + 1] = quickens;
    }
    found[4] = 0.0;
    for (size_t i = 0; i < n; i++) {
        wave[i] = modes_at(look, i, look->least)->wave;
        if (wave[i] > found[4]) found[4] = wave[i];
    }
    if (look->fields == 1) { /* in a system the solution shows them */
        const double *lead = look->values + look->state * count;
        for (size_t i = 0; i < n; i++) {
            if (i + 1 < n && lead[i] * lead[i + 1] < 0.0) return 0;
            if (i > 0 && i + 1 < n &&
                (lead[i] == 0.0 || (fabs(lead[i]) < fabs(lead[i - 1]) && fabs(lead[i]) < fabs(lead[i + 1]))))
                return 0;
        }
        if (look->state > 1) fine = predict_turning(look, x, n, &turns, turning);
    }
    found[5] = (double)turns;
    memcpy(found + 6, turning, turns * sizeof turning[0]);
    return look->lost && fine == 1 ? 0 : fine;
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
    const size_t gates = doubles(&b[2]), shapes = doubles(&b[3]);
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
    let_go(b, ROOM(b));
    if (found < 0) return outcome(-1, found != -2);
    return PyLong_FromSsize_t(found);
}
