//go:build !linux

package bench

import "os"

// peak is 0: other systems count in another unit, or not at all.
func peak(*os.ProcessState) uint64 { return 0 }
