package cli

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"divergo/gpu"
	"divergo/internal/output"
)

// interrupt records that the user wants the command to end: Ctrl-C, Ctrl-\, SIGTERM or a closed
// terminal.
type interrupt struct {
	asked   atomic.Bool
	heard   atomic.Int32 // number of listeners that poll asked
	signals chan os.Signal
}

type interruptKey struct{}

// catchSignals turns a signal into a request that a run polls. Without a listener, or at a second
// signal, the process ends at once and leaves no unfinished file.
func catchSignals() *interrupt {
	i := &interrupt{signals: make(chan os.Signal, 1)}
	notify(i.signals)
	go func() {
		for range i.signals {
			if first := !i.asked.Swap(true); !first || i.heard.Load() == 0 {
				output.Abandon()
				fmt.Fprintln(os.Stderr, "divergo:", errInterrupted)
				os.Exit(exitInterrupted)
			}
		}
	}()
	return i
}

func (i *interrupt) release() {
	signal.Stop(i.signals)
	close(i.signals)
}

// listen registers an operation that can end in good order. The operation polls asked until it
// calls leave.
func listen(c *cobra.Command) (asked func() bool, leave func()) {
	i := c.Context().Value(interruptKey{}).(*interrupt)
	i.heard.Add(1)
	return i.asked.Load, func() { i.heard.Add(-1) }
}

// progress is the line on a terminal that shows the progress of a launch.
type progress struct {
	to    io.Writer // nil if the output is no terminal
	label string
	asked int // calls of tick; only some of them read the clock
	start time.Time
	shown time.Time
	ended uint64 // finished CTAs of the launch at the last tick
}

// newProgress shows progress on w if that is a terminal.
func newProgress(w io.Writer, label string) *progress {
	p := &progress{label: label}
	if f, ok := w.(*os.File); ok && isTerminal(f) {
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

// say updates the line with a text, at most a few times a second.
func (p *progress) say(text string) {
	if now := time.Now(); p.to != nil && p.due(now) {
		p.show(now, text)
	}
}

// due reports whether the line is old enough for an update.
func (p *progress) due(now time.Time) bool { return now.Sub(p.shown) >= 200*time.Millisecond }

func (p *progress) show(now time.Time, text string) {
	p.shown = now
	fmt.Fprintf(p.to, "\r\x1b[K%s: %s", p.label, text)
}

// position describes the progress of a launch after some time, and estimates the rest at the same
// speed.
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
