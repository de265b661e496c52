# PROGRAM: functions that call each other under conventions of their own.
	.text
# The caller goes on using rsi and rdi, which its callee exchanges an even number of times.
	.globl exchanging
	.type exchanging,@function
exchanging:
	call exchange
	mov (%rsi), %rax
	ret
	.size exchanging,.-exchanging
	.type exchange,@function
exchange:
	mov $24, %ecx
1:	mov (%rsi), %rax
	add %rax, (%rdi)
	xchg %rsi, %rdi
	dec %ecx
	jnz 1b
	ret
	.size exchange,.-exchange
# Results in r10, rsi, r11 and rcx.
	.macro returning name, wide, narrow
	.globl through_\name
	.type through_\name,@function
through_\name:
	call returns_\name
	mov %\narrow, %eax
	ret
	.size through_\name,.-through_\name
	.type returns_\name,@function
returns_\name:
	xor %eax, %eax
	xor %\narrow, %\narrow
1:	lea 3(%\wide), %\narrow
	imul $5, %\narrow, %\narrow
	add $1, %eax
	cmp %edi, %eax
	jne 1b
	ret
	.size returns_\name,.-returns_\name
	.endm
	returning r10, r10, r10d
	returning rsi, rsi, esi
	returning r11, r11, r11d
	returning rcx, rcx, ecx
# A flag as the result: callers branch on carry.
	.globl through_carry
	.type through_carry,@function
through_carry:
	call returns_carry
	sbb %eax, %eax
	ret
	.size through_carry,.-through_carry
	.type returns_carry,@function
returns_carry:
	mov $3, %ecx
1:	mov %edi, %edx
	shr $2, %edx
	dec %ecx
	jnz 1b
	ret
	.size returns_carry,.-returns_carry
# A loop whose first instruction is a jump on the flags of the comparison before it, or of its latch; rax is live.
	.globl header_on_flags
	.type header_on_flags,@function
header_on_flags:
	push %rbp
	mov %rdi, %rcx
	xor %eax, %eax
	mov 0(%rcx), %edx
	mov 4(%rcx), %esi
	cmp %edx, %eax
	je 3f
1:	jle 2f
4:	jmp 4b
	nopl 0(%rax)
2:	add $1, %eax
	cmp %edx, %eax
	jne 1b
3:	test %esi, %esi
	jle 5f
	add %esi, %eax
5:	pop %rbp
	ret
	.size header_on_flags,.-header_on_flags
	.section .note.GNU-stack,"",@progbits
