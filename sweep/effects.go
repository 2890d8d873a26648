package sweep

import (
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
	status, err := ReadStatus(p, s)
	if err != nil {
		return nil, err
	}
	return status.Effects, nil
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
		if unused := p.unused(p.axes[a].key); unused != "" {
			why = append(why, unused)
		}
	}
	if len(why) == 0 {
		return p.limited(f, limits)
	}
	return strings.Join(why, "; ")
}

// switches are the keys that say whether a machine has an optional block, by the section of its keys.
var switches = map[string]string{
	"const": "const.size = 0", "icache": "icache.size = 0", "texture": "texture.size = 0", "herd": "herd.enable = false",
}

// unused says why a key cannot matter in a plan: no machine has the mechanism or block that it is
// of. It is empty for other keys.
func (p *Plan) unused(name string) string {
	section, rest, _ := strings.Cut(name, ".")
	if off, ok := switches[section]; ok && !p.used[section] && !strings.HasPrefix(off, name+" ") {
		return "all points have " + off
	}
	owner, _, inner := strings.Cut(rest, ".")
	if _, ok := divergence.Find(owner); section == "divergence" && inner && ok && !p.used["divergence."+owner] {
		return "no point has mechanism " + owner
	}
	return ""
}

// Idle returns the axes that cannot matter, whatever the results: each with the reason.
func (p *Plan) Idle() []Effect {
	var list []Effect
	for i := range p.Axes {
		if why := p.unused(p.axes[i].key); why != "" {
			list = append(list, Effect{Axes: []string{p.Axes[i].Name}, Why: why})
		}
	}
	return list
}
