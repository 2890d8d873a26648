package properties

import (
	"encoding/binary"
	"slices"
	"testing"

	"divergo/gpu"
	"divergo/internal/forall"
	"divergo/isa"
	"divergo/properties/draw"
	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench/golden"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPatterns checks the classification of issuing lanes.
func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		mask  uint64
		lanes int
		want  pattern
	}{
		{0xffff_ffff, 32, patternFull},
		{0xf, 4, patternFull},
		{0xf, 8, patternSome},
		{1, 32, patternOne},
		{0x8000_0000, 32, patternOne},
		{0x5555_5555, 32, patternAlternating},
		{0xaaaa, 16, patternAlternating},
		{0x5, 4, patternAlternating},
		{0x5, 8, patternSome},
	} {
		assert.Equal(t, c.want, patternOf(c.mask, c.lanes), "%#x of %d lanes", c.mask, c.lanes)
	}
}

// TestOpcodeOf checks that an instruction is counted by its opcode and its type, with two types by
// that of its source.
func TestOpcodeOf(t *testing.T) {
	for text, want := range map[string]string{
		"ld.volatile.global.v2.u32 {%r0, %r1}, [%at]": "ld.u32", "@%p bra L1_join": "bra", "ret": "ret",
		"@!%p add.u32 %r0, %r0, 1":   "add.u32",
		"bar.red.and.pred %p, 3, %p": "bar.pred", "cvt.u64.u32 %q, %r0": "cvt.u32", "bar.sync 0": "bar",
	} {
		assert.Equal(t, want, opcodeOf(&isa.Inst{Text: text}).name, text)
	}
}

// TestDrawnBins checks that the counts of launches and machines are in the list of bins.
func TestDrawnBins(t *testing.T) {
	names, _ := new(Coverage).Hardware()
	for seed := range uint64(40 * draw.MachineSeeds) {
		c := draw.New(seed, draw.AllFeatures)
		for _, name := range shapesOf(&c) {
			require.Contains(t, launchBins, name, "seed %d", seed)
		}
		for _, key := range gpu.Keys() {
			name := settingOf(&key, &c.Machine)
			require.True(t, key.Name == "divergence.mechanism" || slices.Contains(names, name), "seed %d: %s",
				seed, name)
		}
	}
}

// TestOutcomes checks that each change of a slot is a bin of its mechanism, and that required
// changes that never occurred have bins too.
func TestOutcomes(t *testing.T) {
	slot := func(wait divergence.Wait, mask uint64) *divergence.Slot {
		return &divergence.Slot{Valid: mask != 0, Wait: wait, Mask: mask}
	}
	was := slot(divergence.WaitsControl, 0b0110)
	for want, is := range map[becomes]*divergence.Slot{
		becomesSame: slot(divergence.Runs, 0b0110), becomesPart: slot(divergence.Runs,
			0b0100), becomesOther: slot(divergence.Runs, 0b1001), becomesMore: slot(divergence.Runs, 0b1110),
		becomesBarrier: slot(divergence.WaitsBarrier, 0b0110), becomesJoin: slot(divergence.WaitsJoin,
			0b0110), becomesControl: slot(divergence.WaitsControl, 0b0110), becomesGone: slot(divergence.Runs, 0),
	} {
		assert.Equal(t, want, becomesOf(was, is))
	}
	k, err := (&draw.Case{
		Machine: draw.Plain(8), Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{8, 1, 1},
		Kernel: draw.Kernel{Body: []draw.Stmt{{Kind: draw.Put}}, Words: 64},
	}).Compile()
	require.NoError(t, err)
	c := &Coverage{}
	f, err := (&runner{Coverage: c}).Check(k, "token")
	require.NoError(t, err)
	require.Nil(t, f)
	names, counts := c.Hardware()
	bins := map[string]uint64{}
	for i, name := range names {
		bins[name] = counts[i]
	}
	assert.EqualValues(t, 1, bins["outcome: token: exit, all lanes: the slot is free"])
	for _, name := range []string{
		"outcome: token: branch, some lanes",
		"outcome: token: a spill above at most 4 words",
	} {
		n, there := bins[name]
		assert.True(t, there && n == 0, name)
	}
	assert.NotContains(t, bins, "outcome: token: branch, some lanes: the slot part goes on")
	assert.NotContains(t, bins, "outcome: pdom: branch, some lanes")
}

