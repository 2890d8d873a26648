package blocks

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"divergo/internal/output"
)

// Property is a statement about every input of a block, which ABC proves by induction, on the
// gates that yosys has made.
type Property struct {
	Name  string
	Doc   string
	Block *Block
	Sizes []Sizes // the proof is done for each of them; the first is the one of tests

	// Steps is how many cycles from reset are searched for a counterexample if there is no proof.
	Steps int
	// Long: a proof takes more than 20 seconds. Tests only falsify the property.
	Long bool
	// Macros lists names that the text of the property uses besides those of the sizes.
	Macros func(Sizes) map[string]string
	// Falsify is a change of the printed Verilog with which the property must fail: old text, new
	// text.
	Falsify [2]string
}

//go:embed properties
var propertyTexts embed.FS

// Properties lists the properties by block.
func Properties() []*Property {
	list := []*Property{
		compactorConserves, majorityDefinition, permutationInverse, arbiterGrants, arbiterStarves, barrierOnce,
		scoreboardRemembers, stackNests, dpeStackNests, pdomNests, ppcNests, tokenOrder, tokenLanesKept,
	}
	slices.SortStableFunc(list, func(a, b *Property) int { return strings.Compare(a.Block.Name, b.Block.Name) })
	return list
}

// Prove proves the property for some sizes, for ever, and returns the processor time of the tools.
// If it does not hold, the error is ErrFailed.
func (p *Property) Prove(s Sizes) (time.Duration, error) {
	text, err := p.Block.Print(s)
	if err != nil {
		return 0, err
	}
	return p.prove(s, text.Verilog, true)
}

// prove proves the property of a text, or only searches for a counterexample from reset.
func (p *Property) prove(s Sizes, verilog string, forEver bool) (used time.Duration, err error) {
	if err := Needs("yosys", "berkeley-abc"); err != nil {
		return used, err
	}
	body, err := propertyTexts.ReadFile("properties/" + p.Name + ".sv")
	if err != nil {
		return used, err
	}
	folder, err := output.TempFolder()
	if err != nil {
		return used, err
	}
	defer folder.Remove()
	sizes, err := p.Block.complete(s)
	if err != nil {
		return used, err
	}
	// The property stands in the module, so that it can name its registers.
	end := strings.LastIndex(verilog, "endmodule")
	verilog = verilog[:end] + string(body) + verilog[end:]
	threads, err := propertyTexts.ReadFile("properties/threads.svh")
	if err != nil {
		return used, err
	}
	for name, text := range map[string][]byte{"block.sv": []byte(verilog), "threads.svh": threads} {
		if err := folder.WriteFile(folder.Path(name), text); err != nil {
			return used, err
		}
	}
	read := "read_verilog -sv -formal -mem2reg"
	for name, value := range sizes {
		read += fmt.Sprintf(" -D%s=%d", strings.ToUpper(name), value)
	}
	if p.Macros != nil {
		for name, value := range p.Macros(sizes) {
			read += fmt.Sprintf(" -D%s=%s", name, value)
		}
	}
	top := p.Block.module()
	script := read + " block.sv; hierarchy -top " + top + "; proc -noopt; flatten; delete -port " + top + "/o:*; " +
		"opt_expr; opt_clean -purge; opt_merge; opt_clean -purge; async2sync; dffunmap; techmap; opt_clean -purge; " +
		"setundef -undriven -anyseq; aigmap; write_aiger -zinit block.aig"
	_, used, err = timed(folder, "yosys", "-p", script)
	if err != nil {
		return used, fmt.Errorf("property %s: %w", p.Name, err)
	}
	abc := func(command string) (string, error) {
		said, more, err := timed(folder, "berkeley-abc", "-c", "read_aiger block.aig; fold; strash; orpos; dc2; "+command)
		used += more
		if err != nil {
			return "", fmt.Errorf("property %s: %w", p.Name, err)
		}
		return said, nil
	}
	if !strings.Contains(verilog, "input  clk") {
		said, err := abc("iprove")
		switch {
		case err != nil:
			return used, err
		case strings.Contains(said, "\nUNSATISFIABLE"):
			return used, nil
		case strings.Contains(said, "\nSATISFIABLE"):
			return used, fmt.Errorf("%s: %w: there is a counterexample", p.Name, ErrFailed)
		}
		return used, fmt.Errorf("property %s: expected a result, but berkeley-abc says %q", p.Name, said)
	}
	base := p.Steps
	if forEver {
		said, err := abc(fmt.Sprintf("ind -F %d", induction))
		if err != nil {
			return used, err
		}
		if strings.Contains(said, "Networks are equivalent") {
			base = induction
		}
	}
	said, err := abc(fmt.Sprintf("bmc3 -F %d", base))
	switch {
	case err != nil:
		return used, err
	case strings.Contains(said, "was asserted in frame"):
		return used, fmt.Errorf("%s: %w: there is a counterexample", p.Name, ErrFailed)
	case !strings.Contains(said, fmt.Sprintf("No output asserted in %d frames", base)):
		return used, fmt.Errorf("property %s: expected a result, but berkeley-abc says %q", p.Name, said)
	case forEver && base != induction:
		return used, fmt.Errorf("%s: %w: induction over %d cycles does not prove it", p.Name, ErrFailed, induction)
	}
	return used, nil
}

// induction is the number of cycles of an induction: what holds in the first ones holds in the last.
const induction = 2

// all joins the names of numbered signals, the first one lowest: "{pending_1, pending_0}".
func all(name string, n int) string {
	var list []string
	for i := n - 1; i >= 0; i-- {
		list = append(list, fmt.Sprintf("%s_%d", name, i))
	}
	return "{" + strings.Join(list, ",") + "}"
}
