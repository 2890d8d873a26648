package sweep

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"divergo/cuda"
	"divergo/gpu"
	"divergo/internal/output"
	"divergo/internal/printable"
)

// maxWrites is the number of results that a worker writes at once, while it makes the next point.
const maxWrites = 8

// Work makes points in this process for a Run in another one, until in ends. It reads the numbers of
// the points from in, and writes to out what became of each. CUDA programs write to errs.
func Work(p *Plan, s *Store, in io.Reader, out, errs io.Writer) error {
	var stop, building atomic.Bool
	orders := make(chan order)
	go func() {
		defer close(orders)
		defer stop.Store(true) // the other process has ended, or wants an end
		d := json.NewDecoder(bufio.NewReader(in))
		for {
			var o order
			if d.Decode(&o) != nil {
				if building.Load() {
					output.Clean() // ends the compiler
				}
				return
			}
			orders <- o
		}
	}()
	w := &work{
		maker: maker{Plan: p, stderr: errs, stopped: stop.Load}, store: s, notes: json.NewEncoder(out),
		writes: make(chan bool, maxWrites),
	}
	for o := range orders {
		switch {
		case o.Programs != nil:
			w.built = o.Programs
			continue
		case o.Build == nil && o.Points == nil:
			w.session = nil
			continue
		}
		if o.Build != nil {
			w.built = o.Build
			building.Store(true)
			if err := p.buildPrograms(o.Build); err != nil {
				w.note(note{Error: err.Error()})
			}
			building.Store(false)
		}
		for n, i := range o.Points {
			if stop.Load() {
				break
			}
			if i >= p.Len() || p.Key(i).String() != o.Keys[n] {
				w.note(note{Error: fmt.Sprintf("%s, a file that it names or divergo has changed during the sweep: start it again",
					printable.Name(p.File))})
				break
			}
			w.point(i)
		}
		w.group.Wait()
		w.note(note{Idle: true})
	}
	w.group.Wait()
	return nil
}

// buildPrograms builds the CUDA programs of a plan whose kernels are the keys of a map, with the
// values as their paths.
func (p *Plan) buildPrograms(paths map[string]string) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	for _, s := range p.subjects {
		if to := paths[s.text]; to != "" {
			if err := cuda.Build(s.build, to, cuda.Options{Level: "2", Arch: cuda.DefaultArch, Divergo: own}); err != nil {
				return err
			}
		}
	}
	return nil
}

// work is the state of Work.
type work struct {
	maker
	store  *Store
	built  map[string]string
	mutex  sync.Mutex
	notes  *json.Encoder
	writes chan bool
	group  sync.WaitGroup // of the results that are being written
}

// note tells the other process.
func (w *work) note(n note) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	_ = w.notes.Encode(n) // without the other process nobody needs it
}

// point makes a point, and begins to write its result.
func (w *work) point(i int) {
	w.note(note{Begun: &i})
	start := time.Now()
	r, err := w.tried(i)
	if w.stopped() {
		return
	}
	if err != nil {
		w.session = nil
		w.note(note{Crashed: &i, Why: err.Error()})
		return
	}
	spent := time.Since(start).Seconds()
	w.writes <- true
	w.group.Go(func() {
		defer func() { <-w.writes }()
		var conflict *Conflict
		switch err := w.store.Put(w.Key(i), r); {
		case err == nil:
			w.note(note{Kept: &i, Seconds: spent})
		case errors.As(err, &conflict):
			w.note(note{Conflict: conflict})
		default:
			w.note(note{Error: err.Error()})
		}
	})
}

// tried makes a point. A panic is an error.
func (w *work) tried(i int) (r *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	r, err = w.make(i, w.built[w.Plan.Kernel(i)])
	if err == nil && r.Outcome == gpu.Stopped.String() {
		err = errors.New("stopped")
	}
	return r, err
}
