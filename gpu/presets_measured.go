package gpu

import (
	"divergo/memsys"
	"divergo/memsys/dram"
	"divergo/sm"
)

// The machines of this file are GPUs as their makers describe them and as micro-benchmarks measure
// them. Three rules give their latencies:
//   - A dependent instruction follows 3 cycles after the latency of its pipe.
//   - A load that hits takes 8 cycles and those of the AGU besides l1.hit_latency, or 6 besides
//     shared.latency. With several schedulers it takes 2 more, on the way to the common memory pipe.
//   - l2.latency and dram.latency are what is left of a measured latency after the way there.
//
// `divergo reproduce machine-PRESET` measures a machine, beside the published values.
func init() {
	for _, p := range []Preset{
		{"fermi", "15 SMs of 2 schedulers, close to a GTX 480", "NVIDIA, Fermi whitepaper 2009; Andersch et al., ISPASS 2015", fermi},
		{"volta", "80 SMs of 4 sub-cores, close to a Tesla V100", "NVIDIA, V100 whitepaper 2017; Jia et al., arXiv 1804.06826", volta},
		{"ampere", "108 SMs of 4 sub-cores, close to an A100", "NVIDIA, A100 whitepaper 2020; Abdelkhalik et al., arXiv 2208.11174", ampere},
		{
			"hopper-sm", "26 SMs of 4 sub-cores and one HBM3 stack, a fifth of an H100",
			"NVIDIA, H100 whitepaper 2022; Luo et al., arXiv 2402.13499", hopperSM,
		},
		{
			"rdna-like", "40 CUs of 2 SIMD32 with wave32, like an RX 5700 XT",
			"AMD, RDNA whitepaper 2019; readings", rdnaLike,
		},
	} {
		RegisterPreset(p)
	}
}

// withDRAM gives c channels with the data sheet of a kind of DRAM, at a clock.
func (c *Config) withDRAM(sheet string, channels, mhz int) {
	s, _ := dram.FindSheet(sheet)
	s.Apply(&c.DRAM)
	c.DRAM.Channels, c.Clocks.DRAMMHz = channels, mhz
}

// fermi is a GTX 480 (GF100), on which Sartori and Kumar ran branch herding. Its numbers have these
// sources:
//   - The device has 15 SMs with two schedulers, 32 lanes and 4 special-function units each. Shaders
//     run at 1401 MHz, the rest at 700 MHz (GTX 480 specifications). Of double precision a GeForce
//     has an eighth (CUDA C Programming Guide, arithmetic instructions, capability 2.0).
//   - The limits are those of compute capability 2.0 (CUDA C Programming Guide, technical
//     specifications).
//   - A dependent instruction follows after 18 cycles (Volkov, GTC 2010).
//   - The L1 has 16 KiB, 4 ways and lines of 128 bytes (Mei & Chu, IEEE TPDS 2017, on Fermi), and
//     shared memory 48 KiB (Fermi whitepaper).
//   - The L2 is 768 KiB over 6 channels of 64 bits of GDDR5 at 924 MHz (Fermi whitepaper; GPGPU-Sim's
//     GTX 480). Its 16 ways are those of the GTX 480 in GPGPU-Sim.
//   - An L1 hit takes 45 cycles, an L2 hit 310 and DRAM 685 (Andersch et al., ISPASS 2015, a GF106).
//     Shared memory takes 50 cycles (Mei & Chu, a GTX 560 Ti).
//   - Our readings: each scheduler has 16 lanes of its own. Special functions and double precision
//     take 24 cycles in the pipe. Stores are written through.
func fermi() Config {
	c := kepler()
	c.GPU.SMs = 15
	c.Clocks = Clocks{CoreMHz: 1401, IcntMHz: 700}
	c.SM.Schedulers, c.SM.SIMDWidth = 2, 16
	c.SM.Threads, c.SM.CTAs, c.SM.Registers, c.SM.RegAlloc = 1536, 8, 32768, 2
	c.SM.ALULatency = 15
	c.SM.DPLatency, c.SM.DPWidth = 24, 2
	c.SM.SFULatency, c.SM.SFUWidth = 24, 2
	c.L1.HitLatency, c.L1.Write = 31, memsys.WriteThrough
	c.Shared.Latency = 38
	c.L2.Latency = 118
	c.withDRAM("gddr5", 6, 924)
	c.DRAM.Latency = 89
	return c
}

