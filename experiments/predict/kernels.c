/* The calibration kernels: small fixed works with loads and stores, of many kinds, whose CPU times compare
 * two nodes.
 *
 *     kernels                 lists their names
 *     kernels NAME|all [N]    runs each N times (1), prints name, least CPU seconds, spread
 *
 * Needs libc only, so that it is linked statically for any node; inputs are the same everywhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <math.h>
#include <sys/resource.h>
#include <unistd.h>
#define KERNEL __attribute__((noinline)) static void /* noinline: counted by its name */
static double cpu_s(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_utime.tv_sec + u.ru_utime.tv_usec * 1e-6 + u.ru_stime.tv_sec + u.ru_stime.tv_usec * 1e-6;
}
static volatile uint64_t sink;
static volatile double fsink;
static uint64_t seed = 88172645463325252ull;
static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}
static void *A, *B, *C; /* 64 MB each */
#define SUM(name, T, N, R)                                                                                   \
    KERNEL name(void)                                                                                        \
    {                                                                                                        \
        T *a = A;                                                                                            \
        T s = 0;                                                                                             \
        for (int r = 0; r < R; r++) {                                                                        \
            for (long i = 0; i < N; i++)                                                                     \
                s += a[i];                                                                                   \
            __asm__ volatile("" ::: "memory");                                                               \
        }                                                                                                    \
        fsink = (double)s;                                                                                   \
    }
#define TRIAD(name, T, N, R)                                                                                 \
    KERNEL name(void)                                                                                        \
    {                                                                                                        \
        T *a = A, *b = B, *c = C;                                                                            \
        for (int r = 0; r < R; r++) {                                                                        \
            for (long i = 0; i < N; i++)                                                                     \
                a[i] = b[i] + (T)3 * c[i];                                                                   \
            __asm__ volatile("" ::: "memory");                                                               \
        }                                                                                                    \
    }
/* clang-format off */
SUM(sum_i32_16k, int32_t, 4096, 8000)
SUM(sum_i64_256k, int64_t, 32768, 600)
SUM(sum_f64_16k, double, 2048, 8000)
SUM(sum_f64_4m, double, 524288, 40)
SUM(sum_f64_32m, double, 4194304, 4)
TRIAD(triad_f64_16k, double, 700, 20000)
TRIAD(triad_f64_1m, double, 43000, 300)
TRIAD(triad_f64_48m, double, 2000000, 5)
TRIAD(triad_i32_16k, int32_t, 1400, 20000)
TRIAD(triad_f32_16k, float, 1400, 20000)
/* clang-format on */
#define CHASE(name, N, R)                                                                                    \
    KERNEL name(void)                                                                                        \
    {                                                                                                        \
        uint32_t *a = A;                                                                                     \
        uint32_t p = 0;                                                                                      \
        for (long i = 0; i < R; i++)                                                                         \
            p = a[p];                                                                                        \
        sink = p;                                                                                            \
    }
