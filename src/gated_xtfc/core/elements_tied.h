/* Conditions that stand anywhere, tie places together or are integrals, and unknown constants: the chain with a border.

   The twin of solver/interval/chain.py and tied_layout.py, which have it in words. For a single member; responses go WIDE
   side by side. Included once, between the declarations of a single lane. */

#define FOR_WITNESSES for (int l = 0; l < WIDE; l++)
#define OF(array, index) ((array)[(size_t)(index) * WIDE + (size_t)l])

typedef struct {
    size_t width, free, integrals; /* numbers of the border, those that conditions leave, conditions that are integrals */
    const int32_t *slots;          /* (K + 1,) which part of the border a node's state is, -1 where it is eliminated */
    const double *basis;           /* (W, free) the border in the numbers that are left */
    const double *particular;      /* (W,) */
    const double *inner, *outer, *values; /* (I, K, columns), (I, W), (I,) of conditions that are integrals */
    const double *jumps;           /* (K, M) what the left state of an element has more than the right one beside it */
} Ties;

struct Tied {
    const Ties *ties;
    size_t *carried;              /* (K + 1,) rows that are handed on before each element */
    double *chain, *beta;         /* (K, 2M + W, H) reflections, (K, 2M + W) */
    double *near, *beyond;        /* (K, M, M) the triangle of each node, (K, M + W, M) its other columns */
    double *rest;                 /* (W, W) the rows that are left, columns first */
    double *held, *inside;        /* (I, K, nb), (I, K, R) what integrals are of turned rows, and of rows */
    double *held_nodes, *held_rest; /* (I, K, M), (I, W) */
    double *from_rows, *from_values; /* (free, W), (free, I) */
    double *border, *turned;      /* (W,), (H + I,) */
    double *constants;            /* (c,) as they were found */
    double *levers, *moved;       /* (F, I) and (c, I) what a unit in each integral does at the most */
    double *answers;              /* (groups, K R, WIDE) the response of constants */
    double *lanes;                /* scratch of WIDE functionals */
    double *dense;                /* scratch of the ending */
    void *memory;
};

static size_t tied_height(const Shape *s, const Ties *t) { return s->state + t->width + s->rows - s->bubbles; }
static size_t most_of(size_t a, size_t b) { return a > b ? a : b; }

static int allocate_tied(struct Tied *d, const Shape *s, const Ties *t)
{
    const size_t K = s->elements, M = s->state, W = t->width, H = tied_height(s, t), I = t->integrals, R = s->rows;
    const size_t n = 2 * M + W, groups = (s->constants + WIDE - 1) / WIDE, f = t->free;
    const struct { double **array; size_t size; } parts[] = {
        {&d->chain, K * n * H}, {&d->beta, K * n}, {&d->near, K * M * M}, {&d->beyond, K * (M + W) * M},
        {&d->rest, most_of(W, M + W) * (M + W)}, {&d->held, I * K * s->bubbles}, {&d->inside, I * K * R},
        {&d->held_nodes, I * K * M}, {&d->held_rest, I * W}, {&d->from_rows, f * W}, {&d->from_values, f * I},
        {&d->border, W}, {&d->turned, H + I}, {&d->constants, s->constants}, {&d->levers, s->fields * I}, {&d->moved, s->constants * I},
        {&d->answers, groups * K * R * WIDE}, {&d->lanes, ((K + 1) * M + 2 * W + f + I + 2 * H) * WIDE},
        {&d->dense, W * f + 2 * I * f + 2 * f * f + 4 * W * f + 5 * (f + W + I)},
    };
    const size_t count = sizeof parts / sizeof *parts;
    size_t total = (K + 1) * sizeof(size_t) / sizeof(double) + 8;
    for (size_t i = 0; i < count; i++) total += parts[i].size + 8;
    d->memory = calloc(total * sizeof(double) + 64, 1);
    if (d->memory == NULL) return -1;
    double *at = (double *)(((uintptr_t)d->memory + 63) & ~(uintptr_t)63);
    for (size_t i = 0; i < count; i++) {
        *parts[i].array = at;
        at += (parts[i].size + 7) & ~(size_t)7;
    }
    d->carried = (size_t *)(void *)at;
    d->ties = t;
    return 0;
}

