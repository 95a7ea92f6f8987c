/* The first jump of each trampoline: its target is looked up, with the arguments kept as they were. */
#include "recorder/recorder.h"

#include "recorder/trampoline.h"

__thread struct ws_caller ws_caller __attribute__((tls_model("initial-exec")));

/* Called by ws_trampoline_resolve below. */
__attribute__((used, visibility("hidden"))) void *ws_trampoline_target(void **target, const char *symbol);

void *ws_trampoline_target(void **target, const char *symbol)
{
    struct ws_caller caller = ws_caller; /* the linker may run code of the program */
    void *found = ws_next(symbol);

    __atomic_store_n(target, found, __ATOMIC_RELAXED);
    ws_caller = caller;
    return found;
}

#if defined __x86_64__ && !defined __ILP32__
__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".hidden ws_trampoline_resolve\n"
        ".globl ws_trampoline_resolve\n"
        ".type ws_trampoline_resolve, %function\n"
        "ws_trampoline_resolve:\n"
        ".cfi_startproc\n"
        "pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "subq $192, %rsp\n"
        "movq %rdi, (%rsp)\n"
        "movq %rsi, 8(%rsp)\n"
        "movq %rdx, 16(%rsp)\n"
        "movq %rcx, 24(%rsp)\n"
        "movq %r8, 32(%rsp)\n"
        "movq %r9, 40(%rsp)\n"
        "movq %r10, 48(%rsp)\n"
        "movaps %xmm0, 64(%rsp)\n"
        "movaps %xmm1, 80(%rsp)\n"
        "movaps %xmm2, 96(%rsp)\n"
        "movaps %xmm3, 112(%rsp)\n"
        "movaps %xmm4, 128(%rsp)\n"
        "movaps %xmm5, 144(%rsp)\n"
        "movaps %xmm6, 160(%rsp)\n"
        "movaps %xmm7, 176(%rsp)\n"
        "movq %rax, %rdi\n"
        "movq %r11, %rsi\n"
        "call ws_trampoline_target\n"
        "movq (%rsp), %rdi\n"
        "movq 8(%rsp), %rsi\n"
        "movq 16(%rsp), %rdx\n"
        "movq 24(%rsp), %rcx\n"
        "movq 32(%rsp), %r8\n"
        "movq 40(%rsp), %r9\n"
        "movq 48(%rsp), %r10\n"
        "movaps 64(%rsp), %xmm0\n"
        "movaps 80(%rsp), %xmm1\n"
        "movaps 96(%rsp), %xmm2\n"
        "movaps 112(%rsp), %xmm3\n"
        "movaps 128(%rsp), %xmm4\n"
        "movaps 144(%rsp), %xmm5\n"
        "movaps 160(%rsp), %xmm6\n"
        "movaps 176(%rsp), %xmm7\n"
        "leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "jmp *%rax\n"
        ".cfi_endproc\n"
        ".size ws_trampoline_resolve, . - ws_trampoline_resolve\n"
        ".popsection\n");
#elif defined __aarch64__ && !defined __ILP32__
__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".hidden ws_trampoline_resolve\n"
        ".globl ws_trampoline_resolve\n"
        ".type ws_trampoline_resolve, %function\n"
        "ws_trampoline_resolve:\n"
        ".cfi_startproc\n"
        "stp x29, x30, [sp, #-224]!\n"
        ".cfi_def_cfa_offset 224\n"
        ".cfi_offset x29, -224\n"
        ".cfi_offset x30, -216\n"
        "mov x29, sp\n"
        "stp x0, x1, [sp, #16]\n"
        "stp x2, x3, [sp, #32]\n"
        "stp x4, x5, [sp, #48]\n"
        "stp x6, x7, [sp, #64]\n"
        "str x8, [sp, #80]\n"
        "stp q0, q1, [sp, #96]\n"
        "stp q2, q3, [sp, #128]\n"
        "stp q4, q5, [sp, #160]\n"
        "stp q6, q7, [sp, #192]\n"
        "mov x0, x16\n"
        "mov x1, x17\n"
        "bl ws_trampoline_target\n"
        "mov x16, x0\n"
        "ldp x0, x1, [sp, #16]\n"
        "ldp x2, x3, [sp, #32]\n"
        "ldp x4, x5, [sp, #48]\n"
        "ldp x6, x7, [sp, #64]\n"
        "ldr x8, [sp, #80]\n"
        "ldp q0, q1, [sp, #96]\n"
        "ldp q2, q3, [sp, #128]\n"
        "ldp q4, q5, [sp, #160]\n"
        "ldp q6, q7, [sp, #192]\n"
        "ldp x29, x30, [sp], #224\n"
        ".cfi_restore x29\n"
        ".cfi_restore x30\n"
        ".cfi_def_cfa_offset 0\n"
        "br x16\n"
        ".cfi_endproc\n"
        ".size ws_trampoline_resolve, . - ws_trampoline_resolve\n"
        ".popsection\n");
#endif
