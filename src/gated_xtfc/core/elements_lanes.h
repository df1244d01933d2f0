/* Condensed least squares on elements for LANES members side by side: fit and certificate.

   The twin of solver/interval/element_fit.py and element_certificate.py, which have the mathematics in words. Every array
   has the members last, so that each line below is done for all of them at once. Included once for each number of lanes. */

#define FOR_LANES for (int l = 0; l < LANES; l++)
#define AT(array, index) ((array)[(size_t)(index) * LANES + (size_t)l])

typedef struct {
    double *scaled, *target;              /* (K n E, terms), (K n E) the equations at all points, rows of size one */
    double *matrix, *factor, *diagonal, *beta; /* (K, columns, R) twice; (K, nb) twice */
    double *outer;                        /* (K, R2, R) the part of Q that the joined rows come from */
    double *own, *inside;                 /* (K, F, nb), (K, F, R) what bubbles answer in the middle of their element */
    double *chain, *chain_beta;           /* (K, 2M, 3M) reflections, (K, 2M) */
    double *near, *far, *last;            /* (K, M, M) twice and (M, M): the triangle of the joined rows */
    double *ratios;                       /* (K, 2, M) (length over node length)^order of left and right states */
    double *states, *coefficients;        /* (K + 1, M), (K, columns) */
    double *right, *kept, *carried;       /* (K, R), (K + 1, M), (M, M) */
    double *between, *misfit, *envelope, *drift, *entries; /* (K c E), (K R) ... */
    double *source, *missed, *strongest;  /* (K R) each */
    double *units;                        /* (K R) what residuals of each row are measured in */
    double *response;                     /* (F (2K + 1), K R) */
    double *small;                        /* scratch of one function */
    double *across;                       /* scratch of WIDE witnesses side by side, for a single lane */
    double *figures;                      /* (E, F) sizes of rows; sizes and scales of fields, units of equations */
    struct Tied *tied;                    /* of a single lane, where conditions stand anywhere: elements_tied.h */
    void *memory;
#if LANES == 1
    Work_wide group; /* of eight elements side by side */
#endif
} NAME(Work);

/* Ends and middles of K elements; of a single lane as many as fill whole groups. */
static size_t NAME(witnesses)(size_t elements)
{
    const size_t count = 2 * elements + 1;
    return LANES == 1 ? (count + WIDE - 1) / WIDE * WIDE : count;
}

static int NAME(allocate)(NAME(Work) *w, const Shape *s)
{
    const size_t K = s->elements, R = s->rows, M = s->state, F = s->fields, nb = s->bubbles, C = s->columns;
    const size_t n = s->points, c = s->checks, R2 = R - nb;
    const struct { double **array; size_t size; } parts[] = {
        {&w->scaled, K * n * F * (s->terms + s->constants)}, {&w->target, K * n * F},
        {&w->matrix, K * C * R}, {&w->factor, K * C * R}, {&w->diagonal, K * nb}, {&w->beta, K * nb},
        {&w->outer, K * R2 * R}, {&w->own, K * F * nb}, {&w->inside, K * F * R},
        {&w->chain, K * 2 * M * (M + R2)}, {&w->chain_beta, K * 2 * M},
        {&w->near, K * M * M}, {&w->far, K * M * M}, {&w->last, M * M}, {&w->ratios, K * 2 * M},
        {&w->states, (K + 1) * M}, {&w->coefficients, K * C}, {&w->right, K * R}, {&w->kept, (K + 1) * M},
        {&w->carried, M * M}, {&w->between, K * c * F}, {&w->misfit, K * R}, {&w->envelope, K * R},
        {&w->drift, K * R}, {&w->entries, K * R}, {&w->source, K * R}, {&w->missed, K * R},
        {&w->strongest, K * R}, {&w->units, K * R}, {&w->response, F * NAME(witnesses)(K) * K * R},
        {&w->small, (K + 2) * M + 8 * M + 2 * R}, {&w->figures, F * F + 3 * F},
        {&w->across, LANES == 1 ? ((K + 4) * M + R2 + K * R) * WIDE : 0},
    };
    const size_t count = sizeof parts / sizeof *parts;
    size_t total = 0;
    for (size_t i = 0; i < count; i++) total += parts[i].size * LANES + 8;
    w->tied = NULL;
    w->memory = malloc(total * sizeof(double) + 64);
    if (w->memory == NULL) return -1;
    double *at = (double *)(((uintptr_t)w->memory + 63) & ~(uintptr_t)63);
    for (size_t i = 0; i < count; i++) {
        *parts[i].array = at;
        at += (parts[i].size * LANES + 7) & ~(size_t)7;
    }
#if LANES == 1
    Shape single = *s;
    single.elements = 1;
    if (allocate_wide(&w->group, &single)) {
        free(w->memory);
        return -1;
    }
#endif
    return 0;
}

static void NAME(release)(NAME(Work) *w)
{
#if LANES == 1
    release_wide(&w->group);
#endif
    free(w->memory);
}

