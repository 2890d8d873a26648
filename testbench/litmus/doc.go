// Package litmus checks the memory system of the machine against the PTX memory consistency model
// (PTX ISA, chapter "Memory Consistency Model"; Lustig, Sahasrabuddhe & Giroux, "A Formal Analysis of
// the NVIDIA PTX Memory Consistency Model", ASPLOS 2019).
//
// A litmus test has a few threads with a few memory instructions each:
//
//	test MP+fences
//	T0 @ cta 0                        | T1 @ cta 1
//	st.weak.global.u32 [x], 1         | ld.relaxed.gpu.global.u32 r0, [y]
//	fence.acq_rel.gpu                 | fence.acq_rel.gpu
//	st.relaxed.gpu.global.u32 [y], 1  | ld.weak.global.u32 r1, [x]
//	forbid T1:r0 == 1 && T1:r1 == 0
//
// The model enumerates the executions of a test and keeps the outcomes that the axioms allow.
// A second one runs the same test on a sequentially consistent machine, step by step; the two share
// only the arithmetic. [Run] generates a kernel, runs it on random machines, and finds each outcome
// that is not allowed.
package litmus
