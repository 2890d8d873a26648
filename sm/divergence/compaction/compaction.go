// Package compaction has the mechanisms that compact the threads of a CTA at its
// branches: thread block compaction, and CAPRI, which predicts where that pays.
package compaction

import "slices"

// Mechanisms are those of the package.
var Mechanisms = slices.Concat(tbcMechanisms, capriMechanisms)
