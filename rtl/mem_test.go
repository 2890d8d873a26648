package rtl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
)

type row struct {
	Tag  uint16
	Lane [3]uint32
}

// watcher copies an entry of another module's memory: it is woken only when the memory changes.
type watcher struct {
	rtl.State[struct {
		Copy uint16
		N    uint8
	}]
	Of *holder
}

func (w *watcher) Tick() {
	w.D().Copy = w.Of.Rows.At(1).Tag
	if w.Q().Copy != w.D().Copy {
		w.D().N++
	}
}

// holder owns a memory by value and writes the rows that it gets.
type holder struct {
	Rows rtl.Mem[row]
	In   rtl.In[row]
}

func (h *holder) Tick() {
	if h.In.Valid() {
		h.Rows.Write(1, *h.In.Front())
		h.In.Pop()
	}
}

func TestMemWakesReadersOnlyOnChange(t *testing.T) {
	q := rtl.NewQueue[row](8)
	h := &holder{Rows: *rtl.NewMem[row](2), In: q.In()}
	w := &watcher{Of: h}
	top := &struct {
		H   *holder
		W   *watcher
		Out rtl.Out[row]
	}{h, w, q.Out()}
	k := rtl.MustNew("top", top)
	h.Rows.Set(1, row{Tag: 4}) // after elaboration: the testbench writes
	k.Run(10)
	assert.Equal(t, uint16(4), w.Q().Copy)
	top.Out.Push(row{Tag: 5})
	k.Run(10)
	assert.Equal(t, uint16(5), w.Q().Copy)
	evals := k.Evals()
	top.Out.Push(row{Tag: 5})
	k.Run(10)
	assert.Equal(t, uint64(2), k.Evals()-evals, "the holder in the cycle of the entry and the one after")
	assert.Equal(t, uint8(2), w.Q().N)
	k.Reset()
	assert.Equal(t, row{}, *h.Rows.At(1), "reset is what it was at elaboration")
}

// TestMemResetsToWhatItWas: the reset value is the value set or written before elaboration.
func TestMemResetsToWhatItWas(t *testing.T) {
	before := map[string]func(m *rtl.Mem[row]){
		"set":     func(m *rtl.Mem[row]) { m.Set(1, row{Tag: 9}) },
		"written": func(m *rtl.Mem[row]) { m.Write(1, row{Tag: 9}) },
	}
	for how, f := range before {
		q := rtl.NewQueue[row](8)
		h := &holder{Rows: *rtl.NewMem[row](2), In: q.In()}
		f(&h.Rows)
		top := &struct {
			H   *holder
			Out rtl.Out[row]
		}{h, q.Out()}
		k := rtl.MustNew("top", top)
		assert.Equal(t, row{Tag: 9}, *h.Rows.At(1), how)
		top.Out.Push(row{Tag: 5})
		k.Run(10)
		assert.Equal(t, row{Tag: 5}, *h.Rows.At(1), how)
		k.Reset()
		assert.Equal(t, row{Tag: 9}, *h.Rows.At(1), how)
	}
}

func TestMemResize(t *testing.T) {
	q := rtl.NewQueue[row](8)
	h := &holder{Rows: *rtl.NewMem[row](2), In: q.In()}
	h.Rows.Set(1, row{Tag: 9})
	w := &watcher{Of: h}
	top := &struct {
		H   *holder
		W   *watcher
		Out rtl.Out[row]
	}{h, w, q.Out()}
	k := rtl.MustNew("top", top)
	k.Run(10)
	require.Equal(t, uint16(9), w.Q().Copy)
	old := k.Snapshot()
	h.Rows.Edit(0).Tag = 3 // staged, and lost
	h.Rows.Resize(5)
	assert.Equal(t, 5, h.Rows.Len())
	k.Run(10)
	assert.Equal(t, row{}, *h.Rows.At(0))
	assert.Equal(t, uint16(0), w.Q().Copy, "readers wake")
	top.Out.Push(row{Tag: 4})
	k.Run(10)
	assert.Equal(t, uint16(4), w.Q().Copy)
	assert.Panics(t, func() { k.Restore(old) }, "a snapshot of the old size")
	k.Reset()
	assert.Equal(t, row{}, *h.Rows.At(1))
}
