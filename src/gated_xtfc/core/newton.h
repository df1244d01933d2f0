/* Newton's method on elements: the twin of solver/interval/element_newton.py, which has it in words.

   Steps that would change a field by more than half of its range are cut. Where the next step is expected to be short
   enough, it is taken with a certificate, which then counts that step. */

#define LONGEST 0.5     /* of the range of the iterate: length of a step that is cut */
#define NEAR 1e-3       /* a correction shorter than this, relative to the fields, is taken as it is */
#define DIVERGED 1e12   /* times the size that a field began with: a step so long has gone astray */
#define STALLED 1e-5    /* steps shorter than this that no longer shrink are rounding */
#define SHRINKING 0.3   /* of the step before */
#define MOST_HALVED 12
#define ROUGH 1e-2      /* a step expected to be shorter than this shows what the layout is worth ... */
#define BESIDE 0.1      /* ... and is short enough beside an error so many times as large */

enum { CONVERGED, NOT_CONVERGED, ASTRAY, NOT_FINITE };

/* Shape functions and their derivatives with the points of an element last, (terms, p + 1, n). */
static void tables_by_points(const Shape *s, double *tables)
{
    const size_t n = s->points, p1 = s->degree + 1, r = s->sites, c = s->checks;
    for (size_t f = 0; f < s->fields; f++)
        for (size_t j = 0; j <= s->order[f]; j++)
            for (size_t q = 0; q < p1; q++, tables += n) {
                const double *at_sites = s->tables[f] + j * r * p1 + q;
                const double *at_checks = s->tables[f] + (s->order[f] + 1) * r * p1 + j * c * p1 + q;
                for (size_t i = 0; i < n; i++) tables[i] = i % 2 ? at_sites[i / 2 * p1] : at_checks[i / 2 * p1];
            }
}

/* Every field and its derivatives at all points, (terms, K, n), from the factors of shape functions. */
WIDEST static void jets_from(const Shape *s, const double *tables, const double *length, const double *found, double *jets)
{
    const size_t K = s->elements, n = s->points, p1 = s->degree + 1, F = s->fields;
    for (size_t f = 0; f < F; f++)
        for (size_t j = 0; j <= s->order[f]; j++, tables += p1 * n)
            for (size_t k = 0; k < K; k++, jets += n) {
                const double *own = found + (k * F + f) * p1;
                double divisor = 1.0;
                for (size_t i = 0; i < j; i++) divisor *= length[k];
                for (size_t i = 0; i < n; i++) jets[i] = 0.0;
                for (size_t q = 0; q < p1; q++)
                    for (size_t i = 0; i < n; i++) jets[i] += tables[q * n + i] * own[q];
                for (size_t i = 0; i < n; i++) jets[i] /= divisor;
            }
}

typedef struct {
    double most, least, moved; /* of a field: the range of its values, and the longest change to the next */
} Span;

static void spans(const Shape *s, const double *here, const double *there, Span *found)
{
    const size_t N = s->elements * s->points;
    size_t t = 0;
    for (size_t f = 0; f < s->fields; t += s->order[f] + 1, f++) {
        Span own = {here[t * N], here[t * N], 0.0};
        for (size_t i = 0; i < N; i++) {
            const double old = here[t * N + i], change = fabs(there[t * N + i] - old);
            own.most = LARGER(own.most, old);
            own.least = old < own.least ? old : own.least;
            own.moved = LARGER(own.moved, change);
        }
        found[f] = own;
    }
}

static double size_of(const Span *span)
{
    const double most = fabs(span->most), least = fabs(span->least);
    return LARGER(most, least);
}

/* All equations linearised about an iterate, (F, terms + 1, N): 1 where they are finite, 0 where not, -1 without memory. */
static int linearise_all(const Shape *s, const Program *programs, const double *x, const double *iterate, double *values)
{
    const size_t N = s->elements * s->points;
    int finite = 1;
    for (size_t e = 0; e < s->fields && finite == 1; e++)
        finite = program_linearise(&programs[e], x, N, iterate, NULL, values + e * (s->terms + 1) * N, N);
    return finite;
}

