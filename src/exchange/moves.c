#include "exchange/moves.h"

#include <stdlib.h>
#include <string.h>

void ws_moves_init(struct ws_moves *moves, const struct ws_kb *kb)
{
    *moves = (struct ws_moves){.kb = kb, .types = ws_alloc_array(kb->simple_count + 1, sizeof *moves->types)};
}

static uint32_t function_number(struct ws_moves *moves, const char *function)
{
    for (size_t i = 0; i < moves->function_count; i++)
        if (strcmp(moves->functions[i], function) == 0)
            return (uint32_t)i;
    WS_PUSH(moves->functions, moves->function_count, moves->function_capacity) = function;
    return (uint32_t)moves->function_count - 1;
}

const struct ws_moves_by *ws_moves_find(struct ws_moves *moves, uint32_t type, const char *function)
{
    struct ws_moves_of *of = &moves->types[type];
    struct ws_moves_by *by;

    for (size_t i = 0; i < of->count; i++)
        if (of->list[i].function == function)
            return &of->list[i];
    by = &WS_PUSH(of->list, of->count, of->capacity);
    *by = (struct ws_moves_by){.function = function, .number = function_number(moves, function)};
    by->rule = ws_type_rule_of(moves->kb, moves->kb->types[type], function);
    return by;
}

bool ws_quantity_is_counted(const struct ws_trace_rule *rule, const struct ws_quantity *quantity)
{
    if (!quantity->param)
        return true;
    for (size_t i = 0; i < rule->number_count; i++)
        for (size_t k = 0; !rule->numbers[i].of && k < rule->numbers[i].by_count; k++)
            if (strcmp(rule->numbers[i].by[k], quantity->param) == 0)
                return true;
    return false;
}

int64_t ws_quantity(const struct ws_transfer *transfer, enum ws_transfer_quantity which,
                    const struct ws_event *event, int64_t otherwise)
{
    const struct ws_quantity *quantity = &transfer->quantities[which];

    if (!quantity->given)
        return otherwise;
    return quantity->param ? event->value[quantity->slot].i : quantity->literal;
}

void ws_moves_free(struct ws_moves *moves)
{
    for (size_t i = 0; i < moves->kb->simple_count; i++)
        free(moves->types[i].list);
    free(moves->types);
    free(moves->functions);
}
