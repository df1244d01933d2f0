/* The elements of one member, eight side by side: the local systems of a group go through the functions of eight members.

   The same operations in the same order as for each alone. */

#define FEWEST 3 /* elements for which that is quicker than one after the other */

/* From (WIDE, size), one element after the other, to (size, WIDE), and back; elements that are missing are the last one. */
static void side_by_side(const double *from, size_t size, size_t count, double *to)
{
    for (size_t l = 0; l < WIDE; l++) {
        const double *own = from + (l < count ? l : count - 1) * size;
        for (size_t i = 0; i < size; i++) to[i * WIDE + l] = own[i];
    }
}

static void one_by_one(const double *from, size_t size, size_t count, double *to)
{
    for (size_t l = 0; l < count; l++)
        for (size_t i = 0; i < size; i++) to[l * size + i] = from[i * WIDE + l];
}

/* Rows at the sites, and bubbles eliminated in every element. */
WIDEST static void condense_groups(Work_one *w, const Shape *s, int certify)
{
    Work_wide *group = &w->group;
    const size_t K = s->elements, R = s->rows, nb = s->bubbles, C = s->columns, F = s->fields, R2 = R - nb;
    Shape single = *s;
    single.elements = 1;
    for (size_t k = 0; k < K; k += WIDE) {
        const size_t count = K - k < WIDE ? K - k : WIDE, equations = s->points * F * s->terms, ratios = 2 * s->state;
        side_by_side(w->scaled + k * equations, equations, count, group->scaled);
        side_by_side(w->ratios + k * ratios, ratios, count, group->ratios);
        assemble_wide(group, &single);
        factorise_wide(group, &single, certify);
        one_by_one(group->factor, C * R, count, w->factor + k * C * R);
        one_by_one(group->diagonal, nb, count, w->diagonal + k * nb);
        one_by_one(group->beta, nb, count, w->beta + k * nb);
        if (!certify) continue;
        one_by_one(group->matrix, C * R, count, w->matrix + k * C * R);
        one_by_one(group->outer, R2 * R, count, w->outer + k * R2 * R);
        one_by_one(group->own, F * nb, count, w->own + k * F * nb);
        one_by_one(group->inside, F * R, count, w->inside + k * F * R);
    }
}
