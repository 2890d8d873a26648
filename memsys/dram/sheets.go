package dram

// Sheet is a kind of DRAM: the keys of a Config that follow from its data sheet.
type Sheet struct {
	Name   string
	Doc    string // one line
	Source string
	MHz    int // command clock of the times
	values Config
}

// sheets lists the kinds of DRAM. Sources of times:
//   - gddr3: GPGPU-Sim's configuration of a Quadro FX 5800, for Samsung K4J52324QH-HC12. The data
//     sheet of Samsung's K4J55323QG gives the refresh: one in 7.8 us, which lasts tRC.
//   - gddr5: GPGPU-Sim's configuration of a GTX 480, for Hynix H5GQ1H24AFR. Two chips of 32 bits are a
//     channel and move 32 bytes in a cycle of the command clock. Ramulator has the refresh of a chip
//     of 1 Gbit: one in 3.9 us, which lasts 110 ns.
//   - hbm2: Accel-Sim's configuration of a Quadro V100, after JEDEC JESD235. A channel has 128 bits and
//     moves 32 bytes in a cycle. DRAMsim3 has the refresh of a chip of 8 Gbit: one in 3.9 us, which
//     lasts 260 ns. Groups of banks (tCCDL) and the second command bus are not modelled.
var sheets = []Sheet{
	{"gddr3", "GDDR3 at 800 MHz, 32 bits a channel", "Samsung K4J52324QH, by GPGPU-Sim; Samsung K4J55323QG", 800, Config{
		Banks: 8, RowBytes: 2048, BusBytes: 8, Burst: 2,
		TCL: 10, WL: 7, TRP: 10, TRC: 35, TRAS: 25, TRCD: 12, TRRD: 8, TWTR: 6, TCCD: 2, TWR: 11,
		TREFI: 6240, TRFC: 35,
	}},
	{"gddr5", "GDDR5 at 924 MHz, 64 bits a channel", "Hynix H5GQ1H24AFR, by GPGPU-Sim; Ramulator", 924, Config{
		Banks: 16, RowBytes: 4096, BusBytes: 32, Burst: 2,
		TCL: 12, WL: 4, TRP: 12, TRC: 40, TRAS: 28, TRCD: 12, TRRD: 6, TWTR: 5, TCCD: 2, TWR: 12, TRTP: 2,
		TREFI: 3603, TRFC: 102,
	}},
	{"hbm2", "HBM2 at 850 MHz, 128 bits a channel", "JEDEC JESD235, by Accel-Sim; DRAMsim3", 850, Config{
		Banks: 16, RowBytes: 2048, BusBytes: 32, Burst: 1,
		TCL: 12, WL: 2, TRP: 12, TRC: 40, TRAS: 28, TRCD: 12, TRRD: 3, TWTR: 3, TCCD: 1, TWR: 10, TRTP: 3,
		TREFI: 3315, TRFC: 221,
	}},
}

// Sheets lists the kinds of DRAM.
func Sheets() []Sheet { return sheets }

// FindSheet returns the kind of DRAM of that name.
func FindSheet(name string) (s Sheet, ok bool) {
	for _, s := range sheets {
		if s.Name == name {
			return s, true
		}
	}
	return Sheet{}, false
}

// Apply gives c the banks, the bus and the times of the sheet. The channels and the controller stay as
// they are.
func (s *Sheet) Apply(c *Config) {
	v := s.values
	v.Channels, v.Interleave, v.Hash, v.Latency = c.Channels, c.Interleave, c.Hash, c.Latency
	v.Queue, v.Scheduler, v.HitCap, v.AgeCap = c.Queue, c.Scheduler, c.HitCap, c.AgeCap
	v.WriteHigh, v.WriteLow = c.WriteHigh, c.WriteLow
	*c = v
}
