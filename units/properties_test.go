package units_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/rtl"
	"divergo/units"
)

// cta is a set of threads, by the lanes of each static warp.
type cta struct {
	Lanes int
	Warps []uint64
}

func ctas(lanes gopter.Gen) gopter.Gen {
	return forall.Struct[cta](map[string]gopter.Gen{"Lanes": lanes, "Warps": forall.List(64, forall.Mask[uint64](64))})
}

// each calls f for every thread, in order.
func (c cta) each(f func(warp, lane int)) {
	for w, lanes := range c.Warps {
		for l := range c.Lanes {
			if lanes>>l&1 != 0 {
				f(w, l)
			}
		}
	}
}

func (c cta) mask() (m units.BlockMask) {
	c.each(func(w, l int) { m.Add(w, 1<<l) })
	return m
}

// String draws a row for each warp.
func (c cta) String() string {
	var s strings.Builder
	for w, lanes := range c.Warps {
		fmt.Fprintf(&s, "warp %2d  %s\n", w, forall.Bits(uint64(lanes), c.Lanes))
	}
	return s.String()
}

// formed holds warps that are formed of threads, each by lane.
type formed []map[int]units.Home

func (f *formed) put(warp, lane int, h units.Home) {
	for len(*f) <= warp {
		*f = append(*f, map[int]units.Home{})
	}
	(*f)[warp][lane] = h
}

// leave returns the warps that a compactor makes of a CTA.
func leave(t *forall.T, c cta, next func(*units.Compactor) (uint64, units.Homes)) (warps formed) {
	compactor := units.Compactor{Pending: c.mask()}
	for n := 0; !compactor.Pending.Empty(); n++ {
		require.Less(t, n, 64*64, "threads stay in the compactor")
		mask, homes := next(&compactor)
		for ; mask != 0; mask &= mask - 1 {
			lane := bits.TrailingZeros64(mask)
			warps.put(n, lane, homes.At(lane))
		}
	}
	return warps
}

func TestCompactorProperties(t *testing.T) {
	all := ctas(gen.IntRange(1, 64))
	forall.Check(t, "thread n of a lane leaves in warp n, in its lane", all, func(t *forall.T, c cta) {
		var want formed
		var n [64]int
		c.each(func(w, l int) {
			want.put(n[l], l, units.Home{Row: uint8(w), Lane: uint8(l)})
			n[l]++
		})
		require.Equal(t, want, leave(t, c, (*units.Compactor).Next))
		m := c.mask()
		require.Equal(t, len(want), m.Compacted(), "warps counted beforehand")
	})
	forall.Check(t, "with the compactor off each static warp leaves as it is", all, func(t *forall.T, c cta) {
		var want formed
		last := -1
		c.each(func(w, l int) {
			if w != last {
				last = w
				want = append(want, map[int]units.Home{})
			}
			want.put(len(want)-1, l, units.Home{Row: uint8(w), Lane: uint8(l)})
		})
		require.Equal(t, want, leave(t, c, (*units.Compactor).NextStatic))
		m := c.mask()
		require.Equal(t, len(want), bits.OnesCount64(m.Warps()))
	})
	forall.Check(t, "threads that may change lanes fill every warp but the last", all, func(t *forall.T, c cta) {
		var want formed
		n := 0
		c.each(func(w, l int) {
			want.put(n/c.Lanes, n%c.Lanes, units.Home{Row: uint8(w), Lane: uint8(l)})
			n++
		})
		require.Equal(t, want, leave(t, c,
			func(k *units.Compactor) (uint64, units.Homes) { return k.NextFilled(c.Lanes) }))
		m := c.mask()
		require.Equal(t, len(want), m.Filled(c.Lanes))
		require.Equal(t, n, m.Threads())
	})
}

