/* Equations evaluated with their derivatives: a stack of dual numbers over blocks of points.

   The twin of language/program.py and language/dual.py. A dual number is sparse in its seeds, and what is the same at
   all points is held once. Numbers that are not finite pass through. */

#include "arguments.h"

#define BLOCK 64 /* points at once: the stack stays close to the processor */
#define LEAP 3.0 /* as gates/along_solution.py has it */
/* A switch may reach zero beside a point where it is smallest, but for this part of its change there, or of what it was before. */
#define STEEP 0.5
#define GRAZING 1e-3
#define NEAR 30.0 /* as gates/text.py has it */

enum { NUMBER, PARAMETER, COORDINATE, SEED, ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE, POWER, CALL, MINIMUM, MAXIMUM, COMPARE, WHERE };
enum { SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG, LOG10, SQRT, ABS, SIGN, ERF, LOG_COSH, FUNCTIONS };

/* One value with its partial derivatives: those with a bit in `mask` are there, those with a bit in `flat` are one number. */
typedef struct {
    uint64_t mask, flat;
    int uniform;    /* whether the value is one number */
    double *value;  /* (BLOCK,), then the partial derivatives, (BLOCK,) each */
} Dual;

#define PART(dual, k) ((dual)->value + ((k) + 1) * BLOCK)
#define IS_FLAT(dual, k) ((int)((dual)->flat >> (k) & 1u))

/* out = a op b, where either may be one number; `out` may be a or b. Returns whether the outcome is one number. */
#define BINARY(NAME, EXPRESSION)                                                                                       \
    static int NAME(double *out, const double *a, int flat_a, const double *b, int flat_b, size_t n)                   \
    {                                                                                                                  \
        if (flat_a && flat_b) {                                                                                        \
            const double p = a[0], q = b[0];                                                                           \
            out[0] = EXPRESSION;                                                                                       \
            return 1;                                                                                                  \
        }                                                                                                              \
        const double first = a[0], second = b[0];                                                                      \
        if (flat_a)                                                                                                    \
            for (size_t i = 0; i < n; i++) {                                                                           \
                const double p = first, q = b[i];                                                                      \
                out[i] = EXPRESSION;                                                                                   \
            }                                                                                                          \
        else if (flat_b)                                                                                               \
            for (size_t i = 0; i < n; i++) {                                                                           \
                const double p = a[i], q = second;                                                                     \
                out[i] = EXPRESSION;                                                                                   \
            }                                                                                                          \
        else                                                                                                           \
            for (size_t i = 0; i < n; i++) {                                                                           \
                const double p = a[i], q = b[i];                                                                       \
                out[i] = EXPRESSION;                                                                                   \
            }                                                                                                          \
        return 0;                                                                                                      \
    }

BINARY(add, p + q)
BINARY(subtract, p - q)
BINARY(multiply, p * q)
BINARY(divide, p / q)
BINARY(power, pow(p, q))
BINARY(smaller, p != p ? p : q != q ? q : p < q ? p : q)
BINARY(larger, p != p ? p : q != q ? q : p > q ? p : q)
BINARY(is_less, (double)(p < q))
BINARY(is_at_most, (double)(p <= q))
BINARY(is_more, (double)(p > q))
BINARY(is_at_least, (double)(p >= q))
BINARY(base_slope, q == 0.0 ? 0.0 : q * pow(p, q - 1.0))          /* of p^q in p */
BINARY(exponent_slope, q == 0.0 ? 0.0 : q * log(p))               /* of q = p^b in b */
BINARY(quotient_slope, -p / q)                                    /* of a/b = p in b = q */

/* The number of the lowest bit. */
static size_t lowest(uint64_t bits)
{
#if defined(__GNUC__)
    return (size_t)__builtin_ctzll(bits);
#else
    size_t found = 0;
    while (!(bits >> found & 1u)) found++;
    return found;
#endif
}

static void set_flat(Dual *dual, size_t k, int flat)
{
    dual->mask |= (uint64_t)1 << k;
    dual->flat = (dual->flat & ~((uint64_t)1 << k)) | (uint64_t)flat << k;
}

