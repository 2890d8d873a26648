package hostcheck

import (
	"fmt"
	"time"
)

// batchSize is the number of programs that are compiled together.
const batchSize = 32

// Options select the programs and runs to check.
type Options struct {
	Seed     uint64 // of the first program
	Programs int
	Csmith   bool          // programs of Csmith
	Cross    bool          // run every program at every level under every mechanism
	Only     string        // run every program at every level under this mechanism
	Shrink   time.Duration // time for making a failure smaller
	Progress func(Report)  // called after every batch; may be nil
}

// Report is the result of a campaign, at its end or so far.
type Report struct {
	First, Next uint64 // seeds: all from First to before Next have been checked
	Runs        uint64
	Lanes       uint64 // instructions of threads
	Spent       time.Duration
	Endless     int // programs left out because they take too long
	Failure     *Failure
}

func (r Report) String() string {
	n := r.Next - r.First
	return fmt.Sprintf("%d programs, seeds %d to %d, %d left out: %d runs, %d thread instructions, %.0f s", n, r.First,
		max(r.Next, 1)-1, r.Endless, r.Runs, r.Lanes, r.Spent.Seconds())
}

// Run checks the programs of consecutive seeds until one fails. Each program is compiled at every
// level, and runs under every mechanism at one of the levels. With the options Cross and Only it
// runs at every level.
func Run(o Options) (*Report, error) {
	var r Runner
	report := Report{First: o.Seed, Next: o.Seed}
	start := time.Now()
	for end := o.Seed + uint64(o.Programs); report.Next < end; {
		var batch []*Program
		for seed := report.Next; seed < end && len(batch) < batchSize; seed++ {
			if o.Csmith {
				batch = append(batch, &Program{Seed: seed, Grid: 1, Block: csmithThreads})
			} else {
				batch = append(batch, Draw(seed))
			}
		}
		plan := Plan(share)
		switch {
		case o.Only != "":
			plan = only(o.Only)
		case o.Cross:
			plan = func(uint64, int) []string { return mechanisms() }
		}
		check := r.Check
		if o.Csmith {
			check = r.checkCsmith
		}
		failures, err := check(batch, levels, plan)
		if err != nil {
			return nil, fmt.Errorf("seeds %d to %d: %w", batch[0].Seed, batch[len(batch)-1].Seed, err)
		}
		report.Runs, report.Lanes, report.Endless, report.Spent = r.Runs, r.Lanes, r.Endless, time.Since(start)
		if len(failures) > 0 {
			report.Next = failures[0].Program.Seed
			if report.Failure = failures[0]; !o.Csmith {
				report.Failure = r.Shrink(failures[0], o.Shrink)
			}
			break
		}
		report.Next += uint64(len(batch))
		if o.Progress != nil {
			o.Progress(report)
		}
	}
	return &report, nil
}

// share is the mechanisms that the program of a seed runs under at a level: every fourth of all. So
// each mechanism has its turn at one of the four levels, and at another level with the next seed.
func share(seed uint64, level int) (names []string) {
	for i, m := range mechanisms() {
		if (uint64(i)+seed+uint64(level))%uint64(len(levels)) == 0 {
			names = append(names, m)
		}
	}
	return names
}
