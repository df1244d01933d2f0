/* predict(orders, programs, left, right, x, distances, found, wave, degree, middle, half, parts, cuts, anchor, offset, length,
           coefficients) -> whether it is all there

   Gates of equations, linearised about nothing where the degree is negative, where it is zero about monomials in
   (x - middle)/half, otherwise about polynomials on elements: `parts` has the monomials, or those of the functions of ends. */
static PyObject *predict(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *orders, *programs;
    double left, right;
    Py_ssize_t degree;
    Py_buffer b[10];
    Monomials start;
    memset(&start, 0, sizeof start);
    if (!PyArg_ParseTuple(args, "O!O!ddy*y*w*w*nddy*y*y*y*y*y*", &PyTuple_Type, &orders, &PyTuple_Type, &programs, &left, &right,
                          FOUR(b, 0), &degree, &start.middle, &start.half, FOUR(b, 4), &b[8], &b[9]))
        return NULL;
    const size_t n = doubles(&b[0]), elements = doubles(&b[8]);
    const Py_ssize_t fields = PyTuple_Size(orders);
    Programs equations;
    Sums sums;
    Look look;
    Shape s;
    size_t hermite = 0, highest = 0;
    int done = 0, fits = fields >= 1 && fields <= MOST_FIELDS && degree <= MOST_DEGREE;
    equations.held = 0;
    memset(&look, 0, sizeof look);
    memset(&s, 0, sizeof s);
    for (Py_ssize_t f = 0; f < fields && fits; f++) {
        const Py_ssize_t order = PyLong_AsSsize_t(PyTuple_GetItem(orders, f));
        fits = order >= 1 && order <= MOST_ORDER && (degree <= 0 || degree > 2 * order - 1);
        if (!fits) break;
        s.order[s.fields++] = (size_t)order;
        s.state += (size_t)order;
        s.terms += (size_t)order + 1;
        highest = LARGER(highest, (size_t)order);
        for (Py_ssize_t j = 0; j <= order; j++) hermite += (size_t)((2 * order - j) * order);
    }
    if (PyErr_Occurred()) PyErr_Clear();
    fits = fits && s.state <= MOST_STATES && n >= 2 && sized(&b[0], n) && b[1].len > 0 &&
           sized(&b[1], doubles(&b[1])) && sized(&b[2], 6 + 2 * MOST_TURNING) && sized(&b[3], n) &&
           programmed(&equations, programs, &s, 0);
    if (fits && degree == 0) {
        const size_t starts = s.fields * (highest + 1);
        start.fields = s.fields;
        start.highest = highest;
        start.parts = doubles(&b[4]) / starts;
        start.order = s.order;
        start.monomials = b[4].buf;
        look.jets_at = jets_of_monomials;
        look.about = &start;
        fits = start.parts >= 1 && sized(&b[4], starts * start.parts);
    } else if (fits && degree > 0) {
        s.degree = (size_t)degree;
        s.sites = s.degree + 1;
        s.elements = elements;
        fits = elements >= 1 && sized(&b[4], hermite) && sized(&b[5], elements - 1) && sized(&b[6], elements) &&
               sized(&b[7], elements) && sized(&b[8], elements) && sized(&b[9], elements * s.fields * s.sites);
        sums.fields = s.fields;
        if (fits) sums_of(sums.sums, &s, b[4].buf, b[5].buf, b[6].buf, b[7].buf, b[8].buf, b[9].buf);
        look.jets_at = jets_of_sums;
        look.about = &sums;
    }
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        look.programs = equations.of;
        look.order = s.order;
        look.fields = s.fields;
        look.highest = highest;
        look.state = s.state;
        look.terms = s.terms;
        look.distances = doubles(&b[1]);
        look.distance = b[1].buf;
        double *memory = malloc(look_size(&look, n));
        if (memory == NULL) done = -1;
        else {
            look_into(&look, memory, n);
            done = predict_gates(&look, left, right, b[0].buf, n, b[2].buf, b[3].buf);
        }
        free(memory);
        Py_END_ALLOW_THREADS
    }
    let_go(equations.own, equations.held);
    let_go(b, ROOM(b));
    return outcome(done, fits);
}
