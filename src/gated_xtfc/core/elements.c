/* The compiled core: condensed least squares on elements, for many members of a family, with a certificate for each.

   `solve` takes contiguous arrays of doubles with the members last. It allocates what it needs, keeps no
   state and releases the interpreter's lock, so that threads can call it side by side. Arithmetic is plain: numbers that
   are not finite come out as figures that are not finite. */

#include "arguments.h"
#include "moving.h"

#define RESOLVED 6.0
#define SAFETY 4.0
#define AMPLIFIED 100.0
#define COUNTS 1e-3
#define EPSILON DBL_EPSILON
#define MOST_FIELDS 16
#define MOST_ORDER 4
#define MOST_DEGREE 64
#define MOST_CONSTANTS 64
#define MOST_BORDER 512
#define WIDE 8
#define CHECK(i) (2 * (i)) /* points of an element go from left to right: a check, a site, a check, ... */
#define SITE(i) (2 * (i) + 1)

typedef struct {
    size_t degree, sites, checks, points;     /* p, p + 1, p + 2 and their sum */
    size_t fields, order[MOST_FIELDS], terms; /* terms: derivatives of all fields */
    size_t elements, rows, bubbles, state, columns, constants;
    size_t free[2];                   /* numbers of the first and the last state that conditions leave */
    const double *tables[MOST_FIELDS]; /* shape functions of every field: at sites, between them */
    const double *middles;            /* (F, columns) in the middle of an element */
} Shape;

typedef struct {
    size_t members;
    int certify;
    const double *values;        /* (F, terms + 1, K, points, members) coefficients and source of every equation */
    const double *length;        /* (K, members) */
    const double *basis[2];      /* (M, free, members) */
    const double *particular[2]; /* (M, members) */
    const double *factors, *floors; /* (F,) what errors are relative to */
} Input;

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) && !defined(NO_CLONES)
#define WIDEST __attribute__((flatten, target_clones("avx2", "default")))
#else
#define WIDEST
#endif

#define LANES WIDE
#define TARGETS WIDEST
#define NAME(x) x##_wide
#include "elements_lanes.h"
#undef LANES
#undef TARGETS
#undef NAME
#define LANES 1
#define TARGETS
#define NAME(x) x##_one
#include "elements_lanes.h"
#undef LANES
#undef TARGETS
#undef NAME

#include "newton.h"
#include "polynomials.h"
#include "division.h"

static int run(const Shape *shape, const Input *in, double *found, double *figures, double *shares)
{
    size_t first = 0;
    if (in->members >= WIDE) {
        Work_wide work;
        if (allocate_wide(&work, shape)) return -1;
        for (; first + WIDE <= in->members; first += WIDE) block_wide(&work, shape, in, first, found, figures, shares);
        release_wide(&work);
    }
    if (first < in->members) {
        Work_one work;
        if (allocate_one(&work, shape)) return -1;
        for (; first < in->members; first++) block_one(&work, shape, in, first, found, figures, shares);
        release_one(&work);
    }
    return 0;
}

/* The shape of a layout; 0 where it is none that the core was made for. `numbers` are those of the tables. */
static int shaped(Shape *s, const size_t *orders, Py_ssize_t fields, Py_ssize_t degree, Py_ssize_t elements,
                  Py_ssize_t constants, const double *tables, const double *middles, size_t *numbers)
{
    memset(s, 0, sizeof *s);
    if (fields < 1 || fields > MOST_FIELDS || degree < 2 || degree > MOST_DEGREE || elements < 1 || elements > 100000 ||
        constants < 0 || constants > MOST_CONSTANTS)
        return 0;
    s->constants = (size_t)constants;
    s->degree = (size_t)degree;
    s->sites = s->degree + 1;
    s->checks = s->degree + 2;
    s->points = s->sites + s->checks;
    s->fields = (size_t)fields;
    s->elements = (size_t)elements;
    s->rows = s->sites * s->fields;
    *numbers = 0;
    for (size_t f = 0; f < s->fields; f++) {
        const size_t order = orders[f];
        if (order < 1 || order > MOST_ORDER || 2 * order >= s->degree) return 0;
        s->order[f] = order;
        s->state += order;
        s->terms += order + 1;
        s->bubbles += s->sites - 2 * order;
        s->tables[f] = tables + *numbers;
        *numbers += (order + 1) * s->points * s->sites;
    }
    s->columns = s->bubbles + 2 * s->state + s->constants;
    s->middles = middles;
    return 1;
}

