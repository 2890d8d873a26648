package experiments

import (
	"errors"

	"divergo/kernels"
	"divergo/testbench/launches"
)

// MeasurePlan measures the paths of a file's launches on the golden model, with warps of warpSize
// threads.
func MeasurePlan(plan *launches.Plan, warpSize int) (*Paths, error) {
	return measurePaths(warpSize, func(e *emulator) error {
		first := plan.Steps[0].Prog
		if err := e.memory.MapGlobals(first); err != nil {
			return err
		}
		placed := plan.Place(e)
		for i := range placed.Launches {
			l := &placed.Launches[i]
			if l.Prog.Module != first.Module && len(l.Prog.Globals)+len(first.Globals) > 0 {
				return errors.New("launches of several modules, of which some have variables: measure them one by one")
			}
			if err := placed.Bind(e, i); err != nil {
				return err
			}
			if err := e.run(l.Prog, kernels.Call{
				Grid: l.Grid, Block: l.Block, Shared: l.Shared,
				Params: l.Params,
			}); err != nil {
				return err
			}
		}
		return nil
	})
}
