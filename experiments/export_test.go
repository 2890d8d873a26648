package experiments

import "sync"

// SharedRuns is the number of runs and measurements of kernels that claims have made and share.
func SharedRuns() int {
	n := len(runs) + len(emulated)
	for _, table := range []*sync.Map{&smallest, &sweeps, &herdRuns, &herdings} {
		table.Range(func(_, _ any) bool { n++; return true })
	}
	return n
}
