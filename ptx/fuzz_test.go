package ptx

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
)

// corpus is every PTX file of the test data, wrong ones included.
func corpus(t testing.TB) [][]byte {
	t.Helper()
	wrong, err := filepath.Glob("testdata/errors/*.ptx")
	require.NoError(t, err)
	var texts [][]byte
	for _, file := range append(samples(t), wrong...) {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		texts = append(texts, src)
	}
	return texts
}

// lowerAll lowers every kernel and checks the properties that hold for any input. Errors are a List
// with positions inside the text; programs are well formed.
func lowerAll(t testing.TB, src []byte) {
	m, err := Parse("k.ptx", src)
	checkErrors(t, src, err)
	if err != nil {
		return
	}
	for _, k := range m.Kernels() {
		p, err := m.Program(k)
		checkErrors(t, src, err)
		if err == nil {
			checkProgram(t, p)
		}
	}
}

func checkErrors(t testing.TB, src []byte, err error) {
	if err == nil {
		return
	}
	list, ok := err.(List)
	require.True(t, ok)
	require.NotEmpty(t, list)
	require.LessOrEqual(t, len(list), maxErrors+1)
	lines := int32(strings.Count(string(src), "\n") + 1)
	var last isa.Pos
	for i, e := range list {
		require.NotEmpty(t, e.Msg)
		require.NotEmpty(t, e.Error())
		require.NotEmpty(t, string(e.Code))
		require.LessOrEqual(t, e.Pos.Line, lines)
		if e.Pos.Line > 0 {
			require.Positive(t, e.Pos.Col)
			if i > 0 {
				require.LessOrEqual(t, last.Line, e.Pos.Line, "sorted")
			}
			last = e.Pos
		}
	}
}

// checkProgram checks the invariants of a program that its users rely on.
func checkProgram(t testing.TB, p *isa.Program) {
	n := uint32(len(p.Insts))
	require.NotZero(t, n)
	require.True(t, p.AddressBits == 32 || p.AddressBits == 64)
	last := isa.Label{}
	for _, l := range p.Labels {
		require.Less(t, l.PC, n)
		require.LessOrEqual(t, last.PC, l.PC)
		last = l
	}
	for _, g := range p.Globals {
		require.GreaterOrEqual(t, g.Addr, uint64(isa.ModuleBase))
		require.LessOrEqual(t, g.Addr+g.Size, uint64(isa.GlobalBase))
		require.LessOrEqual(t, uint64(len(g.Init)), g.Size)
	}
	for _, v := range p.Params {
		require.LessOrEqual(t, v.Offset+v.Size, p.ParamBytes)
		require.Zero(t, v.Offset%v.Align)
	}
	require.True(t, p.Insts[n-1].EndsPath(), "control does not run off the end")
	for pc := range p.Insts {
		in := &p.Insts[pc]
		require.NotEqual(t, isa.OpNone, in.Op)
		require.NotEmpty(t, in.Text)
		goes := in.Op == isa.OpBra || in.Op == isa.OpCall && !in.Indirect()
		require.Equal(t, goes, in.Target != isa.NoPC)
		if goes {
			require.Less(t, in.Target, n)
		}
		for i, o := range append(in.Src[:], in.Dst[:]...) {
			used := i < int(in.NSrc) || i >= isa.MaxSrcs && i-isa.MaxSrcs < int(in.NDst)
			require.Equal(t, used, o.Kind != isa.OperandNone, in.Text)
			switch o.Kind {
			case isa.OperandReg:
				require.Less(t, int(o.Index), len(p.Regs))
			case isa.OperandPred:
				require.Less(t, int(o.Index), len(p.Preds))
			case isa.OperandSpecial:
				require.Less(t, o.Index, uint16(isa.NumSpecials))
			}
		}
	}
	require.NoError(t, isa.Bind(p))
}

func FuzzLex(f *testing.F) {
	for _, src := range corpus(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		r := &reporter{file: "k.ptx", src: string(src)}
		l := newLexer(r)
		end := 0
		for tok := l.next(); tok.kind != eof; tok = l.next() {
			if tok.off < end || tok.end <= tok.off || !strings.Contains(r.src[tok.off:tok.end], tok.text) {
				t.Fatalf("token %+v behind byte %d", tok, end)
			}
			end = tok.end
		}
		require.Equal(t, eof, l.next().kind, "the end stays the end")
	})
}

func FuzzParse(f *testing.F) {
	for _, src := range corpus(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		_, err := Parse("k.ptx", src)
		checkErrors(t, src, err)
	})
}

// FuzzLower puts the fuzzed text into the body of a kernel in which everything is declared. It thus
// passes the parser more often.
func FuzzLower(f *testing.F) {
	for _, row := range table {
		f.Add("there: " + row.instances()[0])
	}
	for _, src := range corpus(f) {
		f.Add(string(src))
	}
	f.Fuzz(func(t *testing.T, body string) {
		if strings.HasPrefix(body, ".version") || strings.HasPrefix(body, "//") {
			lowerAll(t, []byte(body))
		} else {
			lowerAll(t, []byte(kernelOf(body)))
		}
	})
}

// Ten thousand damaged files: bytes changed, cut off, tokens swapped, lines
// deleted or doubled.
func TestMutants(t *testing.T) {
	texts := corpus(t)
	rng := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(string(texts[0]) +
		" .f16 <<<< {{ }} %r<99999999999> 0x8000000000000000 [%rd1+ -5] .v4 _ | ! @ .align 3 , ;")
	failed := 0
	for range 10000 {
		src := string(texts[rng.IntN(len(texts))])
		if len(src) > 4000 {
			start := rng.IntN(len(src) - 4000)
			src = src[:200] + src[200+start:start+4000]
		}
		for range 1 + rng.IntN(3) {
			src = mutate(rng, src, words)
		}
		m, err := Parse("k.ptx", []byte(src))
		if err != nil {
			failed++
			checkErrors(t, []byte(src), err)
			continue
		}
		for _, k := range m.Kernels() {
			p, err := m.Program(k)
			checkErrors(t, []byte(src), err)
			if err == nil {
				assert.NotEmpty(t, p.Insts)
			} else {
				failed++
			}
		}
	}
	assert.Greater(t, failed, 3000, "most damage is noticed")
}

func mutate(rng *rand.Rand, src string, words []string) string {
	if src == "" {
		return src
	}
	at := rng.IntN(len(src))
	switch rng.IntN(6) {
	case 0:
		return src[:at] + string(rune(rng.IntN(256))) + src[at+1:]
	case 1:
		return src[:at]
	case 2:
		return src[:at] + src[min(len(src), at+1+rng.IntN(8)):]
	case 3:
		return src[:at] + " " + words[rng.IntN(len(words))] + " " + src[at:]
	case 4:
		lines := strings.SplitAfter(src, "\n")
		i, j := rng.IntN(len(lines)), rng.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return strings.Join(lines, "")
	}
	tokens := strings.SplitAfter(src, " ")
	i, j := rng.IntN(len(tokens)), rng.IntN(len(tokens))
	tokens[i], tokens[j] = tokens[j], tokens[i]
	return strings.Join(tokens, "")
}
