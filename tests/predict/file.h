/* The file that a test writes again and again, and what is done to it. */
#ifndef TESTS_PREDICT_FILE_H
#define TESTS_PREDICT_FILE_H

#include "made_up.h"

#include <stdio.h>
#include <unistd.h>

static char path[] = P_tmpdir "/whyslow-predict-XXXXXX";

static int make_file(void **state)
{
    int file = mkstemp(path);

    (void)state;
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

/* Cuts the text anywhere, which cannot be read, and makes any byte wrong, which may be.  read: reads the file and frees
 * what it held; gives what reading gave. */
static void damage_anywhere(char *text, int (*read)(void))
{
    size_t length = strlen(text);

    for (size_t i = 0; i < length; i += 7) {
        char kept = text[i];
        write_file(path, text, i);
        assert_int_equal(read(), -1);
        text[i] = (char)(kept ^ (1 << i % 7));
        write_file(path, text, length);
        (void)read();
        text[i] = kept;
    }
}

#endif
