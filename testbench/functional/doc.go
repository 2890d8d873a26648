// Package functional runs a launch without time. It executes warp instructions on the lane datapath
// of package isa, many times as fast as the machine. It models no caches, no latencies and no
// hardware of a mechanism.
//
//	CTAs      in order; a CTA that takes long lets the next one begin, while the machine has room
//	warps     in order; each runs until it waits, exits, or has used up its turn
//	paths     threads of a warp at one PC; they join at the immediate post-dominator of their branch
//
// A launch has the results that it has on the machine and in the golden model, if no data race
// decides them. An atomic takes its lanes in ascending order. Clocks count warp instructions of the
// launch.
//
// # Paths
//
// The paths of a warp are a stack, as in Fung & Aamodt (HPCA 2011, section 2.2.2). The path on top
// runs. With Setup.Independent any path runs above which no path has its threads, as from Volta on.
// A path whose turn is over lets the next one run.
//
// # What is counted
//
// Counts are those of the mechanism pdom: warp instructions, active lanes, and the outcomes of each
// branch. Memory lines are the cache lines of each global or local access (Fung & Aamodt, HPCA 2011,
// section 6.2).
package functional
