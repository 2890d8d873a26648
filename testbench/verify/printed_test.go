package verify

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/golden"
)

// speak returns the output and the result of a thread of print.cu, in Go.
func speak(t int32) (printed []string, result int32) {
	if t%3 == 0 {
		for n := t % 5; n > 0; n-- {
			printed = append(printed, fmt.Sprintf("%*d: %6.2f\n", n, t, 0.25*float64(n)*float64(t)))
			result++
		}
		printed = append(printed, fmt.Sprintf("%d is down, %%\n", t))
		result++
	} else {
		printed = append(printed, fmt.Sprintf("%c %s %x %d\n", 'a'+t%26, [2]string{"even", "odd"}[t&1],
			int64(t)<<40, t))
		result = 4
	}
	for range t & 3 {
		printed = append(printed, "again\n") // a record without arguments
	}
	return printed, result
}

// TestPrinted checks that the output is the same under every mechanism, in some order.
func TestPrinted(t *testing.T) {
	p := load(t, "testdata/print.ptx")
	c := p.runs[0]
	threads := int32(c.grid[0] * c.block[0])
	var want []string
	for i := range threads {
		printed, _ := speak(i)
		want = append(want, printed...)
	}
	slices.Sort(want)
	for _, m := range divergence.Mechanisms() {
		config := small()
		config.GPU.SMs = 2
		config.Divergence.Mechanism = m.Name
		s := session(t, config)
		for launch := range 2 {
			l := c.launch(t, s, p.module)
			require.NoError(t, s.Launch(l), m.Name)
			printed := s.Runs[launch].Printed
			require.Zero(t, printed.Dropped)
			require.Equal(t, want, slices.Sorted(slices.Values(printed.Records)), m.Name)
			for i := range threads {
				data := make([]byte, 4)
				s.Read(binary.LittleEndian.Uint64(l.Params)+uint64(4*i), data)
				_, result := speak(i)
				require.Equal(t, result, int32(binary.LittleEndian.Uint32(data)), "thread %d", i)
			}
		}
	}
}

// TestPrintedDiffers checks that a record of only one side is a difference.
func TestPrintedDiffers(t *testing.T) {
	p := load(t, "testdata/print.ptx")
	s := session(t, small())
	r := loaded(t, s, p.runs[0].launch(t, s, p.module))
	_, memory, err := r.golden(golden.Options{})
	require.NoError(t, err)
	model, err := testbench.ReadPrinted(r.launch.Prog, memory.Read)
	require.NoError(t, err)
	machine := slices.Clone(model.Records)
	slices.Reverse(machine)
	judge := func() *Mismatch {
		s.Runs = []testbench.Run{{Printed: testbench.Printed{Records: machine}}}
		d := &Mismatch{Launch: r.launch}
		require.NoError(t, r.comparePrinted(d, memory))
		return d
	}
	require.Empty(t, judge().Printed)
	machine[0] = "another\n"
	d := judge()
	require.True(t, d.differs())
	require.Len(t, d.Printed, 2)
	require.ErrorContains(t, d, `printed 1 times, by the golden model 0 times: "another\n"`)
}