/* Numbers of a node that are eliminated. */
static size_t own_width(const Shape *s, const Ties *t, size_t node) { return t->slots[node] < 0 ? s->state : 0; }

/* The joined rows from left to right; what is left at the end sees the border alone. */
static void tied_join(const Work_one *w, struct Tied *d, const Shape *s)
{
    const Ties *t = d->ties;
    const size_t K = s->elements, M = s->state, W = t->width, R = s->rows, nb = s->bubbles, C = s->columns, R2 = R - nb;
    const size_t H = tied_height(s, t), n = 2 * M + W, rows = M + W;
    double *carry = d->rest; /* (M + W, M + W), columns first */
    d->carried[0] = 0;
    for (size_t k = 0; k < K; k++) {
        const size_t near = own_width(s, t, k), far = own_width(s, t, k + 1), carried = d->carried[k];
        const size_t height = carried + R2, columns = near + far + W, count = height < columns ? height : columns;
        double *v = d->chain + k * n * H, *beta = d->beta + k * n;
        memset(v, 0, n * H * sizeof(double));
        for (size_t j = 0; j < near; j++) memcpy(v + j * H, carry + j * rows, carried * sizeof(double));
        for (size_t j = 0; j < W; j++) memcpy(v + (near + far + j) * H, carry + (near + j) * rows, carried * sizeof(double));
        const double *a = w->factor + k * C * R;
        for (size_t q = 0; q < 2 * M + s->constants; q++) {
            const int32_t left = t->slots[k], right = t->slots[k + 1];
            const size_t border = near + far;
            const size_t to = q < M       ? (left < 0 ? q : border + (size_t)left * M + q)
                              : q < 2 * M ? (right < 0 ? near + q - M : border + (size_t)right * M + q - M)
                                          : border + W - s->constants + q - 2 * M;
            memcpy(v + to * H + carried, a + (nb + q) * R + nb, R2 * sizeof(double));
        }
        for (size_t j = 0; j < columns; j++) {
            double *column = v + j * H;
            for (size_t i = 0; i < j && i < count; i++) reflect_one(v + i * H + i, beta + i, height - i, column + i);
            for (size_t i = 0; i < j && i < near; i++) {
                if (j < near) d->near[(k * M + j) * M + i] = column[i];
                else d->beyond[(k * (M + W) + j - near) * M + i] = column[i];
            }
            if (j >= near) {
                double *to = carry + (j - near) * rows;
                memset(to, 0, rows * sizeof(double));
                for (size_t i = near; i < j && i < count; i++) to[i - near] = column[i];
            }
            if (j >= count) continue;
            double diagonal;
            reflection_one(column + j, height - j, &diagonal, beta + j);
            if (j < near) d->near[(k * M + j) * M + j] = diagonal;
            else carry[(j - near) * rows + j - near] = diagonal;
        }
        d->carried[k + 1] = count - near;
    }
}

/* Functionals of the nodes' numbers and of the border's as those of turned rows, from a node on. */
static void tied_reduce(const struct Tied *d, const Shape *s, double *z, double *border, size_t begin)
{
    const Ties *t = d->ties;
    const size_t M = s->state, W = t->width;
    for (size_t k = begin; k < s->elements; k++) {
        if (t->slots[k] >= 0) continue;
        const double *near = d->near + k * M * M, *beyond = d->beyond + k * (M + W) * M;
        const size_t far = own_width(s, t, k + 1);
        double *own = z + k * M * WIDE;
        for (size_t j = 0; j < M; j++) {
            for (size_t i = 0; i < j; i++) FOR_WITNESSES OF(own, j) -= near[j * M + i] * OF(own, i);
            FOR_WITNESSES OF(own, j) /= near[j * M + j];
        }
        for (size_t j = 0; j < far + W; j++) {
            double *to = j < far ? own + (M + j) * WIDE : border + (j - far) * WIDE;
            for (size_t i = 0; i < M; i++) FOR_WITNESSES OF(to, 0) -= beyond[j * M + i] * OF(own, i);
        }
    }
}

