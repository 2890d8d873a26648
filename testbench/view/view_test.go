package view_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/testbench"
	"divergo/testbench/profile"
	"divergo/testbench/trace"
	"divergo/testbench/view"
)

// traced returns the trace of a kernel under a mechanism, and what the machine counted.
func traced(t testing.TB, kernel, mechanism string) (*trace.Reader, testbench.Counters) {
	preset, err := gpu.FindPreset(gpu.DefaultPreset)
	require.NoError(t, err)
	c := preset.Config()
	c.Divergence.Mechanism = mechanism
	s, err := testbench.NewSession(c, testbench.Limits{})
	require.NoError(t, err)
	h := trace.HeaderOf(s.Machine)
	h.Name = kernel
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, h)
	require.NoError(t, err)
	recorder := trace.Attach(s, w, profile.Sources(kernels.Source))
	k, err := kernels.Find(kernel)
	require.NoError(t, err)
	require.NoError(t, k.Sizes[0].New(1).Run(runner.New(s)))
	require.NoError(t, recorder.Close())
	return reader(t, file.Bytes()), s.Counters()
}

func reader(t testing.TB, file []byte) *trace.Reader {
	r, err := trace.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	return r
}

// written returns the page of traces.
func written(t testing.TB, list ...*trace.Reader) []byte {
	var page bytes.Buffer
	n, err := (&view.Page{Title: "test", Traces: list}).WriteTo(&page)
	require.NoError(t, err)
	require.Equal(t, int64(page.Len()), n)
	return page.Bytes()
}

// blobOf returns a blob of a page.
func blobOf(t testing.TB, page []byte, id string) []byte {
	m := regexp.MustCompile(`<script type="text/plain" id="` + id + `">([^<]*)</script>`).FindSubmatch(page)
	require.NotNil(t, m, id)
	packed, err := base64.StdEncoding.DecodeString(string(m[1]))
	require.NoError(t, err)
	b, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	require.NoError(t, err)
	return b
}

// issue is an issue as a page has it.
type issue struct {
	slot, cycle, pc, mask, off uint64
	row                        [32]uint8 // of active lanes
}

// numbers reads numbers of encoding/binary.
type numbers struct {
	t testing.TB
	b []byte
}

func (n *numbers) next() uint64 {
	v, size := binary.Uvarint(n.b)
	if size <= 0 {
		require.Fail(n.t, "a blob ends early")
	}
	n.b = n.b[size:]
	return v
}

func (n *numbers) signed() int64 {
	v, size := binary.Varint(n.b)
	if size <= 0 {
		require.Fail(n.t, "a blob ends early")
	}
	n.b = n.b[size:]
	return v
}

// issuesOf decodes the issues of a detail blob.
func issuesOf(t testing.TB, blob []byte, from uint64) (list []issue) {
	in := &numbers{t, blob}
	type slot struct{ first, n int }
	var slots []slot
	for n := in.next(); n > 0; n-- {
		s, issues := in.next(), int(in.next())
		for range 3 {
			in.next()
		}
		slots = append(slots, slot{len(list), issues})
		for range issues {
			list = append(list, issue{slot: s})
		}
	}
	homes := make([][64]byte, 1+in.next())
	for i := range homes[1:] {
		for l := range homes[i+1] {
			homes[i+1][l] = homes[i][l] ^ in.b[l]
		}
		in.b = in.b[64:]
	}
	each := func(do func(i int, first bool)) {
		for _, s := range slots {
			for i := range s.n {
				do(s.first+i, i == 0)
			}
		}
	}
	last := uint64(0)
	each(func(i int, first bool) {
		if first {
			last = from
		}
		last += uint64(in.signed())
		list[i].cycle = last
	})
	each(func(i int, first bool) {
		if first {
			last = 0
		}
		list[i].pc = last + uint64(in.signed())
		last = list[i].pc + 1
	})
	each(func(i int, first bool) {
		if first {
			last = 0
		}
		last ^= in.next()
		list[i].mask = last
	})
	each(func(i int, _ bool) { list[i].off = in.next() })
	rows := make([]uint8, len(list))
	each(func(i int, first bool) {
		if first {
			last = 0
		}
		last += uint64(in.signed())
		rows[i] = uint8(last)
	})
	each(func(i int, _ bool) {
		form := in.next() / 2
		for l := range 32 {
			if list[i].mask>>l&1 == 0 {
				continue
			}
			if list[i].row[l] = rows[i]; form > 0 {
				list[i].row[l] = homes[form][l]
			}
		}
	})
	return list
}

