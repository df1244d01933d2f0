/* The response of one member with WIDE witnesses side by side: the same operations, in the same order for each, as
   `respond` of elements_lanes.h has for WIDE members. Included once, between the declarations of a single lane. */

#define FOR_WITNESSES for (int l = 0; l < WIDE; l++)
#define OF(array, index) ((array)[(size_t)(index) * WIDE + (size_t)l])

/* The middle of an element in a field as a functional of its states and of constants, bubbles eliminated. */
static void middle_through(const Work_one *w, const Shape *s, size_t k, size_t f, double *through)
{
    const size_t R = s->rows, nb = s->bubbles, M = s->state, C = s->columns;
    const double *a = w->factor + k * C * R, *own = w->own + (k * s->fields + f) * nb, *phi = s->middles + f * C;
    for (size_t q = 0; q < 2 * M + s->constants; q++) {
        through[q] = q < 2 * M ? phi[nb + q] * w->ratios[k * 2 * M + q] : 0.0;
        for (size_t i = 0; i < nb; i++) through[q] -= own[i] * a[(nb + q) * R + i];
    }
}

/* Joined rows of an element turned back: those that it was handed to `state`, its own as rows at the sites. */
static void turn_back(const Work_one *w, const Shape *s, size_t k, const double *reflections, const double *beta, size_t count,
                      size_t stride, size_t carried, double *column, double *state, double *rows)
{
    const size_t R = s->rows, R2 = R - s->bubbles, height = carried + R2;
    for (size_t i = count; i-- > 0;) {
        const double *reflector = reflections + i * stride + i;
        double *below = column + i * WIDE, sum[WIDE];
        FOR_WITNESSES sum[l] = 0.0;
        for (size_t j = 0; j < height - i; j++) FOR_WITNESSES sum[l] += reflector[j] * OF(below, j);
        FOR_WITNESSES sum[l] *= beta[i];
        for (size_t j = 0; j < height - i; j++) FOR_WITNESSES OF(below, j) -= sum[l] * reflector[j];
    }
    memcpy(state, column, carried * WIDE * sizeof(double));
    const double *outer = w->outer + k * R2 * R;
    memset(rows, 0, R * WIDE * sizeof(double));
    for (size_t c = 0; c < R2; c++)
        for (size_t i = 0; i < R; i++) {
            const double factor = outer[c * R + i];
            FOR_WITNESSES OF(rows, i) += factor * OF(column, carried + c);
        }
}

/* To responses of the middles among `count` witnesses, what bubbles of their own element do. */
static void add_inside(const Work_one *w, const Shape *s, size_t f, size_t group, size_t count, double *response)
{
    const size_t K = s->elements, R = s->rows;
    for (size_t lane = 0; lane < count; lane++) {
        const size_t v = group + lane, at = v - K - 1;
        if (v <= K) continue;
        for (size_t i = 0; i < R; i++) response[(at * R + i) * WIDE + lane] += w->inside[(at * s->fields + f) * R + i];
    }
}

WIDEST static void respond_across(Work_one *w, const Shape *s, const Input *in, size_t first)
{
    const size_t K = s->elements, R = s->rows, M = s->state, F = s->fields;
    const size_t R2 = R - s->bubbles, H = M + R2, W = 2 * K + 1;
    double *z = w->across, *column = z + (K + 1) * M * WIDE, *state = column + (H + M) * WIDE;
    double *through = w->small;
    size_t start = 0;
    for (size_t f = 0; f < F; start += s->order[f], f++)
        for (size_t group = 0; group < W; group += WIDE) {
            const size_t count = W - group < WIDE ? W - group : WIDE;
            double *response = w->response + (f * witnesses_one(K) + group) * K * R;
            size_t begin = K;
            memset(z, 0, (K + 1) * M * WIDE * sizeof(double));
            for (size_t lane = 0; lane < count; lane++) {
                /* the functional in terms of states, then of the free numbers */
                const size_t v = group + lane;
                const int middle = v > K;
                const size_t at = middle ? v - K - 1 : v;
                if (at < begin) begin = at;
                if (middle) middle_through(w, s, at, f, through);
                else
                    for (size_t q = 0; q < 2 * M; q++) through[q] = q == start ? 1.0 : 0.0;
                for (size_t node = at; node <= at + (size_t)middle; node++) {
                    const double *from = through + (node - at) * M;
                    double *own = z + node * M * WIDE + lane;
                    const int end = node == K;
                    if (node > 0 && node < K)
                        for (size_t q = 0; q < M; q++) own[q * WIDE] = from[q];
                    else
                        for (size_t j = 0; j < s->free[end]; j++)
                            for (size_t q = 0; q < M; q++) own[j * WIDE] += from[q] * in->basis[end][(q * s->free[end] + j) * in->members + first];
                }
            }
            /* R' z = functional, from left to right */
            for (size_t k = begin; k <= K; k++) {
                const size_t width = width_one(s, k), before = k > 0 ? width_one(s, k - 1) : 0;
                const double *triangle = k == K ? w->last : w->near + k * M * M;
                double *own = z + k * M * WIDE;
                if (k > begin)
                    for (size_t j = 0; j < width; j++)
                        for (size_t i = 0; i < before; i++) {
                            const double factor = w->far[((k - 1) * M + j) * M + i];
                            FOR_WITNESSES OF(own, j) -= factor * OF(own - M * WIDE, i);
                        }
                for (size_t j = 0; j < width; j++) {
                    for (size_t i = 0; i < j; i++) FOR_WITNESSES OF(own, j) -= triangle[j * M + i] * OF(own, i);
                    FOR_WITNESSES OF(own, j) /= triangle[j * M + j];
                }
            }
            /* Q z, from right to left */
            memcpy(state, z + K * M * WIDE, width_one(s, K) * WIDE * sizeof(double));
            for (size_t k = K; k-- > 0;) {
                const size_t near = width_one(s, k), far = width_one(s, k + 1), carried = k == 0 ? 0 : near;
                const size_t height = carried + R2;
                const double *reflections = w->chain + k * 2 * M * H, *beta = w->chain_beta + k * 2 * M;
                memcpy(column, z + k * M * WIDE, near * WIDE * sizeof(double));
                memcpy(column + near * WIDE, state, far * WIDE * sizeof(double));
                memset(column + (near + far) * WIDE, 0, (height - near - far) * WIDE * sizeof(double));
                turn_back(w, s, k, reflections, beta, near + far, H, carried, column, state, response + k * R * WIDE);
            }
            add_inside(w, s, f, group, count, response);
        }
}

