package ptx

import (
	"cmp"
	"slices"

	"divergo/isa"
)

// lowering turns one kernel into a program.
type lowering struct {
	*reporter
	m           *Module
	prog        *isa.Program
	scope       *scope
	loc         isa.Loc
	branches    []branch
	around      uint32                 // destination of the last guarded brx.idx's jump around it
	offsets     map[*variable]uint64   // in shared, local and parameter memory
	temporaries map[string]isa.Operand // registers for inserted instructions, by name
	dynamic     []patch                // uses of the dynamic part of shared memory
	wide        bool                   // an address has 64 bits
	passed      int                    // 1 plus the register through which predicates are passed, or 0
	chosen      int                    // 1 plus the predicate with which brx chooses, or 0
	flag        int                    // 1 plus the predicate that is the carry flag, or 0

	// Functions; see call.go.
	top         *scope    // of the module
	callees     []*callee // functions that the kernel needs
	found       map[*function]*callee
	addressed   map[string]*callee  // functions called by address, by the types that they pass
	callPCs     []int               // of calls, ascending
	fn          *callee             // the function being lowered, nil for the kernel
	frame       uint64              // size of its frame
	results     []result            // its results in registers
	returns     []int               // PCs of its returns
	spots       map[*variable]*spot // places in local memory
	argumentOf  map[*variable]int   // PC of the call
	uses        []use               // of local memory, in fn
	bound       []*variable         // arguments of the call being lowered
	callTargets []callTarget
	runtime     map[*function]*callee // functions of CUDA's run time
	printing    *printRegisters
	traced      []traced            // registers that hold formats
	formats     map[uint64]bool     // addresses of those in use
	named       map[*variable][]int // by .param variable of a block: PCs of the instructions that name it
	written     map[uint16][]int    // by register: PCs of the instructions before scanned that write it
	scanned     int
	ascending   []isa.Global // the variables of the module by address, after first use
	outgoing    []uint32     // PCs of instructions that address the frame of a callee

	fetching *scope // registers of the template of textures, after first use
	textured bool   // tex and tld4 stay one instruction
	samples  bool   // there are such instructions
}

// branch is a bra whose label is not resolved yet.
type branch struct {
	pc    int
	label word
	scope *scope
}

// patch is an immediate to which the start of dynamic shared memory must be added.
type patch struct{ pc, src int }

// Kernels lists the kernels of the module in file order.
func (m *Module) Kernels() []string {
	names := make([]string, len(m.kernels))
	for i, k := range m.kernels {
		names[i] = k.name
	}
	return names
}

// Program lowers and analyses one kernel. The empty name stands for the only kernel of the module.
// An error is a List.
func (m *Module) Program(name string) (*isa.Program, error) {
	k, err := m.kernel(name)
	if err != nil {
		return nil, err
	}
	p, samples, err := m.lower(k, false)
	if err != nil {
		return nil, err
	}
	if samples {
		if p.Textured, _, err = m.lower(k, true); err != nil {
			return nil, err
		}
		if err := isa.Analyze(p.Textured); err != nil {
			return nil, m.tooLarge(k, err)
		}
	}
	if err := isa.Analyze(p); err != nil {
		return nil, m.tooLarge(k, err)
	}
	return p, nil
}

