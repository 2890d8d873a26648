package properties

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// Case is a kernel with its launch and the machine to run it on, whatever the
// mechanism.
type Case struct {
	Seed        uint64 // that it was drawn from, and of its data
	Kernel      Kernel
	Grid, Block [3]uint32
	Again       int // launches behind the first, on the memory that the one before has left
	Machine     gpu.Config
}

// machineSeeds is how many seeds in a row have the same machine, which takes
// longer to build than a small kernel to run.
const machineSeeds = 64

// Draw makes the case of a seed. Equal seeds and features give equal cases.
func Draw(seed uint64, features Features) Case {
	c := Case{Seed: seed, Machine: drawMachine(rand.New(rand.NewPCG(seed/machineSeeds, 1)))}
	r := rand.New(rand.NewPCG(seed, 2))
	c.Kernel = draw(r, features)
	c.drawShape(r, features)
	if features&Repeats != 0 && r.IntN(4) == 0 {
		c.Again = 1 + r.IntN(2)
	}
	return c
}

// drawShape draws a launch that fits the machine: blocks that fill their warps
// and blocks that do not; now and then a block that fills an SM, or many small ones.
func (c *Case) drawShape(r *rand.Rand, features Features) {
	warp := c.Machine.SM.WarpSize
	most, ctas, solid := min(c.Machine.SM.Threads, 4*warp, 96), 4, features&Solids != 0
	if features&Larges != 0 {
		switch r.IntN(64) {
		case 0:
			most, ctas = min(c.Machine.SM.Threads, 1024), 1
		case 1:
			most, ctas = warp, 150
		}
	}
	n := 1 + r.IntN(most)
	if most > 96 {
		n = most - r.IntN(warp)
	}
	if r.IntN(2) == 0 {
		n = max(n/warp, 1) * warp
	}
	c.Block, c.Grid = [3]uint32{uint32(n), 1, 1}, [3]uint32{uint32(1 + r.IntN(ctas)), 1, 1}
	if solid && r.IntN(3) == 0 {
		y, z := 1+r.IntN(4), 1+r.IntN(2)
		c.Block = [3]uint32{uint32(max(n/(y*z), 1)), uint32(y), uint32(z)}
		c.Grid = [3]uint32{uint32(1 + r.IntN(2)), uint32(1 + r.IntN(2)), uint32(1 + r.IntN(2))}
		if int(c.Block[0]*c.Block[1]*c.Block[2]) > most {
			c.Block = [3]uint32{1, 1, 1}
		}
	}
}

// Threads of the grid.
func (c *Case) Threads() int {
	return int(c.Grid[0] * c.Grid[1] * c.Grid[2] * c.Block[0] * c.Block[1] * c.Block[2])
}

// PTX is the kernel as text, with its parameters.
func (c *Case) PTX() (text string, params []Buffer) {
	return c.Kernel.PTX(c.Grid, c.Block, c.Machine.SM.WarpSize, fmt.Sprintf("A random kernel, of seed %d.", c.Seed))
}

// Compiled is a case ready to run.
type Compiled struct {
	*Case
	Text string
	Prog *isa.Program
	Args []testbench.Arg

	mute *Compiled // see forMechanism
}

// forMechanism is the case as a mechanism can run it: without votes, unless it
// promises to bring the threads of a warp together where all of them come. If it
// compacts warps, then there must be nothing to compact where all threads are.
func (k *Compiled) forMechanism(name string) (*Compiled, error) {
	m, _ := divergence.Find(name)
	full := k.Threads()%(k.Machine.SM.WarpSize*int(k.Grid[0]*k.Grid[1]*k.Grid[2])) == 0 && !k.Kernel.has(Exit)
	if !k.Kernel.has(Vote) || m.InStep && (full || !m.Blocks) {
		return k, nil
	}
	if k.mute != nil {
		return k.mute, nil
	}
	c := *k.Case
	c.Kernel = c.Kernel.clone()
	c.Kernel.each(func(s *Stmt, _ int) {
		if s.Kind == Vote {
			s.Kind = Compute
		}
	})
	var err error
	k.mute, err = c.Compile()
	return k.mute, err
}

// Compile lowers the kernel. An error is a bug of this package, or of package ptx.
func (c *Case) Compile() (*Compiled, error) {
	text, params := c.PTX()
	m, err := ptx.Parse(kernelFile, []byte(text))
	if err != nil {
		return nil, fmt.Errorf("seed %d: %w", c.Seed, err)
	}
	k := &Compiled{Case: c, Text: text}
	return k, k.lower(m, params)
}

// lower fills in the program and the arguments.
func (k *Compiled) lower(m *ptx.Module, params []Buffer) (err error) {
	if k.Prog, err = testbench.Program(m, ""); err != nil {
		return err
	}
	for i, p := range params {
		a, err := testbench.ParseArg(p.Spec, k.Seed+uint64(i))
		if err != nil {
			return err
		}
		k.Args = append(k.Args, a)
	}
	return testbench.CheckArgs(k.Prog, k.Args)
}

// Command is the command line that runs the case of a folder with the files of a
// counterexample.
func (c *Case) Command(mechanism string) string {
	if c.Again > 0 {
		return fmt.Sprintf("divergo run %s --mech %s", launchFile, mechanism)
	}
	_, params := c.PTX()
	var b strings.Builder
	fmt.Fprintf(&b, "divergo run %s --config %s --mech %s --grid %s --block %s --seed %d", kernelFile, machineFile, mechanism, dim(c.Grid), dim(c.Block), c.Seed)
	for _, p := range params {
		fmt.Fprintf(&b, " --arg %s", p.Spec)
	}
	return b.String()
}

func dim(d [3]uint32) string { return fmt.Sprintf("%d,%d,%d", d[0], d[1], d[2]) }
