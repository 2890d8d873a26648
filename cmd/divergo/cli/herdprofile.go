package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"

	"github.com/spf13/cobra"

	"divergo/experiments"
	"divergo/internal/chart"
	"divergo/internal/output"
	"divergo/internal/table"
	"divergo/isa"
	"divergo/kernels"
	"divergo/kernels/quality"
)

// profileFlags are the flags of the verb herd profile.
type profileFlags struct {
	machine           machineFlags
	size, entry       string
	inputs            int
	limit             float64
	out, svg, picture string
	json              bool
}

func newProfile() *cobra.Command {
	var f profileFlags
	c := &cobra.Command{
		Use:   "profile KERNEL",
		Short: "Measure which safe branches and loads are worth herding, and what the result loses",
		Long: `Herd the branches that diverge and the loads that touch several blocks of memory, as far as they are
safe, one after the other, those first that make the kernel fastest alone. One that makes no input
faster is left out again (Sartori & Kumar, Branch and Data Herding, 2012, figure 11). The
degradation of the result is the worst over the inputs, which have the seeds 1, 2 and so on. --out
writes those within --limit to a herding file, which "divergo run --herd" takes.`,
		Example: `  divergo herd profile volumerender --inputs 2 --limit 5 --out v.json --svg v.svg
  divergo herd profile oceanfft --kernel ocean_slope`,
		Args: exactly(1, "a kernel (\"divergo list kernels\")"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.machine.addConfig(c)
	flags := c.Flags()
	flags.StringVar(&f.machine.mechanism, "mech", "", "divergence mechanism `NAME`; \"divergo list mechanisms\"")
	flags.StringVar(&f.size, "size", "", "size of the kernel; the first one if not given")
	flags.StringVar(&f.entry, "kernel", "", "entry `NAME` of the kernel's module, if it has several")
	flags.IntVar(&f.inputs, "inputs", 1, "inputs to run")
	flags.Float64Var(&f.limit, "limit", 10, "degradation in `PERCENT` that is accepted")
	flags.StringVar(&f.out, "out", "", "herding `FILE`.json to write")
	flags.StringVar(&f.svg, "svg", "", "`FILE` for a picture of speed against degradation")
	flags.StringVar(&f.picture, "image", "",
		"`FILE`.png for the result of input 1: without herding, with it, and the difference, side by side")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return c
}

func (f *profileFlags) run(c *cobra.Command, name string) error {
	cfg, err := f.machine.config()
	if err != nil {
		return err
	}
	kernel, err := kernels.Find(name)
	if err != nil {
		return err
	}
	size, err := sizeOf(kernel, f.size)
	switch {
	case err != nil:
		return err
	case f.inputs < 1:
		return fmt.Errorf("--inputs %d: want at least 1", f.inputs)
	case !(f.limit >= 0) || math.IsInf(f.limit, 0): // true for NaN, too
		return fmt.Errorf("--limit %v: want a percentage from 0 on", f.limit)
	case !cfg.Herd.Enable:
		return errors.New("herd.enable = false, so that the machine has no herding")
	}
	if _, draws := size.New(1).(kernels.Picture); f.picture != "" && !draws {
		return fmt.Errorf("--image: %s makes no picture", kernel.Name)
	}
	var files output.Set
	defer files.Discard()
	f.machine.reads(&files)
	out, err := newPicture(&files, "--out", f.out, ".json")
	if err != nil {
		return err
	}
	svg, err := newPicture(&files, "--svg", f.svg, ".svg")
	if err != nil {
		return err
	}
	picture, err := newPicture(&files, "--image", f.picture, ".png")
	if err != nil {
		return err
	}

	asked, leave := listen(c)
	defer leave()
	o := experiments.Profiling{
		Kernel: kernel, Size: size, Entry: f.entry, Config: cfg, Inputs: f.inputs, Limit: f.limit / 100, Stop: asked,
	}
	p, err := o.Find()
	if err != nil {
		return err
	}
	unkept := []error{
		out.keep(func(w io.Writer) error {
			text, err := json.MarshalIndent(p.Herding(), "", "  ")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(w, "%s\n", text)
			return err
		}),
		svg.keep(func(w io.Writer) error {
			_, err := chart.Column{p.Chart()}.WriteTo(w)
			return err
		}),
		picture.keep(func(w io.Writer) error {
			drawn, err := beside(o, p)
			if err != nil {
				return err
			}
			return png.Encode(w, drawn)
		}),
	}
	show := func() error { return printProfile(c.OutOrStdout(), &o, p) }
	if f.json {
		show = func() error { return printJSON(c.OutOrStdout(), profileJSON(&o, p)) }
	}
	return errors.Join(append([]error{show()}, unkept...)...)
}

// beside draws three pictures side by side: the result without herding, the result with the chosen
// herding, and their difference.
func beside(o experiments.Profiling, p *experiments.Profile) (image.Image, error) {
	var parts []image.Image
	for _, h := range []isa.Herding{{}, p.Herding()} {
		w, _, err := o.Run(p.Prog, h, 1)
		if err != nil {
			return nil, err
		}
		parts = append(parts, w.(kernels.Picture).Image())
	}
	parts = append(parts, quality.Difference(parts[1], parts[0]))
	b := parts[0].Bounds()
	all := image.NewRGBA(image.Rect(0, 0, 3*b.Dx()+2*margin, b.Dy()))
	for i, part := range parts {
		for y := range b.Dy() {
			for x := range b.Dx() {
				all.Set(i*(b.Dx()+margin)+x, y, part.At(b.Min.X+x, b.Min.Y+y))
			}
		}
	}
	return all, nil
}

// margin is the space between pictures, in pixels.
const margin = 4

func printProfile(w io.Writer, o *experiments.Profiling, p *experiments.Profile) error {
	fmt.Fprintf(w, "%s %s, entry %s: %s\n", o.Kernel.Name, o.Size.Name, p.Prog.Name, o.Size.Doc)
	fmt.Fprintf(w, "%d safe branches and loads, %d of them diverge; %d herded within %g %% of degradation (%v)\n\n",
		p.Safe, len(p.Candidates), p.Chosen, 100*o.Limit, o.Kernel.Metric)
	t := table.New("pc", "what", "where", "speed-up alone", "speed-up", "degradation %", "herded")
	left := p.Chosen
	for _, c := range p.Candidates {
		what, herded := "branch", "no, not faster"
		if c.Load {
			what = "load"
		} else if n := len(c.Copies); n > 0 {
			what = fmt.Sprintf("branch, %d copies", n+1)
		}
		if c.Kept {
			herded = "no, beyond the limit"
			if left > 0 {
				left--
				herded = "yes"
			}
		}
		t.Row(c.PC, what, p.Prog.Where(c.PC), c.Alone, c.Speedup, 100*c.Degradation, herded)
	}
	_, err := t.WriteTo(w)
	return err
}

func profileJSON(o *experiments.Profiling, p *experiments.Profile) map[string]any {
	list := []map[string]any{}
	for _, c := range p.Candidates {
		list = append(list, map[string]any{
			"pc": c.PC, "copies": append([]uint32{}, c.Copies...), "load": c.Load, "text": p.Prog.Mnemonic(c.PC), "where": p.Prog.Where(c.PC),
			"speedup_alone": c.Alone, "speedup": c.Speedup, "degradation": c.Degradation, "kept": c.Kept,
		})
	}
	return map[string]any{
		"schema": schema("herd.profile"), "kernel": o.Kernel.Name, "size": o.Size.Name, "entry": p.Prog.Name,
		"inputs": o.Inputs,
		"metric": o.Kernel.Metric.String(), "limit": o.Limit, "cycles": p.Cycles, "safe": p.Safe, "candidates": list,
		"herding": p.Herding(),
	}
}