func TestPlacementProperties(t *testing.T) {
	type placed struct {
		Permutation units.Permutation
		CTA         cta
	}
	forall.Check(t, "a thread is in the lane of its location, in its own warp",
		forall.Struct[placed](map[string]gopter.Gen{
			"Permutation": forall.OneOf(units.Permutations()...), "CTA": ctas(forall.OneOf(1, 2, 4, 8, 16, 32, 64)),
		}), func(t *forall.T, c placed) {
			lanes, err := units.NewLaneMap(c.Permutation, c.CTA.Lanes, 1)
			require.NoError(t, err)
			var want units.BlockMask
			c.CTA.each(func(w, l int) { want.Add(w, 1<<lanes.Lane(w, l)) })
			m := c.CTA.mask()
			got := lanes.Place(&m)
			require.Equal(t, want, got)
			require.Equal(t, m.Threads(), got.Threads(), "two threads in one lane")
			require.GreaterOrEqual(t, got.Compacted(), m.Filled(c.CTA.Lanes))
		})
}

// vote is a branch of a warp of eight lanes.
type vote struct {
	Taken, Active uint64
	Tie           units.Tie
	Previous      bool
}

func (v vote) String() string {
	return fmt.Sprintf("taken   %s\nactive  %s\ntie %s, previous %t", forall.Bits(uint64(v.Taken), 8),
		forall.Bits(uint64(v.Active), 8), v.Tie, v.Previous)
}

func TestMajorityProperties(t *testing.T) {
	forall.Check(t, "a herded branch goes where most of the active lanes want to",
		forall.Struct[vote](map[string]gopter.Gen{
			"Taken": forall.Mask[uint64](8), "Active": forall.Mask[uint64](8),
			"Tie": forall.OneOf(units.TieNotTaken, units.TieTaken, units.TiePrevious), "Previous": forall.Bool(),
		}), func(t *forall.T, v vote) {
			m, err := units.NewMajority(v.Tie)
			require.NoError(t, err)
			lead := 0
			for l := range 8 {
				switch {
				case v.Active>>l&1 == 0:
				case v.Taken>>l&1 != 0:
					lead++
				default:
					lead--
				}
			}
			want := lead > 0
			if lead == 0 {
				want = v.Tie == units.TieTaken || v.Tie == units.TiePrevious && v.Previous
			}
			require.Equal(t, want, m.Taken(v.Taken, v.Active, v.Previous))
		})
}

func TestSetProperties(t *testing.T) {
	type arbiter struct {
		Words         int
		Added, Erased []int
		From          int
	}
	line := gen.IntRange(0, units.MaxSet-1)
	forall.Check(t, "the arbiter grants the first request at or after a line, going round",
		forall.Struct[arbiter](map[string]gopter.Gen{
			"Words": gen.IntRange(1, units.MaxSet/64), "Added": forall.List(6, line), "Erased": forall.List(6,
				line), "From": line,
		}), func(t *forall.T, c arbiter) {
			var s units.Set
			lines, asks := 64*c.Words, map[int]bool{}
			for _, i := range c.Added {
				s.Add(i % lines)
				asks[i%lines] = true
			}
			for _, i := range c.Erased {
				s.Remove(i % lines)
				delete(asks, i%lines)
			}
			want := -1
			for n := lines - 1; n >= 0; n-- {
				if i := (c.From + n) % lines; asks[i] {
					want = i
				}
			}
			require.Equal(t, want, s.Next(c.From%lines, c.Words))
			for i := range units.MaxSet {
				require.Equal(t, asks[i], s.Has(i), "line %d", i)
			}
			require.Equal(t, len(asks) > 0, s.Any(c.Words))
		})
}

// rows holds two warps with threads of any rows, and a set of lanes.
type rows struct {
	To, From units.Rows
	Lanes    uint64
	Row      uint8
}

func (r rows) String() string {
	return fmt.Sprintf("to    %2d\nfrom  %2d\nlanes %s, row %d", r.To, r.From,
		strings.Join(strings.Split(forall.Bits(r.Lanes, units.PoolLanes), ""), "  "), r.Row)
}

