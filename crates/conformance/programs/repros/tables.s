# A jump through a table of which some entries lead past a symbol in the middle: r12 is dead where the first leads, and
# live where the others do.
	.text
	.globl select
	.type select, @function
select:
	xor %edx, %edx
1:	add $1, %edx
	cmp $4, %edx
	jl 1b
	and $3, %edi
	lea table(%rip), %rax
	movslq (%rax,%rdi,4), %rdx
	add %rax, %rdx
	jmp *%rdx
first:
	mov $17, %r12d
2:	sub $1, %r12d
	jne 2b
	jmp last
	.globl middle
	.type middle, @function
middle:
	add $1, %r12
	jmp last
second:
	add $2, %r12
	jmp last
third:
	add $3, %r12
last:	mov %r12, %rax
	ret
	.size select, middle-select
	.section .rodata
	.p2align 2
table:
	.long first-table
	.long middle-table
	.long second-table
	.long third-table
	.section .note.GNU-stack,"",@progbits
