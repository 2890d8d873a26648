package bench

import (
	"os"
	"syscall"
)

// peak is the largest memory of a process that has ended, in bytes.
func peak(p *os.ProcessState) uint64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return uint64(u.Maxrss) << 10
	}
	return 0
}
