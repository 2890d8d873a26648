package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/sm"
)

func reg(i int) isa.Operand    { return isa.Operand{Kind: isa.OperandReg, Index: uint16(i)} }
func imm(v uint64) isa.Operand { return isa.Operand{Kind: isa.OperandImm, Imm: v} }

func TestSmoke(t *testing.T) {
	p := &isa.Program{Name: "k", AddressBits: 64, Regs: []isa.Reg{{Name: "%r1", Type: isa.U32}, {Name: "%rd1", Type: isa.U64}, {Name: "%r2", Type: isa.U32}}}
	p.Insts = []isa.Inst{
		{Op: isa.OpMov, Type: isa.U32, NSrc: 1, NDst: 1, Src: [5]isa.Operand{{Kind: isa.OperandSpecial, Index: uint16(isa.TidX)}}, Dst: [4]isa.Operand{reg(0)}},
		{Op: isa.OpMul, Type: isa.U32, Mode: isa.ModeWide, NSrc: 2, NDst: 1, Src: [5]isa.Operand{reg(0), imm(4)}, Dst: [4]isa.Operand{reg(1)}},
		{Op: isa.OpAdd, Type: isa.U64, NSrc: 2, NDst: 1, Src: [5]isa.Operand{reg(1), imm(isa.GlobalBase)}, Dst: [4]isa.Operand{reg(1)}},
		{Op: isa.OpLd, Type: isa.U32, Space: isa.SpaceGlobal, NSrc: 1, NDst: 1, Src: [5]isa.Operand{reg(1)}, Dst: [4]isa.Operand{reg(2)}},
		{Op: isa.OpAdd, Type: isa.U32, NSrc: 2, NDst: 1, Src: [5]isa.Operand{reg(2), reg(0)}, Dst: [4]isa.Operand{reg(2)}},
		{Op: isa.OpSt, Type: isa.U32, Space: isa.SpaceGlobal, NSrc: 2, Src: [5]isa.Operand{reg(1), reg(2)}},
		{Op: isa.OpExit},
	}
	require.NoError(t, isa.Bind(p))
	isa.Analyze(p)
	cfg := Default()
	cfg.GPU.SMs = 2
	m, err := New(cfg)
	require.NoError(t, err)
	require.NoError(t, m.Store().Map(isa.GlobalBase, 4096))
	buf := make([]byte, 256)
	for i := range buf {
		buf[i] = byte(i)
	}
	require.NoError(t, m.Store().Write(isa.GlobalBase, buf))
	require.NoError(t, m.Load(sm.Kernel{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Valid: []sm.Range{{isa.GlobalBase, isa.GlobalBase + 4096}}}))
	end := m.Run(nil, 100000)
	t.Log(end, m.Cycles(), m.dispatch.Q())
	f, i, ok := m.Fault()
	t.Log(f, i, ok)
	for _, s := range m.Status() {
		t.Logf("%+v", s)
	}
	require.Equal(t, Finished, end)
	require.NoError(t, m.Store().Read(isa.GlobalBase, buf))
	t.Log(buf[:32])
	t.Log(m.SMs[0].Issue.CyclesBy(m.Core().Now()))
}
