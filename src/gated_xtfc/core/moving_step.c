/* One step of Radau IIA on sites that move: the twin of solver/moving/step.py.

   Keeps no state; memory for all that it works with is one block. */

#include "moving_step.h"

#define ITERATIONS 20
#define ROUNDING 1e-12
#define BLURRED 1e-15
#define LATER 3.0
#define STUCK 30.0
#define STALE 0.05
#define SLOW 0.5
#define FARTHEST 1.5

typedef struct {
    char *at;
    size_t used;
} Arena;

static void *part(Arena *a, size_t count, size_t size)
{
    void *found = a->at == NULL ? NULL : a->at + a->used;
    a->used += (count * size + 15) & ~(size_t)15;
    return found;
}

#define DOUBLES(count) part(a, (count), sizeof(double))

static void lay_band(Arena *a, Band *b, const Band *like)
{
    const size_t size = like->size, width = band_width(like);
    *b = *like;
    b->rows = DOUBLES(size * width);
    b->lower = DOUBLES(size * like->below + 1);
    b->pivot = part(a, size, sizeof(int64_t));
    b->end = part(a, size, sizeof(int64_t));
}

/* The scratch of a step, matrices in the band of `like`; with no memory yet, only its size is found. */
static void lay(Step *w, Arena *a, const Band *like)
{
    const size_t n = w->n, m = w->m, g = w->g, s = w->s, N = w->N;
    lay_band(a, &w->real, like);
    w->velocity = DOUBLES(s * n);
    w->penalties = DOUBLES((2 + 2 * w->system.joints) * m * m);
    double *system = DOUBLES(system_scratch(&w->system));
    if (system != NULL) system_arrange(&w->system, system);
    w->start = DOUBLES(N);
    w->slopes0 = DOUBLES(N);
    w->right = DOUBLES(s * N);
    w->slopes = DOUBLES(s * N);
    w->transformed = DOUBLES(s * N);
    w->turned = DOUBLES(s * N);
    w->update = DOUBLES(s * N);
    w->scale = DOUBLES(N);
    w->u = DOUBLES(N);
    w->shift = DOUBLES(s * 2 * g);
    w->moved = DOUBLES(g * N);
    w->distances = DOUBLES(g * n);
    w->fit = DOUBLES(gates_scratch(n, m));
    w->iterates = DOUBLES(DEPTH * s * N);
    w->residuals = DOUBLES(DEPTH * s * N);
    w->columns = DOUBLES(DEPTH * s * N);
    w->last = DOUBLES(2 * s * N);
    w->frame_scratch = DOUBLES(moving_frame_scratch(g));
    w->rates = DOUBLES(2 * w->d);
    w->between.x = DOUBLES(n);
    w->between.slope = DOUBLES(n);
    w->between.bend = DOUBLES(n);
    w->between.motion = DOUBLES(w->d * n);
    w->between.slopes = DOUBLES(w->d + 1);
    w->between.sigma = DOUBLES(n);
    w->vector = DOUBLES(N);
    w->other = DOUBLES(N);
    w->jacobian = DOUBLES(N * band_width(like));
    for (size_t k = 0; k < s / 2; k++) {
        lay_band(a, &w->pair[k], like);
        w->imaginary[k] = DOUBLES(N * band_width(like));
        w->lower_imaginary[k] = DOUBLES(N * like->below + 1);
    }
}

static void right_sides(Step *w)
{
    System *s = &w->system;
    for (size_t k = 0; k < w->s; k++) {
        for (size_t i = 0; i < w->N; i++) w->u[i] = w->values[i] + w->changes[k * w->N + i];
        system_right(s, w->frame.x + k * w->n, w->frame.slope + k * w->n, w->frame.bend + k * w->n,
                     w->t + w->method.nodes[k] * w->step, w->u, w->velocity + k * w->n, w->penalties, 0,
                     w->right + k * w->N, w->slopes + k * w->N);
    }
}

/* All that the iteration begins with; 0 where it cannot. */
static int begun(Step *w)
{
    System *s = &w->system;
    const size_t n = w->n, m = w->m;
    if (w->given != NULL) memcpy(w->penalties, w->given, (2 + 2 * s->joints) * m * m * sizeof(double));
    else system_penalties(s, w->before.x, w->before.slope, w->before.bend, w->t, w->values, w->penalties);
    system_right(s, w->before.x, w->before.slope, w->before.bend, w->t, w->values, NULL, w->penalties, 0, w->start, w->slopes0);
    if (w->g) gates_foreseen(w);
    if (!all_finite(w->stages, w->s * w->d)) return 0;
    gates_placed(w);
    if (!all_finite(w->frame.x, w->s * n) || !all_finite(w->frame.slope, w->s * n)) return 0;
    for (size_t f = 0; f < m; f++)
        for (size_t i = 0; i < n; i++) w->scale[f * n + i] = w->size[f] + fabs(w->values[f * n + i]);
    return newton_linearised(w);
}