/* A functional of an element's states and of constants, added to those of the nodes, for one witness. */
static void tied_scatter(const Shape *s, const Ties *t, size_t k, const double *through, double *z, double *border, size_t lane)
{
    const size_t M = s->state;
    for (size_t q = 0; q < 2 * M; q++) {
        const size_t node = k + (q >= M), at = q % M;
        const int32_t slot = t->slots[node];
        if (slot < 0) z[(node * M + at) * WIDE + lane] += through[q];
        else border[((size_t)slot * M + at) * WIDE + lane] += through[q];
    }
    for (size_t j = 0; j < s->constants; j++) border[(t->width - s->constants + j) * WIDE + lane] += through[2 * M + j];
}

/* Conditions that are integrals, bubbles and nodes eliminated. */
static void tied_hold(const Work_one *w, struct Tied *d, const Shape *s)
{
    const Ties *t = d->ties;
    const size_t K = s->elements, M = s->state, W = t->width, R = s->rows, nb = s->bubbles, C = s->columns;
    double *z = d->lanes, *border = z + (K + 1) * M * WIDE, *through = d->turned;
    for (size_t i = 0; i < t->integrals; i++) {
        memset(z, 0, ((K + 1) * M + W) * WIDE * sizeof(double));
        for (size_t j = 0; j < W; j++) border[j * WIDE] = t->outer[i * W + j];
        for (size_t k = 0; k < K; k++) {
            const double *a = w->factor + k * C * R, *inner = t->inner + (i * K + k) * C;
            double *own = d->held + (i * K + k) * nb, *inside = d->inside + (i * K + k) * R;
            for (size_t p = 0; p < nb; p++) {
                double sum = inner[p];
                for (size_t j = 0; j < p; j++) sum -= a[p * R + j] * own[j];
                own[p] = sum / w->diagonal[k * nb + p];
            }
            memcpy(inside, own, nb * sizeof(double));
            memset(inside + nb, 0, (R - nb) * sizeof(double));
            for (size_t j = nb; j-- > 0;) reflect_one(a + j * R + j, w->beta + k * nb + j, R - j, inside + j);
            for (size_t q = 0; q < 2 * M + s->constants; q++) {
                through[q] = inner[nb + q];
                for (size_t j = 0; j < nb; j++) through[q] -= own[j] * a[(nb + q) * R + j];
            }
            tied_scatter(s, t, k, through, z, border, 0);
        }
        tied_reduce(d, s, z, border, 0);
        for (size_t k = 0; k < K; k++)
            for (size_t q = 0; q < M; q++) d->held_nodes[(i * K + k) * M + q] = t->slots[k] < 0 ? z[(k * M + q) * WIDE] : 0.0;
        for (size_t j = 0; j < W; j++) d->held_rest[i * W + j] = border[j * WIDE];
    }
}

