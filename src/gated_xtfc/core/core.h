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

#define LARGER(a, b) ((a) > (b) ? (a) : (b)) /* one instruction; what is no number is looked for elsewhere */
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))
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

#define MOST_TURNING 32 /* points of one equation */

#define MOST_STATES 16 /* numbers of a state: fields and derivatives below the highest, and so modes at a place */

typedef struct {
    double rate[2];       /* the fastest decay towards the right, and towards the left */
    double largest, wave; /* modulus; undamped oscillation */
} Modes;

/* All fields and their derivatives at n points, (terms, n). */
typedef void Jets(const void *about, const double *x, size_t n, double *jets);

/* What gates are predicted from; work holds what look_size says. */
typedef struct {
    const Program *programs; /* one for each field */
    const size_t *order;     /* (fields,) */
    size_t fields, highest, state, terms, distances;
    const double *distance; /* from a place, as parts of the reach: ever closer to it */
    Jets *jets_at;          /* what they are linearised about, or NULL ... */
    const void *about;      /* ... with what it is called with */
    double least;           /* wave numbers below this do not count in systems */
    double *probes, *values; /* (n,), (fields, terms + 1, n) */
    double *jets;            /* (terms, n) */
    Modes *modes;            /* (n,): those that were asked for */
    size_t count;            /* probes */
    int lost;                /* whether modes are left to others */
} Look;

/* The memory that a look at `samples` places needs, in bytes; and its parts. */
size_t look_size(const Look *look, size_t samples);
void look_into(Look *look, double *memory, size_t samples);

/* found: thickness at the left end, whether it quickens, the same at the right end, the largest wave number, the number of
   turning points, and place and thickness of each; wave: the wave number at the samples x (n,). 1 where it is all there, 0
   where something is out of the ordinary, -1 without memory. */
int predict_gates(Look *look, double left, double right, const double *x, size_t n, double *found, double *wave);

typedef struct {
    double step, graded, unit, exponential; /* as discretise/partition.py has them */
    const double *cuts;
    size_t cut_count;
} Shapes;

/* Shapes of count numbers; 0 where they make no sense. */
int shapes_from(const double *numbers, size_t count, Shapes *shapes);

typedef struct {
    double location, thickness, grading;
} Gate;

/* How many elements gates ask for, `count` of every member: as many as the member that needs most. Written to (3, most, members):
   anchors, offsets, lengths. Zero where there are more, -1 without memory. */
Py_ssize_t cut_elements(const Shapes *shapes, double low, double high, const Gate *gates, size_t count, size_t members,
                        double outer, int slower, double *out, size_t most);

/* Value (n,), and partial derivatives (terms, n) by the seeds with a bit in `live`, at n points with jets (terms, n). */
void program_evaluate(const Program *program, const double *x, size_t n, const double *jets, uint64_t live, double *value,
                      double *partials, double *scratch);

/* Whether an argument of a function, a divisor or a comparison does something from one of n points with jets (terms, n) to the
   next that kernels do not see, as gates/along_solution.py has it; -1 without memory. Some that do not matter count as well. */
int program_leaps(const Program *program, const double *x, size_t n, const double *jets);

/* How many doubles of scratch program_evaluate takes. */
size_t program_scratch(const Program *program);

static inline int sized(const Py_buffer *buffer, size_t count)
{
    return (size_t)buffer->len == count * sizeof(double) && (count == 0 || (uintptr_t)buffer->buf % sizeof(double) == 0);
}

PyObject *linearise(PyObject *self, PyObject *args);
PyObject *partition(PyObject *self, PyObject *args);

#endif