// lower makes the program of a kernel, and reports whether it has texture or surface instructions. They
// become loads and arithmetic, or stay as they are if textured.
func (m *Module) lower(k *kernel, textured bool) (_ *isa.Program, samples bool, _ error) {
	l := &lowering{
		reporter: &reporter{file: m.file, src: m.src},
		m:        m,
		prog: &isa.Program{
			Name: k.name, File: m.file, Module: m, Target: m.target, MaxThreads: k.maxThreads,
			ReqThreads: k.reqThreads,
		},
		scope:       newScope(m.variables),
		offsets:     map[*variable]uint64{},
		temporaries: map[string]isa.Operand{},
		spots:       map[*variable]*spot{}, argumentOf: map[*variable]int{},
		runtime: map[*function]*callee{}, formats: map[uint64]bool{}, named: map[*variable][]int{},
		written: map[uint16][]int{}, textured: textured,
	}
	l.module()
	l.top = l.scope
	l.callgraph(k)
	if n := l.instructions(k); l.fits(n, k.pos) {
		l.prog.Insts = make([]isa.Inst, 0, n+n/16)
	} else {
		return nil, false, l.err()
	}
	l.place()
	l.params(k)
	if k.clusters.text != "" {
		l.errorf(k.clusters.pos, CodeUnsupported, ".%s is not supported: clusters", k.clusters.text)
	}
	for _, s := range k.pragmas {
		l.pragma(s)
	}
	l.block(k.body)
	l.end(k)
	l.scope = l.top
	l.functions()
	l.finish()
	// One is for SaveRegisters and one for WithBarriers.
	if n := len(l.prog.Regs) + len(l.prog.Preds) + 2; n > isa.MaxRegisters {
		l.errorf(k.pos, CodeLimit, "kernel %s and its functions use more than %d registers, those for calls included",
			clip(k.name), isa.MaxRegisters-2)
	}
	if err := l.err(); err != nil {
		return nil, false, err
	}
	if l.prog.Recursive {
		if err := isa.SaveRegisters(l.prog, l.outgoing, l.common()); err != nil {
			return nil, false, m.tooLarge(k, err)
		}
	}
	return l.prog, l.samples, nil
}

// tooLarge reports a kernel with its functions as too large, with the reason.
func (m *Module) tooLarge(k *kernel, why error) error {
	r := &reporter{file: m.file, src: m.src}
	r.errorf(k.pos, CodeLimit, "kernel %s and its functions are too large: %v", clip(k.name), why)
	return r.err()
}

// instructions counts the instructions of a kernel and its functions in the source.
func (l *lowering) instructions(k *kernel) (n int) {
	count := func(s stmt) {
		if _, is := s.(*instruction); is {
			n++
		}
	}
	k.body.each(count)
	for _, c := range l.callees {
		c.body.each(count)
	}
	return n
}

// module enters the module-level names.
func (l *lowering) module() {
	l.prog.Files, l.prog.Globals, l.prog.Printer = l.m.fileNames, l.m.globals, l.m.printer
	for _, r := range l.m.regs {
		l.scope.declare(r) // duplicates were reported by Parse
	}
}

// common are the used registers at module level. A thread has one of each, whatever function it is
// in.
func (l *lowering) common() (list []isa.Operand) {
	for _, sym := range l.top.names {
		if sym.operand.Kind != isa.OperandNone {
			list = append(list, sym.operand)
		}
	}
	return list
}

// params lays out the parameters, each at its alignment (section 5.1.6.1).
func (l *lowering) params(k *kernel) {
	l.scope = newScope(l.scope)
	next := uint64(0)
	for _, v := range k.params {
		l.declareVariable(v)
		if v.why != "" {
			l.errorf(v.name.pos, CodeUnsupported, "parameter %s: %s", clip(v.name.text), v.why)
		}
		next = alignUp(next, v.align)
		l.offsets[v] = next
		l.prog.Params = append(l.prog.Params, isa.Param{
			Name: v.name.text, Type: v.typ, Offset: uint32(next), Size: uint32(v.size), Align: uint32(v.align),
		})
		next += v.size
		if next > spaceLimit[isa.SpaceParam] {
			l.errorf(v.name.pos, CodeLimit, "the parameters take more than %d bytes", spaceLimit[isa.SpaceParam])
			return
		}
	}
	l.prog.ParamBytes = uint32(next)
}

func (l *lowering) declareVariable(v *variable) bool {
	if old := l.scope.here(v.name.text); old != nil {
		l.errorf(v.name.pos, CodeDuplicate, "%s is declared twice: first in line %d", clip(v.name.text), old.pos.Line)
		return false
	}
	l.scope.names[v.name.text] = &symbol{pos: v.name.pos, variable: v}
	return true
}