// TestEveryForm compares computing instructions on the machine and in the golden model, with each
// type and each modifier of the instruction table. It also checks that kernels have all of them
// eventually.
func TestEveryForm(t *testing.T) {
	const together = 32
	var r runner
	for first := 0; first < len(ptx.Forms()); first += together {
		if forall.LeftOut(first/together, 4) {
			continue
		}
		body := []draw.Stmt{{Kind: draw.Get, D: 1, N: 1}}
		for i := range together {
			body = append(body, draw.Stmt{Kind: draw.Form, N: first + i, D: i, A: i + 1, B: i + 2},
				draw.Stmt{Kind: draw.Compute, Op: 4, D: i + 3, A: i, B: i + 1})
		}
		k, err := (&draw.Case{
			Machine: draw.Plain(8), Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{8, 1, 1},
			Kernel: draw.Kernel{Body: append(body, draw.Stmt{Kind: draw.Put}), Words: 64},
		}).Compile()
		require.NoError(t, err)
		f, err := r.Check(k, "pdom")
		require.NoError(t, err)
		require.Nil(t, f)
	}
	left := map[string]bool{}
	for _, form := range ptx.Forms() {
		left[draw.Mnemonic(form)] = true
	}
	for seed := uint64(0); len(left) > 0 && seed < 5000; seed++ {
		c := draw.New(seed, draw.AllFeatures)
		c.Kernel.Each(func(s *draw.Stmt, _ int) {
			if s.Kind == draw.Form {
				delete(left, draw.Mnemonic(ptx.Forms()[s.N]))
			}
		})
	}
	assert.Empty(t, left)
}

// TestMessages checks that CTAs of some kernels find the messages of other SMs, in each variant, on
// a machine with several SMs.
func TestMessages(t *testing.T) {
	var r runner
	for way := range 14 {
		machine := draw.Plain(8)
		machine.GPU.SMs, machine.SM.CTAs = 2, 1
		c := draw.Case{
			Machine: machine, Grid: [3]uint32{5, 1, 1}, Block: [3]uint32{16, 1, 1},
			Kernel: draw.Kernel{Body: []draw.Stmt{{Kind: draw.Put}}, Words: 64, Message: 1 + way},
		}
		k, err := c.Compile()
		require.NoError(t, err)
		f, err := r.Check(k, "pdom")
		require.NoError(t, err)
		require.Nil(t, f, way)
		want, memory := run(t, k, golden.Options{})
		require.Equal(t, golden.Finished, want.End)
		board := memory[len(memory)-1]
		found := board[len(board)-4*16:]
		for thread := range 16 {
			odd := uint32(1) // the messages of the correspondents 0, 1, 2 and 4
			for _, cta := range []uint32{0, 1, 2, 4} {
				gid := cta*16 + uint32(thread)
				odd *= 2*gid + 1
			}
			if way >= 7 && way < 10 { // the last thread may find it before others have arrived
				odd = 0
			}
			assert.Equal(t, odd, binary.LittleEndian.Uint32(found[4*thread:]), "way %d, thread %d", way, thread)
		}
	}
}

// TestFetch checks reads of constant and parameter memory in each width.
func TestFetch(t *testing.T) {
	var r runner
	all := ""
	for typ := range 14 {
		var body []draw.Stmt
		for i := range 16 {
			body = append(body, draw.Stmt{
				Kind: draw.Fetch, Type: uint8(typ), Wide: uint8(i % 3), Alt: i&4 != 0,
				Generic: i&8 != 0, D: i, A: i + 1, N: 3 * i,
			})
		}
		k, err := (&draw.Case{
			Machine: draw.Plain(8), Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{8, 1, 1},
			Kernel: draw.Kernel{
				Body:  append(body, draw.Stmt{Kind: draw.Put}, draw.Stmt{Kind: draw.Put, A: 1, N: 1}),
				Words: 64,
			},
		}).Compile()
		require.NoError(t, err)
		f, err := r.Check(k, "pdom")
		require.NoError(t, err)
		require.Nil(t, f, typ)
		all += k.Text
	}
	for _, text := range []string{
		"ld.const.u8 ", "ld.const.v2.s16 ", "ld.const.v4.u32 ", "ld.const.f64 ", "ld.v4.u32 ",
		"ld.param.b64 ", "ld.param.v2.u8 ", "ld.param.s16 ", "cvta.const.u64 ",
	} {
		assert.Contains(t, all, text)
	}
}
