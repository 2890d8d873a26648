package cuda

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"
	"syscall"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
	"divergo/sm"
	"divergo/testbench"
)

// Server answers the requests of one program.
type Server struct {
	Session *testbench.Session
	Launch  func(*testbench.Session, testbench.Launch) error // runs a grid
	Stderr  io.Writer                                        // receives the faults of requests
	Name    string                                           // name of the machine

	Copies []Copy // all copies from the device to the host
	Failed error  // Launch's error of the first launch that did not finish

	window    []byte // memory shared with the program
	buffer    []byte // holds the bytes of a request or an answer
	modules   map[uint64]*module
	functions []*isa.Program
	target    int // highest target of the modules, such as 60 for sm_60
	sticky    uint32
}

// Copy is one copy from the device to the host.
type Copy struct {
	Launches int // number of launches before the copy
	Bytes    uint64
	Hash     uint64 // equal for equal bytes, within this process
}

// module is a PTX module of the program. If it did not parse, err is set.
type module struct {
	ptx  *ptx.Module
	err  error
	any  *isa.Program // any kernel of the module; it lists the variables
	seen map[string]uint64
}

// refusal is the error of a request that cannot be fulfilled, with CUDA's code.
type refusal struct {
	code uint32
	why  error
}

func (r *refusal) Error() string { return r.why.Error() }

func refuse(code uint32, format string, args ...any) error {
	return &refusal{code, fmt.Errorf(format, args...)}
}

// serve answers requests until the program ends.
func (s *Server) serve(conn io.ReadWriter) error {
	s.modules = make(map[uint64]*module)
	from := bufio.NewReaderSize(conn, 64<<10)
	head := make([]byte, binary.Size(request{}))
	most := s.Session.Memory().Total() + 1<<20 // limit of a request, in bytes
	for {
		if first, err := from.Peek(4); err == nil && binary.LittleEndian.Uint32(first) != magic {
			return fmt.Errorf("connection to the program: found %q, want a request: something else has written to its descriptor %d", first, descriptor)
		}
		if _, err := io.ReadFull(from, head); err != nil {
			if ended(err) {
				return nil
			}
			return fmt.Errorf("connection to the program: %w", err)
		}
		var r request
		if _, err := binary.Decode(head, binary.LittleEndian, &r); err != nil {
			return err
		}
		if r.Bytes > most {
			return fmt.Errorf("connection to the program: found a request with %d bytes, want at most %d",
				r.Bytes, most)
		}
		in := s.room(r.Bytes)
		if _, err := io.ReadFull(from, in); err != nil {
			return fmt.Errorf("connection to the program: %w", err)
		}
		var a answer
		out, err := s.answer(&r, in, &a)
		a.Error = s.code(err)
		if err := s.send(conn, a, out); err != nil {
			return nil // the program ended while it waited
		}
		if r.Window != 0 && a.Error == success {
			if err := s.move(&r, from, conn); err != nil {
				return fmt.Errorf("connection to the program: %w", err)
			}
		}
		if s.stopped() {
			return nil
		}
	}
}

// ended reports whether an error means that the program ended, perhaps with an unread answer.
func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) }

// seed is common to all hashes of copies, so that they can be compared.
var seed = maphash.MakeSeed()

// room returns n bytes of the buffer. They are valid until the next request.
func (s *Server) room(n uint64) []byte {
	if uint64(cap(s.buffer)) < n {
		s.buffer = make([]byte, n)
	}
	return s.buffer[:n]
}

// stopped reports whether the user ended a launch.
func (s *Server) stopped() bool {
	var o *testbench.Outcome
	return errors.As(s.Failed, &o) && o.End == gpu.Stopped
}

func (s *Server) send(conn io.Writer, a answer, out []byte) error {
	a.Magic, a.Bytes = magic, uint64(len(out))
	a.Sticky = 0
	if s.sticky != 0 {
		a.Error, a.Sticky = s.sticky, 1
	}
	head, err := binary.Append(nil, binary.LittleEndian, &a)
	if err != nil {
		return err
	}
	if len(out) <= 4096 {
		_, err = conn.Write(append(head, out...))
		return err
	}
	// Two writes avoid a copy.
	if _, err = conn.Write(head); err == nil {
		_, err = conn.Write(out)
	}
	return err
}

