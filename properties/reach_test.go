package properties

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
)

// TestPatterns: which lanes of a warp issue.
func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		mask  uint32
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

// TestOpcodeOf: an instruction is counted by its opcode and its type, that of its source if it has two.
func TestOpcodeOf(t *testing.T) {
	for text, want := range map[string]string{
		"ld.volatile.global.v2.u32 {%r0, %r1}, [%at]": "ld.u32", "@%p bra L1_join": "bra", "ret": "ret", "@!%p add.u32 %r0, %r0, 1": "add.u32",
		"bar.red.and.pred %p, 3, %p": "bar.pred", "cvt.u64.u32 %q, %r0": "cvt.u32", "bar.sync 0": "bar",
	} {
		assert.Equal(t, want, opcodeOf(&isa.Inst{Text: text}), text)
	}
}

// TestOpcodesAreDrawn: kernels have every opcode of the table that PTX is read by, or there is a reason.
func TestOpcodesAreDrawn(t *testing.T) {
	left := map[string]bool{}
	for _, name := range ptx.Opcodes() {
		left[name] = true
	}
	for name, why := range undrawn {
		assert.True(t, left[name], name)
		assert.NotEmpty(t, why, name)
	}
	for seed := uint64(0); seed < 3000 && len(left) > len(undrawn); seed++ {
		c := Draw(seed, AllFeatures)
		text, _ := c.PTX()
		for line := range strings.Lines(text) {
			name := mnemonic(strings.TrimSpace(line))
			assert.Empty(t, undrawn[name], "seed %d: %s", seed, line)
			delete(left, name)
		}
	}
	for name := range undrawn {
		delete(left, name)
	}
	assert.Empty(t, left, "opcodes that no kernel has")
}

// TestDrawnBins: what is counted of launches and machines is in the list of bins.
func TestDrawnBins(t *testing.T) {
	names, _ := new(Coverage).Hardware()
	for seed := uint64(0); seed < 40*machineSeeds; seed += 16 {
		c := Draw(seed, AllFeatures)
		for _, name := range shapesOf(&c) {
			require.Contains(t, launchBins, name, "seed %d", seed)
		}
		for _, key := range gpu.Keys() {
			name := settingOf(&key, &c.Machine)
			require.True(t, key.Name == "divergence.mechanism" || slices.Contains(names, name), "seed %d: %s", seed, name)
		}
	}
}
