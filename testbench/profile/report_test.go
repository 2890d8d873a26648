package profile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/testbench"
	"divergo/testbench/profile"
)

// odd is a kernel in which the odd threads increment a word.
const odd = `.version 4.2
.target sm_35
.address_size 64
.file 1 "odd.cu"
.entry odd(.param .u64 data) {
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<3>;
	.loc 1 3 0
	mov.u32 %r1, %tid.x;
	ld.param.u64 %rd1, [data];
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	.loc 1 4 0
	and.b32 %r2, %r1, 1;
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra DONE;
	.loc 1 5 0
	ld.global.u32 %r3, [%rd2];
	add.u32 %r3, %r3, 1;
	st.global.u32 [%rd2], %r3;
DONE:
	.loc 1 6 0
	exit;
}`

const oddSource = "KERNEL odd(uint *data)\n{\n    uint i = threadIdx.x;\n    if (i & 1)\n        data[i]++;\n}"

// profiled runs odd with two warps, one of them half full, under a mechanism.
func profiled(mechanism string) (*profile.Profile, error) {
	m, err := ptx.Parse("odd.ptx", []byte(odd))
	if err != nil {
		return nil, err
	}
	prog, err := testbench.Program(m, "")
	if err != nil {
		return nil, err
	}
	cfg := gpu.Default()
	cfg.GPU.SMs, cfg.Divergence.Mechanism = 1, mechanism
	s, err := testbench.NewSession(cfg, testbench.Limits{})
	if err != nil {
		return nil, err
	}
	p := profile.Attach(s)
	arg, err := testbench.ParseArg("buf:zero:192", 1)
	if err != nil {
		return nil, err
	}
	bank, _, err := s.Place(prog, []testbench.Arg{arg})
	if err != nil {
		return nil, err
	}
	return p, s.Launch(testbench.Launch{Prog: prog, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{48, 1, 1}, Params: bank})
}

func source(file string) []string {
	if file == "odd.cu" {
		return strings.Split(oddSource, "\n")
	}
	return nil
}

// TestLines checks the counts of each line, derived by hand. One warp has 32 threads, whose words
// lie in two lines of the L1; the other has 16, with one line.
func TestLines(t *testing.T) {
	p, err := profiled("pdom")
	require.NoError(t, err)
	kernels := p.Kernels()
	require.Len(t, kernels, 1)
	type line struct {
		executed, lanes              uint64
		of32, of16, of8              uint64
		branches, diverged           uint64
		accesses, lines, hit, misses uint64
	}
	want := map[string]line{
		"odd.cu:3": {executed: 6, lanes: 144, of32: 3, of16: 3},
		"odd.cu:4": {executed: 6, lanes: 144, of32: 3, of16: 3, branches: 2, diverged: 2},
		"odd.cu:5": {executed: 6, lanes: 72, of16: 3, of8: 3, accesses: 4, lines: 6, misses: 3},
		"odd.cu:6": {executed: 2, lanes: 48, of32: 1, of16: 1},
		":0":       {},
	}
	got := map[string]line{}
	for _, l := range kernels[0].Lines {
		got[fmt.Sprintf("%s:%d", l.File, l.Number)] = line{
			l.Issued, l.Lanes, l.Active[32], l.Active[16], l.Active[8],
			l.Branches, l.Divergent, l.Accesses, l.Lines, l.Found[0], l.Found[2],
		}
	}
	assert.Equal(t, want, got)
}

// TestForms checks that the tables, the JSON and the page agree, for one run and for two.
func TestForms(t *testing.T) {
	r := profile.Report{Title: "odd", Source: source}
	for i, mechanism := range []string{"pdom", "tbc"} {
		p, err := profiled(mechanism)
		require.NoError(t, err)
		r.Runs = append(r.Runs, profile.Run{Name: mechanism, WarpSize: 32, Kernels: p.Kernels()})
		var text, page bytes.Buffer
		require.NoError(t, r.Print(&text))
		require.NoError(t, r.Page(&page))
		data, err := json.Marshal(r.JSON())
		require.NoError(t, err)
		var back struct {
			Schema string
			Runs   []struct {
				Kernels []struct {
					Lines []struct {
						File, Source string
						Line         int
						Stats        map[string]any
						Instructions []struct {
							PC          int
							Text, Class string
						}
					}
				}
			}
		}
		require.NoError(t, json.Unmarshal(data, &back))
		assert.Equal(t, "divergo.profile.v1", back.Schema)
		require.Len(t, back.Runs, i+1)
		line := back.Runs[i].Kernels[0].Lines[1]
		assert.Equal(t, "odd.cu", line.File)
		assert.Equal(t, 4, line.Line)
		assert.Equal(t, "if (i & 1)", line.Source)
		assert.EqualValues(t, 6, line.Stats["warp_instructions"])
		assert.EqualValues(t, 24, line.Stats["mean_active_lanes"])
		assert.EqualValues(t, 2, line.Stats["divergent_branches"])
		require.Len(t, line.Instructions, 3)
		assert.Equal(t, 5, line.Instructions[2].PC)
		assert.Equal(t, "P", line.Instructions[2].Class)
		if i == 0 {
			assert.Regexp(t, `(?m)^odd\.cu:4 +6 +24\.0000 +2 +0 +0 .* if \(i & 1\)$`, text.String())
			assert.Regexp(t, `(?m)^ *5 +odd\.cu:4 +P +2 +2 +24\.0000 +@%p1 bra DONE$`, text.String())
		} else {
			assert.Regexp(t, `(?m)^line +cycles pdom +cycles tbc +lanes pdom +lanes tbc `, text.String())
			assert.Regexp(t, `(?m)^ *5 +odd\.cu:4 +P +2 +2 +2 +2 +@%p1 bra DONE$`, text.String())
		}
		html := page.String()
		assert.Contains(t, html, `"Text":"    if (i \u0026 1)"`)
		assert.Equal(t, 1, strings.Count(html, `"KERNEL odd(uint *data)"`), "lines around those with counts are shown")
		assert.NotRegexp(t, `(src|href)=`, html, "the page needs another file")
		var again bytes.Buffer
		require.NoError(t, r.Page(&again))
		assert.Equal(t, html, again.String(), "the same report, the same bytes")
	}
}

// Example profiles a kernel with a branch.
func Example() {
	p, err := profiled("pdom")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range p.Kernels()[0].Lines {
		fmt.Printf("%s:%d executed %d times, %.0f lanes, %d of %d branches diverged\n", l.File, l.Number, l.Issued,
			l.Mean(), l.Divergent, l.Branches)
	}
	// Output:
	// odd.cu:3 executed 6 times, 24 lanes, 0 of 0 branches diverged
	// odd.cu:4 executed 6 times, 24 lanes, 2 of 2 branches diverged
	// odd.cu:5 executed 6 times, 12 lanes, 0 of 0 branches diverged
	// odd.cu:6 executed 2 times, 24 lanes, 0 of 0 branches diverged
	// :0 executed 0 times, 0 lanes, 0 of 0 branches diverged
}