func TestRowsProperties(t *testing.T) {
	row := gen.UInt8Range(0, units.MaxRows-1)
	all := forall.Struct[rows](map[string]gopter.Gen{
		"To": gen.ArrayOfN(units.PoolLanes, row), "From": gen.ArrayOfN(units.PoolLanes, row), "Lanes": forall.Mask[uint64](64), "Row": row,
	})
	forall.Check(t, "a lane takes the row of its lane", all, func(t *forall.T, c rows) {
		got := c.To
		got.Take(&c.From, c.Lanes)
		for l := range got {
			if want := [2]uint8{c.To[l], c.From[l]}[c.Lanes>>l&1]; want != got[l] {
				assert.Equal(t, want, got[l], "lane %d", l)
			}
		}
	})
	forall.Check(t, "a lane is shifted by a row", all, func(t *forall.T, c rows) {
		got := c.To
		got.Shift(c.Row, c.Lanes)
		for l := range got {
			if want := c.To[l] + [2]uint8{0, c.Row}[c.Lanes>>l&1]; want != got[l] {
				assert.Equal(t, want, got[l], "lane %d", l)
			}
		}
	})
	forall.Check(t, "lanes are of several rows if two of them differ", forall.Struct[rows](map[string]gopter.Gen{
		"To": gen.ArrayOfN(units.PoolLanes, gen.UInt8Range(0, 1)), "From": gen.Const(units.Rows{}), "Lanes": forall.Mask[uint64](64),
		"Row": gen.Const(uint8(0)),
	}), func(t *forall.T, c rows) {
		in := map[uint8]bool{}
		for l, r := range c.To {
			if c.Lanes>>l&1 != 0 {
				in[r] = true
			}
		}
		require.Equal(t, len(in) > 1, c.To.Several(c.Lanes))
	})
	forall.Check(t, "threads have moved if one is in another lane", all, func(t *forall.T, c rows) {
		h, want := units.Homes{}, false
		for l := range h.Lane {
			h.Lane[l] = uint8(l)
			if c.To[l] == 1 {
				h.Lane[l] = c.From[l] % units.PoolLanes
				want = want || c.Lanes>>l&1 != 0 && c.From[l]%units.PoolLanes != uint8(l)
			}
		}
		require.Equal(t, want, h.Moved(c.Lanes))
	})
	forall.Check(t, "each row has a count of its own", forall.List(20, forall.Mask[uint64](units.MaxRows)),
		func(t *forall.T, sets []uint64) {
			var got, want units.InRows
			for _, set := range sets {
				add := set&1 != 0
				for row := range want {
					switch {
					case !add && want[row] == 0:
						set &^= 1 << row
					case set>>row&1 == 0:
					case add:
						want[row]++
					default:
						want[row]--
					}
				}
				if add {
					got.Add(set)
				} else {
					got.Remove(set)
				}
				require.Equal(t, want, got)
			}
		})
}

// bench is a module that performs one action a cycle on a part.
type bench[T any] struct {
	Part T
	do   func(cycle int)
	rtl.State[struct{ Cycle uint32 }]
}

func (b *bench[T]) Tick() {
	b.do(int(b.Q().Cycle))
	b.D().Cycle++
}

// bank is a list of cycles for stacks of five entries, each with its accesses.
type bank struct{ Cycles [][]access }

// access is a push or a pop of one of three stacks. A push to a full stack and a pop of an empty
// one have no effect.
type access struct {
	Stack int
	Value uint32
	Pop   bool
}

const deepest = 5

// does reports whether an access changes its stack.
func (a access) does(s []uint32) bool { return a.Pop && len(s) > 0 || !a.Pop && len(s) < deepest }

func (a access) apply(s []uint32) []uint32 {
	if a.Pop {
		return s[:len(s)-1]
	}
	return append(s, a.Value)
}

// String draws the accesses of each cycle and the stacks after them, bottom first.
func (b bank) String() string {
	var out strings.Builder
	var stacks [3][]uint32
	for cycle, list := range b.Cycles {
		fmt.Fprintf(&out, "cycle %d", cycle)
		for _, a := range list {
			if s := &stacks[a.Stack]; !a.does(*s) {
				continue
			} else if *s = a.apply(*s); a.Pop {
				fmt.Fprintf(&out, ", pop %d", a.Stack)
			} else {
				fmt.Fprintf(&out, ", push %d to %d", a.Value, a.Stack)
			}
		}
		fmt.Fprintln(&out)
		for i, s := range stacks {
			fmt.Fprintf(&out, "  stack %d  %v\n", i, s)
		}
	}
	return out.String()
}

