package dump

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"divergo/gpu"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
	"divergo/waves"
)

// shownEntries is the number of stack entries in the groups, from the bottom.
const shownEntries = 8

// view is the initial view of a reader: one SM, the first one that the filter names.
type view struct {
	sm    string
	warps int
	mixed bool // a slot may have threads of several warps
	// without are the options of `if` tags that the machine does not have.
	without []string
	// response is the queue of responses of the L1.
	response string
	// caches are the names of the read-only caches of an SM.
	caches []string
	// These are the tables and the registers of the divergence hardware, by their names in it.
	tables    []table
	registers []string
	masks     []string // rows of registers that are masks of blocks: one for each warp
}

// table is a memory of the divergence hardware.
type table struct {
	name    string // "Table", "Stack.Entries"
	entries int
	entry   reflect.Type
	parts   int // number of parts: warps, CTAs, or slots
}

// size is the number of entries of a part.
func (t *table) size() int { return t.entries / t.parts }

var someSM = regexp.MustCompile(`^sm(\[|_0*)(\d+)`)

func newView(m *gpu.Machine, filter []string) *view {
	v := &view{sm: "sm[0]", warps: m.Config.SM.Warps(), mixed: m.SMs[0].Div.Homes() != nil, without: without(m)}
	if v.response = "Mem.L1.Rsp.Valid"; m.Units[0].Clients != nil {
		v.response = "Mem.Clients.To[0].Valid"
	}
	for _, f := range filter {
		if x := someSM.FindStringSubmatch(f); x != nil {
			v.sm = "sm[" + x[2] + "]"
			break
		}
	}
	if u := m.Units[0]; u.ConstCache != nil {
		v.caches = append(v.caches, "ConstCache")
	}
	if u := m.Units[0]; u.ICache != nil {
		v.caches = append(v.caches, "ICache")
	}
	if u := m.Units[0]; u.TextureCache != nil {
		v.caches = append(v.caches, "TextureCache")
	}
	for _, sim := range m.System().Sims() {
		if sim.Name() == "sm[0]" { // all SMs are alike
			v.read(sim.Bundles())
		}
	}
	return v
}

// read finds the tables and registers of the divergence hardware, and the tables with a part for
// each warp or CTA.
func (v *view) read(bundles []rtl.Signal) {
	depths := map[string]int{} // of stacks: their number
	for _, b := range bundles {
		name, of := strings.CutPrefix(b.Path, "sm[0].Div")
		name = strings.TrimPrefix(name, ".")
		switch {
		case !of:
		case b.Kind == rtl.MemSignal:
			v.tables = append(v.tables, table{name: name, entries: b.Type.Len(), entry: b.Type.Elem()})
			if stack, ok := strings.CutSuffix(name, ".Depth"); ok {
				depths[stack+".Entries"] = b.Type.Len()
			}
		case b.Kind == rtl.Reg && name != "":
			v.registers = append(v.registers, name)
			v.masks = append(v.masks, v.blockMasks(name, b.Type)...)
		case b.Kind == rtl.Reg:
			for _, p := range b.Parts() {
				if field := strings.TrimPrefix(p.Path, "sm[0].Div."); field != "Stats" && p.Type.Size() > 0 {
					v.registers = append(v.registers, field)
				}
			}
		}
	}
	for i := range v.tables {
		t := &v.tables[i]
		switch n := depths[t.name]; {
		case n > 0:
			t.parts = n
		case t.entries%v.warps == 0:
			t.parts = v.warps
		default:
			t.parts = t.entries
		}
	}
	// The slots first, then depths before entries.
	rank := func(t table) int {
		return slices.Index([]bool{t.name == "Table", strings.HasSuffix(t.name, ".Depth"), true}, true)
	}
	slices.SortStableFunc(v.tables, func(a, b table) int { return rank(a) - rank(b) })
}

// marks are the first branch that diverges, or else the first instruction.
func (v *view) marks() []string {
	return []string{v.sm + ".Div.Stats.Divergent", v.sm + ".Issue.Count.Issued"}
}

