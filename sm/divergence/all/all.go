// Package all registers every mechanism of divergo; import it for this side effect.
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

// init registers the mechanisms in the order of the list: paths of a warp, baseline first; tokens;
// warps formed anew; convergence barriers of current GPUs.
func init() {
	for _, family := range [][]divergence.Mechanism{
		stacks.Mechanisms, paths.Mechanisms, tokens.Mechanisms, formation.Mechanisms, compaction.Mechanisms,
		barriers.Mechanisms,
	} {
		for _, m := range family {
			divergence.Register(m)
		}
	}
}
