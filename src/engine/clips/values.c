#include "engine/clips/context.h"

#include "rules/arithmetic.h"

void ws_clips_put(struct ws_clips *clips, enum ws_type type, union ws_value value, struct field *field)
{
    field->type = INTEGER;
    switch (type) {
    case WS_TYPE_REAL:
        field->type = ws_normal_value(type, &value) ? FLOAT : SYMBOL;
        field->value = field->type == FLOAT ? EnvAddDouble(clips->env, value.r) : clips->undefined;
        break;
    case WS_TYPE_BOOLEAN:
        field->type = SYMBOL;
        field->value = value.i ? EnvTrueSymbol(clips->env) : EnvFalseSymbol(clips->env);
        break;
    case WS_TYPE_STRING:
        field->type = STRING;
        field->value = EnvAddSymbol(clips->env, value.s ? value.s : "");
        break;
    case WS_TYPE_EVENT:
        field->value = EnvAddLong(clips->env, (long long)(intptr_t)value.e);
        break;
    default:
        field->value = EnvAddLong(clips->env, value.i);
    }
}

struct ws_live *ws_clips_event(struct ws_clips *clips, const DATA_OBJECT *order)
{
    (void)clips;
    if (order->type != INTEGER || ValueToLong(order->value) == 0)
        return NULL;
    return ws_live_of((const struct ws_event *)(intptr_t)ValueToLong(order->value));
}

static bool get_event(struct ws_clips *clips, const DATA_OBJECT *object, union ws_value *value)
{
    struct ws_live *live = ws_clips_event(clips, object);

    if (live)
        value->e = ws_live_event(live);
    return live != NULL;
}

bool ws_clips_get(struct ws_clips *clips, enum ws_type type, const DATA_OBJECT *object, union ws_value *value)
{
    switch (type) {
    case WS_TYPE_EVENT:
        return get_event(clips, object, value);
    case WS_TYPE_REAL:
        if (object->type != FLOAT)
            return false;
        value->r = ValueToDouble(object->value);
        return true;
    case WS_TYPE_BOOLEAN:
        value->i = object->value == EnvTrueSymbol(clips->env);
        return object->type == SYMBOL && object->value != clips->undefined;
    case WS_TYPE_STRING:
        if (object->type != STRING)
            return false;
        /* Counted once more, it lives as long as the environment, and so as any event that carries it. */
        IncrementSymbolCount(object->value);
        value->s = ValueToString(object->value);
        return true;
    default:
        if (object->type != INTEGER)
            return false;
        value->i = ValueToLong(object->value);
        return true;
    }
}