// joins are signals that have their earlier values again where the paths of a warp meet: the masks
// of slots, or the depths of stacks where slots are formed anew.
func (v *view) joins() (list []string) {
	for _, t := range v.tables {
		if v.mixed && strings.HasSuffix(t.name, ".Depth") {
			list = append(list, v.sm+".Div."+t.name)
		}
	}
	if list == nil {
		list = []string{v.sm + ".Div.Table[*].Mask"}
	}
	return list
}

// groups arranges a waveform in GTKWave. The closed groups of the hardware that diverges at the
// marker are opened.
func (v *view) groups() []waves.Group {
	at := func(signals ...string) (list []string) {
		for _, s := range signals {
			list = append(list, v.sm+"."+s)
		}
		return list
	}
	list := []waves.Group{
		{Patterns: []string{"clocks.cycle"}},
		{Name: "Issue and branches", Color: waves.Green, Patterns: at(
			"Issue.Class", "Issue.Fire.Slot", "Issue.Fire.PC", "Issue.Out.Front.Mask",
			"ALU.Outcome.Valid", "ALU.Outcome.Front.Slot", "ALU.Outcome.Front.PC", "ALU.Outcome.Front.Target",
			"ALU.Outcome.Front.Taken",
		)},
	}
	list = append(list, v.parts()...)
	for _, cache := range v.caches {
		list = append(list, waves.Group{
			Name: cache, Color: waves.Blue, Closed: true, Used: true,
			Patterns: at("Mem."+cache+".Stall", "Mem."+cache+".Req.Valid", "Mem."+cache+".Req.Front.Line",
				"Mem."+cache+".Count"),
		})
	}
	var registers []string
	for _, r := range v.masks {
		registers = append(registers, v.sm+".Div."+r)
	}
	for _, r := range v.registers {
		registers = append(registers, v.sm+".Div."+r)
	}
	return append(list,
		waves.Group{Name: "Mechanism", Color: waves.Orange, Closed: true, Used: true, Patterns: registers},
		waves.Group{
			Name: "Divergence counters", Color: waves.Orange, Closed: true, Used: true, Decimal: true,
			Patterns: at("Div.Stats"),
		},
		waves.Group{Name: "Fetch, execution, L1", Color: waves.Green, Closed: true, Patterns: at(
			"Fetch.Valid", "Fetch.Slot", "Fetch.PC", "Fetch.N", "Issue.Out.Front.Slot", "Issue.Out.Front.PC",
			"Issue.Out.Front.Row",
			"LSU.Started", "LSU.Tag", "Mem.L1.Stall", "Mem.L1.Req.Valid", v.response,
		)},
		waves.Group{
			Name: "SM counters", Color: waves.Blue, Closed: true, Used: true, Decimal: true,
			Patterns: at("Issue.Count.Issued", "Issue.Count.Lanes", "Mem.L1.Count"),
		},
		waves.Group{
			Name: "L2 counters", Color: waves.Indigo, Closed: true, Used: true, Decimal: true,
			Patterns: []string{"l2[0].Count"},
		},
		waves.Group{
			Name: "DRAM", Color: waves.Violet, Closed: true,
			Patterns: []string{"dram[0].Command", "dram[0].In.Count", "dram[0].Out.Count"},
		},
		waves.Group{
			Name: "DRAM counters", Color: waves.Violet, Closed: true, Used: true, Decimal: true,
			Patterns: []string{"dram[0].Count"},
		},
		waves.Group{Name: "Clocks", Closed: true, Patterns: []string{"clocks"}},
	)
}

// parts returns a group for the divergence hardware of each warp: its slots, its stack, and all
// other tables with a part for each warp.
//
// If slots may hold threads of several warps, the groups belong to slots, and further groups to
// static warps and to the stacks of CTAs. The homes of the threads in a slot, row and lane by lane,
// have a group behind all of these.
func (v *view) parts() []waves.Group {
	var slots, statics, ctas, homes []waves.Group
	for _, t := range v.tables {
		name, color, to := "Warp", waves.Yellow, &slots
		switch {
		case t.name == "Home":
			name, to = "Homes of slot", &homes
		case t.parts != v.warps:
			name, color, to = "CTA", waves.Orange, &ctas
		case t.name == "Statics":
			name, color, to = "Static warp", waves.Orange, &statics
		case v.mixed:
			name = "Slot"
		}
		for i := range t.parts {
			if i == len(*to) {
				*to = append(*to, waves.Group{
					Name: fmt.Sprint(name, " ", i), Color: color, Closed: true, Used: true, Opens: v.opens(&t,
						i), Label: v.label,
				})
			}
			g := &(*to)[i]
			for e := range min(t.size(), shownEntries) {
				g.Patterns = append(g.Patterns, v.rows(&t, i*t.size()+e)...)
			}
		}
	}
	return slices.Concat(slots, ctas, statics, homes)
}

