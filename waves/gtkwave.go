package waves

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/output"
)

// Flags of a trace in a GTKWave save file.
const (
	flagHex        = 0x2
	flagDecimal    = 0x4
	flagBinary     = 0x8
	flagRight      = 0x20
	flagBlank      = 0x200
	flagSigned     = 0x400
	flagTranslate  = 0x2000 // through a translation file
	flagCollapsed  = 0x1000
	flagClosed     = 0x400000
	flagGroupBegin = 0x800000
	flagGroupEnd   = 0x1000000
)

const (
	frameCycles = 10  // cycles in 200 pixels when GTKWave opens, or more to show a join
	framePixels = 200 // in which GTKWave counts
	wavePixels  = 900 // width of the waves in a window of 1600
	maxTraces   = 300 // of the groups made by default
)

// SaveFile is the name of the save file for the dump in the file vcd.
func SaveFile(vcd string) string { return strings.TrimSuffix(vcd, filepath.Ext(vcd)) + ".gtkw" }

// Save writes the files with which GTKWave shows the dump in the file vcd grouped, coloured and
// with names for values. Next to x.vcd it writes the save file x.gtkw, to be opened with `gtkwave
// x.gtkw`, and the translation tables x.filters/*.txt. File names in them are absolute. For Surfer
// it writes x.sucl and .surfer/mappings/x_*.map.
func (d *Dump) Save(vcd string) error {
	vcd, err := filepath.Abs(vcd)
	if err != nil {
		return fmt.Errorf("waves: %w", err)
	}
	save := SaveFile(vcd)
	f := filters{dir: strings.TrimSuffix(save, ".gtkw") + ".filters", tables: map[string]table{}}
	var b strings.Builder
	fmt.Fprintf(&b, "[dumpfile] %q\n[savefile] %q\n", vcd, save)
	fmt.Fprintf(&b, "[timestart] %d\n[size] 1600 900\n[pos] -1 -1\n", d.viewStart())
	fmt.Fprintf(&b, "*%f %s\n", -math.Log2(float64(d.frame())), d.markers())
	fmt.Fprintf(&b, "[sst_width] 220\n[signals_width] 320\n[sst_expanded] 1\n")
	groups := d.arrangement()
	for _, g := range groups {
		begin, end := flagGroupBegin|flagBlank, flagGroupEnd|flagBlank
		if g.Closed {
			begin, end = begin|flagClosed, end|flagClosed|flagCollapsed
		}
		if g.Name != "" {
			fmt.Fprintf(&b, "@%x\n-%s\n", begin, g.Name)
		}
		common := g.commonScopes()
		for _, r := range g.rows {
			text, err := d.trace(r, g, common, &f)
			if err != nil {
				return fmt.Errorf("waves: %w", err)
			}
			b.WriteString(text)
		}
		if g.Name != "" {
			fmt.Fprintf(&b, "@%x\n-%s\n", end, g.Name)
		}
	}
	err = output.WriteFile(save, []byte(b.String()))
	if err == nil {
		err = d.saveSurfer(vcd, groups)
	}
	if err != nil {
		return fmt.Errorf("waves: %w", err)
	}
	return nil
}

// viewStart is the first time that GTKWave shows: the start of the dump, or 20 cycles before its
// marker.
func (d *Dump) viewStart() uint64 {
	if m := d.marked(); m != nil {
		return max(d.opened, d.before(m))
	}
	return d.opened
}

// frame is the time in framePixels: such that a join is shown.
func (d *Dump) frame() uint64 {
	frame := d.cycles(frameCycles)
	if m := d.marked(); m != nil && m.end() > 0 {
		frame = max(frame, (m.end()+d.cycles(2*frameCycles)-d.viewStart())*framePixels/wavePixels)
	}
	return frame
}

// before is 20 cycles before a mark.
func (d *Dump) before(m *mark) uint64 { return m.fs - min(m.fs, d.cycles(2*frameCycles)) }