// volta is a Tesla V100 with PCIe (GV100). Its numbers have these sources:
//   - The device has 80 SMs at 1380 MHz, an L2 of 6 MiB, and 4 stacks of HBM2 at 877 MHz, of 8
//     channels each. A sub-core has 16 lanes, 8 of double precision and 4 special-function units
//     (V100 whitepaper).
//   - The limits are those of compute capability 7.0 (CUDA C Programming Guide, technical
//     specifications).
//   - A dependent instruction follows after 4 cycles, an integer mad after 5, one of double precision
//     after 8 (Jia et al., table 4.1).
//   - An L1 hit takes 28 cycles, shared memory 19, an L2 hit 193, a constant 27, and DRAM 375 (Jia et
//     al., table 3.1 and section 3). The L1 has 4 sets, and 32 KiB beside 96 KiB of shared memory. The
//     constant cache has 2 KiB, 8 sets and lines of 64 bytes.
//   - Lines of 128 bytes in sectors of 32, the 24 ways of a slice of the L2 and a flit of 40 bytes are
//     those of Accel-Sim's Quadro V100. So are the DRAM's times, at 850 MHz.
//   - Threads diverge with convergence barriers (V100 whitepaper, "Independent Thread Scheduling").
//   - Our readings: one pipe does integers and single precision, so that a sub-core starts half as many
//     of both together. Special functions take 14 cycles in the pipe. The instruction cache has the
//     8192 instructions of the 128 KiB of the L1.5. Second levels of constants and instructions are
//     those of the L2.
func volta() Config {
	c := kepler()
	c.GPU.SMs = 80
	c.Clocks = Clocks{CoreMHz: 1380, IcntMHz: 1380}
	c.Divergence.Mechanism = "barrier"
	c.SM.Schedulers, c.SM.SIMDWidth = 4, 16
	c.SM.CTAs = 32
	c.SM.FetchWidth, c.SM.IBuffer = 4, 4
	c.SM.ALULatency = 1
	c.SM.Latency.IntMad = 2
	c.SM.DPLatency, c.SM.DPWidth = 5, 8
	c.SM.SFULatency, c.SM.SFUWidth = 14, 4
	c.SM.MemQueue = 64
	l := &c.L1
	l.Size, l.Assoc, l.Sector, l.HitLatency, l.Write = 32<<10, 64, 32, 14, memsys.WriteThrough
	l.Pending, l.MSHRs = 64, 256
	c.Const.Size, c.Const.Assoc, c.Const.Line, c.Const.HitLatency = 2<<10, 4, 64, 16
	c.ICache.Size, c.ICache.Assoc, c.ICache.Line = 64<<10, 4, 128
	c.Shared.Size, c.Shared.Latency = 96<<10, 7
	c.Icnt.FlitBytes = 40
	c.L2.Size, c.L2.Assoc, c.L2.Sector, c.L2.Latency = 192<<10, 24, 32, 151
	c.withDRAM("hbm2", 32, 877)
	c.DRAM.Latency = 44
	return c
}

// ampere is an A100 with 40 GB (GA100). Where it differs from volta, its numbers have these sources:
//   - The device has 108 SMs at 1410 MHz, an L2 of 40 MiB, and 5 stacks of HBM2 at 1215 MHz, of 8
//     channels each (A100 whitepaper).
//   - A dependent instruction follows after 4 cycles (Abdelkhalik et al., table II).
//   - An L1 hit takes 33 cycles, shared memory 23, an L2 hit 200, and DRAM 290 (Abdelkhalik et al.,
//     table IV).
//   - L1 and shared memory have 192 KiB together (A100 whitepaper). Our reading: 64 KiB are shared
//     memory, one of the divisions that the driver offers.
//   - Our readings: 64 ways of the L1, 16 of the L2, one part of the L2 instead of two, and the DRAM's
//     times in cycles of hbm2.
func ampere() Config {
	c := volta()
	c.GPU.SMs = 108
	c.Clocks = Clocks{CoreMHz: 1410, IcntMHz: 1410}
	c.SM.Latency.IntMad = 0
	c.L1.Size, c.L1.HitLatency = 128<<10, 19
	c.Shared.Size, c.Shared.Latency = 64<<10, 11
	c.L2.Size, c.L2.Assoc, c.L2.Latency = 1<<20, 16, 153
	c.withDRAM("hbm2", 40, 1215)
	c.DRAM.Latency = 16
	return c
}

