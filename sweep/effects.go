package sweep

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"divergo/sm/divergence"
)

// Effect says what an axis has changed. The axes of a zip are one effect.
type Effect struct {
	Axes    []string // names; several for a zip
	Groups  int      // sets of points with results that are equal in all other axes, two points or more
	Changed int      // of these, sets in which an outcome or a statistic differs
	Why     string   // of an axis that changed nothing: the reason, where the machine knows it
}

// seen is what Effects keeps of a result.
type seen struct {
	there bool
	hash  uint64
	limit string
}

// Effects returns the effect of each axis of a plan on the results in a store, in plan order.
func Effects(p *Plan, s *Store) ([]Effect, error) {
	seed := maphash.MakeSeed()
	all := make([]seen, p.Len())
	for row, err := range Collect(p, s) {
		if err != nil {
			return nil, err
		}
		if r := row.Result; r != nil {
			text := appendStats([]byte(r.Outcome+"\x00"), r.Stats)
			all[row.Index] = seen{true, maphash.Bytes(seed, text), intern([]byte(r.LimitedBy))}
		}
	}
	return p.effects(all), nil
}

// effects compares results that differ in one factor.
func (p *Plan) effects(all []seen) []Effect {
	var list []Effect
	for f := range p.factors {
		of := &p.factors[f]
		if of.steps == 1 {
			continue
		}
		var e Effect
		for _, a := range of.axes {
			e.Axes = append(e.Axes, p.axes[a].name)
		}
		weight := uint32(1) // of a step of the factor, in combinations
		for _, later := range p.factors[f+1:] {
			weight *= uint32(later.steps)
		}
		type group struct {
			first   seen
			n       int
			changed bool
		}
		groups := map[uint32]*group{}
		var limits []string
		for i, n := range p.points {
			if !all[i].there {
				continue
			}
			if !slices.Contains(limits, all[i].limit) {
				limits = append(limits, all[i].limit)
			}
			others := n - n/weight%uint32(of.steps)*weight
			g := groups[others]
			if g == nil {
				g = &group{first: all[i]}
				groups[others] = g
			}
			g.n++
			g.changed = g.changed || all[i].hash != g.first.hash
		}
		for _, g := range groups {
			if g.n > 1 {
				e.Groups++
				if g.changed {
					e.Changed++
				}
			}
		}
		if e.Groups > 0 && e.Changed == 0 {
			e.Why = p.idle(of, limits)
		}
		list = append(list, e)
	}
	return list
}

// resources are the keys that only change how many CTAs an SM holds, and the limit that each sets.
var resources = map[string]string{
	"sm.threads": "threads", "sm.ctas": "CTAs", "sm.registers": "registers", "shared.size": "shared memory",
}

// idle says why the axes of a factor change nothing. limits are the limits of all results.
func (p *Plan) idle(f *factor, limits []string) string {
	var why []string
	for _, a := range f.axes {
		name := p.axes[a].key
		if unused := p.unused(name); unused != "" {
			why = append(why, unused)
		} else if r, ok := resources[name]; ok && !slices.ContainsFunc(limits, func(l string) bool {
			return slices.Contains(strings.Split(l, ", "), r)
		}) && len(limits) > 0 {
			why = append(why, "the CTAs of an SM are limited by "+strings.Join(slices.Compact(slices.Sorted(slices.Values(limits))), "; "))
		}
	}
	return strings.Join(why, "; ")
}

// unused says why a key cannot matter in a plan: it is one of a mechanism that no point has.
func (p *Plan) unused(name string) string {
	rest, ok := strings.CutPrefix(name, "divergence.")
	owner, _, inner := strings.Cut(rest, ".")
	if _, mechanism := divergence.Find(owner); !ok || !inner || !mechanism {
		return ""
	}
	if p.mechanisms[owner] {
		return ""
	}
	return fmt.Sprintf("no point has mechanism %s", owner)
}
