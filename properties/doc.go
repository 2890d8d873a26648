// Package properties looks for bugs of divergence hardware with random kernels.
//
// A seed determines a case: a kernel, a launch and a machine. The kernel has nested branches, loops
// with a trip count for each thread, breaks, and gotos into arms and loops. It also has device
// functions, early exits, barriers and votes. The launch has partial warps. The machine has few queue
// entries, MSHRs, cache lines and slots.
//
// The kernel has no data race, so it has one right result, which the golden model computes thread by
// thread. The machine runs the kernel under a mechanism, and every one of Checkers must pass.
//
//	seed --> draw.New --> Case --> PTX ---> golden model ---+
//	                        |        \                      v
//	                        |         +---> machine ----> Checkers ---> Failure
//	                        +<------------- shrink <------------------------+
//
// Package draw makes the cases, and package books models what the hardware does. This package runs
// a campaign (campaign.go), steers it to rare situations (corpus.go, situations.go), and gives each run
// a verdict (check.go). It reduces a failing case (shrink.go) and writes the folder of a failure
// (counterexample.go).
//
// Check tests your own mechanism in your own tests. Your mechanism can bring models of its own: see
// books.Register. The command is "divergo check".
package properties
