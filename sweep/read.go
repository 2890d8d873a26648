package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"divergo/gpu"
	"divergo/internal/input"
	"divergo/internal/nearest"
	"divergo/internal/place"
	"divergo/internal/printable"
	"divergo/sm/divergence"
)

const (
	maxPlan   = 1 << 20 // bytes of a plan file
	maxPoints = 1 << 24 // combinations of a plan, before where leaves some out
	maxErrors = 10      // reported errors of a plan
)

// words lists what a plan can say outside of its tables, besides fixed values.
var words = []string{"where", "repeat", "max_cycles", "slurm"}

// item is a line of a plan file: a name and its values.
type item struct {
	name   string
	at     int // offset of the name
	values []value
	list   bool // the values are in brackets
}

// value is a value with its offset in the text.
type value struct {
	v  any
	at int
}

// number returns the value of a line with a whole number.
func (it *item) number() (n int64, ok bool) {
	if it.list {
		return 0, false
	}
	n, ok = it.values[0].v.(int64)
	return n, ok
}

// place returns the offset of the first value.
func (it *item) place() int {
	if len(it.values) == 0 {
		return it.at
	}
	return it.values[0].at
}

// reader reads a plan file.
type reader struct {
	*Plan
	text   []byte
	errs   []error
	more   bool // there are more errors than reported
	where  []value
	repeat *item
}

// Read reads and checks a plan file. It reads every file that the plan names. The error lists what
// is wrong, with file, line and column.
func Read(name string) (*Plan, error) {
	text, err := input.Read(name, maxPlan)
	if err != nil {
		return nil, err
	}
	r := &reader{Plan: &Plan{File: name}, text: text}
	if err := r.syntax(); err != nil {
		return nil, err
	}
	r.document()
	r.finish()
	if len(r.errs) == 0 {
		r.choose()
	}
	if len(r.errs) == 0 {
		r.machines()
	}
	return r.Plan, r.err()
}

// err returns all collected errors.
func (r *reader) err() error {
	if r.more {
		return errors.Join(append(r.errs, fmt.Errorf("%s: too many errors", printable.Name(r.File)))...)
	}
	return errors.Join(r.errs...)
}

// errorf adds an error at an offset of the text.
func (r *reader) errorf(at int, format string, args ...any) {
	if len(r.errs) >= maxErrors {
		r.more = true
		return
	}
	line, column := place.Of(r.text, at)
	message, more, _ := strings.Cut(fmt.Sprintf(format, args...), "\n")
	err := place.Error(printable.Name(r.File), r.text, line, column, message)
	if more != "" { // lines of their own, such as those of a file that the plan names
		err = fmt.Errorf("%w\n%s", err, more)
	}
	r.errs = append(r.errs, err)
}

// syntax reports a text that is no TOML.
func (r *reader) syntax() error {
	var doc map[string]any
	err := toml.Unmarshal(r.text, &doc)
	if wrong := (*toml.DecodeError)(nil); errors.As(err, &wrong) {
		row, column := wrong.Position()
		return place.Error(printable.Name(r.File), r.text, row, column, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", printable.Name(r.File), err)
	}
	return nil
}

// wrongTable is the name of a table that has an error, whose lines are not read.
const wrongTable = "wrong"

// document reads the lines of the file in their order.
func (r *reader) document() {
	var p unstable.Parser
	table := ""
	for p.Reset(r.text); p.NextExpression(); {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			name, at := join(e.Key())
			table = wrongTable
			switch {
			case name == "product" && e.Kind == unstable.Table:
				table = name
			case name == "zip" && e.Kind == unstable.ArrayTable:
				table = name
				r.factors = append(r.factors, factor{zip: true, at: at})
			case name == "product":
				r.errorf(at, "[[product]]: want [product], which can be there once")
			case name == "zip":
				r.errorf(at, "[zip]: want [[zip]], which can be there several times")
			default:
				r.errorf(at, "%v, where fixed values come first, without a table",
					nearest.Unknown("table", name, []string{"product", "zip"}))
			}
		case unstable.KeyValue:
			if name, at := join(e.Key()); table != wrongTable {
				r.pairs(table, name, at, e.Value())
			}
		}
	}
}

// join returns the dotted name of a key, and its offset.
func join(parts unstable.Iterator) (name string, at int) {
	var names []string
	for parts.Next() {
		if names == nil {
			at = int(parts.Node().Raw.Offset)
		}
		names = append(names, string(parts.Node().Data))
	}
	return strings.Join(names, "."), at
}

// pairs reads a name with its value, which can be a table in braces.
func (r *reader) pairs(table, name string, at int, v *unstable.Node) {
	if v.Kind == unstable.InlineTable {
		for parts := v.Children(); parts.Next(); {
			inner, at := join(parts.Node().Key())
			r.pairs(table, name+"."+inner, at, parts.Node().Value())
		}
		return
	}
	it := item{name: name, at: at}
	if v.Kind == unstable.Array {
		it.list = true
		for parts := v.Children(); parts.Next(); {
			if parts.Node().Kind != unstable.Comment {
				it.values = append(it.values, r.scalar(name, parts.Node(), at))
			}
		}
	} else {
		it.values = []value{r.scalar(name, v, at)}
	}
	switch {
	case table == "":
		r.fixed(&it)
	case table == "product":
		r.axis(&it, &factor{})
	default:
		r.axis(&it, &r.factors[len(r.factors)-1])
	}
}

