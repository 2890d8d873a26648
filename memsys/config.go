package memsys

import (
	"errors"
	"fmt"
	"math/bits"

	"divergo/memsys/dram"
)

// Limits of what the registers of the blocks hold.
const (
	MaxMSHRs   = 256 // width of a packet's ID
	MaxMerge   = 8   // requests that wait in one MSHR
	MaxPending = 64  // loads of an SM
	MaxAssoc   = 64
	MaxPorts   = 64 // of a crossbar
	MaxBanks   = 64 // of shared memory
)

// WritePolicy says what the L1 does with a store that hits. Neither policy
// allocates a line for a store that misses.
type WritePolicy string

// The write policies.
const (
	WriteBack    WritePolicy = "back"    // keep the bytes until the line is evicted
	WriteThrough WritePolicy = "through" // also send them to the L2
)

// Config describes the memory system. Sizes are bytes. Times are cycles: of the
// core clock for L1 and Shared, of the interconnect clock for Icnt and L2, of
// the DRAM clock for DRAM.
type Config struct {
	L1     L1Config     `toml:"l1"`
	Shared SharedConfig `toml:"shared"`
	Icnt   IcntConfig   `toml:"icnt"`
	L2     L2Config     `toml:"l2"`
	DRAM   dram.Config  `toml:"dram"`
}

// L1Config describes the coalescer and the L1 data cache of an SM.
type L1Config struct {
	Pending    int         `toml:"pending"` // warp loads and atomics whose lanes the coalescer gathers
	Size       int         `toml:"size"`
	Assoc      int         `toml:"assoc"`
	Line       int         `toml:"line"`
	MSHRs      int         `toml:"mshrs"`
	MSHRMerge  int         `toml:"mshr_merge"` // loads that one miss can answer
	Write      WritePolicy `toml:"write"`
	HitLatency int         `toml:"hit_latency"` // from the tags to the coalescer
	MissQueue  int         `toml:"miss_queue"`  // packets that wait for the interconnect
}

// SharedConfig describes the shared memory of an SM.
type SharedConfig struct {
	Size    int `toml:"size"`
	Banks   int `toml:"banks"` // of one 4-byte word each
	Lanes   int `toml:"lanes"` // looked at together: 16 for half-warps, 32 for whole warps
	Latency int `toml:"latency"`
}

// IcntConfig describes the crossbars between SMs and L2 slices.
type IcntConfig struct {
	FlitBytes     int `toml:"flit_bytes"`
	Latency       int `toml:"latency"`       // of the wires from an SM or a slice to the crossbar and on, each
	Queue         int `toml:"queue"`         // packets that wait at an input or an output
	Concentration int `toml:"concentration"` // SMs that share a port
}

// L2Config describes a slice of the L2, one for each DRAM channel.
type L2Config struct {
	Size      int `toml:"size"`
	Assoc     int `toml:"assoc"`
	Line      int `toml:"line"`
	MSHRs     int `toml:"mshrs"`
	MSHRMerge int `toml:"mshr_merge"` // requests that wait for one line
	Latency   int `toml:"latency"`    // of an answer on its way to the interconnect
}

// Default is the machine of Fung and Aamodt (HPCA 2011, table 2); what the paper
// leaves open is as in GPGPU-Sim 2.1.1b.
func Default() Config {
	return Config{
		L1:     L1Config{Pending: 32, Size: 32 << 10, Assoc: 8, Line: 64, MSHRs: 64, MSHRMerge: 8, Write: WriteBack, HitLatency: 1, MissQueue: 8},
		Shared: SharedConfig{Size: 16 << 10, Banks: 16, Lanes: 16, Latency: 1},
		Icnt:   IcntConfig{FlitBytes: 32, Latency: 4, Queue: 8, Concentration: 3},
		L2:     L2Config{Size: 1 << 20, Assoc: 64, Line: 64, MSHRs: 64, MSHRMerge: 8, Latency: 10},
		DRAM:   dram.Default(),
	}
}

// Check says what is wrong with the configuration, one error for each key.
func (c *Config) Check() error {
	var k keys
	k.between("l1.pending", c.L1.Pending, 1, MaxPending)
	k.cache("l1", c.L1.Size, c.L1.Assoc, c.L1.Line)
	k.between("l1.mshrs", c.L1.MSHRs, 1, MaxMSHRs)
	k.between("l1.mshr_merge", c.L1.MSHRMerge, 1, MaxMerge)
	if w := c.L1.Write; w != WriteBack && w != WriteThrough {
		k.errorf("l1.write = %q: expected %q or %q", w, WriteBack, WriteThrough)
	}
	k.between("l1.hit_latency", c.L1.HitLatency, 1, 1000)
	k.between("l1.miss_queue", c.L1.MissQueue, 1, 1024)

	k.power("shared.banks", c.Shared.Banks, 1, MaxBanks)
	k.between("shared.size", c.Shared.Size, 4, 1<<24)
	if c.Shared.Size%4 != 0 {
		k.errorf("shared.size = %d: expected whole words of 4 bytes", c.Shared.Size)
	}
	k.power("shared.lanes", c.Shared.Lanes, 1, 32)
	k.between("shared.latency", c.Shared.Latency, 1, 1000)

	k.between("icnt.flit_bytes", c.Icnt.FlitBytes, 1, 256)
	k.between("icnt.latency", c.Icnt.Latency, 1, 1000)
	k.between("icnt.queue", c.Icnt.Queue, 1, 1024)
	k.between("icnt.concentration", c.Icnt.Concentration, 1, MaxPorts)

	k.cache("l2", c.L2.Size, c.L2.Assoc, c.L2.Line)
	if c.L2.Line != c.L1.Line {
		k.errorf("l2.line = %d: expected l1.line = %d, the packets carry whole lines", c.L2.Line, c.L1.Line)
	}
	k.between("l2.mshrs", c.L2.MSHRs, 1, MaxMSHRs)
	k.between("l2.mshr_merge", c.L2.MSHRMerge, 1, 64)
	k.between("l2.latency", c.L2.Latency, 1, 1000)
	return errors.Join(append(k.errs, c.DRAM.Check(c.L2.Line))...)
}

// keys collects what is wrong, by key.
type keys struct{ errs []error }

func (k *keys) errorf(format string, args ...any) {
	k.errs = append(k.errs, fmt.Errorf(format, args...))
}

func (k *keys) between(key string, v, lo, hi int) {
	if v < lo || v > hi {
		k.errorf("%s = %d: expected %d to %d", key, v, lo, hi)
	}
}

func (k *keys) power(key string, v, lo, hi int) {
	if v < lo || v > hi || bits.OnesCount(uint(v)) != 1 {
		k.errorf("%s = %d: expected a power of two from %d to %d", key, v, lo, hi)
	}
}

// cache checks the shape of a cache.
func (k *keys) cache(level string, size, assoc, line int) {
	k.power(level+".line", line, 32, MaxLine)
	k.between(level+".assoc", assoc, 1, MaxAssoc)
	k.between(level+".size", size, 32, 1<<26)
	if assoc < 1 || line < 1 || size < 1 {
		return
	}
	if set := assoc * line; size%set != 0 || bits.OnesCount(uint(size/set)) != 1 {
		k.errorf("%s.size = %d: expected a power of two of sets of %s.assoc * %s.line = %d bytes", level, size, level, level, set)
	}
}