func TestStackProperties(t *testing.T) {
	forall.Check(t, "a stack gives back the entry pushed last, in the cycle of the push too",
		forall.Struct[bank](map[string]gopter.Gen{
			"Cycles": forall.List(30, forall.List(4, forall.Struct[access](map[string]gopter.Gen{
				"Stack": gen.IntRange(0, 2), "Value": gen.UInt32Range(0, 9), "Pop": forall.Bool(),
			}))),
		}), func(t *forall.T, c bank) {
			b := &bench[units.Stack[uint32]]{Part: units.NewStack[uint32](3, deepest, 99)}
			k := &b.Part
			var stacks [3][]uint32
			b.do = func(cycle int) {
				for i, s := range stacks { // contents at the start of the cycle
					for n, v := range s {
						require.Equal(t, v, *k.At(i, n), "cycle %d, stack %d, entry %d", cycle, i, n)
					}
					for n := len(s); n < deepest; n++ {
						require.EqualValues(t, 99, *k.At(i, n), "cycle %d, stack %d, entry %d is not in use", cycle, i, n)
					}
					if len(s) > 0 {
						require.Equal(t, s[len(s)-1], *k.Peek(i), "cycle %d, stack %d", cycle, i)
					}
				}
				for _, a := range c.Cycles[cycle] {
					s := &stacks[a.Stack]
					if !a.does(*s) {
						continue
					}
					if *s = a.apply(*s); a.Pop {
						require.Equal(t, len(*s), k.Pop(a.Stack))
					} else {
						require.Equal(t, len(*s), k.Push(a.Stack, a.Value))
					}
					require.Equal(t, len(*s), k.Len(a.Stack))
					if n := len(*s); n > 0 {
						require.Equal(t, (*s)[n-1], *k.Top(a.Stack), "cycle %d, top of stack %d", cycle, a.Stack)
					}
				}
			}
			rtl.MustNew("stacks", b).Run(uint64(len(c.Cycles)))
		})
}

// flight is a set of registers that threads of four rows are going to write, or have written.
type flight struct {
	Written bool
	Regs    []uint16
	Lanes   []uint64 // by row
	Asked   uint64   // rows that are checked before
}

func (f flight) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s %v, asked of rows %s\n", map[bool]string{true: "clear", false: "set"}[f.Written], f.Regs,
		forall.Bits(f.Asked, 4))
	for row, lanes := range f.Lanes {
		fmt.Fprintf(&s, "  row %d  %s\n", row, forall.Bits(uint64(lanes), 32))
	}
	return s.String()
}

