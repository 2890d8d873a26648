package verilog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"unsafe"

	"divergo/internal/output"
)

// process is a unit that runs as a child. Requests and answers have descriptors of their own, so that
// what the unit prints cannot be taken for an answer. File shim.cc has the other side.
type process struct {
	child    *output.Child
	to, from *os.File
	dead     error
	buffer   [8]byte
}

// startProcess starts the program of an isolated unit.
func startProcess(file string) (bench, error) {
	theirs, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, answers, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := exec.Command(file)
	c.Stdout, c.Stderr, c.ExtraFiles = os.Stderr, os.Stderr, []*os.File{theirs, answers}
	child, err := output.Start(c)
	theirs.Close()
	answers.Close()
	if err != nil {
		return nil, fmt.Errorf("the Verilog unit does not start: %w", err)
	}
	p := &process{child: child, to: to, from: from}
	runtime.AddCleanup(p, func(to *os.File) { to.Close() }, to) // the child ends when its requests end
	return p, nil
}

// ask sends a request and reads the first byte of its answer.
func (p *process) ask(request ...[]byte) error {
	if p.dead != nil {
		return p.dead
	}
	for _, b := range request {
		if _, err := p.to.Write(b); err != nil {
			return p.died()
		}
	}
	if err := p.read(p.buffer[:1]); err != nil {
		return err
	}
	if p.buffer[0] == 0 {
		return nil
	}
	text, err := p.bytes(nil)
	if err != nil {
		return err
	}
	return errors.New(string(text))
}

// read reads a part of an answer.
func (p *process) read(b []byte) error {
	if _, err := io.ReadFull(p.from, b); err != nil {
		return p.died()
	}
	return nil
}

// bytes appends a part of an answer that begins with its length.
func (p *process) bytes(b []byte) ([]byte, error) {
	if err := p.read(p.buffer[:]); err != nil {
		return b, err
	}
	at, n := len(b), int(binary.LittleEndian.Uint64(p.buffer[:]))
	b = append(b, make([]byte, n)...)
	return b, p.read(b[at:])
}

// died waits for the end of the child and describes it.
func (p *process) died() error {
	p.to.Close()
	p.from.Close()
	how := "exit status 0"
	if err := p.child.Wait(); err != nil {
		how = err.Error()
	}
	p.dead = fmt.Errorf("the process of the Verilog unit has ended: %s", how)
	return p.dead
}

func (p *process) clock(in *Inputs, out *Outputs) error {
	if err := p.ask([]byte{'c'}, raw(in)); err != nil {
		return err
	}
	return p.read(raw(out))
}

func (p *process) debug(warp int, to *[maxEntries]Entry) (int, error) {
	request := binary.LittleEndian.AppendUint64([]byte{'d'}, uint64(warp))
	if err := p.ask(binary.LittleEndian.AppendUint64(request, maxEntries)); err != nil {
		return 0, err
	}
	b, err := p.bytes(nil)
	return copy(raw(to), b) / int(unsafe.Sizeof(to[0])), err
}

func (p *process) save(b []byte) ([]byte, error) {
	if err := p.ask([]byte{'s'}); err != nil {
		return b, err
	}
	return p.bytes(b)
}

func (p *process) load(b []byte) error {
	return p.ask(binary.LittleEndian.AppendUint64([]byte{'l'}, uint64(len(b))), b)
}

func (p *process) sample(b []byte) error {
	if err := p.ask([]byte{'v'}); err != nil {
		return err
	}
	values, err := p.bytes(nil)
	copy(b, values)
	return err
}

func (p *process) signals() (string, error) {
	if err := p.ask([]byte{'i'}); err != nil {
		return "", err
	}
	b, err := p.bytes(nil)
	return string(b), err
}

// raw views a value without pointers as its bytes.
func raw[T any](p *T) []byte {
	// A T at p has exactly so many bytes, and lives as long as the slice.
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}
