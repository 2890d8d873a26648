package cli

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	"divergo/gpu"
)

// interrupt tells whether the user wants the run to end.
type interrupt struct {
	asked   atomic.Bool
	signals chan os.Signal
}

// catchInterrupt turns Ctrl-C into a wish that the run looks at; a second
// Ctrl-C ends the process at once.
func catchInterrupt() *interrupt {
	i := &interrupt{signals: make(chan os.Signal, 1)}
	signal.Notify(i.signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		if _, ok := <-i.signals; ok {
			i.asked.Store(true)
			signal.Stop(i.signals)
		}
	}()
	return i
}

func (i *interrupt) release() {
	signal.Stop(i.signals)
	close(i.signals)
}

// progress is the line on a terminal that says how far a launch is.
type progress struct {
	to    io.Writer // nil without a terminal
	label string
	asked int // calls of tick, so that the clock is looked at now and then only
	start time.Time
	shown time.Time
	ended uint64 // CTAs of the launch, when last shown
}

// newProgress shows progress on w if that is a terminal.
func newProgress(w io.Writer, label string) *progress {
	p := &progress{label: label}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.to = w
	}
	return p
}

// tick updates the line a few times a second.
func (p *progress) tick(m *gpu.Machine) {
	if p.asked++; p.to == nil || p.asked%256 != 0 {
		return
	}
	now := time.Now()
	if !p.due(now) {
		return
	}
	ended, of := m.Progress()
	if p.start.IsZero() || ended < p.ended { // the next launch has begun
		p.start = now
	}
	p.ended = ended
	p.show(now, position(m.Cycles(), ended, of, now.Sub(p.start)))
}

// say updates the line with a text, a few times a second at most.
func (p *progress) say(text string) {
	if now := time.Now(); p.to != nil && p.due(now) {
		p.show(now, text)
	}
}

// due reports whether it is time to show something.
func (p *progress) due(now time.Time) bool { return now.Sub(p.shown) >= 200*time.Millisecond }

func (p *progress) show(now time.Time, text string) {
	p.shown = now
	fmt.Fprintf(p.to, "\r\x1b[K%s: %s", p.label, text)
}

// position says how far a launch has come after some time, and how long the
// rest will take if it goes on like that.
func position(cycle, ended, of uint64, spent time.Duration) string {
	left := "?"
	if ended > 0 {
		left = time.Duration(float64(spent) * float64(of-ended) / float64(ended)).Round(time.Second).String()
	}
	return fmt.Sprintf("cycle %d, %d of %d CTAs, %s left", cycle, ended, of, left)
}

// clear removes the line.
func (p *progress) clear() {
	if p.to != nil && !p.shown.IsZero() {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}