static void add_in(Dual *a, const Dual *b, size_t n, int minus)
{
    for (uint64_t rest = b->mask; rest; rest &= rest - 1) {
        const size_t k = lowest(rest);
        double *own = PART(a, k);
        const double *other = PART(b, k);
        if (a->mask >> k & 1u)
            set_flat(a, k, (minus ? subtract : add)(own, own, IS_FLAT(a, k), other, IS_FLAT(b, k), n));
        else {
            const int flat = IS_FLAT(b, k);
            for (size_t i = 0; i < (flat ? 1 : n); i++) own[i] = minus ? -other[i] : other[i];
            set_flat(a, k, flat);
        }
    }
    a->uniform = (minus ? subtract : add)(a->value, a->value, a->uniform, b->value, b->uniform, n);
}

/* All partial derivatives of a times a factor. */
static void scale(Dual *a, const double *factor, int flat, size_t n)
{
    for (uint64_t rest = a->mask; rest; rest &= rest - 1) {
        const size_t k = lowest(rest);
        set_flat(a, k, multiply(PART(a, k), PART(a, k), IS_FLAT(a, k), factor, flat, n));
    }
}

/* a's partial derivatives plus those of b times a factor. */
static void add_scaled(Dual *a, const Dual *b, const double *factor, int flat, size_t n, double *scratch)
{
    for (uint64_t rest = b->mask; rest; rest &= rest - 1) {
        const size_t k = lowest(rest);
        double *own = PART(a, k);
        if (a->mask >> k & 1u) {
            const int part = multiply(scratch, PART(b, k), IS_FLAT(b, k), factor, flat, n);
            set_flat(a, k, add(own, own, IS_FLAT(a, k), scratch, part, n));
        } else
            set_flat(a, k, multiply(own, PART(b, k), IS_FLAT(b, k), factor, flat, n));
    }
}

static double function(int32_t name, double a)
{
    const double size = fabs(a);
    switch (name) {
    case SIN: return sin(a);
    case COS: return cos(a);
    case TAN: return tan(a);
    case ASIN: return asin(a);
    case ACOS: return acos(a);
    case ATAN: return atan(a);
    case SINH: return sinh(a);
    case COSH: return cosh(a);
    case TANH: return tanh(a);
    case EXP: return exp(a);
    case LOG: return log(a);
    case LOG10: return log10(a);
    case SQRT: return sqrt(a);
    case ABS: return size;
    case SIGN: return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a == 0.0 ? 0.0 : a;
    case ERF: return erf(a);
    default: return size + log1p(exp(-2.0 * size)) - 0.69314718055994530942; /* of cosh where that alone would overflow */
    }
}

static double derivative(int32_t name, double a, double f)
{
    switch (name) {
    case SIN: return cos(a);
    case COS: return -sin(a);
    case TAN: return 1.0 + f * f;
    case ASIN: return 1.0 / sqrt((1.0 - a) * (1.0 + a));
    case ACOS: return -1.0 / sqrt((1.0 - a) * (1.0 + a));
    case ATAN: return 1.0 / (1.0 + a * a);
    case SINH: return cosh(a);
    case COSH: return sinh(a);
    case TANH: return (1.0 - f) * (1.0 + f);
    case EXP: return f;
    case LOG: return 1.0 / a;
    case LOG10: return 0.43429448190325182765 / a;
    case SQRT: return 0.5 / f;
    case ABS: return function(SIGN, a);
    case SIGN: return 0.0;
    case ERF: return 1.12837916709551257390 * exp(-a * a);
    default: return tanh(a);
    }
}

static void apply(Dual *a, int32_t name, size_t n, double *scratch)
{
    const size_t count = a->uniform ? 1 : n;
    for (size_t i = 0; i < count; i++) {
        const double at = a->value[i], f = function(name, at);
        if (a->mask) scratch[i] = derivative(name, at, f);
        a->value[i] = f;
    }
    scale(a, scratch, a->uniform, n);
}

