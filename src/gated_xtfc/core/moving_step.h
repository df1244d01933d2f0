/* What the files of one step at moving sites share: the method, and all that the step works with. */

#ifndef GATED_XTFC_MOVING_STEP_H
#define GATED_XTFC_MOVING_STEP_H

#include "moving.h"

#define DEPTH 6 /* of Anderson acceleration */

/* Radau IIA: eigenvalues of A^-1 (pairs has real and imaginary parts), A^-1, T, T^-1, E, P; where errors inside are looked for. */
typedef struct {
    size_t stages;
    double real, looked;
    const double *nodes, *inverse, *to_stages, *from_stages, *error, *dense, *pairs;
} Method;

typedef struct {
    System system;
    Coordinate coordinate;
    Method method;
    size_t n, m, g, d, s, N; /* sites, fields, gates, 2g, stages, unknowns */
    double t, step, drift, settle;

    /* at the start */
    const double *gates, *values, *size, *error;
    Frame before;
    const int64_t *anchor;
    const unsigned char *fixed;
    const double *times, *trail;           /* of the last step ends, oldest first: (k,), (k, 2, g) */
    size_t ends;                           /* k <= 3 */
    const int64_t *regions;                /* the first site of each */
    size_t region_count;
    const double *given;                   /* penalties, or NULL */

    /* what is found; changes hold the first guess, and sigma of the frame where the iteration for it begins */
    double *changes, *stages;              /* (s, m, n), (s, 2, g) */
    Frame frame;                           /* at the stages */
    double *local, *within, *carried;      /* errors: at the end, inside, and that at the start carried along: (m, n) each */
    int iterations;
    double embedded, spatial;              /* the largest error in time; what differences in space add */

    /* scratch */
    double *velocity, *penalties;                     /* (s, n), (2 + 2 joints, m, m) */
    double *start, *slopes0, *right, *slopes;         /* (m, n) twice; (s, m, n) twice */
    double *transformed, *turned, *update, *scale, *u, *shift; /* (s, N) thrice, (N,), (m, n), (s, 2, g) */
    Frame between;                                    /* at one time inside the step */
    double *rates;                                    /* gates and their rates there, (2d,) */
    double *moved, *distances, *fit;                  /* (g, m, n), (g, n), scratch of gates */
    double *iterates, *residuals, *columns, *last;    /* (DEPTH, s N) thrice; two of (s N) */
    size_t kept, next;
    int begun;
    double *frame_scratch, *vector, *other;           /* of a solve, (N,) */
    Band real, pair[MOST_STAGES / 2];
    double *imaginary[MOST_STAGES / 2], *lower_imaginary[MOST_STAGES / 2], *jacobian;
} Step;

/* Whether the equations of a step were solved; -1 without memory. */
int step_taken(Step *w);

/* mu/h mass - J in factors, where the stages are now; 0 where that has none. */
int newton_linearised(Step *w);
void newton_update(Step *w);
void newton_filter(Step *w, double *missed);
void newton_advance(Step *w, const double *value, const double *source, double *became, double *added);
void newton_accelerate(Step *w, int mix);
void stages_combined(const Step *w, const double *matrix, const double *from, double *to);

void gates_foreseen(Step *w);
void gates_placed(Step *w);
double gates_left(Step *w);
void gates_followed(Step *w, double share);
double gate_rate(const Step *w, const double *weights, size_t q);
void sites_at(Step *w, const double *gates, size_t count, Frame *found);
void sites_velocity(const Step *w, const double *motion, const double *rates, double *velocity);
size_t gates_scratch(size_t n, size_t m);

void step_errors(Step *w);

static inline int all_finite(const double *values, size_t count)
{
    double poison = 0.0;
    for (size_t i = 0; i < count; i++) poison += 0.0 * values[i];
    return poison == 0.0;
}

#endif
