package isa_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
)

// loop is a kernel of three blocks: thread t executes t+1 rounds.
func loop() *isa.Program {
	count := isa.Operand{Kind: isa.OperandReg, Index: 0}
	more := isa.Operand{Kind: isa.OperandPred, Index: 0}
	tid := isa.Operand{Kind: isa.OperandSpecial, Index: uint16(isa.TidX)}
	return &isa.Program{
		Name: "spin", File: "spin.ptx", Files: []string{"spin.cu"},
		Regs: []isa.Reg{{Name: "%r1", Type: isa.U32}}, Preds: []string{"%p1"},
		Params: []isa.Param{{Name: "out", Type: isa.U64, Size: 8, Align: 8}}, ParamBytes: 8, SharedBytes: 128,
		Labels: []isa.Label{{Name: "LOOP", PC: 1}},
		Insts: []isa.Inst{
			{
				Op: isa.OpMov, Type: isa.U32, NDst: 1, Dst: [4]isa.Operand{count}, NSrc: 1,
				Src:  [isa.MaxSrcs]isa.Operand{{Kind: isa.OperandImm}},
				Text: "mov.u32 %r1, 0", Pos: isa.Pos{Line: 7, Col: 2},
			},
			{
				Op: isa.OpAdd, Type: isa.U32, NDst: 1, Dst: [4]isa.Operand{count}, NSrc: 2,
				Src:  [isa.MaxSrcs]isa.Operand{count, {Kind: isa.OperandImm, Imm: 1}},
				Text: "add.u32 %r1, %r1, 1", Pos: isa.Pos{Line: 9, Col: 2}, Loc: isa.Loc{File: 0, Line: 3},
			},
			{
				Op: isa.OpSetp, Type: isa.U32, SrcType: isa.U32, Cmp: isa.CmpLe, NDst: 1, Dst: [4]isa.Operand{more},
				NSrc: 2, Src: [isa.MaxSrcs]isa.Operand{count, tid},
				Text: "setp.le.u32 %p1, %r1, %tid.x", Pos: isa.Pos{Line: 10, Col: 2}, Loc: isa.Loc{File: 0, Line: 3},
			},
			{Op: isa.OpBra, Guard: more, Target: 1, Text: "bra LOOP", Pos: isa.Pos{Line: 11, Col: 2}},
			{
				Op: isa.OpExit, Guard: isa.Operand{Kind: isa.OperandPred, Not: true}, Text: "exit",
				Pos: isa.Pos{Line: 12, Col: 2},
			},
			{Op: isa.OpRet, Text: "ret", Pos: isa.Pos{Line: 13, Col: 2}},
		},
	}
}

// The listing was written by hand, from the description of the format at Fprint.
const listing = `kernel spin
  6 instructions, 4 blocks
  registers: 1 declared, 1 predicates, 1 x 32 bits live at most
  memory: 8 bytes of parameters, 128 shared, 0 local
  param   0  out

B0  from -  to B1  meets at B1
    0  mov.u32 %r1, 0                                             spin.ptx:7

B1  from B0 B1  to B2 B1  meets at B2  (LOOP)
    1  add.u32 %r1, %r1, 1                                        spin.cu:3
    2  setp.le.u32 %p1, %r1, %tid.x                               spin.cu:3
    3  @%p1 bra LOOP                                              spin.ptx:11
       taken to 1 (B1), reconverges at 4 (B2), class P

B2  from B1  to B3 exit  meets at exit
    4  @!%p1 exit                                                 spin.ptx:12

B3  from B2  to exit  meets at exit
    5  ret                                                        spin.ptx:13
`

func TestListing(t *testing.T) {
	p := loop()
	isa.Analyze(p)
	require.NoError(t, p.Check())
	assert.Equal(t, listing, p.String())
}

func TestAnalyzeTwice(t *testing.T) {
	p := loop()
	isa.Analyze(p)
	first := p.String()
	isa.Analyze(p)
	assert.Equal(t, first, p.String())
}

func ExampleAnalyze() {
	p := loop()
	isa.Analyze(p)
	bra := &p.Insts[3]
	fmt.Println(p.Mnemonic(3))
	fmt.Println("reconverges at", p.Mnemonic(bra.Reconv))
	fmt.Println("programmatic:", bra.Class == isa.ClassProgrammatic)
	fmt.Println("same for all threads of a CTA:", bra.Uniform)
	// Output:
	// @%p1 bra LOOP
	// reconverges at @!%p1 exit
	// programmatic: true
	// same for all threads of a CTA: false
}
