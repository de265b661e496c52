# PROGRAM: one symbol covers three hand-written functions that are called from outside; another is in the middle of code.
	.text
	.globl covering, inner_one, inner_two
	.type covering,@function
covering:
	mov %edi, %eax
	mov $4, %ecx
1:	add %ecx, %eax
	loop 1b
	ret
inner_one:
	mov $7, %r9d
	lea (%rdi,%rdi,2), %eax
	jmp 3f
inner_two:
	mov $9, %r9d
	mov %edi, %eax
3:	mov $5, %edx
2:	add %r9d, %eax
	sub $1, %edx
	jnz 2b
	ret
	.size covering,.-covering
	.globl marked
	.type marked,@function
marked:
	xor %eax, %eax
	mov $6, %ecx
1:	add %edi, %eax
	.globl within
	.type within,@function
within:
	rol $3, %eax
	dec %ecx
	.size within, 9
	jnz 1b
	ret
	.size marked,.-marked
# Falls through into the next function.
	.globl falling
	.type falling,@function
falling:
	mov $3, %edx
1:	add $2, %edi
	sub $1, %edx
	jnz 1b
	.size falling,.-falling
	.globl landing
	.type landing,@function
landing:
	lea 1(%rdi,%rdi,4), %eax
	ret
	.size landing,.-landing
# Data after a call, whose callee pops its address.
	.globl popping
	.type popping,@function
popping:
	call 1f
	.long 0x12345678, 0xffffffff
1:	pop %rdx
	mov (%rdx), %eax
	xor %edi, %eax
	ret
	.size popping,.-popping
# The first instruction jumps past the prefix of the second.
	.globl skipping
	.type skipping,@function
skipping:
	mov %edi, %eax
	test %eax, %eax
	call skipped
	ret
	.size skipping,.-skipping
	.type skipped,@function
skipped:
	jns 1f+1
1:	.byte 0xf0
	addl $1, steps(%rip)
	mov steps(%rip), %eax
	ret
	.size skipped,.-skipped
	.local steps
	.comm steps, 4
	.section .note.GNU-stack,"",@progbits
