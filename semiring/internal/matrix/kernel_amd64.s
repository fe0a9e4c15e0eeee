#include "textflag.h"

// tail is 4 masks of ones and 4 of zeros: that of n numbers begins 8n bytes before its middle.
DATA tail<>+0x00(SB)/8, $-1
DATA tail<>+0x08(SB)/8, $-1
DATA tail<>+0x10(SB)/8, $-1
DATA tail<>+0x18(SB)/8, $-1
DATA tail<>+0x20(SB)/8, $0
DATA tail<>+0x28(SB)/8, $0
DATA tail<>+0x30(SB)/8, $0
DATA tail<>+0x38(SB)/8, $0
GLOBL tail<>(SB), RODATA|NOPTR, $64

// func rowTimesFMA(y, x, a *float64, rows, cols int)
//
// Eight columns at a time go through all rows, then four, then the rest; Y0 and Y1 have the
// sums of even rows, Y2 and Y3 those of odd ones.
TEXT ·rowTimesFMA(SB), NOSPLIT, $0-40
	MOVQ y+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ a+16(FP), DX
	MOVQ rows+24(FP), CX
	MOVQ cols+32(FP), BX
	LEAQ (BX*8), R8 // bytes of a row
	SUBQ $2, CX     // rows but a pair
	SUBQ $8, BX
	JLT  upTo7

eight:
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	MOVQ   DX, R9
	MOVQ   SI, R10
	MOVQ   CX, R11
	TESTQ  R11, R11
	JLT    eightLast

eightPair:
	VBROADCASTSD (R10), Y4
	VBROADCASTSD 8(R10), Y5
	VFMADD231PD  (R9), Y4, Y0
	VFMADD231PD  32(R9), Y4, Y1
	VFMADD231PD  (R9)(R8*1), Y5, Y2
	VFMADD231PD  32(R9)(R8*1), Y5, Y3
	LEAQ         (R9)(R8*2), R9
	ADDQ         $16, R10
	SUBQ         $2, R11
	JGE          eightPair

eightLast:
	CMPQ         R11, $-2
	JEQ          eightSum
	VBROADCASTSD (R10), Y4
	VFMADD231PD  (R9), Y4, Y0
	VFMADD231PD  32(R9), Y4, Y1

eightSum:
	VADDPD  Y2, Y0, Y0
	VADDPD  Y3, Y1, Y1
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	ADDQ    $64, DI
	ADDQ    $64, DX
	SUBQ    $8, BX
	JGE     eight

upTo7:
	ADDQ   $4, BX
	JLT    upTo3
	VXORPD Y0, Y0, Y0
	VXORPD Y2, Y2, Y2
	MOVQ   DX, R9
	MOVQ   SI, R10
	MOVQ   CX, R11
	TESTQ  R11, R11
	JLT    fourLast

fourPair:
	VBROADCASTSD (R10), Y4
	VBROADCASTSD 8(R10), Y5
	VFMADD231PD  (R9), Y4, Y0
	VFMADD231PD  (R9)(R8*1), Y5, Y2
	LEAQ         (R9)(R8*2), R9
	ADDQ         $16, R10
	SUBQ         $2, R11
	JGE          fourPair

fourLast:
	CMPQ         R11, $-2
	JEQ          fourSum
	VBROADCASTSD (R10), Y4
	VFMADD231PD  (R9), Y4, Y0

fourSum:
	VADDPD  Y2, Y0, Y0
	VMOVUPD Y0, (DI)
	ADDQ    $32, DI
	ADDQ    $32, DX
	SUBQ    $4, BX

upTo3:
	ADDQ    $4, BX
	JEQ     done
	LEAQ    tail<>+32(SB), R9
	MOVQ    BX, R10
	SHLQ    $3, R10
	SUBQ    R10, R9
	VMOVUPD (R9), Y15
	VXORPD  Y0, Y0, Y0
	VXORPD  Y2, Y2, Y2
	TESTQ   CX, CX
	JLT     restLast

restPair:
	VBROADCASTSD (SI), Y4
	VBROADCASTSD 8(SI), Y5
	VMASKMOVPD   (DX), Y15, Y6
	VMASKMOVPD   (DX)(R8*1), Y15, Y7
	VFMADD231PD  Y6, Y4, Y0
	VFMADD231PD  Y7, Y5, Y2
	LEAQ         (DX)(R8*2), DX
	ADDQ         $16, SI
	SUBQ         $2, CX
	JGE          restPair

restLast:
	CMPQ         CX, $-2
	JEQ          restSum
	VBROADCASTSD (SI), Y4
	VMASKMOVPD   (DX), Y15, Y6
	VFMADD231PD  Y6, Y4, Y0

restSum:
	// No masked store: what it writes cannot be read at once.
	VADDPD       Y2, Y0, Y0
	VMOVSD       X0, (DI)
	CMPQ         BX, $2
	JLT          done
	VMOVUPD      X0, (DI)
	JEQ          done
	VEXTRACTF128 $1, Y0, X0
	VMOVSD       X0, 16(DI)

done:
	VZEROUPPER
	RET

