package divergence_test

import (
	"fmt"
	"math/bits"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
)

// This file tries everything in small worlds: all programs up to a length on two warps of four
// lanes, and all events up to a number at the CTA barrier.

// conditions divide eight threads in two warps: within each warp, by warp, one thread from all
// others, and none from all.
var conditions = []func(t *micro.Thread) bool{
	micro.Odd,
	micro.BelowThread(4),
	micro.FromThread(7),
	func(*micro.Thread) bool { return true },
}

// lines are the instructions that can stand at a place of a program of n instructions, before the
// exit: without effect, a guarded exit, a branch ahead by each condition, and a branch back that
// each thread takes as often as its number in its warp says.
func lines(at, n int) (list []micro.Line) {
	list = append(list, micro.Nop)
	for _, c := range conditions {
		list = append(list, micro.Line{Exit: true, If: c})
		for to := at + 2; to <= n; to++ {
			list = append(list, micro.When(c, fmt.Sprint(to)))
		}
	}
	for to := range at + 1 {
		list = append(list, micro.Line{
			Do: micro.Count.Do, If: func(t *micro.Thread) bool { return t.I <= t.TID%4 }, To: fmt.Sprint(to),
		})
	}
	return list
}

// programs calls do with all programs of n instructions and an exit.
func programs(n int, do func(k micro.Kernel)) {
	k := make(micro.Kernel, n+1)
	k[n] = micro.At(fmt.Sprint(n), micro.Exit)
	var fill func(at int)
	fill = func(at int) {
		if at == n {
			do(k)
			return
		}
		for _, l := range lines(at, n) {
			k[at] = micro.At(fmt.Sprint(at), l)
			fill(at + 1)
		}
	}
	fill(0)
}

// TestAllPrograms runs all programs of up to three instructions before the exit, and one in 37 of
// four, on two warps of four lanes. Each one ends; each thread executes what it executes by itself;
// and after each cycle each thread is in exactly one group. With -short it is two instructions.
func TestAllPrograms(t *testing.T) {
	length := 4
	if testing.Short() {
		length = 2
	}
	const lanes, warps = 4, 2
	for _, o := range variants() {
		t.Run(o.Mechanism, func(t *testing.T) {
			start, n, cycles := time.Now(), 0, 0
			m, _ := divergence.Find(o.Mechanism)
			for size := 1; size <= length; size++ {
				number := 0
				programs(size, func(k micro.Kernel) {
					if number++; size == 4 && number%37 != 0 {
						return
					}
					n++
					count := microtest.Census{Kernel: k, Lanes: lanes}
					look := func(p divergence.Policy, issued []micro.Issue) {
						cycles++
						count.Take(t, p, issued)
					}
					b := micro.Bench{Lanes: lanes, Warps: warps, Latency: n % 3, Each: look}
					r, err := b.Run(m, o, k, 10_000)
					require.NoError(t, err)
					require.True(t, r.Done, "no end: %v", written(k))
					var want [][]uint32
					for tid := range lanes * warps {
						want = append(want, microtest.Alone(k, tid))
					}
					if got := microtest.PerThread(r.Issues, lanes, lanes*warps); !reflect.DeepEqual(want, got) {
						require.Equal(t, want, got, written(k))
					}
				})
			}
			t.Logf("%d programs, %d states, %.1f s", n, cycles, time.Since(start).Seconds())
		})
	}
}

// written shows a program.
func written(k micro.Kernel) (list []string) {
	for _, l := range k {
		text := "nop"
		switch {
		case l.Exit:
			text = "exit"
		case l.To != "":
			text = "bra " + l.To
		}
		if l.If != nil {
			text += " if:"
			for tid := range 8 {
				if l.If(&micro.Thread{TID: tid}) {
					text += fmt.Sprint(" ", tid)
				}
			}
		}
		list = append(list, text)
	}
	return list
}

// barrierWorld is a CTA of three warps at its barriers: 0 for all, with or without a vote, and 1
// for two warps, of which one may only arrive.
type barrierWorld struct {
	gone, waits     uint64 // rows
	arrived, waited [2]uint64
	yes, all        int // votes at barrier 0
}

// events are what a warp that runs can do.
var events = []string{"sync 0", "vote yes 0", "vote no 0", "sync 1", "arrive 1", "exit"}