/* The equations at all points, each divided by the operator's size at the resolution of the element. */
static void NAME(scale_rows)(NAME(Work) *w, const Shape *s, const Input *in, size_t first, double *sizes)
{
    const size_t K = s->elements, n = s->points, F = s->fields, T = s->terms, B = in->members;
    const size_t stride = T + s->constants;
    for (size_t i = 0; i < F * F; i++) FOR_LANES AT(sizes, i) = 0.0;
    for (size_t k = 0; k < K; k++) {
        double inverse[LANES];
        FOR_LANES inverse[l] = 1.0 / in->length[k * B + first + l];
        for (size_t i = 0; i < n; i++)
            for (size_t e = 0; e < F; e++) {
                const size_t point = k * n + i;
                double *to = w->scaled + ((point * F + e) * stride) * LANES;
                double total[LANES], part[LANES], power[LANES], step[LANES];
                FOR_LANES total[l] = 0.0;
                for (size_t f = 0, t = 0; f < F; f++) {
                    FOR_LANES { part[l] = 0.0; power[l] = 1.0; }
                    for (size_t j = 0; j <= s->order[f]; j++, t++) {
                        const double *a = in->values + ((e * (stride + 1) + t) * K * n + point) * B + first;
                        FOR_LANES {
                            AT(to, t) = a[l];
                            part[l] += fabs(a[l]) * power[l];
                            power[l] *= RESOLVED * inverse[l];
                        }
                    }
                    FOR_LANES { AT(w->small, f) = part[l]; total[l] += part[l]; }
                }
                const double *b = in->values + ((e * (stride + 1) + T) * K * n + point) * B + first;
                FOR_LANES { step[l] = 1.0 / total[l]; AT(w->target, point * F + e) = b[l] * step[l]; }
                for (size_t f = 0, t = 0; f < F; f++) {
                    FOR_LANES {
                        const double size = AT(w->small, f) * step[l];
                        AT(sizes, e * F + f) = LARGER(AT(sizes, e * F + f), size);
                        power[l] = step[l];
                    }
                    for (size_t j = 0; j <= s->order[f]; j++, t++)
                        FOR_LANES { AT(to, t) *= power[l]; power[l] *= inverse[l]; }
                }
                for (size_t j = 0; j < s->constants; j++) {
                    const double *a = in->values + ((e * (stride + 1) + T + 1 + j) * K * n + point) * B + first;
                    FOR_LANES AT(to, T + j) = a[l] * step[l];
                }
            }
    }
}

/* Rows at the sites: bubbles, left state, right state, unknown constants. */
static void NAME(assemble)(NAME(Work) *w, const Shape *s)
{
    const size_t K = s->elements, n = s->points, r = s->sites, F = s->fields, R = s->rows;
    const size_t M = s->state, p1 = s->degree + 1, stride = s->terms + s->constants;
    for (size_t k = 0; k < K; k++) {
        size_t bubble = 0, start = 0, first = 0;
        for (size_t f = 0; f < F; f++) {
            const size_t m = s->order[f];
            const double *table = s->tables[f];
            for (size_t q = 0; q < p1; q++) {
                const int left = q < m, right = q >= p1 - m;
                const size_t column = left    ? s->bubbles + start + q
                                      : right ? s->bubbles + M + start + (q - (p1 - m))
                                              : bubble + (q - m);
                double *to = w->matrix + ((k * s->columns + column) * R) * LANES;
                for (size_t i = 0; i < r; i++)
                    for (size_t e = 0; e < F; e++) {
                        const double *a = w->scaled + (((k * n + SITE(i)) * F + e) * stride + first) * LANES;
                        double sum[LANES];
                        FOR_LANES sum[l] = 0.0;
                        for (size_t j = 0; j <= m; j++) {
                            const double value = table[(j * r + i) * p1 + q];
                            FOR_LANES sum[l] += AT(a, j) * value;
                        }
                        FOR_LANES AT(to, i * F + e) = sum[l];
                    }
                if (left || right) {
                    const double *ratio = w->ratios + ((k * 2 + (size_t)right) * M + start + (left ? q : q - (p1 - m))) * LANES;
                    for (size_t i = 0; i < R; i++) FOR_LANES AT(to, i) *= ratio[l];
                }
            }
            bubble += p1 - 2 * m;
            start += m;
            first += m + 1;
        }
        for (size_t j = 0; j < s->constants; j++) {
            double *to = w->matrix + ((k * s->columns + s->bubbles + 2 * M + j) * R) * LANES;
            for (size_t i = 0; i < R; i++)
                FOR_LANES AT(to, i) = AT(w->scaled, ((k * n + SITE(i / F)) * F + i % F) * stride + s->terms + j);
        }
    }
}

/* The reflection that leaves one number of a column: v in place, v_0 = 1 understood; returns nothing where it vanishes. */
static void NAME(reflection)(double *column, size_t size, double *left, double *beta)
{
    double norm[LANES];
    FOR_LANES norm[l] = 0.0;
    for (size_t i = 1; i < size; i++) FOR_LANES norm[l] += AT(column, i) * AT(column, i);
    double inverse[LANES];
    FOR_LANES {
        const double x = AT(column, 0), alpha = -copysign(sqrt(x * x + norm[l]), x);
        const double head = x - alpha;
        left[l] = alpha;
        beta[l] = alpha == 0.0 ? 0.0 : -head / alpha;
        inverse[l] = head == 0.0 ? 0.0 : 1.0 / head;
        AT(column, 0) = 1.0;
    }
    for (size_t i = 1; i < size; i++) FOR_LANES AT(column, i) *= inverse[l];
}

static void NAME(reflect)(const double *v, const double *beta, size_t size, double *column)
{
    double sum[LANES];
    FOR_LANES sum[l] = 0.0;
    for (size_t i = 0; i < size; i++) FOR_LANES sum[l] += AT(v, i) * AT(column, i);
    FOR_LANES sum[l] *= beta[l];
    for (size_t i = 0; i < size; i++) FOR_LANES AT(column, i) -= sum[l] * AT(v, i);
}

