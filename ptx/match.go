package ptx

import (
	"fmt"
	"slices"
	"strings"

	"divergo/isa"
)

// complaint is the reason for which an instruction does not fit a row of the table.
type complaint struct {
	pos  isa.Pos
	code Code
	msg  string
}

// opcode is the opcode of in with its suffixes, as written.
func (in *instruction) opcode() string {
	var s strings.Builder
	s.WriteString(in.name.text)
	for _, w := range in.words {
		s.WriteByte('.')
		s.WriteString(w.text)
	}
	return clip(s.String())
}

// find selects the row of the table that fits in and reads its modifiers. If none fits, the
// complaint is that of the nearest row.
func (m *Module) find(in *instruction) (*family, *match, *complaint) {
	rows := families[in.name.text]
	for _, f := range rows {
		if f.takes(in) {
			if found, _, wrong := m.match(f, in); wrong == nil {
				return f, found, nil
			}
		}
	}
	var best *complaint
	bestScore := -1
	for _, f := range rows {
		if _, score, wrong := m.match(f, in); score > bestScore {
			best, bestScore = wrong, score
		}
	}
	return nil, nil, best
}

// takes is a quick test whether the types of in are those of the row f.
func (f *family) takes(in *instruction) bool {
	n := 0
	for i := range in.words {
		t, ok := typeNames[in.words[i].text]
		if !ok {
			continue
		}
		if n == len(f.types) || !f.types[n].has(t) {
			return false
		}
		n++
	}
	return n == len(f.types)
}

// match reads the suffixes of in by the row f. The score of a failure grows with the matches: types
// first, then known modifiers, then required ones.
func (m *Module) match(f *family, in *instruction) (found *match, score int, wrong *complaint) {
	found = &match{}
	var taken [16]string
	var unknown *word
	complain := func(pos isa.Pos, code Code, format string, args ...any) {
		if wrong == nil {
			wrong = &complaint{pos, code, fmt.Sprintf(format, args...)}
		}
	}
	for i := range in.words {
		w := &in.words[i]
		if t, ok := typeNames[w.text]; ok {
			found.types = append(found.types, t)
			continue
		}
		g := slices.IndexFunc(f.groups, func(g group) bool { return g.find(w.text) != nil })
		if g < 0 && otherTypes[w.text] {
			complain(w.pos, CodeUnsupported, "%s is not supported: type .%s", in.opcode(), w.text)
			continue
		}
		switch {
		case g < 0:
			if unknown == nil {
				unknown = w
			}
		case taken[g] == w.text:
			complain(w.pos, CodeDuplicate, "modifier .%s is written twice", w.text)
		case taken[g] != "":
			complain(w.pos, CodeDuplicate, "%s takes one %s: found .%s and .%s", in.name.text, f.groups[g].what,
				taken[g], w.text)
		default:
			taken[g] = w.text
			f.groups[g].find(w.text).apply(found)
		}
	}
	if len(found.types) == len(f.types) {
		score += 4
	}
	for i, set := range f.types {
		if i < len(found.types) && set.has(found.types[i]) {
			score += 4
		}
	}
	if unknown != nil {
		complain(unknown.pos, CodeName, "%s", f.unknownWord(in, unknown.text))
		if feature, ok := otherModifiers[unknown.text]; ok && wrong.pos == unknown.pos {
			wrong.code, wrong.msg = CodeUnsupported, fmt.Sprintf("%s is not supported: %s", in.opcode(), feature)
		}
	} else {
		score += 3
	}
	f.checkTypes(in, found.types, complain)
	missing := m.fillIn(f, found, taken[:])
	if missing != nil {
		words := listed(missing.list())
		if len(missing.words) > 1 {
			words = "one of " + words
		}
		complain(in.name.pos, CodeOperand, "%s wants %s", in.opcode(), words)
	} else {
		score += 2
	}
	if wrong != nil {
		return nil, score, wrong
	}
	m.complete(f, found)
	if f.check != nil {
		if msg := f.check(found); msg != "" {
			return nil, score, &complaint{in.name.pos, CodeOperand, in.opcode() + ": " + msg}
		}
	}
	return found, score, nil
}

