package cli

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"divergo/experiments"
	"divergo/gpu"
	"divergo/internal/nearest"
	"divergo/internal/papers"
	"divergo/internal/table"
	"divergo/kernels"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/units"
)

// catalogue is one list of the verb list: a table, with the same content as JSON.
type catalogue struct {
	name    string
	header  []string
	entries func(cfg *gpu.Config) []entry
}

// entry is a row of a catalogue. Its first cell is its name.
type entry struct {
	cells []any
	json  map[string]any // nil for a row without a name, which belongs to the row above

	// measure makes the rows that replace this one; nil if nothing is measured. It is slow, so
	// entries are measured in parallel.
	measure func() []entry
}

// name returns the name that selects the entry.
func (e *entry) name() string { return fmt.Sprint(e.cells[0]) }

var catalogues = []catalogue{
	{"kernels", []string{"kernel", "size", "description"}, listKernels},
	{"mechanisms", []string{"mechanism", "description"}, listMechanisms},
	{"lanes", []string{"lanes", "description"}, listLanes},
	{"herding", []string{"part", "description"}, listHerding},
	{"presets", []string{"preset", "description", "source"}, listPresets},
	{"stats", []string{"statistic", "unit", "GPGPU-Sim", "meaning", "source"}, listStats},
	{"keys", []string{"key", "value", "default", "range", "unit", "meaning", "source of the default"}, listKeys},
	{"figures", []string{"figure", "description", "source"}, listFigures},
	{"claims", []string{"claim", "verdict", "statement, the paper's value, ours"}, listClaims},
}

func newList() *cobra.Command {
	var names []string
	for _, l := range catalogues {
		names = append(names, l.name)
	}
	what := strings.Join(names, "|")
	var machine machineFlags
	var asJSON, asTOML, cost bool
	c := &cobra.Command{
		Use:   "list " + what + " [NAME...]",
		Short: "List kernels, mechanisms, presets, statistics, configuration keys, or papers' figures and claims",
		Long: `List what there is, or what of it begins with a NAME. The values of the configuration keys are those
of the machine that --preset, --config and --set describe; with --toml they are a file for --config.
Claims are tried when they are listed: all of them take a minute or two of a processor, and are
divided among those that there are.`,
		Example: `  divergo list kernels
  divergo list keys dram. l2.
  divergo list claims COST TBC-12
  divergo list keys --preset kepler --set gpu.sms=2 --toml > machine.toml
  divergo list mechanisms --cost --preset slp`,
		ValidArgs: names,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("%s: want one of %s", c.CommandPath(), strings.Join(names, ", "))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(names, args[0]) {
				return nearest.Unknown("list", args[0], names)
			}
			cfg, err := machine.config()
			if err != nil {
				return err
			}
			if args[0] == "mechanisms" {
				if err := openFolders(args[1:]); err != nil {
					return err
				}
			}
			if cost {
				return printCosts(c, args, &cfg, asJSON)
			}
			if asTOML && (args[0] != "keys" || len(args) > 1) {
				return fmt.Errorf("--toml is for keys as a whole, not for %s", strings.Join(args, " "))
			}
			if asTOML {
				_, err := c.OutOrStdout().Write(cfg.TOML())
				return err
			}
			return printCatalogue(c, args, &cfg, asJSON)
		},
	}
	machine.addConfig(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&cost, "cost", false, "print the hardware that mechanisms, lanes or herding need on the machine")
	c.Flags().BoolVar(&asTOML, "toml", false, "print the keys as a configuration file")
	return c
}

