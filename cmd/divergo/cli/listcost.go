package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"divergo/gpu"
	"divergo/sm/divergence"
	"divergo/units"
)

// printCosts runs list --cost.
func printCosts(c *cobra.Command, args []string, cfg *gpu.Config, asJSON bool) error {
	name, names := args[0], args[1:]
	switch name {
	case "mechanisms":
		l := catalogue{name: name, header: []string{
			"mechanism", "what", "words", "bits", "of an SM", "a warp's share",
			"a CTA's share",
		}}
		entries, err := listMechanismCosts(cfg)
		if err != nil {
			return err
		}
		return l.print(c, entries, names, asJSON)
	case "lanes":
		l := catalogue{name: name, header: []string{"lanes", "bits of an SM"}}
		return l.print(c, listLaneCosts(cfg), names, asJSON)
	case "herding":
		l := catalogue{name: name, header: []string{"part", "what", "bits", "of an SM"}}
		return l.print(c, listHerdingCosts(cfg), names, asJSON)
	}
	return fmt.Errorf("--cost is for mechanisms, lanes and herding, not for %s", name)
}

// listMechanismCosts lists the storage and logic of each mechanism, per SM, per warp and per CTA. A
// row with the sum of bits heads a row for each structure and kind of logic.
func listMechanismCosts(cfg *gpu.Config) ([]entry, error) {
	g := divergence.Geometry{Lanes: cfg.SM.WarpSize, Warps: cfg.SM.Warps(), CTAs: cfg.SM.CTAs}
	shares := func(n int) []any { return []any{n, share(n, g.Warps), share(n, g.CTAs)} }
	object := func(n int, name string, more map[string]any) map[string]any {
		more[name+"_per_sm"], more[name+"_per_warp"], more[name+"_per_cta"] = n, float64(n)/float64(g.Warps),
			float64(n)/float64(g.CTAs)
		return more
	}
	var list []entry
	for _, m := range divergence.Mechanisms() {
		cost, err := m.Cost(cfg.Divergence, g)
		if err != nil {
			return nil, err
		}
		storage, logic := []map[string]any{}, []map[string]any{}
		sum := len(list)
		list = append(list, entry{cells: append([]any{m.Name, "storage", "", ""}, shares(cost.Bits())...)})
		for i := range cost.Storage {
			s := &cost.Storage[i]
			list = append(list, entry{cells: append([]any{"", s.Path, s.Words, s.Width()},
				shares(s.Words*s.Width())...)})
			fields := map[string]any{}
			for _, f := range s.Fields {
				if f.Name != "" {
					fields[f.Name] = f.Bits
				}
			}
			storage = append(storage, object(s.Words*s.Width(), "bits",
				map[string]any{"structure": s.Path, "words": s.Words, "bits": s.Width(), "fields": fields}))
		}
		for _, l := range cost.Logic {
			list = append(list, entry{cells: append([]any{"", l.Kind, "", l.Bits}, shares(l.Count)...)})
			logic = append(logic, object(l.Count, "count", map[string]any{"kind": l.Kind, "bits": l.Bits}))
		}
		list[sum].json = object(cost.Bits(), "bits", map[string]any{"name": m.Name, "storage": storage, "logic": logic})
	}
	return list, nil
}

// share returns n/parts: an integer if it divides evenly, else a fraction.
func share(n, parts int) any {
	if n%parts == 0 {
		return n / parts
	}
	return fmt.Sprintf("%.1f", float64(n)/float64(parts))
}

// listHerdingCosts lists the storage of each part of herding, and a row for each kind of its logic.
func listHerdingCosts(cfg *gpu.Config) []entry {
	var list []entry
	for _, p := range units.HerdParts() {
		var logic []map[string]any
		sum := len(list)
		bits := p.Bits(&cfg.Herd, cfg.SM.Warps())
		list = append(list, entry{cells: []any{p.Name, "storage", "", bits}})
		for _, l := range p.Logic(cfg.SM.WarpSize) {
			list = append(list, entry{cells: []any{"", l.Kind, l.Bits, l.Count}})
			logic = append(logic, map[string]any{"kind": l.Kind, "bits": l.Bits, "count_per_sm": l.Count})
		}
		list[sum].json = map[string]any{"name": p.Name, "bits_per_sm": bits, "logic": logic}
	}
	return list
}

func listLaneCosts(cfg *gpu.Config) []entry {
	var list []entry
	for _, p := range units.Permutations() {
		bits := p.Bits(cfg.SM.WarpSize)
		list = append(list, entry{cells: []any{p, bits}, json: map[string]any{"name": p, "bits_per_sm": bits}})
	}
	return list
}
