package properties

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"divergo/internal/forall"
	"divergo/isa"
	"divergo/properties/draw"
	"divergo/sm"
	"divergo/testbench/golden"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// run executes a case on the golden model, and returns the final contents of the buffers.
func run(t *testing.T, k *draw.Compiled, o golden.Options) (r *golden.Result, memory [][]byte) {
	t.Helper()
	var m golden.Memory
	var bank []byte
	for i := range k.Args {
		addr := uint64(isa.GlobalBase + i<<20)
		require.NoError(t, m.Map(addr, k.Args[i].Bytes))
		require.NoError(t, m.Write(addr, k.Args[i].Data))
		bank = binary.LittleEndian.AppendUint64(bank, addr)
	}
	require.NoError(t, m.MapGlobals(k.Prog)) // the addresses of functions
	o.Registers, o.MaxSteps = true, cmp.Or(o.MaxSteps, 2*600*uint64(k.Threads()))
	r, err := golden.Run(k.Prog, golden.Setup{
		Grid: k.Grid, Block: k.Block, SharedBytes: k.SharedBytes, Params: bank,
		WarpSize: uint32(k.Machine.SM.WarpSize), Stack: uint32(k.Machine.SM.Stack),
		AbsentOwn: k.Machine.SM.AbsentLane == sm.AbsentOwn,
	}, &m, o)
	require.NoError(t, err)
	for i := range k.Args {
		data := make([]byte, k.Args[i].Bytes)
		require.NoError(t, m.Read(uint64(isa.GlobalBase+i<<20), data))
		memory = append(memory, data)
	}
	return r, memory
}

// TestKernelsHaveOneAnswer checks that kernels end within their cost, and that the turns of threads
// and CTAs in the golden model do not change the result.
func TestKernelsHaveOneAnswer(t *testing.T) {
	for seed := range uint64(400) {
		if forall.LeftOut(int(seed), 8) {
			continue
		}
		c := draw.New(seed, draw.AllFeatures&^(draw.Counts|draw.Edges|draw.Anywhere|draw.Rushes))
		c.Narrow() // a vote names 32 threads
		k, err := c.Compile()
		require.NoError(t, err)
		want, memory := run(t, k, golden.Options{})
		require.Equal(t, golden.Finished, want.End, "seed %d", seed)
		for _, o := range []golden.Options{{Slice: 1}, {Slice: 7, Backwards: true}} {
			got, other := run(t, k, o)
			if o.Backwards {
				n := int(c.Block[0] * c.Block[1] * c.Block[2])
				ctas := slices.Collect(slices.Chunk(got.Threads, n))
				slices.Reverse(ctas)
				got.Threads = slices.Concat(ctas...)
			}
			require.True(t, reflect.DeepEqual(memory, other), "seed %d: memory", seed)
			for i := range want.Threads {
				require.Equal(t, want.Threads[i].Trace, got.Threads[i].Trace, "seed %d thread %d", seed, i)
				for r, v := range want.Threads[i].Regs {
					// the result of an atomic, and the thread that finds all messages
					if !slices.Contains([]string{"%sink", "%seen", "%mail"}, k.Prog.Regs[r].Name) {
						require.Equal(t, v, got.Threads[i].Regs[r], "seed %d thread %d %s", seed, i,
							k.Prog.Regs[r].Name)
					}
				}
			}
		}
	}
}

// TestVotes checks that a mechanism that does not reconverge warps runs the kernel without votes.
func TestVotes(t *testing.T) {
	vote, exit := draw.Stmt{Kind: draw.Vote}, draw.Stmt{
		Kind: draw.Exit,
		Cond: draw.Cond{Value: draw.Thread, Reg: -1, Mask: 1, Cmp: "eq"},
	}
	for _, c := range []struct {
		mechanism string
		threads   uint32
		body      []draw.Stmt
		votes     int
	}{
		{"pdom", 40, []draw.Stmt{exit, vote}, 1},
		{"ptpc", 32, []draw.Stmt{vote}, 0},
		{"tbc", 32, []draw.Stmt{vote}, 1},
		{"tbc", 40, []draw.Stmt{vote}, 0},
		{"tbc", 32, []draw.Stmt{exit, vote}, 0},
	} {
		k, err := (&draw.Case{
			Kernel: draw.Kernel{Body: c.body, Words: 64}, Grid: [3]uint32{3, 1, 1},
			Block: [3]uint32{c.threads, 1, 1}, Machine: draw.Plain(32),
		}).Compile()
		require.NoError(t, err)
		k, err = k.For(c.mechanism)
		require.NoError(t, err)
		assert.Equal(t, c.votes, strings.Count(k.Text, "vote.sync"), "%s, %d threads", c.mechanism, c.threads)
		f, err := new(runner).Check(k, c.mechanism)
		require.NoError(t, err)
		assert.Nil(t, f)
	}
}

// Example draws a kernel, and checks a mechanism with it.
func Example() {
	c := draw.New(7, draw.AllFeatures)
	k, err := c.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	var r runner
	failure, err := r.Check(k, "pdom")
	fmt.Println(failure, err)
	// Output: <nil> <nil>
}
