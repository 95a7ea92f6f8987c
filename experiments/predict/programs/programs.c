/* The programs of the experiment, which no model was fitted to: naive matrix product of doubles and of ints,
 * LU decomposition, FFT, sorting, hash join, stencil, sparse matrix-vector product, text processing,
 * compression, copying a file.
 *
 *     programs NAME SIZE
 *
 * prints a check sum of the result and the CPU seconds of the process.  Inputs are made from SIZE, the same
 * everywhere. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t seed = UINT64_C(88172645463325252);

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static double next_real(void)
{
    return (double)(next() >> 11) / 9007199254740992.0;
}

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory) {
        fprintf(stderr, "no memory for %zu elements\n", count);
        exit(4);
    }
    return memory;
}

static double product_double(long n)
{
    double *a = room((size_t)(n * n), sizeof *a), *b = room((size_t)(n * n), sizeof *b),
           *c = room((size_t)(n * n), sizeof *c);

    for (long i = 0; i < n * n; i++)
        a[i] = next_real(), b[i] = next_real();
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0;
            for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    return c[n * n / 2];
}

static double product_int(long n)
{
    int *a = room((size_t)(n * n), sizeof *a), *b = room((size_t)(n * n), sizeof *b),
        *c = room((size_t)(n * n), sizeof *c);

    for (long i = 0; i < n * n; i++)
        a[i] = (int)(next() % 1000), b[i] = (int)(next() % 1000);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            int sum = 0;
            for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    return c[n * n / 2];
}

/* Without pivoting; the diagonal is heavy. */
static double lu(long n)
{
    double *a = room((size_t)(n * n), sizeof *a);

    for (long i = 0; i < n * n; i++)
        a[i] = next_real();
    for (long i = 0; i < n; i++)
        a[i * n + i] += (double)n;
    for (long k = 0; k < n; k++)
        for (long i = k + 1; i < n; i++) {
            double factor = a[i * n + k] /= a[k * n + k];
            for (long j = k + 1; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
    return a[n * n - 1];
}

/* Radix 2, in place, four times there and back; n is rounded up to a power of two. */
static void transform(double *re, double *im, long n, double sign)
{
    for (long i = 1, j = 0; i < n; i++) {
        long bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double t = re[i];
            re[i] = re[j], re[j] = t;
            t = im[i], im[i] = im[j], im[j] = t;
        }
    }
    for (long length = 2; length <= n; length <<= 1) {
        double angle = sign * 6.283185307179586 / (double)length, wr = cos(angle), wi = sin(angle);
        for (long i = 0; i < n; i += length) {
            double ur = 1, ui = 0;
            for (long k = i; k < i + length / 2; k++) {
                long m = k + length / 2;
                double vr = re[m] * ur - im[m] * ui, vi = re[m] * ui + im[m] * ur, t = ur * wr - ui * wi;
                re[m] = re[k] - vr, im[m] = im[k] - vi;
                re[k] += vr, im[k] += vi;
                ui = ur * wi + ui * wr;
                ur = t;
            }
        }
    }
}

static double fft(long size)
{
    long n = 1;
    double *re, *im;

    while (n < size)
        n <<= 1;
    re = room((size_t)n, sizeof *re), im = room((size_t)n, sizeof *im);
    for (long i = 0; i < n; i++)
        re[i] = next_real();
    for (int turn = 0; turn < 4; turn++) {
        transform(re, im, n, 1);
        transform(re, im, n, -1);
        for (long i = 0; i < n; i++)
            re[i] /= (double)n, im[i] /= (double)n;
    }
    return re[n / 3];
}

static void quick(int64_t *a, long low, long high)
{
    while (low < high) {
        int64_t pivot = a[(low + high) / 2];
        long i = low, j = high;
        while (i <= j) {
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i <= j) {
                int64_t t = a[i];
                a[i++] = a[j], a[j--] = t;
            }
        }
        if (j - low < high - i) {
            quick(a, low, j);
            low = i;
        } else {
            quick(a, i, high);
            high = j;
        }
    }
}

static double sort(long n)
{
    int64_t *a = room((size_t)n, sizeof *a);

    for (long i = 0; i < n; i++)
        a[i] = (int64_t)(next() >> 1);
    quick(a, 0, n - 1);
    return (double)a[n / 2];
}

/* Chained hash table of n rows, probed by 2 n. */
static double join(long n)
{
    struct row {
        uint64_t key, value;
        int32_t next;
    } *rows = room((size_t)n, sizeof *rows);
    uint64_t buckets = 1, sum = 0;
    int32_t *heads;

    while (buckets < (uint64_t)n)
        buckets <<= 1;
    heads = room(buckets, sizeof *heads);
    for (long i = 0; i < n; i++) {
        uint64_t key = next() % (uint64_t)(2 * n),
                 slot = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (buckets - 1);
        rows[i] = (struct row){key, next(), heads[slot]};
        heads[slot] = (int32_t)i + 1;
    }
    for (long i = 0; i < 2 * n; i++) {
        uint64_t key = next() % (uint64_t)(2 * n),
                 slot = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (buckets - 1);
        for (int32_t at = heads[slot]; at; at = rows[at - 1].next)
            if (rows[at - 1].key == key)
                sum += rows[at - 1].value;
    }
    return (double)(sum >> 12);
}

/* Seven points in three dimensions, six steps. */
static double stencil(long n)
{
    double *a = room((size_t)(n * n * n), sizeof *a), *b = room((size_t)(n * n * n), sizeof *b);

    for (long i = 0; i < n * n * n; i++)
        a[i] = b[i] = next_real();
    for (int turn = 0; turn < 6; turn++) {
        double *t = a;
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                for (long k = 1; k < n - 1; k++) {
                    const double *p = a + (i * n + j) * n + k;
                    b[(i * n + j) * n + k] =
                        0.4 * p[0] + 0.1 * (p[1] + p[-1] + p[n] + p[-n] + p[n * n] + p[-n * n]);
                }
        a = b, b = t;
    }
    return a[n * n * n / 2 + n / 2];
}

