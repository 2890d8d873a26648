package gpu

import (
	"divergo/internal/papers"
	"divergo/memsys"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/sm/divergence/tokens"
	"divergo/units"
)

// DefaultPreset is the machine of a run that names no preset.
const DefaultPreset = "tbc"

// Preset is a machine with a name.
type Preset struct {
	Name   string
	Doc    string // one line
	Source string // source of the numbers
	Config func() Config
}

var presets = []Preset{
	{DefaultPreset, "30 SMs of 8 lanes, close to a Quadro FX 5800 with caches", papers.TBC.At("table 2"), tbc},
	{papers.SLP.Key, "30 SMs of 32 lanes", papers.SLP.At("table 2"), slp},
	{papers.PPC.Key, "warps of 16 threads on 16 lanes", papers.PPC.At("section IV"), ppc},
	{"kepler", "8 SMs of 32 lanes, close to a GTX 770", papers.Cost.At("table II"), kepler},
	{"maxwell", "5 SMs of 32 lanes, close to a GTX 850M", papers.Cost.At("table II"), maxwell},
}

// Presets lists the machines of the papers, the default first.
func Presets() []Preset { return presets }

// RegisterPreset adds a machine to the list. Call it in an init function, with a new name.
func RegisterPreset(p Preset) {
	if _, err := FindPreset(p.Name); err == nil || p.Name == "" || p.Doc == "" || p.Source == "" || p.Config == nil {
		panic("gpu: preset " + p.Name + ": want a name that is new, Doc, Source and Config")
	}
	presets = append(presets, p)
}

