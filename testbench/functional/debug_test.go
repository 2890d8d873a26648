package functional_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"divergo/gpu"
	"divergo/isa"
	"divergo/properties/draw"
	"divergo/testbench"
	"divergo/testbench/functional"
	"divergo/testbench/golden"
)

func TestDebug(t *testing.T) {
	seed, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	cfg := gpu.Default()
	cfg.GPU.SMs = 1
	s, _ := testbench.NewSession(cfg, testbench.Limits{})
	c := draw.New(seed, features)
	k, _ := c.Compile()
	k.Launch(s, func(l testbench.Launch) error {
		s.PlaceModule(l.Prog)
		var memory golden.Memory
		for _, r := range s.Memory().Ranges() {
			data := make([]byte, r.End-r.Start)
			s.Read(r.Start, data)
			memory.Map(r.Start, uint64(len(data)))
			memory.Write(r.Start, data)
		}
		want, _ := golden.Run(l.Prog, l.Golden(&k.Machine), &memory, golden.Options{Registers: true, Keep: 100000})
		fmt.Println("golden", want.End, want.Fault, want.Steps)
		threads := int(l.Block[0] * l.Block[1] * l.Block[2])
		at := map[int]int{}
		bad := 0
		functional.Debug = func(cta uint64, first int, pc, mask uint32) {
			for lane := range 32 {
				if mask>>lane&1 == 0 { continue }
				th := int(cta)*threads + first + lane
				if at[th] >= len(want.Threads[th].Kept) { fmt.Println("thread", th, "more", pc); bad++; continue }
				if w := want.Threads[th].Kept[at[th]].PC; w != pc && bad < 10 {
					fmt.Println("thread", th, "at", pc, k.Prog.Insts[pc].Text, "want", w, k.Prog.Insts[w].Text, "step", at[th]); bad++
				}
				at[th]++
			}
		}
		functional.Debug2 = func(cta uint64, first int, pc uint32, i int, mask uint32, row *isa.Row) {
			for lane := range 32 {
				if mask>>lane&1 == 0 { continue }
				th := int(cta)*threads + first + lane
				if at[th]-1 >= len(want.Threads[th].Kept) { continue }
				if w := want.Threads[th].Kept[at[th]-1]; w.PC == pc && w.Wrote && w.Dst[i] != row[lane] && bad < 10 {
					fmt.Printf("thread %d at %d %s: %#x want %#x step %d\n", th, pc, k.Prog.Insts[pc].Text, row[lane], w.Dst[i], at[th]); bad++
				}
			}
		}
		setup := l.Functional(&k.Machine, 8)
		setup.Independent = true
		m := functional.NewMemory(s.Memory().Ranges(), 0, s.Machine.Store.Read)
		r, err := functional.Run(setup, m)
		fmt.Printf("%v %v %+v %d %v\n", r.End, err, r.Fault, r.Lanes, k.Machine.SM.WarpSize)
		m.Changes(s.Write)
		return nil
	})
}
