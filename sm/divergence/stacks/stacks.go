// Package stacks has the mechanisms that keep the paths of a warp in a stack or in
// tables of branches: the baseline (pdom), likely-convergence points (pdom-lcp),
// both paths of a branch at once (dpe), and all paths of all branches (multipath).
package stacks

import "slices"

// Mechanisms are those of the package.
var Mechanisms = slices.Concat(pdomMechanisms, dpeMechanisms, multipathMechanisms)
