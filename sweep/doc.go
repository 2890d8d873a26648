// Package sweep runs a kernel on many machines. A plan file lists what varies; each combination is
// a point. A store keeps the result of each point, so that a sweep that is interrupted or extended
// only makes what is missing.
//
//	plan, err := sweep.Read("plan.toml")
//	store, err := sweep.OpenStore("plan.sweep")
//	report, err := sweep.Run(plan, store, sweep.Options{Jobs: 2})
//	for row, err := range sweep.Collect(plan, store) { ... }
//
// # Plan
//
//	kernel = "bitonic medium"        # outside of tables: the same in each point
//	sm.warp_size = 32
//	where = "mechanism == pdom or sm.simd_width < 32"
//
//	[product]                        # each value of an axis with each value of the others
//	mechanism = ["pdom", "tbc", "ppc"]
//	sm.simd_width = [8, 16, 32]
//
//	[[zip]]                          # the axes of a zip advance together
//	sm.threads = [512, 1024]
//	sm.registers = [16384, 32768]
//
// An axis is a key of the machine or one of Names. Axes are in the order of the file, and the last
// one varies fastest. Read checks everything before the first run.
//
// # Results
//
// A point whose kernel fails has a result too: see [Result]. The name of a result is the hash of
// everything that it depends on: see [Plan.Key]. So workers on several computers can fill one
// store; two workers that make the same point write the same bytes.
//
// # Engines
//
// Run uses the processors of this computer. Options.Points selects a part of the plan, for engines
// that divide it among computers.
package sweep
