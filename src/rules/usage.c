/* Warnings: what is well formed, and either of no use or kept for ever. */
#include "rules/check.h"
#include "rules/expr.h"

/* Does some rule of the scope, in which a shared event waits, take events of this type away? */
static bool is_consumed(const struct ws_scope *scope, const struct ws_event_type *type)
{
    for (size_t i = 0; i < scope->composite_count; i++)
        for (size_t m = 0; m < scope->composites[i]->member_count; m++)
            if (scope->composites[i]->members[m].type == type && !scope->composites[i]->members[m].shared)
                return true;
    return false;
}

static bool has_overlaps(const struct ws_composite_rule *rule, uint32_t member)
{
    for (size_t i = 0; i < rule->residual_count; i++)
        if (rule->residual[i]->op == WS_OP_OVERLAPS &&
            (rule->residual[i]->member == member || rule->residual[i]->slot == member))
            return true;
    return false;
}

static void check_kept(struct ws_checker *checker, const struct ws_composite_rule *rule)
{
    for (size_t m = 0; m < rule->member_count; m++) {
        const struct ws_member *member = &rule->members[m];
        if (!member->shared || member->group || has_overlaps(rule, (uint32_t)m) ||
            is_consumed(rule->scope, member->type))
            continue;
        ws_warning(checker->diagnostics, member->pos, 1, NULL,
                   "each '%s' is kept until the trace ends: '%s' is shared here, no rule of '%s' consumes "
                   "it, and no overlaps() says when it is no longer needed; take away 'shared' where no "
                   "later event needs it, or add overlaps()",
                   member->type->name, member->name, rule->scope->id);
    }
}

void ws_check_usage(struct ws_checker *checker)
{
    for (size_t s = 0; s < checker->kb->scope_count; s++)
        for (size_t i = 0; i < checker->kb->scopes[s]->composite_count; i++)
            check_kept(checker, checker->kb->scopes[s]->composites[i]);
    if (checker->tree->lost_names)
        return;
    for (size_t i = 0; i < checker->tree->count; i++) {
        const struct ws_declaration *declaration = checker->tree->declarations[i];
        if (!declaration->problem && !declaration->used)
            ws_warning(
                checker->diagnostics, declaration->name.pos, declaration->name.width, NULL,
                "nothing uses the composite event '%s': no problem is declared for it, and no rule has it as "
                "a member",
                declaration->name.text);
    }
}
