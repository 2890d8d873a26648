package blocks

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"divergo/internal/output"
)

// Property is a statement about every input of a block, which yosys proves: temporal induction with
// its SAT solver, on the gates that ABC has made.
type Property struct {
	Name  string
	Doc   string
	Block *Block
	Sizes []Sizes // the proof is done for each of them; the first is the one of tests

	// Steps bounds the induction: its base is that many cycles from reset at most.
	Steps int
	// Bounded: the property is tried for Steps cycles from reset, and not proved beyond.
	Bounded bool
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
		compactorConserves, majorityDefinition, permutationInverse, arbiterGrants, arbiterStarves, scoreboardRemembers,
		stackNests, tokenOrder,
	}
	slices.SortStableFunc(list, func(a, b *Property) int { return strings.Compare(a.Block.Name, b.Block.Name) })
	return list
}

// Proof is the result of a proof that found no counterexample.
type Proof struct {
	Cycles int // for which the property has been tried; 0: it holds for ever
	Time   time.Duration
}

// Prove proves the property for some sizes. The error tells of a counterexample.
func (p *Property) Prove(s Sizes) (Proof, error) {
	text, err := p.Block.Print(s)
	if err != nil {
		return Proof{}, err
	}
	return p.prove(s, text.Verilog)
}

// prove proves the property of a text.
func (p *Property) prove(s Sizes, verilog string) (Proof, error) {
	start := time.Now()
	if err := Needs("yosys", "berkeley-abc"); err != nil {
		return Proof{}, err
	}
	body, err := propertyTexts.ReadFile("properties/" + p.Name + ".sv")
	if err != nil {
		return Proof{}, err
	}
	folder, err := output.TempFolder()
	if err != nil {
		return Proof{}, err
	}
	defer folder.Remove()
	sizes, err := p.Block.complete(s)
	if err != nil {
		return Proof{}, err
	}
	// The property stands in the module, so that it can name its registers.
	end := strings.LastIndex(verilog, "endmodule")
	verilog = verilog[:end] + string(body) + verilog[end:]
	if err := folder.WriteFile(folder.Path("block.sv"), []byte(verilog)); err != nil {
		return Proof{}, err
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
	script := read + " block.sv; prep -top " + p.Block.module() + " -flatten; async2sync; dffunmap; techmap; " +
		"opt -full -nodffe -nosdff; abc -exe berkeley-abc -g AND,OR,XOR,MUX; opt_clean; " +
		"sat -prove-asserts -verify -set-assumes -maxsteps " + strconv.Itoa(p.Steps) + " -tempinduct"
	if p.Bounded {
		script += "-baseonly"
	}
	said, err := run(folder, "yosys", "-p", script)
	switch {
	case err == nil && p.Bounded:
		return Proof{p.Steps, time.Since(start)}, nil
	case err == nil:
		return Proof{0, time.Since(start)}, nil
	case strings.Contains(said, "proof did fail") && strings.LastIndex(said, "[base case") > strings.LastIndex(said, "[induction step"):
		return Proof{}, fmt.Errorf("%s: %w: there is a counterexample from reset", p.Name, ErrFailed)
	case strings.Contains(said, "proof did fail"):
		return Proof{}, fmt.Errorf("%s: %w: induction over %d cycles does not prove it", p.Name, ErrFailed, p.Steps)
	}
	return Proof{}, fmt.Errorf("property %s: %w", p.Name, err)
}

// all joins the names of numbered signals, the first one lowest: "{pending_1, pending_0}".
func all(name string, n int) string {
	var list []string
	for i := n - 1; i >= 0; i-- {
		list = append(list, fmt.Sprintf("%s_%d", name, i))
	}
	return "{" + strings.Join(list, ",") + "}"
}
