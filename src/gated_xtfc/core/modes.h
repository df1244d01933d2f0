/* Modes of equations at a place, the roots of their symbol: the twin of operator/symbol.py, which has the reasons.

   One equation of first or second order has them in closed form. All else is written in first order, and its modes are
   eigenvalues: those of a matrix as small as a state, by Francis' steps on a Hessenberg matrix. */

#define DAMPED 0.3
#define LEAST_LEAD 1e-12 /* of the largest pivot: of equations closer to having no highest derivative others take care */
#define LONGEST 1e150    /* numbers of a matrix */
#define MOST_SWEEPS 20
#define MOST_TURNS 40 /* for one eigenvalue */

static double larger_of(double a, double b) { return a > b ? a : b; }

static void count_mode(Modes *modes, double real, double imaginary)
{
    const double size = imaginary == 0.0 ? fabs(real) : hypot(real, imaginary);
    modes->largest = larger_of(modes->largest, size);
    if (fabs(imaginary) * DAMPED > fabs(real)) modes->wave = larger_of(modes->wave, fabs(imaginary));
    else if (real != 0.0) modes->rate[real > 0.0] = larger_of(modes->rate[real > 0.0], size);
}

/* Of one equation of first or second order, from its coefficients. */
static Modes modes_of_one(size_t order, const double *a)
{
    double size = 0.0, lead = a[order];
    for (size_t j = 0; j <= order; j++) size += fabs(a[j]);
    const double least = 1e-200 * (size > 0.0 ? size : 1.0);
    if (!(fabs(lead) > least)) lead = least;
    const double q = a[0] / lead;
    double large[2] = {-q, 0.0}, small[2] = {-q, 0.0};
    if (order == 2) {
        const double p = a[1] / lead, inside = 0.25 * p * p - q, sign = p >= 0.0 ? 1.0 : -1.0;
        const double root = sqrt(fabs(inside)), real = inside < 0.0 ? 0.0 : root, other = inside < 0.0 ? root : 0.0;
        large[0] = -0.5 * p - sign * real;
        large[1] = -sign * other;
        small[0] = 0.0;
        if (large[1] == 0.0) {
            if (large[0] != 0.0) small[0] = q / large[0];
        } else { /* the conjugate */
            small[0] = large[0];
            small[1] = -large[1];
        }
    }
    Modes found = {{0.0, 0.0}, 0.0, 0.0};
    const double *roots[2] = {large, small};
    for (size_t i = 0; i < 2; i++) {
        const int finite = isfinite(roots[i][0]) && isfinite(roots[i][1]);
        count_mode(&found, finite ? roots[i][0] : 1e300, finite ? roots[i][1] : 0.0);
    }
    return found;
}

/* Highest derivatives in terms of the others, (fields, state): the coefficients at probe i divided by those of the highest.
   0 where these are nearly singular, or something is too large. */
static int solved_for_highest(const Look *look, size_t i, double *b)
{
    const size_t F = look->fields, S = look->state, columns = F + S;
    double table[MOST_STATES][2 * MOST_STATES], most = 0.0, least = INFINITY;
    for (size_t e = 0; e < F; e++)
        for (size_t f = 0, t = 0, at = F; f < F; f++)
            for (size_t j = 0; j <= look->order[f]; j++, t++) {
                const double own = look->values[(e * (look->terms + 1) + t) * look->count + i];
                table[e][j < look->order[f] ? at++ : f] = own;
            }
    for (size_t k = 0; k < F; k++) {
        size_t row = k;
        for (size_t e = k + 1; e < F; e++)
            if (fabs(table[e][k]) > fabs(table[row][k])) row = e;
        for (size_t j = k; j < columns && row != k; j++) {
            const double own = table[k][j];
            table[k][j] = table[row][j];
            table[row][j] = own;
        }
        const double lead = table[k][k];
        most = larger_of(most, fabs(lead));
        least = fabs(lead) < least ? fabs(lead) : least;
        for (size_t j = k; j < columns; j++) table[k][j] /= lead;
        for (size_t e = 0; e < F; e++) {
            const double factor = table[e][k];
            for (size_t j = k; j < columns && e != k && factor != 0.0; j++) table[e][j] -= factor * table[k][j];
        }
    }
    if (!(least > LEAST_LEAD * most)) return 0;
    double size = 0.0;
    for (size_t e = 0; e < F; e++)
        for (size_t j = 0; j < S; j++) {
            b[e * S + j] = -table[e][F + j];
            size += fabs(b[e * S + j]);
        }
    return size < LONGEST;
}