// block lowers the statements of a block in a scope of its own.
func (l *lowering) block(b *block) {
	l.scope = newScope(l.scope)
	for _, s := range b.stmts {
		if l.full() {
			break
		}
		if !l.fits(0, b.end) {
			break
		}
		switch s := s.(type) {
		case *instruction:
			l.instruction(s)
		case *label:
			if earlier, ok := l.scope.define(s, uint32(len(l.prog.Insts))); !ok {
				l.errorf(s.pos, CodeDuplicate, "label %s is defined twice: first in line %d", clip(s.text),
					earlier.Line)
				continue
			}
			l.prog.Labels = append(l.prog.Labels, isa.Label{Name: s.text, PC: uint32(len(l.prog.Insts))})
		case *block:
			l.block(s)
		case *regDecl:
			l.declareRegs(l.scope, s)
		case *variable:
			l.localVariable(s)
		case *prototype:
			l.scope.declarePrototype(s.label.text, s.function)
		case *targets:
			l.targets(s)
		case *branchTargets:
			l.scope.declareBranches(s)
		case pragma:
			l.pragma(s)
		case location:
			l.loc = isa.Loc{}
			if i, ok := l.m.fileAt[s.file]; ok {
				l.loc = isa.Loc{File: i, Line: s.line}
			}
			if i, ok := l.m.fileAt[s.callFile]; ok && s.callLine > 0 {
				l.loc.CallFile, l.loc.CallLine = i, s.callLine
			}
		}
	}
	l.scope = l.scope.up
}

// fits reports whether there is room for more instructions, and reports an error if not.
func (l *lowering) fits(more int, pos isa.Pos) bool {
	if len(l.prog.Insts)+more > isa.MaxInstructions {
		l.errorf(pos, CodeLimit, "the kernel and its functions have more than %d instructions", isa.MaxInstructions)
		return false
	}
	return true
}

// localVariable declares a variable of a block.
func (l *lowering) localVariable(v *variable) {
	if !l.declareVariable(v) {
		return
	}
	switch v.space {
	case isa.SpaceShared, isa.SpaceLocal:
		switch {
		case v.link == linkExtern:
		case v.space == isa.SpaceLocal:
			l.reserve(v)
		default:
			l.allocate(v)
		}
	}
}

// allocate gives a shared or local variable its offset.
func (l *lowering) allocate(v *variable) {
	size, limit := &l.prog.SharedBytes, uint64(isa.WindowSize)
	if v.space == isa.SpaceLocal {
		size, limit = &l.prog.LocalBytes, spaceLimit[isa.SpaceLocal]
	}
	at := alignUp(uint64(*size), v.align)
	if at+v.size > limit {
		l.errorf(v.name.pos, CodeLimit, "the %s variables take more than %d bytes", spaceName(v.space), limit)
		return
	}
	*size = uint32(at + v.size)
	l.offsets[v] = at
	l.prog.Vars = append(l.prog.Vars,
		isa.Local{Name: v.name.text, Space: v.space, Offset: uint32(at), Size: uint32(v.size)})
}

// instruction lowers one instruction.
func (l *lowering) instruction(in *instruction) {
	if !in.known {
		if feature, ok := unsupported[in.name.text]; ok {
			l.errorf(in.name.pos, CodeUnsupported, "%s is not supported: %s", in.opcode(), feature)
		} else {
			l.errorf(in.name.pos, CodeName, "unknown instruction %s%s", clip(in.name.text),
				didYouMean(in.name.text, opcodes))
		}
		return
	}
	f, found, wrong := l.m.find(in)
	if wrong != nil {
		l.errorf(wrong.pos, wrong.code, "%s", wrong.msg)
		return
	}
	if l.m.mapF64 && slices.Contains(found.types, isa.F64) {
		l.errorf(in.name.pos, CodeUnsupported, "%s is not supported with .target map_f64_to_f32", in.opcode())
		return
	}
	out := &found.Inst
	out.Pos, out.Loc, out.Text, out.Target = in.name.pos, l.loc, in.text, isa.NoPC
	out.Reconv, out.Likely = isa.NoPC, isa.NoPC
	if out.Op != isa.OpCall {
		l.offsetRegisters(in, f.args)
	}
	o := operands{lowering: l, in: in, out: out, relaxed: f.wider}
	if in.guard != nil {
		out.Guard = o.guard(in.guard)
	}
	if why := out.Unherdable(); out.Flags&isa.FlagHerd != 0 && why != "" {
		l.errorf(in.name.pos, CodeOperand, "%s cannot be herded: it %s", in.opcode(), why)
		return
	}
	switch {
	case f.fetches:
		l.fetch(in, found)
		return
	case out.Op == isa.OpCall:
		l.call(in, *out)
		return
	case in.name.text == "brx":
		l.indexedBranch(&o)
		return
	case out.Op == isa.OpRet && l.fn != nil:
		l.ret(*out)
		return
	case out.Flags&isa.FlagPair != 0:
		o.pair(f)
		return
	case in.name.text == "wmma":
		o.wmma()
		return
	case out.Op == isa.OpMov:
		o.mov()
	case isVideo(out.Op):
		o.video()
	case out.Op == isa.OpCopy || out.Op == isa.OpCopyWait:
		o.copy()
	case out.Matrix():
		o.matrix()
	default:
		o.bind(f)
	}
	l.prog.Insts = append(l.prog.Insts, *out)
	if in.name.text == "griddepcontrol" {
		l.note("griddepcontrol does nothing: a grid begins when the one before it has ended")
	}
	if out.Reduces() && out.NDst == 1 {
		l.readBarrier(in.operands[0].name)
	}
}

