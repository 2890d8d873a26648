// Package paths has mechanisms without reconvergence points, whose threads meet where
// their PCs are equal: paired-path comparison and a PC for each thread.
package paths

import "slices"

// Mechanisms are those of the package.
var Mechanisms = slices.Concat(ppcMechanisms, ptpcMechanisms)
