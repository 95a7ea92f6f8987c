/* The source lines at a call site.  The path comes out of the traced program's debug information, so
 * nothing is believed of it: it may name a device, a pipe or a file without end. */
#include "report/formats.h"

#include "util/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES ((off_t)64 << 20)
#define LONGEST_LINE 1024

static FILE *open_regular(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat info;
    FILE *file;

    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > MOST_BYTES) {
        close(descriptor);
        return NULL;
    }
    file = fdopen(descriptor, "r");
    if (!file)
        close(descriptor);
    return file;
}

/* Leaves the file at the beginning of the line; false where there is none. */
static bool skip_to(FILE *file, int line)
{
    int character;

    while (line > 1 && (character = getc_unlocked(file)) != EOF)
        line -= character == '\n';
    return line == 1;
}

char *ws_source_line(const char *path, int line)
{
    char buffer[LONGEST_LINE], *begin = buffer, *end;
    FILE *file;
    bool found;

    if (line <= 0 || !path[0])
        return NULL;
    file = open_regular(path);
    if (!file)
        return NULL;
    found = skip_to(file, line) && fgets(buffer, sizeof buffer, file) != NULL;
    fclose(file);
    if (!found)
        return NULL;
    begin += strspn(begin, " \t");
    end = begin + strlen(begin);
    while (end > begin && strchr(" \t\r\n", end[-1]))
        end--;
    *end = '\0';
    return *begin ? ws_strdup(begin) : NULL;
}

/* ---- the lines around ---- */

/* By the end of the name, which tells too that it is a source: a page may be passed on, and a trace may be
 * another's, so that no file is copied into it that is none. */
static const struct {
    const char *suffix, *language;
} languages[] = {
    {".c", "c"},         {".h", "c"},         {".upc", "c"},       {".i", "c"},         {".cc", "c++"},
    {".cpp", "c++"},     {".cxx", "c++"},     {".c++", "c++"},     {".C", "c++"},       {".hh", "c++"},
    {".hpp", "c++"},     {".hxx", "c++"},     {".H", "c++"},       {".tcc", "c++"},     {".tpp", "c++"},
    {".ipp", "c++"},     {".inl", "c++"},     {".cu", "c++"},      {".cuh", "c++"},     {".hip", "c++"},
    {".f", "fortran"},   {".for", "fortran"}, {".ftn", "fortran"}, {".fpp", "fortran"}, {".f77", "fortran"},
    {".f90", "fortran"}, {".f95", "fortran"}, {".f03", "fortran"}, {".f08", "fortran"}, {".F", "fortran"},
    {".FOR", "fortran"}, {".FPP", "fortran"}, {".F77", "fortran"}, {".F90", "fortran"}, {".F95", "fortran"},
    {".F03", "fortran"}, {".F08", "fortran"}, {".cuf", "fortran"}, {".CUF", "fortran"}, {".py", "python"},
    {".pyx", "python"},  {".x10", "x10"},     {".java", "java"},   {".rs", "rust"},     {".jl", "julia"},
    {".go", "go"},       {".inc", ""},        {".def", ""},        {".chpl", ""},       {".d", ""},
    {".y", ""},          {".l", ""},          {".m", ""},          {".mm", ""},         {".pas", ""},
};

/* "" where it is a source, but of an unknown language; NULL where it is none. */
static const char *language_of(const char *path)
{
    const char *suffix = strrchr(ws_base_name(path), '.');

    for (size_t i = 0; suffix && i < sizeof languages / sizeof *languages; i++)
        if (strcmp(suffix, languages[i].suffix) == 0)
            return languages[i].language;
    return NULL;
}

/* It may not be whole. */
static void drop_last_character(struct ws_text *line)
{
    while (line->length > 0 && ((unsigned char)line->bytes[line->length - 1] & 0xC0) == 0x80)
        line->length--;
    line->length -= line->length > 0;
    line->bytes[line->length] = '\0';
}

/* Takes the next line, of a long one the beginning; false at the end of the file. */
static bool take_line(FILE *file, struct ws_excerpt *excerpt)
{
    struct ws_text line = {0};
    int character = getc_unlocked(file);

    if (character == EOF)
        return false;
    for (; character != EOF && character != '\n'; character = getc_unlocked(file)) {
        if (line.length == LONGEST_LINE)
            excerpt->cut = true;
        else /* a 0 is no text: made one that is no UTF-8 either */
            ws_text_add(&line, &(char){character ? (char)character : '\xff'}, 1);
    }
    if (line.length == LONGEST_LINE)
        drop_last_character(&line);
    if (line.length > 0 && line.bytes[line.length - 1] == '\r')
        line.bytes[--line.length] = '\0';
    excerpt->lines[excerpt->count++] = line.bytes ? line.bytes : ws_strdup("");
    return true;
}

bool ws_source_excerpt(const char *path, int line, struct ws_excerpt *excerpt)
{
    struct stat info;
    const char *language = language_of(path);
    FILE *file = language && line > 0 ? open_regular(path) : NULL;
    size_t before;

    *excerpt = (struct ws_excerpt){.language = language};
    if (!file)
        return false;
    excerpt->first_line = line > WS_EXCERPT_AROUND ? line - WS_EXCERPT_AROUND : 1;
    excerpt->changed_s = fstat(fileno(file), &info) == 0 ? info.st_mtime : 0;
    before = (size_t)(line - excerpt->first_line);
    if (skip_to(file, excerpt->first_line))
        while (excerpt->count <= before + WS_EXCERPT_AROUND && take_line(file, excerpt))
            ;
    fclose(file);
    if (excerpt->count > before)
        return true;
    ws_excerpt_free(excerpt);
    return false;
}

void ws_excerpt_free(struct ws_excerpt *excerpt)
{
    for (size_t i = 0; i < excerpt->count; i++)
        free(excerpt->lines[i]);
    excerpt->count = 0;
}
