// Package barriers has the convergence barriers of NVIDIA GPUs from Volta on, and
// subwarp interleaving, which is built on them.
package barriers

import "slices"

// Mechanisms are those of the package.
var Mechanisms = slices.Concat(barrierMechanisms, subwarpMechanisms)