const barrierRows = 3

// step returns what an event of a row releases, and with which votes.
func (w *barrierWorld) step(row, event int) (release uint64, yes, all int) {
	bit := uint64(1) << row
	switch event {
	case 0, 1, 2:
		w.arrived[0] |= bit
		w.waits |= bit
		if event > 0 {
			w.all += 4
		}
		if event == 1 {
			w.yes += 4
		}
	case 3, 4:
		w.arrived[1] |= bit
		if event == 3 {
			w.waited[1] |= bit
			w.waits |= bit
		}
		if bits.OnesCount64(w.arrived[1]) == 2 {
			release = w.waited[1]
			w.arrived[1], w.waited[1] = 0, 0
		}
	case 5:
		w.gone |= bit
	}
	if a := w.arrived[0]; a != 0 && a|w.gone == 1<<barrierRows-1 {
		release |= a
		yes, all = w.yes, w.all
		w.arrived[0], w.yes, w.all = 0, 0, 0
	}
	w.waits &^= release
	return release, yes, all
}

// allEvents is a bench in which a barrier lives through all sequences of events. Each is that of
// another CTA.
type allEvents struct {
	Barrier divergence.Barrier

	length int
	path   [16][2]int
	found  string
	states int
	ends   int
}

// Tick tries all sequences.
func (b *allEvents) Tick() { b.try(0, barrierWorld{}) }

// try tries all continuations of the sequence of the first n events of path.
func (b *allEvents) try(n int, w barrierWorld) {
	b.states++
	ended := true
	for row := range barrierRows {
		if (w.gone|w.waits)>>row&1 != 0 || n == b.length {
			continue
		}
		for event := range events {
			if event == 4 && w.arrived[1]>>row&1 != 0 {
				continue // twice at one barrier
			}
			ended = false
			next := w
			next.step(row, event)
			b.path[n] = [2]int{row, event}
			b.try(n+1, next)
		}
	}
	if ended && b.found == "" {
		b.ends++
		b.play(n)
	}
}

// play lets the barrier live through a sequence.
func (b *allEvents) play(n int) {
	var w barrierWorld
	for row := range barrierRows {
		b.Barrier.Launch(&divergence.WarpStart{Row: uint8(row), Warps: barrierRows, Mask: 15})
	}
	text := ""
	for _, e := range b.path[:n] {
		row, event := e[0], e[1]
		text += fmt.Sprintf("warp %d: %s; ", row, events[event])
		var got uint64
		switch o := (divergence.Outcome{Taken: 15}); event {
		case 0, 1, 2:
			if event > 0 {
				if event == 1 {
					o.Votes = 15
				}
				b.Barrier.Count(0, &o)
			}
			got = b.Barrier.Arrive(0, uint8(row), 0, 0, true)
		case 3, 4:
			got = b.Barrier.Arrive(0, uint8(row), 1, 2, event == 3)
		case 5:
			got = b.Barrier.Exit(0, uint8(row))
		}
		want, yes, all := w.step(row, event)
		if got != want {
			b.found = fmt.Sprintf("%sreleases rows %03b, not %03b", text, got, want)
		}
		for m := want; m != 0 && all > 0 && b.found == ""; m &= m - 1 {
			tally := *b.Barrier.Tallies.Next(bits.TrailingZeros64(m))
			if int(tally.Yes) != yes || int(tally.All) != all {
				b.found = fmt.Sprintf("%svotes %d of %d, not %d of %d", text, tally.Yes, tally.All, yes, all)
			}
		}
		if b.found != "" {
			return
		}
	}
}

// TestAllBarrierEvents plays all sequences of up to five events of three warps at the barriers of a
// CTA, one CTA after the other: the barrier releases the warps that a model releases, with its
// votes. With -short it is four events.
func TestAllBarrierEvents(t *testing.T) {
	b := &allEvents{
		Barrier: divergence.NewBarrier(divergence.Geometry{Lanes: 4, Warps: barrierRows, CTAs: 1}),
		length:  5,
	}
	if testing.Short() {
		b.length = 4
	}
	start := time.Now()
	rtl.MustNew("bench", b).Run(1)
	require.Empty(t, b.found)
	t.Logf("%d sequences, %d states, %.1f s", b.ends, b.states, time.Since(start).Seconds())
}
