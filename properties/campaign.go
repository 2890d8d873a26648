package properties

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"divergo/gpu"
	"divergo/internal/output"
	"divergo/properties/draw"
	"divergo/sm/divergence"
	"divergo/testbench/verify"
)

// Options say what a campaign checks, and for how long.
type Options struct {
	Mechanisms []string      // each case runs under all of these; none: under some of those registered, in turn
	Seed       uint64        // of the first case
	Runs       uint64        // cases; 0: no limit
	Time       time.Duration // 0: no limit
	Jobs       int           // goroutines; 0: one
	Shard      Shard         // the part of the seeds to check; the zero value: all
	KeepGoing  bool          // check the seeds behind a failure, too
	Features   draw.Features // 0: all
	Shrink     time.Duration // spent on shrinking a failure; 0: ShrinkTime
	Journal    string        // file that records finished seeds, to resume from; "": none
	Corpus     string        // file of kernels that steer the campaign, which also records it: see corpus; "": none
	Stop       func() bool   // polled; true ends the campaign; nil: never
	Progress   func(Report)  // receives every finished bundle of cases, in any order; nil: no reports
}

// ShrinkTime is the default time for shrinking a failure.
const ShrinkTime = 5 * time.Second

// Report is the result of a campaign, final or so far, including the contents of its journal.
type Report struct {
	Mechanisms []string
	Seeds      []Span        // checked seeds, ascending and disjoint
	Next       uint64        // seed to resume at: all seeds from the first up to it are checked
	Each       int           // mechanisms that each kernel ran under, at most
	Cases      uint64        // kernels
	Runs       uint64        // of kernels under mechanisms
	Before     uint64        // runs read from the journal
	Lanes      uint64        // thread instructions compared with the golden model
	Situations []Situation   // that the kernels of the corpus reached, in order
	Spent      time.Duration // excludes shrinking, and the time before the journal was resumed
	Coverage   []Coverage    // by mechanism; the first of a kernel counts statements, that of all the journal
	Causes     []Cause       // of all failures, by smallest seed; at most one unless KeepGoing
	Failure    *Failure      // that of the first cause
	Found      *Failure      // the same before it was shrunk
}

// Span is a range of consecutive seeds.
type Span struct {
	From, To uint64 // the first, and one past the last
}

// Shard is part I of N of the seeds. Seeds of a bundle are in one part.
type Shard struct{ I, N int } // I counts from 1

// has reports whether bundle n of a campaign, from 0 on, belongs to the part.
func (s Shard) has(n uint64) bool { return s.N < 2 || n%uint64(s.N) == uint64(s.I-1) }

// String writes I/N.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.I, s.N) }

// Rate returns the runs per second since the journal was resumed.
func (r *Report) Rate() float64 { return float64(r.Runs-r.Before) / max(r.Spent.Seconds(), 1e-9) }

// Total returns the sum of the coverage under all mechanisms.
func (r *Report) Total() (c Coverage) {
	for i := range r.Coverage {
		c.add(&r.Coverage[i])
	}
	return c
}