// opens returns the signals of a part of a table that change when a branch is resolved there. These
// are the wait of a slot, the depth of a CTA's stack and its new targets, or the warp barrier of a static
// warp.
func (v *view) opens(t *table, part int) (list []string) {
	for i := range t.size() {
		at := fmt.Sprintf("%s.Div.%s[%d]", v.sm, t.name, part*t.size()+i)
		switch {
		case t.name == "Table":
			list = append(list, at+".Wait")
		case strings.HasSuffix(t.name, ".Depth") || t.name == "Targets":
			list = append(list, at)
		case t.name == "Statics" && !slices.Contains(v.without, "warpbarriers"):
			list = append(list, at+".Barred")
		}
	}
	return list
}

// leading are the fields of an entry that precede the others.
var leading = []string{"PC", "At.PC", "Side", "RPC.PC", "RPC", "Mask", "Wait"}

// rows returns patterns for an entry of a table: the leading fields, and the rest. The mask of a
// block is divided by lanes and has a row for each warp.
func (v *view) rows(t *table, e int) (list []string) {
	at := fmt.Sprintf("%s.Div.%s[%d]", v.sm, t.name, e)
	if t.entry.Kind() != reflect.Struct {
		return []string{at}
	}
	masks := v.blockMasks(at, t.entry)
	var fields []string
	for _, f := range reflect.VisibleFields(t.entry) {
		switch {
		case f.Anonymous || slices.Contains(v.without, f.Tag.Get("if")):
		case f.Type == reflect.TypeFor[units.BlockMask]():
		default:
			fields = append(fields, f.Name)
		}
	}
	for _, path := range leading {
		if field, _, _ := strings.Cut(path, "."); slices.Contains(fields, field) &&
			(field == path || isPoint(t.entry, field)) {
			list = append(list, at+"."+path)
		}
	}
	list = append(list, masks...)
	for _, f := range fields {
		if !slices.Contains(list, at+"."+f) {
			list = append(list, at+"."+f)
		}
	}
	return list
}

// blockMasks returns a row for each warp of each mask of a block in a struct.
func (v *view) blockMasks(at string, of reflect.Type) (list []string) {
	if of.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(of) {
		if f.Type == reflect.TypeFor[units.BlockMask]() {
			for w := range v.warps {
				list = append(list, fmt.Sprintf("%s.%s#%d", at, f.Name, w))
			}
		}
	}
	return list
}

var inTable = regexp.MustCompile(`^([\w.]+?)\[(\d+)\]\.?(.*)$`)

// label names a signal of a table within its part: by its field in a slot, by the place of the
// entry in a stack.
func (v *view) label(path string) string {
	m := inTable.FindStringSubmatch(strings.TrimPrefix(path, v.sm+".Div."))
	if m == nil {
		return path
	}
	i := slices.IndexFunc(v.tables, func(t table) bool { return t.name == m[1] })
	if i < 0 {
		return path
	}
	t, name := &v.tables[i], strings.TrimSuffix(m[1], ".Entries")
	e, _ := strconv.Atoi(m[2]) // digits
	switch {
	case t.size() > 1 && m[3] != "":
		return fmt.Sprintf("%s[%d].%s", name, e%t.size(), m[3])
	case t.name == "Table" || t.name == "Statics" || t.name == "Threads":
		return m[3]
	}
	return strings.TrimSuffix(name+"."+m[3], ".")
}

// isPoint reports whether a field is a PC with a call depth.
func isPoint(entry reflect.Type, field string) bool {
	f, _ := entry.FieldByName(field)
	return f.Type == reflect.TypeFor[divergence.Point]()
}
