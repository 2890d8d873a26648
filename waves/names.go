package waves

import (
	"fmt"
	"strconv"
	"strings"
)

// scope is a module, struct or array element of the design as the dump shows it.
type scope struct {
	name   string
	scopes []*scope
	vars   []*variable
	byPath map[string]*scope // by segment of the design
	taken  map[string]bool   // names in use here
}

func newScope(name string) *scope {
	return &scope{name: name, byPath: map[string]*scope{}, taken: map[string]bool{}}
}

// nameAll gives every variable its names in the dump and its place in the tree of scopes. Many readers take only
// [A-Za-z_][A-Za-z0-9_]* as a name, so the array element sm[3] of 16 becomes sm_03.
func nameAll(vars []*variable) *scope {
	root := newScope("")
	digits := indexDigits(vars)
	for _, v := range vars {
		s := root
		above := ""
		for i, seg := range v.path {
			legal := legalName(seg, above, digits)
			above += "." + seg
			if i == len(v.path)-1 {
				v.names = append(v.names, s.take(legal))
				s.vars = append(s.vars, v)
				break
			}
			sub := s.byPath[seg]
			if sub == nil {
				sub = newScope(s.take(legal))
				s.byPath[seg] = sub
				s.scopes = append(s.scopes, sub)
			}
			v.names = append(v.names, sub.name)
			s = sub
		}
	}
	return root
}

// take reserves a name, with a suffix if it is in use.
func (s *scope) take(name string) string {
	unique := name
	for n := 2; s.taken[unique]; n++ {
		unique = name + "_" + strconv.Itoa(n)
	}
	s.taken[unique] = true
	return unique
}

// indexDigits is the number of digits of the largest index of every dimension of every array. The key of a dimension
// is the path up to it, such as ".gpu.sm[" for gpu.sm[3].
func indexDigits(vars []*variable) map[string]int {
	digits := map[string]int{}
	for _, v := range vars {
		above := ""
		for _, seg := range v.path {
			name, indices := splitIndices(seg)
			key := above + "." + name
			for _, x := range indices {
				key += "["
				digits[key] = max(digits[key], len(x))
			}
			above += "." + seg
		}
	}
	return digits
}

// splitIndices cuts "a[1][23]" into "a" and {"1", "23"}.
func splitIndices(seg string) (name string, indices []string) {
	name = seg
	for strings.HasSuffix(name, "]") {
		open := strings.LastIndexByte(name, '[')
		if open < 0 {
			break
		}
		x := name[open+1 : len(name)-1]
		if _, err := strconv.ParseUint(x, 10, 63); err != nil {
			break
		}
		name = name[:open]
		indices = append([]string{x}, indices...)
	}
	return name, indices
}

func legalName(seg, above string, digits map[string]int) string {
	name, indices := splitIndices(seg)
	key := above + "." + name
	var b strings.Builder
	for i, r := range name {
		switch {
		case r == '_', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		case r >= '0' && r <= '9':
			if i == 0 {
				b.WriteByte('_')
			}
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	if name == "" {
		b.WriteByte('_')
	}
	for _, x := range indices {
		key += "["
		fmt.Fprintf(&b, "_%0*s", digits[key], x)
	}
	return b.String()
}

// displayName is the name of a variable as GTKWave knows it.
func (v *variable) displayName() string {
	name := strings.Join(v.names, ".")
	if v.width > 1 {
		name += fmt.Sprintf("[%d:0]", v.width-1)
	}
	return name
}

// idCode is the n-th identifier of the dump: the printable characters from ! to ~, shortest first.
func idCode(n int) string {
	var b []byte
	for {
		b = append(b, byte('!'+n%94))
		n /= 94
		if n == 0 {
			return string(b)
		}
		n--
	}
}