// checked adds a span of checked seeds.
func (r *Report) checked(s Span) {
	at, _ := slices.BinarySearchFunc(r.Seeds, s, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	all := slices.Insert(r.Seeds[:len(r.Seeds):len(r.Seeds)], at, s)
	r.Seeds = all[:0:0]
	for _, s := range all {
		if n := len(r.Seeds); n > 0 && r.Seeds[n-1].To == s.From {
			r.Seeds[n-1].To = s.To
		} else if s.From < s.To {
			r.Seeds = append(r.Seeds, s)
		}
	}
	if len(r.Seeds) > 0 && r.Seeds[0].From <= r.Next {
		r.Next = r.Seeds[0].To
	}
}

// bundleSeeds is the number of seeds in a bundle, which a worker checks as a whole. A journal has a line
// for each bundle.
const bundleSeeds = 16 * draw.MachineSeeds

// campaign is the state shared by the workers.
type campaign struct {
	Options
	sync.Mutex
	turns  uint64 // mechanism i runs on one machine of so many: see inTurn
	next   uint64 // seed of the next bundle
	end    uint64 // one past the last seed
	report Report
	err    error
	start  time.Time

	causes  map[failed]*Cause // by mechanism, checker and place
	corpus  *corpus           // nil without one
	running int               // bundles that are being checked
	ended   *sync.Cond        // a bundle has ended
	journal *output.Journal   // nil without one
	written uint64            // first seed of the next line
	done    map[uint64]record // bundles behind an unfinished one, by first seed
}

// Run checks mechanisms with the cases of consecutive seeds until one fails or a limit is reached.
// The findings depend only on the seeds: of several failures Run reports the one with the smallest
// seed, or with KeepGoing all of them, by cause. An error concerns the options, the journal, or a bug
// of this package.
func Run(o Options) (*Report, error) {
	turns := 1
	if len(o.Mechanisms) == 0 {
		for _, m := range divergence.Mechanisms() {
			o.Mechanisms = append(o.Mechanisms, m.Name)
		}
		turns = (len(o.Mechanisms) + atOnce - 1) / atOnce
	}
	o.Features = cmp.Or(o.Features, draw.AllFeatures)
	o.Shrink = cmp.Or(o.Shrink, ShrinkTime)
	c := &campaign{Options: o, turns: uint64(turns), end: ^uint64(0), start: time.Now(), causes: map[failed]*Cause{}}
	c.next = c.mine(o.Seed)
	if o.Runs > 0 && o.Runs < c.end-o.Seed {
		c.end = o.Seed + o.Runs
	}
	c.report = Report{Mechanisms: o.Mechanisms, Next: o.Seed, Coverage: make([]Coverage, len(o.Mechanisms))}
	c.report.Each = (len(o.Mechanisms) + turns - 1) / turns
	if o.Journal != "" {
		if err := c.resume(); err != nil {
			return nil, fmt.Errorf("journal %w", err)
		}
		defer c.journal.Close()
	}
	c.ended = sync.NewCond(c)
	if o.Corpus != "" {
		if err := c.steer(); err != nil {
			return nil, fmt.Errorf("corpus %w", err)
		}
		defer c.corpus.file.Close()
	}
	var group sync.WaitGroup
	for range max(o.Jobs, 1) {
		group.Go(c.work)
	}
	group.Wait()
	if c.corpus != nil {
		c.report.Situations = c.corpus.situations(o.Mechanisms)
	}
	err := c.explain()
	return &c.report, errors.Join(c.err, err)
}

// atOnce is the number of mechanisms that a machine has, unless they are named. Most hardware is the same
// under all of them, so that other kernels and machines find more than other mechanisms do.
const atOnce = 4

// inTurn reports whether mechanism i runs the kernels of a seed. Mechanisms take turns by machine, since
// each of them needs a machine of its own. A later machine of the same turn moves on by one, so that all
// mechanisms meet each residue of the seed: some kernels run twice, for example, those of every eighth
// seed. Machines and kernels are drawn without regard to the turn, so that all meet all kinds of them
// equally often. Similar mechanisms are neighbours in the list; those of one turn are far apart.
func (c *campaign) inTurn(i int, seed uint64) bool {
	machine := seed / draw.MachineSeeds
	return uint64(i)%c.turns == (machine+machine/c.turns)%c.turns
}

// mine returns the first seed from seed on that belongs to the shard.
func (c *campaign) mine(seed uint64) uint64 {
	const n = bundleSeeds
	for seed < c.end && !c.Shard.has(seed/n-c.Seed/n) {
		seed += min(n-seed%n, c.end-seed)
	}
	return seed
}

// over reports whether the campaign must end because of its time, or because Stop says so.
func (c *campaign) over() bool {
	return c.Time > 0 && time.Since(c.start) >= c.Time || c.Stop != nil && c.Stop()
}

// bundle returns the seeds of the next bundle; from equals to at the end.
func (c *campaign) bundle() (from, to uint64) {
	c.Lock()
	defer c.Unlock()
	for c.corpus != nil && c.next%generationSeeds == 0 && c.running > 0 && c.err == nil { // the corpus grows in between
		c.ended.Wait()
	}
	if c.err != nil || c.next >= c.end || c.over() {
		return 0, 0
	}
	from = c.next
	to = c.end
	if left := bundleSeeds - from%bundleSeeds; left < to-from {
		to = from + left
	}
	c.next = c.mine(to)
	c.running++
	return from, to
}

// work checks bundles until there are no more.
func (c *campaign) work() {
	runners := make([]runner, len(c.Mechanisms))
	var reached *situations
	if c.corpus != nil {
		reached = newSituations()
	}
	models := &verify.Recall{}
	for i := range runners {
		runners[i].Stop, runners[i].Situations, runners[i].Models = c.Stop, reached, models
	}
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
		var fails []failed
		var births []birth
		var machineOf *member
		var machine *gpu.Config
		seed, goesOn := from, true
		for ; seed < to && goesOn; seed++ {
			var b birth
			if c.corpus == nil {
				b.c = draw.New(seed, c.Features)
			} else {
				if seed == from || seed%draw.MachineSeeds == 0 {
					machineOf, machine = c.corpus.machine(seed)
				}
				b = c.corpus.draw(seed, machineOf, machine)
				reached.begin()
			}
			models.Forget()
			failures, err := c.check(runners, &b.c, &done)
			if errors.Is(err, errStopped) {
				break
			}
			if c.corpus != nil {
				b.all = reached.list()
				births = append(births, b)
			}
			for _, f := range failures {
				f.bred = len(b.Parents) > 0 || b.Machine != nil
				fails = append(fails, c.fails(f))
			}
			goesOn = c.goesOn(seed, len(failures) > 0, err)
		}
		c.add(&done, coverage, Span{from, seed}, seed == to, fails, births)
	}
}