static void exponentiate(Dual *a, const Dual *b, size_t n, double *scratch, double *other)
{
    if (!b->mask && b->uniform && (a->mask || b->value[0] == 2.0)) { /* powers that need no logarithm, whatever the base */
        if (b->value[0] == 0.0) {
            a->mask = a->flat = 0;
            a->value[0] = 1.0;
            a->uniform = 1;
            return;
        }
        if (b->value[0] == 1.0) return;
        if (b->value[0] == 2.0) {
            const int flat = add(scratch, a->value, a->uniform, a->value, a->uniform, n);
            scale(a, scratch, flat, n);
            multiply(a->value, a->value, a->uniform, a->value, a->uniform, n);
            return;
        }
    }
    if (a->mask) {
        const int flat = base_slope(scratch, a->value, a->uniform, b->value, b->uniform, n);
        scale(a, scratch, flat, n);
    }
    const int flat = power(scratch, a->value, a->uniform, b->value, b->uniform, n);
    if (b->mask) {
        const int slope = exponent_slope(a->value, a->value, a->uniform, scratch, flat, n);
        add_scaled(a, b, a->value, slope, n, other);
    }
    memcpy(a->value, scratch, (flat ? 1 : n) * sizeof(double));
    a->uniform = flat;
}

static void copy(Dual *to, const Dual *from, size_t n)
{
    *to = (Dual){from->mask, from->flat, from->uniform, to->value};
    memcpy(to->value, from->value, (from->uniform ? 1 : n) * sizeof(double));
    for (uint64_t rest = from->mask; rest; rest &= rest - 1) {
        const size_t k = lowest(rest);
        memcpy(PART(to, k), PART(from, k), (IS_FLAT(from, k) ? 1 : n) * sizeof(double));
    }
}

/* a where the condition holds, otherwise b, into a; the branch not taken leaves no trace. */
static void choose(const double *condition, int uniform, Dual *a, const Dual *b, size_t n)
{
    if (uniform) {
        if (condition[0] == 0.0) copy(a, b, n);
        return;
    }
    for (uint64_t rest = a->mask | b->mask; rest; rest &= rest - 1) {
        const size_t k = lowest(rest);
        double *own = PART(a, k);
        const double *other = PART(b, k), first = own[0];
        const int mine = (int)(a->mask >> k & 1u), theirs = (int)(b->mask >> k & 1u), flat = IS_FLAT(a, k);
        for (size_t i = 0; i < n; i++)
            own[i] = condition[i] != 0.0 ? (mine ? (flat ? first : own[i]) : 0.0)
                                         : (theirs ? other[IS_FLAT(b, k) ? 0 : i] : 0.0);
        set_flat(a, k, 0);
    }
    const double first = a->value[0];
    for (size_t i = 0; i < n; i++)
        a->value[i] = condition[i] != 0.0 ? (a->uniform ? first : a->value[i]) : b->value[b->uniform ? 0 : i];
    a->uniform = 0;
}

static void extreme(Dual *a, const Dual *b, int least, size_t n, double *scratch, double *other)
{
    const int flat = (least ? is_at_most : is_at_least)(scratch, a->value, a->uniform, b->value, b->uniform, n);
    const int uniform = (least ? smaller : larger)(other, a->value, a->uniform, b->value, b->uniform, n);
    choose(scratch, flat, a, b, n);
    memcpy(a->value, other, (uniform ? 1 : n) * sizeof(double)); /* what is no number wins */
    a->uniform = uniform;
}

int program_fits(Program *program)
{
    size_t height = 0;
    program->depth = 0;
    program->constant = 1;
    if (program->terms + program->constants > MOST_SEEDS || (uintptr_t)program->codes % sizeof(int32_t)) return 0;
    for (size_t at = 0; at < program->length; at++) {
        const int32_t code = program->codes[2 * at], argument = program->codes[2 * at + 1];
        size_t taken = 0, most = SIZE_MAX;
        if (argument < 0) return 0;
        switch (code) {
        case NUMBER: most = program->number_count; break;
        case PARAMETER: most = program->parameter_count; break;
        case COORDINATE: program->constant = 0; break;
        case SEED: most = program->terms + program->constants; break;
        case NEGATE: taken = 1; break;
        case CALL: taken = 1; most = FUNCTIONS; break;
        case ADD: case SUBTRACT: case MULTIPLY: case DIVIDE: case POWER: taken = 2; break;
        case COMPARE: taken = 2; most = 4; break;
        case MINIMUM: case MAXIMUM:
            if (argument < 1) return 0;
            taken = (size_t)argument;
            break;
        case WHERE: taken = 3; break;
        default: return 0;
        }
        if (taken > height || (size_t)argument >= most) return 0;
        height += 1 - taken;
        if (height > program->depth) program->depth = height;
    }
    return height == 1;
}

