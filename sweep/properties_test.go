package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
)

// drawn is a plan: groups of axes that advance together, and a condition.
type drawn struct {
	Groups []drawnGroup
	Where  []atom
	Repeat int
}

// drawnGroup is one axis of [product], or a [[zip]].
type drawnGroup struct{ Axes, Steps int }

// atom is a comparison in a condition, and how it is joined to the next one.
type atom struct {
	Axis, Value     int
	Sign            string
	Not, Or, Parens bool // Parens: those behind it are in parentheses
}

// keys are axes with any whole number from 8 to 32.
var keys = []string{
	"l1.mshrs", "clocks.core_mhz", "sm.ctas", "gpu.sms", "clocks.icnt_mhz", "gpu.memory", "clocks.dram_mhz",
	"divergence.capri.entries",
}

// value is the value of an axis in a step.
func (d drawn) value(step int) int { return 8 << step }

// name is the n-th axis of the plan.
func (d drawn) axes() (names []string) {
	for _, g := range d.Groups {
		for range g.Axes {
			if len(names) < 6 {
				names = append(names, keys[len(names)])
			}
		}
	}
	return names
}

// text is the plan file.
func (d drawn) text() string {
	var b strings.Builder
	b.WriteString("kernel = \"vecadd\"\n")
	names := d.axes()
	if len(names) > 0 && len(d.Where) > 0 {
		fmt.Fprintf(&b, "where = %q\n", d.condition(d.Where, names))
	}
	if d.Repeat > 1 {
		fmt.Fprintf(&b, "repeat = %d\n", d.Repeat)
	}
	// [product] can be there once: axes that follow a zip are zips of one axis
	product := true
	for i, g := range d.Groups {
		n := min(g.Axes, len(names))
		if n == 0 {
			continue
		}
		switch {
		case n > 1 || !product:
			b.WriteString("[[zip]]\n")
			product = false
		case i == 0:
			b.WriteString("[product]\n")
		}
		for _, name := range names[:n] {
			var values []string
			for s := range g.Steps {
				values = append(values, fmt.Sprint(d.value(s)))
			}
			fmt.Fprintf(&b, "%s = [%s]\n", name, strings.Join(values, ", "))
		}
		names = names[n:]
	}
	return b.String()
}

// String is the plan file.
func (d drawn) String() string { return d.text() }

// condition is the text of a condition.
func (d drawn) condition(list []atom, names []string) string {
	var b strings.Builder
	for i, a := range list {
		if a.Not {
			b.WriteString("not ")
		}
		fmt.Fprintf(&b, "%s %s %d", names[a.Axis%len(names)], a.Sign, d.value(a.Value))
		if i == len(list)-1 {
			break
		}
		b.WriteString(map[bool]string{false: " and ", true: " or "}[a.Or])
		if a.Parens {
			return b.String() + "(" + d.condition(list[i+1:], names) + ")"
		}
	}
	return b.String()
}

// holds decides a condition: "and" binds stronger than "or".
func (d drawn) holds(list []atom, names []string, values map[string]int) bool {
	either, all := false, true
	for i, a := range list {
		x, y := values[names[a.Axis%len(names)]], d.value(a.Value)
		v := map[string]bool{"==": x == y, "!=": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[a.Sign]
		all = all && v != a.Not
		if i < len(list)-1 && a.Or {
			either, all = either || all, true
		}
		if a.Parens && i < len(list)-1 {
			all = all && d.holds(list[i+1:], names, values)
			break
		}
	}
	return either || all
}

// points lists the points by brute force: all values of all axes, without those of a zip that differ
// in their steps.
func (d drawn) points() [][]any {
	names := d.axes()
	var list [][]any
	var walk func(row []any, group int)
	walk = func(row []any, group int) {
		if group == len(d.Groups) || len(row) == len(names) {
			values := map[string]int{}
			for i, v := range row {
				values[names[i]] = int(v.(int64))
			}
			if len(d.Where) > 0 && len(names) > 0 && !d.holds(d.Where, names, values) {
				return
			}
			for r := range max(d.Repeat, 1) {
				one := slices.Clone(row)
				if d.Repeat > 1 {
					one = append(one, int64(1+r))
				}
				list = append(list, one)
			}
			return
		}
		g := d.Groups[group]
		for step := range g.Steps {
			next := slices.Clone(row)
			for range min(g.Axes, len(names)-len(row)) {
				next = append(next, int64(d.value(step)))
			}
			walk(next, group+1)
		}
	}
	walk(nil, 0)
	return list
}

func drawnPlans() gopter.Gen {
	return forall.Struct[drawn](map[string]gopter.Gen{
		"Groups": forall.List(3, forall.Struct[drawnGroup](map[string]gopter.Gen{
			"Axes": forall.OneOf(1, 2, 3), "Steps": forall.OneOf(1, 2, 3),
		})),
		"Where": forall.List(4, forall.Struct[atom](map[string]gopter.Gen{
			"Axis": forall.OneOf(0, 1, 2, 3, 4, 5), "Value": forall.OneOf(0, 1, 2),
			"Sign": forall.OneOf("==", "!=", "<", "<=", ">", ">="),
			"Not":  forall.Bool(), "Or": forall.Bool(), "Parens": forall.Bool(),
		})),
		"Repeat": forall.OneOf(1, 3),
	})
}

// TestPoints: product, zip, where and repeat give the points of brute force, in its order. Of
// shards, each point is in one.
func TestPoints(t *testing.T) {
	name, many := filepath.Join(t.TempDir(), "plan.toml"), 600
	if testing.Short() {
		many = 60
	}
	forall.CheckMany(t, many, "a plan has the points of brute force", drawnPlans(), func(t *forall.T, d drawn) {
		require.NoError(t, os.WriteFile(name, []byte(d.text()), 0o666))
		want := d.points()
		p, err := Read(name)
		if len(want) == 0 {
			require.ErrorContains(t, err, "where: leaves no point")
			return
		}
		require.NoError(t, err)
		var got [][]any
		for i := range p.Len() {
			got = append(got, append([]any(nil), p.Point(i).Values...))
		}
		require.Equal(t, want, got)
		seen := map[int]bool{}
		for shard := range 3 {
			points, err := p.Shard(shard+1, 3)
			require.NoError(t, err)
			for _, i := range points {
				require.False(t, seen[i])
				seen[i] = true
			}
		}
		require.Len(t, seen, p.Len())
	})
}