func TestScoreboardProperties(t *testing.T) {
	forall.Check(t, "a thread waits for a register while an instruction in flight writes its own",
		forall.List(40, forall.Struct[flight](map[string]gopter.Gen{
			"Written": forall.Bool(), "Regs": forall.List(2, gen.UInt16Range(0, 5)), "Lanes": forall.List(4,
				forall.Mask[uint64](32)), "Asked": forall.Mask[uint64](4),
		})), func(t *forall.T, flights []flight) {
			b := &bench[units.Scoreboard]{Part: units.NewScoreboard()}
			k := &b.Part
			var pending [6][4]uint64 // by register and row
			b.do = func(cycle int) {
				f := flights[cycle]
				var of units.Threads
				for row, lanes := range f.Lanes {
					if of.Lanes[row] = lanes; lanes != 0 {
						of.Rows |= 1 << row
					}
				}
				held, asked := uint64(0), f.Asked&of.Rows
				for _, reg := range f.Regs {
					want := asked
					for row := range 4 {
						if pending[reg][row]&of.Lanes[row] != 0 {
							held |= 1 << row
						}
					}
					for want != 0 {
						row := bits.TrailingZeros64(want)
						if pending[reg][row]&of.Lanes[row] != 0 {
							break
						}
						want &= want - 1
					}
					require.Equal(t, want, k.Holds(&of, asked, reg), "cycle %d, register %d", cycle, reg)
					homes, pends := units.Homes{}, false
					for lane := range 32 {
						home := units.Home{Row: uint8(lane % 4), Lane: uint8((lane + cycle) % 32)}
						homes.Row[lane], homes.Lane[lane] = home.Row, home.Lane
						pends = pends || of.Lanes[0]>>lane&1 != 0 && pending[reg][home.Row]>>home.Lane&1 != 0
					}
					require.Equal(t, pends, k.Pends(&homes, of.Lanes[0], reg), "cycle %d, register %d", cycle, reg)
				}
				row, one := bits.TrailingZeros64(of.Rows), bits.OnesCount64(of.Rows) == 1
				if one {
					_, busy := k.Busy(row, f.Regs, of.Lanes[row])
					require.Equal(t, held != 0, busy, "cycle %d, row %d", cycle, row)
				}
				switch {
				case f.Written && one:
					k.Clear(row, f.Regs, of.Lanes[row])
				case f.Written:
					k.ClearAll(&of, f.Regs)
				case one:
					k.Set(row, f.Regs, of.Lanes[row])
				default:
					k.SetAll(&of, f.Regs)
				}
				for _, reg := range f.Regs {
					for row := range 4 {
						if pending[reg][row] |= of.Lanes[row]; f.Written {
							pending[reg][row] &^= of.Lanes[row]
						}
					}
				}
			}
			sim := rtl.MustNew("board", b)
			k.Resize(len(pending))
			sim.Run(uint64(len(flights)))
		})
}

// step is a cycle of a pool for six rows of four lanes: entries whose warps issue, and arrivals.
type step struct {
	Issued   []int
	Arrivals []arrival
}

// arrival is a set of threads that continue at a PC. In each of its lanes it is the first thread
// outside of the pool at or after a row.
type arrival struct {
	PC    uint32
	Lanes uint64
	Row   int
}

func (u arrival) String() string {
	return fmt.Sprintf("PC %d lanes %s from row %d", u.PC, forall.Bits(uint64(u.Lanes), 4), u.Row)
}

// poolModel keeps the joinable warp of each PC in a list ordered by use.
type poolModel struct {
	outside map[units.Home]bool
	held    map[int]map[units.Home]bool // by entry
	sets    [4][]uint32                 // PCs, most recent first
	head    map[uint32]int              // by PC, the warp that can be joined
	evicted uint64                      // PCs replaced whose warp could be joined
}

const poolRows, poolLanes, poolWays = 6, 4, 2

func newPoolModel() *poolModel {
	m := &poolModel{map[units.Home]bool{}, map[int]map[units.Home]bool{}, [4][]uint32{}, map[uint32]int{}, 0}
	for row := range poolRows {
		for lane := range poolLanes {
			m.outside[units.Home{Row: uint8(row), Lane: uint8(lane)}] = true
		}
	}
	return m
}

// threads returns the threads of an arrival.
func (m *poolModel) threads(u arrival) (list []units.Home) {
	for lane := range poolLanes {
		for n := range poolRows {
			h := units.Home{Row: uint8((u.Row + n) % poolRows), Lane: uint8(lane)}
			if u.Lanes>>lane&1 != 0 && m.outside[h] {
				list = append(list, h)
				break
			}
		}
	}
	return list
}

// use makes a PC the most recent of its set, and forgets the warp of the replaced PC.
func (m *poolModel) use(pc uint32) {
	set := &m.sets[pc%4]
	*set = append([]uint32{pc}, slices.DeleteFunc(*set, func(o uint32) bool { return o == pc })...)
	if len(*set) > poolWays {
		if _, open := m.head[(*set)[poolWays]]; open {
			m.evicted++
		}
		delete(m.head, (*set)[poolWays])
		*set = (*set)[:poolWays]
	}
}

// issue removes an entry; its threads are outside of the pool again.
func (m *poolModel) issue(entry int) {
	for h := range m.held[entry] {
		m.outside[h] = true
	}
	delete(m.held, entry)
	maps.DeleteFunc(m.head, func(_ uint32, e int) bool { return e == entry })
}

