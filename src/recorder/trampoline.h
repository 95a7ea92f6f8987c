/* Trampolines for the Fortran names of recorded functions.  A Fortran program calls mpi_send_ of the MPI's
 * Fortran layer, which calls MPI_Send: what the wrapper of MPI_Send returns to lies in that layer, and its
 * line says nothing.  So each Fortran name is defined here as well: it notes who called and goes on to the
 * next definition by a jump, with all arguments where they were.
 *
 * On machines without trampolines the names stay undefined here, and calls go to the layer as ever. */
#ifndef WS_RECORDER_TRAMPOLINE_H
#define WS_RECORDER_TRAMPOLINE_H

#include <stdint.h>

/* The call of a Fortran name that the thread made last and that no wrapper has taken yet. */
struct ws_caller {
    void *address;   /* that it returns to; NULL: there is none */
    uintptr_t stack; /* the stack pointer when it was entered */
};
extern __thread struct ws_caller ws_caller __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Farther below the trampoline a wrapper is not that of its call: Fortran layers have small frames. */
#define WS_CALLER_REACH ((uintptr_t)1 << 16)

/* Whether a wrapper with this frame is within that call, and not in a later one after a layer that did not
 * come to its wrapper (it refused the arguments). */
static inline int ws_caller_holds(const struct ws_caller *caller, uintptr_t frame)
{
    if (caller->stack - frame > WS_CALLER_REACH)
        return 0;
#if defined __x86_64__ && !defined __ILP32__
    return *(void **)caller->stack == caller->address; /* where the call pushed it */
#else
    return 1;
#endif
}

#ifdef WS_SIMULATED
/* Where the next call is to have been made, as a program says that replays another's (whyslow_place); 0: it says nothing. */
extern uintptr_t ws_told_place __attribute__((visibility("hidden")));
#endif

/* Where the call of the wrapper that asks was made; asked once, first of all. */
static inline __attribute__((always_inline)) void *ws_call_site(void)
{
    struct ws_caller caller = ws_caller;

#ifdef WS_SIMULATED
    if (__builtin_expect(ws_told_place != 0, 0)) {
        void *told = (void *)ws_told_place;
        ws_told_place = 0;
        return told;
    }
#endif
    if (!caller.address)
        return __builtin_return_address(0);
    ws_caller.address = NULL;
    return ws_caller_holds(&caller, (uintptr_t)__builtin_frame_address(0)) ? caller.address
                                                                           : __builtin_return_address(0);
}

/* Registers that no call passes anything in: rax, r11; x16, x17.  The target is resolved when it is first
 * called, by ws_trampoline_resolve (trampoline.c), which gets its variable and its name in those registers.
 */
#if defined __x86_64__ && !defined __ILP32__
#define WS_TRAMPOLINE_CODE(symbol)                                                                           \
    "endbr64\n"                                                                                              \
    "movq ws_caller@gottpoff(%rip), %r11\n"                                                                  \
    "movq (%rsp), %rax\n"                                                                                    \
    "movq %rax, %fs:(%r11)\n"                                                                                \
    "movq %rsp, %fs:8(%r11)\n"                                                                               \
    "movq ws_target_" #symbol "(%rip), %rax\n"                                                               \
    "testq %rax, %rax\n"                                                                                     \
    "jz 1f\n"                                                                                                \
    "jmp *%rax\n"                                                                                            \
    "1:\n"                                                                                                   \
    "leaq ws_target_" #symbol "(%rip), %rax\n"                                                               \
    "leaq ws_name_" #symbol "(%rip), %r11\n"                                                                 \
    "jmp ws_trampoline_resolve\n"
#elif defined __aarch64__ && !defined __ILP32__
/* "hint #34" is bti c, and where that holds a jump by x16 may land where a call may. */
#define WS_TRAMPOLINE_CODE(symbol)                                                                           \
    "hint #34\n"                                                                                             \
    "adrp x16, :gottprel:ws_caller\n"                                                                        \
    "ldr x16, [x16, #:gottprel_lo12:ws_caller]\n"                                                            \
    "mrs x17, tpidr_el0\n"                                                                                   \
    "add x16, x16, x17\n"                                                                                    \
    "mov x17, sp\n"                                                                                          \
    "stp x30, x17, [x16]\n"                                                                                  \
    "adrp x16, ws_target_" #symbol "\n"                                                                      \
    "add x16, x16, #:lo12:ws_target_" #symbol "\n"                                                           \
    "ldr x17, [x16]\n"                                                                                       \
    "cbz x17, 1f\n"                                                                                          \
    "mov x16, x17\n"                                                                                         \
    "br x16\n"                                                                                               \
    "1:\n"                                                                                                   \
    "adrp x17, ws_name_" #symbol "\n"                                                                        \
    "add x17, x17, #:lo12:ws_name_" #symbol "\n"                                                             \
    "b ws_trampoline_resolve\n"
#endif

#ifdef WS_TRAMPOLINE_CODE
/* clang-format off */
#define WS_TRAMPOLINE(symbol)                                                                                \
    __asm__(".pushsection .text\n"                                                                           \
            ".p2align 4\n"                                                                                   \
            ".globl " #symbol "\n"                                                                           \
            ".type " #symbol ", %function\n"                                                                 \
            #symbol ":\n"                                                                                    \
            ".cfi_startproc\n"                                                                               \
            WS_TRAMPOLINE_CODE(symbol)                                                                       \
            ".cfi_endproc\n"                                                                                 \
            ".size " #symbol ", . - " #symbol "\n"                                                           \
            ".popsection\n"                                                                                  \
            ".pushsection .rodata\n"                                                                         \
            "ws_name_" #symbol ": .asciz \"" #symbol "\"\n"                                                  \
            ".popsection\n"                                                                                  \
            ".local ws_target_" #symbol "\n"                                                                 \
            ".comm ws_target_" #symbol ", 8, 8\n");
/* clang-format on */
#else
#define WS_TRAMPOLINE(symbol)
#endif

#endif