/* f = from_rows t + from_values v: least squares of the rows that are left, among those that hold the integrals. */
static void tied_end(struct Tied *d, const Shape *s)
{
    const Ties *t = d->ties;
    const size_t W = t->width, f = t->free, I = t->integrals, r = d->carried[s->elements], rows = s->state + W;
    double *b = d->dense, *z = b + W * f, *held = z + f * f, *beta = held + I * f, *product = beta + f + I;
    double *q = product + W * f, *values = q + W * f, *left = values + f * I, *solution = left + f + W, *units = solution + I;
    if (f < I || r < f - I) {
        for (size_t i = 0; i < f * W; i++) d->from_rows[i] = NAN;
        for (size_t i = 0; i < f * I; i++) d->from_values[i] = NAN;
        return;
    }
    const size_t n = f - I;
    for (size_t j = 0; j < f; j++) /* (r, f), columns first */
        for (size_t i = 0; i < r; i++) {
            double sum = 0.0;
            for (size_t k = 0; k < W; k++) sum += d->rest[k * rows + i] * t->basis[k * f + j];
            b[j * W + i] = sum;
        }
    for (size_t j = 0; j < f; j++) { /* units of constants may be anything: all of one size, by powers of two */
        double most = 0.0;
        int power = 0;
        for (size_t i = 0; i < r; i++) {
            const double size = fabs(b[j * W + i]);
            most = LARGER(most, size);
        }
        for (size_t i = 0; i < I; i++) {
            double sum = 0.0;
            for (size_t k = 0; k < W; k++) sum += d->held_rest[i * W + k] * t->basis[k * f + j];
            held[i * f + j] = sum;
            sum = fabs(sum);
            most = LARGER(most, sum);
        }
        frexp(most > 0.0 ? most : 1.0, &power);
        units[j] = ldexp(1.0, -power);
        for (size_t i = 0; i < r; i++) b[j * W + i] *= units[j];
        for (size_t i = 0; i < I; i++) held[i * f + j] *= units[j];
    }
    for (size_t i = 0; i < I; i++) { /* the integrals as columns (f,), turned into a triangle */
        double *column = held + i * f;
        for (size_t j = 0; j < i; j++) reflect_one(held + j * f + j, beta + j, f - j, column + j);
        reflection_one(column + i, f - i, left + i, beta + i);
    }
    for (size_t c = 0; c < f; c++) { /* the reflections as a matrix, columns first */
        double *column = z + c * f;
        memset(column, 0, f * sizeof(double));
        column[c] = 1.0;
        for (size_t j = I; j-- > 0;) reflect_one(held + j * f + j, beta + j, f - j, column + j);
    }
    for (size_t i = 0; i < I; i++) { /* what holds one of them at one, and the others at zero */
        for (size_t j = 0; j < I; j++) {
            solution[j] = j == i;
            for (size_t k = 0; k < j; k++) solution[j] -= held[j * f + k] * solution[k];
            solution[j] /= left[j];
        }
        for (size_t j = 0; j < f; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < I; k++) sum += z[k * f + j] * solution[k];
            values[i * f + j] = sum;
        }
    }
    for (size_t c = 0; c < n; c++) { /* the rows in what they leave free, factorised */
        double *column = product + c * W;
        for (size_t i = 0; i < r; i++) {
            double sum = 0.0;
            for (size_t j = 0; j < f; j++) sum += b[j * W + i] * z[(I + c) * f + j];
            column[i] = sum;
        }
        for (size_t j = 0; j < c; j++) reflect_one(product + j * W + j, beta + I + j, r - j, column + j);
        reflection_one(column + c, r - c, left + I + c, beta + I + c);
    }
    for (size_t i = 0; i < r; i++) { /* what a unit in each row gives */
        memset(q, 0, r * sizeof(double));
        q[i] = 1.0;
        for (size_t j = 0; j < n; j++) reflect_one(product + j * W + j, beta + I + j, r - j, q + j);
        for (size_t j = n; j-- > 0;) {
            for (size_t k = j + 1; k < n; k++) q[j] -= product[k * W + j] * q[k];
            q[j] /= left[I + j];
        }
        for (size_t j = 0; j < f; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++) sum += z[(I + k) * f + j] * q[k];
            d->from_rows[j * W + i] = sum;
        }
    }
    for (size_t i = 0; i < I; i++) {
        for (size_t k = 0; k < r; k++) {
            q[k] = 0.0;
            for (size_t j = 0; j < f; j++) q[k] += b[j * W + k] * values[i * f + j];
        }
        for (size_t j = 0; j < f; j++) {
            double sum = values[i * f + j];
            for (size_t k = 0; k < r; k++) sum -= d->from_rows[j * W + k] * q[k];
            d->from_values[j * I + i] = units[j] * sum;
        }
    }
    for (size_t j = 0; j < f; j++)
        for (size_t i = 0; i < r; i++) d->from_rows[j * W + i] *= units[j];
}

