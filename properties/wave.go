package properties

import (
	"errors"
	"io"

	"divergo/internal/output"
	"divergo/testbench"
	"divergo/testbench/dump"
	"divergo/waves"
)

// window is a range of core cycles, from the first to the last.
type window struct{ from, to uint64 }

// A waveform shows the cycles before a failure and a few after it; fewer if the file is too large.
const (
	waveBefore = 10_000
	waveBehind = waveBefore / 10
	waveBytes  = 50 << 20 // limit of the file
)

var errTooLarge = errors.New("the waveform is too large")

// wave runs the case again and writes the waveform around a cycle, in at most so many bytes.
func (f *Failure) wave(name string, cycle uint64, most int, stop func() bool) (*window, error) {
	for part := uint64(1); ; part *= 2 {
		w := &window{from: cycle - min(cycle, waveBefore/part), to: cycle + waveBehind/part}
		err := f.dump(name, w, cycle, most, stop)
		if !errors.Is(err, errTooLarge) || part > waveBefore {
			return w, err
		}
	}
}

// dump writes the waveform of a window, which ends with the run at the latest. It opens at the
// cycle.
func (f *Failure) dump(name string, w *window, cycle uint64, most int, stop func() bool) (err error) {
	s, err := f.session(maxCycles)
	if err != nil {
		return err
	}
	file, err := output.Create(name)
	if err != nil {
		return err
	}
	defer file.Discard()
	to := &limited{w: file, left: most}
	s.Limits.Stop = func() bool {
		return to.left < 0 || s.Machine.Core().Now() > w.to+1 || stop != nil && stop()
	}
	var d *waves.Dump
	s.OnLaunch.Add(func(l *testbench.Loaded) {
		if d == nil {
			var err error
			d, err = dump.Attach(s, to, waves.Options{Clocks: true, From: w.from, To: w.to, At: cycle})
			l.Refuse(err)
		}
	})
	err = f.again(s)
	if stop != nil && stop() {
		return errStopped
	}
	if d == nil {
		return err
	}
	w.to = min(w.to, s.Machine.Core().Now())
	if err := d.Close(); err != nil {
		return err
	}
	if err := file.Keep(); err != nil {
		return err
	}
	return d.Save(name)
}

// limited is a writer that fails after so many bytes.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errTooLarge
	}
	return l.w.Write(p)
}
