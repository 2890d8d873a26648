package testbench_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
	"divergo/testbench"
)

// printing returns a kernel that prints one argument of 8 bytes several times in one call, and
// stores the result of vprintf.
func printing(t *testing.T, conversion string, times int, body string) *isa.Program {
	t.Helper()
	format := strings.Repeat(conversion, times) + "\x00"
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint([]byte(format)), " ", ","), "[]")
	m, err := ptx.Parse("k.ptx", []byte(fmt.Sprintf(`.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .b8 format[%d] = {%s};
.entry k(.param .u64 out)
{
	.local .align 8 .b64 block[%d];
	.reg .u32 %%t, %%n;
	.reg .u64 %%a, %%f, %%o;
	.reg .pred %%p;
	mov.u32 %%t, %%tid.x;
	ld.param.u64 %%o, [out];
	mad.wide.u32 %%o, %%t, 4, %%o;
	%s
	cvta.local.u64 %%a, block;
	cvta.global.u64 %%f, format;
	call (%%n), vprintf, (%%f, %%a);
	st.global.u32 [%%o], %%n;
	exit;
}
`, len(format), list, times, body)))
	require.NoError(t, err)
	p, err := testbench.Program(m, "k")
	require.NoError(t, err)
	require.NoError(t, p.Check())
	return p
}

func printSession(t *testing.T) *testbench.Session {
	t.Helper()
	config := gpu.Default()
	config.GPU.SMs, config.L2.Size = 2, 64<<10
	s, err := testbench.NewSession(config, testbench.Limits{MaxCycles: 1 << 24})
	require.NoError(t, err)
	return s
}

// TestPrintBufferFull fills the print buffer. A record has 511 arguments of 8 bytes and the address
// of the format, together (4096 bytes). 255 records fit into 1 MiB less 8.
func TestPrintBufferFull(t *testing.T) {
	p := printing(t, "%.0f", 511, "")
	s := printSession(t)
	out := s.Alloc(4 * 258)
	l := testbench.Launch{
		Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{258, 1, 1},
		Params: binary.LittleEndian.AppendUint64(nil, out),
	}
	require.NoError(t, s.Launch(l))
	record := []string{strings.Repeat("0", 511)}
	assert.Equal(t, testbench.Printed{Records: slices.Repeat(record, 255), Dropped: 3}, s.Runs[0].Printed)
	results := map[int32]int{}
	data := make([]byte, 4*258)
	s.Read(out, data)
	for i := range 258 {
		results[int32(binary.LittleEndian.Uint32(data[4*i:]))]++
	}
	assert.Equal(t, map[int32]int{511: 255, -2: 3}, results)

	l.Block[0] = 1 // the next launch begins with an empty buffer
	require.NoError(t, s.Launch(l))
	assert.Equal(t, testbench.Printed{Records: record}, s.Runs[1].Printed)
}

// TestPrintedStrings checks that the host reads the string at the address of a %s argument.
func TestPrintedStrings(t *testing.T) {
	for body, want := range map[string]string{
		"mov.u64 %a, format; st.local.u64 [block], %a;": "%s",
		"": "(no string at 0x0)",
	} {
		p := printing(t, "%s", 1, body)
		s := printSession(t)
		out := s.Alloc(4)
		l := testbench.Launch{
			Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1},
			Params: binary.LittleEndian.AppendUint64(nil, out),
		}
		require.NoError(t, s.Launch(l))
		assert.Equal(t, []string{want}, s.Runs[0].Printed.Records)
	}
}

// TestFaultPrintsNothing checks that an unfinished run prints nothing: its records are still in
// caches.
func TestFaultPrintsNothing(t *testing.T) {
	p := printing(t, "%ld!", 1, "st.local.u64 [block], %o;")
	s := printSession(t)
	out := s.Alloc(4 * 40)
	var outcome *testbench.Outcome
	l := testbench.Launch{
		Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1},
		Params: binary.LittleEndian.AppendUint64(nil, out),
	}
	require.ErrorAs(t, s.Launch(l), &outcome)
	require.Equal(t, gpu.Faulted, outcome.End)
	require.Zero(t, s.Runs[0].Printed)
}