/* Whether a - b does from one point to the next what kernels do not see: it passes zero, or turns back so near to zero that it may
   pass it twice, where that is a switch, and otherwise leaps past zero or close to it. */
static int leaps(const Dual *a, const Dual *b, int is_switch, size_t n)
{
    if (a->uniform && (b == NULL || b->uniform)) return 0;
    double before = 0.0, largest = 0.0, sank = 0.0; /* by how much it came nearer to zero up to the point before */
    for (size_t i = 0; i < n; i++) {
        const double here = a->value[a->uniform ? 0 : i] - (b == NULL ? 0.0 : b->value[b->uniform ? 0 : i]);
        const int passed = (here < 0.0 && before > 0.0) || (here > 0.0 && before < 0.0);
        const int close = fabs(here) < NEAR || fabs(before) < NEAR;
        const double rise = fabs(here) - fabs(before);
        largest = fmax(largest, fabs(here));
        if (i > 0 && (is_switch ? passed : fabs(here - before) > LEAP && (passed || close))) return 1;
        if (is_switch && i > 0 && rise > 0.0 && sank >= 0.0 && before != 0.0) /* the point before is a lowest one */
            if (fabs(before) < fmax(STEEP * fmax(rise, sank), GRAZING * largest)) return 1;
        if (is_switch && i > 0 && i + 1 == n && rise <= 0.0 && here != 0.0) /* the last one is */
            if (fabs(here) < fmax(-STEEP * rise, GRAZING * largest)) return 1;
        sank = i > 0 ? -rise : 0.0;
        before = here;
    }
    return 0;
}

/* Whether an argument of the instruction that comes next does so; `height` values are on the stack. */
static int argument_leaps(int32_t code, int32_t argument, const Dual *stack, size_t height, size_t n)
{
    const Dual *top = stack + (height > 0 ? height - 1 : 0), *under = stack + (height > 1 ? height - 2 : 0);
    int found = 0;
    switch (code) {
    case CALL:
        return argument != SIN && argument != COS && argument != TAN && leaps(top, NULL, argument == ABS || argument == SIGN, n);
    case DIVIDE: return leaps(top, NULL, 0, n);
    case POWER: return leaps(top, NULL, 0, n) || leaps(under, NULL, 0, n);
    case COMPARE: return leaps(under, top, 1, n);
    case MINIMUM: case MAXIMUM:
        for (size_t i = 1; i < (size_t)argument; i++) found |= leaps(top - argument + 1, top - argument + 1 + i, 1, n);
        return found;
    default: return 0;
    }
}

/* Runs the instructions at n <= BLOCK points; the outcome is the first value of the stack. Seeds without a bit in `live` are
   values and no more. `leap`, where there is one, becomes 1 where an argument leaps. */
