package ptx

import (
	"slices"
	"strings"

	"divergo/isa"
)

// specialRegister is a special register and its width (section 10).
type specialRegister struct {
	reg  isa.Special
	bits int
}

// specials are the special registers. WARP_SZ is a constant of the machine, which a program reads
// like a special register. The register %gridid has 32 bits before PTX ISA 3.0 and 64 since; either
// is accepted.
var specials = map[string]specialRegister{
	"%tid.x": {isa.TidX, 32}, "%tid.y": {isa.TidY, 32}, "%tid.z": {isa.TidZ, 32},
	"%ntid.x": {isa.NTidX, 32}, "%ntid.y": {isa.NTidY, 32}, "%ntid.z": {isa.NTidZ, 32},
	"%ctaid.x": {isa.CtaidX, 32}, "%ctaid.y": {isa.CtaidY, 32}, "%ctaid.z": {isa.CtaidZ, 32},
	"%nctaid.x": {isa.NCtaidX, 32}, "%nctaid.y": {isa.NCtaidY, 32}, "%nctaid.z": {isa.NCtaidZ, 32},
	"%laneid": {isa.LaneID, 32}, "%warpid": {isa.WarpID, 32}, "%nwarpid": {isa.NWarpID, 32},
	"%smid": {isa.SMID, 32}, "%nsmid": {isa.NSMID, 32}, "%gridid": {isa.GridID, 64},
	"%clock": {isa.Clock, 32}, "%clock_hi": {isa.ClockHi, 32}, "%clock64": {
		isa.Clock64,
		64,
	}, "%globaltimer": {isa.GlobalTimer, 64},
	"%lanemask_eq": {isa.LanemaskEq, 32}, "%lanemask_le": {isa.LanemaskLe, 32}, "%lanemask_lt": {isa.LanemaskLt, 32},
	"%lanemask_ge": {isa.LanemaskGe, 32}, "%lanemask_gt": {isa.LanemaskGt, 32},
	"WARP_SZ": {isa.WarpSize, 64}, "%dynamic_smem_size": {
		isa.DynamicSharedSize,
		32,
	}, "%total_smem_size": {isa.TotalSharedSize, 32},
}

// otherSpecials are predefined names that the machine does not have, with the reason. A star stands
// for any end.
var otherSpecials = []struct{ name, why string }{
	{"%tid", "name one component, such as %tid.x"},
	{"%ntid", "name one component, such as %ntid.x"},
	{"%ctaid", "name one component, such as %ctaid.x"},
	{"%nctaid", "name one component, such as %nctaid.x"},
	{"%globaltimer_*", "read %globaltimer"},
	{"%pm*", "the machine has no such performance counters"},
	{"%envreg*", "the machine has no driver"},
	{"%reserved_smem_*", "the machine reserves no shared memory"},
	{"%clusterid*", "the machine has no clusters"},
	{"%nclusterid*", "the machine has no clusters"},
	{"%cluster_*", "the machine has no clusters"},
	{"%is_explicit_cluster", "the machine has no clusters"},
}

// missingSpecial is the reason for which a predefined name is not supported, or "" for other names.
func missingSpecial(name string) string {
	for _, s := range otherSpecials {
		start, any := strings.CutSuffix(s.name, "*")
		if name == start || any && strings.HasPrefix(name, start) {
			return s.why
		}
	}
	return ""
}

// specialWords lists the special registers, for suggestions.
var specialWords = func() (words []string) {
	for name := range specials {
		words = append(words, name)
	}
	slices.Sort(words)
	return words
}()