func TestWarpPoolProperties(t *testing.T) {
	var total units.Formation
	forall.Check(t, "threads join the youngest warp at their PC, those whose lane is taken form one",
		forall.List(60, forall.Struct[step](map[string]gopter.Gen{
			"Issued": forall.List(4, gen.IntRange(0, 11)),
			"Arrivals": forall.List(2, forall.Struct[arrival](map[string]gopter.Gen{
				"PC": gen.UInt32Range(0, 15), "Lanes": forall.Mask[uint64](poolLanes), "Row": gen.IntRange(0, poolRows-1),
			})),
		})), func(t *forall.T, steps []step) {
			p, sim := newPool(poolRows*poolLanes, 8, poolWays)
			m, cycle := newPoolModel(), 0
			p.do = func() {
				for _, entry := range steps[cycle].Issued {
					if m.held[entry] != nil {
						m.issue(entry)
						p.Free(entry)
					}
				}
				for _, u := range steps[cycle].Arrivals {
					in := &units.Update{PC: u.PC}
					threads := m.threads(u)
					for _, h := range threads {
						in.Req |= 1 << h.Lane
						in.Row[h.Lane] = h.Row
					}
					if in.Req == 0 {
						continue
					}
					m.use(u.PC)
					old, open := m.head[u.PC]
					if !open {
						old = -1
					}
					taken := map[uint8]bool{}
					for h := range m.held[old] {
						taken[h.Lane] = true
					}
					joins := slices.ContainsFunc(threads, func(h units.Home) bool { return open && !taken[h.Lane] })
					forms := slices.ContainsFunc(threads, func(h units.Home) bool { return !open || taken[h.Lane] })
					joined, formed := p.Insert(in, poolLanes)
					require.Equal(t, [2]bool{joins, forms}, [2]bool{joined >= 0, formed >= 0}, "cycle %d, %s: joins, forms",
						cycle, u)
					if joins {
						require.Equal(t, old, joined, "cycle %d, %s", cycle, u)
					}
					if forms {
						require.Nil(t, m.held[formed], "cycle %d: entry %d is in use", cycle, formed)
						m.held[formed] = map[units.Home]bool{}
						m.head[u.PC] = formed
					}
					for _, h := range threads {
						delete(m.outside, h)
						if open && !taken[h.Lane] {
							m.held[old][h] = true
						} else {
							m.held[formed][h] = true
						}
					}
				}
			}
			for ; cycle < len(steps); cycle++ {
				sim.Run(1)
				for entry := range poolRows * poolLanes {
					w, got := p.Warps.At(entry), map[units.Home]bool{}
					for lanes := w.Occ; lanes != 0; lanes &= lanes - 1 {
						lane := bits.TrailingZeros64(lanes)
						got[units.Home{Row: w.Row[lane], Lane: uint8(lane)}] = true
					}
					require.Equal(t, m.held[entry] != nil, *p.Used.At(0)>>entry&1 != 0, "behind cycle %d, entry %d",
						cycle, entry)
					if len(got)+len(m.held[entry]) > 0 {
						require.Equal(t, m.held[entry], got, "behind cycle %d, entry %d", cycle, entry)
					}
				}
			}
			st := p.Counts.At(0)
			require.Equal(t, m.evicted, st.Evicted, "open warps evicted")
			total.Conflicts += st.Conflicts
			total.Fragmented += st.Fragmented
			total.Evicted += st.Evicted
		})
	if !t.Failed() {
		assert.NotZero(t, total.Evicted)
		assert.NotZero(t, total.Fragmented)
		assert.Less(t, total.Fragmented, total.Conflicts)
	}
}

// rush is a cycle of warps that wait at PCs 62 to 65, or in three slots.
type rush struct {
	First    uint32 // PC that precedes all others
	Issued   []int  // slots
	Arrivals []waiting
	Places   string // the queued warp that gets a free slot
}

// waiting is a set of threads that reaches a PC. It is a warp of the pool, is a warp with a slot,
// or joins a waiting warp.
type waiting struct {
	PC    uint32
	Lanes uint64
	To    string
	Slot  int
}

