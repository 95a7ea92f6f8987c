/* A sum of real numbers without rounding, so that the order in which they come makes no difference: a binary
 * number that is wide enough for all of them. */
#ifndef WS_DIAGNOSIS_EXACT_H
#define WS_DIAGNOSIS_EXACT_H

#include "util/text.h"

/* Bit 0 stands for 2^-1074, the least number; 32 bits a limb. */
#define WS_EXACT_LIMBS 68

struct ws_exact { /* a zeroed struct is 0 */
    int64_t limb[WS_EXACT_LIMBS]; /* in [0, 2^32) but for the last, which bears the sign */
    uint64_t infinite[2];         /* how many were positive, negative infinity */
};

void ws_exact_add(struct ws_exact *sum, double number); /* not NAN */
void ws_exact_merge(struct ws_exact *sum, const struct ws_exact *other);
double ws_exact_value(const struct ws_exact *sum);

#endif
