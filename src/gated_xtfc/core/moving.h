/* What the files of moving sites share: the coordinate whose gates travel, the equations on its sites, matrices in bands. */

#ifndef GATED_XTFC_MOVING_H
#define GATED_XTFC_MOVING_H

#include "core.h"

#define MOST_GATES 64
#define MOST_STAGES 9
#define MOST_MOVING 16 /* fields: four seeds each */
#define MOST_PROGRAMS (3 * MOST_MOVING)
#define MOST_SITES 1000000

/* discretise/moving/coordinate.py */
typedef struct {
    size_t gates;
    int pinned, at_left, at_right;
    double left, right, width, slope; /* slope: of eta in the cores */
    const double *grading, *pins, *reach; /* (g,), (g,), (2g,) */
} Coordinate;

/* The sites at some stages s, as `Frame` in Python; those of one stage follow those of the one before. */
typedef struct {
    double *x, *slope, *bend, *motion, *slopes, *sigma; /* (s, n) thrice, (s, 2g, n), (s, 2g + 1), (s, n) */
} Frame;

/* solver/moving/system.py; the seeds of programs are u, u_x, u_xx of every field, then the derivatives in time. */
typedef struct {
    size_t n, m, order, wider, timed, conditions; /* timed: equations with a derivative in time */
    size_t joints;                                /* places where the equations break, with a site on each side */
    int constant;                                 /* whether the factors of these are numbers */
    const int64_t *rank, *rows, *fields, *ends, *weak, *periodic, *orders; /* rows, fields: timed ones first */
    const int64_t *near, *wide_near; /* the first site of every difference */
    const int64_t *left_of, *hosts, *fluxes; /* (joints,) sites left of a break, (m,) equations that give way there and
                                             programs of what goes over, or -1 */
    const double *eta, *gaps, *one, *two, *wide_one, *wide_two, *mass, *counted, *inverse, *places;
    Program programs[MOST_PROGRAMS]; /* m + conditions of them */
    const int64_t *clocks; /* which of its parameters is time, or -1 */
    double *clock_of[MOST_PROGRAMS];
    double *jets, *blocks, *values, *partials, *small, *memory; /* scratch: (4m, n), (m, 4m, n), (m, n), (3, m, m, n), ... */
} System;

/* A matrix in a band, row by row, and its factors. */
typedef struct {
    size_t size, below, above; /* above: before pivoting */
    int64_t *first, *last;     /* columns of every row */
    double *rows, *lower;      /* (size, 2 below + above + 1), (size, below) */
    int64_t *pivot, *end;      /* (size,) */
} Band;

/* The frame at `stages` stages for gates (s, 2, g); sigma has where to begin. Not finite where there is none. */
void moving_frame(const Coordinate *c, const double *eta, size_t n, size_t stages, const double *gates,
                  const int64_t *anchor, Frame *out, double *scratch);
size_t moving_frame_scratch(size_t gates);
void moving_along(const Coordinate *c, const double *gates, const double *x, size_t count, double *eta, double *scratch);

size_t system_scratch(const System *s);
void system_arrange(System *s, double *scratch);
void system_jets(const System *s, const double *slope, const double *bend, const double *values, int checking, double *jets);
void system_slopes(const System *s, const double *slope, const double *values, double *slopes);
void system_right(System *s, const double *x, const double *slope, const double *bend, double t, const double *values,
                  const double *velocity, const double *penalties, int checking, double *right, double *slopes);
void system_penalties(System *s, const double *x, const double *slope, const double *bend, double t, const double *values,
                      double *penalties);
void system_profile(const System *s, Band *band);
void system_jacobian(System *s, const double *x, const double *slope, const double *bend, double t, const double *values,
                     const double *velocity, const double *penalties, Band *band);

size_t band_width(const Band *band);
int band_factor(Band *band);
int band_factor_pair(Band *band, double *imaginary, double *lower_imaginary);
void band_solve(const Band *band, double *right);
void band_solve_pair(const Band *band, const double *imaginary, const double *lower_imaginary, double *right, double *other);

PyObject *moving_step(PyObject *self, PyObject *args);
PyObject *moving_eta(PyObject *self, PyObject *args);
PyObject *moving_sites(PyObject *self, PyObject *args);
PyObject *moving_sides(PyObject *self, PyObject *args);

int small_solve(double *matrix, double *right, size_t n, size_t columns);

#endif
