#include "diagnosis/phases.h"

#include <stdlib.h>
#include <string.h>

const char *ws_phase_at(void *info, uint32_t rank, int64_t ns)
{
    return ws_trace_phase_at(info, rank, ns);
}

struct seen { /* phases by name, and when one of them first begins */
    struct ws_phase_problems list;
    int64_t begin_ns;
    uint32_t string;
};

static int by_begin(const void *left, const void *right)
{
    const struct seen *a = left, *b = right;

    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    return strcmp(a->list.name, b->list.name);
}

static struct seen *find(struct seen **seen, size_t *count, size_t *capacity, uint32_t string)
{
    for (size_t i = 0; i < *count; i++)
        if ((*seen)[i].string == string)
            return &(*seen)[i];
    WS_PUSH(*seen, *count, *capacity) = (struct seen){.string = string, .begin_ns = INT64_MAX};
    return &(*seen)[*count - 1];
}

/* Adds a rank's time from `begin_ns` to `end_ns` to the phase. */
static void add(struct seen *seen, const char *name, int64_t begin_ns, int64_t end_ns)
{
    seen->list.name = name;
    seen->begin_ns = begin_ns < seen->begin_ns ? begin_ns : seen->begin_ns;
    if (end_ns > begin_ns)
        seen->list.total_ns = ws_add_ns(seen->list.total_ns, end_ns - begin_ns);
}

void ws_phases_fill(struct ws_findings *findings, const struct ws_trace_info *info,
                    struct ws_diagnosis *diagnosis)
{
    struct seen *seen = NULL;
    size_t count = 0, capacity = 0;

    for (uint32_t r = 0; r < info->ranks; r++) {
        const struct ws_trace_rank *rank = &info->rank[r];
        const char *name = "";
        int64_t begin_ns = rank->begin_ns;
        for (size_t p = 0; rank->present && p <= rank->phase_count; p++) {
            int64_t end_ns = p < rank->phase_count ? rank->phases[p].begin_ns : rank->end_ns;
            if (p > 0 || end_ns > begin_ns)
                add(find(&seen, &count, &capacity, ws_names_string(&findings->names, name)), name, begin_ns,
                    end_ns);
            begin_ns = end_ns;
            name = p < rank->phase_count ? rank->phases[p].name : "";
        }
    }
    if (count)
        qsort(seen, count, sizeof *seen, by_begin);
    diagnosis->phases = ws_arena_alloc(&diagnosis->arena, (count + 1) * sizeof *diagnosis->phases);
    diagnosis->phase_count = count;
    for (size_t i = 0; i < count; i++) {
        diagnosis->phases[i] = seen[i].list;
        diagnosis->phases[i].name = ws_arena_strdup(&diagnosis->arena, seen[i].list.name);
        ws_findings_group_phase(findings, seen[i].string, diagnosis->threshold_percent, &diagnosis->phases[i],
                                &diagnosis->arena);
    }
    free(seen);
}