// checkTypes compares the types of in with those of the row.
func (f *family) checkTypes(in *instruction, types []isa.Type, complain func(isa.Pos, Code, string, ...any)) {
	end := in.name.pos
	if n := len(in.words); n > 0 {
		end = in.words[n-1].pos
	}
	switch {
	case len(types) > len(f.types):
		complain(end, CodeType, "%s takes %s, found %d", in.name.text, counted(len(f.types), "type"), len(types))
		return
	case len(types) < len(f.types):
		var all typeSet
		for _, row := range families[f.name] {
			if len(types) < len(row.types) {
				all |= row.types[len(types)]
			}
		}
		ordinal := ""
		if len(f.types) > 1 {
			ordinal = [...]string{"first ", "second ", "third ", "fourth "}[len(types)]
		}
		complain(end, CodeType, "%s wants a %stype: %s", in.opcode(), ordinal, listed(all.list()))
		return
	}
	for i, t := range types {
		if f.types[i].has(t) {
			continue
		}
		var all typeSet // types that the rows allow whose earlier types agree
		for _, row := range families[f.name] {
			if len(row.types) == len(types) && (i == 0 || row.types[0].has(types[0])) {
				all |= row.types[i]
			}
		}
		if all.has(t) {
			all = f.types[i] // another row has the type, but not the modifiers
		}
		complain(end, CodeType, "%s does not take type .%s: expected %s", in.opcode(), typeName(t), listed(all.list()))
	}
}

// unknownWord is the message for a suffix that the row does not have.
func (f *family) unknownWord(in *instruction, w string) string {
	if w == "hrd" {
		return in.opcode() + " cannot be herded: only branches and loads are"
	}
	var mine, all []string
	for _, row := range families[f.name] {
		for _, g := range row.groups {
			all = append(all, g.list()...)
			if row == f {
				mine = append(mine, g.list()...)
			}
		}
		for _, set := range row.types {
			all = append(all, set.list()...)
		}
	}
	if slices.Contains(all, "."+w) || len(mine) == 0 {
		if len(mine) == 0 {
			return fmt.Sprintf("%s takes no modifier .%s%s", in.opcode(), clip(w), didYouMean("."+w, all))
		}
		return fmt.Sprintf("%s takes no modifier .%s here: expected %s", in.opcode(), clip(w), listed(mine))
	}
	if near := didYouMean("."+w, all); near != "" {
		return fmt.Sprintf("unknown modifier .%s of %s%s", clip(w), f.name, near)
	}
	return fmt.Sprintf("unknown modifier .%s of %s: expected %s", clip(w), f.name, listed(mine))
}

// fillIn applies the meaning of missing modifiers. It returns a group with a missing required word.
func (m *Module) fillIn(f *family, found *match, taken []string) *group {
	for i := range f.groups {
		g := &f.groups[i]
		if taken[i] != "" {
			continue
		}
		if g.dflt != "" {
			g.find(g.dflt).apply(found)
		}
		if !g.need {
			continue
		}
		if f.before == "" || m.version >= 14 {
			return g
		}
		for _, w := range strings.Fields(f.before) {
			for _, g := range f.groups {
				if mod := g.find(w); mod != nil {
					mod.apply(found)
				}
			}
		}
	}
	return nil
}

// complete sets the opcode and the types. Code for sm_1x always flushes subnormal numbers of .f32
// (sections 9.7.3.3 to 9.7.3.21, "Subnormal numbers"). cvt with a 64-bit type does so only since
// PTX ISA 1.5 (section 9.7.8.18).
func (m *Module) complete(f *family, found *match) {
	found.Op = f.op
	if len(found.types) > 0 {
		found.Type = found.types[0]
	}
	if len(found.types) > 1 {
		found.SrcType = found.types[1]
	}
	if f.op == isa.OpSetp {
		found.SrcType = found.Type
	}
	for _, a := range f.args {
		switch a.role {
		case memory:
			if found.Space == isa.SpaceNone {
				found.Space = isa.SpaceGeneric
			}
		case dstVec, srcVec:
			found.Vec = max(found.Vec, 1)
		}
	}
	canFlush := slices.ContainsFunc(f.groups, func(g group) bool { return g.find("ftz") != nil })
	keeps := m.version <= 14 && f.op == isa.OpCvt && max(found.Type.Bits(), found.SrcType.Bits()) == 64
	if m.target < 20 && canFlush && !keeps {
		found.Flags |= isa.FlagFtz
	}
}

func counted(n int, thing string) string {
	switch n {
	case 0:
		return "no " + thing
	case 1:
		return "one " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