static void shuffle(long n)
{
    uint32_t *a = A;
    for (long i = 0; i < n; i++)
        a[i] = i;
    for (long i = n - 1; i > 0; i--) {
        long j = next() % i;
        uint32_t t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
}
/* clang-format off */
CHASE(chase_16k, 4096, 20000000)
CHASE(chase_512k, 131072, 6000000)
CHASE(chase_8m, 2097152, 1500000)
CHASE(chase_64m, 16777216, 500000) static void shuffle_16k(void)
/* clang-format on */
{
    shuffle(4096);
}
static void shuffle_512k(void)
{
    shuffle(131072);
}
static void shuffle_8m(void)
{
    shuffle(2097152);
}
static void shuffle_64m(void)
{
    shuffle(16777216);
}
static void fill_doubles(void)
{
    double *a = A, *b = B, *c = C;
    for (long i = 0; i < 1048576; i++) {
        a[i] = 1 + (i % 97) * .01;
        b[i] = 2 + (i % 89) * .01;
        c[i] = 1 + (i % 83) * .01;
    }
}
static void fill_floats(void)
{
    float *a = A, *b = B, *c = C;
    for (long i = 0; i < 1048576; i++) {
        a[i] = 1 + (i % 97) * .01f;
        b[i] = 2;
        c[i] = 1;
    }
}
static void fill_ints(void)
{
    int32_t *a = A, *b = B, *c = C;
    for (long i = 0; i < 1048576; i++) {
        a[i] = next() % 1000003 + 1;
        b[i] = next() % 1009 + 1;
        c[i] = i;
    }
}
KERNEL histogram(void)
{
    uint32_t *a = A, *h = B;
    for (int r = 0; r < 20; r++)
        for (long i = 0; i < 300000; i++)
            h[a[i] & 1023]++;
}
KERNEL histogram_16m(void)
{
    uint32_t *a = A, *h = B;
    for (int r = 0; r < 10; r++)
        for (long i = 0; i < 300000; i++)
            h[(a[i] * 2654435761u) & 0x3fffff]++;
}
KERNEL gather(void)
{
    double *a = B, s = 0;
    uint32_t *x = A;
    for (int r = 0; r < 10; r++)
        for (long i = 0; i < 400000; i++)
            s += a[x[i] & 0xffff];
    fsink = s;
}
KERNEL gather_64m(void)
{
    double *a = B, s = 0;
    uint32_t *x = A;
    for (int r = 0; r < 6; r++)
        for (long i = 0; i < 400000; i++)
            s += a[(x[i] * 2654435761u) & 0x7fffff];
    fsink = s;
}
KERNEL branchy(void)
{
    int32_t *a = A;
    long s = 0;
    for (int r = 0; r < 10; r++)
        for (long i = 0; i < 400000; i++) {
            if (a[i] & 1)
                s += a[i] * 3;
            else if (a[i] & 2)
                s -= a[i];
            else
                s ^= a[i];
            __asm__ volatile("" ::"r"(s));
        }
    sink = s;
}
KERNEL branchy_sorted(void)
{
    int32_t *a = C;
    long s = 0;
    for (int r = 0; r < 20; r++)
        for (long i = 0; i < 400000; i++) {
            if (a[i] & 65536)
                s += a[i] * 3;
            else
                s ^= a[i];
            __asm__ volatile("" ::"r"(s));
        }
    sink = s;
}
KERNEL insertion_sort(void)
{
    int32_t *a = A, b[64];
    for (long k = 0; k < 30000; k++) {
        for (int i = 0; i < 64; i++)
            b[i] = a[(k * 64 + i) & 0xfffff];
        for (int i = 1; i < 64; i++) {
            int v = b[i], j = i;
            while (j > 0 && b[j - 1] > v) {
                b[j] = b[j - 1];
                j--;
            }
            b[j] = v;
        }
        sink = b[5];
    }
}
KERNEL heap_sort(void)
{
    int32_t *a = B;
    memcpy(a, A, 4 * 200000);
    long n = 200000;
    for (long s = n / 2; s >= 0; s--) {
        long r = s;
        for (;;) {
            long c = 2 * r + 1;
            if (c >= n)
                break;
            if (c + 1 < n && a[c] < a[c + 1])
                c++;
            if (a[r] >= a[c])
                break;
            int t = a[r];
            a[r] = a[c];
            a[c] = t;
            r = c;
        }
    }
    for (long e = n - 1; e > 0; e--) {
        int t = a[0];
        a[0] = a[e];
        a[e] = t;
        long r = 0;
        for (;;) {
            long c = 2 * r + 1;
            if (c >= e)
                break;
            if (c + 1 < e && a[c] < a[c + 1])
                c++;
            if (a[r] >= a[c])
                break;
            t = a[r];
            a[r] = a[c];
            a[c] = t;
            r = c;
        }
    }
}
KERNEL binary_search(void)
{
    int32_t *a = C, *q = A;
    long s = 0;
    for (long k = 0; k < 400000; k++) {
        int v = q[k];
        long lo = 0, hi = 1 << 20;
        while (lo < hi) {
            long m = (lo + hi) / 2;
            if (a[m] < v)
                lo = m + 1;
            else
                hi = m;
        }
        s += lo;
    }
    sink = s;
}
KERNEL product_f64(void)
{
    double *a = A, *b = B, *c = C;
    enum { n = 160 };
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double s = 0;
                for (int k = 0; k < n; k++)
                    s += a[i * n + k] * b[k * n + j];
                c[i * n + j] = s;
            }
}
KERNEL product_f32_rows(void)
{
    float *a = A, *b = B, *c = C;
    enum { n = 160 };
    for (int r = 0; r < 6; r++)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) {
                float x = a[i * n + k];
                for (int j = 0; j < n; j++)
                    c[i * n + j] += x * b[k * n + j];
            }
}
KERNEL product_i32(void)
{
    int32_t *a = A, *b = B, *c = C;
    enum { n = 160 };
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int s = 0;
                for (int k = 0; k < n; k++)
                    s += a[i * n + k] * b[k * n + j];
                c[i * n + j] = s;
            }
}
KERNEL stencil_2d(void)
{
    double *a = A, *b = B;
    enum { n = 300 };
    for (int r = 0; r < 60; r++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i * n + j] =
                    .25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
        double *t = a;
        a = b;
        b = t;
    }
}
KERNEL fir(void)
{
    double *a = A, *b = B, *c = C;
    for (int r = 0; r < 20; r++)
        for (long i = 0; i < 20000; i++) {
            double s = 0;
            for (int k = 0; k < 32; k++)
                s += a[i + k] * c[k];
            b[i] = s;
        }
}
KERNEL divide_f64(void)
{
    double *a = A, *b = B, *c = C;
    for (int r = 0; r < 2000; r++)
        for (long i = 0; i < 1000; i++)
            a[i] = b[i] / c[i] + 1;
}
KERNEL root_f64(void)
{
    double *a = A, *b = B;
    for (int r = 0; r < 1500; r++)
        for (long i = 0; i < 1000; i++)
            a[i] = sqrt(b[i]);
}
KERNEL divide_i32(void)
{
    int32_t *a = A, *b = B, *c = C;
    for (int r = 0; r < 2000; r++)
        for (long i = 0; i < 1000; i++)
            c[i] = a[i] / b[i];
}
KERNEL remainder_u64(void)
{
    uint64_t *a = A, *c = C;
    uint32_t *b = B;
    for (int r = 0; r < 1500; r++)
        for (long i = 0; i < 1000; i++)
            c[i] = a[i] % (b[i] | 1);
}
KERNEL multiply_u64(void)
{
    uint64_t *a = A, *c = C;
    for (int r = 0; r < 8000; r++)
        for (long i = 0; i < 1000; i++) {
            c[i] = a[i] * 0x9e3779b97f4a7c15ull + c[i];
            __asm__ volatile("" :::);
        }
}
KERNEL fnv(void)
{
    unsigned char *a = A;
    uint64_t h = 1469598103934665603ull;
    for (int r = 0; r < 6; r++)
        for (long i = 0; i < 2000000; i++)
            h = (h ^ a[i]) * 1099511628211ull;
    sink = h;
}
KERNEL crc(void)
{
    static uint32_t t[256];
    unsigned char *a = A;
    if (!t[1])
        for (int i = 0; i < 256; i++) {
            uint32_t c = i;
            for (int k = 0; k < 8; k++)
                c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
            t[i] = c;
        }
    uint32_t c = ~0u;
    for (int r = 0; r < 5; r++)
        for (long i = 0; i < 2000000; i++)
            c = t[(c ^ a[i]) & 255] ^ (c >> 8);
    sink = c;
}
KERNEL xorshift_store(void)
{
    uint64_t *a = A, x = 88172645463325252ull;
    for (int r = 0; r < 10; r++)
        for (long i = 0; i < 1000000; i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            a[i & 0xffff] = x;
        }
}
KERNEL count_bits(void)
{
    uint64_t *a = A;
    uint64_t s = 0;
    for (int r = 0; r < 40; r++)
        for (long i = 0; i < 50000; i++) {
            uint64_t v = a[i];
            v -= (v >> 1) & 0x5555555555555555ull;
            v = (v & 0x3333333333333333ull) + ((v >> 2) & 0x3333333333333333ull);
            v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full;
            s += v * 0x0101010101010101ull >> 56;
        }
    sink = s;
}
KERNEL bytes_copy(void)
{
    volatile unsigned char *a = A, *b = B;
    for (int r = 0; r < 8; r++)
        for (long i = 0; i < 1000000; i++)
            b[i] = a[i] + 1;
}
KERNEL words(void)
{
    unsigned char *a = A;
    long w = 0, in = 0;
    for (int r = 0; r < 6; r++)
        for (long i = 0; i < 2000000; i++) {
            unsigned char c = a[i] & 127;
            if (c < 48)
                in = 0;
            else if (!in) {
                in = 1;
                w++;
            }
        }
    sink = w;
}
KERNEL compare_strings(void)
{
    char *a = A;
    long s = 0;
    for (long r = 0; r < 600000; r++) {
        char *p = a + (r * 37 & 0xffff), *q = a + ((r * 91) & 0xffff);
        while (*p && *p == *q)
            p++, q++;
        s += *p - *q;
    }
    sink = s;
}
__attribute__((noinline)) static long fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
KERNEL recursion(void)
{
    sink = fibonacci(32);
}
static int cmpi(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}
KERNEL library_sort(void)
{
    memcpy(B, A, 4 * 150000);
    qsort(B, 150000, 4, cmpi);
}
typedef long (*fn)(long);
__attribute__((noinline)) static long f1(long x)
{
    return x + 1;
}
__attribute__((noinline)) static long f2(long x)
{
    return x ^ 3;
}
__attribute__((noinline)) static long f3(long x)
{
    return x * 5;
}
__attribute__((noinline)) static long f4(long x)
{
    return x - 7;
}
KERNEL indirect_calls(void)
{
    static fn volatile t[4] = {f1, f2, f3, f4};
    unsigned char *a = A;
    long s = 0;
    for (long i = 0; i < 6000000; i++)
        s = t[a[i & 0xffff] & 3](s);
    sink = s;
}
KERNEL interpreter(void)
{
    unsigned char *a = A;
    long r[4] = {1, 2, 3, 4};
    for (long i = 0; i < 8000000; i++) {
        unsigned char o = a[i & 0xffff];
        switch (o & 7) {
        case 0:
            r[0] += r[1];
            break;
        case 1:
            r[1] ^= r[2];
            break;
        case 2:
            r[2] += r[3];
            break;
        case 3:
            r[3] -= r[0];
            break;
        case 4:
            r[0] <<= 1;
            break;
        case 5:
            r[1] >>= 1;
            break;
        case 6:
            r[2] |= r[0];
            break;
        default:
            r[3]++;
        }
    }
    sink = r[0] + r[1] + r[2] + r[3];
}
KERNEL list(void)
{
    struct n {
        struct n *x;
        long v;
    } *p = B;
    long N = 30000;
    for (long i = 0; i < N; i++) {
        p[i].x = &p[(i * 7919 + 1) % N];
        p[i].v = i;
    }
    struct n *q = p;
    long s = 0;
    for (long i = 0; i < 8000000; i++) {
        s += q->v;
        q = q->x;
    }
    sink = s;
}
KERNEL allocate(void)
{
    void *p[64] = {0};
    uint32_t *a = A;
    for (long i = 0; i < 700000; i++) {
        int k = i & 63;
        free(p[k]);
        p[k] = malloc(16 + (a[i & 0xffff] & 511));
        *(char *)p[k] = 1;
    }
    for (int i = 0; i < 64; i++)
        free(p[i]);
}
KERNEL sine_cosine(void)
{
    double *a = A, *b = B;
    for (int r = 0; r < 500; r++)
        for (long i = 0; i < 1000; i++)
            a[i] = sin(b[i]) + cos(b[i]);
}
KERNEL exponential(void)
{
    double *a = C, *b = B;
    for (int r = 0; r < 1000; r++)
        for (long i = 0; i < 1000; i++)
            b[i] = exp(-a[i]);
}
KERNEL relax_9(void)
{
    double *a = A, *b = B;
    for (int r = 0; r < 40; r++)
        for (long i = 0; i < 8000; i++) {
            double *p = a + i * 9, *q = b + i * 9, s = 0;
            for (int k = 0; k < 9; k++)
                s += p[k];
            for (int k = 0; k < 9; k++)
                q[k] = p[k] + .6 * (s / 9 - p[k]);
        }
}
KERNEL edit_distance(void)
{
    int32_t *a = A;
    static int d[2][2001];
    for (int i = 1; i < 2000; i++)
        for (int j = 1; j < 2000; j++) {
            int m = d[(i - 1) & 1][j - 1] + (a[i] % 4 == a[j] % 4 ? 0 : 1), x = d[(i - 1) & 1][j] + 1,
                y = d[i & 1][j - 1] + 1;
            if (x < m)
                m = x;
            if (y < m)
                m = y;
            d[i & 1][j] = m;
        }
    sink = d[1][1999];
}
KERNEL hash_probe(void)
{
    uint32_t *k = A, *t = B;
    memset(t, 0, 4 << 18);
    long hit = 0;
    for (long i = 0; i < 130000; i++) {
        uint32_t h = k[i] * 2654435761u >> 14;
        while (t[h])
            h = (h + 1) & 0x3ffff;
        t[h] = k[i] + 1;
    }
    for (int r = 0; r < 6; r++)
        for (long i = 0; i < 130000; i++) {
            uint32_t h = (k[i] + r) * 2654435761u >> 14;
            while (t[h] && t[h] != k[i] + r + 1)
                h = (h + 1) & 0x3ffff;
            hit += t[h] != 0;
        }
    sink = hit;
}
KERNEL transpose(void)
{
    double *a = A, *b = B;
    enum { n = 1000 };
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                b[j * n + i] = a[i * n + j];
}
KERNEL stride(void)
{
    int64_t *a = A;
    long s = 0;
    for (int r = 0; r < 40; r++)
        for (long i = 0; i < 4194304; i += 64)
            s += a[i + (r & 7)];
    sink = s;
}
KERNEL prefix(void)
{
    int64_t *a = A, *b = B;
    for (int r = 0; r < 20; r++) {
        int64_t s = 0;
        for (long i = 0; i < 300000; i++) {
            s += a[i];
            b[i] = s;
        }
    }
}
/* A file of `bytes` written and read again in pieces, through the page cache. */
static void through_a_file(size_t piece, long pieces, int turns)
{
    char name[] = "kernel-XXXXXX";
    int file = mkstemp(name);

    if (file < 0)
        exit(4);
    unlink(name);
    for (int turn = 0; turn < turns; turn++) {
        lseek(file, 0, SEEK_SET);
        for (long i = 0; i < pieces; i++)
            sink += (uint64_t)write(file, A, piece);
        lseek(file, 0, SEEK_SET);
        for (long i = 0; i < pieces; i++)
            sink += (uint64_t)read(file, B, piece);
    }
    close(file);
}
KERNEL file_512(void)
{
    through_a_file(512, 4000, 5);
}
KERNEL file_8k(void)
{
    through_a_file(8192, 500, 8);
}
KERNEL file_128k(void)
{
    through_a_file(131072, 60, 6);
}
static void fill_nothing(void)
{
}
#define K(n, p)                                                                                              \
    {                                                                                                        \
#n, n, p                                                                                             \
    }
