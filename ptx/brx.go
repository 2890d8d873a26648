package ptx

import (
	"fmt"

	"divergo/isa"
)

// brx.idx (section 9.7.11.4). Hardware without indirect branches uses a tree of comparisons
// instead, and so does this machine. The first comparison is the instruction, the others are
// inserted. The manual leaves an index beyond the list open; here it selects the last label.

// branchTargets is a .branchtargets directive (section 11.3.1).
type branchTargets struct {
	label word
	names []word
}

// listed parses the names of a list directive up to its semicolon.
func (p *parser) listed(name, list string) (names []word, ok bool) {
	p.next()
	for {
		w, ok := p.ident(name)
		if !ok {
			p.skipStatement()
			return nil, false
		}
		names = append(names, w)
		if !p.accept(',') {
			break
		}
	}
	if !p.semicolon(list) {
		p.skipStatement()
	}
	return names, true
}

// declareBranches enters the label of a list.
func (s *scope) declareBranches(t *branchTargets) {
	if s.branches == nil {
		s.branches = map[string]*branchTargets{}
	}
	s.branches[t.label.text] = t
}

// branchList finds a list by its label.
func (s *scope) branchList(name string) *branchTargets {
	for ; s != nil; s = s.up {
		if t := s.branches[name]; t != nil {
			return t
		}
	}
	return nil
}

// indexedBranch lowers brx.idx. A guard becomes a branch around it.
func (l *lowering) indexedBranch(o *operands) {
	ops := o.in.operands
	if len(ops) != 2 {
		l.errorf(o.in.name.pos, CodeOperand, "%s takes 2 operands index, tlist, found %d", o.in.opcode(), len(ops))
		return
	}
	index := o.source(&ops[0], isa.U32)
	list := l.scope.branchList(ops[1].name)
	if list == nil {
		l.errorf(ops[1].pos, CodeName, "%s is no label of a .branchtargets above", kindName(&ops[1]))
		return
	}
	if !l.fits(3*len(list.names), ops[1].pos) {
		return
	}
	out := *o.out
	around := -1
	if out.Guard.Kind == isa.OperandPred {
		around = len(l.prog.Insts)
		skip := isa.Inst{Op: isa.OpBra, Guard: out.Guard, Inserted: true, Pos: out.Pos, Loc: out.Loc, Text: "bra"}
		skip.Guard.Not = !skip.Guard.Not
		l.emit(skip)
		out.Guard = isa.Operand{}
	}
	l.choose(out, index, list.names, 0)
	if around >= 0 {
		l.around = uint32(len(l.prog.Insts))
		l.prog.Insts[around].Target = l.around
	}
}

// choose emits the tree for the labels names, the first of which has the index first. The root of
// the tree is out, the brx itself.
func (l *lowering) choose(out isa.Inst, index isa.Operand, names []word, first int) {
	if len(names) == 1 {
		l.branches = append(l.branches, branch{len(l.prog.Insts), names[0], l.scope})
		out.Op = isa.OpBra
		l.emit(out)
		return
	}
	if l.chosen == 0 {
		l.prog.Preds = append(l.prog.Preds, "%brx")
		l.chosen = len(l.prog.Preds)
	}
	below := isa.Operand{Kind: isa.OperandPred, Index: uint16(l.chosen - 1)}
	half := len(names) / 2
	test := out
	test.Op, test.Type, test.SrcType, test.Cmp, test.NSrc, test.NDst = isa.OpSetp, isa.U32, isa.U32, isa.CmpLt, 2, 1
	test.Flags = 0
	test.Src[0], test.Src[1] = index, isa.Operand{Kind: isa.OperandImm, Imm: uint64(first + half)}
	test.Dst[0] = below
	if out.Inserted {
		test.Text = fmt.Sprintf("setp.lt.u32 %%brx, %d", first+half)
	}
	l.emit(test)
	rest := isa.Inst{Op: isa.OpBra, Inserted: true, Pos: out.Pos, Loc: out.Loc, Text: "bra"}
	left := rest
	left.Guard = below
	at := len(l.prog.Insts)
	l.emit(left)
	l.choose(rest, index, names[half:], first+half)
	l.prog.Insts[at].Target = uint32(len(l.prog.Insts))
	l.choose(rest, index, names[:half], first)
}
