package testbench

import (
	"errors"
	"fmt"
	"unsafe"

	"divergo/gpu"
	"divergo/isa"
	"divergo/sm"
)

// Launch is one grid of a kernel.
type Launch struct {
	Prog   *isa.Program
	Grid   [3]uint32 // CTAs in x, y and z
	Block  [3]uint32 // threads of a CTA in x, y and z
	Shared uint32    // bytes of dynamic shared memory of a CTA
	Params []byte    // parameter bank
}

// maxGrid and maxBlock are the largest sizes by dimension (CUDA C Programming
// Guide, technical specifications by compute capability).
var (
	maxGrid  = [3]uint32{1<<31 - 1, 65535, 65535}
	maxBlock = [3]uint32{MaxThreads, MaxThreads, 64}
)

// MaxThreads is the most threads of a CTA, whatever a machine has.
const MaxThreads = 1024

// maxShared is where the shared window of the generic address space ends.
const maxShared = isa.WindowSize

// Check says how many CTAs of the launch an SM holds, or everything that makes
// the launch impossible on a machine.
func (l *Launch) Check(c *gpu.Config) (sm.Occupancy, error) {
	var errs []error
	for i, axis := range [3]string{"x", "y", "z"} {
		if n := l.Grid[i]; n < 1 || n > maxGrid[i] {
			errs = append(errs, fmt.Errorf("grid %s: %d CTAs in %s, want 1 to %d", shape(l.Grid), n, axis, maxGrid[i]))
		}
		if n := l.Block[i]; n < 1 || n > maxBlock[i] {
			errs = append(errs, fmt.Errorf("block %s: %d threads in %s, want 1 to %d", shape(l.Block), n, axis, maxBlock[i]))
		}
	}
	if l.Shared > maxShared {
		errs = append(errs, fmt.Errorf("%d bytes of dynamic shared memory, want at most %d", l.Shared, maxShared))
	}
	if n := uint32(len(l.Params)); n != l.Prog.ParamBytes {
		errs = append(errs, fmt.Errorf("%s takes %d bytes of parameters, the launch gives %d", l.Prog.Name, l.Prog.ParamBytes, n))
	}
	if len(errs) > 0 {
		return sm.Occupancy{}, errors.Join(errs...)
	}
	k := l.kernel()
	p := l.Prog
	if p.ReqThreads != [3]uint32{} && p.ReqThreads != l.Block {
		errs = append(errs, fmt.Errorf("block %s: %s requires %s (.reqntid)", shape(l.Block), p.Name, shape(p.ReqThreads)))
	} else if p.MaxThreads > 0 && k.Threads() > int(p.MaxThreads) {
		errs = append(errs, fmt.Errorf("block %s has %d threads: %s allows %d (.maxntid)", shape(l.Block), k.Threads(), p.Name, p.MaxThreads))
	}
	o, err := k.Occupancy(&c.SM, c.Shared.Size)
	return o, errors.Join(append(errs, err)...)
}

// checkRegisters refuses what has too many registers for the computer, when an SM
// holds so many CTAs.
func (l *Launch) checkRegisters(c *gpu.Config, ctas int) error {
	k := l.kernel()
	warps := uint64(k.Threads()+c.SM.WarpSize-1) / uint64(c.SM.WarpSize)
	resident := min(uint64(l.Grid[0])*uint64(l.Grid[1])*uint64(l.Grid[2]), uint64(c.GPU.SMs*ctas)) * warps
	if bytes := resident * uint64(len(l.Prog.Regs)) * 2 * uint64(unsafe.Sizeof(isa.Row{})); bytes > maxRegisters {
		return fmt.Errorf("registers: %s names %d, those of %d warps at once take %d bytes, want at most %d; fewer SMs (gpu.sms), threads of an SM (sm.threads) or CTAs take less",
			l.Prog.Name, len(l.Prog.Regs), resident, bytes, maxRegisters)
	}
	return nil
}

// kernel is the launch as the machine takes it, but for memory.
func (l *Launch) kernel() sm.Kernel {
	return sm.Kernel{Prog: l.Prog, Grid: l.Grid, Block: l.Block, Params: l.Params, DynShared: l.Shared}
}

func shape(d [3]uint32) string { return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2]) }