static const struct {
    const char *name;
    void (*run)(void);
    void (*prepare)(void);
} kernels[] = {K(sum_i32_16k, fill_ints),
               K(sum_i64_256k, fill_ints),
               K(sum_f64_16k, fill_doubles),
               K(sum_f64_4m, fill_doubles),
               K(sum_f64_32m, fill_doubles),
               K(triad_f64_16k, fill_doubles),
               K(triad_f64_1m, fill_doubles),
               K(triad_f64_48m, fill_doubles),
               K(triad_i32_16k, fill_ints),
               K(triad_f32_16k, fill_floats),
               K(chase_16k, shuffle_16k),
               K(chase_512k, shuffle_512k),
               K(chase_8m, shuffle_8m),
               K(chase_64m, shuffle_64m),
               K(histogram, fill_ints),
               K(histogram_16m, fill_ints),
               K(gather, fill_ints),
               K(gather_64m, fill_ints),
               K(branchy, fill_ints),
               K(branchy_sorted, fill_ints),
               K(insertion_sort, fill_ints),
               K(heap_sort, fill_ints),
               K(binary_search, fill_ints),
               K(product_f64, fill_doubles),
               K(product_f32_rows, fill_floats),
               K(product_i32, fill_ints),
               K(stencil_2d, fill_doubles),
               K(fir, fill_doubles),
               K(divide_f64, fill_doubles),
               K(root_f64, fill_doubles),
               K(divide_i32, fill_ints),
               K(remainder_u64, fill_ints),
               K(multiply_u64, fill_ints),
               K(fnv, fill_ints),
               K(crc, fill_ints),
               K(xorshift_store, fill_ints),
               K(count_bits, fill_ints),
               K(bytes_copy, fill_ints),
               K(words, fill_ints),
               K(compare_strings, fill_ints),
               K(recursion, fill_nothing),
               K(library_sort, fill_ints),
               K(indirect_calls, fill_ints),
               K(interpreter, fill_ints),
               K(list, fill_nothing),
               K(allocate, fill_ints),
               K(sine_cosine, fill_doubles),
               K(exponential, fill_doubles),
               K(relax_9, fill_doubles),
               K(edit_distance, fill_ints),
               K(hash_probe, fill_ints),
               K(transpose, fill_doubles),
               K(stride, fill_ints),
               K(prefix, fill_ints),
               K(file_512, fill_ints),
               K(file_8k, fill_ints),
               K(file_128k, fill_ints)};

