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

// FST turns a dump into GTKWave's own format as the run goes on, by GTKWave's program vcd2fst at the other end of a
// pipe. It is the writer of [Attach], and is closed behind the dump. Nothing is started before something is written.
type FST struct {
	// Stop, if it is set, says that the user wants an end. A vcd2fst that then takes nothing for a while, or does not
	// end, is ended.
	Stop func() bool

	convert *exec.Cmd
	child   *output.Child // nil until it has been started
	in      *os.File      // the pipe
	hier    *output.Scratch
	says    bytes.Buffer
	err     error // of starting, or of the pipe
	stuck   error // that it was ended
}

// undated is what stands in the header where vcd2fst would put the time of the run, so that the same run has the same file.
const undated = "$date none $end\n"

// patience is how long vcd2fst may take nothing, or not end, when the user wants an end.
var patience = 10 * time.Second

const pause = 100 * time.Millisecond // between looks at Stop

// NewFST is what writes the named file. The error is that vcd2fst is missing.
func NewFST(name string) (*FST, error) {
	f := &FST{convert: exec.Command("vcd2fst", "--vcdname=-", "--fstname="+name)}
	if f.convert.Err != nil {
		return nil, fmt.Errorf("FST is made by vcd2fst, which is not installed (Debian package gtkwave): %w", f.convert.Err)
	}
	f.convert.Stdout, f.convert.Stderr = &f.says, &f.says
	f.hier = output.Hold(name + ".hier") // where it keeps names until it ends
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

// Write takes part of a dump.
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

// write writes to the pipe for as long as vcd2fst reads it.
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

// wait waits for the end of vcd2fst, which has all of its input.
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

// Close ends the file. The error has what vcd2fst says if it fails. That of nil, of a dump which is VCD, does nothing.
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
