# enter(struct state *state, void *entry, char *stack): loads every register that a program can see from the state, calls
# the entry on the stack, and stores every register back. LEVEL is 0 (SSE2), 1 (AVX2) or 2 (AVX-512).
# What it keeps for itself is in thread-local memory, since no register is free on either side of the call.

	.set GPR, 0
	.set FLAGS, 128
	.set MASKS, 192
	.set VECTORS, 256
	.set LEGACY, 2304
	.set SYSTEM_FLAGS, 0x202

	.section .tbss,"awT",@nobits
	.p2align 3
	.globl entered
entered:
host_stack:	.zero 8
target:	.zero 8
state_at:	.zero 8
kept:	.zero 17*8
	.globl entered_bytes
	.set entered_bytes, 20*8

	.section .rodata
	.p2align 2
default_mxcsr:	.long 0x1f80

	.text
	.globl enter
	.type enter,@function
enter:
	push %rbx
	push %rbp
	push %r12
	push %r13
	push %r14
	push %r15
	mov %rsp, %fs:host_stack@tpoff
	mov %rsi, %fs:target@tpoff
	mov %rdi, %fs:state_at@tpoff
	fxrstor64 LEGACY(%rdi)
	.if LEVEL == 1
	.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmovdqu VECTORS+64*\n(%rdi), %ymm\n
	.endr
	.endif
	.if LEVEL == 2
	.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vmovdqu64 VECTORS+64*\n(%rdi), %zmm\n
	.endr
	.irp n,0,1,2,3,4,5,6,7
	kmovq MASKS+8*\n(%rdi), %k\n
	.endr
	.endif
	mov %rdx, %rsp
	push FLAGS(%rdi)
	mov 0(%rdi), %rax
	mov 8(%rdi), %rcx
	mov 16(%rdi), %rdx
	mov 24(%rdi), %rbx
	mov 40(%rdi), %rbp
	mov 48(%rdi), %rsi
	mov 64(%rdi), %r8
	mov 72(%rdi), %r9
	mov 80(%rdi), %r10
	mov 88(%rdi), %r11
	mov 96(%rdi), %r12
	mov 104(%rdi), %r13
	mov 112(%rdi), %r14
	mov 120(%rdi), %r15
	popf
	mov 56(%rdi), %rdi
	call *%fs:target@tpoff
	mov %rax, %fs:kept@tpoff
	mov %rcx, %fs:kept@tpoff+8
	mov %rdx, %fs:kept@tpoff+16
	mov %rbx, %fs:kept@tpoff+24
	mov %rsp, %fs:kept@tpoff+32
	mov %rbp, %fs:kept@tpoff+40
	mov %rsi, %fs:kept@tpoff+48
	mov %rdi, %fs:kept@tpoff+56
	mov %r8, %fs:kept@tpoff+64
	mov %r9, %fs:kept@tpoff+72
	mov %r10, %fs:kept@tpoff+80
	mov %r11, %fs:kept@tpoff+88
	mov %r12, %fs:kept@tpoff+96
	mov %r13, %fs:kept@tpoff+104
	mov %r14, %fs:kept@tpoff+112
	mov %r15, %fs:kept@tpoff+120
	mov %fs:host_stack@tpoff, %rsp
	pushf
	pop %fs:kept@tpoff+128
	cld
	mov %fs:state_at@tpoff, %rdi
	fxsave64 LEGACY(%rdi)
	.if LEVEL == 1
	.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmovdqu %ymm\n, VECTORS+64*\n(%rdi)
	.endr
	vzeroupper
	.endif
	.if LEVEL == 2
	.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vmovdqu64 %zmm\n, VECTORS+64*\n(%rdi)
	.endr
	.irp n,0,1,2,3,4,5,6,7
	kmovq %k\n, MASKS+8*\n(%rdi)
	.endr
	vzeroupper
	.endif
	.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
	mov %fs:kept@tpoff+8*\n, %rax
	mov %rax, GPR+8*\n(%rdi)
	.endr
	fninit
	ldmxcsr default_mxcsr(%rip)
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbp
	pop %rbx
	ret
	.size enter,.-enter

	.globl level_of_enter
	.section .rodata
level_of_enter:	.long LEVEL
	.section .note.GNU-stack,"",@progbits
