package litmus

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// machineSeeds is the number of consecutive seeds with the same machine. A machine takes longer to
// build than a test to run.
const machineSeeds = 8

// maxCycles limits a launch. No test needs as many on the slowest machine.
const maxCycles = 10_000_000

// Options say which tests to run, and how often.
type Options struct {
	Tests    []*Test
	Runs     uint64                       // launches of each test
	Seed     uint64                       // of the first; the others follow
	Jobs     int                          // processors to use
	Machine  func(seed uint64) gpu.Config // a random machine
	Stop     func() bool                  // polled; true ends the run; nil: never
	Progress func(done uint64, of uint64) // receives the number of launches; may be nil
}

// Report is the result of a run.
type Report struct {
	Results []Result
	Finding *Finding // the first; nil if there is none
	Next    uint64   // seed to resume at
	Spent   time.Duration
}

// Result is the observation of one test.
type Result struct {
	Test       *Test
	Launches   uint64
	Executions uint64 // of the test; a launch has several
	Outcomes   []Seen // the allowed ones
}

// Seen is an outcome with its count.
type Seen struct {
	Outcome Outcome
	Weak    bool // no sequentially consistent machine has this outcome
	Times   uint64
}

// Wrong returns the claims of the test that the model contradicts, nil if there are none.
func (r *Result) Wrong() error {
	var allowed []Outcome
	for i := range r.Outcomes {
		allowed = append(allowed, r.Outcomes[i].Outcome)
	}
	return r.Test.judge(allowed)
}

// Counts are sums over the outcomes of a test.
type Counts struct{ Allowed, Seen, Weak, WeakSeen int }

// Count sums up the outcomes.
func (r *Result) Count() (n Counts) {
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		n.Allowed++
		if o.Times > 0 {
			n.Seen++
		}
		if o.Weak {
			n.Weak++
		}
		if o.Weak && o.Times > 0 {
			n.WeakSeen++
		}
	}
	return n
}

// Finding is a launch with a forbidden outcome, or a launch that failed.
type Finding struct {
	Test    *Test
	Seed    uint64
	Machine gpu.Config
	Outcome Outcome // "" if the launch failed
	Err     error   // the error of a failed launch
}

// Error names the test, the seed, the mechanism, and the forbidden outcome or the error of the launch.
func (f *Finding) Error() string {
	what := ""
	if f.Err != nil {
		what = f.Err.Error()
	} else {
		what = "the model does not allow " + f.Test.Show(f.Outcome)
	}
	return fmt.Sprintf("test %s, seed %d, mechanism %s: %s", f.Test.Name, f.Seed, f.Machine.Divergence.Mechanism, what)
}

// subject is a test ready to run.
type subject struct {
	*Test
	programs [2]*isa.Program // without and with pauses
	allowed  map[Outcome]int // index of the outcome in Result.Outcomes
	outcomes int             // number of allowed outcomes
}

// campaign is a Run in progress. Workers take machines in the order of their seeds.
type campaign struct {
	Options
	subjects []*subject

	sync.Mutex
	next    uint64 // seed
	done    uint64 // launches
	bundles map[uint64]*bundle
	err     error
	ended   bool
}

// bundle holds the observations of the runs on a machine, by test and outcome.
type bundle struct {
	launches, executions []uint64
	times                [][]uint64
	finding              *Finding
	whole                bool // all tests have run with all seeds
}

// Run runs tests on random machines and ends with the first forbidden outcome. The report does not
// depend on the number of jobs.
func Run(o Options) (*Report, error) {
	c, report, err := newCampaign(o)
	if err != nil {
		return nil, err
	}
	return report, c.run(report)
}

