#include "textflag.h"

// func prefetch(addresses []uintptr)
TEXT ·prefetch(SB), NOSPLIT, $0-24
	MOVQ addresses_base+0(FP), SI
	MOVQ addresses_len+8(FP), CX
	JMP  more

next:
	MOVQ        (SI), AX
	PREFETCHT0  (AX)
	ADDQ        $8, SI
	DECQ        CX

more:
	TESTQ CX, CX
	JNZ   next
	RET
