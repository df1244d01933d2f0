/* What Python hands over: numbers in buffers, which a call holds until it is over, and texts as programs. */

#ifndef GATED_XTFC_ARGUMENTS_H
#define GATED_XTFC_ARGUMENTS_H

#include "core.h"

#define ROOM(buffers) (sizeof(buffers) / sizeof *(buffers))
#define FOUR(b, i) &(b)[i], &(b)[(i) + 1], &(b)[(i) + 2], &(b)[(i) + 3]

/* How many doubles fit into a buffer; `sized` says whether it has nothing else. */
static inline size_t doubles(const Py_buffer *buffer) { return (size_t)buffer->len / sizeof(double); }

static inline void let_go(Py_buffer *buffers, size_t count)
{
    while (count > 0) PyBuffer_Release(&buffers[--count]);
}

/* A program from its codes, numbers and parameters; 0 where it cannot be run. */
static inline int program_from(Program *program, const Py_buffer *b, size_t terms, size_t constants)
{
    *program = (Program){b[0].buf, (size_t)b[0].len / (2 * sizeof(int32_t)), 0, b[1].buf, b[2].buf,
                         doubles(&b[1]), doubles(&b[2]), terms, constants, 0};
    return b[0].len % (Py_ssize_t)(2 * sizeof(int32_t)) == 0 && program_fits(program) &&
           sized(&b[1], program->number_count) && sized(&b[2], program->parameter_count);
}

/* What a call returns that has done its work, 1 or 0; an error where it is -1, without memory, or its arrays do not fit. */
static inline PyObject *outcome(int done, int fits)
{
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "the arrays do not fit together");
        return NULL;
    }
    if (done < 0) return PyErr_NoMemory();
    return PyBool_FromLong(done);
}

#endif
