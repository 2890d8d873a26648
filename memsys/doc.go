// Package memsys models the memory system, from the load/store unit of an SM to the DRAM. The model
// moves data: a load returns the bytes that a cache or the DRAM holds in the cycle of the answer. A
// lost or stale line therefore gives a wrong result. The default configuration follows Fung and
// Aamodt, "Thread Block Compaction for Efficient SIMT Control Flow" (HPCA 2011, table 2).
//
// The diagram shows the path of a load. Each arrow is a queue; queues between boxes have a latency.
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
// An [Access] is a memory instruction of a warp. On its way
//   - the [Coalescer] divides it into lines and sends one a cycle;
//   - the [L1] answers if it holds the line; for a miss it reserves a way and an MSHR;
//   - it then sends a [Request] of 8 bytes, which takes one flit of the [RequestNetwork];
//   - the [Slice] of the address answers from the L2, or fetches the line from its DRAM channel
//     (package dram);
//   - the [Response] returns over the [ResponseNetwork]: 8 bytes and the line;
//   - the L1 fills the way and answers every load that waits in the MSHR;
//   - the coalescer gives each lane its bytes, and the instruction gets its [Reply] when the last
//     lane has them.
//
// With const.size an SM also has a [Const] and its [ReadCache], for constants and parameters. With
// icache.size it has a ReadCache for instructions, which its fetch stage reads. Both send their
// misses through the port of the SM, which they share with the L1: see [Clients].
//
// # Memory order
//
// Accesses of an SM to the same bytes take effect in the order in which the SM sends them. This
// holds for all kinds of accesses. Every queue is first in, first out. The blocks serve the
// requests for a line in order, and the networks keep the order between an SM and a slice. Accesses
// to different bytes are not ordered.
//
// L1s are not coherent: a plain load may return the contents that a line had when the SM fetched it.
// With write-back, stores stay in the L1 until the line is evicted or a fence passes. The L1 marks
// their bytes in a mask of dirty bytes, so two SMs that write different bytes of a line lose nothing.
// The L2 performs atomics, one lane at a time. Accesses with .cg and .volatile also go to the L2, and
// drop the line from the L1 of their SM. A fence is answered when all earlier accesses of the SM are
// performed at the L2. It also empties the L1, so that later accesses read the writes of other SMs.
//
// # Ports
//
// Each block has In and Out ends only. It does not know whether a queue or a link between islands
// connects them. [NewUnit] joins the blocks of an SM, and [Memory] joins all of them. Package memtest
// drives a Memory without SMs.
package memsys
