/* What the recorder knows of OpenSHMEM: who this PE is, and the active sets of its collective operations. */
#include "support.h"

#include <link.h>
#include <stdio.h>

int32_t ws_me, ws_all;
uintptr_t ws_image_begin, ws_image_end;

/* ---- active sets ---- */

struct set {
    uint32_t index, id;
    int32_t start, log_stride, size;
};
static struct ws_table sets = WS_TABLE;

static int32_t member_of(const void *of, int32_t i)
{
    const struct set *set = of;

    return ws_member(set->start, set->log_stride, i);
}

/* Exact for what there can be: 2^29 PEs. */
static uint64_t set_key(int start, int log_stride, int size)
{
    return (uint64_t)(uint32_t)start << 35 | (uint64_t)(log_stride & 31) << 30 |
           ((uint64_t)size & 0x3fffffff);
}

static struct set *add_set(uint64_t key, int start, int log_stride, int size)
{
    static uint32_t last_index = WS_COMM_SELF_ID;
    struct set *set = ws_keep(sizeof *set);

    if (!set)
        return NULL;
    *set = (struct set){.index = ++last_index,
                        .id = ws_identity(ws_mix(1, key)),
                        .start = start,
                        .log_stride = log_stride,
                        .size = size};
    if (!ws_table_put(&sets, key, set))
        return NULL;
    ws_describe_comm(set->index, set->id, size, member_of, set);
    return set;
}

uint32_t ws_set_find(int start, int log_stride, int size)
{
    uint64_t key = set_key(start, log_stride, size);
    struct set *set = ws_table_get(&sets, key);

    if (set)
        return set->index;
    if (start < 0 || log_stride < 0 || log_stride > 30 || size < 1 || size > ws_all)
        return 0; /* a mistake of the program's */
    pthread_mutex_lock(&sets.lock);
    set = ws_table_get(&sets, key);
    if (!set)
        set = add_set(key, start, log_stride, size);
    pthread_mutex_unlock(&sets.lock);
    return set ? set->index : 0;
}

/* ---- start and end ---- */

void ws_before_shmem_init(void)
{
    ws_recorder_prepare();
}

void ws_before_shmem_init_thread(int requested, int *provided)
{
    (void)requested;
    (void)provided;
    ws_recorder_prepare();
}

void ws_before_start_pes(int npes)
{
    (void)npes;
    ws_recorder_prepare();
}

/* The first module is the program itself. */
static int find_image(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD)
            continue;
        if (!ws_image_end)
            ws_image_begin = begin;
        ws_image_end = begin + segment->p_memsz;
    }
    return 1;
}

/* "OpenSHMEM 1.4 (Open MPI)", as far as the library tells it. */
static void name_library(char *words, size_t size)
{
    void (*get_name)(char *) = (void (*)(char *))ws_look_up("shmem_info_get_name");
    void (*get_version)(int *, int *) = (void (*)(int *, int *))ws_look_up("shmem_info_get_version");
    char name[1024] = ""; /* more than SHMEM_MAX_NAME_LEN anywhere */
    int major = 0, minor = 0;

    if (get_name)
        get_name(name);
    name[sizeof name - 1] = '\0';
    if (get_version)
        get_version(&major, &minor);
    if (major)
        snprintf(words, size, "OpenSHMEM %d.%d (%.200s)", major, minor, name[0] ? name : "unnamed");
    else
        snprintf(words, size, "OpenSHMEM");
}

static void start(void)
{
    int (*my_pe)(void) = (int (*)(void))ws_look_up("shmem_my_pe");
    int (*n_pes)(void) = (int (*)(void))ws_look_up("shmem_n_pes");
    char library[256];

    if (!my_pe) /* before 1.2 */
        my_pe = (int (*)(void))ws_next("_my_pe");
    if (!n_pes)
        n_pes = (int (*)(void))ws_next("_num_pes");
    ws_me = my_pe();
    ws_all = n_pes();
    dl_iterate_phdr(find_image, NULL);
    name_library(library, sizeof library);
    ws_recorder_join((uint32_t)ws_me, (uint32_t)ws_all, library);
}

void ws_after_shmem_init(void)
{
    start();
}

void ws_after_shmem_init_thread(int result, int requested, int *provided)
{
    (void)requested;
    (void)provided;
    if (result == 0)
        start();
}

void ws_after_start_pes(int npes)
{
    (void)npes;
    start();
}

void ws_before_shmem_finalize(void)
{
    ws_recorder_finish();
}

void ws_before_shmem_global_exit(int status)
{
    (void)status;
    ws_recorder_finish();
}

void ws_before_globalexit(int status)
{
    (void)status;
    ws_recorder_finish();
}

/* A program may end without shmem_finalize. */
static __attribute__((destructor)) void end_of_process(void)
{
    ws_recorder_finish();
}
