package litmus

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
)

// access is an instruction of a random test.
type access struct {
	Op     string // ld, st, atom, red, fence
	Order  int    // of legalOrders
	Narrow bool   // scope .cta
	Y      bool   // of variable y, not x
}

// random is a test of three threads. The first two are in one CTA.
type random struct{ A, B, C []access }

var legalOrders = map[string][]string{
	"ld": {".weak", ".relaxed", ".acquire"}, "st": {".weak", ".relaxed", ".release"}, "fence": {
		".acquire", ".release",
		".acq_rel", ".sc",
	},
	"atom": {".relaxed", ".acquire", ".release", ".acq_rel"}, "red": {".relaxed", ".release"},
}

// text returns the instruction; n gives each a register, or a stored value, of its own.
func (a access) text(n int) string {
	order := legalOrders[a.Op][a.Order%len(legalOrders[a.Op])]
	scope, v := ".gpu", "x"
	if a.Narrow {
		scope = ".cta"
	}
	if order == ".weak" {
		scope = ""
	}
	if a.Y {
		v = "y"
	}
	switch a.Op {
	case "ld":
		return fmt.Sprintf("ld%s%s.global.u32 r%d, [%s]", order, scope, n%16, v)
	case "st":
		return fmt.Sprintf("st%s%s.global.u32 [%s], %d", order, scope, v, n+1)
	case "atom":
		return fmt.Sprintf("atom%s%s.global.exch.b32 r%d, [%s], %d", order, scope, n%16, v, n+1)
	case "red":
		return fmt.Sprintf("red%s%s.global.add.u32 [%s], %d", order, scope, v, 16*(n+1))
	}
	return "fence" + order + scope
}

// source writes the test. The result of change for an instruction precedes it, unless it is the
// first.
func (r random) source(change func(a *access) (ahead string)) string {
	columns := [][]string{nil, nil, nil}
	for i, list := range [][]access{r.A, r.B, r.C} {
		for k, a := range list {
			if ahead := change(&a); ahead != "" && k > 0 {
				columns[i] = append(columns[i], ahead)
			}
			columns[i] = append(columns[i], a.text(5*i+k))
		}
	}
	var b strings.Builder
	b.WriteString("test random\nT0 @ cta 0 | T1 @ cta 0 | T2 @ cta 1\n")
	for k := range 8 {
		var cells []string
		for _, c := range columns {
			cell := ""
			if k < len(c) {
				cell = c[k]
			}
			cells = append(cells, fmt.Sprintf("%-42s", cell))
		}
		if row := strings.Join(cells, "| "); strings.Trim(row, " |") != "" {
			b.WriteString(strings.TrimRight(row, " ") + "\n")
		}
	}
	return b.String() + "# [x]\n"
}

func same(*access) string { return "" }

func (r random) String() string { return r.source(same) }

// test returns the test, nil if it has no access.
func (r random) test(t *forall.T, change func(a *access) string) *Test {
	text := r.source(change)
	if !strings.Contains(text[:strings.Index(text, "#")], "[") {
		return nil
	}
	tests, err := Parse("random.litmus", text)
	require.NoError(t, err)
	return tests[0]
}

var (
	accesses = forall.Struct[access](map[string]gopter.Gen{
		"Op": forall.OneOf("ld", "st", "atom", "red", "fence"), "Order": gen.IntRange(0,
			3), "Narrow": forall.Bool(), "Y": forall.Bool(),
	})
	randoms = forall.Struct[random](map[string]gopter.Gen{
		"A": forall.List(3, accesses), "B": forall.List(2, accesses), "C": forall.List(2, accesses),
	})
)

func TestProperties(t *testing.T) {
	forall.Check(t, "the model allows what a sequentially consistent machine does", randoms,
		func(t *forall.T, r random) {
			if test := r.test(t, same); test != nil {
				require.Subset(t, test.allowed(), test.interleavings())
			}
		})
	forall.Check(t, "with strong accesses and fence.sc between all of them the model is sequentially consistent",
		randoms, func(t *forall.T, r random) {
			test := r.test(t, func(a *access) string {
				if a.Narrow = false; a.Op != "fence" && a.Order%len(legalOrders[a.Op]) == 0 {
					a.Order = 1
				}
				return "fence.sc.gpu"
			})
			if test != nil {
				require.Equal(t, test.interleavings(), test.allowed())
			}
		})
	forall.Check(t, "a weaker order or a narrower scope forbids nothing more", randoms, func(t *forall.T, r random) {
		strong := r.test(t, same)
		weak := r.test(t, func(a *access) string {
			a.Narrow = true
			if a.Op == "fence" {
				a.Order = min(a.Order%4, 2)
			} else {
				a.Order = 0
			}
			return ""
		})
		if strong != nil {
			require.Subset(t, weak.allowed(), strong.allowed())
		}
	})
}