// move copies through the window, half by half. Meanwhile the program uses the other half. The
// caller has checked the addresses with reach.
func (s *Server) move(r *request, from io.ByteReader, conn io.Writer) error {
	var hash maphash.Hash
	hash.SetSeed(seed)
	say := []byte{0}
	turns := 0
	for at := uint64(0); at < r.B; at += half {
		part := s.window[turns%2*half:][:min(half, r.B-at)]
		if r.Op == opWrite || turns >= 2 {
			if _, err := from.ReadByte(); err != nil {
				return err
			}
		}
		if r.Op == opWrite {
			s.Session.Write(r.A+at, part)
		} else {
			s.Session.Read(r.A+at, part)
			maphash.WriteComparable(&hash, maphash.Bytes(seed, part))
		}
		if _, err := conn.Write(say); err != nil {
			return err
		}
		turns++
	}
	if r.Op == opWrite {
		return s.Session.Err()
	}
	s.Copies = append(s.Copies, Copy{len(s.Session.Runs), r.B, hash.Sum64()})
	for range min(turns, 2) {
		if _, err := from.ReadByte(); err != nil {
			return err
		}
	}
	return nil
}

// code returns CUDA's code of an error, and reports the error to the user.
func (s *Server) code(err error) uint32 {
	if err == nil {
		return success
	}
	fmt.Fprintf(s.Stderr, "cuda: %s\n", err)
	var r *refusal
	if errors.As(err, &r) {
		return r.code
	}
	s.sticky = launchFailure
	var o *testbench.Outcome
	if errors.As(err, &o) {
		s.sticky = outcomeCode(o)
	}
	return s.sticky
}

// outcomeCode returns CUDA's code of a launch that did not finish.
func outcomeCode(o *testbench.Outcome) uint32 {
	if o.Fault == nil {
		return launchTimeout
	}
	switch o.Fault.Kind {
	case sm.OutOfBounds.String(), sm.ReadOnly.String():
		return illegalAddress
	case sm.Misaligned.String():
		return misalignedAddress
	case sm.NoFunction.String():
		return invalidPC
	case testbench.AssertionFailed:
		return assertFailed
	}
	return launchFailure
}

func (s *Server) answer(r *request, in []byte, a *answer) ([]byte, error) {
	memory := s.Session.Memory()
	if r.Window != 0 && r.Op != opWrite && r.Op != opRead {
		return nil, refuse(invalidValue, "request %d does not use the window", r.Op)
	}
	switch r.Op {
	case opHello:
		return s.machine()
	case opModule:
		return nil, s.load(r.A, in, r.B != 0)
	case opFunction:
		return s.function(r.A, string(in))
	case opVariable:
		return nil, s.variable(r.A, string(in), a)
	case opAlloc:
		if r.A == 0 {
			return nil, nil
		}
		addr, err := s.Session.TryAlloc(r.A)
		if err != nil {
			return nil, &refusal{memoryAllocation, err}
		}
		a.A = addr
		return nil, nil
	case opFree:
		if err := s.Session.Free(r.A); err != nil {
			return nil, &refusal{invalidValue, err}
		}
		return nil, nil
	case opWrite:
		if err := s.reach("copy to the device", r.A, r.B); err != nil || r.Window != 0 {
			return nil, err
		}
		if uint64(len(in)) != r.B {
			return nil, refuse(invalidValue, "copy to the device: found %d bytes, want %d", len(in), r.B)
		}
		s.Session.Write(r.A, in)
		return nil, s.Session.Err()
	case opRead:
		if err := s.reach("copy to the host", r.A, r.B); err != nil || r.Window != 0 {
			return nil, err
		}
		out := s.room(r.B)
		s.Session.Read(r.A, out)
		s.Copies = append(s.Copies, Copy{len(s.Session.Runs), r.B, maphash.Bytes(seed, out)})
		return out, s.Session.Err()
	case opCopy:
		if err := errors.Join(s.reach("copy on the device", r.A, r.C),
			s.reach("copy on the device", r.B, r.C)); err != nil {
			return nil, err
		}
		data := s.room(r.C)
		s.Session.Read(r.B, data)
		s.Session.Write(r.A, data)
		return nil, s.Session.Err()
	case opSet:
		if err := s.reach("memset", r.A, r.C); err != nil {
			return nil, err
		}
		data := s.room(r.C)
		for i := range data {
			data[i] = byte(r.B)
		}
		s.Session.Write(r.A, data)
		return nil, s.Session.Err()
	case opLaunch:
		return s.launch(r.A, in)
	case opTime:
		cycles := uint64(0)
		for i := range s.Session.Runs {
			cycles += s.Session.Runs[i].Counters.Cycles
		}
		a.A = cycles * 1_000_000 / uint64(s.Session.Machine.Config.Clocks.CoreMHz)
		return nil, nil
	case opLeft:
		a.A, a.B = memory.Left(), memory.Total()
		return nil, nil
	case opOccupancy:
		return nil, s.occupancy(r, a)
	case opPointer:
		span, ok := memory.Find(r.A)
		if !ok {
			return nil, refuse(invalidDevicePointer, "%w", memory.Check(r.A, 1))
		}
		a.A, a.B = span.Start, span.End-span.Start
		return nil, nil
	case opReset:
		return nil, s.reset()
	case opUnload:
		s.unload(r.A)
		return nil, nil
	case opReserve, opUnreserve, opCreate, opRelease, opHolds, opRetain, opMap, opUnmap, opSetAccess, opAccess:
		return nil, s.virtual(r, a)
	}
	return nil, refuse(invalidValue, "request %d is not known: the program was built by another version of divergo",
		r.Op)
}

