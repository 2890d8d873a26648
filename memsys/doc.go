// Package memsys is the memory system of the machine, from the load/store unit
// of an SM to the DRAM. Data move: a load returns what the caches or the DRAM
// hold in the cycle in which they answer, and a line that is lost or stale gives
// a wrong result. The default configuration is that of Fung and Aamodt, "Thread
// Block Compaction for Efficient SIMT Control Flow" (HPCA 2011, table 2).
//
// The path of a load; each arrow is a queue, those between boxes with a latency:
//
//	 SM, core clock                     NoC clock              DRAM clock
//	+---------------------------+      +---------+  +-------+  +---------+
//	|        +-> Shared ------+ |      |         |  |       |  |         |
//	|        |                v |      |         |  |       |  |         |
//	| PreMem +-> Coalescer    | |      | Request |  |       |  |         |
//	|  ^          |  ^        | | miss | Network |  |       |  |         |
//	|  |     line |  | line   | | ---> | ------> |->|       |->| Channel |
//	|  |          v  |        | |      |         |  | Slice |  |  queue  |
//	|  |           L1 <------------------------- |<-|  (L2) |<-|  banks  |
//	|  |          tags, data   | | line | Respon- |  |       |  |         |
//	|  |          MSHRs        | |      | seNet-  |  |       |  |         |
//	|  |                       v |      | work    |  |       |  |         |
//	|  |              WriteBack  |      |         |  |       |  |         |
//	+--|------------------|------+      +---------+  +-------+  +---------+
//	   |                  v
//	 Access             Reply
//
// An [Access] is a memory instruction of a warp. The [Coalescer] takes it apart
// into lines, one a cycle. The [L1] answers a line that it has; for one that it has not
// it reserves a way and an MSHR and sends a [Request] of 8 bytes, which takes
// one flit of the [RequestNetwork]. The [Slice] that the address belongs to
// answers from the L2 or fetches the line from its DRAM channel (package dram),
// and the [Response] comes back over the [ResponseNetwork], 8 bytes and the line.
// The L1 fills the way and answers every load that waits in the MSHR; the
// coalescer gives each lane its bytes, and when the last lane has them the
// instruction gets its [Reply].
//
// # What is ordered
//
// Accesses of an SM to the same bytes take effect in the order in which the SM
// hands them on, whatever their kind: every queue is first in, first out, the
// blocks serve a line's requests in order, and the networks keep the order
// between an SM and a slice. Accesses to different bytes are not ordered.
//
// L1s are not coherent: a plain load may see what a line held when the SM
// fetched it. Stores with write-back stay in the L1 until the line is evicted
// or a fence passes, as a mask of dirty bytes, so that two SMs that write to
// different bytes of a line lose nothing. Atomics are done by the L2, one lane
// at a time; .cg and .volatile accesses go there as well and drop the line from the
// L1 of their SM. A fence is answered when all earlier accesses of the SM are
// performed at the L2; it also empties the L1, so that what comes after it reads what
// other SMs have written.
//
// # Ports
//
// Each block has In and Out ends only and does not know whether a queue or a
// link between islands is behind them. [NewUnit] joins the blocks of an SM, and
// [Memory] all of them; package memtest drives one without SMs.
package memsys