// description is what the page says of its traces.
type description struct {
	Open   int
	Traces []struct {
		Issues uint64
		Parts  []struct {
			From, To uint64
			Sums     bool
		}
		Programs []struct{ Counts []uint64 }
	}
}

func describe(t testing.TB, page []byte) (d description) {
	require.NoError(t, json.Unmarshal(blobOf(t, page, "head"), &d))
	return d
}

// TestIssues: a page has each issued instruction of the machine, with its lanes and their static
// warps.
func TestIssues(t *testing.T) {
	for _, of := range [][2]string{
		{"bitonic", "pdom"},
		{"bitonic", "tbc"},
		{"bitonic", "dwf"},
		{"bitonic", "token"},
		{"bitonic", "dpe"},
		{"bfs", "pdom"}, // several launches
	} {
		mechanism := of[1]
		r, counters := traced(t, of[0], mechanism)
		page := written(t, r)
		assert.Less(t, len(page), 300_000, mechanism)
		head := describe(t, page)
		all, kernel := uint64(0), uint64(0)
		for sm, part := range head.Traces[0].Parts {
			require.False(t, part.Sums)
			got := map[string]int{}
			for _, i := range issuesOf(t, blobOf(t, page, fmt.Sprintf("detail-0-%d", sm)), part.From) {
				got[fmt.Sprint(i)]++
				all++
			}
			want := map[string]int{}
			for rec, err := range r.Records(trace.Query{SMs: []int{sm}}) {
				require.NoError(t, err)
				if !rec.Issues() {
					continue
				}
				if rec.Kind == trace.Issue {
					kernel++
				}
				i := issue{uint64(rec.Slot), rec.Cycle, uint64(rec.PC), uint64(rec.Mask), uint64(rec.Off), [32]uint8{}}
				for m := rec.Mask; m != 0; m &= m - 1 {
					l := bits.TrailingZeros64(m)
					i.row[l] = rec.Home(l).Row
				}
				want[fmt.Sprint(i)]++
			}
			require.Equal(t, want, got, "%s, SM %d", mechanism, sm)
		}
		assert.Equal(t, head.Traces[0].Issues, all, mechanism)
		for _, stat := range testbench.Stats() {
			if stat.Name == "warp_instructions" {
				assert.Equal(t, fmt.Sprint(stat.Value(&counters)), fmt.Sprint(kernel), mechanism)
			}
		}
		sum := uint64(0)
		for _, p := range head.Traces[0].Programs {
			for pc := 0; pc < len(p.Counts); pc += 3 + int(trace.NumReasons) {
				sum += p.Counts[pc]
			}
		}
		assert.Equal(t, all, sum, mechanism)
	}
}

// TestSamePage: the same traces give the same bytes.
func TestSamePage(t *testing.T) {
	r, _ := traced(t, "bitonic", "tbc")
	other, _ := traced(t, "bitonic", "tbc")
	assert.True(t, bytes.Equal(written(t, r, r), written(t, other, other)))
}

