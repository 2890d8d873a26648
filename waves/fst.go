package waves

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// FST turns a dump into GTKWave's own format as the run goes on, by GTKWave's program vcd2fst at the other end of a
// pipe. It is the writer of [Attach], and is closed behind the dump. Nothing is started before something is written.
type FST struct {
	convert *exec.Cmd
	in      io.WriteCloser // nil until it has been started
	says    bytes.Buffer
	err     error // of starting, or of the pipe
}

// undated is what stands in the header where vcd2fst would put the time of the run, so that the same run has the same file.
const undated = "$date none $end\n"

// NewFST is what writes the named file. The error is that vcd2fst is missing.
func NewFST(name string) (*FST, error) {
	f := &FST{convert: exec.Command("vcd2fst", "--vcdname=-", "--fstname="+name)}
	if f.convert.Err != nil {
		return nil, fmt.Errorf("FST is made by vcd2fst, which is not installed (Debian package gtkwave): %w", f.convert.Err)
	}
	f.convert.Stdout, f.convert.Stderr = &f.says, &f.says
	apart(f.convert)
	return f, nil
}

// Write takes part of a dump.
func (f *FST) Write(p []byte) (n int, err error) {
	if f.in == nil && f.err == nil {
		f.in, f.err = f.convert.StdinPipe()
		f.err = errors.Join(f.err, f.convert.Start())
		if f.err == nil {
			_, f.err = io.WriteString(f.in, undated)
		}
	}
	if f.err == nil {
		n, f.err = f.in.Write(p)
	}
	return n, f.err
}

// Close ends the file. The error has what vcd2fst says if it fails. That of nil, of a dump which is VCD, does nothing.
func (f *FST) Close() error {
	if f == nil || f.convert.Process == nil {
		return nil
	}
	err := errors.Join(f.err, f.in.Close())
	if failed := f.convert.Wait(); failed != nil {
		err = fmt.Errorf("vcd2fst: %w: %s", failed, strings.TrimSpace(f.says.String()))
	}
	return err
}
