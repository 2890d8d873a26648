// Package compaction has the mechanisms that compact the threads of a CTA at its branches. They are
// thread block compaction and CAPRI, which predicts where compaction pays.
package compaction

import "slices"

// Mechanisms are the mechanisms of the package.
var Mechanisms = slices.Concat(tbcMechanisms, capriMechanisms)