// markers are the primary marker, where GTKWave opens, and the 26 named ones, which are unused.
func (d *Dump) markers() string {
	primary := "-1"
	if m := d.marked(); m != nil {
		primary = fmt.Sprint(m.fs)
	}
	return primary + strings.Repeat(" -1", 26)
}

// trace is the entry of a variable in the save file. It shows the name without the scopes that its
// whole group shares.
func (d *Dump) trace(r row, g arranged, common int, f *filters) (string, error) {
	v := r.vars[0]
	short := strings.Join(v.names()[common:], "/") // of names with dots GTKWave shows the last segment
	color := ""
	if g.Color != Normal {
		color = fmt.Sprintf("[color] %d\n", g.Color)
	}
	if g.Label != nil {
		path := v.sig.Path
		if r.bit >= 0 {
			path, _ = splitIndices(path)
		}
		short = strings.ReplaceAll(g.Label(path), ".", "/")
	}
	if r.bit >= 0 {
		text := fmt.Sprintf("@%x\n%s#{%s#%d}", flagRight|flagHex, color, short, r.bit)
		for _, x := range slices.Backward(r.vars) {
			text += fmt.Sprintf(" (%d)%s", x.width-1-r.bit, x.displayName()) // GTKWave counts from the left
		}
		return text + "\n", nil
	}
	flags := flagRight | flagHex
	switch {
	case v.signed():
		flags = flagRight | flagSigned
	case v.width == 1:
		flags = flagRight | flagBinary
	case g.Decimal || v.counts || v.width <= 8:
		flags = flagRight | flagDecimal
	}
	translate := ""
	d.call(v)
	if names := v.called(); len(names) > 0 && v.width > 1 { // GTKWave draws single bits and does not print them
		t, err := f.of(v, names)
		if err != nil {
			return "", err
		}
		flags = flagRight | flagHex | flagTranslate
		translate = fmt.Sprintf("^%d %s\n", t.index, t.path)
	}
	return fmt.Sprintf("@%x\n%s%s+{%s} %s\n", flags, color, translate, short, v.displayName()), nil
}

// calling gives names to values of the variables that a pattern matches.
type calling struct {
	pattern
	names []named
}

// callings converts the names of the options.
func callings(of []Names) (list []calling) {
	for _, n := range of {
		c := calling{pattern: parsePattern(n.Pattern)}
		for _, x := range slices.Sorted(maps.Keys(n.Of)) {
			c.names = append(c.names, named{x, n.Of[x]})
		}
		list = append(list, c)
	}
	return list
}

// call finds the names of the values of a variable: those of the first pattern that matches its
// path or its names.
func (d *Dump) call(v *variable) {
	if v.calls != nil {
		return
	}
	segs, names := v.segs(), v.names()
	for i := range d.callings {
		if c := &d.callings[i]; c.leads(segs) || c.leads(names) {
			v.calls = &c.names
			return
		}
	}
}

// called returns the names of the values of a variable, from the options or from its type. Values
// too wide for the variable are cut to its width: a PC of 31 bits, for example, whose 32-bit value
// means no PC.
func (v *variable) called() []named {
	if v.calls == nil {
		return v.enumeration()
	}
	all := slices.Clone(*v.calls)
	for i := range all {
		all[i].value &= v.mask()
	}
	return all
}

// filters are the translation tables, one for each set of names and width.
type filters struct {
	dir    string
	tables map[string]table // by contents
}

// table is a translation table on disk.
type table struct {
	path  string
	index int // from 1
}

// of returns the table for the values of a variable, and writes it if it is new. Its keys are the
// texts that GTKWave shows without it: hexadecimal, padded to the width.
func (f *filters) of(v *variable, names []named) (table, error) {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "%0*X %s\n", (v.width+3)/4, n.value, oneLine(n.text))
	}
	if t, known := f.tables[b.String()]; known {
		return t, nil
	}
	t := table{index: len(f.tables) + 1}
	t.path = filepath.Join(f.dir, fmt.Sprintf("%d_%s.txt", t.index, v.name))
	f.tables[b.String()] = t
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return t, err
	}
	return t, output.WriteFile(t.path, []byte(b.String()))
}