// reset frees the program's memory and drops its modules. The program sends them again.
func (s *Server) reset() error {
	if err := s.Session.FreeVirtual(); err != nil {
		return err
	}
	for _, r := range slices.Clone(s.Session.Memory().Ranges()) {
		if r.Start >= isa.GlobalBase {
			if err := s.Session.Free(r.Start); err != nil {
				return err
			}
		}
	}
	for number := range s.modules {
		s.unload(number)
	}
	return nil
}

// unload frees the addresses and functions of a module. Function numbers are not reused.
func (s *Server) unload(number uint64) {
	m := s.modules[number]
	delete(s.modules, number)
	if m == nil || m.any == nil {
		return
	}
	s.Session.DropModule(m.any)
	for _, handle := range m.seen {
		s.functions[handle] = nil
	}
}

// base returns the first address for the variables of a new module: the end of all others.
func (s *Server) base() uint64 {
	end := uint64(isa.ModuleBase + 256)
	for _, m := range s.modules {
		if m.ptx != nil {
			end = max(end, m.ptx.End())
		}
	}
	return end
}

// reach checks that the host can access memory.
func (s *Server) reach(what string, addr, bytes uint64) error {
	if err := s.Session.Memory().Check(addr, bytes); err != nil {
		return refuse(invalidValue, "%s: %w", what, err)
	}
	return nil
}

// machine returns the properties of the configuration.
func (s *Server) machine() ([]byte, error) {
	c := &s.Session.Machine.Config
	if s.target == 0 { // the program will select its PTX by the target
		s.target = defaultTarget
	}
	m := machine{
		SMs: uint64(c.GPU.SMs), Warp: uint64(c.SM.WarpSize), Threads: uint64(min(c.SM.Threads, testbench.MaxThreads)),
		Shared: uint64(c.Shared.Size), Registers: uint64(c.SM.Registers), CoreKHz: uint64(c.Clocks.CoreMHz) * 1000,
		Memory: c.GPU.Bytes(), L2: uint64(c.L2.Size * c.DRAM.Channels), DRAMKHz: uint64(c.Clocks.DRAMMHz) * 1000,
		BusBits: uint64(c.DRAM.Channels * c.DRAM.BusBytes * 8), Resident: uint64(c.SM.Threads),
		Blocks: uint64(c.SM.CTAs),
		Major:  uint64(s.target / 10), Minor: uint64(s.target % 10),
	}
	copy(m.Name[:len(m.Name)-1], s.Name)
	return binary.Append(nil, binary.LittleEndian, &m)
}

// load adds a module and gives its variables addresses of their own. A fault of the PTX is reported
// when the module is used, or at once if now is set.
func (s *Server) load(number uint64, text []byte, now bool) error {
	s.unload(number)
	m := &module{seen: make(map[string]uint64)}
	base := s.base()
	s.modules[number] = m
	if m.ptx, m.err = ptx.ParseAt(fmt.Sprintf("module %d", number), text, base); m.err != nil {
		if now {
			return refuse(invalidPTX, "%w", m.err)
		}
		return nil
	}
	for _, name := range m.ptx.Kernels() {
		if p, err := m.ptx.Program(name); err == nil {
			m.any = p
			s.target = max(s.target, p.Target)
			return s.Session.PlaceModule(p)
		}
	}
	return nil
}

