/* As Java does for Managed X10: the run-time library is loaded for the caller alone, and called by a library that is
 * loaded with it (the JNI part). */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = dlopen("libx10rt_jni.so", RTLD_NOW | RTLD_LOCAL);
    int (*run)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "run_managed") : NULL;

    if (!run) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    return run(argc, argv);
}