// scalar returns a string, a whole number or a truth value. The offset at is that of its name.
func (r *reader) scalar(name string, n *unstable.Node, at int) value {
	if n.Raw.Length > 0 {
		at = int(n.Raw.Offset)
	}
	switch n.Kind {
	case unstable.String:
		return value{string(n.Data), at}
	case unstable.Bool:
		return value{n.Data[0] == 't', at}
	case unstable.Integer:
		if i, err := strconv.ParseInt(string(n.Data), 0, 64); err == nil {
			return value{i, at}
		}
	}
	r.errorf(at, "%s: want a string, a whole number, true or false", name)
	return value{"", at}
}

// fixed reads a line outside of tables.
func (r *reader) fixed(it *item) {
	switch it.name {
	case "where":
		for _, v := range it.values {
			if _, ok := v.v.(string); !ok {
				r.errorf(v.at, "where: want a condition in quotes, such as \"mechanism == pdom or sm.schedulers == 1\"")
				continue
			}
			r.where = append(r.where, v)
		}
	case "repeat":
		if n, ok := it.number(); !ok || n < 1 || n > maxPoints {
			r.errorf(it.place(), "repeat: want a number of runs with different seeds, 1 to %d", maxPoints)
			return
		}
		r.repeat = it
	case "max_cycles":
		n, ok := it.number()
		if !ok || n < 0 {
			r.errorf(it.place(), "max_cycles: want a number of core cycles of a launch; 0: no limit")
			return
		}
		r.maxCycles = uint64(n)
	case "slurm":
		for _, v := range it.values {
			text, ok := v.v.(string)
			if !ok || !strings.HasPrefix(text, "-") || strings.ContainsAny(text, "\n\r") {
				r.errorf(v.at, "slurm: want options of sbatch, such as \"--account=ours\"")
				continue
			}
			r.Slurm = append(r.Slurm, text)
		}
	default:
		switch {
		case !r.known(it, words):
		case it.list:
			r.errorf(it.at, "%s: a list outside of a table: want one value, or an axis in [product] or [[zip]]", it.name)
		default:
			r.add(it, true)
		}
	}
}

// axis reads a line of a table. A line of [product] is a factor of its own.
func (r *reader) axis(it *item, f *factor) {
	if slices.Contains(words, it.name) {
		r.errorf(it.at, "%s: want it outside of tables, at the beginning of the file", it.name)
		return
	}
	if !r.known(it, nil) {
		return
	}
	if len(it.values) == 0 {
		r.errorf(it.at, "%s: want at least one value", it.name)
		return
	}
	if f.zip && len(f.axes) > 0 && len(it.values) != f.steps {
		r.errorf(it.at, "%s: %d values, want %d as %s has: the axes of a zip advance together", it.name,
			len(it.values), f.steps, r.axes[f.axes[0]].name)
		return
	}
	at, ok := r.add(it, false)
	if !ok {
		return
	}
	f.axes, f.steps = append(f.axes, at), len(it.values)
	if !f.zip {
		r.factors = append(r.factors, *f)
	}
}

// known reports whether a name is that of an axis, and adds an error if not.
func (r *reader) known(it *item, also []string) bool {
	if slices.Contains(Names, it.name) || it.name == "dram" {
		return true
	}
	all := slices.Concat(Names, also)
	for _, k := range gpu.Keys() {
		if k.Name == it.name || k.Old == it.name {
			return true
		}
		all = append(all, k.Name)
	}
	message := fmt.Sprintf("unknown axis %q; want a key (\"divergo list keys\"), or one of %s", it.name,
		strings.Join(Names, ", "))
	if w := nearest.Word(it.name, all); w != "" {
		message = fmt.Sprintf("unknown axis %q; did you mean %q?", it.name, w)
	}
	r.errorf(it.at, "%s", message)
	return false
}

// add adds an axis, and returns its number in Plan.axes. It checks the values.
func (r *reader) add(it *item, fixed bool) (at int, ok bool) {
	a := axis{name: it.name, key: it.name, at: it.at, values: it.values, fixed: fixed}
	switch {
	case it.name == "mechanism":
		a.key = "divergence.mechanism"
	case it.name == "lanes":
		a.key = "sm.lanes"
	case slices.Contains(Names, it.name):
		a.key = ""
	default:
		for _, k := range gpu.Keys() {
			if k.Old == it.name {
				a.key = k.Name
			}
		}
	}
	for i := range r.axes {
		if o := &r.axes[i]; o.name == a.name || o.key != "" && o.key == a.key {
			line, _ := place.Of(r.text, o.at)
			r.errorf(it.at, "%s: line %d has %s already", it.name, line, o.name)
			return 0, false
		}
	}
	ok = true
	for i, v := range a.values {
		if slices.ContainsFunc(a.values[:i], func(o value) bool { return o.v == v.v }) {
			r.errorf(v.at, "%s: %v is there twice", it.name, v.v)
			ok = false
		} else if err := r.value(&a, v); err != nil {
			r.errorf(v.at, "%v", err)
			ok = false
		}
	}
	if ok {
		r.axes = append(r.axes, a)
	}
	return len(r.axes) - 1, ok
}

