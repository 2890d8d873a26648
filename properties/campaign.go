package properties

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"divergo/sm/divergence"
)

// Options say what to check, and how long.
type Options struct {
	Mechanisms []string      // none: all that are registered
	Seed       uint64        // of the first case
	Runs       uint64        // cases, each under every mechanism; 0: no limit
	For        time.Duration // 0: no limit
	Jobs       int           // goroutines; 0: one
	Features   Features      // 0: all
	Shrink     time.Duration // to spend on making a counterexample small; 0: ShrinkTime
	Stop       func() bool   // asked again and again: end it? nil: never
	Progress   func(Report)  // told of every bundle of cases, in no special order; nil: nobody
}

// ShrinkTime is spent on shrinking if nothing else is said.
const ShrinkTime = 5 * time.Second

// Report is what came of a campaign, or has come of it so far.
type Report struct {
	Mechanisms []string
	First      uint64        // seed
	Next       uint64        // seed to go on with: all before it have been checked
	Cases      uint64        // kernels, each of which ran under every mechanism
	Runs       uint64        // kernels times mechanisms
	Lanes      uint64        // thread instructions compared with the golden model
	Spent      time.Duration // without shrinking
	Coverage   []Coverage    // by mechanism; statements are counted under the first
	Failure    *Failure      // the one of the smallest seed, shrunk
	Found      *Failure      // the same before it was shrunk
}

// Rate is how many runs there were in a second.
func (r *Report) Rate() float64 { return float64(r.Runs) / max(r.Spent.Seconds(), 1e-9) }

// Total is the coverage under all mechanisms together.
func (r *Report) Total() (c Coverage) {
	for i := range r.Coverage {
		c.Add(&r.Coverage[i])
	}
	return c
}

// campaign is the state that workers share.
type campaign struct {
	Options
	sync.Mutex
	next   uint64 // seed of the next bundle
	end    uint64 // behind the last seed
	report Report
	err    error
	start  time.Time
}

// Run checks mechanisms with the cases of consecutive seeds until one fails or
// the limits are reached. What it finds depends on the seeds alone: of several
// failures it reports that of the smallest. The error is about the options, or a
// bug of this package.
func Run(o Options) (*Report, error) {
	if len(o.Mechanisms) == 0 {
		for _, m := range divergence.Mechanisms() {
			o.Mechanisms = append(o.Mechanisms, m.Name)
		}
	}
	o.Features = cmp.Or(o.Features, AllFeatures)
	o.Shrink = cmp.Or(o.Shrink, ShrinkTime)
	c := &campaign{Options: o, next: o.Seed, end: ^uint64(0), start: time.Now()}
	if o.Runs > 0 {
		c.end = o.Seed + o.Runs
	}
	c.report = Report{Mechanisms: o.Mechanisms, First: o.Seed, Next: o.Seed, Coverage: make([]Coverage, len(o.Mechanisms))}
	var group sync.WaitGroup
	for range max(o.Jobs, 1) {
		group.Go(c.work)
	}
	group.Wait()
	r := &c.report
	if r.Found != nil && c.err == nil {
		r.Failure = Shrink(r.Found, o.Shrink)
	}
	return r, c.err
}

// bundle hands out the next seeds, those of one machine.
func (c *campaign) bundle() (from, to uint64) {
	c.Lock()
	defer c.Unlock()
	if c.err != nil || c.For > 0 && time.Since(c.start) >= c.For || c.Stop != nil && c.Stop() || c.next >= c.end {
		return 0, 0
	}
	from = c.next
	to = min(from-from%machineSeeds+machineSeeds, c.end)
	c.next = to
	return from, to
}

// work checks bundles until there are no more.
func (c *campaign) work() {
	runners := make([]Runner, len(c.Mechanisms))
	for {
		from, to := c.bundle()
		if from == to {
			return
		}
		coverage := make([]Coverage, len(c.Mechanisms))
		for i := range runners {
			runners[i].Coverage = &coverage[i]
		}
		var done Report
		for seed := from; seed < to; seed++ {
			failure, err := c.check(runners, seed, &done)
			if !c.goesOn(seed, failure, err) {
				to = seed
			}
		}
		c.add(&done, coverage, to)
	}
}

// check runs the case of a seed under each mechanism.
func (c *campaign) check(runners []Runner, seed uint64, done *Report) (*Failure, error) {
	k := Draw(seed, c.Features)
	compiled, err := k.Compile()
	if err != nil {
		return nil, err
	}
	done.Cases++
	for i, m := range c.Mechanisms {
		done.Runs++
		f, err := runners[i].Check(compiled, m)
		if f != nil || err != nil {
			return f, err
		}
		if i == 0 {
			runners[i].Coverage.kernel(compiled)
		}
		done.Lanes += runners[i].lanes
	}
	return nil, nil
}

// goesOn takes note of a failure and reports whether a worker should go on with
// the seeds behind this one.
func (c *campaign) goesOn(seed uint64, f *Failure, err error) bool {
	c.Lock()
	defer c.Unlock()
	if err != nil {
		c.err = err
		return false
	}
	if f != nil && (c.report.Found == nil || seed < c.report.Found.Case.Seed) {
		c.report.Found = f
		c.end = seed
	}
	return seed < c.end && (c.Stop == nil || !c.Stop()) && (c.For == 0 || time.Since(c.start) < c.For)
}

func (c *campaign) add(done *Report, coverage []Coverage, to uint64) {
	c.Lock()
	defer c.Unlock()
	r := &c.report
	r.Cases += done.Cases
	r.Runs += done.Runs
	r.Lanes += done.Lanes
	for i := range coverage {
		r.Coverage[i].Add(&coverage[i])
	}
	r.Next = max(r.Next, to)
	r.Spent = time.Since(c.start)
	if c.Progress != nil {
		c.Progress(*r)
	}
}

// T is what Check needs of a testing.T.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// Check is a test of a mechanism, which must be registered, with random kernels:
// 200 unless the options say otherwise. If one fails, it is shrunk and written to
// the folder counterexample/NAME beside the test.
func Check(t T, mechanism string, options ...Options) {
	t.Helper()
	var o Options
	if len(options) > 0 {
		o = options[0]
	}
	o.Mechanisms = []string{mechanism}
	if o.Runs == 0 && o.For == 0 {
		o.Runs = 200
	}
	r, err := Run(o)
	switch {
	case err != nil:
		t.Errorf("%v", err)
	case r.Failure != nil:
		dir := "counterexample/" + mechanism
		if err := r.Failure.Write(dir); err != nil {
			t.Errorf("%v", err)
		}
		t.Errorf("%v\nsee %s", r.Failure, dir)
	default:
		t.Logf("%s", r)
	}
}

// String sums a campaign up in a line.
func (r *Report) String() string {
	return fmt.Sprintf("%d kernels under %s: %d runs, %d thread instructions, %.0f runs a second; seeds %d to %d",
		r.Cases, strings.Join(r.Mechanisms, ", "), r.Runs, r.Lanes, r.Rate(), r.First, max(r.Next, 1)-1)
}