/* Coefficients for a right side (K, R), which is overwritten; with the conditions' values, or with zeros. */
static void tied_solve(Work_one *w, struct Tied *d, const Shape *s, double *right, int homogeneous)
{
    const Ties *t = d->ties;
    const size_t K = s->elements, R = s->rows, nb = s->bubbles, M = s->state, C = s->columns, R2 = R - nb, W = t->width;
    const size_t H = tied_height(s, t), n = 2 * M + W, rows = M + W, f = t->free, I = t->integrals;
    double *column = d->turned, *values = d->turned + H;
    for (size_t i = 0; i < I; i++) values[i] = homogeneous ? 0.0 : t->values[i];
    for (size_t k = 0; k < K; k++) {
        const double *a = w->factor + k * C * R, *jumps = t->jumps + k * M;
        double *b = right + k * R;
        for (size_t q = 0; q < M && !homogeneous; q++) {
            if (jumps[q] == 0.0) continue;
            for (size_t i = 0; i < R; i++) b[i] -= w->matrix[(k * C + nb + q) * R + i] * jumps[q];
            for (size_t i = 0; i < I; i++) values[i] -= t->inner[(i * K + k) * C + nb + q] * jumps[q];
        }
        for (size_t j = 0; j < nb; j++) reflect_one(a + j * R + j, w->beta + k * nb + j, R - j, b + j);
        const size_t near = own_width(s, t, k), far = own_width(s, t, k + 1), carried = d->carried[k], height = carried + R2;
        memcpy(column + carried, b + nb, R2 * sizeof(double));
        const double *v = d->chain + k * n * H, *beta = d->beta + k * n;
        for (size_t i = 0; i < near + far + W && i < height; i++) reflect_one(v + i * H + i, beta + i, height - i, column + i);
        memcpy(w->kept + k * M, column, near * sizeof(double));
        for (size_t i = 0; i < I; i++) {
            for (size_t j = 0; j < nb; j++) values[i] -= d->held[(i * K + k) * nb + j] * b[j];
            for (size_t j = 0; j < near; j++) values[i] -= d->held_nodes[(i * K + k) * M + j] * column[j];
        }
        memmove(column, column + near, d->carried[k + 1] * sizeof(double));
    }
    const size_t r = d->carried[K];
    if (!homogeneous)
        for (size_t j = 0; j < W; j++) {
            for (size_t i = 0; i < r; i++) column[i] -= d->rest[j * rows + i] * t->particular[j];
            for (size_t i = 0; i < I; i++) values[i] -= d->held_rest[i * W + j] * t->particular[j];
        }
    for (size_t j = 0; j < W; j++) d->border[j] = homogeneous ? 0.0 : t->particular[j];
    for (size_t c = 0; c < f; c++) {
        double sum = 0.0;
        for (size_t i = 0; i < r; i++) sum += d->from_rows[c * W + i] * column[i];
        for (size_t i = 0; i < I; i++) sum += d->from_values[c * I + i] * values[i];
        for (size_t j = 0; j < W; j++) d->border[j] += t->basis[j * f + c] * sum;
    }
    if (!homogeneous) memcpy(d->constants, d->border + W - s->constants, s->constants * sizeof(double));
    for (size_t k = K + 1; k-- > 0;) {
        double *state = w->states + k * M;
        if (t->slots[k] >= 0) {
            memcpy(state, d->border + (size_t)t->slots[k] * M, M * sizeof(double));
            continue;
        }
        const double *near = d->near + k * M * M, *beyond = d->beyond + k * (M + W) * M;
        const size_t far = own_width(s, t, k + 1);
        memcpy(state, w->kept + k * M, M * sizeof(double));
        for (size_t j = 0; j < far + W; j++) {
            const double next = j < far ? state[M + j] : d->border[j - far];
            for (size_t i = 0; i < M; i++) state[i] -= beyond[j * M + i] * next;
        }
        for (size_t i = M; i-- > 0;) {
            for (size_t j = i + 1; j < M; j++) state[i] -= near[j * M + i] * state[j];
            state[i] /= near[i * M + i];
        }
    }
    for (size_t k = 0; k < K; k++) {
        const double *a = w->factor + k * C * R;
        double *c = w->coefficients + k * C, *b = right + k * R;
        memcpy(c, b, nb * sizeof(double));
        memcpy(c + nb, w->states + k * M, 2 * M * sizeof(double));
        memcpy(c + nb + 2 * M, d->border + W - s->constants, s->constants * sizeof(double));
        for (size_t j = nb; j < C; j++)
            for (size_t i = 0; i < nb; i++) c[i] -= a[j * R + i] * c[j];
        for (size_t i = nb; i-- > 0;) {
            c[i] /= w->diagonal[k * nb + i];
            for (size_t j = 0; j < i; j++) c[j] -= a[i * R + j] * c[i];
        }
    }
    for (size_t k = 0; k < K && !homogeneous; k++)
        for (size_t q = 0; q < M; q++) {
            w->coefficients[k * C + nb + q] += t->jumps[k * M + q];
            w->states[k * M + q] += t->jumps[k * M + q];
        }
}

