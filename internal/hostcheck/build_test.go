package hostcheck

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"divergo/kernels/cudac"
	"divergo/ptx"
)

// levels of optimisation at which a batch is compiled for the device.
var levels = []string{"-O0", "-O1", "-O2", "-O3"}

// hostOptions compile for the host. Behaviour that is defined on the device is defined there too,
// and no optimiser runs.
var hostOptions = []string{"-x", "c++", "-std=c++20", "-O0", "-fwrapv", "-fno-rtti", "-ffp-contract=off", "-w"}

// workplace is a folder with the source of a batch.
type workplace struct {
	dir  string
	file string
}

func newWorkplace(text string) (*workplace, error) {
	dir, err := os.MkdirTemp("", "hostcheck")
	if err != nil {
		return nil, err
	}
	w := &workplace{dir, filepath.Join(dir, "batch.cu")}
	if err := os.WriteFile(w.file, []byte(text), 0o600); err != nil {
		w.remove()
		return nil, err
	}
	return w, nil
}

func (w *workplace) remove() { os.RemoveAll(w.dir) }

// module compiles the batch for the device.
func (w *workplace) module(level string) (*ptx.Module, error) {
	text, err := cudac.CompileLevel(w.file, level)
	if err != nil {
		return nil, err
	}
	return ptx.Parse("batch"+level+".ptx", text)
}

// host compiles the batch for the host, with more options, and runs it.
func (w *workplace) host(more ...string) ([]byte, error) {
	program := filepath.Join(w.dir, "batch")
	args := append(append(append([]string{}, hostOptions...), more...), w.file, "-lm", "-o", program)
	if out, err := exec.Command(cudac.Compiler, args...).CombinedOutput(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, fmt.Errorf("%s is not installed (Debian package %s): %w", cudac.Compiler, cudac.Compiler, err)
		}
		return nil, fmt.Errorf("compile for the host: %w\n%s", err, out)
	}
	var messages bytes.Buffer
	run := exec.Command(program)
	run.Stderr = &messages
	out, err := run.Output()
	if err != nil {
		return nil, fmt.Errorf("the program on the host: %w\n%s", err, messages.Bytes())
	}
	return out, nil
}

// split divides the output of the host among the programs of a batch. A program that did not end
// has no output.
func split(batch []*Program, out []byte) ([][]uint64, error) {
	var all []uint64
	for i := 0; i+8 <= len(out); i += 8 {
		all = append(all, binary.LittleEndian.Uint64(out[i:]))
	}
	var list [][]uint64
	for _, p := range batch {
		n := 1 + p.Threads()*words
		if n > len(all) {
			return nil, fmt.Errorf("the program on the host wrote %d bytes, too few", len(out))
		}
		want := all[1:n]
		if all[0] == 0 {
			want = nil
		}
		list, all = append(list, want), all[n:]
	}
	return list, nil
}