// rushes is a list of cycles.
type rushes struct{ Cycles []rush }

func (c rushes) String() string {
	var s strings.Builder
	for n, cycle := range c.Cycles {
		fmt.Fprintf(&s, "cycle %d: PC %d goes first", n, cycle.First)
		for _, slot := range cycle.Issued {
			fmt.Fprintf(&s, ", slot %d issues", slot)
		}
		for _, w := range cycle.Arrivals {
			where := "a " + w.To
			if w.To == "slot" {
				where = "slot " + strconv.Itoa(w.Slot)
			}
			fmt.Fprintf(&s, ", lanes %s to %s at PC %d", forall.Bits(uint64(w.Lanes), 4), where, w.PC)
		}
		fmt.Fprintf(&s, ", %s gets a slot\n", cycle.Places)
	}
	return s.String()
}

// waitingModel is a list of warps, oldest first.
type waitingModel []*waitingWarp

type waitingWarp struct {
	pc    uint32
	lanes []uint64 // its first threads and those that have joined
	entry int
	slot  int // -1 in a queue
	cycle int
}

func (m *waitingModel) find(is func(w *waitingWarp) bool) *waitingWarp {
	if i := slices.IndexFunc(*m, is); i >= 0 {
		return (*m)[i]
	}
	return nil
}

func (m *waitingModel) in(slot int) *waitingWarp {
	return m.find(func(w *waitingWarp) bool { return w.slot == slot })
}

// threads returns the number of threads at a PC.
func (m *waitingModel) threads(pc uint32) (n int) {
	for _, w := range *m {
		for _, lanes := range w.lanes {
			if w.pc == pc {
				n += bits.OnesCount64(lanes)
			}
		}
	}
	return n
}

func TestPCQueuesProperties(t *testing.T) {
	const slots, entries = 3, 8
	chosen := 0
	pc := gen.UInt32Range(62, 65)
	forall.Check(t, "the PC with most threads goes first, and of its warps the oldest",
		forall.Struct[rushes](map[string]gopter.Gen{
			"Cycles": forall.List(40, forall.Struct[rush](map[string]gopter.Gen{
				"First": pc, "Issued": forall.List(2, gen.IntRange(0, slots-1)), "Places": forall.OneOf("none", "next",
					"oldest", "youngest", "second"),
				"Arrivals": forall.List(3, forall.Struct[waiting](map[string]gopter.Gen{
					"PC": pc, "Lanes": forall.Mask[uint64](4), "To": forall.OneOf("queue", "slot",
						"warp"), "Slot": gen.IntRange(0, slots-1),
				})),
			})),
		}), func(t *forall.T, c rushes) {
			b := &bench[units.PCQueues]{Part: units.NewPCQueues(entries)}
			k := &b.Part
			var m waitingModel
			var ranks [slots]uint64
			first := uint32(1000) // no PC of the program
			rank := func(pc uint32) uint64 {
				if pc == first {
					return 0
				}
				return uint64(1000-m.threads(pc))*100 + uint64(pc)
			}
			b.do = func(cycle int) {
				x := c.Cycles[cycle]
				k.Begin()
				for _, slot := range x.Issued {
					if w := m.in(slot); w != nil {
						lanes := uint64(0)
						for _, more := range w.lanes {
							lanes |= more
						}
						k.Leave(slot, w.pc, lanes)
						m = slices.DeleteFunc(m, func(o *waitingWarp) bool { return o == w })
					}
				}
				for _, a := range x.Arrivals {
					m.arrive(k, a, cycle, entries)
				}
				k.Touch(first)
				first = x.First
				k.Touch(first)
				k.Rank(func(pc uint32, threads uint16) uint64 {
					require.EqualValues(t, m.threads(pc), threads, "cycle %d, PC %d: threads", cycle, pc)
					return rank(pc)
				})
				var queued []*waitingWarp
				for _, w := range m {
					if w.slot < 0 && w.cycle < cycle {
						queued = append(queued, w)
					}
				}
				if len(queued) > 0 {
					best := slices.MinFunc(queued,
						func(v, w *waitingWarp) int { return cmp.Compare(rank(v.pc), rank(w.pc)) })
					require.Equal(t, best.entry, k.Next(), "cycle %d: pool entry", cycle)
					slot := 0
					for m.in(slot) != nil {
						slot++
					}
					n, more := map[string]int{
						"next": slices.Index(queued, best), "oldest": 0, "youngest": len(queued) - 1,
						"second": 1,
					}[x.Places]
					if more && n < len(queued) && slot < slots {
						queued[n].slot = slot
						k.Place(queued[n].entry, slot, queued[n].pc)
						chosen++
					}
				}
				changed := k.Settle()
				for slot := range slots {
					w := m.in(slot)
					if w == nil {
						continue
					}
					if changed>>slot&1 != 0 {
						ranks[slot] = k.RankOf(w.pc)
					}
					require.Equal(t, rank(w.pc), ranks[slot], "cycle %d, slot %d: rank", cycle, slot)
				}
			}
			sim := rtl.MustNew("queues", b)
			k.Resize(66)
			sim.Run(uint64(len(c.Cycles)))
		})
	assert.NotZero(t, chosen)
}

