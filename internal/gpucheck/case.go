package gpucheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"

	"divergo/gpu"
	"divergo/isa"
	"divergo/testbench"
	"divergo/testbench/golden"
)

// Case is a kernel of the name "kernel" with its launches. Its parameters are the addresses of the buffers.
type Case struct {
	Number      uint32 // of the form, or the seed of the kernel
	Text        string // PTX, for a GPU
	Prog        *isa.Program
	Grid, Block [3]uint32
	Shared      uint32 // bytes of dynamic shared memory of a CTA
	Launches    int    // each on the memory of the one before
	Buffers     []Buffer
	Machine     gpu.Config
}

// Buffer is the content of a buffer before the first launch and after the last.
type Buffer struct{ Before, After []byte }

// maxSteps limits the golden model: it executes as many instructions in some seconds.
const maxSteps = 1 << 26

// Expect sets the results to those of the golden model.
func (c *Case) Expect() error {
	var m golden.Memory
	l := testbench.Launch{Prog: c.Prog, Grid: c.Grid, Block: c.Block, Shared: c.Shared}
	address := func(i int) uint64 { return uint64(isa.GlobalBase + i<<20) }
	for i, b := range c.Buffers {
		if err := errors.Join(m.Map(address(i), uint64(len(b.Before))), m.Write(address(i), b.Before)); err != nil {
			return err
		}
		l.Params = binary.LittleEndian.AppendUint64(l.Params, address(i))
	}
	if err := m.MapGlobals(c.Prog); err != nil {
		return err
	}
	for range c.Launches {
		r, err := golden.Run(c.Prog, l.Golden(&c.Machine), &m, golden.Options{MaxSteps: maxSteps})
		if err == nil && r.End != golden.Finished {
			err = fmt.Errorf("%d: the golden model does not finish: %v", c.Number, r.End)
		}
		if err != nil {
			return err
		}
	}
	for i := range c.Buffers {
		b := &c.Buffers[i]
		b.After = make([]byte, len(b.Before))
		if err := m.Read(address(i), b.After); err != nil {
			return err
		}
	}
	return nil
}

// Hash is a hash of the results, as run.cu computes it: FNV-1a of 64 bits over the buffers.
func (c *Case) Hash() uint64 {
	h := fnv.New64a()
	for _, b := range c.Buffers {
		h.Write(b.After)
	}
	return h.Sum64()
}

// Write writes the case in the form that run.cu reads.
func (c *Case) Write(w io.Writer) error {
	le := binary.LittleEndian
	data := le.AppendUint32(nil, c.Number)
	for _, v := range [...]uint32{
		c.Grid[0], c.Grid[1], c.Grid[2], c.Block[0], c.Block[1], c.Block[2], c.Shared, uint32(c.Launches),
		uint32(len(c.Buffers)), uint32(len(c.Text)),
	} {
		data = le.AppendUint32(data, v)
	}
	data = append(data, c.Text...)
	for _, b := range c.Buffers {
		data = le.AppendUint32(data, uint32(len(b.Before)))
		data = append(append(data, b.Before...), b.After...)
	}
	_, err := w.Write(data)
	return err
}