// note reports that the last instruction is right but does less than the PTX asks for. Each text is
// reported once.
func (l *lowering) note(text string) {
	if !slices.ContainsFunc(l.prog.Notes, func(w isa.Warning) bool { return w.Text == text }) {
		l.prog.Notes = append(l.prog.Notes, l.prog.WarningAt(uint32(len(l.prog.Insts)-1), text))
	}
}

// resolveBranches fills in the targets of the branches of a kernel or function.
func (l *lowering) resolveBranches() {
	for _, b := range l.branches {
		if l.full() {
			return
		}
		pc, ok := b.scope.label(b.label.text)
		if !ok {
			l.errorf(b.label.pos, CodeName, "undefined label %s%s", clip(b.label.text),
				didYouMean(b.label.text, b.scope.labelWords()))
			continue
		}
		l.prog.Insts[b.pc].Target = pc
	}
}

// finish resolves calls and the start of dynamic shared memory.
func (l *lowering) finish() {
	p := l.prog
	for _, c := range l.callTargets {
		if i := l.found[c.f].index; i < len(p.Funcs) {
			p.Insts[c.pc].Target = p.Funcs[i].Entry
		}
	}
	l.checkTraced()
	slices.SortStableFunc(p.Labels, func(a, b isa.Label) int { return cmp.Compare(a.PC, b.PC) })
	p.SharedAlign = max(p.SharedAlign, 1)
	if len(l.dynamic) > 0 || p.SharedAlign > 1 {
		p.SharedBytes = uint32(alignUp(uint64(p.SharedBytes), uint64(p.SharedAlign)))
	}
	for i := range p.Vars {
		if p.Vars[i].Space == isa.SpaceShared && p.Vars[i].Size == 0 {
			p.Vars[i].Offset = p.SharedBytes
		}
	}
	for _, d := range l.dynamic {
		p.Insts[d.pc].Src[d.src].Imm += uint64(p.SharedBytes)
	}
	p.AddressBits = uint8(l.m.addressBits)
	if p.AddressBits == 0 {
		p.AddressBits = 32
		if l.wide {
			p.AddressBits = 64
		}
	}
}

// end completes the kernel: if control could run past its closing brace, an exit is added (section
// 9.7.11.7).
func (l *lowering) end(k *kernel) {
	l.resolveBranches()
	if l.runsOff() {
		l.emit(isa.Inst{Op: isa.OpExit, Pos: k.body.end, Loc: l.loc, Text: "exit"})
	}
	l.resolveUses()
}

// runsOff reports whether control can run off the end of the kernel or function that ends here. If
// not, it drops an unused label behind the last instruction.
func (l *lowering) runsOff() bool {
	p, start := l.prog, uint32(0)
	if l.fn != nil {
		start = p.Funcs[len(p.Funcs)-1].Entry
	}
	n := uint32(len(p.Insts))
	leads := slices.ContainsFunc(l.branches, func(b branch) bool { return p.Insts[b.pc].Target == n })
	l.branches = l.branches[:0]
	if n == start || !p.Insts[n-1].EndsPath() || leads || l.around == n {
		return true
	}
	for len(p.Labels) > 0 && p.Labels[len(p.Labels)-1].PC == n {
		p.Labels = p.Labels[:len(p.Labels)-1]
	}
	return false
}