/* The changes at the stages from what the iteration has in the eigenvectors. */
static void changed(Step *w) { stages_combined(w, w->method.to_stages, w->transformed, w->changes); }

/* How long Newton's step is, relative to size and values. */
static double length(const Step *w)
{
    double sum = 0.0;
    for (size_t k = 0; k < w->s; k++)
        for (size_t i = 0; i < w->N; i++) {
            const double part = w->update[k * w->N + i] / w->scale[i];
            sum += part * part;
        }
    return sqrt(sum / (double)(w->s * w->N));
}

/* Whether the sites are in order at all stages. */
static int regular(const Step *w)
{
    for (size_t i = 0; i < w->s * w->n; i++)
        if (!(w->frame.slope[i] > 0.0)) return 0;
    for (size_t i = 0; w->g && i < w->s * ((w->coordinate.pinned ? w->d : 0) + 1); i++)
        if (!(w->frame.slopes[i] > 0.0)) return 0;
    return all_finite(w->frame.x, w->s * w->n);
}

/* Whether the equations of the step were solved. */
static int solved(Step *w)
{
    if (!begun(w)) return 0;
    double thinnest = INFINITY;
    for (size_t j = 0; j < w->g; j++) thinnest = SMALLER(thinnest, w->gates[w->g + j]);
    const double noise = ROUNDING + (w->g ? BLURRED * w->step / thinnest : 0.0);
    stages_combined(w, w->method.from_stages, w->changes, w->transformed);
    int following = w->g > 0, converged = 0, fresh = 1, renewed = 0, iteration = 0, best_at = 0;
    double last = INFINITY, best = INFINITY, nearer = INFINITY;
    for (; iteration < ITERATIONS; iteration++) {
        changed(w);
        right_sides(w);
        if (!all_finite(w->right, w->s * w->N)) return 0;
        newton_update(w);
        const double norm = length(w);
        if (!(norm < INFINITY)) return 0;
        const double rate = last < INFINITY ? norm / last : INFINITY;
        if (fresh) {
            best = INFINITY;
            best_at = iteration;
            w->kept = w->next = 0;
            w->begun = 0;
        } else if (iteration > 3 && (norm > 20.0 * best || iteration - best_at > 4)) {
            converged = best < 100.0 * noise;
            if (!converged) return 0;
            break;
        }
        if (norm <= best) {
            best = norm;
            best_at = iteration;
        }
        newton_accelerate(w, iteration >= 2 && !fresh);
        fresh = 0;
        last = norm;
        if (following) {
            changed(w);
            const double off = gates_left(w);
            if (!(off < INFINITY)) return 0;
            const int stuck = iteration >= 3 && off > SLOW * nearer;
            nearer = off;
            if (off > w->drift * (iteration < 3 ? 1.0 : stuck ? STUCK : LATER)) {
                gates_followed(w, SMALLER(1.0, FARTHEST / off));
                fresh = 1;
                last = INFINITY;
                continue;
            }
            following = iteration < 1;
        }
        if (norm <= LARGER(w->settle, noise) || (rate < 0.3 && rate * norm < w->settle)) {
            converged = 1;
            break;
        }
        if (rate > STALE && rate < INFINITY && !renewed) {
            changed(w);
            if (!newton_linearised(w)) return 0;
            fresh = renewed = 1;
            last = INFINITY;
        }
    }
    w->iterations = SMALLER(iteration, ITERATIONS - 1) + 1;
    if (!converged && last > 1e3 * w->settle) return 0;
    changed(w);
    return regular(w);
}

int step_taken(Step *w)
{
    int64_t *profile = malloc(2 * w->N * sizeof(int64_t));
    if (profile == NULL) return -1;
    Band band = {0};
    band.first = profile;
    band.last = profile + w->N;
    system_profile(&w->system, &band);
    Arena arena = {NULL, 0};
    lay(w, &arena, &band);
    char *block = arena.at = malloc(arena.used);
    int taken = -1;
    if (block != NULL) {
        arena.used = 0;
        lay(w, &arena, &band);
        taken = solved(w);
        if (taken) step_errors(w);
    }
    free(block);
    free(profile);
    return taken;
}