static void run(const Program *program, Dual *stack, const double *x, size_t n, const double *jets, size_t stride,
                const double *values, uint64_t live, double *scratch, double *other, int *leap)
{
    size_t height = 0;
    for (size_t at = 0; at < program->length; at++) {
        const int32_t code = program->codes[2 * at], argument = program->codes[2 * at + 1];
        Dual *top = stack + (height > 0 ? height - 1 : 0), *under = stack + (height > 1 ? height - 2 : 0);
        if (leap != NULL && argument_leaps(code, argument, stack, height, n)) *leap = 1;
        if (code <= SEED) {
            Dual *fresh = stack + height++;
            fresh->mask = fresh->flat = 0;
            fresh->uniform = 1;
            if (code == NUMBER) fresh->value[0] = program->numbers[argument];
            else if (code == PARAMETER) fresh->value[0] = program->parameters[argument];
            else if (code == COORDINATE) {
                memcpy(fresh->value, x, n * sizeof(double));
                fresh->uniform = 0;
            } else {
                const size_t seed = (size_t)argument;
                if (live >> seed & 1u) {
                    PART(fresh, seed)[0] = 1.0;
                    set_flat(fresh, seed, 1);
                }
                if (seed >= program->terms) fresh->value[0] = values[seed - program->terms];
                else if (jets == NULL) fresh->value[0] = 0.0;
                else {
                    memcpy(fresh->value, jets + seed * stride, n * sizeof(double));
                    fresh->uniform = 0;
                }
            }
        } else if (code == NEGATE) {
            for (size_t i = 0; i < (top->uniform ? 1 : n); i++) top->value[i] = -top->value[i];
            scratch[0] = -1.0;
            scale(top, scratch, 1, n);
        } else if (code == CALL) {
            apply(top, argument, n, scratch);
        } else if (code == MINIMUM || code == MAXIMUM) {
            Dual *first = stack + height - (size_t)argument;
            for (Dual *next = first + 1; next <= top; next++) extreme(first, next, code == MINIMUM, n, scratch, other);
            height -= (size_t)argument - 1;
        } else if (code == WHERE) {
            const Dual *condition = under - 1;
            choose(condition->value, condition->uniform, under, top, n);
            const Dual chosen = *under;
            *under = *(under - 1);
            *(under - 1) = chosen;
            height -= 2;
        } else {
            switch (code) {
            case ADD: add_in(under, top, n, 0); break;
            case SUBTRACT: add_in(under, top, n, 1); break;
            case MULTIPLY:
                scale(under, top->value, top->uniform, n);
                add_scaled(under, top, under->value, under->uniform, n, scratch);
                under->uniform = multiply(under->value, under->value, under->uniform, top->value, top->uniform, n);
                break;
            case DIVIDE: {
                for (uint64_t rest = under->mask; rest; rest &= rest - 1) {
                    const size_t k = lowest(rest);
                    set_flat(under, k, divide(PART(under, k), PART(under, k), IS_FLAT(under, k), top->value, top->uniform, n));
                }
                under->uniform = divide(under->value, under->value, under->uniform, top->value, top->uniform, n);
                if (top->mask) {
                    const int flat = quotient_slope(other, under->value, under->uniform, top->value, top->uniform, n);
                    add_scaled(under, top, other, flat, n, scratch);
                }
                break;
            }
            case POWER: exponentiate(under, top, n, scratch, other); break;
            default: { /* a comparison */
                int (*const holds[])(double *, const double *, int, const double *, int, size_t) = {
                    is_less, is_at_most, is_more, is_at_least};
                under->uniform = holds[argument](under->value, under->value, under->uniform, top->value, top->uniform, n);
                under->mask = under->flat = 0;
            }
            }
            height--;
        }
    }
}

int program_linearise(const Program *program, const double *x, size_t n, const double *jets, const double *values,
                      double *out, size_t stride)
{
    const size_t seeds = program->terms + program->constants, terms = program->terms;
    double *memory = malloc((program->depth * (seeds + 1) + 2) * BLOCK * sizeof(double) + program->depth * sizeof(Dual));
    if (memory == NULL) return -1;
    double *scratch = memory, *other = memory + BLOCK, *rest = memory + 2 * BLOCK, poison = 0.0;
    Dual *stack = (Dual *)(rest + program->depth * (seeds + 1) * BLOCK);
    for (size_t i = 0; i < program->depth; i++) stack[i].value = rest + i * (seeds + 1) * BLOCK;
    const int everywhere = program->constant && jets == NULL; /* what does not vary is found once */
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        const size_t count = n - begin < BLOCK ? n - begin : BLOCK;
        if (!everywhere || begin == 0)
            run(program, stack, x + begin, count, jets == NULL ? NULL : jets + begin, n, values, ~(uint64_t)0, scratch, other, NULL);
        double *source = out + terms * stride + begin;
        for (size_t i = 0; i < count; i++) source[i] = 0.0 - stack->value[stack->uniform ? 0 : i];
        for (size_t k = 0; k < seeds; k++) {
            double *to = out + (k < terms ? k : k + 1) * stride + begin;
            const double *part = PART(stack, k);
            const int there = (int)(stack->mask >> k & 1u), flat = IS_FLAT(stack, k);
            for (size_t i = 0; i < count; i++) to[i] = there ? part[flat ? 0 : i] : 0.0;
            if (k >= terms)
                for (size_t i = 0; i < count; i++) source[i] += to[i] * values[k - terms];
            else if (jets != NULL)
                for (size_t i = 0; i < count; i++) source[i] += to[i] * jets[k * n + begin + i];
            for (size_t i = 0; i < count; i++) poison += 0.0 * to[i];
        }
        for (size_t i = 0; i < count; i++) poison += 0.0 * source[i];
    }
    free(memory);
    return poison == 0.0;
}

