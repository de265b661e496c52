# Backup archive: the chunk digest, eight lanes of one word each.
# void archive_digest(const uint64_t *from, const uint64_t *to, uint64_t lane[8])
        .text
        .globl  archive_digest
        .type   archive_digest, @function
archive_digest:
        pushq   %rbx
        pushq   %rbp
        pushq   %r12
        movq    0(%rdx), %rax
        movq    8(%rdx), %rbx
        movq    16(%rdx), %rcx
        movq    24(%rdx), %rbp
        movq    32(%rdx), %r8
        movq    40(%rdx), %r9
        movq    48(%rdx), %r10
        movq    56(%rdx), %r11
        movabsq $0x9e3779b97f4a7c15, %r12
        .p2align 5
.Lblock:
        addq    0(%rdi), %rax
        rolq    $13, %rax
        xorq    %r12, %rax
        rolq    $29, %rax
        addq    8(%rdi), %rbx
        rolq    $17, %rbx
        xorq    %r12, %rbx
        rolq    $31, %rbx
        addq    16(%rdi), %rcx
        rolq    $19, %rcx
        xorq    %r12, %rcx
        rolq    $37, %rcx
        addq    24(%rdi), %rbp
        rolq    $23, %rbp
        xorq    %r12, %rbp
        rolq    $41, %rbp
        addq    32(%rdi), %r8
        rolq    $11, %r8
        xorq    %r12, %r8
        rolq    $43, %r8
        addq    40(%rdi), %r9
        rolq    $7, %r9
        xorq    %r12, %r9
        rolq    $47, %r9
        addq    48(%rdi), %r10
        rolq    $5, %r10
        xorq    %r12, %r10
        rolq    $53, %r10
        addq    56(%rdi), %r11
        rolq    $3, %r11
        xorq    %r12, %r11
        rolq    $59, %r11
        addq    $64, %rdi
        cmpq    %rsi, %rdi
        jb      .Lblock
        movq    %rax, 0(%rdx)
        movq    %rbx, 8(%rdx)
        movq    %rcx, 16(%rdx)
        movq    %rbp, 24(%rdx)
        movq    %r8, 32(%rdx)
        movq    %r9, 40(%rdx)
        movq    %r10, 48(%rdx)
        movq    %r11, 56(%rdx)
        popq    %r12
        popq    %rbp
        popq    %rbx
        ret
        .size   archive_digest, . - archive_digest
        .section .note.GNU-stack, "", @progbits
