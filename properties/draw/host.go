package draw

import (
	"fmt"
	"math/rand/v2"

	"divergo/testbench"
)

// HostWrite is what the host writes to a buffer between two launches.
type HostWrite struct {
	Buffer string
	buffer int // number of the parameter
	offset uint64
	data   []byte
}

// String returns the form of a launch file.
func (w HostWrite) String() string { return fmt.Sprintf("%s+%d:%x", w.Buffer, w.offset, w.data) }

// HostWrites returns what the host writes before a launch, the first of which has number 0. Half of the
// writes lie across the start of a line. None touches the counts of messages between CTAs.
func (c *Case) HostWrites(launch int, params []Buffer) (list []HostWrite) {
	if c.Host == 0 || launch == 0 || len(params) == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(c.Host, uint64(launch)))
	for range 1 + r.IntN(4) {
		w := HostWrite{buffer: r.IntN(len(params))}
		p := params[w.buffer]
		a, err := testbench.ParseArg(p.Spec, 0)
		if err != nil || p.Name == "edge" || p.Name == "board" {
			continue
		}
		w.Buffer = p.Name
		w.offset = r.Uint64N(a.Bytes)
		size := 1 + r.Uint64N(1<<r.IntN(8))
		if line := uint64(c.Machine.L2.Line); r.IntN(2) == 0 && a.Bytes > line {
			w.offset = line*(1+r.Uint64N((a.Bytes-1)/line)) - r.Uint64N(min(line, size))
		}
		for range min(size, a.Bytes-w.offset) {
			w.data = append(w.data, byte(r.Uint32()))
		}
		list = append(list, w)
	}
	return list
}
