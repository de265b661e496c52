# Data among the code, whose addresses the code takes: a table of distances that a computed jump reads, and constants that
# a loop reads in a function which also jumps through a pointer. A jump written there is another table, another constant.
	.text
	.globl choose
	.type choose, @function
choose:
	and $1, %edi
	lea 1f(%rip), %rdx
	movslq (%rdx,%rdi,4), %rdi
	lea 1f(%rip), %rdx
	add %rdx, %rdi
	jmp *%rdi
# Both tables decode as instructions.
1:	.long 2f-1b, 3f-1b
2:	jmp 4f
3:	mov $70, %eax
	ret
4:	mov $900, %eax
	ret
	.size choose, .-choose

	.globl sum
	.type sum, @function
sum:
	xor %eax, %eax
	mov $8, %ecx
	lea 7f(%rip), %r8
6:	add -8(%r8,%rcx,8), %rax
	dec %ecx
	jnz 6b
	mov %rax, %rdi
	jmp *%rsi
	.p2align 3
7:	.quad 0x0101010101010101, 0x0909090909090909, 0x2121212121212121, 0x2929292929292929
	.quad 0x0101010101010101, 0x3131313131313131, 0x1111111111111111, 0x0909090909090909
	.size sum, .-sum

	.section .note.GNU-stack, "", @progbits