// newCampaign prepares the tests. The report lists their outcomes.
func newCampaign(o Options) (*campaign, *Report, error) {
	c := &campaign{Options: o, next: o.Seed, bundles: map[uint64]*bundle{}}
	report := &Report{}
	for _, t := range o.Tests {
		s := &subject{Test: t, allowed: map[Outcome]int{}}
		for i, pauses := range []bool{false, true} {
			m, err := ptx.Parse(t.Name+".ptx", []byte(t.ptx(pauses)))
			if err != nil {
				return nil, nil, err
			}
			if s.programs[i], err = testbench.Program(m, ""); err != nil {
				return nil, nil, err
			}
		}
		r := Result{Test: t}
		strong := t.interleavings()
		for i, out := range t.allowed() {
			_, found := slices.BinarySearch(strong, out)
			s.allowed[out] = i
			r.Outcomes = append(r.Outcomes, Seen{Outcome: out, Weak: !found})
		}
		s.outcomes = len(r.Outcomes)
		c.subjects = append(c.subjects, s)
		report.Results = append(report.Results, r)
	}
	return c, report, nil
}

// run runs the tests and fills the report.
func (c *campaign) run(report *Report) error {
	start := time.Now()
	var group sync.WaitGroup
	for range max(c.Jobs, 1) {
		group.Go(c.work)
	}
	group.Wait()
	c.add(report)
	report.Spent = time.Since(start)
	return c.err
}

// add adds the observations of the machines, up to the first finding.
func (c *campaign) add(r *Report) {
	r.Next = c.Seed
	for r.Finding == nil && r.Next < c.Seed+c.Runs {
		b := c.bundles[r.Next]
		if b == nil {
			return
		}
		for i := range r.Results {
			r.Results[i].Launches += b.launches[i]
			r.Results[i].Executions += b.executions[i]
			for k, n := range b.times[i] {
				r.Results[i].Outcomes[k].Times += n
			}
		}
		if r.Finding = b.finding; !b.whole {
			return
		}
		r.Next = c.behind(r.Next)
	}
}

// behind returns the first seed of the next machine, or the end.
func (c *campaign) behind(seed uint64) uint64 {
	return min(c.Seed+c.Runs, (seed/machineSeeds+1)*machineSeeds)
}

// work runs the tests on machines until there are no more.
func (c *campaign) work() {
	for {
		c.Lock()
		from := c.next
		if c.ended || from >= c.Seed+c.Runs || c.Stop != nil && c.Stop() {
			c.Unlock()
			return
		}
		to := c.behind(from)
		c.next = to
		c.Unlock()
		b, err := c.bundle(from, to)
		c.Lock()
		c.bundles[from] = b
		if err != nil {
			c.err = cmp.Or(c.err, err)
		}
		c.ended = c.ended || err != nil || b.finding != nil
		c.Unlock()
	}
}

// bundle runs all tests with the seeds of a machine.
func (c *campaign) bundle(from, to uint64) (*bundle, error) {
	n := len(c.subjects)
	b := &bundle{launches: make([]uint64, n), executions: make([]uint64, n), times: make([][]uint64, n)}
	for i, s := range c.subjects {
		b.times[i] = make([]uint64, s.outcomes)
	}
	cfg := c.machine(from / machineSeeds)
	session, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: maxCycles, Stop: c.Stop})
	if err != nil {
		return b, err
	}
	for i, s := range c.subjects {
		for seed := from; seed < to; seed++ {
			if c.Stop != nil && c.Stop() {
				return b, nil
			}
			outcomes, err := s.launch(session, seed)
			if err != nil {
				if c.Stop != nil && c.Stop() {
					return b, nil
				}
				b.finding = &Finding{Test: s.Test, Seed: seed, Machine: cfg, Err: err}
				return b, nil
			}
			b.launches[i]++
			for _, out := range outcomes {
				at, ok := s.allowed[out]
				if !ok {
					b.finding = &Finding{Test: s.Test, Seed: seed, Machine: cfg, Outcome: out}
					return b, nil
				}
				b.executions[i]++
				b.times[i][at]++
			}
		}
		if c.Progress != nil {
			c.Lock()
			c.done += to - from
			c.Progress(c.done, c.Runs*uint64(n))
			c.Unlock()
		}
	}
	b.whole = true
	return b, nil
}

// machine draws a machine with its mechanism.
func (c *campaign) machine(seed uint64) gpu.Config {
	cfg := c.Machine(seed)
	r := rand.New(rand.NewPCG(seed, 8))
	all := divergence.Mechanisms()
	cfg = cfg.Under(all[r.IntN(len(all))].Name)
	cfg.GPU.SMs = []int{1, 2, 2, 3, 4}[r.IntN(5)]
	cfg.DRAM.Channels = []int{1, 2, 2, 4}[r.IntN(4)]
	cfg.Shared.Size = max(cfg.Shared.Size, 1024)
	return cfg
}