// value checks a value of an axis by itself, and reads the file that it names.
func (r *reader) value(a *axis, v value) error {
	if a.key != "" {
		c := gpu.Default()
		if _, known := divergence.Find(text(v.v)); a.name == "mechanism" && !known {
			var names []string
			for _, m := range divergence.Mechanisms() {
				names = append(names, m.Name)
			}
			return nearest.Unknown("mechanism", text(v.v), names)
		}
		return c.Set(a.key + "=" + text(v.v))
	}
	if a.name == "seed" {
		if n, ok := v.v.(int64); !ok || n < 0 {
			return fmt.Errorf("seed: found %v, want a whole number from 0 on", v.v)
		}
		return nil
	}
	word, ok := v.v.(string)
	if !ok {
		return fmt.Errorf("%s: found %v, want a name in quotes", a.name, v.v)
	}
	switch a.name {
	case "preset":
		_, err := gpu.FindPreset(word)
		return err
	case "config":
		c := gpu.Default()
		return load(&c, r.path(word))
	case "kernel":
		s, err := r.newSubject(word)
		r.subjects = append(r.subjects, s)
		return err
	}
	h, err := r.newHerd(word)
	a.herds = append(a.herds, h)
	return err
}

// load overlays a file with keys on a configuration.
func load(c *gpu.Config, name string) error {
	text, err := input.Read(name, gpu.MaxDocument)
	if err != nil {
		return err
	}
	return c.Load(printable.Name(name), text)
}

// finish checks the plan as a whole.
func (r *reader) finish() {
	for _, f := range r.factors {
		if len(f.axes) == 0 && len(r.errs) == 0 {
			r.errorf(f.at, "[[zip]] without axes")
		}
	}
	if len(r.errs) == 0 && r.find("kernel") < 0 {
		r.errorf(0, "no kernel: want kernel = \"bitonic\", or an axis kernel (\"divergo list kernels\")")
	}
	if len(r.errs) > 0 {
		return
	}
	r.seeds()
	// Plan.axes has the varying axes first.
	order := make([]int, len(r.axes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := r.axes[a].fixed, r.axes[b].fixed; {
		case x == y:
			return 0
		case y:
			return -1
		}
		return 1
	})
	sorted, to := make([]axis, len(order)), make([]int, len(order))
	for i, from := range order {
		sorted[i], to[from] = r.axes[from], i
		one := Axis{Name: sorted[i].name}
		for _, v := range sorted[i].values {
			one.Values = append(one.Values, v.v)
		}
		if sorted[i].fixed {
			r.Fixed = append(r.Fixed, one)
		} else {
			r.Axes = append(r.Axes, one)
		}
	}
	r.axes = sorted
	for i := range r.factors {
		for j, a := range r.factors[i].axes {
			r.factors[i].axes[j] = to[a]
		}
	}
}

// seeds makes an axis of repeat: the seeds from that of the plan on. It varies fastest.
func (r *reader) seeds() {
	if r.repeat == nil {
		return
	}
	first := int64(1)
	if at := r.find("seed"); at >= 0 {
		if !r.axes[at].fixed {
			r.errorf(r.repeat.at, "repeat: seed is an axis already, want one of them")
			return
		}
		first = r.axes[at].values[0].v.(int64)
		r.axes = slices.Delete(r.axes, at, at+1)
		for i := range r.factors {
			for j, a := range r.factors[i].axes {
				if a > at {
					r.factors[i].axes[j] = a - 1
				}
			}
		}
	}
	a := axis{name: "seed", at: r.repeat.at}
	for i := range r.repeat.values[0].v.(int64) {
		a.values = append(a.values, value{first + i, r.repeat.values[0].at})
	}
	r.factors = append(r.factors, factor{axes: []int{len(r.axes)}, steps: len(a.values)})
	r.axes = append(r.axes, a)
}

// choose lists the combinations that the conditions leave.
func (r *reader) choose() {
	var tests []test
	for _, v := range r.where {
		if t := r.newCondition(v); t != nil {
			tests = append(tests, t)
		}
	}
	all := 1
	for _, f := range r.factors {
		if all *= f.steps; all > maxPoints {
			r.errorf(0, "more than %d points: want fewer values, or several plans", maxPoints)
			return
		}
	}
	if len(r.errs) > 0 {
		return
	}
	for n := range uint32(all) {
		steps := r.combination(n)
		if !slices.ContainsFunc(tests, func(t test) bool { return !t(steps) }) {
			r.points = append(r.points, n)
		}
	}
	if len(r.points) == 0 {
		r.errorf(r.where[0].at, "where: leaves no point of %d", all)
	}
}
