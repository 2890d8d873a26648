package cuda

import (
	"bytes"
	"debug/dwarf"
	"encoding/binary"
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// Clang's .loc names the line of the function that an instruction comes from. For an inlined
// function that is not the line of the call. Clang's debugging information holds the call: DWARF 2
// in sections of the PTX (-debug-info-kind=line-tables-only), with labels in place of addresses.

// ours replaces the folder of our headers in file names.
const ours = "divergo/cuda"

// system reports whether a source is a header of the compiler, of its libraries, or ours, rather
// than the user's.
func system(file string) bool {
	return strings.HasPrefix(file, ours+"/") || strings.HasPrefix(file, "/usr/include/") ||
		strings.Contains(file, "/lib/clang/")
}

// callSites removes the debugging information from PTX. It adds call sites to instructions of
// system headers: the user's line that calls them.
//
// The form is inlined_at of the PTX ISA, section 11.5.4, without the function's name.
func callSites(ptx []byte) []byte {
	p := &debugged{labels: map[string]uint64{}, files: map[uint64]string{}, sections: map[string]*debugSection{}}
	for line := range bytes.Lines(ptx) {
		p.line(line)
	}
	p.calls() // PTX without debugging information stays unchanged
	return bytes.Join(p.kept, nil)
}

// debugged is parsed PTX with debugging information.
type debugged struct {
	kept     [][]byte          // lines outside of the debugging sections
	labels   map[string]uint64 // index in kept of the line behind each label
	files    map[uint64]string // file names by number
	sections map[string]*debugSection
	in       *debugSection // section of the current line; nil outside of sections
}

// debugSection is the content of one debugging section.
type debugSection struct {
	data   []byte
	labels map[string]uint64 // offsets in data
	refs   map[int]string    // labels by the offset of the 4 or 8 bytes that hold them
}

// line parses a line of the PTX.
func (p *debugged) line(line []byte) {
	text, _, _ := strings.Cut(string(line), "//")
	words := strings.Fields(text)
	switch {
	case p.in != nil:
		p.in.line(words)
		if len(words) > 0 && words[len(words)-1] == "}" {
			p.in = nil
		}
		return
	case len(words) > 1 && words[0] == ".section":
		p.in = &debugSection{labels: map[string]uint64{}, refs: map[int]string{}}
		p.sections[words[1]] = p.in
		if words[len(words)-1] == "}" {
			p.in = nil
		}
		return
	case len(words) == 1 && strings.HasPrefix(words[0], "$L__") && strings.HasSuffix(words[0], ":"):
		p.labels[strings.TrimSuffix(words[0], ":")] = uint64(len(p.kept))
	case len(words) > 2 && words[0] == ".file":
		if n, err := strconv.ParseUint(words[1], 10, 64); err == nil {
			_, name, _ := strings.Cut(string(line), `"`)
			name, _, _ = strings.Cut(name, `"`)
			p.files[n] = strings.TrimPrefix(name, "./")
		}
	case len(words) > 0 && words[0] == ".target":
		line = bytes.Replace(line, []byte(", debug"), nil, 1)
	}
	p.kept = append(p.kept, line)
}

// line parses a line of a section: a label, or numbers of 1 to 8 bytes.
func (s *debugSection) line(words []string) {
	if len(words) == 1 && strings.HasSuffix(words[0], ":") {
		s.labels[strings.TrimSuffix(words[0], ":")] = uint64(len(s.data))
	}
	if len(words) != 2 {
		return
	}
	size := map[string]int{".b8": 1, ".b16": 2, ".b32": 4, ".b64": 8}[words[0]]
	for _, value := range strings.Split(words[1], ",") {
		n, err := strconv.ParseInt(value, 0, 64)
		if err != nil {
			s.refs[len(s.data)] = value
		}
		s.data = append(s.data, binary.LittleEndian.AppendUint64(nil, uint64(n))[:size]...)
	}
}

// calls adds call sites to the lines of headers.
func (p *debugged) calls() {
	info, abbrev, text := p.sections[".debug_info"], p.sections[".debug_abbrev"], p.sections[".debug_str"]
	if info == nil || abbrev == nil {
		return
	}
	if text == nil {
		text = &debugSection{}
	}
	labels := maps.Clone(p.labels)
	maps.Copy(labels, text.labels)
	for at, name := range info.refs {
		if v, ok := labels[name]; ok && at+8 <= len(info.data) && strings.HasPrefix(name, "$L__info_string") {
			binary.LittleEndian.PutUint32(info.data[at:], uint32(v))
		} else if ok && at+8 <= len(info.data) {
			binary.LittleEndian.PutUint64(info.data[at:], v)
		}
	}
	d, err := dwarf.New(abbrev.data, nil, nil, info.data, nil, nil, nil, text.data)
	if err != nil {
		return
	}
	var functions []*scope
	for r := d.Reader(); ; {
		e, err := r.Next()
		if err != nil {
			return
		}
		if e == nil {
			break
		}
		if e.Tag == dwarf.TagCompileUnit {
			continue
		}
		if s := readScope(r, e); s != nil && s.end > 0 {
			functions = append(functions, s)
		}
	}
	of := 0
	for i, line := range p.kept {
		words := strings.Fields(string(line))
		if len(words) < 4 || words[0] != ".loc" {
			continue
		}
		file, err := strconv.ParseUint(words[1], 10, 64)
		if err != nil || !system(p.files[file]) {
			continue
		}
		for of < len(functions) && functions[of].end <= uint64(i) {
			of++
		}
		if of == len(functions) {
			break
		}
		if site := functions[of].call(uint64(i), p.files); site != nil {
			text := strings.Join(words[:4], " ")
			p.kept[i] = fmt.Appendf(nil, "\t%s, inlined_at %d %d %d\n", text, site.file, site.line, site.column)
		}
	}
}

// scope is a function or an inlined call: its range of lines in kept, and its call site.
type scope struct {
	start, end         uint64
	file, line, column uint64
	inner              []*scope
}

// readScope reads an entry and its children.
func readScope(r *dwarf.Reader, e *dwarf.Entry) *scope {
	number := func(a dwarf.Attr) uint64 {
		switch v := e.Val(a).(type) {
		case int64:
			return uint64(v)
		case uint64:
			return v
		}
		return 0
	}
	s := &scope{
		number(dwarf.AttrLowpc), number(dwarf.AttrHighpc), number(dwarf.AttrCallFile),
		number(dwarf.AttrCallLine), number(dwarf.AttrCallColumn), nil,
	}
	for e.Children {
		c, err := r.Next()
		if err != nil || c == nil || c.Tag == 0 {
			break
		}
		s.inner = append(s.inner, readScope(r, c))
	}
	return s
}

// call returns the innermost inlined call around a line whose call site is in the user's source;
// nil if there is none.
//
// The compiler's range of an inlined function includes other instructions that were moved into it.
// Our reading: of overlapping ranges the shortest one is meant.
func (s *scope) call(at uint64, files map[uint64]string) *scope {
	var best *scope
	for _, in := range s.inner {
		if in.start <= at && at < in.end && (best == nil || in.end-in.start < best.end-best.start) {
			best = in
		}
	}
	if best == nil {
		return nil
	}
	if site := best.call(at, files); site != nil {
		return site
	}
	if best.line > 0 && !system(files[best.file]) {
		return best
	}
	return nil
}