// instance is the placement of the threads and variables of one copy of the test.
type instance struct {
	threads []int // of the grid
	vars    []uint64
	cta     int // with the variables in shared memory
}

// layout is the layout of one launch of a test.
type layout struct {
	*rand.Rand
	*subject
	warp, block, ctas int
	rows              []row
	instances         []instance
	base, junk        uint64 // device memory of the variables, and of the disturbing threads
	pitch             int    // bytes between variables
	start, window     int    // cycles in which threads begin
}

// begin draws the cycle in which a thread begins.
func (l *layout) begin() uint32 { return uint32(l.start + l.IntN(l.window)) }

// junkBytes is the size of the memory of the disturbing threads.
const junkBytes = 256 << 10

// launch runs the test with a seed, and returns the outcome of each instance.
func (s *subject) launch(session *testbench.Session, seed uint64) (list []Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	session.Reset()
	h := fnv.New64a()
	h.Write([]byte(s.Name))
	cfg := &session.Machine.Config
	l := &layout{Rand: rand.New(rand.NewPCG(seed, h.Sum64())), subject: s, warp: cfg.SM.WarpSize}
	l.draw(cfg)
	table := session.Alloc(len(l.rows) * rowBytes)
	places := session.Alloc(8 * len(s.vars) * sharedSlots)
	outcomes := session.Alloc(s.keptAt() + l.ctas*s.sharedBytes())
	l.base = session.Alloc(l.pitch * len(s.vars) * sharedSlots)
	l.junk = (session.Alloc(junkBytes+sameChannel) + sameChannel - 1) / sameChannel * sameChannel
	l.drawPlaces()
	l.drawOthers()
	var text []byte
	for i := range l.rows {
		text = append(text, l.rows[i].bytes()...)
	}
	session.Write(table, text)
	text = nil
	for i := range l.instances {
		for _, a := range l.instances[i].vars {
			text = binary.LittleEndian.AppendUint64(text, a)
		}
	}
	session.Write(places, text)
	var params []byte
	for _, a := range []uint64{table, places, outcomes} {
		params = binary.LittleEndian.AppendUint64(params, a)
	}
	err = session.Launch(testbench.Launch{
		Prog: s.programs[l.IntN(2)], Params: params,
		Grid: [3]uint32{uint32(l.ctas), 1, 1}, Block: [3]uint32{uint32(l.block), 1, 1},
	})
	if err != nil {
		return nil, err
	}
	word := func(at uint64) uint32 {
		var b [4]byte
		session.Read(at, b[:])
		return binary.LittleEndian.Uint32(b[:])
	}
	for i := range l.instances {
		in := &l.instances[i]
		values := make([]uint32, s.values())
		for k := range s.final(0) {
			values[k] = word(outcomes + uint64(4*(i*s.outcomeWords()+k)))
		}
		for v := range s.vars {
			at := in.vars[v]
			if s.vars[v].Shared {
				at += outcomes + uint64(s.keptAt()+in.cta*s.sharedBytes())
			}
			values[s.final(v)] = word(at)
		}
		list = append(list, newOutcome(values))
	}
	return list, session.Err()
}

// draw chooses the grid, and the threads that run the test.
func (l *layout) draw(cfg *gpu.Config) {
	of := func(list ...int) int { return list[l.IntN(len(list))] }
	most := 0
	for cta := range l.Test.ctas() {
		n := 0
		for i := range l.threads {
			if l.threads[i].CTA == cta {
				n++
			}
		}
		most = max(most, n)
	}
	warps := max(1+l.IntN(min(4, cfg.SM.Warps()/cfg.SM.Schedulers)), (most+l.warp-1)/l.warp)
	l.block, l.ctas = warps*l.warp, l.Test.ctas()+l.IntN(4)
	l.rows = make([]row, l.block*l.ctas)
	for i := range l.rows {
		l.rows[i].role = uint32(len(l.threads) + others)
	}
	l.pitch = of(8, 32, 64, 128, 256, 1024, 4096)
	l.start, l.window = of(1000, 2000, 4000, 8000), of(1, 16, 64, 256, 1024)
	for range 1 + l.IntN(sharedSlots) {
		l.place()
	}
}

