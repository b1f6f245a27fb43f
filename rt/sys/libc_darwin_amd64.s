// The jump to the function of libSystem that has another name on the other processor: see libc_darwin.s.

#include "textflag.h"

TEXT libc_fstat64_jump<>(SB), NOSPLIT, $0-0
	JMP	libc_fstat64(SB)

GLOBL	·fstatAddress(SB), RODATA, $8
DATA	·fstatAddress(SB)/8, $libc_fstat64_jump<>(SB)