size_t program_scratch(const Program *program)
{
    const size_t seeds = program->terms + program->constants;
    return (program->depth * (seeds + 1) + 2) * BLOCK + program->depth * (sizeof(Dual) / sizeof(double) + 1);
}

void program_evaluate(const Program *program, const double *x, size_t n, const double *jets, uint64_t live, double *value,
                      double *partials, double *scratch)
{
    const size_t seeds = program->terms + program->constants;
    double *rest = scratch + 2 * BLOCK;
    Dual *stack = (Dual *)(rest + program->depth * (seeds + 1) * BLOCK);
    for (size_t i = 0; i < program->depth; i++) stack[i].value = rest + i * (seeds + 1) * BLOCK;
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        const size_t count = n - begin < BLOCK ? n - begin : BLOCK;
        run(program, stack, x + begin, count, jets + begin, n, NULL, live, scratch, scratch + BLOCK, NULL);
        for (size_t i = 0; i < count; i++) value[begin + i] = stack->value[stack->uniform ? 0 : i];
        for (uint64_t rest_of = partials == NULL ? 0 : live; rest_of; rest_of &= rest_of - 1) {
            const size_t k = lowest(rest_of);
            const double *part = PART(stack, k);
            const int there = (int)(stack->mask >> k & 1u), flat = IS_FLAT(stack, k);
            for (size_t i = 0; i < count; i++) partials[k * n + begin + i] = there ? part[flat ? 0 : i] : 0.0;
        }
    }
}

int program_leaps(const Program *program, const double *x, size_t n, const double *jets)
{
    double *memory = malloc(program_scratch(program) * sizeof(double));
    if (memory == NULL) return -1;
    double *rest = memory + 2 * BLOCK;
    const size_t seeds = program->terms + program->constants;
    Dual *stack = (Dual *)(rest + program->depth * (seeds + 1) * BLOCK);
    for (size_t i = 0; i < program->depth; i++) stack[i].value = rest + i * (seeds + 1) * BLOCK;
    int found = 0;
    for (size_t begin = 0; begin + 1 < n && !found; begin += BLOCK - 1) { /* the last point of a block is the first of the next */
        const size_t count = n - begin < BLOCK ? n - begin : BLOCK;
        run(program, stack, x + begin, count, jets + begin, n, NULL, 0, memory, memory + BLOCK, &found);
    }
    free(memory);
    return found;
}

/* linearise(codes, numbers, parameters, terms, x, jets or None, constants, out) -> whether all is finite */
PyObject *linearise(PyObject *self, PyObject *args)
{
    (void)self;
    Py_buffer b[7];
    Py_ssize_t terms;
    if (!PyArg_ParseTuple(args, "y*y*y*ny*z*y*w*", &b[0], &b[1], &b[2], &terms, &b[3], &b[4], &b[5], &b[6])) return NULL;
    const size_t n = doubles(&b[3]);
    Program program;
    int finite = 0;
    const int fits = terms >= 0 && terms <= MOST_SEEDS && program_from(&program, b, (size_t)terms, doubles(&b[5])) &&
                     sized(&b[3], n) && sized(&b[5], program.constants) &&
                     (b[4].buf == NULL || sized(&b[4], program.terms * n)) &&
                     sized(&b[6], (program.terms + 1 + program.constants) * n);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        finite = program_linearise(&program, b[3].buf, n, b[4].buf, b[5].buf, b[6].buf, n);
        Py_END_ALLOW_THREADS
    }
    let_go(b, ROOM(b));
    return outcome(finite, fits);
}
