/* Errors of a step: in time, carried along, and what differences in space add; the twin of what
   solver/moving/step.py and estimate.py have of it. */

#include "moving_step.h"

#define INSIDE 1.15
#define UNFILTERED 5.0
#define ENDED 5.0
#define AHEAD 1e-3 /* of a field: smaller values are ahead of a front */

/* The polynomial inside the step at theta: values into w->u, their rates in `ahead`, the gates and their rates, (d,) each. */
static void between(Step *w, double theta, double *ahead, double *gates, double *rates)
{
    const Method *r = &w->method;
    const size_t s = w->s, N = w->N, d = w->d;
    double value[MOST_STAGES] = {0.0}, slope[MOST_STAGES] = {0.0};
    memcpy(w->u, w->values, N * sizeof(double));
    memset(ahead, 0, N * sizeof(double));
    for (size_t k = 0; k < s; k++) {
        double power = 1.0;
        for (size_t p = 0; p < s; p++, power *= theta) {
            value[k] += r->dense[k * s + p] * power * theta;
            slope[k] += r->dense[k * s + p] * (double)(p + 1) * power;
        }
        for (size_t i = 0; i < N; i++) {
            w->u[i] += value[k] * w->changes[k * N + i];
            ahead[i] += slope[k] / w->step * w->changes[k * N + i];
        }
    }
    for (size_t q = 0; q < d; q++) {
        gates[q] = w->gates[q];
        for (size_t k = 0; k < s; k++) gates[q] += value[k] * (w->stages[k * d + q] - w->gates[q]);
        rates[q] = gate_rate(w, slope, q);
    }
}

/* The embedded method's difference and the error inside the step. */
static void in_time(Step *w)
{
    System *system = &w->system;
    const Method *r = &w->method;
    const size_t n = w->n, m = w->m, d = w->d, s = w->s, N = w->N, last = s - 1;
    const double *mass = system->mass;
    double *velocity = w->vector, *gates = w->rates, *rates = w->rates + d;
    between(w, 0.0, w->within, gates, rates);
    sites_velocity(w, w->before.motion, rates, velocity);
    for (size_t f = 0; f < m; f++)
        for (size_t i = 0; i < n; i++) {
            const size_t a = f * n + i;
            double sum = 0.0;
            for (size_t k = 0; k < s; k++) sum += r->error[k] * w->changes[k * N + a];
            w->local[a] = mass[a] * (w->start[a] + w->slopes0[a] * velocity[i] + sum / w->step);
        }
    newton_filter(w, w->local);
    between(w, r->looked, w->within, gates, rates);
    Frame *here = &w->between;
    memcpy(here->sigma, w->frame.sigma + last * n, n * sizeof(double));
    sites_at(w, gates, 1, here);
    sites_velocity(w, here->motion, rates, velocity);
    system_right(system, here->x, here->slope, here->bend, w->t + r->looked * w->step, w->u, velocity, w->penalties, 0, w->right,
                 w->slopes);
    for (size_t i = 0; i < N; i++) w->within[i] = INSIDE * (mass[i] * w->within[i] - w->right[i]);
    newton_filter(w, w->within);
}

/* What the error at the start becomes, and what differences in space add, (m, n). */
static void carry(Step *w, double *added)
{
    System *s = &w->system;
    const size_t n = w->n, N = w->N, last = w->s - 1;
    const double *x = w->frame.x + last * n, *slope = w->frame.slope + last * n, *bend = w->frame.bend + last * n;
    double *source = w->right, *wider = w->transformed, *kept = wider;
    for (size_t i = 0; i < N; i++) w->u[i] = w->values[i] + w->changes[last * N + i];
    for (int checking = 0; checking < 2; checking++)
        system_right(s, x, slope, bend, w->t + w->step, w->u, w->velocity + last * n, w->penalties, checking,
                     checking ? wider : source, w->slopes);
    for (size_t i = 0; i < N; i++) {
        source[i] = (wider[i] - source[i]) * s->counted[i];
        kept[i] = w->error[i] * s->mass[i] / w->step;
    }
    newton_advance(w, kept, source, w->carried, added);
}

/* What is added gets the sign that makes the error grow, region by region; site by site where a field has next to no size
   (w->u has it at the end of the step), for what is wrong ahead of a front may grow until it arrives. */
static void add_growing(Step *w, const double *added, double factor)
{
    double *error = w->carried;
    for (size_t f = 0; f < w->m; f++)
        for (size_t k = 0; k < w->region_count; k++) {
            const size_t begin = (size_t)w->regions[k], end = k + 1 < w->region_count ? (size_t)w->regions[k + 1] : w->n;
            double agree = 0.0;
            for (size_t i = begin; i < end; i++) agree += error[f * w->n + i] * (factor * added[f * w->n + i]);
            for (size_t i = begin; i < end; i++) {
                const double own = factor * added[f * w->n + i], here = error[f * w->n + i];
                const int alone = fabs(w->u[f * w->n + i]) < AHEAD * w->size[f];
                error[f * w->n + i] += (alone ? here * own >= 0.0 : agree >= 0.0) ? own : -own;
            }
        }
}

/* Whether a field has no derivative in time. */
static int at_once(const System *s, size_t f)
{
    for (size_t e = s->timed; e < s->m; e++)
        if ((size_t)s->fields[e] == f) return 1;
    return 0;
}

/* The whole error at the end of the step, from that carried along. */
static void grow(Step *w, const double *added)
{
    const double *change = w->changes + (w->s - 1) * w->N;
    double ending = 0.0, inside = 0.0, changed = 0.0;
    w->embedded = w->spatial = 0.0;
    for (size_t f = 0; f < w->m; f++) {
        const int instant = at_once(&w->system, f);
        for (size_t i = 0; i < w->n; i++) {
            const size_t a = f * w->n + i;
            const double one = fabs(w->local[a]), two = fabs(w->within[a]), more = LARGER(one, two) / w->scale[a];
            ending = LARGER(ending, one / w->size[f]);
            if (!instant) inside = LARGER(inside, two / w->size[f]);
            changed = LARGER(changed, fabs(change[a]) / w->size[f]);
            if (!(more <= w->embedded)) w->embedded = more;
            w->spatial = LARGER(w->spatial, fabs(added[a]) / w->size[f]);
        }
    }
    const double left = inside > 0.0 ? 1.0 - ending / (UNFILTERED * inside) : 0.0;
    const double stiff = left > 0.0 ? (double)w->s * left * left * left * left : 0.0;
    const double root = ENDED * sqrt(ending / LARGER(SMALLER(changed, 1.0), 1e-300));
    add_growing(w, added, 1.0);
    add_growing(w, w->local, LARGER(stiff, SMALLER(1.0, root)));
}

void step_errors(Step *w)
{
    in_time(w);
    carry(w, w->turned);
    grow(w, w->turned);
}
