/* Polynomials on elements at points, with their derivatives: the twin of discretise/element_basis.py.

   Eight points go side by side, each in the element that it lies in. Legendre polynomials are P_(j+1) = t P_j +
   j/(j+1) (t P_j - P_(j-1)), which is exact at both ends, so that bubbles vanish there to the last bit. */

typedef struct {
    size_t degree, order, first, last; /* of derivatives: those that are wanted */
    size_t elements, stride;           /* from the coefficients of one element to those of the next */
    const double *hermite[MOST_ORDER + 1]; /* monomials of each derivative of the functions of the ends, times i! */
    const double *cuts, *anchor, *offset, *length, *coefficients;
} Sum;

/* The number of cuts that are not beyond x; mostly the element of the point before, or the next one. */
static size_t element_of(const Sum *f, double x, size_t near)
{
    size_t low = 0, high = f->elements - 1;
    if (near < high && f->cuts[near] <= x) low = near + 1;
    else if (near > 0 && f->cuts[near - 1] > x) high = near - 1;
    else if (x == x) return near;
    if (low < high && f->cuts[low] > x) return low;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (f->cuts[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Sums for every field of a solution on elements, up to its order; `cuts` is where one element ends and the next begins. */
static void sums_of(Sum *sums, const Shape *s, const double *hermite, const double *cuts, const double *anchor, const double *offset,
                    const double *length, const double *found)
{
    for (size_t f = 0; f < s->fields; f++) {
        sums[f] = (Sum){.degree = s->degree, .order = s->order[f], .last = s->order[f], .elements = s->elements,
                        .stride = s->fields * s->sites, .cuts = cuts, .anchor = anchor, .offset = offset, .length = length,
                        .coefficients = found + f * s->sites};
        for (size_t j = 0; j <= s->order[f]; j++) {
            sums[f].hermite[j] = hermite;
            hermite += (2 * s->order[f] - j) * s->order[f];
        }
    }
}

#define FOR_POINTS for (size_t l = 0; l < WIDE; l++)

/* values has a row of `apart` numbers for each derivative. */
WIDEST static void sum_up(const Sum *f, size_t count, const double *x, double *values, size_t apart)
{
    const size_t degree = f->degree, order = f->order, inner = degree + 1 - 2 * order;
    double ratio[MOST_DEGREE + 1], inverse[2 * MOST_DEGREE + 2], p[MOST_DEGREE + 1][WIDE], c[MOST_DEGREE + 1][WIDE];
    for (size_t j = 1; j < degree; j++) ratio[j] = (double)j / (double)(j + 1);
    for (size_t j = 1; j <= 2 * degree + 1; j++) inverse[j] = 1.0 / (double)j;
    size_t near = 0;
    for (size_t begin = 0; begin < count; begin += WIDE) {
        const size_t n = count - begin < WIDE ? count - begin : WIDE;
        double s[WIDE], t[WIDE], beside[WIDE], length[WIDE];
        for (size_t l = 0; l < WIDE; l++) {
            const double place = x[begin + (l < n ? l : 0)];
            near = element_of(f, place, near);
            length[l] = f->length[near];
            const double at = ((place - f->anchor[near]) - f->offset[near]) / length[l];
            s[l] = at > 0.0 ? (at < 1.0 ? at : 1.0) : at == at ? 0.0 : at;
            t[l] = 2.0 * s[l] - 1.0;
            beside[l] = 1.0 - s[l];
            const double *own = f->coefficients + near * f->stride;
            for (size_t q = 0; q <= degree; q++) c[q][l] = own[q];
        }
        FOR_POINTS { p[0][l] = 1.0; p[1][l] = t[l]; }
        for (size_t j = 1; j < degree; j++)
            FOR_POINTS {
                const double next = t[l] * p[j][l];
                p[j + 1][l] = next + ratio[j] * (next - p[j - 1][l]);
            }
        for (size_t integrals = 0; integrals <= order - f->first; integrals++) {
            const size_t derivative = order - integrals, rows = 2 * order - derivative;
            if (integrals > 0)
                for (size_t q = 0; q + 2 * integrals <= degree; q++) {
                    const double part = inverse[2 * (integrals + q) + 1];
                    FOR_POINTS p[q][l] = (p[q + 2][l] - p[q][l]) * part;
                }
            if (derivative > f->last) continue;
            double sum[WIDE];
            FOR_POINTS sum[l] = 0.0;
            for (size_t q = 0; q < inner; q++) FOR_POINTS sum[l] += c[order + q][l] * p[derivative + q][l];
            const double doubled = ldexp(1.0, (int)derivative), flipped = derivative % 2 ? -1.0 : 1.0;
            FOR_POINTS sum[l] *= doubled;
            const double factorial[MOST_ORDER] = {1.0, 1.0, 0.5, 1.0 / 6.0};
            const double *hermite = f->hermite[derivative];
            for (size_t i = 0; i < order; i++) {
                double left[WIDE], right[WIDE];
                FOR_POINTS left[l] = right[l] = 0.0;
                for (size_t k = rows; k-- > 0;) {
                    const double own = hermite[k * order + i];
                    FOR_POINTS {
                        left[l] = left[l] * s[l] + own;
                        right[l] = right[l] * beside[l] + own;
                    }
                }
                const double side = i % 2 ? -flipped : flipped;
                FOR_POINTS sum[l] += (c[i][l] * left[l] + side * c[order + inner + i][l] * right[l]) * factorial[i];
            }
            double divisor[WIDE];
            FOR_POINTS divisor[l] = 1.0;
            for (size_t j = 0; j < derivative; j++) FOR_POINTS divisor[l] *= length[l];
            for (size_t l = 0; l < n; l++) values[(derivative - f->first) * apart + begin + l] = sum[l] / divisor[l];
        }
    }
}

/* Every field and its derivatives at points: as `Jets`, where `about` has a sum for each. */
typedef struct {
    size_t fields;
    Sum sums[MOST_FIELDS];
} Sums;

static void jets_of_sums(const void *about, const double *x, size_t n, double *jets)
{
    const Sums *own = about;
    for (size_t f = 0; f < own->fields; jets += (own->sums[f].order + 1) * n, f++) sum_up(&own->sums[f], n, x, jets, n);
}

/* The same of polynomials on the whole interval: (fields, highest + 1, parts) monomials in (x - middle)/half. */
typedef struct {
    size_t fields, highest, parts;
    const size_t *order; /* (fields,) */
    const double *monomials;
    double middle, half;
} Monomials;

static void jets_of_monomials(const void *about, const double *x, size_t n, double *jets)
{
    const Monomials *own = about;
    for (size_t f = 0; f < own->fields; f++)
        for (size_t j = 0; j <= own->order[f]; j++, jets += n) {
            const double *parts = own->monomials + (f * (own->highest + 1) + j) * own->parts;
            for (size_t i = 0; i < n; i++) {
                const double at = (x[i] - own->middle) / own->half;
                double sum = 0.0;
                for (size_t k = own->parts; k-- > 0;) sum = sum * at + parts[k];
                jets[i] = sum;
            }
        }
}

/* evaluate(degree, orders, field, first, last, hermite, cuts, anchor, offset, length, coefficients, x, values)

   Derivatives from `first` to `last` of one field, or of every field up to its order where `field` is negative; hermite
   has the monomials of all derivatives of all fields one after the other. */
static PyObject *evaluate(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *orders;
    Py_ssize_t degree, field, first, last;
    Py_buffer b[8];
    if (!PyArg_ParseTuple(args, "nO!nnny*y*y*y*y*y*y*w*", &degree, &PyTuple_Type, &orders, &field, &first, &last, FOUR(b, 0),
                          FOUR(b, 4)))
        return NULL;
    const size_t elements = doubles(&b[2]), count = doubles(&b[6]);
    const Py_ssize_t fields = PyTuple_Size(orders);
    int fits = degree >= 2 && degree <= MOST_DEGREE && elements > 0 && fields >= 1 && fields <= MOST_FIELDS && field < fields;
    size_t numbers = 0, rows = 0;
    Sum sums[MOST_FIELDS];
    for (Py_ssize_t g = 0; g < fields && fits; g++) {
        const Py_ssize_t order = PyLong_AsSsize_t(PyTuple_GetItem(orders, g));
        fits = order >= 1 && order <= MOST_ORDER && degree > 2 * order - 1;
        if (!fits) break;
        const int every = field < 0;
        Sum *f = &sums[g];
        *f = (Sum){.degree = (size_t)degree, .order = (size_t)order, .elements = elements};
        f->first = every ? 0 : (size_t)first;
        f->last = every ? (size_t)order : (size_t)last;
        if (every || g == field) {
            fits = every || (0 <= first && first <= last && last <= order);
            rows += f->last - f->first + 1;
        }
        for (Py_ssize_t j = 0; j <= order; j++) {
            f->hermite[j] = (const double *)b[0].buf + numbers;
            numbers += (size_t)((2 * order - j) * order);
        }
        const size_t shapes = (size_t)degree + 1;
        f->stride = (size_t)fields * shapes;
        f->cuts = b[1].buf;
        f->anchor = b[2].buf;
        f->offset = b[3].buf;
        f->length = b[4].buf;
        f->coefficients = (const double *)b[5].buf + (size_t)g * shapes;
    }
    if (PyErr_Occurred()) PyErr_Clear();
    fits = fits && sized(&b[0], numbers) && sized(&b[1], elements - 1) && sized(&b[2], elements) && sized(&b[3], elements) &&
           sized(&b[4], elements) && sized(&b[5], elements * (size_t)fields * ((size_t)degree + 1)) && sized(&b[6], count) &&
           sized(&b[7], rows * count);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        double *to = b[7].buf;
        for (Py_ssize_t g = 0; g < fields; g++)
            if (field < 0 || g == field) {
                sum_up(&sums[g], count, b[6].buf, to, count);
                to += (sums[g].last - sums[g].first + 1) * count;
            }
        Py_END_ALLOW_THREADS
    }
    let_go(b, ROOM(b));
    if (!fits) return outcome(0, fits);
    Py_RETURN_NONE;
}
