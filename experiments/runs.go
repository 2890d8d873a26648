package experiments

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// machine returns a small machine with a mechanism.
func machine(mechanism string) (*testbench.Session, error) {
	cfg := gpu.Default()
	cfg.GPU.SMs = 2
	cfg.Divergence.Mechanism = mechanism
	return testbench.NewSession(cfg, testbench.Limits{MaxCycles: 5_000_000})
}

// smallest holds the runs of the kernels in their smallest size, by mechanism. Claims and tests
// share them.
var smallest sync.Map

// run runs a built-in kernel, in its smallest size, on a machine with a mechanism. It checks the
// result and returns the counters.
func run(mechanism string, k kernels.Kernel) (testbench.Counters, error) {
	once, _ := smallest.LoadOrStore([2]string{mechanism, k.Name}, sync.OnceValues(func() (testbench.Counters, error) {
		s, err := machine(mechanism)
		if err != nil {
			return testbench.Counters{}, err
		}
		work := k.Sizes[0].New(1)
		if err = work.Run(runner.New(s)); err == nil {
			err = work.Check()
		}
		if err != nil {
			err = fmt.Errorf("%s under %s: %w", k.Name, mechanism, err)
		}
		return s.Counters(), err
	}))
	return once.(func() (testbench.Counters, error))()
}

// launch runs a kernel of this package on a machine with a mechanism. The buffer has the given
// number of bytes; launch returns its address.
func launch(mechanism, body string, ctas, threads uint32, bytes int) (*testbench.Session, uint64, error) {
	p, err := assemble(body)
	if err != nil {
		return nil, 0, err
	}
	s, err := machine(mechanism)
	if err != nil {
		return nil, 0, err
	}
	addr := s.Alloc(bytes)
	return s, addr, s.Launch(testbench.Launch{
		Prog: p, Grid: [3]uint32{ctas, 1, 1}, Block: [3]uint32{threads, 1, 1},
		Params: binary.LittleEndian.AppendUint64(nil, addr),
	})
}

// uniform has branches whose outcomes agree within a CTA.
const uniform = `
	mov.u32 %r2, 0;
LOOP:
	and.b32 %r3, %r2, 1;
	setp.eq.u32 %p0, %r3, 0;
	@%p0 bra EVEN;
	add.u32 %r4, %r4, 1;
EVEN:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, 20;
	@%p1 bra LOOP;
	exit;`

// managed works like NVRT. The first thread of each static warp takes 32 task numbers from a queue
// for its warp. It relies on the others waiting at the join without a barrier. It counts the
// executions of each task.
//
//	if (lane == 0)
//	task[warp] = atomicAdd(queue, 32);
//	atomicAdd(&done[task[warp] + lane], 1);
const managed = `
	and.b32 %r2, %r0, 31;
	shr.u32 %r3, %r0, 5;
	shl.b32 %r3, %r3, 2;
	mov.u32 %r4, tile;
	add.u32 %r4, %r4, %r3;
	setp.ne.u32 %p0, %r2, 0;
	@%p0 bra WORK;
	atom.global.add.u32 %r5, [%rd0], 32;
	st.volatile.shared.u32 [%r4], %r5;
WORK:
	ld.volatile.shared.u32 %r6, [%r4];
	add.u32 %r6, %r6, %r2;
	mul.wide.u32 %rd1, %r6, 4;
	add.u64 %rd2, %rd0, %rd1;
	red.global.add.u32 [%rd2+4], 1;
	exit;`

// eachTaskOnce reports whether managed executes each task once.
func eachTaskOnce(mechanism string) (bool, error) {
	const ctas, threads = 4, 96
	s, addr, err := launch(mechanism, managed, ctas, threads, 4+4*ctas*threads)
	if err != nil {
		return false, err
	}
	done := make([]byte, 4*ctas*threads)
	s.Read(addr+4, done)
	for task := range ctas * threads {
		if binary.LittleEndian.Uint32(done[4*task:]) != 1 {
			return false, nil
		}
	}
	return true, s.Err()
}

// implicit runs all kernels with paired-path comparison. Instructions inserted for calls count as
// the kernel's, since every mechanism inserts them: pdom inserts nothing else.
func implicit() (string, error) {
	inserted := map[string]uint64{}
	for _, k := range kernels.All() {
		for _, mechanism := range []string{"ppc", "pdom"} {
			c, err := run(mechanism, k)
			if err != nil {
				return "", err
			}
			inserted[mechanism] += c.Inserted
		}
	}
	return fmt.Sprintf("right; %d", inserted["ppc"]-inserted["pdom"]), nil
}

// categories sums the cycles of runs by category, and the instructions by active lanes.
func categories() (string, error) {
	all := divergence.Mechanisms()
	list := kernels.All()
	list = slices.DeleteFunc(list, func(k kernels.Kernel) bool { return k.Votes })
	return forAll(len(all), func(i uint64) (string, error) {
		c, err := run(all[i].Name, list[int(i)%len(list)])
		if err != nil {
			return "", err
		}
		var cycles, instructions uint64
		for _, n := range c.Classes {
			cycles += n
		}
		for _, n := range c.Active[1:] {
			instructions += n
		}
		if cycles != c.SMCycles || instructions != c.Instructions {
			return fmt.Sprintf("%d of %d cycles, %d of %d instructions", cycles, c.SMCycles, instructions,
				c.Instructions), nil
		}
		return "", nil
	})
}