/* Bubbles are eliminated in every element. */
static void NAME(factorise)(NAME(Work) *w, const Shape *s, int certify)
{
    const size_t K = s->elements, R = s->rows, nb = s->bubbles, C = s->columns, R2 = R - nb;
    memcpy(w->factor, w->matrix, K * C * R * LANES * sizeof(double));
    for (size_t k = 0; k < K; k++) {
        double *a = w->factor + k * C * R * LANES;
        for (size_t j = 0; j < nb; j++) {
            double *v = a + (j * R + j) * LANES, *beta = w->beta + (k * nb + j) * LANES;
            NAME(reflection)(v, R - j, w->diagonal + (k * nb + j) * LANES, beta);
            for (size_t c = j + 1; c < C; c++) NAME(reflect)(v, beta, R - j, a + (c * R + j) * LANES);
        }
        if (!certify) continue;
        double *outer = w->outer + k * R2 * R * LANES;
        memset(outer, 0, R2 * R * LANES * sizeof(double));
        for (size_t c = 0; c < R2; c++) {
            FOR_LANES AT(outer, c * R + nb + c) = 1.0;
            for (size_t j = nb; j-- > 0;)
                NAME(reflect)(a + (j * R + j) * LANES, w->beta + (k * nb + j) * LANES, R - j, outer + (c * R + j) * LANES);
        }
        /* the middle of the element: own = R^-T phi, and Q own */
        for (size_t f = 0; f < s->fields; f++) {
            double *own = w->own + (k * s->fields + f) * nb * LANES, *inside = w->inside + (k * s->fields + f) * R * LANES;
            const double *middle = s->middles + f * C;
            for (size_t i = 0; i < nb; i++) {
                double sum[LANES];
                FOR_LANES sum[l] = middle[i];
                for (size_t j = 0; j < i; j++) FOR_LANES sum[l] -= AT(a, i * R + j) * AT(own, j);
                FOR_LANES AT(own, i) = sum[l] / AT(w->diagonal, k * nb + i);
            }
            memcpy(inside, own, nb * LANES * sizeof(double));
            memset(inside + nb * LANES, 0, R2 * LANES * sizeof(double));
            for (size_t j = nb; j-- > 0;)
                NAME(reflect)(a + (j * R + j) * LANES, w->beta + (k * nb + j) * LANES, R - j, inside + j * LANES);
        }
    }
}

/* Columns of a node that are free: all, or at the ends those that conditions leave. */
static size_t NAME(width)(const Shape *s, size_t node)
{
    return node == 0 ? s->free[0] : node == s->elements ? s->free[1] : s->state;
}

/* One column of the condensed rows of an element, (R2,): free number j of its left or right node. */
static void NAME(column)(const NAME(Work) *w, const Shape *s, const Input *in, size_t first, size_t k, int right, size_t j, double *to)
{
    const size_t R = s->rows, nb = s->bubbles, M = s->state, C = s->columns, R2 = R - nb;
    const int end = right ? k + 1 == s->elements : k == 0;
    const double *a = w->factor + (k * C + nb + (right ? M : 0)) * R * LANES;
    if (!end) {
        memcpy(to, a + (j * R + nb) * LANES, R2 * LANES * sizeof(double));
        return;
    }
    const double *basis = in->basis[right];
    for (size_t i = 0; i < R2; i++) {
        double sum[LANES];
        FOR_LANES sum[l] = 0.0;
        for (size_t q = 0; q < M; q++)
            FOR_LANES sum[l] += AT(a, q * R + nb + i) * basis[(q * s->free[right] + j) * in->members + first + l];
        FOR_LANES AT(to, i) = sum[l];
    }
}

/* The joined rows: from left to right, the numbers of each node are eliminated by reflections, which are kept. */
static void NAME(join)(NAME(Work) *w, const Shape *s, const Input *in, size_t first)
{
    const size_t K = s->elements, M = s->state, R2 = s->rows - s->bubbles, H = M + R2;
    size_t carried = 0;
    double *triangle = w->carried; /* (carried, carried) of the node that is common, columns first */
    for (size_t k = 0; k < K; k++) {
        const size_t near = NAME(width)(s, k), far = NAME(width)(s, k + 1), height = carried + R2;
        double *v = w->chain + k * 2 * M * H * LANES, *beta = w->chain_beta + k * 2 * M * LANES;
        for (size_t j = 0; j < near + far; j++) {
            double *column = v + j * H * LANES;
            memset(column, 0, carried * LANES * sizeof(double));
            if (j < near) {
                for (size_t i = 0; i < carried && i <= j; i++) FOR_LANES AT(column, i) = AT(triangle, j * M + i);
                NAME(column)(w, s, in, first, k, 0, j, column + carried * LANES);
            } else {
                NAME(column)(w, s, in, first, k, 1, j - near, column + carried * LANES);
            }
        }
        for (size_t j = 0; j < near + far; j++) {
            double *column = v + j * H * LANES;
            for (size_t i = 0; i < j; i++)
                NAME(reflect)(v + (i * H + i) * LANES, beta + i * LANES, height - i, column + i * LANES);
            double diagonal[LANES];
            for (size_t i = 0; i < j; i++)
                FOR_LANES {
                    if (j < near) AT(w->near, (k * M + j) * M + i) = AT(column, i);
                    else if (i < near) AT(w->far, (k * M + j - near) * M + i) = AT(column, i);
                    else AT(triangle, (j - near) * M + (i - near)) = AT(column, i);
                }
            NAME(reflection)(column + j * LANES, height - j, diagonal, beta + j * LANES);
            FOR_LANES {
                if (j < near) AT(w->near, (k * M + j) * M + j) = diagonal[l];
                else AT(triangle, (j - near) * M + (j - near)) = diagonal[l];
            }
        }
        carried = far;
    }
    memcpy(w->last, triangle, M * M * LANES * sizeof(double));
}

