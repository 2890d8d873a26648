// Package stacks has the mechanisms that keep the paths of a warp in a stack or in tables of
// branches:
//
//   - the baseline (pdom),
//   - likely-convergence points (pdom-lcp),
//   - both paths of one branch at once (dpe),
//   - all paths of all branches (multipath).
package stacks

import "slices"

// Mechanisms are the mechanisms of the package.
var Mechanisms = slices.Concat(pdomMechanisms, dpeMechanisms, multipathMechanisms)