// FindPreset returns the preset of that name. The error suggests the nearest one.
func FindPreset(name string) (Preset, error) {
	var names []string
	for _, p := range presets {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Preset{}, papers.Unknown("preset", name, names)
}

// Default returns the configuration of the default preset.
func Default() Config { return tbc() }

// tbc follows Fung and Aamodt (HPCA 2011), table 2. Values missing in the table come from GPGPU-Sim
// 2.1.1b, the simulator that they changed, or are choices of this model. The key table names the
// source of each.
func tbc() Config {
	return Config{
		GPU:    Chip{SMs: 30, Memory: 512},
		Clocks: Clocks{CoreMHz: 1300, IcntMHz: 650, DRAMMHz: 800},
		SM: sm.Config{
			WarpSize: 32, Lanes: units.Sequential, SIMDWidth: 8, Skip: sm.SkipNone, Interweave: sm.InterweaveNone,
			AbsentLane: sm.AbsentZero, Threads: 1024, CTAs: 8,
			Registers: 16384, RegAlloc: 4,
			Schedulers: 1, Scheduler: sm.LRR, FetchGroup: 8, CTAPriority: sm.PriorityNone, Scoreboard: sm.OneInFlight,
			FetchWidth: 1, IBuffer: 1, RFBanks: 16, WBPorts: 1,
			// A warp takes 4 cycles to enter a pipe of 8 lanes. With operand read and write-back, a
			// dependent instruction follows after about 24 cycles, as on the hardware (Volkov &
			// Demmel, SC 2008).
			ALULatency: 16, AGULatency: 4, MemQueue: 16,
			DPLatency: 24, DPWidth: 1,
			SFULatency: 24, SFUWidth: 2,
			Stack: 16 << 10,
		},
		Divergence: divergence.Options{
			Mechanism: "pdom", PathOrder: divergence.TakenFirst,
		},
		Config: memsys.Default(),
	}
}

// slp follows Rhu and Erez (ISCA 2013), table 2, where it differs from tbc. Our readings:
//   - Their sticky round robin is that of Fung and Aamodt (HPCA 2011, section 6.2), the paper that they
//     build on.
//   - The depth of their pipeline is not in the paper. The 16 cycles of sm.alu_latency are those of
//     tbc, a machine of 8 lanes. With 4 cycles the speed of BITONIC under permutation is 1.255 times
//     that without; the paper has 1.256.
func slp() Config {
	c := tbc()
	c.SM.SIMDWidth = 32
	c.SM.CTAPriority = sm.PrioritySRR
	c.Shared.Size = 32 << 10
	return c
}

// ppc has the wavefront size of Huang et al., section IV, the only number of their platform in the
// paper. Our reading: its pipeline is as deep as that of tbc, with 16 cycles of sm.alu_latency.
func ppc() Config {
	c := tbc()
	c.SM.WarpSize = 16
	c.SM.SIMDWidth = 16
	return c
}

// kepler is a GTX 770 (GK104), a device of table II of the divergence-cost paper. Its numbers have
// these sources:
//   - The device has 8 SMs at 1046 MHz and 256-bit GDDR5 at 1753 MHz.
//   - The limits are those of compute capability 3.0 (CUDA C Programming Guide, technical
//     specifications).
//   - A dependent instruction follows after 9 cycles (Jia et al., arXiv 1804.06826, table 4.1).
//   - The L1 has 16 of the 64 KiB that it shares with shared memory, the driver's default.
//   - The L2 is 512 KiB over 4 channels of 64 bits, which move 32 bytes in a cycle of the command
//     clock.
//   - Each SM has a port of the crossbar, as in GPGPU-Sim's configuration of a GTX Titan (14 clusters
//     of one core).
//   - DRAM timing is that of the GDDR5 chips in GPGPU-Sim 3's configurations (Hynix H5GQ1H24AFR).
func kepler() Config {
	c := tbc()
	c.GPU.SMs = 8
	c.Clocks = Clocks{CoreMHz: 1046, IcntMHz: 1046, DRAMMHz: 1753}
	c.SM.SIMDWidth = 32
	c.SM.Threads, c.SM.CTAs = 2048, 16
	c.SM.Registers, c.SM.RegAlloc = 65536, 8
	c.SM.Scheduler, c.SM.Scoreboard = sm.GTO, sm.PerRegister
	c.SM.FetchWidth, c.SM.IBuffer = 2, 2
	c.SM.ALULatency = 6
	c.SM.DPLatency, c.SM.DPWidth = 12, 8
	c.SM.SFULatency, c.SM.SFUWidth = 12, 32
	c.L1.Size, c.L1.Assoc, c.L1.Line, c.L1.HitLatency = 16<<10, 4, 128, 20
	c.Shared.Size, c.Shared.Banks, c.Shared.Lanes, c.Shared.Latency = 48<<10, 32, 32, 16
	c.Icnt.Concentration = 1
	c.L2.Size, c.L2.Assoc, c.L2.Line = 128<<10, 16, 128
	d := &c.DRAM
	d.Channels, d.Banks, d.BusBytes, d.Burst = 4, 16, 32, 2
	d.TRRD, d.TRCD, d.TRAS, d.TRP, d.TRC = 6, 12, 28, 12, 40
	d.TCL, d.WL, d.TWTR, d.TWR, d.TRTP, d.TCCD = 12, 4, 5, 12, 2, 2
	return c
}

// maxwell is a GTX 850M (GM107), the other device of table II. Its numbers have these sources:
//   - The device has 5 SMs at 936 MHz and 128-bit GDDR5 at 1253 MHz.
//   - The limits are those of compute capability 5.0.
//   - A dependent instruction follows after 6 cycles (Jia et al., arXiv 1804.06826, table 4.1).
//   - It has 24 KiB of L1, 64 KiB of shared memory and an L2 of 2 MiB over 2 channels of 64 bits.
//   - A token is popped in 26 cycles. A spill and a fill take 176 cycles together (divergence cost,
//     section IV). Our reading: each takes half.
func maxwell() Config {
	c := kepler()
	c.GPU.SMs = 5
	c.Clocks = Clocks{CoreMHz: 936, IcntMHz: 936, DRAMMHz: 1253}
	c.SM.CTAs = 32
	c.SM.ALULatency = 3
	c.SM.DPWidth = 4
	c.Divergence = tokens.Keys.With(c.Divergence, tokens.Params{Window: 16, Pop: 26, Spill: 88, Fill: 88})
	c.L1.Size, c.L1.Assoc = 24<<10, 6
	c.Shared.Size = 64 << 10
	c.L2.Size = 1 << 20
	c.DRAM.Channels = 2
	return c
}