// long returns a trace of so many issues of each of two SMs: warps in a loop whose branch diverges.
func long(t testing.TB, issues int) *trace.Reader {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{
		Name: "long", Mechanism: "pdom", Lanes: 32, SMs: 2, Warps: 32, Slots: 32,
	})
	require.NoError(t, err)
	p := &trace.Program{Name: "k", File: "k.ptx"}
	for pc := range 20 {
		p.Insts = append(p.Insts, trace.Inst{Text: fmt.Sprintf("add.u32 %%r%d, %%r1, %%r2", pc), PTX: pc + 5, File: "k.cu", Line: pc/2 + 3})
	}
	at, err := w.Program(p)
	require.NoError(t, err)
	require.NoError(t, w.Launch(&trace.Launch{
		Program: at, Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{1024, 1, 1}, Warps: 32,
	}))
	const all = uint64(1<<32 - 1)
	random := uint32(1)
	var pc [2][32]uint32
	var mask [2][32]uint64
	var ready [2][32]uint64
	for sm := range 2 {
		for slot := range 32 {
			mask[sm][slot] = all
			w.SM(sm).Put(&trace.Record{
				Kind: trace.Start, SM: uint16(sm), Slot: uint16(slot), Row: uint8(slot),
				Warp: uint8(slot), CTA: uint64(sm), Mask: all,
			})
		}
	}
	for cycle := range uint64(issues) {
		for sm := range 2 {
			slot := int(random>>8) % 32
			random = random*1664525 + 1013904223
			of := trace.Record{
				Cycle: cycle + 1, SM: uint16(sm), Slot: uint16(slot), Row: uint8(slot), Warp: uint8(slot),
				CTA: uint64(sm), PC: pc[sm][slot], Mask: mask[sm][slot],
			}
			if of.Cycle > ready[sm][slot]+1 {
				wait := of
				wait.Kind, wait.From = trace.Wait, ready[sm][slot]
				wait.Reason = trace.Reason(random>>20) % trace.NumReasons
				w.SM(sm).Put(&wait)
			}
			of.Kind = trace.Issue
			w.SM(sm).Put(&of)
			ready[sm][slot] = of.Cycle + 1
			if pc[sm][slot] == 9 && mask[sm][slot] == all {
				of.Kind, of.Taken = trace.Branch, uint64(random)
				w.SM(sm).Put(&of)
				mask[sm][slot] = uint64(random)
			}
			if pc[sm][slot]++; pc[sm][slot] == 20 {
				pc[sm][slot], mask[sm][slot] = 0, all
			}
		}
		require.NoError(t, w.Flush())
	}
	require.NoError(t, w.Close(trace.Summary{Cycles: uint64(issues) + 2, Outcome: "finished"}))
	return reader(t, file.Bytes())
}

// TestLongRun: of a long run the page holds the issues around the first divergence, and sums of all.
func TestLongRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	const issues = 1_000_000
	page := written(t, long(t, issues))
	t.Logf("%d issues: %d bytes", 2*issues, len(page))
	assert.Less(t, len(page), 20<<20)
	head := describe(t, page)
	assert.Equal(t, uint64(2*issues), head.Traces[0].Issues)
	held := 0
	for sm, part := range head.Traces[0].Parts {
		for _, i := range issuesOf(t, blobOf(t, page, fmt.Sprintf("detail-0-%d", sm)), part.From) {
			if i.cycle < part.From || i.cycle >= part.To {
				require.Fail(t, "an issue outside of the window", "cycle %d", i.cycle)
			}
			held++
		}
		if !part.Sums {
			continue
		}
		in := &numbers{t, blobOf(t, page, fmt.Sprintf("sums-0-%d", sm))}
		slots := make([]uint64, in.next())
		for i := range slots {
			slots[i] = in.next()
		}
		sum := uint64(0)
		for range 1024 * len(slots) {
			sum += in.next()
			for range 4 {
				in.next()
			}
		}
		assert.Equal(t, uint64(issues), sum)
	}
	assert.False(t, head.Traces[0].Parts[head.Open].Sums, "the SM of the first divergence is whole")
	assert.True(t, head.Traces[0].Parts[1-head.Open].Sums)
	assert.Less(t, held, 2*issues)
	assert.Greater(t, held, issues)
}

// TestNoPage: what cannot be shown is an error.
func TestNoPage(t *testing.T) {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Name: "k", Lanes: 4, SMs: 1})
	require.NoError(t, err)
	require.NoError(t, w.Close(trace.Summary{}))
	empty := reader(t, file.Bytes())
	_, err = (&view.Page{Traces: []*trace.Reader{empty}}).WriteTo(io.Discard)
	require.ErrorIs(t, err, view.ErrEmpty)
	file.Reset()
	w, err = trace.NewWriter(&file, trace.Header{Name: "k", Lanes: 64, SMs: 1})
	require.NoError(t, err)
	require.NoError(t, w.Close(trace.Summary{}))
	_, err = (&view.Page{Traces: []*trace.Reader{reader(t, file.Bytes())}}).WriteTo(io.Discard)
	require.ErrorIs(t, err, view.ErrWide)
	_, err = (&view.Page{}).WriteTo(io.Discard)
	require.ErrorContains(t, err, "0 traces, want 1 to 4")
	_, err = (&view.Page{Traces: []*trace.Reader{empty, empty, empty, empty, empty}}).WriteTo(io.Discard)
	require.ErrorContains(t, err, "5 traces, want 1 to 4")
}