// hopperSM is a fifth of an H100 with SXM5 (GH100): one of its five stacks of HBM3 with the L2 in
// front of it, and a fifth of its 132 SMs. Where it differs from ampere, its numbers have these
// sources:
//   - The device has 132 SMs at 1755 MHz, an L2 of 50 MiB, and 5 stacks of HBM3 that move 3.35 TB/s. A
//     sub-core has 32 lanes of single precision, 16 of double precision and 4 special-function units
//     (H100 whitepaper). It has 16 lanes for integers (CUDA C Programming Guide, arithmetic
//     instructions).
//   - An L1 hit takes 41 cycles, shared memory 29, an L2 hit 263, and DRAM 479 (Luo et al., table of
//     memory latencies, an H100 with PCIe).
//   - L1 and shared memory have 256 KiB together (H100 whitepaper). Our reading: 64 KiB are shared
//     memory.
//   - A stack has 16 channels of 64 bits (JEDEC JESD238). Our reading: a channel has a command clock of
//     1308 MHz, bursts of 64 bytes, and the times of hbm2 in nanoseconds.
//   - Our readings: 48 ways of the L1, 20 of the L2. Clusters and the TMA are not modelled.
func hopperSM() Config {
	c := ampere()
	c.GPU.SMs = 26
	c.Clocks = Clocks{CoreMHz: 1755, IcntMHz: 1755}
	c.SM.SIMDWidth, c.SM.DPWidth = 32, 16
	i := &c.SM.Initiation
	i.IntAdd, i.IntMax, i.IntMul, i.IntMad, i.Logic = 2, 2, 2, 2, 2
	c.L1.Size, c.L1.Assoc, c.L1.HitLatency = 192<<10, 48, 27
	c.Shared.Latency = 17
	c.L2.Size, c.L2.Assoc = 640<<10, 20
	c.L2.Latency = 208
	c.withDRAM("hbm2", 16, 1308)
	d := &c.DRAM
	d.Latency, d.Burst, d.TCCD = 48, 2, 2
	d.TCL, d.WL, d.TRP, d.TRC, d.TRAS, d.TRCD = 19, 4, 19, 62, 43, 19
	d.TRRD, d.TWTR, d.TWR, d.TRTP = 5, 5, 16, 5
	d.TREFI, d.TRFC = 5101, 340
	return c
}

// rdnaLike is like an RX 5700 XT (Navi 10). It runs PTX in waves of 32. The device also has waves of 64:
// sm.warp_size=64. Its numbers have these sources:
//   - The device has 40 compute units of two SIMDs of 32 lanes at 1755 MHz, with 20 waves and 1024
//     registers of 32 lanes each. A quarter of the lanes does special functions, and a sixteenth double
//     precision (RDNA whitepaper; RX 5700 XT specifications).
//   - The vector cache L0 has 16 KiB, 4 ways and lines of 128 bytes. The scalar cache has 16 KiB, here
//     for constants, and the instruction cache 32 KiB, both 4 ways and lines of 64 bytes. A compute unit
//     has half of the 128 KiB of the local data share (RDNA whitepaper).
//   - The L2 has 4 MiB, 16 slices and 16 ways. Memory is 256-bit GDDR6 with 14 Gbit/s, 16 channels of
//     16 bits (RDNA whitepaper; RX 5700 XT specifications).
//   - The L2 is 66 ns behind the L0 (Chips and Cheese, "Measuring GPU Memory Latency", 2021, an RX 6800
//     XT), 116 cycles.
//   - Our readings: a dependent instruction follows after 5 cycles. The L0 hits as fast as kepler's L1.
//     The L1 of a shader array is not modelled, nor scalar instructions: all are vector ones. Threads
//     reconverge at post-dominators. The DRAM has the times of gddr5 in nanoseconds, at 1750 MHz.
func rdnaLike() Config {
	c := kepler()
	c.GPU.SMs = 40
	c.Clocks = Clocks{CoreMHz: 1755, IcntMHz: 1755}
	c.SM.Schedulers, c.SM.SIMDWidth = 2, 32
	c.SM.Threads, c.SM.CTAs = 1280, 32
	c.SM.Scheduler = sm.Oldest
	c.SM.FetchWidth, c.SM.IBuffer = 4, 4
	c.SM.ALULatency = 2
	c.SM.DPLatency, c.SM.DPWidth = 12, 2
	c.SM.SFULatency, c.SM.SFUWidth = 12, 8
	c.L1.HitLatency, c.L1.Write = 18, memsys.WriteThrough
	c.Const.Size, c.Const.Assoc, c.Const.Line = 16<<10, 4, 64
	c.ICache.Size, c.ICache.Assoc, c.ICache.Line = 32<<10, 4, 64
	c.Shared.Size, c.Shared.Latency = 64<<10, 14
	c.L2.Size, c.L2.Latency = 256<<10, 98
	c.withDRAM("gddr5", 16, 1750)
	d := &c.DRAM
	d.RowBytes, d.BusBytes = 2048, 16
	d.TCL, d.WL, d.TRP, d.TRC, d.TRAS, d.TRCD = 23, 8, 23, 77, 54, 23
	d.TRRD, d.TWTR, d.TWR, d.TRTP = 12, 10, 23, 4
	d.TREFI, d.TRFC = 6824, 193
	return c
}