/* Latency of dependent loads at random and bandwidth of reading in sequence, over blocks of these sizes. */
static void ladder(void)
{
    for (long bytes = 8192; bytes <= 64 << 20; bytes *= 2) {
        double latency = 1e9, bandwidth = 0;
        long steps = 400000, turns = 1 + (32 << 20) / bytes;
        shuffle(bytes / 4);
        for (int turn = 0; turn < 3; turn++) {
            uint32_t *a = A, at = 0;
            uint64_t *words = A, sum = 0;
            double begin = cpu_s(), took;
            for (long i = 0; i < steps; i++)
                at = a[at];
            took = (cpu_s() - begin) / (double)steps;
            sink = at;
            latency = took < latency ? took : latency;
            begin = cpu_s();
            for (long i = 0; i < turns; i++)
                for (long j = 0; j < bytes / 8; j += 4)
                    sum += words[j] + words[j + 1] + words[j + 2] + words[j + 3];
            took = (double)(turns * bytes) / (cpu_s() - begin);
            sink = sum;
            bandwidth = took > bandwidth ? took : bandwidth;
        }
        printf("%ld %.12f %.0f\n", bytes, latency, bandwidth);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    int repeats = argc > 2 ? atoi(argv[2]) : 1;

    A = malloc(70 << 20), B = malloc(70 << 20), C = malloc(70 << 20);
    if (!A || !B || !C)
        return 4;
    if (argc > 1 && strcmp(argv[1], "ladder") == 0)
        ladder();
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        double best = 1e9, worst = 0;
        if (argc < 2) {
            puts(kernels[i].name);
            continue;
        }
        if (strcmp(argv[1], "all") != 0 && strcmp(argv[1], kernels[i].name) != 0)
            continue;
        if (argc > 2) /* for times the memory is there; counting needs it not */
            memset(A, 1, 70 << 20), memset(B, 1, 70 << 20), memset(C, 1, 70 << 20);
        for (int turn = 0; turn < repeats; turn++) {
            double took;
            seed = UINT64_C(88172645463325252);
            kernels[i].prepare();
            took = cpu_s();
            kernels[i].run();
            took = cpu_s() - took;
            best = took < best ? took : best;
            worst = took > worst ? took : worst;
        }
        printf("%s %.9f %.4f\n", kernels[i].name, best, worst / best - 1);
        fflush(stdout);
    }
    return 0;
}
