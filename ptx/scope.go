package ptx

import (
	"slices"
	"strconv"
	"strings"

	"divergo/isa"
)

// symbol is the meaning of a name: a register or a variable.
type symbol struct {
	pos      isa.Pos
	reg      *regDecl
	variable *variable
	operand  isa.Operand // of a register, after its first use
}

// scope holds the names of one block; names of outer blocks are visible in it. A range such as
// %r<100> is one entry, however many registers it declares.
type scope struct {
	up       *scope
	names    map[string]*symbol
	ranges   map[string]*regDecl
	prefixes map[string][]uint64 // of single registers: the numbers that follow a prefix
	labels   map[string]uint32
	labelPos map[string]isa.Pos
	branches map[string]*branchTargets
	protos   map[string]*function // by label, of .callprototype and .calltargets
}

func newScope(up *scope) *scope {
	return &scope{up: up, names: map[string]*symbol{}}
}

// declare enters registers. If a name is taken, it returns the line of the
// first declaration, or else 0.
func (s *scope) declare(d *regDecl) int32 {
	name := d.name.text
	if d.count == 0 {
		if old := s.here(name); old != nil {
			return old.pos.Line
		}
		s.names[name] = &symbol{pos: d.name.pos, reg: d}
		s.note(name)
		return 0
	}
	if old := s.ranges[name]; old != nil {
		return old.name.pos.Line
	}
	for _, n := range s.prefixes[name] {
		if n < d.count {
			return s.here(name + strconv.FormatUint(n, 10)).pos.Line
		}
	}
	if old := s.here(name + "0"); old != nil {
		return old.pos.Line
	}
	if s.ranges == nil {
		s.ranges = map[string]*regDecl{}
	}
	s.ranges[name] = d
	s.note(name + "0")
	return 0
}

// note remembers a declared name under each prefix that would make it a numbered register. A later
// range is then checked without a search.
func (s *scope) note(name string) {
	for i := len(name) - 1; i > 0 && isDigit(name[i]) && len(name)-i < 9; i-- {
		if n, ok := registerNumber(name[i:]); ok {
			if s.prefixes == nil {
				s.prefixes = map[string][]uint64{}
			}
			s.prefixes[name[:i]] = append(s.prefixes[name[:i]], n)
		}
	}
}

// registerNumber reads the number of a register of a range: no leading zeros.
func registerNumber(digits string) (uint64, bool) {
	if len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	return n, err == nil
}

// here looks a name up in s only.
func (s *scope) here(name string) *symbol {
	if sym := s.names[name]; sym != nil {
		return sym
	}
	if d := s.rangeOf(name, true); d != nil {
		sym := &symbol{pos: d.name.pos, reg: d}
		s.names[name] = sym
		return sym
	}
	return s.component(name)
}

// component finds an element of a vector register: v.x or, for colours, v.r (section 6.4.3). Each
// is a register of its own.
func (s *scope) component(name string) *symbol {
	base, letter, ok := strings.Cut(name, ".")
	if !ok || len(letter) != 1 {
		return nil
	}
	i := strings.IndexByte("xyzwrgba", letter[0])
	v := s.here(base)
	if i < 0 || v == nil || v.reg == nil || i%4 >= v.reg.vector {
		return nil
	}
	name = base + "." + "xyzw"[i%4:i%4+1]
	if sym := s.names[name]; sym != nil {
		return sym
	}
	element := *v.reg
	element.vector = 0
	sym := &symbol{pos: v.pos, reg: &element}
	s.names[name] = sym
	return sym
}

// rangeOf finds the range that declares the register name. With inside false it finds one of the
// same prefix that is too short.
func (s *scope) rangeOf(name string, inside bool) *regDecl {
	if len(s.ranges) == 0 {
		return nil
	}
	for i := len(name) - 1; i > 0 && isDigit(name[i]) && len(name)-i < 11; i-- {
		d := s.ranges[name[:i]]
		if d == nil {
			continue
		}
		if n, ok := registerNumber(name[i:]); ok && (n < d.count) == inside {
			return d
		}
	}
	return nil
}

// declarePrototype enters the label of a .callprototype or .calltargets.
func (s *scope) declarePrototype(label string, f *function) {
	if s.protos == nil {
		s.protos = map[string]*function{}
	}
	s.protos[label] = f
}

// prototype finds the directive of a .callprototype or .calltargets label.
func (s *scope) prototype(name string) *function {
	for ; s != nil; s = s.up {
		if f := s.protos[name]; f != nil {
			return f
		}
	}
	return nil
}

// lookup finds a name in s or the scopes around it.
func (s *scope) lookup(name string) *symbol {
	for ; s != nil; s = s.up {
		if sym := s.here(name); sym != nil {
			return sym
		}
	}
	return nil
}

// enough is the number of names from which a suggestion is chosen. A search through more would take
// longer than reading the file.
const enough = 20_000

// words lists the names that are visible in s, for suggestions.
func (s *scope) words() []string {
	var words []string
	for ; s != nil && len(words)+len(s.names)+2*len(s.ranges) < enough; s = s.up {
		for name := range s.names {
			words = append(words, name)
		}
		for prefix := range s.ranges {
			words = append(words, prefix+"0", prefix+"1")
		}
	}
	slices.Sort(words)
	return words
}

// define enters a label; it returns the place of an earlier one of that name.
func (s *scope) define(l *label, pc uint32) (earlier isa.Pos, ok bool) {
	if s.labels == nil {
		s.labels = map[string]uint32{}
		s.labelPos = map[string]isa.Pos{}
	}
	if pos, dup := s.labelPos[l.text]; dup {
		return pos, false
	}
	s.labels[l.text] = pc
	s.labelPos[l.text] = l.pos
	return isa.Pos{}, true
}

// label finds the PC of a label in s or the scopes around it.
func (s *scope) label(name string) (uint32, bool) {
	for ; s != nil; s = s.up {
		if pc, ok := s.labels[name]; ok {
			return pc, true
		}
	}
	return 0, false
}

// labelWords lists the labels that are visible in s, for suggestions.
func (s *scope) labelWords() []string {
	var words []string
	for ; s != nil && len(words)+len(s.labels) < enough; s = s.up {
		for name := range s.labels {
			words = append(words, name)
		}
	}
	slices.Sort(words)
	return words
}