/* Coefficients for a right side (K, R), which is overwritten; with the conditions' values, or with zeros. */
static void NAME(solve_for)(NAME(Work) *w, const Shape *s, const Input *in, size_t first, double *right, int homogeneous)
{
    const size_t K = s->elements, R = s->rows, nb = s->bubbles, M = s->state, C = s->columns, R2 = R - nb, H = M + R2;
    double *column = w->small, *particular[2] = {w->small + H * LANES, w->small + (H + M) * LANES};
    for (int end = 0; end < 2; end++)
        for (size_t q = 0; q < M; q++)
            FOR_LANES AT(particular[end], q) = homogeneous ? 0.0 : in->particular[end][q * in->members + first + l];
    size_t carried = 0;
    for (size_t k = 0; k < K; k++) {
        const size_t near = NAME(width)(s, k), far = NAME(width)(s, k + 1), height = carried + R2;
        const double *a = w->factor + k * C * R * LANES;
        double *b = right + k * R * LANES;
        for (size_t j = 0; j < nb; j++)
            NAME(reflect)(a + (j * R + j) * LANES, w->beta + (k * nb + j) * LANES, R - j, b + j * LANES);
        /* carried numbers stand at the top of the column already */
        memcpy(column + carried * LANES, b + nb * LANES, R2 * LANES * sizeof(double));
        for (int end = 0; end < 2; end++) {
            if (end ? k + 1 != K : k != 0) continue;
            for (size_t q = 0; q < M; q++) {
                const double *from = a + ((nb + (end ? M : 0) + q) * R + nb) * LANES;
                for (size_t i = 0; i < R2; i++)
                    FOR_LANES AT(column, carried + i) -= AT(from, i) * AT(particular[end], q);
            }
        }
        const double *v = w->chain + k * 2 * M * H * LANES, *beta = w->chain_beta + k * 2 * M * LANES;
        for (size_t i = 0; i < near + far; i++)
            NAME(reflect)(v + (i * H + i) * LANES, beta + i * LANES, height - i, column + i * LANES);
        memcpy(w->kept + k * M * LANES, column, near * LANES * sizeof(double));
        memmove(column, column + near * LANES, far * LANES * sizeof(double));
        carried = far;
    }
    /* from right to left */
    double *z = w->kept + K * M * LANES;
    memcpy(z, column, carried * LANES * sizeof(double));
    for (size_t k = K + 1; k-- > 0;) {
        const size_t own = NAME(width)(s, k);
        const double *triangle = k == K ? w->last : w->near + k * M * M * LANES;
        z = w->kept + k * M * LANES;
        if (k < K) {
            const double *next = w->kept + (k + 1) * M * LANES;
            for (size_t j = 0; j < NAME(width)(s, k + 1); j++)
                for (size_t i = 0; i < own; i++)
                    FOR_LANES AT(z, i) -= AT(w->far, (k * M + j) * M + i) * AT(next, j);
        }
        for (size_t i = own; i-- > 0;) {
            for (size_t j = i + 1; j < own; j++) FOR_LANES AT(z, i) -= AT(triangle, j * M + i) * AT(z, j);
            FOR_LANES AT(z, i) /= AT(triangle, i * M + i);
        }
    }
    for (size_t k = 0; k <= K; k++) {
        double *state = w->states + k * M * LANES;
        const double *free = w->kept + k * M * LANES;
        if (k > 0 && k < K) {
            memcpy(state, free, M * LANES * sizeof(double));
            continue;
        }
        const int end = k == K;
        for (size_t q = 0; q < M; q++) {
            FOR_LANES AT(state, q) = AT(particular[end], q);
            for (size_t j = 0; j < s->free[end]; j++)
                FOR_LANES AT(state, q) += in->basis[end][(q * s->free[end] + j) * in->members + first + l] * AT(free, j);
        }
    }
    for (size_t k = 0; k < K; k++) {
        const double *a = w->factor + k * C * R * LANES;
        double *c = w->coefficients + k * C * LANES, *b = right + k * R * LANES;
        memcpy(c, b, nb * LANES * sizeof(double));
        memcpy(c + nb * LANES, w->states + k * M * LANES, 2 * M * LANES * sizeof(double));
        for (size_t j = nb; j < C; j++)
            for (size_t i = 0; i < nb; i++) FOR_LANES AT(c, i) -= AT(a, j * R + i) * AT(c, j);
        for (size_t i = nb; i-- > 0;) {
            FOR_LANES AT(c, i) /= AT(w->diagonal, k * nb + i);
            for (size_t j = 0; j < i; j++) FOR_LANES AT(c, j) -= AT(a, i * R + j) * AT(c, i);
        }
    }
}

/* The residual of coefficients between the sites, (K, c, F), less the target where it is wanted. */
static void NAME(between)(NAME(Work) *w, const Shape *s, int with_target)
{
    const size_t K = s->elements, n = s->points, r = s->sites, c = s->checks, F = s->fields, M = s->state;
    const size_t p1 = s->degree + 1, stride = s->terms + s->constants;
    double *shape = w->small;
    for (size_t k = 0; k < K; k++) {
        const double *own = w->coefficients + k * s->columns * LANES;
        for (size_t i = 0; i < c; i++)
            for (size_t e = 0; e < F; e++)
                FOR_LANES AT(w->between, (k * c + i) * F + e) =
                    with_target ? -AT(w->target, (k * n + CHECK(i)) * F + e) : 0.0;
        size_t bubble = 0, start = 0, first = 0;
        for (size_t f = 0; f < F; f++) {
            const size_t m = s->order[f];
            const double *table = s->tables[f] + (m + 1) * r * p1;
            for (size_t q = 0; q < p1; q++)
                FOR_LANES {
                    if (q < m) AT(shape, q) = AT(own, s->bubbles + start + q) * AT(w->ratios, (k * 2) * M + start + q);
                    else if (q >= p1 - m)
                        AT(shape, q) = AT(own, s->bubbles + M + start + q - (p1 - m)) *
                                       AT(w->ratios, (k * 2 + 1) * M + start + q - (p1 - m));
                    else AT(shape, q) = AT(own, bubble + q - m);
                }
            for (size_t i = 0; i < c; i++)
                for (size_t j = 0; j <= m; j++) {
                    double sum[LANES];
                    FOR_LANES sum[l] = 0.0;
                    for (size_t q = 0; q < p1; q++) {
                        const double value = table[(j * c + i) * p1 + q];
                        FOR_LANES sum[l] += value * AT(shape, q);
                    }
                    for (size_t e = 0; e < F; e++)
                        FOR_LANES AT(w->between, (k * c + i) * F + e) +=
                            AT(w->scaled, ((k * n + CHECK(i)) * F + e) * stride + first + j) * sum[l];
                }
            bubble += p1 - 2 * m;
            start += m;
            first += m + 1;
        }
        for (size_t j = 0; j < s->constants; j++)
            for (size_t i = 0; i < c * F; i++)
                FOR_LANES AT(w->between, k * c * F + i) +=
                    AT(w->scaled, (k * n * F + CHECK(i / F) * F + i % F) * stride + s->terms + j) *
                    AT(own, s->bubbles + 2 * M + j);
    }
}