/* The response (K, R) of WIDE functionals of the nodes' numbers and the border's; what follows z is scratch. */
WIDEST static void tied_answer(const Work_one *w, struct Tied *d, const Shape *s, double *z, size_t begin, double *response)
{
    const Ties *t = d->ties;
    const size_t K = s->elements, R = s->rows, nb = s->bubbles, M = s->state, R2 = R - nb, W = t->width;
    const size_t H = tied_height(s, t), n = 2 * M + W, f = t->free, I = t->integrals, r = d->carried[K];
    double *border = z + (K + 1) * M * WIDE, *free = border + W * WIDE, *lever = free + f * WIDE;
    double *column = lever + I * WIDE, *state = column + H * WIDE;
    tied_reduce(d, s, z, border, begin);
    memset(free, 0, (f + I) * WIDE * sizeof(double));
    memset(state, 0, r * WIDE * sizeof(double));
    for (size_t c = 0; c < f; c++) {
        for (size_t j = 0; j < W; j++) {
            const double factor = t->basis[j * f + c];
            if (factor != 0.0) FOR_WITNESSES OF(free, c) += factor * OF(border, j);
        }
        for (size_t i = 0; i < I; i++) FOR_WITNESSES OF(lever, i) += d->from_values[c * I + i] * OF(free, c);
        for (size_t i = 0; i < r; i++) FOR_WITNESSES OF(state, i) += d->from_rows[c * W + i] * OF(free, c);
    }
    for (size_t k = K; k-- > 0;) {
        const size_t near = own_width(s, t, k), far = own_width(s, t, k + 1), carried = d->carried[k], height = carried + R2;
        const size_t kept = d->carried[k + 1], columns = near + far + W, count = height < columns ? height : columns;
        const double *reflections = d->chain + k * n * H, *beta = d->beta + k * n;
        memcpy(column, z + k * M * WIDE, near * WIDE * sizeof(double));
        for (size_t i = 0; i < I; i++)
            for (size_t j = 0; j < near; j++)
                FOR_WITNESSES OF(column, j) -= d->held_nodes[(i * K + k) * M + j] * OF(lever, i);
        memcpy(column + near * WIDE, state, kept * WIDE * sizeof(double));
        memset(column + (near + kept) * WIDE, 0, (height - near - kept) * WIDE * sizeof(double));
        double *rows = response + k * R * WIDE;
        turn_back(w, s, k, reflections, beta, count, H, carried, column, state, rows);
        for (size_t j = 0; j < I; j++)
            for (size_t i = 0; i < R; i++) {
                const double factor = d->inside[(j * K + k) * R + i];
                FOR_WITNESSES OF(rows, i) -= factor * OF(lever, j);
            }
    }
}

