package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"divergo/gpu"
	"divergo/internal/printable"
	"divergo/isa"
	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench"
)

func newDis() *cobra.Command {
	var kernel string
	var asJSON bool
	c := &cobra.Command{
		Use:   "dis FILE.ptx",
		Short: "Print kernels as the hardware sees them: instructions, basic blocks, reconvergence points",
		Args:  exactly(1, "a PTX file"),
		RunE: func(c *cobra.Command, args []string) error {
			programs, err := programs(args[0], kernel)
			if err != nil {
				return err
			}
			told := warnings{w: c.ErrOrStderr()}
			for _, p := range programs {
				for _, m := range divergence.Mechanisms() {
					told.tell(testbench.ProgramWarnings(m, gpu.Default().Divergence, p))
				}
			}
			if asJSON {
				return printJSON(c.OutOrStdout(), listing(args[0], programs))
			}
			for i, p := range programs {
				if i > 0 {
					fmt.Fprintln(c.OutOrStdout())
				}
				if err := p.Fprint(c.OutOrStdout(), ptx.Demangled); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&kernel, "kernel", "", "entry `NAME` to print; all if not given")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// programs reads a PTX file and returns the named kernel, or all.
func programs(file, kernel string) ([]*isa.Program, error) {
	module, err := readPTX(file)
	if err != nil {
		return nil, err
	}
	names := module.Kernels()
	if kernel != "" {
		names = []string{kernel}
	}
	var list []*isa.Program
	instructions := 0
	for _, name := range names {
		p, err := testbench.Program(module, name)
		if err != nil {
			return nil, err
		}
		if instructions += len(p.Insts); instructions > isa.MaxInstructions {
			return nil, fmt.Errorf("%s: the kernels with their functions have more than %d instructions together: name one with --kernel", printable.Name(file), isa.MaxInstructions)
		}
		list = append(list, p)
	}
	return list, nil
}

// instruction is one line of a listing. Fields for PCs that do not exist are absent.
type instruction struct {
	PC      uint32  `json:"pc"`
	Text    string  `json:"text"`
	Where   string  `json:"where"`
	Target  *uint32 `json:"target,omitempty"`
	Reconv  *uint32 `json:"reconverges,omitempty"`
	Likely  *uint32 `json:"likely,omitempty"`
	Class   string  `json:"class,omitempty"`
	Uniform bool    `json:"uniform,omitempty"`
}

// block is a basic block of a listing.
type block struct {
	Start uint32 `json:"start"`
	End   uint32 `json:"end"`
	Succs []int  `json:"successors"`
	Preds []int  `json:"predecessors"`
	IPDom int    `json:"immediate_post_dominator"` // -1: the exit
}

// listing returns the JSON form of the printed text.
func listing(file string, programs []*isa.Program) map[string]any {
	kernels := []map[string]any{}
	for _, p := range programs {
		insts, blocks := []instruction{}, []block{}
		for pc := range p.Insts {
			in := &p.Insts[pc]
			line := instruction{
				PC: uint32(pc), Text: p.Mnemonic(uint32(pc)), Where: p.Where(uint32(pc)),
				Uniform: in.Uniform,
			}
			if in.Op == isa.OpBra {
				line.Target = &in.Target
			}
			if in.Conditional() {
				line.Reconv, line.Likely = known(&in.Reconv), known(&in.Likely)
				line.Class = in.Class.String()
			}
			insts = append(insts, line)
		}
		for _, b := range p.Blocks {
			blocks = append(blocks, block{
				b.Start, b.End, append([]int{}, b.Succs...), append([]int{}, b.Preds...),
				b.IPDom,
			})
		}
		kernels = append(kernels, map[string]any{
			"name": p.Name, "demangled": ptx.Demangled(p.Name), "live_registers": p.LiveRegs,
			"shared_bytes": p.SharedBytes, "local_bytes": p.LocalBytes,
			"instructions": insts, "blocks": blocks,
		})
	}
	return map[string]any{"schema": schema("dis"), "file": file, "kernels": kernels}
}

func known(pc *uint32) *uint32 {
	if *pc == isa.NoPC {
		return nil
	}
	return pc
}
