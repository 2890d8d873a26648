package sweep

import (
	"io"
	"time"
)

// Options say how Run runs.
type Options struct {
	Jobs     int          // points at once; 0: one for each processor
	Points   []int        // points to run if they are missing; nil: all
	Stop     func() bool  // polled; true ends the run after the results so far are kept; nil: never
	Progress func(Report) // receives the state after each point; nil: nobody
	Stderr   io.Writer    // receives what workers and CUDA programs write to standard error; nil: discarded
	// Worker is the command of a process that calls Work. nil: this program with the arguments
	// "sweep work PLAN --store FOLDER".
	Worker []string
}

// Report is the state of a run.
type Report struct {
	Points  int           // all points of the run
	Before  int           // of these, those whose results were in the store
	Made    int           // results of this run
	Left    time.Duration // estimate of the time that the rest needs; 0 if unknown
	Rate    float64       // points a second
	Waiting int           // points that wait for memory
	Lost    []Lost        // points without a result, after all tries
}

// Lost is a point whose worker crashed or disappeared in each try.
type Lost struct {
	Point int
	Tries int
	Why   string
}

// Tries is the number of tries of a point whose worker crashes.
const Tries = 3

// Run makes the missing results of a plan on this computer.
//
// A point with a result in the store is not run. So Run after an interruption continues. The error
// concerns the store, or a *Conflict; lost points are in the report.
func Run(p *Plan, s *Store, o Options) (*Report, error) { panic("skeleton") }

// Work makes points in this process for a Run in another one, until in ends. It reads the numbers of
// the points from in, and writes to out what became of each.
func Work(p *Plan, s *Store, in io.Reader, out io.Writer) error { panic("skeleton") }
