/* The arithmetic of the rule language, for the checker and all engines: each function gives false where the
 * result is undefined (docs/language.md, "Undefined"), and leaves *result alone then. */
#ifndef WS_RULES_ARITHMETIC_H
#define WS_RULES_ARITHMETIC_H

#include "rules/kb.h"

/* + - * / % of two values of the types that the checker allows.  Integers and times: overflow and division
 * by zero are undefined; reals: a result that is not a finite number is. */
bool ws_arithmetic(enum ws_operator op, enum ws_type left_type, union ws_value left, enum ws_type right_type,
                   union ws_value right, union ws_value *result);

/* Unary minus, abs, real. */
bool ws_arithmetic_unary(enum ws_operator op, enum ws_type type, union ws_value value,
                         union ws_value *result);

/* < 0, 0, > 0 as left is less than, equal to or greater than right: integer, time, boolean, site by number,
 * real by value, string by bytes.  Events are equal or not; their order is the order of arrival. */
int ws_compare(enum ws_type type, union ws_value left, union ws_value right);
/* Does `left op right` hold, op being one of the six comparisons? */
bool ws_comparison(enum ws_operator op, enum ws_type type, union ws_value left, union ws_value right);

/* MIN or MAX of two values; the first of equal ones. */
union ws_value ws_extreme(enum ws_operator op, enum ws_type type, union ws_value first,
                          union ws_value second);
/* clamp(x, low, high) = max(low, min(x, high)) */
union ws_value ws_clamp(enum ws_type type, union ws_value x, union ws_value low, union ws_value high);

/* A value as engines may keep it: -0.0 becomes 0.0; false for a real that is not a finite number. */
bool ws_normal_value(enum ws_type type, union ws_value *value);

#endif