/* The largest residual between the sites on both sides of each site, in units of its equation. */
static void NAME(around)(const NAME(Work) *w, const Shape *s, const double *unit, double *to)
{
    const size_t K = s->elements, r = s->sites, c = s->checks, F = s->fields;
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < r; i++)
            for (size_t e = 0; e < F; e++)
                FOR_LANES {
                    const double before = fabs(AT(w->between, (k * c + i) * F + e));
                    const double after = fabs(AT(w->between, (k * c + i + 1) * F + e));
                    AT(to, (k * r + i) * F + e) = LARGER(before, after) / AT(unit, e);
                }
}

#if LANES == 1
#include "elements_groups.h"
#include "elements_witnesses.h"
#include "elements_tied.h"
#else
/* The response of every field at the ends and in the middles of elements to a unit in each row. */
static void NAME(respond)(NAME(Work) *w, const Shape *s, const Input *in, size_t first)
{
    const size_t K = s->elements, R = s->rows, nb = s->bubbles, M = s->state, C = s->columns, F = s->fields;
    const size_t R2 = R - nb, H = M + R2, W = 2 * K + 1;
    double *z = w->small, *column = z + (K + 1) * M * LANES, *through = column + H * LANES, *state = through + 2 * M * LANES;
    size_t start = 0;
    for (size_t f = 0; f < F; start += s->order[f], f++)
        for (size_t v = 0; v < W; v++) {
            double *to = w->response + (f * W + v) * K * R * LANES;
            const int middle = v > K;
            const size_t at = middle ? v - K - 1 : v;
            memset(z, 0, (K + 1) * M * LANES * sizeof(double));
            /* the functional in terms of states, then of the free numbers */
            if (middle) {
                const double *a = w->factor + at * C * R * LANES, *own = w->own + (at * F + f) * nb * LANES;
                const double *phi = s->middles + f * C;
                for (size_t q = 0; q < 2 * M; q++) {
                    FOR_LANES AT(through, q) = phi[nb + q] * AT(w->ratios, at * 2 * M + q);
                    for (size_t i = 0; i < nb; i++)
                        FOR_LANES AT(through, q) -= AT(own, i) * AT(a, (nb + q) * R + i);
                }
            } else {
                for (size_t q = 0; q < 2 * M; q++) FOR_LANES AT(through, q) = q == start ? 1.0 : 0.0;
            }
            for (size_t node = at; node <= at + (size_t)middle; node++) {
                const double *from = through + (node - at) * M * LANES;
                double *own = z + node * M * LANES;
                if (node > 0 && node < K) {
                    memcpy(own, from, M * LANES * sizeof(double));
                    continue;
                }
                const int end = node == K;
                for (size_t j = 0; j < s->free[end]; j++)
                    for (size_t q = 0; q < M; q++)
                        FOR_LANES AT(own, j) +=
                            AT(from, q) * in->basis[end][(q * s->free[end] + j) * in->members + first + l];
            }
            /* R' z = functional, from left to right; nothing happens before the place itself */
            for (size_t k = at; k <= K; k++) {
                const size_t width = NAME(width)(s, k);
                const double *triangle = k == K ? w->last : w->near + k * M * M * LANES;
                double *own = z + k * M * LANES;
                if (k > at) {
                    const double *before = z + (k - 1) * M * LANES;
                    for (size_t j = 0; j < width; j++)
                        for (size_t i = 0; i < NAME(width)(s, k - 1); i++)
                            FOR_LANES AT(own, j) -= AT(w->far, ((k - 1) * M + j) * M + i) * AT(before, i);
                }
                for (size_t j = 0; j < width; j++) {
                    for (size_t i = 0; i < j; i++) FOR_LANES AT(own, j) -= AT(triangle, j * M + i) * AT(own, i);
                    FOR_LANES AT(own, j) /= AT(triangle, j * M + j);
                }
            }
            /* Q z, from right to left */
            const size_t last = NAME(width)(s, K);
            memcpy(state, z + K * M * LANES, last * LANES * sizeof(double));
            for (size_t k = K; k-- > 0;) {
                const size_t near = NAME(width)(s, k), far = NAME(width)(s, k + 1), carried = k == 0 ? 0 : near;
                const size_t height = carried + R2;
                const double *reflections = w->chain + k * 2 * M * H * LANES, *beta = w->chain_beta + k * 2 * M * LANES;
                memcpy(column, z + k * M * LANES, near * LANES * sizeof(double));
                memcpy(column + near * LANES, state, far * LANES * sizeof(double));
                memset(column + (near + far) * LANES, 0, (height - near - far) * LANES * sizeof(double));
                for (size_t i = near + far; i-- > 0;)
                    NAME(reflect)(reflections + (i * H + i) * LANES, beta + i * LANES, height - i, column + i * LANES);
                memcpy(state, column, carried * LANES * sizeof(double));
                double *rows = to + k * R * LANES;
                const double *outer = w->outer + k * R2 * R * LANES;
                memset(rows, 0, R * LANES * sizeof(double));
                for (size_t c = 0; c < R2; c++)
                    for (size_t i = 0; i < R; i++)
                        FOR_LANES AT(rows, i) += AT(outer, c * R + i) * AT(column, carried + c);
            }
            if (middle)
                for (size_t i = 0; i < R; i++) FOR_LANES AT(to, at * R + i) += AT(w->inside, (at * F + f) * R + i);
        }
}
#endif

