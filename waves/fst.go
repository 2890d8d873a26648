package waves

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"divergo/internal/output"
)

// FST converts a dump to GTKWave's own format during the run. It pipes the dump to GTKWave's
// program vcd2fst. Use it as the writer of [Attach], and close it after the dump. vcd2fst starts
// with the first write.
type FST struct {
	// Stop, if set, reports that the user wants to end the run. A vcd2fst that then reads nothing
	// for a while, or does not end, is killed.
	Stop func() bool

	convert *exec.Cmd
	child   *output.Child // nil until it has been started
	in      *os.File      // the pipe
	hier    *output.Scratch
	says    bytes.Buffer
	err     error // of starting, or of the pipe
	stuck   error // the reason for killing vcd2fst
}

// undated is the header line in place of the run's time, which vcd2fst would add. So the same run
// gives the same file.
const undated = "$date none $end\n"

// patience is how long vcd2fst may read nothing, or not end, after Stop reports true.
var patience = 10 * time.Second

const pause = 100 * time.Millisecond // between calls of Stop

// NewFST makes the writer of the named file. It fails if vcd2fst is missing.
func NewFST(name string) (*FST, error) {
	f := &FST{convert: exec.Command("vcd2fst", "--vcdname=-", "--fstname="+name)}
	if f.convert.Err != nil {
		return nil, fmt.Errorf("FST is made by vcd2fst, which is not installed (Debian package gtkwave): %w",
			f.convert.Err)
	}
	f.convert.Stdout, f.convert.Stderr = &f.says, &f.says
	f.hier = output.Hold(name + ".hier") // vcd2fst keeps names there until it ends
	return f, nil
}

// start starts vcd2fst.
func (f *FST) start() error {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	f.convert.Stdin = theirs
	f.child, err = output.Start(f.convert)
	if err = errors.Join(err, theirs.Close()); err != nil {
		return errors.Join(err, ours.Close())
	}
	f.in = ours
	return f.write([]byte(undated))
}

// Write passes part of a dump to vcd2fst.
func (f *FST) Write(p []byte) (int, error) {
	if f.child == nil && f.err == nil {
		f.err = f.start()
	}
	if f.err == nil {
		f.err = f.write(p)
	}
	if f.err != nil {
		return 0, f.err
	}
	return len(p), nil
}

// write writes to the pipe while vcd2fst reads it.
func (f *FST) write(p []byte) error {
	for took := time.Now(); ; {
		_ = f.in.SetWriteDeadline(time.Now().Add(pause)) // without deadlines Write waits
		n, err := f.in.Write(p)
		if p = p[n:]; !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		switch {
		case n > 0 || f.Stop == nil || !f.Stop():
			took = time.Now()
		case time.Since(took) > patience:
			f.child.Kill()
			f.stuck = fmt.Errorf("reads nothing for %v and was ended", patience)
			return f.stuck
		}
	}
}

// wait waits for the end of vcd2fst, after all of its input.
func (f *FST) wait() error {
	look := time.NewTicker(pause)
	defer look.Stop()
	for asked := time.Now(); ; {
		select {
		case <-f.child.Ended():
			return f.child.Wait()
		case <-look.C:
		}
		switch {
		case f.stuck != nil || f.Stop == nil || !f.Stop():
			asked = time.Now()
		case time.Since(asked) > patience:
			f.child.Kill()
			f.stuck = fmt.Errorf("does not end after %v and was ended", patience)
		}
	}
}

// Close ends the file. The error has the output of vcd2fst if it fails. Close of a nil FST, as of a
// VCD dump, does nothing.
func (f *FST) Close() error {
	if f == nil {
		return nil
	}
	defer f.hier.Remove()
	if f.child == nil {
		return f.err
	}
	err := errors.Join(f.err, f.in.Close())
	failed := f.wait()
	switch {
	case f.stuck != nil:
		err = f.stuck
	case failed != nil && strings.Contains(failed.Error(), "bus error"): // it maps its file
		err = fmt.Errorf("%w, as on a full disk", failed)
	case failed != nil:
		err = fmt.Errorf("%w: %s", failed, strings.TrimSpace(f.says.String()))
	}
	if err != nil {
		return fmt.Errorf("vcd2fst: %w", err)
	}
	return nil
}