// check runs a case under each mechanism in turn, until one fails unless KeepGoing is set.
func (c *campaign) check(runners []runner, k *draw.Case, done *Report) (failures []*Failure, err error) {
	compiled, err := k.Compile()
	if err != nil {
		return nil, err
	}
	before := *done
	done.Cases++
	counted := false
	for i, m := range c.Mechanisms {
		if !c.inTurn(i, k.Seed) {
			continue
		}
		done.Runs++
		if s := runners[i].Situations; s != nil {
			s.mechanism = uint64(i)
		}
		f, err := runners[i].Check(compiled, m)
		if errors.Is(err, errStopped) {
			*done = before
		}
		if err != nil {
			return nil, err
		}
		if f != nil {
			f.Features = c.Features
			if failures = append(failures, f); !c.KeepGoing {
				return failures, nil
			}
			continue
		}
		if !counted {
			runners[i].Coverage.kernel(compiled)
			counted = true
		}
		done.Lanes += runners[i].lanes
	}
	return failures, nil
}

// goesOn reports whether a worker should continue with the following seeds.
func (c *campaign) goesOn(seed uint64, fails bool, err error) bool {
	c.Lock()
	defer c.Unlock()
	if err != nil {
		c.err = err
		return false
	}
	if fails && !c.KeepGoing {
		c.end = min(c.end, seed)
	}
	return seed < c.end && !c.over()
}

// add records checked seeds; whole says that they are a complete bundle.
func (c *campaign) add(done *Report, coverage []Coverage, seeds Span, whole bool, fails []failed,
	births []birth,
) {
	c.Lock()
	defer c.Unlock()
	r := &c.report
	r.Cases += done.Cases
	r.Runs += done.Runs
	r.Lanes += done.Lanes
	var total Coverage
	for i := range coverage {
		r.Coverage[i].add(&coverage[i])
		total.add(&coverage[i])
	}
	r.checked(seeds)
	r.Spent = time.Since(c.start)
	if whole && c.journal != nil && c.err == nil && (c.KeepGoing || seeds.To <= c.end) {
		c.done[seeds.From] = record{seeds.From, seeds.To, done.Runs, done.Lanes, total, fails}
		c.write()
	}
	if c.corpus != nil && c.err == nil {
		c.bear(record{seeds.From, seeds.To, done.Runs, done.Lanes, total, nil}, births)
	}
	c.running--
	c.ended.Broadcast()
	if c.Progress != nil {
		c.Progress(*r)
	}
}

// T is the part of testing.T that Check uses.
type T interface {
	Helper()
	Name() string
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// Check tests a registered mechanism with random kernels: 200, unless the options say otherwise. A
// failure is shrunk and written to a subfolder of the folder counterexample beside the test.
func Check(t T, mechanism string, options ...Options) {
	t.Helper()
	var o Options
	if len(options) > 0 {
		o = options[0]
	}
	o.Mechanisms = []string{mechanism}
	if o.Runs == 0 && o.Time == 0 {
		o.Runs = 200
	}
	r, err := Run(o)
	switch {
	case r != nil && r.Failure != nil:
		by := Origin{By: fmt.Sprintf("go test ../.. -run '^%s$'", t.Name())}
		b, unkept := r.Failure.Write("counterexample", by, nil)
		if unkept != nil {
			t.Errorf("%v\n%v", r.Failure, unkept)
			return
		}
		t.Errorf("%v\nsee %s", r.Failure, b.Folder)
		if b.New {
			if err := r.Failure.Show(b.Folder, by, nil); err != nil {
				t.Errorf("%v", err)
			}
		}
	case err != nil:
		t.Errorf("%v", err)
	default:
		t.Logf("%s", r)
	}
}

// SeedsText lists the checked seeds.
func (r *Report) SeedsText() string {
	var spans []string
	for _, s := range r.Seeds {
		spans = append(spans, fmt.Sprintf("%d to %d", s.From, s.To-1))
	}
	const most = 8 // a shard has a span for each machine
	if n := len(spans); n > most {
		spans = append(spans[:most-1], fmt.Sprintf("... %d more, the last %s", n-most, spans[n-1]))
	}
	return cmp.Or(strings.Join(spans, ", "), "none")
}

// String returns a summary of one line.
func (r *Report) String() string {
	under := " under"
	if r.Each < len(r.Mechanisms) {
		under = fmt.Sprintf(", each under %d of", r.Each)
	}
	return fmt.Sprintf("%d kernels%s %s: %d runs, %d thread instructions, %.0f runs a second; seeds %s",
		r.Cases, under, strings.Join(r.Mechanisms, ", "), r.Runs, r.Lanes, r.Rate(), r.SeedsText())
}
