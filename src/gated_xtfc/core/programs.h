/* Equations as flat programs: their values and partial derivatives at points, by dual numbers over blocks of points.

   The twin of language/program.py and language/dual.py for sums, products, powers and elementary functions. A value that
   does not vary from point to point is kept once; partial derivatives that vanish are neither kept nor computed. */

#define BLOCK 64
#define MOST_TERMS 64
#define MOST_HELD 64

enum { LOAD_NUMBER, LOAD_PLACE, LOAD_FIELD, ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE, POWER, CALL, OPERATIONS };
enum { SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG, LOG10, SQRT, ABS, SIGN, ERF, LOG_COSH, FUNCTIONS };

typedef struct {
    double value[BLOCK]; /* one number where it is constant */
    uint64_t mask;       /* terms that it depends on */
    int constant; /* then it depends on no term */
    double *partial; /* (terms, BLOCK) */
} Slot;

typedef struct {
    size_t equations, terms, height;
    const int32_t *code; /* operation and argument, of all equations one after the other */
    const int64_t *starts; /* (equations + 1,) in operations */
    const double *numbers;
} Programs;

/* Whether programs can be run: every argument within its range, the stack never empty nor too high, one value left. */
static int sound(const Programs *p, size_t operations, size_t numbers)
{
    if (p->starts[0] != 0 || p->starts[p->equations] != (int64_t)operations) return 0;
    for (size_t e = 0; e < p->equations; e++)
        if (p->starts[e + 1] < p->starts[e]) return 0;
    if (p->terms > MOST_TERMS || p->height < 1 || p->height > MOST_HELD) return 0;
    for (size_t e = 0; e < p->equations; e++) {
        size_t held = 0;
        for (size_t i = (size_t)p->starts[e]; i < (size_t)p->starts[e + 1]; i++) {
            const int32_t operation = p->code[2 * i], argument = p->code[2 * i + 1];
            if (operation < 0 || operation >= OPERATIONS || argument < 0) return 0;
            if (operation == LOAD_NUMBER && (size_t)argument >= numbers) return 0;
            if (operation == LOAD_FIELD && (size_t)argument >= p->terms) return 0;
            if (operation == CALL && argument >= FUNCTIONS) return 0;
            const size_t taken = operation <= LOAD_FIELD ? 0 : operation == NEGATE || operation == CALL ? 1 : 2;
            if (held < taken) return 0;
            held += 1 - taken;
            if (held > p->height) return 0;
        }
        if (held != 1) return 0;
    }
    return 1;
}

static double sign_of(double a) { return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a; }

static void function_of(int32_t which, double a, double *value, double *slope)
{
    double f;
    switch (which) {
    case SIN: *value = sin(a); *slope = cos(a); return;
    case COS: *value = cos(a); *slope = -sin(a); return;
    case TAN: *value = f = tan(a); *slope = 1.0 + f * f; return;
    case ASIN: *value = asin(a); *slope = 1.0 / sqrt((1.0 - a) * (1.0 + a)); return;
    case ACOS: *value = acos(a); *slope = -1.0 / sqrt((1.0 - a) * (1.0 + a)); return;
    case ATAN: *value = atan(a); *slope = 1.0 / (1.0 + a * a); return;
    case SINH: *value = sinh(a); *slope = cosh(a); return;
    case COSH: *value = cosh(a); *slope = sinh(a); return;
    case TANH: *value = f = tanh(a); *slope = (1.0 - f) * (1.0 + f); return;
    case EXP: *value = *slope = exp(a); return;
    case LOG: *value = log(a); *slope = 1.0 / a; return;
    case LOG10: *value = log10(a); *slope = 1.0 / log(10.0) / a; return;
    case SQRT: *value = f = sqrt(a); *slope = 0.5 / f; return;
    case ABS: *value = fabs(a); *slope = sign_of(a); return;
    case SIGN: *value = sign_of(a); *slope = 0.0; return;
    case ERF: *value = erf(a); *slope = 1.1283791670955126 * exp(-a * a); return;
    default: f = fabs(a); *value = f + log1p(exp(-2.0 * f)) - 0.6931471805599453; *slope = tanh(a); return;
    }
}

/* Partial derivatives times a slope. */
static void chain_rule(Slot *a, const double *slope, size_t terms, size_t count)
{
    for (size_t t = 0; t < terms; t++)
        if (a->mask >> t & 1) {
            double *p = a->partial + t * BLOCK;
            for (size_t i = 0; i < count; i++) p[i] *= slope[i];
        }
}

/* a and b of an operation with two operands, with the slope of its value in each: what is found replaces a. */
static void combine(Slot *a, const Slot *b, const double *value, const double *in_a, const double *in_b, size_t terms,
                    size_t count)
{
    for (size_t t = 0; t < terms; t++) {
        const int first = (int)(a->mask >> t & 1), second = (int)(b->mask >> t & 1);
        double *p = a->partial + t * BLOCK;
        const double *q = b->partial + t * BLOCK;
        if (first && second)
            for (size_t i = 0; i < count; i++) p[i] = p[i] * in_a[i] + q[i] * in_b[i];
        else if (first)
            for (size_t i = 0; i < count; i++) p[i] *= in_a[i];
        else if (second)
            for (size_t i = 0; i < count; i++) p[i] = q[i] * in_b[i];
    }
    a->mask |= b->mask;
    a->constant = a->constant && b->constant;
    memcpy(a->value, value, (a->constant ? 1 : count) * sizeof(double));
}

static void spread(Slot *a, size_t count)
{
    if (a->constant)
        for (size_t i = 1; i < count; i++) a->value[i] = a->value[0];
}

