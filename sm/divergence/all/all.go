// Package all registers every mechanism that divergo ships, for its side effect.
package all

import (
	"divergo/sm/divergence"
	"divergo/sm/divergence/barriers"
	"divergo/sm/divergence/compaction"
	"divergo/sm/divergence/formation"
	"divergo/sm/divergence/paths"
	"divergo/sm/divergence/stacks"
	"divergo/sm/divergence/tokens"
)

// The list begins with the baseline and its relatives and goes on as the papers
// come: paths of a warp, tokens, warps that are formed anew, then the convergence
// barriers of the GPUs of today.
func init() {
	for _, family := range [][]divergence.Mechanism{
		stacks.Mechanisms, paths.Mechanisms, tokens.Mechanisms, formation.Mechanisms, compaction.Mechanisms, barriers.Mechanisms,
	} {
		for _, m := range family {
			divergence.Register(m)
		}
	}
}