/* The same from what Python hands over; b: tables and middles. */
static int shaped_by(Shape *s, PyObject *orders, Py_ssize_t degree, Py_ssize_t elements, Py_ssize_t constants,
                     const Py_buffer *b)
{
    const Py_ssize_t fields = PyTuple_Size(orders);
    size_t order[MOST_FIELDS], numbers;
    if (fields < 1 || fields > MOST_FIELDS) return 0;
    for (Py_ssize_t f = 0; f < fields; f++) {
        const Py_ssize_t own = PyLong_AsSsize_t(PyTuple_GetItem(orders, f));
        if (own < 0) PyErr_Clear();
        order[f] = own < 0 ? 0 : (size_t)own;
    }
    return shaped(s, order, fields, degree, elements, constants, b[0].buf, b[1].buf, &numbers) && sized(&b[0], numbers) &&
           sized(&b[1], s->fields * s->columns);
}

/* How many numbers are free at both ends; 0 where these are not as many as a state has. */
static int freed(Shape *s, Py_ssize_t left, Py_ssize_t right)
{
    if (left < 0 || right < 0) return 0;
    s->free[0] = (size_t)left;
    s->free[1] = (size_t)right;
    return s->free[0] + s->free[1] == s->state;
}

/* What Python says of a layout, and of what is to be done on it. */
typedef struct {
    PyObject *orders, *programs; /* tuples; without programs there are values */
    Py_ssize_t degree, elements, members, free_left, free_right;
    int certify;
} Wanted;

/* Shape and input from what Python hands over; b: tables, middles, values, length, basis and particular states of both ends,
   factors, floors, found, figures, shares. Values are not looked at where they are yet to be made. */
static int arranged(Shape *s, Input *in, const Wanted *q, const Py_buffer *b)
{
    const int made = q->programs == NULL;
    if (q->members < 0 || !shaped_by(s, q->orders, q->degree, q->elements, 0, b) || !freed(s, q->free_left, q->free_right))
        return 0;
    in->members = (size_t)q->members;
    in->certify = q->certify;
    in->values = made ? b[2].buf : NULL;
    in->length = b[3].buf;
    const size_t B = in->members, K = s->elements, M = s->state;
    if ((made && !sized(&b[2], s->fields * (s->terms + 1) * K * s->points * B)) || !sized(&b[3], K * B) ||
        !sized(&b[4], M * s->free[0] * B) || !sized(&b[5], M * s->free[1] * B) || !sized(&b[6], M * B) ||
        !sized(&b[7], M * B) || !sized(&b[8], s->fields) || !sized(&b[9], s->fields) ||
        !sized(&b[10], K * s->fields * s->sites * B) || !sized(&b[11], (4 + 2 * s->fields) * B) || !sized(&b[12], K * B))
        return 0;
    for (int end = 0; end < 2; end++) {
        in->basis[end] = b[4 + end].buf;
        in->particular[end] = b[6 + end].buf;
    }
    in->factors = b[8].buf;
    in->floors = b[9].buf;
    return 1;
}

/* solve(orders, degree, elements, members, certify, free_left, free_right, tables, middles, values, length, basis_left, basis_right,
         particular_left, particular_right, factors, floors, found, figures, shares) */
