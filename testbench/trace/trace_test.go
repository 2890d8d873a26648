package trace_test

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/memsys"
	"divergo/testbench/trace"
	"divergo/units"
)

// step is a drawn record, and the cycles since the one before.
type step struct {
	Kind                trace.Kind
	SM, Slot, Row, Warp uint8
	After               uint8
	Far                 bool // many cycles later
	Same                bool // continues the last record of its slot
	PC                  uint32
	Mask, Other         uint64
	Home, Lane          uint32
	CTA, Line           uint64
	Mixed, Moved        bool
	Ends                bool // a block may end here
}

func steps() gopter.Gen {
	kinds := make([]trace.Kind, trace.NumKinds)
	for k := range kinds {
		kinds[k] = trace.Kind(k)
	}
	most := 60
	if testing.Short() {
		most = 20
	}
	return forall.List(most, forall.Struct[step](map[string]gopter.Gen{
		"Kind": forall.OneOf(kinds...), "SM": gen.UInt8Range(0, 3), "Slot": gen.UInt8Range(0, 7),
		"Row": gen.UInt8Range(0, 63), "Warp": gen.UInt8Range(0, 31), "After": gen.UInt8Range(0, 4),
		"Far":  gen.Weighted([]gen.WeightedGen{{Weight: 9, Gen: gen.Const(false)}, {Weight: 1, Gen: gen.Const(true)}}),
		"Same": forall.Bool(), "PC": forall.OneOf[uint32](0, 1, 77, 100000, trace.NoPC),
		"Mask": forall.Mask[uint64](32), "Other": forall.Mask[uint64](32), "Home": gen.UInt32(), "Lane": gen.UInt32(),
		"CTA": forall.OneOf[uint64](0, 1, 1<<40), "Line": forall.OneOf[uint64](0, 128, 1<<47, ^uint64(127)),
		"Mixed": forall.Bool(), "Moved": forall.Bool(), "Ends": forall.Bool(),
	}))
}

// records returns the records of drawn steps, in the order of cycles.
func records(steps []step) (list []trace.Record) {
	cycle, last := uint64(0), map[[2]uint8]trace.Record{}
	for _, s := range steps {
		if cycle += uint64(s.After); s.Far {
			cycle += 1 << 40
		}
		r := trace.Record{
			Kind: s.Kind, Cycle: cycle, SM: uint16(s.SM), Slot: uint16(s.Slot), CTA: s.CTA, Warp: s.Warp, Row: s.Row,
			PC: s.PC, Mask: s.Mask, Mixed: s.Mixed,
		}
		if of, ok := last[[2]uint8{s.SM, s.Slot}]; ok && s.Same {
			r.PC, r.Mask, r.Row, r.CTA, r.Warp, r.Mixed = of.PC+1, of.Mask, of.Row, of.CTA, of.Warp, of.Mixed
			r.Homes = of.Homes
		} else if s.Mixed {
			for l := range 32 {
				if s.Mask>>l&1 == 0 {
					continue
				}
				r.Homes.Row[l], r.Homes.Lane[l] = uint8(s.Home>>(l%27)&31), uint8(l)
				if s.Moved {
					r.Homes.Lane[l] = uint8(s.Lane >> (l % 27) & 31)
				}
			}
		}
		switch s.Kind {
		case trace.Issue, trace.Inserted:
			r.Off = s.Other & r.Mask
		case trace.Branch:
			r.Taken, r.Always = s.Other, s.Moved
		case trace.Push, trace.Pop:
			r.Depth, r.Number = uint16(s.Home), uint16(s.Lane)
		case trace.Write:
			r.Number, r.Values = uint16(s.Home), make([]uint64, bits.Len64(r.Mask))
			for l := range r.Values {
				if r.Mask>>l&1 != 0 {
					r.Values[l] = s.Line - uint64(l)*uint64(s.Lane)
				}
			}
		case trace.Reconverge, trace.Merge:
			r.Part = s.Other
		case trace.Compact, trace.Spill, trace.Fill, trace.Arrive:
			r.Number = uint16(s.Home)
		case trace.Wait:
			r.Reason, r.From = trace.Reason(s.Home%uint32(trace.NumReasons)), cycle-cycle%7
		case trace.Request, trace.Reply:
			r.Access, r.Line = memsys.Kind(s.Home%6), s.Line
			r.First = s.Kind == trace.Request && s.Moved
			if s.Kind == trace.Reply {
				r.From, r.Found = cycle-cycle%97, memsys.Found(s.Home%uint32(trace.NoLookup+1))
				r.Partial = s.Moved
			}
		}
		last[[2]uint8{s.SM, s.Slot}] = r
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b trace.Record) int {
		if a.Cycle != b.Cycle {
			return int(int64(a.Cycle) - int64(b.Cycle))
		}
		return int(a.SM) - int(b.SM)
	})
	return list
}

