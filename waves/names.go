package waves

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// scope is a module, struct or array element of the design as the dump shows it.
type scope struct {
	names   []string // of the scope and those it is in
	entries []entry  // in the order of the design
	bySeg   map[string]*scope
	digits  map[string][]int // of the largest index in each dimension of an array of variables or scopes here
}

// entry is a variable, or a scope, in a scope.
type entry struct {
	seg   string // of the path in the design
	v     *variable
	scope *scope
}

// nameAll gives every variable its names in the dump and returns the tree of scopes. Many readers take only
// [A-Za-z_][A-Za-z0-9_]* as a name, so the array element sm[3] of 16 becomes sm_03.
func nameAll(vars []*variable) *scope {
	at := []*scope{{}} // from the root to the scope of the last variable
	var last []string
	for _, v := range vars {
		depth := len(v.path) - 1
		same := 0
		for same < min(depth, len(at)-1) && v.path[same] == last[same] {
			same++
		}
		at = at[:same+1]
		for _, seg := range v.path[same:depth] {
			at = append(at, at[len(at)-1].below(seg))
		}
		at[depth].add(entry{seg: v.path[depth], v: v})
		last = v.path
	}
	at[0].name()
	return at[0]
}

// below finds or adds the scope of a segment.
func (s *scope) below(seg string) *scope {
	sub := s.bySeg[seg]
	if sub == nil {
		sub = new(scope)
		if s.bySeg == nil {
			s.bySeg = map[string]*scope{}
		}
		s.bySeg[seg] = sub
		s.add(entry{seg: seg, scope: sub})
	}
	return sub
}

func (s *scope) add(e entry) {
	s.entries = append(s.entries, e)
	name, indices := splitIndices(e.seg)
	if len(indices) == 0 {
		return
	}
	d := s.digits[name]
	for i, x := range indices {
		if i == len(d) {
			d = append(d, 0)
		}
		d[i] = max(d[i], len(x))
	}
	if s.digits == nil {
		s.digits = map[string][]int{}
	}
	s.digits[name] = d
}

// name names what is in the scope. A name that is taken gets a suffix.
func (s *scope) name() {
	taken := make(map[string]bool, len(s.entries))
	for _, e := range s.entries {
		legal := s.legalName(e.seg)
		unique := legal
		for n := 2; taken[unique]; n++ {
			unique = legal + "_" + strconv.Itoa(n)
		}
		taken[unique] = true
		names := append(slices.Clip(s.names), unique)
		if e.v != nil {
			e.v.names = names
			continue
		}
		e.scope.names = names
		e.scope.name()
	}
}

// shown says whether a variable in or below the scope is in the dump.
func (s *scope) shown() bool {
	return slices.ContainsFunc(s.entries, func(e entry) bool {
		return e.v != nil && e.v.shown || e.scope != nil && e.scope.shown()
	})
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
		indices = append(indices, x)
	}
	slices.Reverse(indices)
	return name, indices
}

func (s *scope) legalName(seg string) string {
	name, indices := splitIndices(seg)
	legal := strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
	if legal == "" || legal[0] >= '0' && legal[0] <= '9' {
		legal = "_" + legal
	}
	for i, x := range indices {
		legal += fmt.Sprintf("_%0*s", s.digits[name][i], x)
	}
	return legal
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
