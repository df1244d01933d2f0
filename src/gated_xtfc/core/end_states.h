/* The states at an end that meet its conditions: the twin of `EndStates` in solver/interval/element_layout.py. */

/* particular + basis z for any z, (M,) and (M, M - count), by elimination with the largest pivots. Rows have M factors and a
   value; `order` is that of the derivative that every number of a state comes from. */
static void states_at(const double *rows, size_t count, size_t states, const size_t *order, double length, double *basis,
                      double *particular)
{
    double table[MOST_STATES][MOST_STATES + 1];
    size_t pivots[MOST_STATES] = {0}, free = 0;
    int taken[MOST_STATES] = {0};
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j <= states; j++) {
            double power = 1.0;
            for (size_t k = 0; j < states && k < order[j]; k++) power *= length;
            table[i][j] = rows[i * (states + 1) + j] / power;
        }
    }
    for (size_t k = 0; k < count; k++) {
        double best = -1.0;
        size_t row = k;
        for (size_t i = k; i < count; i++) {
            double most = 0.0;
            for (size_t j = 0; j < states; j++) most = LARGER(most, fabs(table[i][j]));
            for (size_t j = 0; j < states; j++)
                if (fabs(table[i][j]) / most > best) {
                    best = fabs(table[i][j]) / most;
                    row = i;
                    pivots[k] = j;
                }
        }
        for (size_t j = 0; j <= states; j++) {
            const double other = table[k][j];
            table[k][j] = table[row][j];
            table[row][j] = other;
        }
        const double lead = table[k][pivots[k]];
        for (size_t j = 0; j <= states; j++) table[k][j] /= lead;
        for (size_t i = 0; i < count; i++) {
            const double factor = table[i][pivots[k]];
            for (size_t j = 0; j <= states && i != k; j++) table[i][j] -= factor * table[k][j];
        }
        taken[pivots[k]] = 1;
    }
    const size_t left = states - count;
    memset(basis, 0, states * left * sizeof(double));
    memset(particular, 0, states * sizeof(double));
    for (size_t k = 0; k < count; k++) particular[pivots[k]] = table[k][states];
    for (size_t j = 0; j < states; j++) {
        if (taken[j]) continue;
        if (free < left) basis[j * left + free] = 1.0;
        for (size_t k = 0; k < count && free < left; k++) basis[pivots[k] * left + free] = -table[k][j];
        free++;
    }
}

/* Conditions at both ends, from their rows in b[0] and b[1]: whether there are as many as a state has numbers. */
static int stated(const double **rows, size_t *conditions, size_t states, const Py_buffer *b)
{
    for (size_t end = 0; end < 2; end++) {
        rows[end] = b[end].buf;
        conditions[end] = doubles(&b[end]) / (states + 1);
        if (!sized(&b[end], conditions[end] * (states + 1))) return 0;
    }
    return states <= MOST_STATES && conditions[0] + conditions[1] == states;
}