// openFolders adds the Verilog units in folders to the list of mechanisms.
func openFolders(names []string) error {
	for _, name := range names {
		if strings.Contains(name, "/") {
			if _, err := divergence.Open(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// printCatalogue prints the catalogue that args[0] names, with the entries that the other arguments
// select.
func printCatalogue(c *cobra.Command, args []string, cfg *gpu.Config, asJSON bool) error {
	i := slices.IndexFunc(catalogues, func(l catalogue) bool { return l.name == args[0] })
	return catalogues[i].print(c, catalogues[i].entries(cfg), args[1:], asJSON)
}

// print lists the entries that begin with one of the names, or all.
func (l *catalogue) print(c *cobra.Command, entries []entry, names []string, asJSON bool) error {
	entries, err := l.choose(entries, names)
	if err != nil {
		return err
	}
	entries = measured(c, l.name, entries)
	if asJSON {
		list := []map[string]any{}
		for _, e := range entries {
			if e.json != nil {
				list = append(list, e.json)
			}
		}
		return printJSON(c.OutOrStdout(), map[string]any{"schema": schema("list"), l.name: list})
	}
	t := table.New(l.header...)
	for _, e := range entries {
		t.Row(e.cells...)
	}
	_, err = t.WriteTo(c.OutOrStdout())
	return err
}

// choose returns the entries that begin with one of the names, with the nameless rows below them.
// Without names it returns all.
func (l *catalogue) choose(entries []entry, names []string) (list []entry, err error) {
	if len(names) == 0 {
		return entries, nil
	}
	var known []string
	found, chosen := make([]bool, len(names)), false
	for _, e := range entries {
		if name := e.name(); name != "" {
			known, chosen = append(known, name), false
			for i, begin := range names {
				if strings.HasPrefix(name, begin) {
					found[i], chosen = true, true
				}
			}
		}
		if chosen {
			list = append(list, e)
		}
	}
	if i := slices.Index(found, false); i >= 0 {
		return nil, papers.Unknown(l.header[0], names[i], known)
	}
	return list, nil
}

// measured replaces the entries to measure by their rows. It uses all processors.
func measured(c *cobra.Command, what string, entries []entry) []entry {
	rows := make([][]entry, len(entries))
	line, ended := newProgress(c.ErrOrStderr(), "list"), make(chan bool)
	running, of := make(chan bool, runtime.GOMAXPROCS(0)), 0
	for i, e := range entries {
		if e.measure == nil {
			rows[i] = entries[i : i+1]
			continue
		}
		of++
		go func() {
			running <- true
			rows[i] = e.measure()
			<-running
			ended <- true
		}()
	}
	for n := range of {
		line.say(fmt.Sprintf("%d of %d %s", n, of, what))
		<-ended
	}
	line.clear()
	return slices.Concat(rows...)
}

func listKernels(*gpu.Config) []entry {
	var list []entry
	for _, k := range kernels.All() {
		var sizes []map[string]any
		list = append(list, entry{cells: []any{k.Name, "", k.Doc}})
		for _, s := range k.Sizes {
			sizes = append(sizes, map[string]any{"name": s.Name, "doc": s.Doc})
			list = append(list, entry{cells: []any{"", s.Name, s.Doc}})
		}
		list[len(list)-1-len(k.Sizes)].json = map[string]any{
			"name": k.Name, "doc": k.Doc, "source": k.Source, "control": k.Control, "result": k.Result, "sizes": sizes,
		}
	}
	return list
}

// documented is an entry with a name and what it means.
func documented(name any, doc string) entry {
	return entry{cells: []any{name, doc}, json: map[string]any{"name": name, "doc": doc}}
}

func listMechanisms(*gpu.Config) []entry {
	var list []entry
	for _, m := range divergence.Mechanisms() {
		list = append(list, documented(m.Name, m.Doc))
	}
	return list
}

func listLanes(*gpu.Config) []entry {
	var list []entry
	for _, p := range units.Permutations() {
		list = append(list, documented(p, p.Doc()))
	}
	return list
}

func listHerding(*gpu.Config) []entry {
	var list []entry
	for _, p := range units.HerdParts() {
		list = append(list, documented(p.Name, p.Doc))
	}
	return list
}

func listPresets(*gpu.Config) []entry {
	var list []entry
	for _, p := range gpu.Presets() {
		cfg := p.Config()
		values := make(map[string]any)
		for _, s := range cfg.Resolved() {
			values[s.Key] = s.Value
		}
		list = append(list, entry{
			cells: []any{p.Name, p.Doc, p.Source},
			json:  map[string]any{"name": p.Name, "doc": p.Doc, "source": p.Source, "config": values},
		})
	}
	return list
}

func listStats(*gpu.Config) []entry {
	var list []entry
	for _, s := range testbench.Stats() {
		list = append(list, entry{
			cells: []any{s.Name, s.Unit, s.Word, s.Doc, s.Source},
			json: map[string]any{
				"name": s.Name, "unit": s.Unit, "gpgpu_sim": s.Word, "doc": s.Doc,
				"source": s.Source,
			},
		})
	}
	return list
}

func listKeys(cfg *gpu.Config) []entry {
	var list []entry
	usual := gpu.Default()
	for _, k := range gpu.Keys() {
		legal, doc := k.Legal(), k.Doc
		if n := len(k.Words); n > 0 {
			legal, doc = fmt.Sprintf("one of %d words", n), fmt.Sprintf("%s (%s)", k.Doc, k.Legal())
		}
		list = append(list, entry{
			cells: []any{k.Name, k.Get(cfg), k.Get(&usual), legal, k.Unit, doc, k.Source},
			json: map[string]any{
				"name": k.Name, "type": k.Type, "value": k.Get(cfg), "default": k.Get(&usual),
				"range": k.Legal(), "unit": k.Unit, "doc": k.Doc, "source": k.Source,
			},
		})
		if len(k.Words) > 0 {
			list[len(list)-1].json["words"] = k.Words
		}
	}
	return list
}

func listFigures(*gpu.Config) []entry {
	var list []entry
	for _, f := range experiments.Figures() {
		list = append(list, entry{
			cells: []any{f.Name, f.Doc, f.Paper.At(f.Place)},
			json:  map[string]any{"name": f.Name, "doc": f.Doc, "source": f.Source()},
		})
	}
	return list
}

func listClaims(*gpu.Config) []entry {
	var list []entry
	for _, c := range experiments.Claims() {
		list = append(list, entry{cells: []any{c.ID}, measure: func() []entry { return claimEntries(&c, c.Try()) }})
	}
	return list
}

// claimEntries returns the lines of a claim. The first one holds the claim's JSON.
func claimEntries(c *experiments.Claim, f experiments.Finding) []entry {
	list := []entry{{
		cells: []any{c.ID, f.Verdict, c.Place + ": " + c.Statement},
		json: map[string]any{
			"id": c.ID, "place": c.Place, "statement": c.Statement,
			"theirs": c.Theirs, "ours": f.Ours, "verdict": f.Verdict, "why": c.Why,
		},
	}}
	lines := []string{"theirs: " + c.Theirs, "ours: " + f.Ours}
	if c.Why != "" {
		lines = append(lines, "since "+c.Why)
	}
	for _, line := range lines {
		list = append(list, entry{cells: []any{"", "", line}})
	}
	return list
}
