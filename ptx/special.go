package ptx

import (
	"slices"

	"divergo/isa"
)

// specialRegister is a special register and its width (section 10).
type specialRegister struct {
	reg  isa.Special
	bits int
}

// %gridid has 32 bits before PTX ISA 3.0 and 64 since; either is accepted.
var specials = map[string]specialRegister{
	"%tid.x": {isa.TidX, 32}, "%tid.y": {isa.TidY, 32}, "%tid.z": {isa.TidZ, 32},
	"%ntid.x": {isa.NTidX, 32}, "%ntid.y": {isa.NTidY, 32}, "%ntid.z": {isa.NTidZ, 32},
	"%ctaid.x": {isa.CtaidX, 32}, "%ctaid.y": {isa.CtaidY, 32}, "%ctaid.z": {isa.CtaidZ, 32},
	"%nctaid.x": {isa.NCtaidX, 32}, "%nctaid.y": {isa.NCtaidY, 32}, "%nctaid.z": {isa.NCtaidZ, 32},
	"%laneid": {isa.LaneID, 32}, "%warpid": {isa.WarpID, 32}, "%nwarpid": {isa.NWarpID, 32},
	"%smid": {isa.SMID, 32}, "%nsmid": {isa.NSMID, 32}, "%gridid": {isa.GridID, 64},
	"%clock": {isa.Clock, 32}, "%clock_hi": {isa.ClockHi, 32}, "%clock64": {isa.Clock64, 64}, "%globaltimer": {isa.GlobalTimer, 64},
	"%lanemask_eq": {isa.LanemaskEq, 32}, "%lanemask_le": {isa.LanemaskLe, 32}, "%lanemask_lt": {isa.LanemaskLt, 32},
	"%lanemask_ge": {isa.LanemaskGe, 32}, "%lanemask_gt": {isa.LanemaskGt, 32},
	"%dynamic_smem_size": {isa.DynamicSharedSize, 32}, "%total_smem_size": {isa.TotalSharedSize, 32},
}

// otherSpecials are predefined names that the machine does not have, and why.
// WARP_SZ is among them because the width of a warp is a property of the
// machine that a program runs on, not of the program.
var otherSpecials = map[string]string{
	"WARP_SZ": "the width of a warp belongs to the machine's configuration",
	"%tid":    "name one component, such as %tid.x", "%ntid": "name one component, such as %ntid.x",
	"%ctaid": "name one component, such as %ctaid.x", "%nctaid": "name one component, such as %nctaid.x",
	"%globaltimer_lo": "read %globaltimer", "%globaltimer_hi": "read %globaltimer",
	"%pm0": "no performance counters", "%pm1": "no performance counters", "%pm2": "no performance counters", "%pm3": "no performance counters",
	"%pm4": "no performance counters", "%pm5": "no performance counters", "%pm6": "no performance counters", "%pm7": "no performance counters",
	"%envreg0": "no driver-defined registers", "%envreg1": "no driver-defined registers", "%envreg2": "no driver-defined registers",
	"%clusterid.x": "no clusters", "%cluster_ctaid.x": "no clusters", "%cluster_ctarank": "no clusters", "%is_explicit_cluster": "no clusters",
	"%aggr_smem_size": "no clusters", "%current_graph_exec": "no graphs",
}

// specialWords lists the special registers, for suggestions.
var specialWords = func() (words []string) {
	for name := range specials {
		words = append(words, name)
	}
	slices.Sort(words)
	return words
}()