/* What witnesses make of the residuals: the largest of each, and the witness of the largest amplification. */
typedef struct {
    double *squares, *drifts, *misfits, *roundings, *stability, *poison;
    int *worst;
} Weights;

WIDEST static void weigh_across(Work_one *w, const Shape *s, const double *scales, const double *sizes, const Weights *of)
{
    const size_t rows = s->elements * s->rows, W = 2 * s->elements + 1;
    double *strongest = w->across;
    memset(strongest, 0, rows * WIDE * sizeof(double));
    const double *response = w->response;
    for (size_t f = 0; f < s->fields; f++)
        for (size_t group = 0; group < W; group += WIDE, response += rows * WIDE) {
            const double inverse = 1.0 / scales[f];
            double square[WIDE], drift[WIDE], misfit[WIDE], rounding[WIDE], total[WIDE];
            FOR_WITNESSES square[l] = drift[l] = misfit[l] = rounding[l] = total[l] = 0.0;
            for (size_t i = 0; i < rows; i++) {
                const double unit = w->units[i], envelope = w->envelope[i], drifts = w->drift[i];
                const double misfits = w->misfit[i], entries = w->entries[i];
                FOR_WITNESSES {
                    const double own = OF(response, i) * inverse, scaled = own * unit, size = fabs(scaled);
                    const double part = scaled * envelope;
                    square[l] += part * part;
                    drift[l] += own * drifts;
                    misfit[l] += own * misfits;
                    rounding[l] += fabs(own) * entries;
                    total[l] += size;
                    OF(strongest, i) = LARGER(OF(strongest, i), size);
                }
            }
            FOR_WITNESSES {
                const double amplification = total[l] * scales[f] / sizes[f], across = fabs(drift[l]), off = fabs(misfit[l]);
                *of->squares = LARGER(*of->squares, square[l]);
                *of->drifts = LARGER(*of->drifts, across);
                *of->misfits = LARGER(*of->misfits, off);
                *of->roundings = LARGER(*of->roundings, rounding[l]);
                *of->poison += 0.0 * total[l];
                if (amplification > *of->stability) {
                    *of->stability = amplification;
                    *of->worst = (int)(f * W + group) + l;
                }
            }
        }
    for (size_t i = 0; i < rows; i++)
        FOR_WITNESSES w->strongest[i] = LARGER(w->strongest[i], OF(strongest, i));
}

/* What every witness makes of the residuals that a mode leaves, and of its source: the largest of each. */
WIDEST static void weigh_mode(const Work_one *w, const Shape *s, const double *sizes, double *top, double *base)
{
    const size_t rows = s->elements * s->rows, W = 2 * s->elements + 1;
    const double *response = w->response;
    for (size_t f = 0; f < s->fields; f++)
        for (size_t group = 0; group < W; group += WIDE, response += rows * WIDE) {
            const double inverse = 1.0 / sizes[f];
            double square[WIDE], sum[WIDE];
            FOR_WITNESSES square[l] = sum[l] = 0.0;
            for (size_t i = 0; i < rows; i++) {
                const double unit = w->units[i], missed = w->missed[i], source = w->source[i];
                FOR_WITNESSES {
                    const double own = OF(response, i) * unit, part = own * missed;
                    square[l] += part * part;
                    sum[l] += own * source;
                }
            }
            for (size_t l = 0; l < WIDE && group + l < W; l++) {
                const double total = fabs(sum[l]) * inverse;
                square[l] *= inverse * inverse;
                *top = LARGER(*top, square[l]);
                *base = LARGER(*base, total);
            }
        }
}

#undef FOR_WITNESSES
#undef OF