// arranged is a group with its rows.
type arranged struct {
	Group
	rows []row
}

// row is a variable, or one bit of several.
type row struct {
	vars []*variable
	bit  int // -1: all
}

// commonScopes is the number of scopes, from the root, that all variables of the group share.
func (g arranged) commonScopes() int {
	first := g.rows[0].vars[0].in.names()
	n := len(first)
	for _, r := range g.rows {
		names := r.vars[0].in.names()
		n = min(n, len(names))
		for i := range n {
			if names[i] != first[i] {
				n = i
				break
			}
		}
	}
	return n
}

// arrangement sorts the dumped variables into the groups of the options, or into one for each
// module.
func (d *Dump) arrangement() []arranged {
	if len(d.groups) == 0 {
		all, _ := d.root.arrangement(nil, 0)
		return all
	}
	var open, closed []arranged
	placed := make([]bool, len(d.vars))
	for _, g := range d.groups {
		a := arranged{Group: g}
		for _, p := range g.Patterns {
			a.rows = append(a.rows, d.rows(p, g.Used, placed)...)
		}
		a.Closed = g.Closed && !slices.ContainsFunc(g.Opens, d.changes)
		switch {
		case len(a.rows) == 0:
		case a.Closed:
			closed = append(closed, a)
		default:
			open = append(open, a)
		}
	}
	return append(open, closed...)
}

// rows are the rows of a pattern of a group.
func (d *Dump) rows(p string, used bool, placed []bool) (rows []row) {
	p, bit, cut := splitBit(p)
	var vars []*variable
	d.root.findMade(parsePattern(p), func(v *variable) {
		if v.shown && (cut || !placed[v.id] && !(used && d.unused(v))) {
			placed[v.id] = placed[v.id] || !cut
			vars = append(vars, v)
		}
	})
	slices.SortFunc(vars, func(x, y *variable) int { return x.id - y.id })
	if !cut {
		for _, v := range vars {
			rows = append(rows, row{vars: []*variable{v}, bit: -1})
		}
		return rows
	}
	vars = slices.Compact(vars) // found by path and by name
	some := !used
	for _, v := range vars {
		some = some || bit < v.width && d.bits[v.id].some>>bit&1 != 0
	}
	if vars = slices.DeleteFunc(vars, func(v *variable) bool { return bit >= v.width }); some && len(vars) > 0 {
		rows = append(rows, row{vars, bit})
	}
	return rows
}

// unused reports whether a signal is 0 throughout the dump, or has all bits 1, as a PC that is none.
func (d *Dump) unused(v *variable) bool {
	return d.bits[v.id].some == 0 || v.width > 1 && d.bits[v.id].all == v.mask()
}

// splitBit cuts "mask#5" into "mask" and 5.
func splitBit(p string) (signals string, bit int, cut bool) {
	signals, number, cut := strings.Cut(p, "#")
	if bit, err := strconv.Atoi(number); cut && err == nil {
		return signals, bit, true
	}
	return p, 0, false
}

// changes reports whether a signal that the pattern selects changes where GTKWave opens.
func (d *Dump) changes(p string) (changes bool) {
	if m := d.marked(); m != nil {
		d.root.findMade(parsePattern(p), func(v *variable) {
			changes = changes || v.id >= 0 && slices.Contains(m.changed, uint32(v.id))
		})
	}
	return changes
}

// arrangement appends a group for the scope and for each one below it, up to maxTraces signals.
func (s *scope) arrangement(all []arranged, traces int) ([]arranged, int) {
	a := arranged{Group: Group{Name: strings.Join(s.names(), "."), Color: Red + Color(len(all))%Violet}}
	for _, x := range s.entries {
		if x.v != nil && x.v.shown && traces < maxTraces {
			a.rows = append(a.rows, row{[]*variable{x.v}, -1})
			traces++
		}
	}
	if len(a.rows) > 0 {
		all = append(all, a)
	}
	for _, x := range s.entries {
		if x.sub != nil && x.sub.shown && traces < maxTraces {
			all, traces = x.sub.arrangement(all, traces)
		}
	}
	return all, traces
}