static PyObject *solve(PyObject *self, PyObject *args)
{
    (void)self;
    Wanted q = {0};
    Py_buffer b[13];
    if (!PyArg_ParseTuple(args, "O!nnnpnny*y*y*y*y*y*y*y*y*y*w*w*w*", &PyTuple_Type, &q.orders, &q.degree, &q.elements, &q.members,
                          &q.certify, &q.free_left, &q.free_right, FOUR(b, 0), FOUR(b, 4), FOUR(b, 8), &b[12]))
        return NULL;
    Shape s;
    Input in;
    int done = 0;
    const int fits = arranged(&s, &in, &q, b);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        done = run(&s, &in, b[10].buf, b[11].buf, b[12].buf) ? -1 : 1;
        Py_END_ALLOW_THREADS
    }
    let_go(b, ROOM(b));
    return outcome(done, fits);
}

/* Coefficients and sources at the points of all elements, then as `solve`: -1 without memory, 0 where not all are finite. */
static int evaluated(const Shape *s, Input *in, const Program *programs, const double *parts, const double *anchor,
                     const double *offset, double *found, double *figures, double *shares)
{
    const size_t count = s->elements * s->points, rows = s->terms + 1;
    double *memory = malloc(count * (s->fields * rows + 1) * sizeof(double)), *x = memory, *values = memory + count;
    int finite = memory == NULL ? -1 : 1;
    if (finite == 1)
        for (size_t k = 0; k < s->elements; k++)
            for (size_t i = 0; i < s->points; i++)
                x[k * s->points + i] = anchor[k] + (offset[k] + in->length[k] * parts[i]);
    for (size_t e = 0; e < s->fields && finite == 1; e++)
        finite = program_linearise(programs + e, x, count, NULL, NULL, values + e * rows * count, count);
    in->values = values;
    if (finite == 1 && run(s, in, found, figures, shares)) finite = -1;
    free(memory);
    return finite;
}

/* Equations as programs, one for each field, and the buffers that they are in. */
typedef struct {
    Program of[MOST_FIELDS];
    Py_buffer own[3 * MOST_FIELDS];
    size_t held;
} Programs;

/* The same from a tuple of tuples of codes, numbers and parameters; 0 where they cannot be run. */
static int programmed(Programs *p, PyObject *programs, const Shape *s, size_t constants)
{
    if (PyTuple_Size(programs) != (Py_ssize_t)s->fields) return 0;
    for (size_t e = 0; e < s->fields; e++) {
        PyObject *one = PyTuple_GetItem(programs, (Py_ssize_t)e);
        if (!PyTuple_Check(one) || PyTuple_Size(one) != 3) return 0;
        for (Py_ssize_t i = 0; i < 3; i++, p->held++)
            if (PyObject_GetBuffer(PyTuple_GetItem(one, i), &p->own[p->held], PyBUF_SIMPLE)) {
                PyErr_Clear();
                return 0;
            }
        if (!program_from(&p->of[e], p->own + 3 * e, s->terms, constants)) return 0;
    }
    return 1;
}

/* fit(orders, degree, elements, free_left, free_right, programs, tables, middles, parts, length, basis_left, basis_right,
       particular_left, particular_right, factors, floors, found, figures, shares, anchor, offset) -> whether all is finite

   Linear equations, each a tuple of codes, numbers and parameters, on the elements of one member. */
static PyObject *fit(PyObject *self, PyObject *args)
{
    (void)self;
    Wanted q = {.members = 1, .certify = 1};
    Py_buffer b[15];
    if (!PyArg_ParseTuple(args, "O!nnnnO!y*y*y*y*y*y*y*y*y*y*w*w*w*y*y*", &PyTuple_Type, &q.orders, &q.degree, &q.elements,
                          &q.free_left, &q.free_right, &PyTuple_Type, &q.programs, FOUR(b, 0), FOUR(b, 4), FOUR(b, 8), &b[12],
                          &b[13], &b[14]))
        return NULL;
    Shape s;
    Input in;
    Programs programs;
    int done = 0;
    programs.held = 0;
    const int fits = arranged(&s, &in, &q, b) && sized(&b[2], s.points) && sized(&b[13], s.elements) &&
                     sized(&b[14], s.elements) && programmed(&programs, q.programs, &s, 0);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        done = evaluated(&s, &in, programs.of, b[2].buf, b[13].buf, b[14].buf, b[10].buf, b[11].buf, b[12].buf);
        Py_END_ALLOW_THREADS
    }
    let_go(programs.own, programs.held);
    let_go(b, ROOM(b));
    return outcome(done, fits);
}