/* The response of witness number f W + v in row i. */
static const double *NAME(response)(const NAME(Work) *w, const Shape *s, size_t witness, size_t i, int l)
{
    const size_t rows = s->elements * s->rows;
#if LANES == 1
    const size_t W = 2 * s->elements + 1, v = witness % W, groups = NAME(witnesses)(s->elements) / WIDE;
    return w->response + ((witness / W * groups + v / WIDE) * rows + i) * WIDE + v % WIDE + (size_t)l;
#else
    return w->response + (witness * rows + i) * LANES + (size_t)l;
#endif
}

/* The relative error of the solution whose source is the response of the worst witness, made smooth. */
static void NAME(mode)(NAME(Work) *w, const Shape *s, const Input *in, size_t first, const int *worst,
                       const double *unit, const double *sizes, double *unresolved)
{
    const size_t K = s->elements, R = s->rows, r = s->sites, c = s->checks, F = s->fields, W = 2 * K + 1;
    double most[LANES];
    FOR_LANES most[l] = 0.0;
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < R; i++)
            FOR_LANES AT(w->source, k * R + i) = *NAME(response)(w, s, (size_t)worst[l], k * R + i, l) * AT(w->units, i);
    for (int times = 0; times < 2; times++) {
        memcpy(w->right, w->source, K * R * LANES * sizeof(double));
        for (size_t k = 0; k < K; k++)
            for (size_t i = 0; i < r; i++)
                for (size_t e = 0; e < F; e++) {
                    const size_t here = k * R + i * F + e, before = i == 0 ? here : here - F, after = i + 1 == r ? here : here + F;
                    FOR_LANES AT(w->source, here) =
                        0.25 * (AT(w->right, before) + 2.0 * AT(w->right, here) + AT(w->right, after));
                }
    }
    for (size_t i = 0; i < K * R; i++) FOR_LANES {
            const double size = fabs(AT(w->source, i));
            most[l] = LARGER(most[l], size);
        }
    for (size_t i = 0; i < K * R; i++)
        FOR_LANES {
            AT(w->source, i) /= most[l];
            AT(w->right, i) = AT(w->source, i) * AT(w->units, i);
        }
#if LANES == 1
    if (w->tied) tied_solve(w, w->tied, s, w->right, 1);
    else
#endif
        NAME(solve_for)(w, s, in, first, w->right, 1);
    NAME(between)(w, s, 0);
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < c; i++)
            for (size_t e = 0; e < F; e++) {
                const size_t low = k * R + (i == 0 ? 0 : i - 1) * F + e, high = k * R + (i + 1 == c ? r - 1 : i) * F + e;
                FOR_LANES AT(w->between, (k * c + i) * F + e) -=
                    0.5 * (AT(w->source, low) + AT(w->source, high)) * AT(unit, e);
            }
    NAME(around)(w, s, unit, w->missed);
    double top[LANES], base[LANES];
    FOR_LANES { top[l] = 0.0; base[l] = 0.0; }
#if LANES == 1
    (void)W;
    weigh_mode(w, s, sizes, top, base);
#else
    for (size_t f = 0; f < F; f++)
        for (size_t v = 0; v < W; v++) {
            double square[LANES], sum[LANES];
            FOR_LANES { square[l] = 0.0; sum[l] = 0.0; }
            for (size_t i = 0; i < K * R; i++)
                FOR_LANES {
                    const double own = *NAME(response)(w, s, f * W + v, i, l) * AT(w->units, i), part = own * AT(w->missed, i);
                    square[l] += part * part;
                    sum[l] += own * AT(w->source, i);
                }
            FOR_LANES {
                const double inverse = 1.0 / AT(sizes, f), total = fabs(sum[l]) * inverse;
                square[l] *= inverse * inverse;
                top[l] = LARGER(top[l], square[l]);
                base[l] = LARGER(base[l], total);
            }
        }
#endif
    FOR_LANES unresolved[l] = sqrt(top[l]) / base[l];
}

