package launches

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/input"
	"divergo/internal/nearest"
	"divergo/internal/printable"
	"divergo/isa"
	"divergo/ptx"
	"divergo/testbench"
)

// Plan holds launches with their programs and their data, ready for any number of sessions.
type Plan struct {
	Steps   []Step
	Buffers []Memory // shared buffers, then those of single arguments
}

// Memory is a buffer with its initial contents.
type Memory struct {
	Name string // name in messages
	testbench.Arg
}

// Step is a launch.
type Step struct {
	Prog        *isa.Program
	Grid, Block [3]uint32
	Shared      uint32
	Args        []testbench.Arg
	buffers     []int // of each argument, -1 for a value
	textures    []texture
	writes      []write
}

// write is what the host writes to a buffer before a launch.
type write struct {
	buffer int
	offset uint64
	data   []byte
}

// write returns the write that a text describes, to one of the named buffers.
func (p *Plan) write(text string, number map[string]int) (w write, err error) {
	place, data, _ := strings.Cut(text, ":")
	name, offset, _ := strings.Cut(place, "+")
	at, found := number[name]
	w.buffer = at
	if w.offset, err = strconv.ParseUint(offset, 10, 64); err == nil {
		w.data, err = hex.DecodeString(data)
	}
	if err != nil || !found {
		return w, fmt.Errorf("write %q: want NAME+OFFSET:BYTES, the name of a buffer and bytes in hexadecimal", text)
	}
	if size := p.Buffers[at].Bytes; w.offset > size || uint64(len(w.data)) > size-w.offset {
		return w, fmt.Errorf("write %q: buffer %s has %d bytes", text, name, size)
	}
	return w, nil
}

// texture is a texture that the plan describes to the program before the launch.
type texture struct {
	*testbench.Texture
	texels, handle int // buffers; handle is -1 for the description of a reference
	reference      uint64
	initial        []byte // of the reference
}

// One returns the plan of a single launch with the buffers of its arguments.
func One(l testbench.Launch, args []testbench.Arg) (*Plan, error) {
	p := &Plan{}
	return p, p.add(l, args, nil)
}

// add adds a launch. Named holds the buffer of each argument, -1 for a new one.
func (p *Plan) add(l testbench.Launch, args []testbench.Arg, named []int) error {
	s := Step{Prog: l.Prog, Grid: l.Grid, Block: l.Block, Shared: l.Shared}
	var buffers []int
	for i := range args {
		if t := args[i].Texture; t == nil || t.Reference == "" {
			s.Args = append(s.Args, args[i])
			if named != nil {
				buffers = append(buffers, named[i])
			}
		}
	}
	if err := testbench.CheckArgs(l.Prog, s.Args); err != nil {
		return err
	}
	for i := range s.Args {
		at := -1
		switch {
		case named != nil && buffers[i] >= 0:
			at = buffers[i]
		case s.Args[i].Buffer:
			at = p.memory(l.Prog.Params[i].Name, s.Args[i])
		}
		if t := s.Args[i].Texture; t != nil {
			s.textures = append(s.textures, texture{Texture: t, texels: at, handle: len(p.Buffers)})
			at = p.memory("handle of "+l.Prog.Params[i].Name,
				testbench.Arg{Buffer: true, Type: isa.B8, Bytes: testbench.TextureBytes})
		}
		s.buffers = append(s.buffers, at)
	}
	for i := range args {
		if t := args[i].Texture; t != nil && t.Reference != "" {
			at := -1
			if named != nil {
				at = named[i]
			}
			if at < 0 {
				at = p.memory(t.Reference, args[i])
			}
			if err := s.bind(t, at); err != nil {
				return err
			}
		}
	}
	p.Steps = append(p.Steps, s)
	return testbench.CheckReferences(l.Prog, p.bound(l.Prog.Module))
}

// memory adds a buffer.
func (p *Plan) memory(name string, a testbench.Arg) int {
	p.Buffers = append(p.Buffers, Memory{name, a})
	return len(p.Buffers) - 1
}