var header = trace.Header{
	Generator: "test", Name: "k", Mechanism: "pdom", Lanes: 32, SMs: 4, Warps: 64, Slots: 8, Cores: 1, CoreMHz: 1300,
	Keys: []trace.Key{{Name: "sm.warp_size", Value: "32"}},
}

var program = trace.Program{
	Name: "_Z1kv", Plain: "k()", File: "k.ptx",
	Insts: []trace.Inst{{Text: "exit", PTX: 7, File: "k.cu", Line: 3, Reconv: trace.NoPC}},
}

// written returns the file of these records, with a block after each record for which ends is true.
func written(t require.TestingT, list []trace.Record, ends func(i int) bool) []byte {
	var b bytes.Buffer
	w, err := trace.NewWriter(&b, header)
	require.NoError(t, err)
	at, err := w.Program(&program)
	require.NoError(t, err)
	require.NoError(t, w.Launch(&trace.Launch{
		Program: at, Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{32, 1, 1}, Warps: 1,
	}))
	for i := range list {
		w.SM(int(list[i].SM)).Put(&list[i])
		if ends(i) && (i+1 == len(list) || list[i+1].Cycle > list[i].Cycle) {
			require.NoError(t, w.Cut())
		}
	}
	require.NoError(t, w.Close(trace.Summary{Cycles: 9, Outcome: "finished", Stats: []trace.Stat{{Name: "cycles", Value: "9"}}}))
	return b.Bytes()
}

// read returns the selected records of a file.
func read(t require.TestingT, file []byte, q trace.Query) (list []trace.Record) {
	r, err := trace.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	for rec, err := range r.Records(q) {
		require.NoError(t, err)
		list = append(list, *rec)
		if rec.Values != nil { // valid until the next record
			list[len(list)-1].Values = slices.Clone(rec.Values)
		}
	}
	return list
}

// drawn is a file and a window of it.
type drawn struct {
	Steps    []step
	From, To uint16 // indices of records, modulo their number
	SM       uint8
	Cut      uint32
}

func (d drawn) String() string {
	var s strings.Builder
	for _, r := range records(d.Steps) {
		fmt.Fprintf(&s, "%+v\n", r)
	}
	return s.String()
}

func (d drawn) ends(i int) bool { return d.Steps[i].Ends }

// TestProperties: what a writer was given is what a reader gives back.
func TestProperties(t *testing.T) {
	cases := forall.Struct[drawn](map[string]gopter.Gen{
		"Steps": steps(), "From": gen.UInt16(), "To": gen.UInt16(), "SM": gen.UInt8Range(0, 3), "Cut": gen.UInt32(),
	})
	forall.CheckMany(t, 1000, "a file gives back all of its records", cases, func(t *forall.T, d drawn) {
		list := records(d.Steps)
		require.Equal(t, list, read(t, written(t, list, d.ends), trace.Query{}))
	})
	forall.CheckMany(t, 1000, "a window of a file has the records of its cycles and SM", cases,
		func(t *forall.T, d drawn) {
			list := records(d.Steps)
			if len(list) == 0 {
				return
			}
			q := trace.Query{
				From: list[int(d.From)%len(list)].Cycle, To: list[int(d.To)%len(list)].Cycle, SMs: []int{int(d.SM)},
			}
			var want []trace.Record
			for _, r := range list {
				if r.Cycle >= q.From && (r.Cycle <= q.To || q.To == 0) && r.SM == uint16(d.SM) {
					want = append(want, r)
				}
			}
			require.Equal(t, want, read(t, written(t, list, d.ends), q))
		})
	forall.CheckMany(t, 1000, "a file that is cut short gives back the records of its whole blocks", cases,
		func(t *forall.T, d drawn) {
			list := records(d.Steps)
			file := written(t, list, d.ends)
			whole, err := trace.NewReader(bytes.NewReader(file), int64(len(file)))
			require.NoError(t, err)
			short := file[:int(d.Cut)%len(file)]
			r, err := trace.NewReader(bytes.NewReader(short), int64(len(short)))
			if err != nil {
				return // within the header: see TestNoTrace
			}
			n, blocks := 0, 0
			for _, b := range whole.Blocks {
				if end := endOf(file, b.Offset); end <= int64(len(short)) {
					blocks++
					n += int(b.Records())
				}
			}
			require.Len(t, r.Blocks, blocks)
			got := read(t, short, trace.Query{})
			require.Len(t, got, n)
			for i := range got {
				require.Equal(t, list[i], got[i])
			}
		})
}