/* The linearisation about the iterate part of the way from here to there, halved until it is finite; zero where none is. */
static double toward(const Shape *s, const Program *programs, const double *x, const double *here, const double *there,
                     double part, double *iterate, double *values)
{
    const size_t size = s->terms * s->elements * s->points;
    for (int times = 0; times < MOST_HALVED; times++, part *= 0.5) {
        if (part == 1.0) memcpy(iterate, there, size * sizeof(double));
        else
            for (size_t i = 0; i < size; i++) iterate[i] = here[i] + part * (there[i] - here[i]);
        const int finite = linearise_all(s, programs, x, iterate, values);
        if (finite) return finite < 0 ? -1.0 : part;
    }
    return 0.0;
}

typedef struct {
    double goal;   /* relative length of the last step */
    size_t most;   /* steps */
    size_t steps;  /* that were taken */
    double length; /* of the last one, relative to what errors are relative to */
} Steps;

/* `jets` has the iterate, and afterwards the last one; `found`, `figures` and `shares` as those of `solve`. Returns how it
   ended, or -1 where there is no memory. */
static int iterate_newton(const Shape *s, Input *in, const Program *programs, const double *x, Steps *steps, double *jets,
                          double *found, double *figures, double *shares)
{
    const size_t N = s->elements * s->points, F = s->fields, T = s->terms;
    Work_one work;
    if (allocate_one(&work, s)) return -1;
    double *memory = malloc(((F * (T + 1) + 2 * T) * N + T * s->sites * s->points) * sizeof(double));
    int outcome = NOT_CONVERGED;
    if (memory == NULL) {
        outcome = -1;
        goto done;
    }
    double *values = memory, *there = values + F * (T + 1) * N, *next = there + T * N, *tables = next + T * N;
    tables_by_points(s, tables);
    double units[MOST_FIELDS], before = INFINITY, expected = INFINITY;
    int looked = 0;
    Span span[MOST_FIELDS];
    spans(s, jets, jets, span);
    for (size_t f = 0; f < F; f++) units[f] = size_of(&span[f]);
    in->values = values;
    const int finite = linearise_all(s, programs, x, jets, values);
    if (finite != 1) {
        outcome = finite ? -1 : NOT_FINITE;
        goto done;
    }
    while (steps->steps < steps->most) {
        in->certify = expected <= steps->goal || (!looked && expected <= ROUGH);
        looked |= in->certify;
        block_one(&work, s, in, 0, found, figures, shares);
        steps->steps++;
        jets_from(s, tables, in->length, found, there);
        spans(s, jets, there, span);
        double relative = 0.0, length = 0.0, part = 1.0, poison = 0.0;
        for (size_t i = 0; i < T * N; i++) poison += 0.0 * there[i];
        steps->length = 0.0;
        for (size_t f = 0; f < F; f++) {
            const double moved = span[f].moved, size = size_of(&span[f]);
            if (units[f] == 0.0) units[f] = 2.0 * moved;
            if (!(moved <= DIVERGED * units[f])) poison = NAN;
            const double scale = LARGER(units[f], size), own = moved / (scale > 0.0 ? scale : 1.0);
            const double share = moved / figures[4 + f], range = span[f].most - span[f].least;
            const double reach = LONGEST * LARGER(units[f], range);
            length = LARGER(length, own);
            relative = LARGER(relative, share);
            if (moved > reach && reach > 0.0 && reach / moved < part) part = reach / moved;
            if (in->certify) {
                const double counted = moved / figures[4 + F + f];
                steps->length = LARGER(steps->length, counted);
            }
        }
        if (!(poison == 0.0)) {
            outcome = ASTRAY;
            break;
        }
        const int settled = relative <= steps->goal || (relative <= STALLED && relative > SHRINKING * before);
        if (in->certify && (settled || relative <= BESIDE * figures[0])) {
            memcpy(jets, there, T * N * sizeof(double));
            outcome = CONVERGED;
            break;
        }
        part = toward(s, programs, x, jets, there, length <= NEAR ? 1.0 : part, next, values);
        if (part < 0.0) outcome = -1;
        if (part <= 0.0) break;
        memcpy(jets, next, T * N * sizeof(double));
        /* steps shrink like squares: the next one from the last two */
        const double shrunk = relative / before;
        expected = part < 1.0 ? INFINITY : settled ? 0.0 : isinf(before) ? relative * relative : relative * shrunk * shrunk;
        before = part < 1.0 ? INFINITY : relative;
    }
done:
    free(memory);
    release_one(&work);
    return outcome;
}
