package functional

import (
	"divergo/gpu"
	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
)

// Setup is a launch, with the properties of a machine on which its results depend.
type Setup struct {
	Prog   *isa.Program // bound: see isa.Bind
	Grid   [3]uint32    // CTAs in x, y and z
	Block  [3]uint32    // threads of a CTA in x, y and z
	Shared uint32       // bytes of dynamic shared memory of a CTA
	Params []byte       // parameter bank

	WarpSize    int
	Stack       uint32 // bytes of a thread's stack, for recursive functions
	SMs         int
	Room        int    // CTAs that the machine holds at once
	Line        uint64 // bytes of a line of the L1
	AbsentOwn   bool   // a shuffle from an inactive lane returns the reader's own value instead of 0
	Independent bool   // threads of a warp wait for each other: see the package comment
	First       divergence.First

	From, To uint64      // the CTAs to run, To not included; To = 0: all from From on
	MaxLanes uint64      // thread instructions of the launch; 0: no limit
	Stop     func() bool // polled; true ends the launch; nil: never
}

// Result is the result of a launch. If the launch did not finish, memory holds the stores up to its
// end.
type Result struct {
	End gpu.End // Finished, Faulted, Deadlock, EndlessLoop, GridDeadlock, OutOfTime or Stopped
	Counts
	Fault   *Fault    // of a Faulted launch
	Waiting []Waiting // of a launch that is stuck or out of time: each group of threads
	Unbegun uint64    // CTAs that have not begun
}

// Counts are the events of a launch.
type Counts struct {
	Instructions uint64 // warp instructions, without inserted ones
	Lanes        uint64 // their active lanes
	Active       [isa.RowLanes + 1]uint64
	Branches     []Branch // by PC
	Lines        uint64   // cache lines of global and local accesses
	Outside      uint64   // loads outside of allocations: see Memory
}

// Branch counts the outcomes of a branch.
type Branch struct {
	Executed  uint64 // by warps
	Divergent uint64 // with lanes on both sides
}

// Fault is the first error of a thread. The Row of a sm.Fault is the warp in its CTA.
type Fault struct {
	sm.Fault
	sm.Thread
}

// Waiting is a group of threads that have not exited.
type Waiting struct {
	CTA  [3]uint32
	Warp int // of the CTA
	PC   uint32
	Mask uint32
	Wait divergence.Wait
	Runs bool // its turn would come, if it did not wait
}

// Run runs a launch, which changes the memory. The launch must be possible: see testbench.Launch.
func Run(s Setup, m *Memory) (*Result, error) {
	g := newGrid(s, m)
	g.run()
	return &g.r, m.err
}

// run runs the CTAs.
func (g *grid) run() {
	total := g.To
	if total == 0 {
		total = uint64(g.Grid[0]) * uint64(g.Grid[1]) * uint64(g.Grid[2])
	}
	for next := g.From; ; {
		if len(g.ctas) == 0 && next == total {
			return
		}
		begins := len(g.ctas) == 0 || next < total && len(g.ctas) < g.Room
		if begins {
			g.begin(next)
			next++
		}
		g.r.Unbegun = total - next
		moved, ended := begins, false
		for i := 0; i < len(g.ctas); i++ {
			c := g.ctas[i]
			moved = c.turn() || moved
			if g.over {
				g.list()
				return
			}
			if c.live == 0 {
				g.end(i)
				i, ended = i-1, true
			}
		}
		switch {
		case !moved:
			g.finish(gpu.Deadlock)
		case begins || ended:
			g.quiet, g.watching = 0, false
		default:
			g.finish(g.watch())
		}
		if g.over {
			g.list()
			return
		}
	}
}

// finish ends the launch unless end is Finished.
func (g *grid) finish(end gpu.End) {
	if end != gpu.Finished && !g.over {
		g.r.End, g.over = end, true
	}
}

// list lists the threads of a launch that is stuck or out of time.
func (g *grid) list() {
	if g.r.End == gpu.Faulted || g.r.End == gpu.Stopped {
		return
	}
	for _, c := range g.ctas {
		for i := range c.warps {
			w := &c.warps[i]
			above := uint32(0)
			for at := len(w.paths) - 1; at >= 0; at-- {
				p := &w.paths[at]
				if rest := p.mask &^ above; rest != 0 {
					g.r.Waiting = append(g.r.Waiting, Waiting{c.id, i, p.pc, rest, p.wait, w.leaf(at)})
				}
				above |= p.mask
			}
		}
	}
}
