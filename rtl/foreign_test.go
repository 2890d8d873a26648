package rtl_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/rtl/rtltest"
)

// abroad is a model with one register, which stands for one in another language.
type abroad struct{ sum uint32 }

func (a *abroad) Save(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, a.sum) }
func (a *abroad) Load(b []byte)        { a.sum = binary.LittleEndian.Uint32(b) }
func (a *abroad) Signals() []rtl.ForeignSignal {
	return []rtl.ForeignSignal{{Path: "low", Width: 4, At: 0, Size: 1}, {Path: "sum", Width: 32, Count: 2, At: 4, Size: 4}}
}

func (a *abroad) Storage() []rtl.Storage {
	return []rtl.Storage{{Path: "sum", Words: 1, Fields: []rtl.Field{{Bits: 32}}}}
}

func (a *abroad) Sample(b []byte) {
	b[0] = byte(a.sum & 15)
	binary.LittleEndian.PutUint32(b[4:], a.sum)
	binary.LittleEndian.PutUint32(b[8:], ^a.sum)
}

// adder adds the entries of a queue in its model.
type adder struct {
	In    rtl.In[uint32]
	Model rtl.Foreign
	a     *abroad `rtl:"-"`
}

func newAdder() (*adder, *rtl.Sim) {
	q := rtl.NewQueue[uint32](4)
	a := &adder{In: q.In(), a: new(abroad)}
	a.Model.Init(a.a)
	return a, rtl.MustNew("top", &struct {
		F *feeder
		A *adder
	}{&feeder{Out: q.Out()}, a})
}

func (a *adder) Tick() {
	if a.In.Valid() {
		a.a.sum += *a.In.Front()
		a.In.Pop()
		a.Model.Clocked()
	}
}

// TestForeign: registers outside of the program are part of snapshots, reset, hash, waveforms and
// storage.
func TestForeign(t *testing.T) {
	a, k := newAdder()
	k.Run(11)
	require.Equal(t, uint32(45), a.a.sum)
	before, hash := k.Snapshot(), k.Hash()
	a.a.sum++
	assert.NotEqual(t, hash, k.Hash())
	a.a.sum--
	k.Run(5)
	k.Restore(before)
	assert.Equal(t, uint32(45), a.a.sum)
	assert.Equal(t, hash, k.Hash())
	k.Reset()
	assert.Zero(t, a.a.sum)

	values := map[string]rtl.Signal{}
	for _, s := range k.Signals() {
		values[s.Path] = s
	}
	changed := 0
	group := values["top.A.Model.low"].Group
	leave := k.Observe(func(_ uint64, set []uint64) { changed += int(set[group/64] >> (group % 64) & 1) })
	k.Run(11)
	leave()
	assert.Equal(t, 10, changed, "one of eleven cycles has no entry to add")
	for path, want := range map[string]uint64{"low": 45 & 15, "sum[0]": 45, "sum[1]": uint64(^uint32(45))} {
		s := values["top.A.Model."+path]
		assert.Equal(t, want, s.Value(), path)
	}
	list, err := k.Storage(nil)
	require.NoError(t, err)
	assert.Equal(t, "top.A.Model.sum", list[len(list)-1].Path)
	_, err = rtl.New("top", &struct{ Model rtl.Foreign }{})
	assert.EqualError(t, err, "top.Model: a Foreign belongs in a module, with a model: see Foreign.Init")
}

func TestForeignIsClocked(t *testing.T) {
	rtltest.Properties(t, func() *rtl.Sim { _, k := newAdder(); return k }, 200)
}
