package rtl_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/rtl/rtltest"
)

// letter names an entry of the memory that comes with it.
type letter struct {
	N  uint16 `bits:"4"`
	At uint8  `rtl:"sim"`
}

// contents is what a waveform shows of a letter.
type contents struct {
	N     uint16 `bits:"4"`
	Words [4]uint32
}

// filler fills letters, in a ring of as many as can be on their way.
type filler struct {
	rtl.State[struct{ N uint16 }]
	Store *rtl.Mem[[4]uint32] `rtl:"handed"`
	Out   rtl.Out[letter]
}

func (p *filler) Tick() {
	if !p.Out.Ready() {
		return
	}
	n := p.Q().N
	at := uint8(int(n) % p.Store.Len())
	e := p.Store.Edit(int(at))
	for i := range e {
		e[i] += uint32(n)*1664525 + uint32(i)
	}
	p.Out.Push(letter{n, at})
	p.D().N++
}

// stamper changes each second letter on its way.
type stamper struct {
	rtl.State[struct{ N uint16 }]
	Store *rtl.Mem[[4]uint32] `rtl:"handed"`
	In    rtl.In[letter]
	Out   rtl.Out[letter]
}

func (s *stamper) Tick() {
	if !s.In.Valid() || !s.Out.Ready() {
		return
	}
	f := *s.In.Front()
	if f.N&1 != 0 {
		s.Store.Edit(int(f.At))[2] ^= 0xFFFF
	}
	s.Out.Push(f)
	s.In.Pop()
	s.D().N++
}

// addressee adds up what comes, of which it takes one in three cycles.
type addressee struct {
	rtl.State[struct {
		Sum   uint64
		Phase uint8
	}]
	Store []*rtl.Mem[[4]uint32] `rtl:"handed"`
	In    rtl.In[letter]
}

func (r *addressee) Tick() {
	q, d := r.Regs()
	if d.Phase = (q.Phase + 1) % 3; d.Phase != 0 || !r.In.Valid() {
		return
	}
	for _, v := range r.Store[0].At(int(r.In.Front().At)) {
		d.Sum = d.Sum*31 + uint64(v)
	}
	r.In.Pop()
}

type mail struct {
	P *filler
	S *stamper
	R *addressee
}

func newMail() *mail {
	store := rtl.NewMem[[4]uint32](8)
	show := rtl.As(func(c *contents, p *letter) { *c = contents{p.N, *store.At(int(p.At))} })
	a, b := rtl.NewQueue[letter](2, show), rtl.NewQueue[letter](3, rtl.Latency(2), show)
	return &mail{
		&filler{Store: store, Out: a.Out()},
		&stamper{Store: store, In: a.In(), Out: b.Out()},
		&addressee{Store: []*rtl.Mem[[4]uint32]{store}, In: b.In()},
	}
}

// TestHanded: entries that pass from module to module with queue entries behave like hardware, in any
// order of processes, and their values arrive.
func TestHanded(t *testing.T) {
	rtltest.Properties(t, func() *rtl.Sim { return rtl.MustNew("mail", newMail()) }, 500)

	d := newMail()
	sim := rtl.MustNew("mail", d)
	words, sum := [8][4]uint32{}, uint64(0)
	for n := range uint16(100) { // the model
		w := &words[n%8]
		for i := range w {
			w[i] += uint32(n)*1664525 + uint32(i)
		}
		if n&1 != 0 {
			w[2] ^= 0xFFFF
		}
		for _, v := range w {
			sum = sum*31 + uint64(v)
		}
		require.True(t, sim.RunUntil(func() bool { return d.R.Q().Sum == sum }, 1000), "letter %d", n)
	}
}

// TestShown: a waveform shows what an entry stands for, and its bits are counted.
func TestShown(t *testing.T) {
	d := newMail()
	sim := rtl.MustNew("mail", d)
	leave := sim.Observe(func(uint64, []uint64) {})
	defer leave()
	sim.Run(1)
	found := 0
	for _, s := range sim.Signals() {
		if word, ok := strings.CutPrefix(s.Path, "mail.P.Out.Front.Words["); ok {
			assert.EqualValues(t, word[0]-'0', s.Value(), s.Path)
			found++
		}
		assert.NotContains(t, s.Path, ".At")
	}
	assert.Equal(t, 4, found)
	queues, err := sim.Queues(nil)
	require.NoError(t, err)
	require.Len(t, queues, 1, "the other one has a latency")
	assert.Equal(t, 4+4*32, queues[0].Width())
	storage, err := sim.Storage(nil)
	require.NoError(t, err)
	for _, s := range storage {
		assert.NotContains(t, s.Path, "Store", "its bits are those of the queue entries")
	}
}

// TestHandedErrors: the tag is for memories, and excludes others.
func TestHandedErrors(t *testing.T) {
	_, err := rtl.New("top", &struct{ M *wrongHanded }{&wrongHanded{Mem: rtl.NewMem[uint32](1)}})
	require.Error(t, err)
	assert.Contains(t, err.Error(), `top.M.Word has tag rtl:"handed", which is for Mems of a module, not for a rtl.Wire[uint32]`)
	assert.Contains(t, err.Error(), "top.M.Mem has the tag handed and another one")
}

type wrongHanded struct {
	Mem  *rtl.Mem[uint32] `rtl:"handed" trace:"true"`
	Word rtl.Wire[uint32] `rtl:"handed"`
}

func (*wrongHanded) Tick() {}