/* max|u| of every field; one that nearly vanishes counts as a part of what would match the others in some equation. */
static void NAME(field_sizes)(const NAME(Work) *w, const Shape *s, const double *rows, double *sizes)
{
    const size_t K = s->elements, M = s->state, C = s->columns, F = s->fields;
    size_t start = 0;
    for (size_t f = 0; f < F; start += s->order[f], f++) {
        const double *phi = s->middles + f * C;
        FOR_LANES AT(sizes, f) = 0.0;
        for (size_t k = 0; k <= K; k++)
            FOR_LANES {
                const double size = fabs(AT(w->states, k * M + start));
                AT(sizes, f) = LARGER(AT(sizes, f), size);
            }
        for (size_t k = 0; k < K; k++) {
            const double *c = w->coefficients + k * C * LANES;
            double sum[LANES];
            FOR_LANES sum[l] = 0.0;
            for (size_t q = 0; q < s->bubbles; q++) FOR_LANES sum[l] += phi[q] * AT(c, q);
            for (size_t q = 0; q < 2 * M; q++)
                FOR_LANES sum[l] += phi[s->bubbles + q] * AT(w->ratios, k * 2 * M + q) * AT(c, s->bubbles + q);
            FOR_LANES {
                sum[l] = fabs(sum[l]);
                AT(sizes, f) = LARGER(AT(sizes, f), sum[l]);
            }
        }
    }
    if (F > 1)
        FOR_LANES {
            double own[MOST_FIELDS];
            for (size_t f = 0; f < F; f++) own[f] = AT(sizes, f);
            for (size_t f = 0; f < F; f++) {
                double matching = INFINITY;
                for (size_t e = 0; e < F; e++) {
                    double others = 0.0;
                    for (size_t g = 0; g < F; g++)
                        if (g != f && AT(rows, e * F + g) * own[g] > others) others = AT(rows, e * F + g) * own[g];
                    const double row = AT(rows, e * F + f);
                    if (row > 0.0 && others > 0.0 && others / row < matching) matching = others / row;
                }
                if (isfinite(matching) && COUNTS * matching > own[f]) AT(sizes, f) = COUNTS * matching;
            }
        }
    for (size_t f = 0; f < F; f++) FOR_LANES if (AT(sizes, f) == 0.0) AT(sizes, f) = 1.0;
}

/* The estimate of the error: figures are error, rounding, stability, unresolved, sizes and scales of all fields. */
static void NAME(certify)(NAME(Work) *w, const Shape *s, const Input *in, size_t first, double *figures, double *shares)
{
    const size_t K = s->elements, R = s->rows, r = s->sites, n = s->points, c = s->checks, F = s->fields, C = s->columns;
    const size_t W = 2 * K + 1;
    (void)W;
    double *rows = w->figures, *sizes = rows + F * F * LANES, *scales = sizes + F * LANES, *unit = scales + F * LANES;
    double most[LANES], poison[LANES], widest[LANES];
    FOR_LANES { most[l] = 0.0; poison[l] = 0.0; widest[l] = 0.0; }
    for (size_t f = 0; f < F; f++)
        FOR_LANES {
            AT(scales, f) = in->factors[f] * AT(sizes, f) + in->floors[f];
            const double ratio = AT(sizes, f) / AT(scales, f);
            most[l] = LARGER(most[l], ratio);
        }
    for (size_t e = 0; e < F; e++)
        FOR_LANES {
            double top = 0.0, base = 0.0;
            for (size_t f = 0; f < F; f++) {
                const double own = AT(rows, e * F + f) * AT(sizes, f);
                top = LARGER(top, own);
                base = LARGER(base, AT(rows, e * F + f));
            }
            AT(unit, e) = top / base;
        }
    /* the residual at the sites, the sizes of what is added up there, and the residual between them */
    for (size_t k = 0; k < K; k++) {
        double *misfit = w->misfit + k * R * LANES, *entries = w->entries + k * R * LANES;
        for (size_t i = 0; i < r; i++)
            for (size_t e = 0; e < F; e++)
                FOR_LANES {
                    const double target = AT(w->target, (k * n + SITE(i)) * F + e);
                    AT(misfit, i * F + e) = -target;
                    AT(entries, i * F + e) = fabs(target);
                }
        for (size_t q = 0; q < C; q++) {
            const double *a = w->matrix + (k * C + q) * R * LANES, *own = w->coefficients + (k * C + q) * LANES;
            FOR_LANES poison[l] += 0.0 * own[l];
            for (size_t i = 0; i < R; i++)
                FOR_LANES {
                    const double part = AT(a, i) * own[l];
                    AT(misfit, i) += part;
                    AT(entries, i) += fabs(part);
                }
        }
        for (size_t i = 0; i < r; i++)
            for (size_t e = 0; e < F; e++) FOR_LANES AT(w->units, k * R + i * F + e) = AT(unit, e);
    }
    NAME(between)(w, s, 1);
    NAME(around)(w, s, unit, w->envelope);
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < r; i++)
            for (size_t e = 0; e < F; e++)
                FOR_LANES {
                    const size_t here = (k * r + i) * F + e;
                    const double sum = AT(w->between, (k * c + i) * F + e) + AT(w->between, (k * c + i + 1) * F + e);
                    AT(w->drift, here) = 0.25 * sum + 0.5 * AT(w->misfit, here);
                    AT(w->strongest, here) = 0.0;
                    widest[l] = LARGER(widest[l], AT(w->envelope, here));
                    poison[l] += 0.0 * AT(w->envelope, here);
                }
#if LANES == 1
    if (w->tied) tied_respond(w, w->tied, s);
    else respond_across(w, s, in, first);
#else
    NAME(respond)(w, s, in, first);
#endif
    double squares[LANES], drifts[LANES], misfits[LANES], roundings[LANES], stability[LANES], unresolved[LANES];
    int worst[LANES], amplified = 0;
    FOR_LANES { squares[l] = drifts[l] = misfits[l] = roundings[l] = stability[l] = unresolved[l] = 0.0; worst[l] = 0; }
#if LANES == 1
    const Weights of = {squares, drifts, misfits, roundings, stability, poison, worst};
    weigh_across(w, s, scales, sizes, &of);