// place chooses threads for another instance, if there is room.
func (l *layout) place() {
	ctas := l.Perm(l.ctas)
	together := l.IntN(4) == 0 // in one warp, if they are in one CTA
	in := instance{}
	for i := range l.threads {
		cta := ctas[l.threads[i].CTA]
		first, n := cta*l.block, l.block
		if together {
			first, n = first+l.IntN(l.block/l.warp)*l.warp, l.warp
			if i > 0 && l.threads[i].CTA == l.threads[i-1].CTA {
				first = in.threads[i-1] / l.warp * l.warp
			}
		}
		var free []int
		for at := first; at < first+n; at++ {
			if l.rows[at].role == uint32(len(l.threads)+others) && !slices.Contains(in.threads, at) {
				free = append(free, at)
			}
		}
		if free == nil {
			return
		}
		in.threads = append(in.threads, free[l.IntN(len(free))])
	}
	for i, at := range in.threads {
		l.rows[at] = row{
			role: uint32(i), instance: uint32(len(l.instances)), start: l.begin(),
			pauses: l.Uint32() & l.Uint32() & l.Uint32(), count: l.Uint32() & l.Uint32(),
		}
	}
	for v := range l.vars {
		i := slices.IndexFunc(l.threads, func(t thread) bool { return t.accesses(v) })
		if l.vars[v].Shared && i >= 0 {
			in.cta = ctas[l.threads[i].CTA]
		}
	}
	l.instances = append(l.instances, in)
}

// drawPlaces assigns the addresses of the variables: in device memory, or from the start of the
// CTA's shared memory.
func (l *layout) drawPlaces() {
	slots := l.Perm(len(l.instances) * len(l.vars))
	for i := range l.instances {
		for v := range l.vars {
			a := uint64(4 * (i*len(l.vars) + v))
			if !l.vars[v].Shared {
				a = l.base + uint64(slots[i*len(l.vars)+v]*l.pitch)
			}
			l.instances[i].vars = append(l.instances[i].vars, a)
		}
	}
}

// sameChannel is a distance in bytes between addresses of the same channel and the same cache sets.
const sameChannel = 16 << 10

// drawOthers assigns disturbing roles to warps: they evict lines, write beside the variables, or
// crowd the channel of one of them.
func (l *layout) drawOthers() {
	of := func(list ...int) int { return list[l.IntN(len(list))] }
	var globals []uint64
	for _, in := range l.instances {
		for v, a := range in.vars {
			if !l.vars[v].Shared {
				globals = append(globals, a)
			}
		}
	}
	victim := l.base
	if globals != nil {
		victim = globals[l.IntN(len(globals))]
	}
	crowd := l.IntN(2) == 0
	for first := 0; first < len(l.rows); first += l.warp {
		if l.IntN(2) == 0 {
			continue
		}
		role, count, step, spread := l.IntN(others), 1<<l.IntN(6), of(0, 4, 64, 128, 1024), of(4, 128, 4096)
		near, sparse := globals != nil && l.IntN(2) == 0, !crowd && l.IntN(2) == 0
		for at := first; at < first+l.warp; at++ {
			if l.rows[at].role < uint32(len(l.threads)) || sparse && l.IntN(2) == 0 {
				continue
			}
			r := row{role: uint32(len(l.threads) + role), start: l.begin(), count: uint32(count), step: uint32(step)}
			switch {
			case crowd:
				r.step = 0
				r.address = l.junk + victim%sameChannel + uint64(sameChannel*l.IntN(junkBytes/sameChannel-1))
			case near:
				r.step = 0
				r.address = globals[l.IntN(len(globals))]
				if role != loads {
					r.address += 4 // beside the variable
				}
			default:
				r.address = l.junk + uint64(spread*l.IntN(junkBytes/2/spread))
			}
			l.rows[at] = r
		}
	}
}
