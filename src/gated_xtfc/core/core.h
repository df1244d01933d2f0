/* What the files of the compiled core share. */

#ifndef GATED_XTFC_CORE_H
#define GATED_XTFC_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SEEDS 64 /* derivatives of fields and unknown constants that an equation is linearised in */

/* An equation as flat postfix instructions, pairs of a code and its argument; language/bytecode.py writes them. */
typedef struct {
    const int32_t *codes;
    size_t length, depth;        /* instructions; values that wait at the same time */
    const double *numbers, *parameters;
    size_t number_count, parameter_count;
    size_t terms, constants;     /* derivatives of all fields, and unknown constants: the seeds of dual numbers */
    int constant;                /* whether the coordinate does not occur */
} Program;

/* Whether a program can be run: no instruction reaches beyond the stack or the numbers. Sets its depth, and whether it varies. */
int program_fits(Program *program);

/* Coefficients, source and columns of the constants at n points, (terms + 1 + constants, n) with rows `stride` apart.

   jets, (terms, n), is the iterate that it is linearised about, zero where it is NULL; values those of the constants.
   Returns 1 where all are finite, 0 where not, -1 without memory. */
int program_linearise(const Program *program, const double *x, size_t n, const double *jets, const double *values,
                      double *out, size_t stride);

/* Value (n,), and partial derivatives (terms, n) by the seeds with a bit in `live`, at n points with jets (terms, n). */
void program_evaluate(const Program *program, const double *x, size_t n, const double *jets, uint64_t live, double *value,
                      double *partials, double *scratch);

/* How many doubles of scratch that takes. */
size_t program_scratch(const Program *program);

static inline int sized(const Py_buffer *buffer, size_t count)
{
    return (size_t)buffer->len == count * sizeof(double) && (count == 0 || (uintptr_t)buffer->buf % sizeof(double) == 0);
}

PyObject *linearise(PyObject *self, PyObject *args);
PyObject *predict(PyObject *self, PyObject *args);
PyObject *partition(PyObject *self, PyObject *args);

#endif
