// Package barriers has the convergence barriers of NVIDIA GPUs from Volta on, and subwarp
// interleaving, which builds on them.
package barriers

import "slices"

// Mechanisms are the mechanisms of the package.
var Mechanisms = slices.Concat(barrierMechanisms, subwarpMechanisms)