// function prepares a kernel for launches and returns its layout.
func (s *Server) function(number uint64, name string) ([]byte, error) {
	m := s.modules[number]
	if m == nil {
		return nil, refuse(invalidFunction, "%s: the program has no module %d", ptx.Demangled(name), number)
	}
	if m.err != nil {
		return nil, refuse(invalidPTX, "%s: %w", ptx.Demangled(name), m.err)
	}
	handle, ok := m.seen[name]
	if !ok {
		p, err := testbench.Program(m.ptx, name)
		switch {
		case err != nil && !slices.Contains(m.ptx.Kernels(), name):
			return nil, refuse(invalidFunction, "%w", err)
		case err != nil:
			return nil, refuse(invalidPTX, "%s: %w", ptx.Demangled(name), err)
		}
		handle = uint64(len(s.functions))
		m.seen[name] = handle
		s.functions = append(s.functions, p)
	}
	p := s.functions[handle]
	threads := uint64(testbench.MaxThreads)
	if p.MaxThreads > 0 {
		threads = uint64(p.MaxThreads)
	}
	out, err := binary.Append(nil, binary.LittleEndian, &layout{
		handle, uint64(p.ParamBytes), uint64(p.SharedBytes), uint64(p.LocalBytes), uint64(p.LiveRegs), threads,
		uint64(len(p.Params)),
	})
	for i := range p.Params {
		out = binary.LittleEndian.AppendUint32(out, p.Params[i].Offset)
		out = binary.LittleEndian.AppendUint32(out, p.Params[i].Size)
	}
	return out, err
}

// variable returns the address and size of a module's variable.
func (s *Server) variable(number uint64, name string, a *answer) error {
	m := s.modules[number]
	switch {
	case m == nil:
		return refuse(invalidSymbol, "%s: the program has no module %d", name, number)
	case m.err != nil:
		return refuse(invalidPTX, "%s: %w", name, m.err)
	case m.any == nil:
		return refuse(invalidSymbol, "%s: no kernel of its file can be run", name)
	}
	for _, g := range m.any.Globals {
		if g.Name == name {
			a.A, a.B = g.Addr, g.Size
			return nil
		}
	}
	return refuse(invalidSymbol, "%s: its file has no such variable of the device", name)
}

func (s *Server) program(handle uint64) (*isa.Program, error) {
	if handle >= uint64(len(s.functions)) || s.functions[handle] == nil {
		return nil, refuse(invalidHandle, "function %d is not known", handle)
	}
	return s.functions[handle], nil
}

// launch runs a grid and returns what it printed.
func (s *Server) launch(handle uint64, in []byte) ([]byte, error) {
	p, err := s.program(handle)
	if err != nil {
		return nil, err
	}
	var head launch
	n, err := binary.Decode(in, binary.LittleEndian, &head)
	if err != nil {
		return nil, refuse(invalidValue, "launch of %s: %w", ptx.Demangled(p.Name), err)
	}
	l := testbench.Launch{
		Prog: p, Grid: head.Grid, Block: head.Block, Shared: uint32(min(head.Shared, 1<<32-1)),
		Params: slices.Clone(in[n:]),
	}
	runs := len(s.Session.Runs)
	err = s.Launch(s.Session, l)
	if err != nil {
		err = fmt.Errorf("launch %d, %s: %w", runs+1, ptx.Demangled(p.Name), err)
	}
	if len(s.Session.Runs) == runs && err != nil {
		return nil, refused(l, err)
	}
	if err != nil {
		s.Failed = err
	}
	printed := &s.Session.Runs[runs].Printed
	if printed.Dropped > 0 {
		fmt.Fprintf(s.Stderr, "cuda: launch %d, %s: %d calls of printf did not fit the buffer of %d bytes\n", runs+1,
			ptx.Demangled(p.Name), printed.Dropped, isa.PrintBytes)
	}
	return []byte(strings.Join(printed.Records, "")), err
}

// refused explains a launch that did not begin. If its blocks are too large for this machine, it
// names the presets on which they fit.
func refused(l testbench.Launch, err error) error {
	var large *sm.TooLarge
	if !errors.As(err, &large) {
		return &refusal{invalidConfiguration, err}
	}
	var room []string
	for _, p := range gpu.Presets() {
		cfg := p.Config()
		if _, err := l.Check(&cfg); err == nil {
			room = append(room, "--preset "+p.Name)
		}
	}
	if len(room) > 0 {
		err = fmt.Errorf("%w; there is room with %s", err, strings.Join(room, " or "))
	}
	if large.What == "registers" {
		return &refusal{outOfResources, err}
	}
	return &refusal{invalidConfiguration, err}
}

// occupancy returns the number of CTAs that fit on an SM.
func (s *Server) occupancy(r *request, a *answer) error {
	p, err := s.program(r.A)
	if err != nil {
		return err
	}
	l := testbench.Launch{
		Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(r.B), 1, 1}, Shared: uint32(r.C),
		Params: make([]byte, p.ParamBytes),
	}
	o, err := l.Check(&s.Session.Machine.Config)
	if err == nil {
		a.A = uint64(o.CTAs)
	}
	return nil // a block that does not fit has 0
}
