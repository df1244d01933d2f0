/* What Python calls to solve linear equations whose conditions stand anywhere, with unknown constants. */

/* How large each equation becomes at the most for a field and for a constant of size one, (F, F + c). */
static void row_sizes(const Work_one *w, const Shape *s, double *to)
{
    const size_t K = s->elements, n = s->points, F = s->fields, c = s->constants, stride = s->terms + c;
    for (size_t e = 0; e < F; e++) {
        for (size_t f = 0; f < F; f++) to[e * (F + c) + f] = w->figures[e * F + f];
        for (size_t j = 0; j < c; j++) {
            double most = 0.0;
            for (size_t i = 0; i < K * n; i++) {
                const double own = fabs(w->scaled[(i * F + e) * stride + s->terms + j]);
                most = LARGER(most, own);
            }
            to[e * (F + c) + F + j] = most;
        }
    }
}

/* solve_tied(orders, degree, elements, constants, integrals, certify, tables, middles, values, length, slots, basis, particular,
              inner, outer, held, jumps, factors, floors, found, figures, shares, beside, parts, levers, sizes)

   `beside` takes the constants, `parts` (c, 5 + K) and `levers` (F + c, I) what the certificate needs of them and of the
   integrals, `sizes` (F, F + c) those of rows. */
static PyObject *solve_tied(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *orders;
    Py_ssize_t degree, elements, constants, integrals;
    int certify, done = 0;
    Py_buffer b[20];
    if (!PyArg_ParseTuple(args, "O!nnnnpy*y*y*y*y*y*y*y*y*y*y*y*y*w*w*w*w*w*w*w*", &PyTuple_Type, &orders, &degree, &elements,
                          &constants, &integrals, &certify, FOUR(b, 0), FOUR(b, 4), FOUR(b, 8), FOUR(b, 12), FOUR(b, 16)))
        return NULL;
    Shape s;
    Ties t = {0};
    int fits = integrals >= 0 && integrals <= MOST_BORDER && shaped_by(&s, orders, degree, elements, constants, b);
    if (fits) {
        const size_t K = s.elements, F = s.fields, c = s.constants, I = (size_t)integrals;
        t.width = doubles(&b[6]);
        t.integrals = I;
        t.free = t.width ? doubles(&b[5]) / t.width : 0;
        fits = t.width > 0 && t.width <= MOST_BORDER && t.free <= t.width && sized(&b[5], t.width * t.free) &&
               sized(&b[6], t.width) && sized(&b[2], F * (s.terms + 1 + c) * K * s.points) && sized(&b[3], K) &&
               (size_t)b[4].len == (K + 1) * sizeof(int32_t) && (uintptr_t)b[4].buf % sizeof(int32_t) == 0 &&
               sized(&b[7], I * K * s.columns) && sized(&b[8], I * t.width) && sized(&b[9], I) &&
               sized(&b[10], K * s.state) && sized(&b[11], F) && sized(&b[12], F) && sized(&b[13], K * F * s.sites) &&
               sized(&b[14], 4 + 2 * F) && sized(&b[15], K) && sized(&b[16], c) && sized(&b[17], c * (5 + K)) &&
               sized(&b[18], (F + c) * I) && sized(&b[19], F * (F + c));
        t.slots = b[4].buf;
        size_t kept = 0;
        for (size_t k = 0; fits && k <= K; k++) {
            if (t.slots[k] < 0) continue;
            fits = (size_t)t.slots[k] == kept++;
        }
        fits = fits && kept * s.state + c == t.width && t.slots[0] == 0 && t.slots[K] >= 0;
    }
    if (fits) {
        Input in = {1, certify, b[2].buf, b[3].buf, {NULL, NULL}, {NULL, NULL}, b[11].buf, b[12].buf};
        t.basis = b[5].buf;
        t.particular = b[6].buf;
        t.inner = b[7].buf;
        t.outer = b[8].buf;
        t.values = b[9].buf;
        t.jumps = b[10].buf;
        Work_one work;
        struct Tied tied;
        Py_BEGIN_ALLOW_THREADS
        done = -1;
        if (!allocate_one(&work, &s)) {
            if (!allocate_tied(&tied, &s, &t)) {
                work.tied = &tied;
                block_one(&work, &s, &in, 0, b[13].buf, b[14].buf, b[15].buf);
                memcpy(b[16].buf, tied.constants, s.constants * sizeof(double));
                row_sizes(&work, &s, b[19].buf);
                if (certify) {
                    tied_parts(&work, &tied, &s, b[17].buf);
                    double *levers = b[18].buf;
                    memcpy(levers, tied.levers, s.fields * t.integrals * sizeof(double));
                    memcpy(levers + s.fields * t.integrals, tied.moved, s.constants * t.integrals * sizeof(double));
                }
                done = 1;
                free(tied.memory);
            }
            free(work.memory);
        }
        Py_END_ALLOW_THREADS
    }
    let_go(b, ROOM(b));
    return outcome(done, fits);
}