// func timesColumnFMA(y, a, x *float64, rows, cols int)
//
// Four rows at a time, with four sums each in Y0, Y1, Y2 and Y3, and then one at a time.
TEXT ·timesColumnFMA(SB), NOSPLIT, $0-40
	MOVQ    y+0(FP), DI
	MOVQ    a+8(FP), DX
	MOVQ    x+16(FP), SI
	MOVQ    rows+24(FP), CX
	MOVQ    cols+32(FP), BX
	SHLQ    $3, BX   // bytes of a row
	MOVQ    BX, R8
	ANDQ    $~31, R8 // of them in whole vectors
	MOVQ    R8, AX
	SUBQ    BX, AX   // of the others, negative
	LEAQ    tail<>+32(SB), R9
	VMOVUPD (R9)(AX*1), Y15
	SUBQ    $4, CX
	JLT     single

rows:
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	LEAQ   (DX)(BX*1), R10
	LEAQ   (DX)(BX*2), R11
	LEAQ   (R10)(BX*2), R12
	XORQ   R9, R9
	CMPQ   R9, R8
	JGE    rowsRest

rowsFour:
	VMOVUPD     (SI)(R9*1), Y4
	VFMADD231PD (DX)(R9*1), Y4, Y0
	VFMADD231PD (R10)(R9*1), Y4, Y1
	VFMADD231PD (R11)(R9*1), Y4, Y2
	VFMADD231PD (R12)(R9*1), Y4, Y3
	ADDQ        $32, R9
	CMPQ        R9, R8
	JLT         rowsFour

rowsRest:
	TESTQ       AX, AX
	JEQ         rowsSum
	VMASKMOVPD  (SI)(R9*1), Y15, Y4
	VMASKMOVPD  (DX)(R9*1), Y15, Y5
	VMASKMOVPD  (R10)(R9*1), Y15, Y6
	VMASKMOVPD  (R11)(R9*1), Y15, Y7
	VMASKMOVPD  (R12)(R9*1), Y15, Y8
	VFMADD231PD Y5, Y4, Y0
	VFMADD231PD Y6, Y4, Y1
	VFMADD231PD Y7, Y4, Y2
	VFMADD231PD Y8, Y4, Y3

rowsSum:
	VHADDPD    Y1, Y0, Y0
	VHADDPD    Y3, Y2, Y2
	VPERM2F128 $0x20, Y2, Y0, Y4
	VPERM2F128 $0x31, Y2, Y0, Y5
	VADDPD     Y5, Y4, Y0
	VMOVUPD    Y0, (DI)
	ADDQ       $32, DI
	LEAQ       (DX)(BX*4), DX
	SUBQ       $4, CX
	JGE        rows

single:
	ADDQ $4, CX
	JEQ  done

row:
	VXORPD Y0, Y0, Y0
	XORQ   R9, R9
	CMPQ   R9, R8
	JGE    rest

four:
	VMOVUPD     (SI)(R9*1), Y4
	VFMADD231PD (DX)(R9*1), Y4, Y0
	ADDQ        $32, R9
	CMPQ        R9, R8
	JLT         four

rest:
	TESTQ       AX, AX
	JEQ         sum
	VMASKMOVPD  (SI)(R9*1), Y15, Y4
	VMASKMOVPD  (DX)(R9*1), Y15, Y5
	VFMADD231PD Y5, Y4, Y0

sum:
	VHADDPD      Y0, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDSD       X1, X0, X0
	VMOVSD       X0, (DI)
	ADDQ         $8, DI
	ADDQ         BX, DX
	SUBQ         $1, CX
	JNE          row

done:
	VZEROUPPER
	RET

// func addOuterFMA(sum, x, z *float64, factor float64, rows, cols int)
//
// Y3 has what z is multiplied by in a row.
TEXT ·addOuterFMA(SB), NOSPLIT, $0-48
	MOVQ   sum+0(FP), DI
	MOVQ   x+8(FP), DX
	MOVQ   z+16(FP), SI
	VMOVSD factor+24(FP), X4
	MOVQ   rows+32(FP), CX
	MOVQ   cols+40(FP), BX
	SHLQ   $3, BX
	MOVQ   BX, R8
	ANDQ   $~31, R8

row:
	VMULSD       (DX), X4, X3
	VBROADCASTSD X3, Y3
	XORQ         R9, R9
	CMPQ         R9, R8
	JGE          rest

four:
	VMOVUPD     (SI)(R9*1), Y1
	VMOVUPD     (DI)(R9*1), Y2
	VFMADD231PD Y3, Y1, Y2
	VMOVUPD     Y2, (DI)(R9*1)
	ADDQ        $32, R9
	CMPQ        R9, R8
	JLT         four

rest:
	TESTQ       $16, BX
	JEQ         one
	VMOVUPD     (SI)(R9*1), X1
	VMOVUPD     (DI)(R9*1), X2
	VFMADD231PD X3, X1, X2
	VMOVUPD     X2, (DI)(R9*1)
	ADDQ        $16, R9

one:
	TESTQ       $8, BX
	JEQ         next
	VMOVSD      (SI)(R9*1), X1
	VMOVSD      (DI)(R9*1), X2
	VFMADD231SD X3, X1, X2
	VMOVSD      X2, (DI)(R9*1)

next:
	ADDQ $8, DX
	ADDQ BX, DI
	SUBQ $1, CX
	JNE  row
	VZEROUPPER
	RET
