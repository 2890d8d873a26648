package waves

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"divergo/rtl"
)

// scope is a module, struct or array element of the design as the dump shows it. Its entries are
// made and named on first use, so that scopes that no pattern reaches cost nothing.
type scope struct {
	up      *scope
	seg     string                // of the path in the design
	name    string                // in the dump
	entries []entry               // in the order of the design
	index   [2]map[string][]entry // see matching
	subs    map[string]*scope
	opened  bool // the entries have been made
	placed  bool // it is an entry of its parent scope
	shown   bool // a variable in or below it is in the dump
	clocks  bool // it holds the clocks and is not part of the design
}

// matching returns the entries of an open scope that a segment without `*` and `?` may match: see
// matchSegment. It uses an index, since a save file has many patterns and scopes are large. An open
// scope gets no more entries.
func (s *scope) matching(seg string, byName bool) []entry {
	at, of := &s.index[0], entry.seg
	if byName {
		at, of = &s.index[1], entry.name
	}
	if *at == nil {
		*at = make(map[string][]entry, len(s.entries))
		for _, e := range s.entries {
			text := of(e)
			(*at)[text] = append((*at)[text], e)
			if name, _, indexed := strings.Cut(text, "["); indexed {
				(*at)[name] = append((*at)[name], e)
			}
		}
	}
	return (*at)[seg]
}

// entry is a variable or a scope in a scope, or a function that will add some there.
type entry struct {
	v    *variable
	sub  *scope
	fill func(s *scope)
}

func (e entry) seg() string {
	if e.v != nil {
		return e.v.seg()
	}
	return e.sub.seg
}

func (e entry) name() string {
	if e.v != nil {
		return e.v.name
	}
	return e.sub.name
}

// addIsland adds the signals of a Sim to the tree under root, without options that the hardware
// does not have, and within its sizes.
func (s *scope) addIsland(x *island, without []string, sizes map[string]int) {
	at := s.walk(strings.Split(x.sim.Name(), "."))
	at.entries = append(at.entries, entry{fill: func(at *scope) {
		for i, b := range x.sim.Bundles() {
			b.Without = without
			b = b.Within(sizes)
			at.addBundle(strings.Split(strings.TrimPrefix(b.Path, x.sim.Name()), ".")[1:], b, origin{x.index, i})
		}
	}})
}

// addBundle adds a signal at a path below the scope. The parts of a struct go into the scope of
// that name. A scalar, or the elements of an array, go into the scope around it.
func (s *scope) addBundle(path []string, sig rtl.Signal, o origin) {
	put := func(to *scope) { to.put(sig, o) }
	if sig.Type.Kind() == structKind {
		put = parts(sig, o)
	} else {
		path = path[:len(path)-1]
	}
	if to := s.walk(path); to.opened {
		put(to)
	} else {
		to.entries = append(to.entries, entry{fill: put})
	}
}

func parts(sig rtl.Signal, o origin) func(*scope) {
	return func(s *scope) {
		for _, p := range sig.Parts() {
			s.put(p, o)
		}
	}
}

// put adds a signal to the scope.
func (s *scope) put(sig rtl.Signal, o origin) {
	switch {
	case sig.Scalar():
		s.entries = append(s.entries, entry{v: newVariable(sig, s, o)})
	case sig.Type.Kind() == structKind:
		sub := s.below(lastSegment(sig.Path))
		sub.entries = append(sub.entries, entry{fill: parts(sig, o)})
	default:
		parts(sig, o)(s)
	}
}

// walk returns the scope at the end of the segments.
func (s *scope) walk(segs []string) *scope {
	for _, seg := range segs {
		s = s.below(seg)
	}
	return s
}

// below finds or adds the scope of a segment.
func (s *scope) below(seg string) *scope {
	sub := s.subs[seg]
	if sub == nil {
		sub = &scope{up: s, seg: seg}
		if s.subs == nil {
			s.subs = map[string]*scope{}
		}
		s.subs[seg] = sub
	}
	s.place(sub)
	return sub
}

func (s *scope) place(sub *scope) {
	if !sub.placed {
		sub.placed = true
		s.entries = append(s.entries, entry{sub: sub})
	}
}

// open makes the entries of the scope, and returns them.
func (s *scope) open() []entry {
	if s.opened {
		return s.entries
	}
	s.opened = true
	planned := s.entries
	s.entries = make([]entry, 0, len(planned))
	for _, e := range planned {
		if e.sub != nil {
			e.sub.placed = false
		}
	}
	for _, e := range planned {
		switch {
		case e.fill != nil:
			e.fill(s)
		case e.sub != nil:
			s.place(e.sub)
		default:
			s.entries = append(s.entries, e)
		}
	}
	s.nameEntries()
	return s.entries
}

// nameEntries names the entries of the scope. Many readers take only [A-Za-z_][A-Za-z0-9_]* as a
// name, so the array element sm[3] of 16 becomes sm_03. A name already taken gets a suffix.
func (s *scope) nameEntries() {
	var digits map[string][]int // of the largest index in each dimension of an array
	for _, e := range s.entries {
		name, indices := splitIndices(e.seg())
		if len(indices) == 0 {
			continue
		}
		if digits == nil {
			digits = map[string][]int{}
		}
		d := digits[name]
		for i, x := range indices {
			if i == len(d) {
				d = append(d, 0)
			}
			d[i] = max(d[i], len(x))
		}
		digits[name] = d
	}
	taken := make(map[string]bool, len(s.entries))
	for _, e := range s.entries {
		legal := legalName(e.seg(), digits)
		unique := legal
		for n := 2; taken[unique]; n++ {
			unique = legal + "_" + strconv.Itoa(n)
		}
		taken[unique] = true
		if e.v != nil {
			e.v.name = unique
		} else {
			e.sub.name = unique
		}
	}
}

// names are the names in the dump from the root to the scope.
func (s *scope) names() []string {
	if s.up == nil {
		return nil
	}
	return append(s.up.names(), s.name)
}

// segs are the segments of the path in the design from the root to the scope.
func (s *scope) segs() []string {
	if s.up == nil {
		return nil
	}
	return append(s.up.segs(), s.seg)
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

// legalName is the segment as a name, its indices padded to digits.
func legalName(seg string, digits map[string][]int) string {
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
		legal += "_" + strings.Repeat("0", digits[name][i]-len(x)) + x
	}
	return legal
}

// displayName is the name of a variable in GTKWave.
func (v *variable) displayName() string {
	name := strings.Join(v.names(), ".")
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
