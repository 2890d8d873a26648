package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"divergo/gpu"
	"divergo/gpu/area"
	"divergo/internal/nearest"
	"divergo/internal/table"
	"divergo/sm/divergence"
)

// costFlags are the flags of the verb cost.
type costFlags struct {
	machine machineFlags
	node    int
	per     string
	part    string
	json    bool
}

func newCost() *cobra.Command {
	var f costFlags
	c := &cobra.Command{
		Use:   "cost [MECHANISM...]",
		Short: "Estimate the silicon area of a machine",
		Long: `Estimate the area of a machine, part by part, in mm2: low, middle and high. With several mechanisms
the parts stand side by side, and the last line compares the machines with the first one.

Registers, memories and queues are those of the model; the areas of cells, gates and arithmetic units
are published. docs/explanation/area.md explains the model, docs/reference/area.md lists every number
with its source. --part NAME shows what a part consists of.

"divergo list mechanisms --cost" counts the bits of mechanisms only.`,
		Example: `  divergo cost
  divergo cost --preset kepler --node 28
  divergo cost pdom tbc dwf --per sm
  divergo cost tbc --part "divergence mechanism"
  divergo cost --set sm.simd_width=32 --set sm.scheduler=gto --json`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.machine.addConfig(c)
	c.Flags().IntVar(&f.node, "node", 28, "process technology in `NM`: 65, 28 or 7")
	c.Flags().StringVar(&f.per, "per", "gpu", "area of what: `gpu|sm`")
	c.Flags().StringVar(&f.part, "part", "", "show what a part consists of: those whose name begins with `NAME`")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	return c
}

// machineCost is the area of a machine with a mechanism.
type machineCost struct {
	Mechanism string      `json:"mechanism"`
	Area      area.Range  `json:"mm2"`
	SM        area.Range  `json:"sm_mm2"`
	Parts     []area.Part `json:"parts"`
}

func (f *costFlags) run(c *cobra.Command, mechanisms []string) error {
	cfg, err := f.machine.config()
	if err != nil {
		return err
	}
	node, err := area.FindNode(f.node)
	if err != nil {
		return fmt.Errorf("--node: %w", err)
	}
	if f.per != "gpu" && f.per != "sm" {
		return nearest.Unknown("value of --per", f.per, []string{"gpu", "sm"})
	}
	if len(mechanisms) == 0 {
		mechanisms = []string{cfg.Divergence.Mechanism}
	}
	var list []machineCost
	for _, name := range mechanisms {
		if _, err := divergence.Open(name); err != nil {
			return err
		}
		one := cfg
		one.Divergence.Mechanism = name
		a, err := area.Of(&one, node)
		if err != nil {
			return err
		}
		m := machineCost{name, a.Range, a.SM, a.Parts}
		if f.part != "" {
			if m.Parts, err = partsOf(a.Parts, f.part); err != nil {
				return fmt.Errorf("--part: %w", err)
			}
		}
		list = append(list, m)
	}
	switch {
	case f.json:
		return printJSON(c.OutOrStdout(), map[string]any{
			"schema": schema("cost"), "node_nm": node.NM, "machines": list,
		})
	case f.part != "":
		_, err = contents(list).WriteTo(c.OutOrStdout())
	case len(list) == 1:
		_, err = f.breakdown(&cfg, &list[0]).WriteTo(c.OutOrStdout())
	default:
		_, err = f.sideBySide(list).WriteTo(c.OutOrStdout())
	}
	return err
}

// partsOf returns the parts whose names begin so.
func partsOf(parts []area.Part, begin string) (list []area.Part, err error) {
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
		if strings.HasPrefix(p.Name, begin) {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil, nearest.Unknown("part", begin, names)
	}
	return list, nil
}

// whole returns the area of all of a part, of the machine or of an SM, and whether there is any.
func (f *costFlags) whole(p *area.Part) (area.Range, bool) {
	if f.per == "gpu" {
		n := float64(p.Count)
		return area.Range{Low: p.Area.Low * n, Mid: p.Area.Mid * n, High: p.Area.High * n}, true
	}
	return p.Area, p.In == "SM"
}

// total returns the area of the machine or of an SM.
func (f *costFlags) total(m *machineCost) area.Range {
	if f.per == "gpu" {
		return m.Area
	}
	return m.SM
}

// breakdown is the table of one machine: its parts, with the storage and logic of one.
func (f *costFlags) breakdown(cfg *gpu.Config, m *machineCost) *table.Table {
	t := table.New("part", "of each", "number", "bits", "gates", "low mm2", "mm2", "high mm2", "share %")
	all := f.total(m)
	for i := range m.Parts {
		p := &m.Parts[i]
		if r, ok := f.whole(p); ok {
			t.Row(p.Name, p.In, p.Count, p.Bits(), int(p.GateCount().Mid), mm2(r.Low), mm2(r.Mid), mm2(r.High),
				fmt.Sprintf("%.1f", 100*r.Mid/all.Mid))
		}
	}
	if f.per == "gpu" {
		t.Row("one SM, "+m.Mechanism, "", 1, "", "", mm2(m.SM.Low), mm2(m.SM.Mid), mm2(m.SM.High),
			fmt.Sprintf("%.1f", 100*m.SM.Mid/all.Mid))
		t.Row("machine, "+m.Mechanism, "", 1, "", "", mm2(all.Low), mm2(all.Mid), mm2(all.High), "100.0")
	} else {
		t.Row("SM, "+m.Mechanism, "", cfg.GPU.SMs, "", "", mm2(all.Low), mm2(all.Mid), mm2(all.High), "100.0")
	}
	return t
}

// sideBySide is the table of several machines: the middle estimate of each part.
func (f *costFlags) sideBySide(list []machineCost) *table.Table {
	header := []string{"mm2"}
	var names []string // of parts, in the order of the machines
	areas := map[string][]any{}
	for i := range list {
		header = append(header, list[i].Mechanism)
		for k := range list[i].Parts {
			p := &list[i].Parts[k]
			r, ok := f.whole(p)
			if !ok {
				continue
			}
			if areas[p.Name] == nil {
				names, areas[p.Name] = append(names, p.Name), make([]any, len(list))
			}
			areas[p.Name][i] = mm2(r.Mid)
		}
	}
	t := table.New(header...)
	row := func(name string, cell func(m *machineCost) any) {
		cells := []any{name}
		for i := range list {
			cells = append(cells, cell(&list[i]))
		}
		t.Row(cells...)
	}
	for _, name := range names {
		cells := append([]any{name}, areas[name]...)
		for i, cell := range cells {
			if cell == nil {
				cells[i] = "0"
			}
		}
		t.Row(cells...)
	}
	what := map[string]string{"gpu": "machine", "sm": "SM"}[f.per]
	row(what+", low", func(m *machineCost) any { return mm2(f.total(m).Low) })
	row(what, func(m *machineCost) any { return mm2(f.total(m).Mid) })
	row(what+", high", func(m *machineCost) any { return mm2(f.total(m).High) })
	row("over "+list[0].Mechanism+", %", func(m *machineCost) any {
		return fmt.Sprintf("%+.1f", 100*(f.total(m).Mid/f.total(&list[0]).Mid-1))
	})
	return t
}

// contents is the table of what parts consist of.
func contents(list []machineCost) *table.Table {
	t := table.New("mechanism", "part", "item", "built as", "number", "words", "bits", "ports", "gates", "mm2 each")
	for _, m := range list {
		for _, p := range m.Parts {
			for _, x := range p.Memories {
				ports := fmt.Sprintf("%dR%dW", x.Reads, x.Writes)
				if x.Visible {
					ports = "all"
				}
				t.Row(m.Mechanism, p.Name, x.Name, x.Kind, x.Count, x.Words, x.Bits, ports, "", "")
			}
			for _, l := range p.Logic {
				t.Row(m.Mechanism, p.Name, l.Kind, "logic", l.Count, "", l.Bits, "", int(area.GatesOf(l)), "")
			}
			for _, g := range p.Gates {
				t.Row(m.Mechanism, p.Name, g.Name, "logic", 1, "", "", "", int(g.Count.Mid), "")
			}
			for _, d := range p.Datapaths {
				t.Row(m.Mechanism, p.Name, d.Name, "published", d.Count, "", "", "", "", mm2(d.Mid))
			}
		}
	}
	return t
}

// mm2 formats an area with three digits.
func mm2(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	case x >= 1:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.4f", x)
}
