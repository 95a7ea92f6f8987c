#include "exchange/exchange.h"

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

void ws_sum_add(struct ws_sum *sum, struct ws_sum more)
{
    sum->messages = add(sum->messages, more.messages);
    sum->bytes = add(sum->bytes, more.bytes);
}

unsigned ws_size_class(uint64_t bytes)
{
    unsigned size = 0;

    for (; bytes; bytes >>= 1)
        size++;
    return size;
}

uint64_t ws_size_least(unsigned size)
{
    return size ? UINT64_C(1) << (size - 1) : 0;
}

uint64_t ws_size_most(unsigned size)
{
    return size ? 2 * ws_size_least(size) - 1 : 0;
}
