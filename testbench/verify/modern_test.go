package verify

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
	"divergo/testbench"
)

// gives are the values that a run leaves in the buffer of a parameter. The file lists the first
// ones: "gives 2 u32 1 2 3".
type gives struct {
	param int
	bytes []byte
}

// expected reads the expected values of each run from the comment of a file.
func expected(t *testing.T, file string) (list [][]gives) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		words, is := strings.CutPrefix(line, "//\t")
		if !is {
			continue
		}
		w := strings.Fields(words)
		switch w[0] {
		case "divergo":
			list = append(list, nil)
		case "gives":
			param, err := strconv.Atoi(w[1])
			require.NoError(t, err)
			arg, err := testbench.ParseArg("buf:"+w[2]+":"+strings.Join(w[3:], ","), 0)
			require.NoError(t, err, line)
			last := &list[len(list)-1]
			*last = append(*last, gives{param, arg.Data})
		}
	}
	return list
}

// TestModern runs programs in the style of today's compilers. Each states its results in memory;
// machine and golden model must agree as well.
func TestModern(t *testing.T) {
	files, err := filepath.Glob("testdata/modern/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i, d := range divergence.Mechanisms() {
		if testing.Short() && i%4 != 0 {
			continue
		}
		c := small()
		c.Divergence.Mechanism = d.Name
		for _, file := range files {
			p, want := load(t, file), expected(t, file)
			require.Len(t, want, len(p.runs))
			t.Run(d.Name+"/"+p.name, func(t *testing.T) {
				s := session(t, c)
				for i, r := range p.runs {
					name := fmt.Sprintf("run %d: %s", i, r.kernel)
					prog, err := testbench.Program(p.module, r.kernel)
					require.NoError(t, err, name)
					bank, buffers, err := s.Place(prog, r.args)
					require.NoError(t, err, name)
					require.NoError(t, Run(s, testbench.Launch{
						Prog: prog, Grid: r.grid, Block: r.block,
						Shared: r.shared, Params: bank,
					}), name)
					require.NotEmpty(t, want[i], name)
					for _, g := range want[i] {
						for _, b := range buffers {
							if b.Param == g.param {
								got := make([]byte, len(g.bytes))
								s.Read(b.Addr, got)
								require.True(t, bytes.Equal(g.bytes, got), "%s, parameter %d:\ngot  % x\nwant % x",
									name, g.param, got, g.bytes)
							}
						}
					}
				}
			})
		}
	}
}

// TestPairs checks that an access of 32 bytes is aligned to 32, and that its halves are no accesses
// of their own.
func TestPairs(t *testing.T) {
	const text = `.version 8.8
.target sm_100
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b64 %rd<5>;
	ld.param.u64 %rd0, [out];
	%s
	ret;
}
`
	for body, want := range map[string]string{
		"ld.global.v4.b64 {%rd1, %rd2, %rd3, %rd4}, [%rd0+32];": "",
		"ld.global.v4.b64 {%rd1, %rd2, %rd3, %rd4}, [%rd0+16];": "misaligned",
		"st.global.v4.b64 [%rd0+48], {%rd1, %rd2, %rd3, %rd4};": "misaligned",
		"ld.global.v4.b64 {%rd1, %rd2, %rd3, %rd4}, [%rd0+96];": "out of bounds",
	} {
		c := small()
		c.GPU.SMs = 1
		_, err := runKernel(t, c, strings.Replace(text, "%s", body, 1), 1, make([]byte, 80))
		if want == "" {
			require.NoError(t, err, body)
			continue
		}
		require.ErrorContains(t, err, want, body)
		require.NotContains(t, err.Error(), "differ", body)
	}
}
