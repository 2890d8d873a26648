package rtl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/rtl"
	"divergo/rtl/rtltest"
)

// parcel is an entry too large to be cleared each time.
type parcel struct{ Row [8]uint64 }

// packer fills one word of each parcel, and clears the remains that the note lists. At times it
// pushes by another method.
type packer struct {
	rtl.State[struct{ N uint32 }]
	Out   rtl.Out[parcel]
	plain bool // clear all instead
}

func (p *packer) Tick() {
	n := p.Q().N
	p.D().N++
	if !p.Out.Ready() {
		return
	}
	switch {
	case p.plain:
		p.Out.PushSlot().Row[n*7%8] = uint64(n + 1)
	case n%5 == 1:
		p.Out.PushSlot().Row[n*7%8] = uint64(n + 1)
	case n%5 == 3:
		x := parcel{}
		x.Row[n*7%8] = uint64(n + 1)
		p.Out.Push(x)
	default:
		v, note := p.Out.PushStale()
		for i := range v.Row {
			if *note>>i&1 != 0 {
				v.Row[i] = 0
			}
		}
		v.Row[n*7%8] = uint64(n + 1)
		*note = 1 << (n * 7 % 8)
	}
}

// unpacker takes a parcel in two cycles of three, and keeps its whole contents.
type unpacker struct {
	rtl.State[struct {
		N   uint32
		Sum uint64
	}]
	In rtl.In[parcel]
}

func (u *unpacker) Tick() {
	q, d := u.Regs()
	d.N++
	if u.In.Valid() && q.N%3 != 0 {
		for i, v := range u.In.Front().Row {
			d.Sum = d.Sum*31 + v*uint64(i+1)
		}
		u.In.Pop()
	}
}

type post struct {
	P *packer
	U *unpacker
}

func newPost(plain bool, opts ...rtl.QueueOption) *rtl.Sim {
	q := rtl.NewQueue[parcel](3, opts...)
	q.Out().Push(parcel{[8]uint64{1, 2, 3, 4, 5, 6, 7, 8}})
	return rtl.MustNew("post", &post{&packer{Out: q.Out(), plain: plain}, &unpacker{In: q.In()}})
}

// TestStaleEntries: the notes about remains in the places of a queue survive a snapshot and a
// reset. The consumer never sees remains.
func TestStaleEntries(t *testing.T) {
	for name, opts := range map[string][]rtl.QueueOption{
		"plain": nil, "latency": {rtl.Latency(4)},
		"pipe": {rtl.Pipe()},
	} {
		t.Run(name, func(t *testing.T) {
			want, got := newPost(true, opts...), newPost(false, opts...)
			for range 10 {
				want.Run(7)
				got.Run(7)
				assert.Equal(t, want.Hash(), got.Hash(), "cycle %d", want.Now())
			}
			rtltest.Properties(t, func() *rtl.Sim { return newPost(false, opts...) }, 50)
		})
	}
}