// endOf returns the end of a chunk: docs/reference/trace.md.
func endOf(file []byte, at int64) int64 {
	n := int64(file[at+1]) | int64(file[at+2])<<8 | int64(file[at+3])<<16 | int64(file[at+4])<<24
	return at + 9 + n
}

// TestDescription: a reader needs no other source than the file.
func TestDescription(t *testing.T) {
	list := []trace.Record{{Kind: trace.Start, Mask: 3}, {Kind: trace.Issue, Cycle: 5, Mask: 3}}
	file := written(t, list, func(int) bool { return false })
	r, err := trace.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	want := header
	want.Version = trace.Version
	assert.Equal(t, want, r.Header)
	assert.Equal(t, []trace.Program{program}, r.Programs)
	assert.Equal(t, [3]uint32{2, 1, 1}, r.Launches[0].Grid)
	assert.Equal(t, uint64(1), r.Summary.Counts[trace.Issue])
	assert.Equal(t, uint64(1), r.Summary.Counts[trace.Start])
	assert.Equal(t, []trace.Stat{{Name: "cycles", Value: "9"}}, r.Summary.Stats)
	assert.Equal(t, "k.cu:3", r.ProgramAt(5).Where(0))
	assert.Equal(t, "exit", r.ProgramAt(5).Text(0))
	assert.Empty(t, r.ProgramAt(5).Where(1))
	require.Len(t, r.Blocks, 1)
	assert.Equal(t, uint64(0), r.Blocks[0].From)
	assert.Equal(t, uint64(5), r.Blocks[0].To)
}

// TestSeekReadsOneBlock: a window within a block of a long file reads that block and the index.
func TestSeekReadsOneBlock(t *testing.T) {
	list := make([]trace.Record, 200_000)
	for i := range list {
		pc := uint32(i * 7919 % 1000)
		list[i] = trace.Record{Kind: trace.Issue, Cycle: uint64(i), SM: uint16(i % 4), PC: pc, Mask: 1}
	}
	file := written(t, list, func(i int) bool { return i%1000 == 999 })
	from := &counting{r: bytes.NewReader(file)}
	r, err := trace.NewReader(from, int64(len(file)))
	require.NoError(t, err)
	require.Len(t, r.Blocks, 200)
	from.calls, from.bytes = 0, 0
	n := 0
	for rec, err := range r.Records(trace.Query{From: 123_456, To: 123_460}) {
		require.NoError(t, err)
		require.Equal(t, list[123_456+n], *rec)
		n++
	}
	assert.Equal(t, 5, n)
	assert.Less(t, from.bytes, len(file)/100)
}

// counting counts what is read of a file.
type counting struct {
	r            *bytes.Reader
	calls, bytes int
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	c.calls++
	c.bytes += len(p)
	return c.r.ReadAt(p, at)
}

// TestNoTrace: other files are refused with a reason.
func TestNoTrace(t *testing.T) {
	good := written(t, []trace.Record{{Kind: trace.Issue, Mask: 1}}, func(int) bool { return false })
	change := func(at int, to byte) []byte {
		b := slices.Clone(good)
		b[at] = to
		return b
	}
	for _, c := range []struct {
		file []byte
		want string
	}{
		{nil, "0 bytes, want a trace, which begins with DVGTRACE"},
		{[]byte("$date today $end"), `begins with "$date to", want a trace`},
		{change(8, 9), "a trace of version 9, this program reads version 1"},
		{good[:12], "a trace without a header"},
		{change(30, good[30]^1), "another checksum"},
	} {
		_, err := trace.NewReader(bytes.NewReader(c.file), int64(len(c.file)))
		assert.ErrorContains(t, err, c.want)
	}
}

// TestDamage: no damage of a file makes a reader panic, or give more records than were written.
func TestDamage(t *testing.T) {
	var list []trace.Record
	for i := range 50 {
		list = append(list, trace.Record{
			Kind: trace.Kind(i) % trace.NumKinds, Values: make([]uint64, 3), Cycle: uint64(i), SM: uint16(i % 4),
			Mask: 5, Mixed: i%3 == 0,
			Homes: units.Homes{Row: units.Rows{uint8(i)}},
		})
	}
	good := written(t, list, func(i int) bool { return i%10 == 9 })
	for at := range good {
		for _, bit := range []byte{1, 0x80} {
			b := slices.Clone(good)
			b[at] ^= bit
			r, err := trace.NewReader(bytes.NewReader(b), int64(len(b)))
			if err != nil {
				continue
			}
			n := 0
			for _, err := range r.Records(trace.Query{}) {
				if err != nil {
					break
				}
				n++
			}
			assert.LessOrEqual(t, n, len(list))
		}
	}
}
