/* The compiled core: condensed least squares on elements, for many members of a family, with a certificate for each.

   One function, `solve`, over contiguous arrays of doubles with the members last. It allocates what it needs, keeps no
   state and releases the interpreter's lock, so that threads can call it side by side. Arithmetic is plain: numbers that
   are not finite come out as figures that are not finite. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RESOLVED 6.0
#define SAFETY 4.0
#define AMPLIFIED 100.0
#define COUNTS 1e-3
#define EPSILON DBL_EPSILON
#define MOST_FIELDS 16
#define MOST_ORDER 4
#define WIDE 8
#define CHECK(i) (2 * (i)) /* points of an element go from left to right: a check, a site, a check, ... */
#define SITE(i) (2 * (i) + 1)
#define LARGER(a, b) ((a) > (b) ? (a) : (b)) /* one instruction; what is no number is looked for elsewhere */

typedef struct {
    size_t degree, sites, checks, points;     /* p, p + 1, p + 2 and their sum */
    size_t fields, order[MOST_FIELDS], terms; /* terms: derivatives of all fields */
    size_t elements, rows, bubbles, state, columns;
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

#define LANES 1
#define TARGETS
#define NAME(x) x##_one
#include "elements_lanes.h"
#undef LANES
#undef TARGETS
#undef NAME
#define LANES WIDE
#define TARGETS WIDEST
#define NAME(x) x##_wide
#include "elements_lanes.h"
#undef LANES
#undef TARGETS
#undef NAME

static int run(const Shape *shape, const Input *in, double *found, double *figures, double *shares)
{
    size_t first = 0;
    if (in->members >= WIDE) {
        Work_wide work;
        if (allocate_wide(&work, shape)) return -1;
        for (; first + WIDE <= in->members; first += WIDE) block_wide(&work, shape, in, first, found, figures, shares);
        free(work.memory);
    }
    if (first < in->members) {
        Work_one work;
        if (allocate_one(&work, shape)) return -1;
        for (; first < in->members; first++) block_one(&work, shape, in, first, found, figures, shares);
        free(work.memory);
    }
    return 0;
}

static int sized(const Py_buffer *buffer, size_t count)
{
    return (size_t)buffer->len == count * sizeof(double) && (uintptr_t)buffer->buf % sizeof(double) == 0;
}

/* solve(orders, degree, elements, members, certify, free_left, free_right, tables, middles, values, length, basis_left, basis_right,
         particular_left, particular_right, factors, floors, found, figures, shares) */
static PyObject *solve(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *orders;
    Py_ssize_t degree, elements, members, free_left, free_right;
    int certify;
    Py_buffer b[13];
    if (!PyArg_ParseTuple(args, "O!nnnpnny*y*y*y*y*y*y*y*y*y*w*w*w*", &PyTuple_Type, &orders, &degree, &elements, &members,
                          &certify, &free_left, &free_right, &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &b[6], &b[7], &b[8], &b[9],
                          &b[10], &b[11], &b[12]))
        return NULL;
    Shape s;
    Input in;
    int failed = 1;
    const char *why = "the arrays do not fit together";
    memset(&s, 0, sizeof s);
    const Py_ssize_t fields = PyTuple_Size(orders);
    if (fields < 1 || fields > MOST_FIELDS || degree < 2 || degree > 64 || elements < 1 || elements > 100000 ||
        members < 0 || free_left < 0 || free_right < 0)
        goto done;
    s.degree = (size_t)degree;
    s.sites = s.degree + 1;
    s.checks = s.degree + 2;
    s.points = s.sites + s.checks;
    s.fields = (size_t)fields;
    s.elements = (size_t)elements;
    s.rows = s.sites * s.fields;
    size_t at = 0;
    for (Py_ssize_t f = 0; f < fields; f++) {
        const Py_ssize_t order = PyLong_AsSsize_t(PyTuple_GetItem(orders, f));
        if (order < 1 || order > MOST_ORDER || 2 * order >= degree) {
            PyErr_Clear();
            goto done;
        }
        s.order[f] = (size_t)order;
        s.state += s.order[f];
        s.terms += s.order[f] + 1;
        s.bubbles += s.sites - 2 * s.order[f];
        s.tables[f] = (const double *)b[0].buf + at;
        at += (s.order[f] + 1) * s.points * s.sites;
    }
    s.columns = s.bubbles + 2 * s.state;
    s.free[0] = (size_t)free_left;
    s.free[1] = (size_t)free_right;
    s.middles = b[1].buf;
    in.members = (size_t)members;
    in.certify = certify;
    in.values = b[2].buf;
    in.length = b[3].buf;
    const size_t B = in.members, K = s.elements, M = s.state;
    if (s.free[0] + s.free[1] != M || !sized(&b[0], at) || !sized(&b[1], s.fields * s.columns) ||
        !sized(&b[2], s.fields * (s.terms + 1) * K * s.points * B) || !sized(&b[3], K * B) ||
        !sized(&b[4], M * s.free[0] * B) || !sized(&b[5], M * s.free[1] * B) || !sized(&b[6], M * B) ||
        !sized(&b[7], M * B) || !sized(&b[8], s.fields) || !sized(&b[9], s.fields) ||
        !sized(&b[10], K * s.fields * s.sites * B) || !sized(&b[11], (4 + 2 * s.fields) * B) || !sized(&b[12], K * B))
        goto done;
    for (int end = 0; end < 2; end++) {
        in.basis[end] = b[4 + end].buf;
        in.particular[end] = b[6 + end].buf;
    }
    in.factors = b[8].buf;
    in.floors = b[9].buf;
    why = NULL;
    Py_BEGIN_ALLOW_THREADS
    failed = run(&s, &in, b[10].buf, b[11].buf, b[12].buf);
    Py_END_ALLOW_THREADS
done:
    for (size_t i = 0; i < sizeof b / sizeof *b; i++) PyBuffer_Release(&b[i]);
    if (why != NULL) {
        PyErr_SetString(PyExc_ValueError, why);
        return NULL;
    }
    if (failed) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"solve", solve, METH_VARARGS, "Solve linear equations on elements, for many members at once."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_elements", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__elements(void);
PyMODINIT_FUNC PyInit__elements(void) { return PyModule_Create(&module); }