// arrive moves threads to the place where they wait, if it is possible.
func (m *waitingModel) arrive(k *units.PCQueues, a waiting, cycle, entries int) {
	if a.Lanes == 0 {
		return
	}
	joined := m.find(func(w *waitingWarp) bool {
		return w.pc == a.PC && !slices.ContainsFunc(w.lanes, func(lanes uint64) bool { return lanes&a.Lanes != 0 })
	})
	entry := 0
	for m.find(func(w *waitingWarp) bool { return w.entry == entry }) != nil {
		entry++
	}
	w := &waitingWarp{pc: a.PC, lanes: []uint64{a.Lanes}, entry: entry, slot: -1, cycle: cycle}
	switch {
	case a.To == "warp" && joined != nil:
		joined.lanes = append(joined.lanes, a.Lanes)
		k.Join(a.PC, a.Lanes)
	case a.To == "slot" && m.in(a.Slot) == nil:
		w.slot, w.entry = a.Slot, -1
		*m = append(*m, w)
		k.Join(a.PC, a.Lanes)
		k.Show(a.Slot, a.PC)
	case a.To == "queue" && entry < entries:
		*m = append(*m, w)
		k.Queue(entry, a.PC, a.Lanes)
	}
}

// birth is an instruction that issues. A slot then gets a warp formed Age instructions before.
type birth struct{ Slot, Age int }

func TestAgingProperties(t *testing.T) {
	type ages struct {
		Limit  int
		Births []birth
	}
	late := 0
	forall.Check(t, "a warp that has waited too long is found", forall.Struct[ages](map[string]gopter.Gen{
		"Limit": gen.IntRange(0, 6),
		"Births": forall.List(40, forall.Struct[birth](map[string]gopter.Gen{
			"Slot": gen.IntRange(0, 3),
			"Age":  gen.IntRange(0, 8),
		})),
	}), func(t *forall.T, c ages) {
		b := &bench[units.Aging]{Part: units.NewAging(uint64(c.Limit))}
		k := &b.Part
		born := map[int]int{} // by slot
		b.do = func(cycle int) {
			in := c.Births[cycle]
			now := 100 + cycle
			born[in.Slot] = now - in.Age
			k.Enter(uint64(now - in.Age))
			found, earliest := false, now
			for slot, at := range born {
				require.Equal(t, c.Limit > 0 && now-at > c.Limit, k.Late(uint64(now), uint64(at)), "slot %d", slot)
				found = found || k.Late(uint64(now), uint64(at))
				earliest = min(earliest, at)
			}
			if found {
				late++
				require.True(t, k.Any(uint64(now)), "cycle %d", cycle)
			}
			if k.Any(uint64(now)) {
				k.Restart(uint64(earliest))
				require.Equal(t, found, k.Any(uint64(now)), "cycle %d, behind a look at the slots", cycle)
			}
		}
		rtl.MustNew("aging", b).Run(uint64(len(c.Births)))
	})
	assert.NotZero(t, late)
}