/* The response of all fields at the ends and in the middles of elements, and of the constants. */
static void tied_respond(Work_one *w, struct Tied *d, const Shape *s)
{
    const Ties *t = d->ties;
    const size_t K = s->elements, R = s->rows, M = s->state, F = s->fields, W = 2 * K + 1;
    const size_t I = t->integrals, numbers = (K + 1) * M + t->width;
    double *z = d->lanes, *border = z + (K + 1) * M * WIDE, *lever = border + (t->width + t->free) * WIDE, *through = d->turned;
    memset(d->levers, 0, F * I * sizeof(double));
    size_t start = 0;
    for (size_t f = 0; f < F; start += s->order[f], f++)
        for (size_t group = 0; group < W; group += WIDE) {
            const size_t count = W - group < WIDE ? W - group : WIDE;
            double *response = w->response + (f * witnesses_one(K) + group) * K * R;
            size_t begin = K;
            memset(z, 0, numbers * WIDE * sizeof(double));
            for (size_t lane = 0; lane < count; lane++) {
                const size_t v = group + lane;
                const int middle = v > K;
                const size_t at = middle ? v - K - 1 : v, k = at < K ? at : K - 1;
                if (at < begin) begin = at;
                if (middle) middle_through(w, s, at, f, through);
                else
                    for (size_t q = 0; q < 2 * M + s->constants; q++) through[q] = q == start + (at < K ? 0 : M);
                tied_scatter(s, t, k, through, z, border, lane);
            }
            tied_answer(w, d, s, z, begin, response);
            for (size_t lane = 0; lane < count; lane++)
                for (size_t i = 0; i < I; i++) {
                    const double size = fabs(lever[i * WIDE + lane]);
                    d->levers[f * I + i] = LARGER(d->levers[f * I + i], size);
                }
            add_inside(w, s, f, group, count, response);
        }
    for (size_t group = 0; group < s->constants; group += WIDE) {
        const size_t count = s->constants - group < WIDE ? s->constants - group : WIDE;
        memset(z, 0, numbers * WIDE * sizeof(double));
        for (size_t lane = 0; lane < count; lane++) border[(t->width - s->constants + group + lane) * WIDE + lane] = 1.0;
        tied_answer(w, d, s, z, K, d->answers + group * K * R);
        for (size_t lane = 0; lane < count; lane++)
            for (size_t i = 0; i < I; i++) d->moved[(group + lane) * I + i] = fabs(lever[i * WIDE + lane]);
    }
}

/* What residuals do to each constant, (c, 5 + K): truncation, its mean, misfits, what is added up, amplification, and what
   each element adds. */
static void tied_parts(const Work_one *w, const struct Tied *d, const Shape *s, double *parts)
{
    const size_t K = s->elements, R = s->rows;
    for (size_t j = 0; j < s->constants; j++) {
        const double *response = d->answers + j / WIDE * WIDE * K * R + j % WIDE;
        double *to = parts + j * (5 + K), square = 0.0, drift = 0.0, misfit = 0.0, rounding = 0.0, total = 0.0;
        for (size_t k = 0; k < K; k++) {
            double share = 0.0;
            for (size_t i = k * R; i < (k + 1) * R; i++) {
                const double own = response[i * WIDE], scaled = own * w->units[i], part = scaled * w->envelope[i];
                const double strongest = fabs(part) * sqrt((double)(K * R));
                square += part * part;
                drift += own * w->drift[i];
                misfit += own * w->misfit[i];
                rounding += fabs(own) * w->entries[i];
                total += fabs(scaled);
                share = LARGER(share, strongest);
            }
            to[5 + k] = share;
        }
        to[0] = sqrt(square);
        to[1] = fabs(drift);
        to[2] = fabs(misfit);
        to[3] = rounding;
        to[4] = total;
    }
}

#undef FOR_WITNESSES
#undef OF
