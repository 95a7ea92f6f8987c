#include "diagnosis/exact.h"

#include <math.h>

#define LIMB_BITS 32
#define LIMB_MASK INT64_C(0xffffffff)
#define LOWEST (-1074)

/* Brings limbs from `first` on into range; stops where nothing is carried any more. */
static void carry(struct ws_exact *sum, int first, int touched)
{
    for (int i = first; i < WS_EXACT_LIMBS - 1; i++) {
        int64_t low = sum->limb[i] & LIMB_MASK;
        int64_t over = (sum->limb[i] - low) / (LIMB_MASK + 1);
        if (!over && i >= first + touched)
            return;
        sum->limb[i] = low;
        sum->limb[i + 1] += over;
    }
}

void ws_exact_add(struct ws_exact *sum, double number)
{
    int exponent, place;
    double fraction;
    int64_t digits, sign;

    if (isinf(number)) {
        sum->infinite[number < 0]++;
        return;
    }
    fraction = frexp(fabs(number), &exponent);
    digits = (int64_t)ldexp(fraction, 53); /* number = digits * 2^(exponent - 53) */
    place = exponent - 53 - LOWEST;
    if (place < 0) { /* a subnormal number: the bits below are 0 */
        digits >>= -place;
        place = 0;
    }
    sign = number < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) { /* 53 bits, shifted by up to 31: three limbs */
        int shift = place % LIMB_BITS - LIMB_BITS * i;
        uint64_t part = shift >= 0 ? (uint64_t)digits << shift
                                   : shift > -64 ? (uint64_t)digits >> -shift : 0;
        sum->limb[place / LIMB_BITS + i] += sign * (int64_t)(part & LIMB_MASK);
    }
    carry(sum, place / LIMB_BITS, 3);
}

void ws_exact_merge(struct ws_exact *sum, const struct ws_exact *other)
{
    for (int i = 0; i < WS_EXACT_LIMBS; i++)
        sum->limb[i] += other->limb[i];
    carry(sum, 0, WS_EXACT_LIMBS);
    for (int i = 0; i < 2; i++)
        sum->infinite[i] += other->infinite[i];
}

double ws_exact_value(const struct ws_exact *sum)
{
    struct ws_exact size = *sum;
    bool negative = sum->limb[WS_EXACT_LIMBS - 1] < 0;
    double value = 0;

    if (sum->infinite[0] || sum->infinite[1])
        return (sum->infinite[0] ? INFINITY : 0) - (sum->infinite[1] ? INFINITY : 0);
    for (int i = 0; negative && i < WS_EXACT_LIMBS; i++)
        size.limb[i] = -size.limb[i];
    carry(&size, 0, WS_EXACT_LIMBS);
    for (int i = WS_EXACT_LIMBS - 1; i >= 0; i--)
        value += ldexp((double)size.limb[i], LIMB_BITS * i + LOWEST);
    return negative ? -value : value;
}
