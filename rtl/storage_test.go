package rtl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
)

// stored has a piece of storage of each kind.
type stored struct {
	rtl.State[struct {
		PC     uint32
		Busy   bool
		Phase  uint8     `bits:"3"`
		Mask   uint32    `bits:"lanes"`
		Rows   [4]uint8  `len:"lanes" bits:"6"`
		Set    [2]uint64 `len:"1" bits:"warps"`
		Likely uint32    `if:"likely"`
		Done   uint64    `rtl:"sim"`
	}]
	Depth rtl.State[uint8] `bits:"4"`
	Table *rtl.Mem[struct{ A, B [2]bool }]
	Rows  *rtl.Mem[[8]uint8] `len:"lanes" bits:"5"`
	Born  *rtl.Mem[uint64]   `rtl:"sim,inplace"`
	Out   rtl.Wire[uint32]
}

func (s *stored) Tick() {}

func storedDesign(t *testing.T) *rtl.Sim {
	m := &stored{
		Table: rtl.NewMem[struct{ A, B [2]bool }](10), Rows: rtl.NewMem[[8]uint8](3), Born: rtl.NewMem[uint64](5),
	}
	sim, err := rtl.New("top", &struct{ M *stored }{m})
	require.NoError(t, err)
	return sim
}

// TestStorage: widths come from types, tags and sizes. Data of the simulation and wires are left
// out.
func TestStorage(t *testing.T) {
	list, err := storedDesign(t).Storage(map[string]int{"lanes": 2, "warps": 12, "likely": 0})
	require.NoError(t, err)
	assert.Equal(t, []rtl.Storage{
		{Path: "top.M", Words: 1, Fields: []rtl.Field{
			{Name: "PC", Bits: 32},
			{Name: "Busy", Bits: 1},
			{Name: "Phase", Bits: 3},
			{Name: "Mask", Bits: 2},
			{Name: "Rows", Bits: 12},
			{Name: "Set", Bits: 12},
		}},
		{Path: "top.M.Depth", Words: 1, Fields: []rtl.Field{{Bits: 4}}},
		{Path: "top.M.Table", Words: 10, Fields: []rtl.Field{{Name: "A", Bits: 2}, {Name: "B", Bits: 2}}},
		{Path: "top.M.Rows", Words: 3, Fields: []rtl.Field{{Bits: 10}}},
	}, list)
	assert.Equal(t, 62, list[0].Width())
	likely, err := storedDesign(t).Storage(map[string]int{"lanes": 2, "warps": 12, "likely": 1})
	require.NoError(t, err)
	assert.Equal(t, 62+32, likely[0].Width())
}

// TestStorageWithoutSize: a name without a value is an error.
func TestStorageWithoutSize(t *testing.T) {
	_, err := storedDesign(t).Storage(map[string]int{"lanes": 2, "likely": 0})
	assert.EqualError(t, err, `rtl: top.M.Set: a tag has the size "warps", which has no value`)
}

// sender has queues of each kind of entries and timing.
type sender struct {
	Now   rtl.Out[message]
	Later rtl.Out[message]
}

type message struct {
	Kind uint8                     `bits:"3"`
	Rows [4][8]uint32              `len:"sources,lanes" bits:"word"`
	Born uint64                    `rtl:"sim"`
	Data [2][8]struct{ A, B bool } `len:"1,lanes"`
}

func (s *sender) Tick() {}

type receiver struct{ Now, Later rtl.In[message] }

func (r *receiver) Tick() {}

// TestQueues: queues are listed by their Out end, as deep as their capacity. Queues with a latency are
// stages of a pipeline. A tag names the size of each dimension of an array.
func TestQueues(t *testing.T) {
	now, later := rtl.NewQueue[message](3), rtl.NewQueue[message](9, rtl.Latency(7))
	sim := rtl.MustNew("top", &struct {
		S *sender
		R *receiver
	}{&sender{now.Out(), later.Out()}, &receiver{now.In(), later.In()}})
	list, err := sim.Queues(map[string]int{"sources": 3, "lanes": 2, "word": 16})
	require.NoError(t, err)
	assert.Equal(t, []rtl.Storage{{Path: "top.S.Now", Words: 3, Fields: []rtl.Field{
		{Name: "Kind", Bits: 3},
		{Name: "Rows", Bits: 3 * 2 * 16},
		{Name: "Data", Bits: 2 * 2},
	}}}, list)
	_, err = sim.Queues(map[string]int{"sources": 3, "lanes": 2})
	assert.EqualError(t, err, `rtl: top.S.Now.Rows: a tag has the size "word", which has no value`)
}

// TestNamedWidthsInWaveforms: in waveforms, signals have the width of their types.
func TestNamedWidthsInWaveforms(t *testing.T) {
	widths := map[string]int{}
	for _, s := range storedDesign(t).Signals() {
		widths[s.Path] = s.Width
	}
	assert.Equal(t, 32, widths["top.M.Mask"])
	assert.Equal(t, 3, widths["top.M.Phase"])
	assert.Equal(t, 64, widths["top.M.Done"])
}

// peeper reads a memory that a later module names.
type peeper struct{ Seen *rtl.Mem[uint32] }

func (*peeper) Tick() {}

type namer struct {
	First *rtl.Mem[uint32] `trace:"true"`
	Kept  *rtl.Mem[uint32] `trace:"true"`
}

func (*namer) Tick() {}

// TestStorageInTheOrderOfNames: a memory is listed at the field that names it, even if a reader was
// found before.
func TestStorageInTheOrderOfNames(t *testing.T) {
	k := &namer{rtl.NewMem[uint32](1), rtl.NewMem[uint32](1)}
	sim := rtl.MustNew("top", &struct {
		L *peeper
		K *namer
	}{&peeper{k.Kept}, k})
	list, err := sim.Storage(nil)
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, "top.K.First", list[0].Path)
	assert.Equal(t, "top.K.Kept", list[1].Path)
}
