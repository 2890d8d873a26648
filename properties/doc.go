// Package properties looks for bugs of divergence hardware with random kernels.
//
// A case is drawn from a seed: a kernel with nested branches, loops with other
// trip counts for each thread, breaks, gotos into arms and loops, calls of device
// functions, early exits, barriers and votes; a launch with partial warps; and a machine on which queues, MSHRs,
// caches and slots are scarce. The kernel has no data race, so it has one right
// result, which the golden model computes thread by thread. The machine runs it
// under a mechanism, and each of Checkers must be content.
//
//	seed --> draw.New --> Case --> PTX ---> golden model ---+
//	                        |        \                      v
//	                        |         +---> machine ----> Checkers ---> Failure
//	                        +<------------- Shrink <------------------------+
//
// Package draw makes the cases, and package books follows what the hardware does. This one
// runs them: the campaign (campaign.go), a run and
// its verdict (check.go), a smaller case that fails alike (shrink.go), and the folder of a
// failure (counterexample.go).
//
// A mechanism of your own is checked in your own tests: see Check. It may bring books of its
// own: see books.Register. The command
// is "divergo check".
package properties
