// Package paths has mechanisms without reconvergence points. Their threads meet where their PCs are
// equal. They are paired-path comparison and a PC for each thread.
package paths

import "slices"

// Mechanisms are the mechanisms of the package.
var Mechanisms = slices.Concat(ppcMechanisms, ptpcMechanisms)
