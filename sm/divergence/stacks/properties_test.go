package stacks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/isa"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
)

// flow is a kernel of blocks that branch anywhere: into loops, out of them and across. A warp of
// eight threads runs it.
type flow struct {
	Blocks  []leave
	Latency int
}

// leave is the way that threads leave a block. All of them jump or fall into the next block, or
// those of a mask branch or exit. The mask rotates with each block that a thread runs.
type leave struct {
	How  string
	To   int
	Mask uint32
}

const (
	flowLanes = 8
	fuel      = 12 // branches of a thread
)

// String draws the blocks, thread 0 on the left of the masks.
func (f flow) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "latency %d\n", f.Latency)
	for i, b := range f.Blocks {
		fmt.Fprintf(&s, "B%d  %s  %s", i, forall.Bits(uint64(b.Mask), flowLanes), b.How)
		if b.How == "branch" || b.How == "jump" {
			fmt.Fprintf(&s, " to B%d", f.target(i))
		}
		fmt.Fprintln(&s)
	}
	return s.String()
}

// target is the block that block i leads to. One that all threads leave leads ahead.
func (f flow) target(i int) int {
	n := len(f.Blocks)
	if f.Blocks[i].How == "jump" {
		return i + 1 + f.Blocks[i].To%(n-i)
	}
	return f.Blocks[i].To % (n + 1)
}

func (f flow) kernel() (k kernel) {
	name := func(i int) string { return fmt.Sprint("B", i) }
	for i, b := range f.Blocks {
		some := func(t *thread) bool { return t.I < fuel && b.Mask>>((t.TID+t.I-1)%flowLanes)&1 != 0 }
		k = append(k, at(name(i), count1))
		switch b.How {
		case "branch":
			k = append(k, when(some, name(f.target(i))))
		case "jump":
			k = append(k, to(name(f.target(i))))
		case "exit":
			k = append(k, line{If: some, Exit: true})
		}
	}
	return append(k, at(name(len(f.Blocks)), exit))
}

// stackRows draws the paths of a mechanism, the top first.
func stackRows(p divergence.Policy) string {
	var s strings.Builder
	for _, x := range p.Paths(nil) {
		meets := "never"
		if x.Reconv != isa.NoPC {
			meets = fmt.Sprint("at ", x.Reconv)
		}
		fmt.Fprintf(&s, "\n%s  PC %2d  meets %s  %s", forall.Bits(uint64(x.Mask), flowLanes), x.PC, meets, x.Wait)
	}
	return s.String()
}

// TestStackProperties checks the promises of a reconvergence stack with one path or two at the top.
func TestStackProperties(t *testing.T) {
	flows := forall.Struct[flow](map[string]gopter.Gen{
		"Latency": forall.OneOf(0, 1, 5),
		"Blocks": forall.List(10, forall.Struct[leave](map[string]gopter.Gen{
			"How": forall.OneOf("branch", "branch", "branch", "fall", "jump", "exit"), "To": gen.IntRange(0,
				10), "Mask": forall.Mask[uint32](flowLanes),
		})),
	})
	for _, name := range []string{"pdom", "pdom-lcp", "dpe"} {
		m, _ := divergence.Find(name)
		play := func(t *forall.T, f flow, each func(divergence.Policy, []micro.Issue)) (kernel, []micro.Issue) {
			k := f.kernel()
			r, err := micro.Bench{Lanes: flowLanes, Warps: 1, Latency: f.Latency, Each: each}.Run(m,
				divergence.Options{PathOrder: divergence.TakenFirst}, k, 20_000)
			require.NoError(t, err)
			require.True(t, r.Done, "no end")
			return k, r.Issues
		}
		forall.Check(t, name+": each thread executes what it would execute alone", flows, func(t *forall.T, f flow) {
			k, issues := play(t, f, nil)
			for tid, pcs := range microtest.PerThread(issues, flowLanes, flowLanes) {
				require.Equal(t, microtest.Alone(k, tid), pcs, "thread %d", tid)
			}
		})
		forall.Check(t, name+": a thread that has not exited is on one path", flows, func(t *forall.T, f flow) {
			var left [flowLanes]int // instructions of each thread to come
			for tid := range left {
				left[tid] = len(microtest.Alone(f.kernel(), tid))
			}
			seen := 0
			play(t, f, func(p divergence.Policy, issues []micro.Issue) {
				for ; seen < len(issues); seen++ {
					for tid := range left {
						left[tid] -= int(issues[seen].Mask >> tid & 1)
					}
				}
				held := uint64(0)
				for _, x := range p.Paths(nil) {
					require.Zero(t, held&x.Mask, "on two paths:%s", stackRows(p))
					held |= x.Mask
				}
				for tid, n := range left {
					require.True(t, seen == 0 || n <= 0 || held>>tid&1 != 0, "thread %d is on no path:%s", tid,
						stackRows(p))
				}
			})
		})
		forall.Check(t, name+": threads that come to a branch together go on together where its ways meet", flows,
			func(t *forall.T, f flow) {
				k, issues := play(t, f, nil)
				prog := k.Program("flow")
				for n, i := range issues {
					meet := prog.Insts[i.PC].Reconv
					if meet == isa.NoPC || k[i.PC].Exit {
						continue
					}
					for _, later := range issues[n+1:] {
						if together := later.Mask & i.Mask; later.PC == meet && together != 0 {
							require.Equal(t, forall.Bits(uint64(i.Mask), flowLanes),
								forall.Bits(uint64(together), flowLanes), "threads of the branch at %d that are at %d",
								i.PC, meet)
							break
						}
					}
				}
			})
	}
}
