#include "recorder/recorder.h"

#include <sys/mman.h>

void *ws_pages(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return pages == MAP_FAILED ? NULL : pages;
}

void ws_pages_free(void *pages, size_t size)
{
    if (pages)
        munmap(pages, size);
}

#define CHUNK_BYTES ((size_t)1 << 16)
#define ALIGNMENT ((size_t)16)

void *ws_keep(size_t size)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static unsigned char *chunk;
    static size_t used = CHUNK_BYTES;
    void *piece = NULL;

    if (size > CHUNK_BYTES / 4)
        return ws_pages(size);
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    pthread_mutex_lock(&lock);
    if (size > CHUNK_BYTES - used) {
        unsigned char *fresh = ws_pages(CHUNK_BYTES);
        if (fresh) {
            chunk = fresh;
            used = 0;
        }
    }
    if (size <= CHUNK_BYTES - used) {
        piece = chunk + used;
        used += size;
    }
    pthread_mutex_unlock(&lock);
    return piece;
}