#include "gates.h"
#include "prediction.h"
#include "end_states.h"
#include "linear.h"
#include "nonlinear.h"
#include "slopes.h"

/* newton(orders, degree, elements, free_left, free_right, goal, most, programs, tables, middles, x, length, basis_left, basis_right,
          particular_left, particular_right, factors, floors, found, figures, shares, jets)
   -> (how it ended, steps, length of the last one) */
static PyObject *newton(PyObject *self, PyObject *args)
{
    (void)self;
    Wanted q = {.members = 1, .certify = 1};
    Py_ssize_t most;
    double goal;
    Py_buffer b[14];
    if (!PyArg_ParseTuple(args, "O!nnnndnO!y*y*y*y*y*y*y*y*y*y*w*w*w*w*", &PyTuple_Type, &q.orders, &q.degree, &q.elements,
                          &q.free_left, &q.free_right, &goal, &most, &PyTuple_Type, &q.programs, FOUR(b, 0), FOUR(b, 4),
                          FOUR(b, 8), &b[12], &b[13]))
        return NULL;
    Shape s;
    Input in;
    Programs programs;
    Steps steps = {goal, most < 0 ? 0 : (size_t)most, 0, INFINITY};
    int ended = 0;
    programs.held = 0;
    const int fits = arranged(&s, &in, &q, b) && sized(&b[2], s.elements * s.points) &&
                     sized(&b[13], s.terms * s.elements * s.points) && programmed(&programs, q.programs, &s, 0);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        ended = iterate_newton(&s, &in, programs.of, b[2].buf, &steps, b[13].buf, b[10].buf, b[11].buf, b[12].buf);
        Py_END_ALLOW_THREADS
    }
    let_go(programs.own, programs.held);
    let_go(b, ROOM(b));
    if (!fits || ended < 0) return outcome(ended, fits);
    return Py_BuildValue("(ind)", ended, (Py_ssize_t)steps.steps, steps.length);
}

#include "tied_call.h"

static PyMethodDef methods[] = {
    {"evaluate", evaluate, METH_VARARGS, "Derivatives of fields on elements, at points."},
    {"divide", divide, METH_VARARGS, "Elements divided where too much of the error comes from."},
    {"newton", newton, METH_VARARGS, "Newton's method for nonlinear equations on elements."},
    {"slopes", slopes, METH_VARARGS, "What parameters do to a solution of linear equations on elements."},
    {"solve", solve, METH_VARARGS, "Solve linear equations on elements, for many members at once."},
    {"solve_tied", solve_tied, METH_VARARGS, "The same with conditions anywhere, and unknown constants."},
    {"fit", fit, METH_VARARGS, "Evaluate linear equations on the elements of one member, and solve them."},
    {"linear", linear, METH_VARARGS, "One linear equation of first or second order: gates, elements, fit and certificate."},
    {"nonlinear", nonlinear, METH_VARARGS, "A problem that is not linear: gates, elements, Newton's method and certificate."},
    {"linearise", linearise, METH_VARARGS, "Coefficients and source of one equation at points, by dual numbers."},
    {"partition", partition, METH_VARARGS, "The elements that gates ask for."},
    {"moving_eta", moving_eta, METH_VARARGS, "The coordinate with gates that travel, at places."},
    {"moving_sides", moving_sides, METH_VARARGS, "The right side of equations at sites that move."},
    {"moving_sites", moving_sites, METH_VARARGS, "Where the sites of a coordinate with gates that travel are."},
    {"moving_step", moving_step, METH_VARARGS, "One step in time at sites that move."},
    {"predict", predict, METH_VARARGS, "The gates that the symbol of equations asks for."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_elements", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__elements(void);
PyMODINIT_FUNC PyInit__elements(void) { return PyModule_Create(&module); }