/* Whether all modes are slower than a rate for sure: Cauchy's bound of the roots of a polynomial, for systems. No root is as
   large where sum_f sum_j |b_efj| rate^(j - m_f) w_f < w_e for some positive w, so where all pivots of the difference are. */
static int all_slower(const Look *look, const double *b, double rate)
{
    const size_t F = look->fields, S = look->state;
    double own[MOST_STATES][MOST_STATES];
    for (size_t e = 0; e < F; e++)
        for (size_t f = 0, at = 0; f < F; f++) {
            double sum = 0.0;
            for (size_t j = 0; j < look->order[f]; j++) sum = (sum + fabs(b[e * S + at++])) / rate;
            own[e][f] = (e == f ? 1.0 : 0.0) - sum;
        }
    for (size_t k = 0; k < F; k++) {
        if (!(own[k][k] > 0.0)) return 0;
        for (size_t e = k + 1; e < F; e++)
            for (size_t f = k + 1; f < F; f++) own[e][f] -= own[e][k] / own[k][k] * own[k][f];
    }
    return 1;
}

/* Rows and columns scaled by powers of two until they are about as large: eigenvalues stay, and small ones keep their digits. */
static void balance(double *a, size_t n)
{
    int better = 1;
    for (int sweep = 0; sweep < MOST_SWEEPS && better; sweep++) {
        better = 0;
        for (size_t i = 0; i < n; i++) {
            double row = 0.0, column = 0.0;
            for (size_t j = 0; j < n; j++)
                if (j != i) {
                    row += fabs(a[i * n + j]);
                    column += fabs(a[j * n + i]);
                }
            if (!(row > 0.0 && column > 0.0)) continue;
            int high, low;
            frexp(row, &high);
            frexp(column, &low);
            const double factor = ldexp(1.0, (high - low) / 2);
            if (!(column * factor + row / factor < 0.95 * (row + column))) continue;
            better = 1;
            for (size_t j = 0; j < n; j++) a[j * n + i] *= factor;
            for (size_t j = 0; j < n; j++) a[i * n + j] /= factor;
        }
    }
}

/* I - beta v v', which turns x into a multiple of its first number: v in the place of x; zero where there is nothing to turn. */
static double reflection(double *x, size_t n)
{
    double most = 0.0, square = 0.0;
    for (size_t i = 0; i < n; i++) most = larger_of(most, fabs(x[i]));
    if (most == 0.0) return 0.0;
    for (size_t i = 0; i < n; i++) {
        x[i] /= most;
        square += x[i] * x[i];
    }
    const double size = sqrt(square), lead = x[0] + (x[0] < 0.0 ? -size : size);
    x[0] = lead;
    return 1.0 / (size * fabs(lead));
}

static void reflect_rows(double *a, size_t n, size_t row, size_t rows, size_t from, size_t to, const double *v, double beta)
{
    for (size_t j = from; j < to; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < rows; i++) sum += v[i] * a[(row + i) * n + j];
        sum *= beta;
        for (size_t i = 0; i < rows; i++) a[(row + i) * n + j] -= sum * v[i];
    }
}

static void reflect_columns(double *a, size_t n, size_t column, size_t columns, size_t from, size_t to, const double *v, double beta)
{
    for (size_t i = from; i < to; i++) {
        double *own = a + i * n + column, sum = 0.0;
        for (size_t j = 0; j < columns; j++) sum += v[j] * own[j];
        sum *= beta;
        for (size_t j = 0; j < columns; j++) own[j] -= sum * v[j];
    }
}