/* Compressed rows of 16 entries at random columns, eight products. */
static double sparse(long n)
{
    int32_t *columns = room((size_t)(16 * n), sizeof *columns);
    double *values = room((size_t)(16 * n), sizeof *values), *x = room((size_t)n, sizeof *x),
           *y = room((size_t)n, sizeof *y);

    for (long i = 0; i < 16 * n; i++)
        columns[i] = (int32_t)(next() % (uint64_t)n), values[i] = next_real();
    for (long i = 0; i < n; i++)
        x[i] = next_real();
    for (int turn = 0; turn < 8; turn++) {
        double *t = x;
        for (long i = 0; i < n; i++) {
            double sum = 0;
            for (long k = 16 * i; k < 16 * (i + 1); k++)
                sum += values[k] * x[columns[k]];
            y[i] = sum / 8;
        }
        x = y, y = t;
    }
    return x[n / 2];
}

/* Words of a made-up text of n bytes counted in a table; the most frequent is found. */
static double text(long n)
{
    char *bytes = room((size_t)n + 1, 1);
    struct word {
        char letters[16];
        long count;
    } *table = room(1 << 16, sizeof *table);
    long best = 0;

    for (long i = 0; i < n; i++)
        bytes[i] = next() % 6 == 0 ? ' ' : (char)('a' + next() % 5);
    for (int turn = 0; turn < 3; turn++)
        for (char *at = bytes; *at;) {
            char letters[16] = {0};
            size_t length = 0;
            uint32_t hash = 2166136261u;
            while (*at == ' ')
                at++;
            for (; *at && *at != ' '; at++)
                if (length < 15) {
                    letters[length++] = (char)(*at - 'a' + 'A');
                    hash = (hash ^ (unsigned char)*at) * 16777619u;
                }
            for (hash &= 0xffff; table[hash].count && strcmp(table[hash].letters, letters) != 0;)
                hash = (hash + 1) & 0xffff;
            if (!table[hash].count && length > 4) /* rare words are not kept: the table has an end */
                continue;
            memcpy(table[hash].letters, letters, 16);
            if (++table[hash].count > best)
                best = table[hash].count;
        }
    return (double)best;
}

/* LZ77 with a hash of three bytes, greedy, as deflate does without its codes. */
static double compress(long n)
{
    unsigned char *in = room((size_t)n + 8, 1), *out = room((size_t)n * 2 + 8, 1);
    int32_t *heads = room(1 << 15, sizeof *heads), *chain = room((size_t)n, sizeof *chain);
    long written = 0;

    for (long i = 0; i < n; i++)
        in[i] = (unsigned char)(i > 300 && next() % 8 ? in[i - 1 - (long)(next() % 3) * 97] : next() % 64);
    for (long i = 0; i < n;) {
        uint32_t hash = ((uint32_t)in[i] << 10 ^ (uint32_t)in[i + 1] << 5 ^ in[i + 2]) & 0x7fff;
        long longest = 0, distance = 0;
        int tries = 16;
        for (int32_t at = heads[hash]; at && i - (at - 1) < 32768 && tries--; at = chain[at - 1]) {
            long length = 0;
            while (length < 258 && i + length < n && in[at - 1 + length] == in[i + length])
                length++;
            if (length > longest)
                longest = length, distance = i - (at - 1);
        }
        chain[i] = heads[hash];
        heads[hash] = (int32_t)i + 1;
        if (longest > 3) {
            out[written++] = (unsigned char)longest;
            out[written++] = (unsigned char)distance;
            out[written++] = (unsigned char)(distance >> 8);
            i += longest;
        } else {
            out[written++] = in[i++];
        }
    }
    return (double)written;
}

/* A file of n bytes written, and copied four times in pieces of 64 kB, without waiting for the disk. */
static double copy(long n)
{
    char from[] = "copy-XXXXXX", to[] = "copy-XXXXXX", *piece = room(65536, 1);
    int in = mkstemp(from), out = mkstemp(to);
    long done = 0;

    if (in < 0 || out < 0)
        exit(4);
    unlink(from), unlink(to);
    for (long i = 0; i < 65536; i++)
        piece[i] = (char)next();
    for (long i = 0; i < n; i += 65536)
        done += write(in, piece, 65536);
    for (int turn = 0; turn < 4; turn++) {
        ssize_t got;
        lseek(in, 0, SEEK_SET), lseek(out, 0, SEEK_SET);
        while ((got = read(in, piece, 65536)) > 0)
            done += write(out, piece, (size_t)got);
    }
    return (double)done;
}

static const struct {
    const char *name;
    double (*run)(long);
} programs[] = {{"product-double", product_double},
                {"product-int", product_int},
                {"lu", lu},
                {"fft", fft},
                {"sort", sort},
                {"join", join},
                {"stencil", stencil},
                {"sparse", sparse},
                {"text", text},
                {"compress", compress},
                {"copy", copy}};

int main(int argc, char **argv)
{
    struct rusage used;

    for (size_t i = 0; argc == 3 && i < sizeof programs / sizeof *programs; i++)
        if (strcmp(argv[1], programs[i].name) == 0) {
            double result = programs[i].run(atol(argv[2]));
            getrusage(RUSAGE_SELF, &used);
            printf("%.9g %.6f\n", result,
                   (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
            return 0;
        }
    fprintf(stderr, "usage: programs NAME SIZE\n");
    return 2;
}