#else
    for (size_t f = 0; f < F; f++)
        for (size_t v = 0; v < W; v++) {
            const double *response = w->response + (f * W + v) * K * R * LANES;
            double square[LANES], drift[LANES], misfit[LANES], rounding[LANES], total[LANES], inverse[LANES];
            FOR_LANES { square[l] = drift[l] = misfit[l] = rounding[l] = total[l] = 0.0; inverse[l] = 1.0 / AT(scales, f); }
            for (size_t i = 0; i < K * R; i++)
                FOR_LANES {
                    const double own = AT(response, i) * inverse[l], scaled = own * AT(w->units, i), size = fabs(scaled);
                    const double part = scaled * AT(w->envelope, i);
                    square[l] += part * part;
                    drift[l] += own * AT(w->drift, i);
                    misfit[l] += own * AT(w->misfit, i);
                    rounding[l] += fabs(own) * AT(w->entries, i);
                    total[l] += size;
                    AT(w->strongest, i) = LARGER(AT(w->strongest, i), size);
                }
            FOR_LANES {
                const double amplification = total[l] * AT(scales, f) / AT(sizes, f);
                drift[l] = fabs(drift[l]);
                misfit[l] = fabs(misfit[l]);
                squares[l] = LARGER(squares[l], square[l]);
                drifts[l] = LARGER(drifts[l], drift[l]);
                misfits[l] = LARGER(misfits[l], misfit[l]);
                roundings[l] = LARGER(roundings[l], rounding[l]);
                poison[l] += 0.0 * total[l];
                if (amplification > stability[l]) { stability[l] = amplification; worst[l] = (int)(f * W + v); }
            }
        }
#endif
    for (size_t k = 0; k < K; k++) {
        double share[LANES];
        FOR_LANES share[l] = 0.0;
        for (size_t i = k * R; i < (k + 1) * R; i++)
            FOR_LANES {
                const double strongest = sqrt((double)(K * R)) * AT(w->strongest, i);
                const double own = SAFETY * AT(w->envelope, i) * (most[l] + strongest);
                share[l] = LARGER(share[l], own);
            }
        FOR_LANES shares[k * in->members + first + l] = share[l];
    }
    FOR_LANES amplified |= !(stability[l] <= AMPLIFIED);
    if (amplified) {
        NAME(mode)(w, s, in, first, worst, unit, sizes, unresolved);
        FOR_LANES if (stability[l] <= AMPLIFIED) unresolved[l] = 0.0;
    }
    FOR_LANES {
        const double truncation = sqrt(squares[l]) + most[l] * widest[l] + drifts[l];
        const double rounding = SAFETY * (misfits[l] + EPSILON * roundings[l]) + 4.0 * EPSILON * most[l];
        double *to = figures + first + l;
        to[0] = SAFETY * truncation + rounding + poison[l];
        to[in->members] = rounding;
        to[2 * in->members] = stability[l] + poison[l];
        to[3 * in->members] = unresolved[l];
        for (size_t f = 0; f < F; f++) to[(4 + F + f) * in->members] = AT(scales, f);
    }
}

TARGETS static void NAME(block)(NAME(Work) *w, const Shape *s, const Input *in, size_t first, double *found, double *figures, double *shares)
{
    const size_t K = s->elements, R = s->rows, M = s->state, F = s->fields, n = s->points, p1 = s->degree + 1, B = in->members;
    /* states are measured in the shorter of the lengths beside their node */
    for (size_t k = 0; k < K; k++)
        for (size_t right = 0; right < 2; right++) {
            const size_t other = right ? (k + 1 < K ? k + 1 : k) : (k > 0 ? k - 1 : k);
            size_t q = 0;
            for (size_t f = 0; f < F; f++)
                for (size_t j = 0; j < s->order[f]; j++, q++)
                    FOR_LANES {
                        const double own = in->length[k * B + first + l], beside = in->length[other * B + first + l];
                        const double ratio = own / (own < beside ? own : beside);
                        double power = 1.0;
                        for (size_t i = 0; i < j; i++) power *= ratio;
                        AT(w->ratios, (k * 2 + right) * M + q) = power;
                    }
        }
    NAME(scale_rows)(w, s, in, first, w->figures);
#if LANES == 1
    if (K >= FEWEST && !w->tied) condense_groups(w, s, in->certify);
    else
#endif
    {
        NAME(assemble)(w, s);
        NAME(factorise)(w, s, in->certify);
    }
#if LANES == 1
    if (w->tied) {
        tied_join(w, w->tied, s);
        tied_hold(w, w->tied, s);
        tied_end(w->tied, s);
    } else
#endif
        NAME(join)(w, s, in, first);
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < s->sites; i++)
            memcpy(w->right + (k * R + i * F) * LANES, w->target + (k * n + SITE(i)) * F * LANES, F * LANES * sizeof(double));
#if LANES == 1
    if (w->tied) tied_solve(w, w->tied, s, w->right, 0);
    else
#endif
        NAME(solve_for)(w, s, in, first, w->right, 0);
    /* as shape functions have them: left, bubbles, right of every field */
    for (size_t k = 0; k < K; k++) {
        const double *c = w->coefficients + k * s->columns * LANES;
        size_t bubble = 0, start = 0;
        for (size_t f = 0; f < F; f++) {
            const size_t m = s->order[f];
            for (size_t q = 0; q < p1; q++) {
                double *to = found + ((k * F + f) * p1 + q) * B + first;
                FOR_LANES {
                    if (q < m) to[l] = AT(c, s->bubbles + start + q) * AT(w->ratios, k * 2 * M + start + q);
                    else if (q >= p1 - m)
                        to[l] = AT(c, s->bubbles + M + start + q - (p1 - m)) *
                                AT(w->ratios, (k * 2 + 1) * M + start + q - (p1 - m));
                    else to[l] = AT(c, bubble + q - m);
                }
            }
            bubble += p1 - 2 * m;
            start += m;
        }
    }
    double *sizes = w->figures + F * F * LANES;
    NAME(field_sizes)(w, s, w->figures, sizes);
    for (size_t f = 0; f < F; f++) FOR_LANES figures[(4 + f) * B + first + l] = AT(sizes, f);
    if (in->certify) NAME(certify)(w, s, in, first, figures, shares);
}

#undef FOR_LANES
#undef AT