/* The eigenvalues of a block of two. */
static void count_pair(Modes *found, double a, double b, double c, double d)
{
    const double half = 0.5 * (a - d), inside = half * half + b * c;
    if (inside < 0.0) {
        count_mode(found, 0.5 * (a + d), sqrt(-inside));
        return;
    }
    const double first = half + (half < 0.0 ? -sqrt(inside) : sqrt(inside));
    count_mode(found, d + first, 0.0);
    count_mode(found, first == 0.0 ? d : d - b * c / first, 0.0);
}

/* Of a matrix (n, n), which is written over; 0 where they are not found. */
static int eigenvalues(double *a, size_t n, Modes *found)
{
    balance(a, n);
    for (size_t k = 0; k + 2 < n; k++) {
        double v[MOST_STATES];
        const size_t rest = n - k - 1;
        for (size_t i = 0; i < rest; i++) v[i] = a[(k + 1 + i) * n + k];
        const double beta = reflection(v, rest);
        reflect_rows(a, n, k + 1, rest, k, n, v, beta);
        reflect_columns(a, n, k + 1, rest, 0, n, v, beta);
    }
    size_t end = n; /* eigenvalues from here on are known */
    for (int turn = 0; end > 0; turn++) {
        size_t low = end - 1;
        for (; low > 0; low--) {
            const double beside = fabs(a[(low - 1) * n + low - 1]) + fabs(a[low * n + low]);
            if (!(fabs(a[low * n + low - 1]) > DBL_EPSILON * beside)) break;
        }
        if (end - low <= 2) {
            if (end - low == 1) count_mode(found, a[low * n + low], 0.0);
            else count_pair(found, a[low * n + low], a[low * n + low + 1], a[(low + 1) * n + low], a[(low + 1) * n + low + 1]);
            end = low;
            turn = -1;
            continue;
        }
        if (turn == MOST_TURNS) return 0;
        const double *last = a + (end - 1) * n + end - 1, *above = last - n;
        double sum = above[-1] + last[0], product = above[-1] * last[0] - above[0] * last[-1];
        if (turn % 10 == 9) { /* other shifts where these lead nowhere */
            const double size = fabs(last[-1]) + fabs(above[-2]);
            sum = 1.5 * size;
            product = size * size;
        }
        const double *h = a + low * n + low;
        double v[3] = {h[0] * h[0] + h[1] * h[n] - sum * h[0] + product, h[n] * (h[0] + h[n + 1] - sum), h[n] * h[2 * n + 1]};
        for (size_t k = low; k + 1 < end; k++) {
            const size_t size = end - k < 3 ? end - k : 3, before = k > low ? k - 1 : low;
            for (size_t i = 0; i < size && k > low; i++) v[i] = a[(k + i) * n + before];
            const double beta = reflection(v, size);
            reflect_rows(a, n, k, size, before, end, v, beta);
            reflect_columns(a, n, k, size, low, k + 4 < end ? k + 4 : end, v, beta);
            for (size_t i = 1; i < size && k > low; i++) a[(k + i) * n + before] = 0.0;
        }
    }
    return isfinite(found->largest);
}

/* Of any equations, from the highest derivatives in terms of the others. */
static int modes_of_system(const Look *look, const double *b, Modes *found)
{
    const size_t S = look->state;
    double a[MOST_STATES * MOST_STATES];
    memset(a, 0, S * S * sizeof(double));
    for (size_t f = 0, row = 0; f < look->fields; f++, row++) {
        for (size_t j = 0; j + 1 < look->order[f]; j++, row++) a[row * S + row + 1] = 1.0;
        memcpy(a + row * S, b + f * S, S * sizeof(double));
    }
    *found = (Modes){{0.0, 0.0}, 0.0, 0.0};
    return eigenvalues(a, S, found);
}