// bind binds a buffer of texels to a reference.
func (s *Step) bind(t *testbench.Texture, texels int) error {
	var names []string
	for _, r := range s.Prog.References {
		if r.Name == t.Reference {
			at := slices.IndexFunc(s.Prog.Globals, func(g isa.Global) bool { return g.Addr == r.Addr })
			s.textures = append(s.textures,
				texture{Texture: t, texels: texels, handle: -1, reference: r.Addr, initial: s.Prog.Globals[at].Init})
			return nil
		}
		names = append(names, r.Name)
	}
	if names == nil {
		return fmt.Errorf("%s: %s reads no texture and no surface through a reference", t.Reference, s.Prog.Name)
	}
	return nearest.Unknown(".texref or .surfref", t.Reference, names)
}

// bound returns a function that reports whether a reference of a module is bound by the launches up
// to the last.
func (p *Plan) bound(module any) func(string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(p.Steps, func(s Step) bool {
			return s.Prog.Module == module &&
				slices.ContainsFunc(s.textures, func(t texture) bool { return t.Reference == name })
		})
	}
}

// Textures reports whether a launch reads textures or surfaces that the plan describes.
func (p *Plan) Textures() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.textures != nil })
}

// Load reads the PTX and the data of a launch file. The error lists everything that is wrong with
// them.
func (f *File) Load() (*Plan, error) {
	p, wrong := &Plan{}, faults{f: f}
	left := uint64(testbench.MaxBuffers)
	parse := func(spec string, seed uint64, at int) testbench.Arg {
		path := spec
		if file := testbench.ArgFile(spec); file != "" {
			path = strings.TrimSuffix(spec, file) + f.path(file)
		}
		arg, err := testbench.ParseArgWithin(path, seed, left)
		if err != nil {
			wrong.errorf(at, "%s", err)
		}
		if arg.Buffer {
			left -= arg.Bytes
		}
		arg.Spec = spec
		return arg
	}
	var names []string
	number := map[string]int{} // index of a buffer, by name
	for i := range f.Buffers {
		b := &f.Buffers[i]
		seed := f.Seed + uint64(i)
		if b.Seed != nil {
			seed = *b.Seed
		}
		names, number[b.Name] = append(names, b.Name), i
		p.Buffers = append(p.Buffers, Memory{b.Name, parse(b.Init, seed, b.at)})
	}
	programs := programs{f: f, modules: map[string]*module{}}
	drawn := uint64(len(f.Buffers)) // arguments so far: each has a seed of its own
	for i := range f.Launches {
		if wrong.full() {
			return nil, wrong.err()
		}
		l := &f.Launches[i]
		var args []testbench.Arg
		var named []int
		for j, spec := range l.Args {
			if wrong.full() {
				break
			}
			t, buffer, err := testbench.SplitTexture(spec)
			at, found := number[buffer]
			if !found {
				at = -1
			}
			switch {
			case err != nil:
				wrong.errorf(l.argAt[j], "%s", err)
				args = append(args, testbench.Arg{})
			case found:
				args = append(args, p.Buffers[at].Arg)
				args[j].Spec = "buffer " + spec
				if t == nil {
					break
				}
				args[j].Spec = spec
				if err := t.Fit(&args[j]); err != nil {
					wrong.errorf(l.argAt[j], "%s", err)
				}
			case !strings.Contains(buffer, ":") && len(names) > 0:
				wrong.errorf(l.argAt[j], "%s", nearest.Unknown("buffer", buffer, names))
				args = append(args, testbench.Arg{})
			default:
				args = append(args, parse(spec, f.Seed+drawn, l.argAt[j]))
			}
			named = append(named, at)
			drawn++
		}
		prog, err := programs.program(i)
		if err != nil {
			wrong.errs = append(wrong.errs, err)
		}
		if len(wrong.errs) > 0 {
			continue
		}
		var writes []write
		for j, text := range l.Writes {
			w, err := p.write(text, number)
			if err != nil {
				wrong.errorf(l.writeAt[j], "%s", err)
			}
			writes = append(writes, w)
		}
		if err := p.add(testbench.Launch{Prog: prog, Grid: l.Grid, Block: l.Block, Shared: l.Shared}, args,
			named); err != nil {
			wrong.errorf(l.argsAt, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
			continue
		}
		p.Steps[i].writes = writes
	}
	if err := wrong.err(); err != nil {
		return nil, err
	}
	return p, nil
}

// programs caches lowered kernels.
type programs struct {
	f       *File
	modules map[string]*module // by file
}

type module struct {
	text    *ptx.Module
	err     error // reported once
	kernels map[string]*isa.Program
}

// program returns the kernel of a launch, the same object each time. For a module with errors it
// returns nil from the second time on.
func (list *programs) program(i int) (*isa.Program, error) {
	l, name := &list.f.Launches[i], list.f.module(i)
	m := list.modules[name]
	if m == nil {
		m = &module{kernels: map[string]*isa.Program{}}
		list.modules[name] = m
		text, err := input.Read(list.f.path(name), ptx.MaxSource)
		if err != nil {
			m.err = list.f.errorf(l.at, "%s", err)
		} else {
			m.text, m.err = ptx.Parse(printable.Name(filepath.ToSlash(list.f.path(name))), text)
		}
		if m.err != nil {
			return nil, m.err
		}
	}
	if m.err != nil {
		return nil, nil
	}
	if p := m.kernels[l.Kernel]; p != nil {
		return p, nil
	}
	p, err := testbench.Program(m.text, l.Kernel)
	if err != nil {
		return nil, list.f.errorf(l.kernelAt, "%s", err)
	}
	for _, same := range m.kernels { // by another name
		if same.Name == p.Name {
			p = same
		}
	}
	m.kernels[l.Kernel] = p
	return p, nil
}

// Placed is a plan with its data in the device memory of a session.
type Placed struct {
	Addrs    []uint64 // of the buffers of the plan
	Launches []testbench.Launch
	plan     *Plan
}

// Bind writes what the host writes before a launch, and describes the textures of the launch to its
// program.
func (p *Placed) Bind(d Device, number int) error {
	s := &p.plan.Steps[number]
	for _, w := range s.writes {
		d.Write(p.Addrs[w.buffer]+w.offset, w.data)
	}
	for i := range s.textures {
		t := &s.textures[i]
		at := t.reference
		if t.handle >= 0 {
			at = p.Addrs[t.handle]
		} else if err := d.PlaceModule(s.Prog); err != nil {
			return err
		}
		d.Write(at, t.Describe(p.Addrs[t.texels], t.initial))
	}
	return nil
}

// Device is memory in which a plan can be placed: a session, or a substitute. The next launch
// returns a failure.
type Device interface {
	Alloc(bytes int) uint64
	Write(addr uint64, data []byte)
	PlaceModule(p *isa.Program) error
}

// Place puts the data of a plan into fresh device memory, buffers in order.
func (p *Plan) Place(d Device) *Placed {
	placed := &Placed{plan: p}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		addr := d.Alloc(int(b.Bytes))
		d.Write(addr, b.Data)
		placed.Addrs = append(placed.Addrs, addr)
	}
	for i := range p.Steps {
		step := &p.Steps[i]
		bank := make([]byte, step.Prog.ParamBytes)
		for j, at := range step.buffers {
			param, data := &step.Prog.Params[j], step.Args[j].Data
			if at >= 0 {
				data = testbench.Address(placed.Addrs[at])[:param.Size]
			}
			copy(bank[param.Offset:], data)
		}
		placed.Launches = append(placed.Launches,
			testbench.Launch{Prog: step.Prog, Grid: step.Grid, Block: step.Block, Shared: step.Shared, Params: bank})
	}
	return placed
}

// Run places a plan and launches its grids one after the other, until one fails. The function
// launch runs a grid; numbers count from 0.
func (p *Plan) Run(s *testbench.Session, launch func(number int, l testbench.Launch) error) (*Placed, error) {
	placed := p.Place(s)
	if err := s.Err(); err != nil {
		return nil, err
	}
	for i, l := range placed.Launches {
		if err := placed.Bind(s, i); err != nil {
			return placed, err
		}
		if err := launch(i, l); err != nil {
			return placed, err
		}
	}
	return placed, nil
}
