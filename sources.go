// Package divergo embeds the source of the hardware that prints itself as Verilog, so that an
// installed program needs no Go tool chain for it: see package blocks.
package divergo

import "embed"

// Sources holds the files by their paths in the repository.
//
//go:embed isa/inst.go isa/lanes.go isa/program.go isa/types.go
//go:embed units/set.go units/stack.go units/compactor.go units/majority.go units/permutation.go units/rows.go
//go:embed units/scoreboard.go units/pctable.go units/capt.go units/lut.go units/pool.go units/logic.go
//go:embed sm/divergence/options.go sm/divergence/jump.go sm/divergence/barrier.go sm/divergence/ports.go
//go:embed sm/divergence/events.go sm/divergence/pathstack.go sm/divergence/policy.go sm/divergence/warps.go
//go:embed sm/divergence/paths/ppc.go sm/divergence/paths/ptpc.go sm/divergence/stacks/dpe.go
//go:embed sm/divergence/tokens/window.go memsys/coalescer.go memsys/dram/channel.go memsys/dram/line.go
//go:embed blocks/*.go
var Sources embed.FS
