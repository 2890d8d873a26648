package sweep

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"divergo/internal/output"
)

// Options say how Run runs.
type Options struct {
	Jobs     int          // points at once; 0: one for each processor
	Points   []int        // points to run if they are missing; nil: all
	Stop     func() bool  // polled; true ends the run after the results so far are kept; nil: never
	Progress func(Report) // receives the state after each point; nil: nobody
	Stderr   io.Writer    // receives what workers and CUDA programs write to standard error; nil: discarded
	// Worker is the command of a process that calls Work, in the folder of the plan, so that results
	// do not depend on the present folder. nil: this program with the arguments
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
	Busy    time.Duration // time that all workers have spent on the results of this run
	Longest time.Duration // of a point
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

// bundle is a number of points that a worker runs one after the other, all on one machine.
type bundle struct {
	points []int
	memory uint64 // estimate for one of them, in bytes
}

// maxBundle limits the points of a bundle. Bundles become smaller towards the end, so that all
// workers end together.
const maxBundle = 32

// engine is the state of a Run.
type engine struct {
	Options
	plan     *Plan
	store    *Store
	programs map[string]string // paths of CUDA programs that were built, by Plan.Kernel
	queue    []bundle
	workers  []*worker
	events   chan event
	free     uint64 // memory that is not promised to a worker, in bytes
	report   Report
	tries    map[int]int // of points whose worker crashed
	starts   int         // workers that ended before their first point
	start    time.Time
	err      error
}

// worker is a process that makes points. It ends when its input does, also if this process is
// killed, and leaves nothing unfinished.
type worker struct {
	*exec.Cmd
	in      *os.File
	bundle  *bundle // the present one; nil: idle
	memory  uint64  // promised to it, in bytes
	unkept  []int   // of the present bundle
	running int     // the point that runs, -1 if there is none
	began   bool    // it has begun a point
	holds   bool    // it may hold the machine of its last bundle
	err     error   // of its end
}

// event is a line that a worker has written; nil means that it has ended.
type event struct {
	from *worker
	line *note
}

// note says what became of a point.
type note struct {
	Begun    *int      `json:"begun,omitempty"`
	Kept     *int      `json:"kept,omitempty"`
	Seconds  float64   `json:"seconds,omitempty"` // of Kept: time of the run
	Crashed  *int      `json:"crashed,omitempty"`
	Why      string    `json:"why,omitempty"`  // of Crashed
	Idle     bool      `json:"idle,omitempty"` // the orders so far are done
	Conflict *Conflict `json:"conflict,omitempty"`
	Error    string    `json:"error,omitempty"` // the store cannot be written
}

// order is a line for a worker. An empty one tells it to give up its machine, whose memory another
// worker may need.
type order struct {
	Points   []int             `json:"points,omitempty"`
	Keys     []string          `json:"keys,omitempty"`     // of the points
	Build    map[string]string `json:"build,omitempty"`    // paths of programs to build, by Plan.Kernel
	Programs map[string]string `json:"programs,omitempty"` // the same, built by another worker
}

// Run makes the missing results of a plan on this computer. Each of several processes, the workers,
// makes one point at a time.
//
// A point with a result in the store is not run. So Run after an interruption continues. The error
// concerns the store, or is a *Conflict; lost points are in the report.
func Run(p *Plan, s *Store, o Options) (*Report, error) {
	e := newEngine(p, s, o)
	if err := e.prepare(); err != nil {
		return &e.report, err
	}
	if len(e.queue) == 0 {
		return &e.report, nil
	}
	done, err := e.build()
	defer done()
	if err != nil {
		e.end()
		return &e.report, err
	}
	e.loop()
	e.end()
	slices.SortFunc(e.report.Lost, func(a, b Lost) int { return cmp.Compare(a.Point, b.Point) })
	return &e.report, e.err
}

func newEngine(p *Plan, s *Store, o Options) *engine {
	e := &engine{
		Options: o, plan: p, store: s, events: make(chan event), tries: map[int]int{}, free: available(),
		start: time.Now(),
	}
	if e.Jobs == 0 {
		e.Jobs = runtime.GOMAXPROCS(0)
	}
	if e.Stderr != nil {
		e.Stderr = &shared{w: e.Stderr}
	}
	return e
}

// shared is a writer that all workers write to.
type shared struct {
	sync.Mutex
	w io.Writer
}

func (s *shared) Write(b []byte) (int, error) {
	s.Lock()
	defer s.Unlock()
	return s.w.Write(b)
}

// prepare lists the missing points in bundles.
func (e *engine) prepare() error {
	there, err := e.store.keys()
	if err != nil {
		return err
	}
	points := e.Points
	if points == nil {
		points = make([]int, e.plan.Len())
		for i := range points {
			points[i] = i
		}
	}
	e.report.Points = len(points)
	var missing []int
	for _, i := range points {
		if !there[e.plan.Key(i)] {
			missing = append(missing, i)
		}
	}
	e.report.Before = len(points) - len(missing)
	place := map[uint32]int{} // of a machine, by its first point
	for _, i := range missing {
		if m := e.plan.machineOf[i]; place[m] == 0 {
			place[m] = len(place) + 1
		}
	}
	slices.SortStableFunc(missing, func(a, b int) int {
		return cmp.Compare(place[e.plan.machineOf[a]], place[e.plan.machineOf[b]])
	})
	most := 0
	for n, i := range missing {
		last := len(e.queue) - 1
		if last >= 0 && len(e.queue[last].points) < most &&
			e.plan.machineOf[e.queue[last].points[0]] == e.plan.machineOf[i] {
			e.queue[last].points = append(e.queue[last].points, i)
			continue
		}
		most = max(1, min(maxBundle, (len(missing)-n)/(4*e.Jobs)))
		c := e.plan.Config(i)
		e.queue = append(e.queue, bundle{[]int{i}, memoryOf(&c)})
	}
	e.Jobs = min(e.Jobs, len(e.queue))
	return nil
}

// build has a worker build the CUDA programs that the missing points run. The function done removes
// them.
func (e *engine) build() (done func(), err error) {
	done = func() {}
	programs := map[string]string{}
	for _, b := range e.queue {
		for _, i := range b.points {
			if s := e.plan.subject(e.plan.steps(i)); s.source() {
				programs[s.text] = ""
			}
		}
	}
	if len(programs) == 0 {
		return done, nil
	}
	folder, err := output.TempFolder()
	if err != nil {
		return done, err
	}
	for n, name := range sortedKeys(programs) {
		programs[name] = folder.Path(fmt.Sprint("program", n))
	}
	if w := e.hire(); w != nil {
		w.bundle = &bundle{}
		w.send(order{Build: programs})
		e.wait()
		e.programs = programs
	}
	return folder.Remove, e.err
}

// loop runs the workers until nothing is left.
func (e *engine) loop() {
	for e.err == nil && !e.stopped() && e.dispatch() {
		e.next()
	}
}

// wait waits until all workers are idle.
func (e *engine) wait() {
	busy := func(w *worker) bool { return w.bundle != nil }
	for e.err == nil && !e.stopped() && slices.ContainsFunc(e.workers, busy) {
		e.next()
	}
}

// next waits for an event, for a moment.
func (e *engine) next() {
	select {
	case ev := <-e.events:
		e.handle(ev)
	case <-time.After(50 * time.Millisecond):
	}
}

// stopped reports whether the run is told to end.
func (e *engine) stopped() bool { return e.Stop != nil && e.Stop() }

// dispatch gives bundles to idle workers, and starts workers. It reports whether any is busy.
func (e *engine) dispatch() bool {
	busy, idle := 0, []*worker(nil)
	for _, w := range e.workers {
		if w.bundle != nil {
			busy++
		} else {
			idle = append(idle, w)
		}
	}
	e.report.Waiting = 0
	for busy < e.Jobs && len(e.queue) > 0 && e.err == nil {
		at := slices.IndexFunc(e.queue, func(b bundle) bool { return b.memory <= e.free })
		if at < 0 && busy > 0 {
			for _, b := range e.queue {
				e.report.Waiting += len(b.points)
			}
			break
		}
		at = max(at, 0) // a point that never fits runs by itself
		var w *worker
		if n := len(idle); n > 0 {
			w, idle = idle[n-1], idle[:n-1]
		} else if w = e.hire(); w == nil {
			break
		}
		b := e.queue[at]
		e.queue = slices.Delete(e.queue, at, at+1)
		w.bundle, w.unkept, w.running = &b, slices.Clone(b.points), -1
		w.memory, w.holds = min(b.memory, e.free), true
		e.free -= w.memory
		o := order{Points: b.points}
		for _, i := range b.points {
			o.Keys = append(o.Keys, e.plan.Key(i).String())
		}
		w.send(o)
		busy++
	}
	for _, w := range idle {
		if w.holds {
			w.send(order{})
			w.holds = false
		}
	}
	return busy > 0
}

// hire starts a worker.
func (e *engine) hire() *worker {
	command := e.Worker
	if command == nil {
		own, err := os.Executable()
		if err != nil {
			e.err = err
			return nil
		}
		store, err := filepath.Abs(e.store.folder)
		if err != nil {
			e.err = err
			return nil
		}
		command = []string{own, "sweep", "work", filepath.Base(e.plan.File), "--store", store}
	}
	in, toWorker, err := os.Pipe()
	if err != nil {
		e.err = err
		return nil
	}
	fromWorker, out, err := os.Pipe()
	if err != nil {
		e.err = errors.Join(err, in.Close(), toWorker.Close())
		return nil
	}
	c := exec.Command(command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = in, out, e.Stderr
	c.Dir = filepath.Dir(e.plan.File)
	c.Env = append(os.Environ(), "GOMAXPROCS=2") // one simulates, one writes and collects garbage
	err = c.Start()
	in.Close()
	out.Close()
	if err != nil {
		e.err = errors.Join(fmt.Errorf("cannot start a worker: %w", err), toWorker.Close(), fromWorker.Close())
		return nil
	}
	w := &worker{Cmd: c, in: toWorker, running: -1}
	e.workers = append(e.workers, w)
	if len(e.programs) > 0 {
		w.send(order{Programs: e.programs})
	}
	go func() {
		defer fromWorker.Close()
		lines := bufio.NewScanner(fromWorker)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var n note
			if json.Unmarshal(lines.Bytes(), &n) == nil {
				e.events <- event{w, &n}
			}
		}
		w.err = w.Wait()
		e.events <- event{w, nil}
	}()
	return w
}

// send writes a line to the worker. A worker that has ended does not read it; its end is an event.
func (w *worker) send(o order) {
	line, err := json.Marshal(o)
	if err != nil {
		panic(err) // it holds numbers and texts
	}
	_, _ = w.in.Write(append(line, '\n'))
}

// handle takes note of what a worker says.
func (e *engine) handle(ev event) {
	w := ev.from
	switch n := ev.line; {
	case n == nil:
		e.gone(w)
	case n.Begun != nil:
		w.running, w.began = *n.Begun, true
	case n.Kept != nil:
		w.kept(*n.Kept)
		e.made(n)
		e.tell()
	case n.Crashed != nil:
		w.kept(*n.Crashed)
		e.retry(*n.Crashed, n.Why)
	case n.Idle:
		e.free += w.memory
		w.bundle, w.memory = nil, 0
	case n.Conflict != nil:
		e.err = n.Conflict
	case n.Error != "":
		e.err = errors.New(n.Error)
	}
}

// made counts a result.
func (e *engine) made(n *note) {
	spent := time.Duration(n.Seconds * float64(time.Second))
	r := &e.report
	r.Made++
	r.Busy += spent
	r.Longest = max(r.Longest, spent)
}

// kept removes a point from those of the worker.
func (w *worker) kept(point int) {
	w.unkept = slices.DeleteFunc(w.unkept, func(i int) bool { return i == point })
	if w.running == point {
		w.running = -1
	}
}

// gone gives the points of a worker that has ended to others.
func (e *engine) gone(w *worker) {
	e.workers = slices.DeleteFunc(e.workers, func(o *worker) bool { return o == w })
	_ = w.in.Close()
	if w.bundle == nil {
		return
	}
	e.free += w.memory
	why := "the worker ended"
	if w.err != nil {
		why = fmt.Sprintf("the worker ended: %v", w.err)
	}
	if !w.began {
		e.starts++
	}
	if e.starts == Tries {
		e.err = fmt.Errorf("%d workers ended before their first point: %s", e.starts, why)
		return
	}
	memory := w.bundle.memory
	for _, i := range w.unkept {
		if i == w.running {
			e.retry(i, why)
		} else {
			e.queue = append(e.queue, bundle{[]int{i}, memory})
		}
	}
}

// retry runs a point again, or gives it up.
func (e *engine) retry(i int, why string) {
	if e.tries[i]++; e.tries[i] == Tries {
		e.report.Lost = append(e.report.Lost, Lost{i, e.tries[i], why})
		e.tell()
		return
	}
	c := e.plan.Config(i)
	e.queue = append(e.queue, bundle{[]int{i}, memoryOf(&c) << (2 * e.tries[i])}) // memory may have been the cause
}

// tell reports the progress.
func (e *engine) tell() {
	r := &e.report
	spent := time.Since(e.start).Seconds()
	r.Rate = float64(r.Made) / max(spent, 1e-9)
	r.Left = 0
	if left := r.Points - r.Before - r.Made - len(r.Lost); r.Made > 0 {
		r.Left = time.Duration(float64(left) / r.Rate * float64(time.Second))
	}
	if e.Progress != nil {
		e.Progress(*r)
	}
}

// end ends the workers. Results that they have begun to write are complete or absent.
func (e *engine) end() {
	for _, w := range e.workers {
		_ = w.in.Close()
	}
	late := time.After(endTime)
	for len(e.workers) > 0 {
		select {
		case ev := <-e.events:
			if n := ev.line; n == nil {
				e.workers = slices.DeleteFunc(e.workers, func(o *worker) bool { return o == ev.from })
			} else if n.Kept != nil {
				e.made(n)
			}
		case <-late:
			for _, w := range e.workers {
				_ = w.Process.Kill() // an error means that it has ended
			}
			late = nil
		}
	}
}

// endTime bounds the wait for workers that are told to end.
const endTime = 5 * time.Second
