package sweep

import (
	"math"
	"os"
	"strconv"
	"strings"

	"divergo/gpu"
)

// memoryOf estimates the memory that a point takes on this computer, in bytes.
func memoryOf(c *gpu.Config) uint64 {
	perSM := c.SM.Registers*4 + c.L1.Size + c.Const.Size + c.ICache.Size + c.Texture.Size + c.Shared.Size
	storage := uint64(c.GPU.SMs*perSM + c.DRAM.Channels*c.L2.Size)
	return memoryBase + memoryFactor*storage
}

const (
	memoryBase   = 64 << 20 // of a process
	memoryFactor = 8        // bytes for each byte that a machine stores
)

// available returns the memory that this computer has free, in bytes, or the largest number if that
// is unknown. A tenth stays free.
func available() uint64 {
	free := uint64(math.MaxUint64)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemAvailable:" {
				if n, err := strconv.ParseUint(f[1], 10, 50); err == nil {
					free = n << 10
				}
			}
		}
	}
	if limit := cgroup("memory.max"); limit > 0 {
		free = min(free, limit-min(cgroup("memory.current"), limit))
	}
	return free / 10 * 9
}

// cgroup reads a number of the control group of this process, 0 if there is none.
func cgroup(name string) uint64 {
	text, err := os.ReadFile("/sys/fs/cgroup/" + name)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64) // "max": no limit
	return n
}
