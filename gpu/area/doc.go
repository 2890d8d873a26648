// Package area estimates the silicon area of a machine. It is a model to argue with: every number
// that is not measured in the model of the machine is a [Figure] with its source, and every result
// is a [Range] from low to high.
//
//	one call              Of, Area, Part
//	what a part has       Memory, units.Logic, Datapath
//	numbers and sources   Figure, Figures, Node, Nodes
//	cells of logic        Cells, CellsOf
//	synthesized blocks    Synthesis, Synthesized
//	how hardware counts   figures.go, memory.go, cells.go
//	what a machine has    storage.go (elaboration), parts.go
//
// # Where the hardware comes from
//
// An SM, an L2 slice and a memory controller are elaborated, as for a run. Their registers,
// memories and queues are as wide as the types and tags of the model declare ([rtl.Sim.Storage],
// [rtl.Sim.Queues]). The divergence mechanism comes from [divergence.Mechanism.Cost], with the logic
// that it declares. Package area itself adds only what the model does not have as hardware: the
// arithmetic of the lanes, registers of a kernel (sm.registers), decoders, comparators, multiplexers
// and wires of crossbars.
//
// A tag of the model that names a new size needs a value in storage.go: without it, Of fails.
//
// # What is left out
//
// Pads, PHYs of the DRAM, rasterisers and other graphics hardware, video, PCIe, clock and power
// distribution outside of blocks, redundancy and error correction.
package area
