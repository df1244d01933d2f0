/* How gates follow fronts: the twin of solver/moving/tracking.py, for one stage. */

#include "moving.h"

#define WIDE 4.0
#define TIED 1e-3
#define NUISANCE 0.03

size_t gates_scratch(size_t n, size_t m) { return n + (2 + 2 * m) * (3 + 2 * m) + m; }

/* values, slopes (m, n); distances (g, n); change (g, m, n); fixed (2, g); found (2, g). */
void gates_follow(size_t n, size_t m, size_t g, const double *values, const double *slopes, const double *distances,
                  const double *thickness, const double *change, const double *size, const double *gaps,
                  const unsigned char *fixed, double *found, double *scratch)
{
    const size_t k = 2 + 2 * m;
    double *weight = scratch, *matrix = weight + n, *right = matrix + k * k, *total = right + k;
    for (size_t j = 0; j < g; j++) {
        const double *away = distances + j * n, d = thickness[j], reach = 1.0 / (WIDE * d);
        double whole = 0.0, sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            const double z = away[i] * reach, falls = 1.0 / (1.0 + z * z);
            weight[i] = gaps[i] * falls * falls;
            sum += weight[i];
        }
        memset(matrix, 0, (k * k + k) * sizeof(double));
        for (size_t f = 0; f < m; f++) {
            const double unit = 1.0 / (size[f] * size[f]), *u = values + f * n, *p = slopes + f * n;
            const double *r = change + (j * m + f) * n;
            double mean = 0.0;
            total[f] = sum * unit + 1e-300;
            whole += total[f] * size[f] * size[f];
            for (size_t i = 0; i < n; i++) mean += weight[i] * unit * u[i];
            mean /= total[f];
            double a00 = 0, a01 = 0, a11 = 0, a02 = 0, a12 = 0, a22 = 0, a03 = 0, a13 = 0, a23 = 0, b0 = 0, b1 = 0, b2 = 0, b3 = 0;
            for (size_t i = 0; i < n; i++) {
                const double w = weight[i] * unit, shift = p[i] * d, thins = p[i] * away[i], rises = u[i] - mean;
                const double ws = w * shift, wt = w * thins, wr = w * rises;
                a00 += ws * shift;
                a01 += ws * thins;
                a11 += wt * thins;
                a02 += ws * rises;
                a12 += wt * rises;
                a22 += wr * rises;
                a03 += ws;
                a13 += wt;
                a23 += wr;
                b0 += ws * r[i];
                b1 += wt * r[i];
                b2 += wr * r[i];
                b3 += w * r[i];
            }
            const size_t rise = 2 + f, offset = 2 + m + f;
            matrix[0] += a00;
            matrix[1] += a01;
            matrix[k + 1] += a11;
            matrix[rise] = a02;
            matrix[k + rise] = a12;
            matrix[rise * k + rise] = a22;
            matrix[offset] = a03 * size[f];
            matrix[k + offset] = a13 * size[f];
            matrix[rise * k + offset] = a23 * size[f];
            matrix[offset * k + offset] = sum * unit * size[f] * size[f];
            right[0] -= b0;
            right[1] -= b1;
            right[rise] = -b2;
            right[offset] = -b3 * size[f];
        }
        whole /= (double)m;
        for (size_t a = 0; a < k; a++) {
            for (size_t b = 0; b < a; b++) matrix[a * k + b] = matrix[b * k + a];
            matrix[a * k + a] += (a < 2 ? TIED * TIED * whole : NUISANCE * NUISANCE * matrix[a * k + a] + 1e-20 * whole) + 1e-300;
        }
        for (size_t a = 0; a < 2; a++)
            if (fixed[a * g + j]) {
                for (size_t b = 0; b < k; b++) matrix[a * k + b] = matrix[b * k + a] = 0.0;
                matrix[a * k + a] = 1.0;
                right[a] = 0.0;
            }
        const int regular = small_solve(matrix, right, k, 1);
        for (size_t a = 0; a < 2; a++) found[a * g + j] = regular ? right[a] * d : NAN;
    }
}