static void to_the_power(Slot *a, Slot *b, size_t terms, size_t count)
{
    double value[BLOCK], in_a[BLOCK], in_b[BLOCK];
    if (b->constant && a->mask && b->value[0] == 0.0) {
        a->value[0] = 1.0; /* as pow() has it, also of zero */
        a->constant = 1;
        a->mask = 0;
        return;
    }
    if (b->constant && a->mask && b->value[0] == 1.0) return;
    spread(a, count);
    spread(b, count);
    for (size_t i = 0; i < count; i++) {
        const double base = a->value[i], exponent = b->value[i];
        if (exponent == 2.0) {
            value[i] = base * base;
            in_a[i] = 2.0 * base;
        } else {
            value[i] = pow(base, exponent);
            in_a[i] = exponent == 0.0 || !a->mask ? 0.0 : exponent * pow(base, exponent - 1.0);
        }
        in_b[i] = !b->mask || value[i] == 0.0 ? 0.0 : value[i] * log(base);
    }
    combine(a, b, value, in_a, in_b, terms, count);
}

static void operate(int32_t operation, int32_t argument, Slot *a, Slot *b, size_t terms, size_t count)
{
    double value[BLOCK], in_a[BLOCK], in_b[BLOCK];
    const size_t own = a->constant ? 1 : count;
    if (operation == NEGATE) {
        for (size_t i = 0; i < own; i++) {
            a->value[i] = -a->value[i];
            in_a[i] = -1.0;
        }
        chain_rule(a, in_a, terms, count);
        return;
    }
    if (operation == CALL) {
        for (size_t i = 0; i < own; i++) {
            function_of(argument, a->value[i], &value[i], &in_a[i]);
            a->value[i] = value[i];
        }
        chain_rule(a, in_a, terms, count);
        return;
    }
    if (operation == POWER) {
        to_the_power(a, b, terms, count);
        return;
    }
    if (a->constant && b->constant) count = 1;
    spread(a, count);
    spread(b, count);
    for (size_t i = 0; i < count; i++) {
        const double x = a->value[i], y = b->value[i];
        switch (operation) {
        case ADD: value[i] = x + y; in_a[i] = 1.0; in_b[i] = 1.0; break;
        case SUBTRACT: value[i] = x - y; in_a[i] = 1.0; in_b[i] = -1.0; break;
        case MULTIPLY: value[i] = x * y; in_a[i] = y; in_b[i] = x; break;
        default: value[i] = x / y; in_a[i] = 1.0 / y; in_b[i] = -value[i] / y; break;
        }
    }
    combine(a, b, value, in_a, in_b, terms, count);
}

/* Coefficients and sources of the linearised equations at n points, (equations, terms + 1, n): a = dF/d(term), and
   sum a v - F with v the terms of the iterate, (terms, n). Returns whether all are finite. */
static int linearise(const Programs *p, size_t n, const double *x, const double *iterate, Slot *stack, double *values)
{
    const size_t T = p->terms;
    double poison = 0.0;
    for (size_t first = 0; first < n; first += BLOCK) {
        const size_t count = n - first < BLOCK ? n - first : BLOCK;
        for (size_t e = 0; e < p->equations; e++) {
            size_t held = 0;
            for (size_t i = (size_t)p->starts[e]; i < (size_t)p->starts[e + 1]; i++) {
                const int32_t operation = p->code[2 * i], argument = p->code[2 * i + 1];
                Slot *top = stack + held;
                if (operation > LOAD_FIELD) {
                    const size_t taken = operation == NEGATE || operation == CALL ? 1 : 2;
                    operate(operation, argument, top - taken, top - 1, T, count);
                    held -= taken - 1;
                    continue;
                }
                top->mask = 0;
                top->constant = operation == LOAD_NUMBER;
                if (operation == LOAD_NUMBER) top->value[0] = p->numbers[argument];
                else if (operation == LOAD_PLACE) memcpy(top->value, x + first, count * sizeof(double));
                else {
                    double *own = top->partial + (size_t)argument * BLOCK;
                    memcpy(top->value, iterate + (size_t)argument * n + first, count * sizeof(double));
                    for (size_t j = 0; j < count; j++) own[j] = 1.0;
                    top->mask = (uint64_t)1 << argument;
                }
                held++;
            }
            spread(stack, count);
            double *source = values + (e * (T + 1) + T) * n + first;
            for (size_t j = 0; j < count; j++) source[j] = -stack->value[j];
            for (size_t t = 0; t < T; t++) {
                double *a = values + (e * (T + 1) + t) * n + first;
                const double *v = iterate + t * n + first, *own = stack->partial + t * BLOCK;
                if (!(stack->mask >> t & 1)) {
                    memset(a, 0, count * sizeof(double));
                    continue;
                }
                for (size_t j = 0; j < count; j++) {
                    a[j] = own[j];
                    source[j] += own[j] * v[j];
                    poison += 0.0 * own[j];
                }
            }
            for (size_t j = 0; j < count; j++) poison += 0.0 * source[j];
        }
    }
    return poison == 0.0;
}

/* A stack for programs; NULL where there is no memory. Slots and their partial derivatives are one piece. */
static Slot *stack_for(const Programs *p)
{
    const size_t slots = p->height * sizeof(Slot), each = p->terms * BLOCK * sizeof(double);
    Slot *stack = malloc(slots + p->height * each);
    if (stack == NULL) return NULL;
    for (size_t i = 0; i < p->height; i++) stack[i].partial = (double *)((char *)stack + slots + i * each);
    return stack;
}
