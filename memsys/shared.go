package memsys

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
)

// wordBytes is the width of a shared-memory bank.
const wordBytes = 4

// Shared is the shared memory of an SM: banks of 4-byte words, each with one access a cycle. It
// serves the lanes of an access in groups: half-warps in the machine of GPGPU-Sim 2.1.1b. A group
// takes as many cycles as the busiest bank has distinct words to deliver. A word goes to all lanes
// that need it (Fung & Aamodt, HPCA 2011, section 2.2.1). If lanes store to the same byte, the
// highest lane wins. Atomics take one cycle for each lane.
type Shared struct {
	rtl.State[sharedState]
	Count rtl.State[SharedCounters] `rtl:"sim,inplace"`
	In    rtl.In[Access]
	Out   rtl.Out[Reply]

	banks, lanes int
	words        *rtl.Mem[uint32] `rtl:"inplace"`
	row          *rtl.Mem[row]    `rtl:"inplace" len:"lanes" bits:"word"` // data read so far for the access at In
}

type sharedState struct {
	Busy   bool                // the access at In has begun
	Left   uint32              `bits:"lanes"`         // lanes not done
	Served [isa.RowLanes]uint8 `len:"lanes" bits:"4"` // words that each lane has received, one bit each
}

// SharedCounters are the counts of a Shared since reset.
type SharedCounters struct {
	Accesses  uint64
	Passes    uint64 // cycles in use
	Conflicts uint64 // of these, cycles that left lanes of their group unserved
}

// NewShared makes the shared memory of an SM.
func NewShared(cfg *SharedConfig, in rtl.In[Access], out rtl.Out[Reply]) *Shared {
	return &Shared{
		In: in, Out: out, banks: cfg.Banks, lanes: cfg.Lanes,
		words: rtl.NewMem[uint32](cfg.Size / wordBytes), row: rtl.NewMem[row](1),
	}
}

// Tick does one pass: each bank serves one word of a group of lanes.
func (s *Shared) Tick() {
	if !s.In.Valid() || !s.Out.Ready() {
		return
	}
	q, d := s.Regs()
	a := s.In.Front()
	left := q.Left
	if !q.Busy {
		left = a.Mask
		s.Count.D().Accesses++
	}
	group := s.group(left)
	data := s.row.Edit(0)
	if !q.Busy {
		*data = row{}
	}
	var done uint32
	if a.Kind == Atomic || a.Kind == Reduce {
		done = group & -group
		s.atomic(a, done, data)
	} else {
		done = s.pass(a, group, data)
	}
	s.Count.D().Passes++
	if done != group {
		s.Count.D().Conflicts++
	}
	d.Left, d.Busy = left&^done, left != done
	if d.Busy {
		return
	}
	d.Served = [isa.RowLanes]uint8{}
	r := s.Out.PushSlot()
	r.Tag, r.Mask = a.Tag, a.Mask
	if a.Kind == Load || a.Kind == Atomic {
		r.Data = *data
	}
	s.In.Pop()
}

// group returns the lanes of left that are served together.
func (s *Shared) group(left uint32) uint32 {
	first := bits.TrailingZeros32(left) / s.lanes * s.lanes
	return left & uint32((uint64(1)<<s.lanes-1)<<first)
}

// pass gives every bank to the lowest lane that needs a word of it, and serves all lanes that need
// the same word. It returns the lanes that are done.
func (s *Shared) pass(a *Access, group uint32, data *row) (done uint32) {
	q, d := s.Regs()
	all := uint8(1)<<max(a.Size/wordBytes, 1) - 1
	var taken uint64 // banks
	var word [MaxBanks]uint32
	for m := group; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		for need := all &^ q.Served[i]; need != 0; need &= need - 1 {
			k := bits.TrailingZeros8(need)
			w := uint32(a.Addr[i])/wordBytes + uint32(k)
			b := int(w) & (s.banks - 1)
			if taken>>b&1 == 0 {
				taken |= 1 << b
				word[b] = w
			} else if word[b] != w {
				continue
			}
			d.Served[i] |= 1 << k
			s.move(a, i, k, int(w), data)
		}
		if d.Served[i] == all {
			done |= 1 << i
		}
	}
	return done
}

// move copies word k of a lane's data between the lane and word w.
func (s *Shared) move(a *Access, lane, k, w int, data *row) {
	shift := uint(a.Addr[lane]%wordBytes) * 8 // within the word, for 1 and 2 bytes
	half := uint(k%2) * 32                    // within the lane's data
	mask := uint32(1)<<(min(a.Size, wordBytes)*8) - 1
	if a.Kind == Load {
		data[lane][k/2] |= uint64(*s.words.At(w)>>shift&mask) << half
		return
	}
	p := s.words.Edit(w)
	*p = *p&^(mask<<shift) | uint32(a.Data[lane][k/2]>>half)&mask<<shift
}

// atomic reads, changes and writes 2, 4 or 8 bytes of one lane.
func (s *Shared) atomic(a *Access, lane uint32, data *row) {
	i := bits.TrailingZeros32(lane) & (isa.RowLanes - 1)
	if lane == 0 {
		return
	}
	w := int(a.Addr[i] / wordBytes)
	words := uint64(*s.words.At(w))
	if a.Size == 8 {
		words |= uint64(*s.words.At(w + 1)) << 32
	}
	shift := a.Addr[i] % wordBytes * 8 // of half a word
	mask := uint64(1)<<(a.Size*8-1)<<1 - 1
	old := words >> shift & mask
	v := isa.Atomic(a.Atom, a.Type, old, a.Data[i][0], a.Data[i][1])
	words = words&^(mask<<shift) | v<<shift
	s.words.Write(w, uint32(words))
	if a.Size == 8 {
		s.words.Write(w+1, uint32(words>>32))
	}
	data[i][0] = old
}
