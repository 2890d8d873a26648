// Package launches reads launch files: JSON that lists launches of kernels of a PTX file, one after
// the other, and their data. A counterexample is one.
//
//	{
//	  "schema": "divergo.launch.v1",
//	  "module": "stencil.ptx",
//	  "buffers": [
//	    {"name": "a", "init": "buf:rand:f32:4096", "seed": 7},
//	    {"name": "b", "init": "buf:zero:16384"}
//	  ],
//	  "launches": [
//	    {"kernel": "step", "grid": [16], "block": [256], "args": ["a", "b", "u32:4096"]},
//	    {"kernel": "step", "grid": [16], "block": [256], "args": ["b", "a", "u32:4096"]}
//	  ]
//	}
//
// An argument is the name of a buffer or a specification of testbench.Arg. File names are relative
// to the folder of the launch file.
package launches

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"divergo/internal/input"
	"divergo/internal/printable"
	"divergo/testbench"
)

// schema identifies the format of a launch file. oldSchema is that of earlier counterexamples: the
// grid, block and args of a single launch stand beside the other members.
const (
	schema    = "divergo.launch.v1"
	oldSchema = "divergo.counterexample.v1"
)

// The default files of a launch file.
const (
	ModuleFile  = "kernel.ptx"
	MachineFile = "machine.toml"
)

// File is a launch file.
type File struct {
	Mechanism string   // mechanism of the run; "": any
	Checker   string   // of a counterexample: the failed checker
	Seed      uint64   // of random data
	Machine   string   // file with keys of the machine; "": none
	Module    string   // file with the PTX
	Buffers   []Buffer // shared by the launches
	Launches  []Entry

	name string // of the file
	text []byte
}

// Buffer is named device memory that launches share.
type Buffer struct {
	Name string `json:"name"`
	Init string `json:"init"` // buf:...
	// of its random values; nil: derived from the seed of the file and the number of the buffer
	Seed *uint64 `json:"seed,omitempty"`

	at int // offset in the text
}

// Entry is a launch in a file.
type Entry struct {
	Module string    `json:"module,omitempty"` // file with the PTX; "": that of the file
	Kernel string    `json:"kernel,omitempty"` // "": the only one of the module
	Grid   [3]uint32 `json:"grid"`
	Block  [3]uint32 `json:"block"`
	Shared uint32    `json:"shared,omitempty"` // bytes of dynamic shared memory of a CTA
	Args   []string  `json:"args"`             // names of buffers, or specifications
	// What the host writes to buffers before the launch: NAME+OFFSET:BYTES, in hexadecimal.
	Writes []string `json:"writes,omitempty"`

	at, kernelAt, argsAt int
	argAt, writeAt       []int
}

// MarshalJSON returns the text of a launch file.
func (f *File) MarshalJSON() ([]byte, error) {
	list := slices.Clone(f.Launches)
	for i := range list {
		if list[i].Args == nil {
			list[i].Args = []string{}
		}
	}
	return json.Marshal(struct {
		Schema    string   `json:"schema"`
		Mechanism string   `json:"mechanism,omitempty"`
		Checker   string   `json:"checker,omitempty"`
		Seed      uint64   `json:"seed"`
		Machine   string   `json:"machine,omitempty"`
		Module    string   `json:"module"`
		Buffers   []Buffer `json:"buffers,omitempty"`
		Launches  []Entry  `json:"launches"`
	}{schema, f.Mechanism, f.Checker, f.Seed, f.Machine, f.Module, f.Buffers, list})
}

// maxText limits the bytes of a launch file.
const maxText = 32 << 20

// Read reads a launch file. The error lists everything that is wrong with its text, with line and
// column.
func Read(name string) (*File, error) {
	text, err := input.Read(name, maxText)
	if err != nil {
		return nil, err
	}
	return Parse(name, text)
}

// Parse is Read for a given text.
func Parse(name string, text []byte) (*File, error) {
	f := &File{name: name, text: text}
	return f, f.parse()
}

// path returns the path of a file named in the launch file.
func (f *File) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(f.name), filepath.FromSlash(name))
}

// MachinePath returns the path of the file with keys of the machine, "" if there is none.
func (f *File) MachinePath() string {
	if f.Machine == "" {
		return ""
	}
	return f.path(f.Machine)
}

// Files lists all files that the launch file reads, except the machine's.
func (f *File) Files() (list []string) {
	add := func(name string) {
		if path := f.path(name); !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	for i := range f.Launches {
		add(f.module(i))
		for _, a := range f.Launches[i].Args {
			if file := testbench.ArgFile(a); file != "" {
				add(file)
			}
		}
	}
	for i := range f.Buffers {
		if file := testbench.ArgFile(f.Buffers[i].Init); file != "" {
			add(file)
		}
	}
	return list
}

// module returns the file with the PTX of a launch.
func (f *File) module(i int) string {
	if m := f.Launches[i].Module; m != "" {
		return m
	}
	return f.Module
}

// shown returns the name of the file for messages.
func (f *File) shown() string { return printable.Name(f.name) }
