/* What parameters do to a solution: s = du/dp solves the equations with -dF/dp on the right, and conditions of value zero.

   Parameters are unknown constants of the programs, one more fit for each; solver/interval/element_sensitivity.py has it
   in words. */

/* 1 where all is finite, 0 where not, -1 without memory. */
static int slopes_of(const Shape *s, Input *in, const Program *programs, size_t count, const double *seeds, const double *parts,
                     const double *anchor, const double *offset, const double *shapes, double *found, double *figures,
                     double *shares)
{
    const size_t points = s->elements * s->points, rows = s->terms + 1, own = rows + count, F = s->fields;
    double *memory = malloc((points * (1 + s->terms + F * (own + rows)) + s->terms * s->sites * s->points) * sizeof(double));
    if (memory == NULL) return -1;
    double *x = memory, *jets = x + points, *packed = jets + s->terms * points, *values = packed + F * own * points;
    double *tables = values + F * rows * points;
    int finite = 1;
    for (size_t k = 0; k < s->elements; k++)
        for (size_t i = 0; i < s->points; i++) x[k * s->points + i] = anchor[k] + (offset[k] + in->length[k] * parts[i]);
    tables_by_points(s, tables);
    jets_from(s, tables, in->length, shapes, jets);
    for (size_t e = 0; e < F && finite == 1; e++)
        finite = program_linearise(programs + e, x, points, jets, seeds, packed + e * own * points, points);
    in->values = values;
    for (size_t k = 0; k < count && finite == 1; k++) {
        for (size_t e = 0; e < F; e++) {
            double *to = values + e * rows * points;
            const double *from = packed + e * own * points, *column = from + (rows + k) * points;
            if (k == 0) memcpy(to, from, s->terms * points * sizeof(double));
            for (size_t i = 0; i < points; i++) to[s->terms * points + i] = -column[i];
        }
        if (run(s, in, found + k * s->elements * F * s->sites, figures, shares)) finite = -1;
    }
    free(memory);
    return finite;
}

/* slopes(orders, degree, elements, free_left, free_right, programs, tables, middles, parts, length, basis_left, basis_right,
          particular_left, particular_right, factors, floors, found, figures, shares, anchor, offset, seeds, shapes)
   -> whether all is finite

   As `fit`; `seeds` are the values of the parameters, `shapes` the solution, `found` has room for as many more. */
static PyObject *slopes(PyObject *self, PyObject *args)
{
    (void)self;
    Wanted q = {.members = 1};
    Py_buffer b[17];
    if (!PyArg_ParseTuple(args, "O!nnnnO!y*y*y*y*y*y*y*y*y*y*w*w*w*y*y*y*y*", &PyTuple_Type, &q.orders, &q.degree, &q.elements,
                          &q.free_left, &q.free_right, &PyTuple_Type, &q.programs, FOUR(b, 0), FOUR(b, 4), FOUR(b, 8),
                          FOUR(b, 12), &b[16]))
        return NULL;
    Shape s;
    Input in;
    Programs programs;
    int done = 0;
    programs.held = 0;
    const size_t count = doubles(&b[15]);
    Py_buffer one[13];
    memcpy(one, b, sizeof one);
    one[10] = b[16];
    const int fits = arranged(&s, &in, &q, one) && sized(&b[2], s.points) && sized(&b[13], s.elements) &&
                     sized(&b[14], s.elements) && count >= 1 && count + s.terms <= MOST_SEEDS && sized(&b[15], count) &&
                     sized(&b[10], count * s.elements * s.fields * s.sites) &&
                     programmed(&programs, q.programs, &s, count);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        done = slopes_of(&s, &in, programs.of, count, b[15].buf, b[2].buf, b[13].buf, b[14].buf, b[16].buf, b[10].buf, b[11].buf,
                         b[12].buf);
        Py_END_ALLOW_THREADS
    }
    let_go(programs.own, programs.held);
    let_go(b, ROOM(b));
    return outcome(done, fits);
}
