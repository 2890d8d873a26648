package dram

import "divergo/internal/key"

// Limits of the registers of a channel.
const (
	MaxBanks    = 16
	MaxQueue    = 64
	MaxChannels = 64
	maxBursts   = 32 // bursts of a line
)

// Scheduler selects the order in which a channel serves its queue.
type Scheduler string

// The schedulers.
const (
	FRFCFS Scheduler = "frfcfs"
	FCFS   Scheduler = "fcfs"
)

// choose returns the entry that a bank works for, or -1 if the bank must wait. It chooses between
// the oldest entry of the bank and the oldest entry for the open row, -1 if there is none.
type choose func(c *Channel, b, oldest, hit int) int

// schedulers holds every scheduler.
var schedulers = key.Choices[Scheduler, choose]{}.
	With(FRFCFS, "first ready: requests to open rows first, then the oldest", (*Channel).firstReady).
	With(FCFS, "strictly the oldest", (*Channel).inOrder)

// Words lists the valid values.
func (Scheduler) Words() key.Words { return schedulers.Words() }

// Hash selects the address bits that choose a channel, or a set of a cache.
type Hash string

// The hashes.
const (
	HashNone Hash = "none"
	HashXOR  Hash = "xor"
)

// fold returns what the bits above the lowest n add to these.
type fold func(above uint64, n int) uint64

// hashes holds every hash.
var hashes = key.Choices[Hash, fold]{}.
	With(HashNone, "the lowest bits", func(uint64, int) uint64 { return 0 }).
	With(HashXOR, "the lowest bits, changed by the XOR of all groups of higher ones", xor)

// Words lists the valid values.
func (Hash) Words() key.Words { return hashes.Words() }

// Fold returns the function of the higher bits. Its second argument is the length of a group.
func (h Hash) Fold() func(above uint64, n int) uint64 { return hashes.Must(h) }

// xor returns the XOR of all groups of n bits.
func xor(v uint64, n int) (x uint64) {
	for ; n > 0 && v != 0; v >>= n {
		x ^= v & (1<<n - 1)
	}
	return x
}

// Config describes the DRAM. Times are cycles of the DRAM clock.
type Config struct {
	Channels   int       `toml:"channels" range:"1..64" doc:"channels, each behind its own L2 slice" source:"tbc: table 2"`
	Interleave int       `toml:"interleave" range:"32..4096 pow2" unit:"bytes" doc:"consecutive bytes in one channel" source:"gpgpu"`
	Hash       Hash      `toml:"channel_hash" doc:"bits of an address that choose its channel: none (the lowest above the interleave) or xor (higher ones too)" source:"GPGPU-Sim 4: memory_partition_indexing"`
	Banks      int       `toml:"banks" range:"1..16 pow2" doc:"banks of a channel" source:"gpgpu"`
	RowBytes   int       `toml:"row_bytes" range:"32..64Ki pow2" unit:"bytes" doc:"row buffer of a bank" source:"gpgpu"`
	BusBytes   int       `toml:"bus_bytes" range:"1..128 pow2" unit:"bytes" doc:"moved on the data bus of a channel in a cycle" source:"tbc: section 5: 8 B per cycle and channel"`
	Burst      int       `toml:"burst" range:"1..16" unit:"DRAM cycles" doc:"data bus cycles of a column command: half the burst length" source:"gpgpu"`
	Queue      int       `toml:"queue" range:"1..64" unit:"requests" doc:"capacity of a channel's request queue" source:"tbc: table 2"`
	Scheduler  Scheduler `toml:"scheduler" doc:"frfcfs (open rows first, then the oldest) or fcfs" source:"tbc: table 2"`
	HitCap     int       `toml:"hit_cap" range:"0..255" unit:"requests" doc:"row hits that may overtake an older request of their bank; 0: no limit" source:"ours"`
	AgeCap     int       `toml:"age_cap" range:"0..100000" unit:"DRAM cycles" doc:"wait after which the oldest request of a channel goes before all others; 0: no limit" source:"ours"`
	WriteHigh  int       `toml:"write_high" range:"0..queue" unit:"requests" doc:"writes in the queue that turn a channel from reads to writes; 0: reads and writes mix" source:"GPGPU-Sim 4: dram_write_queue_size"`
	WriteLow   int       `toml:"write_low" range:"0..write_high" unit:"requests" doc:"writes in the queue that turn it back to reads" source:"GPGPU-Sim 4: dram_write_queue_size"`
	Latency    int       `toml:"latency" range:"1..1000" unit:"DRAM cycles" doc:"from the L2 to the controller, and back" source:"gpgpu"`
	TCL        int       `toml:"t_cl" range:"1..1000" unit:"DRAM cycles" doc:"read command to first data" source:"gpgpu"`
	WL         int       `toml:"wl" range:"1..1000" unit:"DRAM cycles" doc:"write command to first data" source:"gpgpu"`
	TRP        int       `toml:"t_rp" range:"1..1000" unit:"DRAM cycles" doc:"precharge to activate" source:"gpgpu"`
	TRC        int       `toml:"t_rc" range:"1..1000" unit:"DRAM cycles" doc:"activate to activate of one bank" source:"gpgpu"`
	TRAS       int       `toml:"t_ras" range:"1..1000" unit:"DRAM cycles" doc:"activate to precharge" source:"gpgpu"`
	TRCD       int       `toml:"t_rcd" range:"1..1000" unit:"DRAM cycles" doc:"activate to read" source:"gpgpu"`
	TRRD       int       `toml:"t_rrd" range:"1..1000" unit:"DRAM cycles" doc:"activate to activate of another bank" source:"gpgpu"`
	TWTR       int       `toml:"t_wtr" range:"0..1000" unit:"DRAM cycles" doc:"end of write data to read command" source:"gpgpu"`
	TCCD       int       `toml:"t_ccd" range:"burst..1000" unit:"DRAM cycles" doc:"column command to column command" source:"gpgpu"`
	TRTP       int       `toml:"t_rtp" range:"0..1000" unit:"DRAM cycles" doc:"read to precharge, at least the burst" source:"ours"`
	TWR        int       `toml:"t_wr" range:"0..1000" unit:"DRAM cycles" doc:"end of write data to precharge" source:"ours"`
	TREFI      int       `toml:"t_refi" range:"0..1000000" unit:"DRAM cycles" doc:"from one refresh of all banks to the next; 0: no refresh" source:"ours"`
	TRFC       int       `toml:"t_rfc" range:"0..10000" unit:"DRAM cycles" doc:"refresh to activate" source:"ours"`
}

// Default returns the memory of Fung and Aamodt (HPCA 2011, table 2). GPGPU-Sim 2.1.1b supplies
// missing values: GDDR3 with nbk8:tCCD2:tRRD8:tRCD12:tRAS25:tRP10:tRC35:CL10:WL7:tWTR6.
func Default() Config {
	return Config{
		Channels: 8, Interleave: 256, Hash: HashNone, Banks: 8, RowBytes: 2048, BusBytes: 8, Burst: 2,
		Queue: 32, Scheduler: FRFCFS, HitCap: 32, Latency: 10,
		TCL: 10, WL: 7, TRP: 10, TRC: 35, TRAS: 25, TRCD: 12, TRRD: 8, TWTR: 6, TCCD: 2,
	}
}

// burstBytes returns the bytes moved by one column command.
func (c *Config) burstBytes() int { return c.BusBytes * c.Burst }

// tRTW returns the time from a read to a write command. The bus has one idle cycle on either side
// of the turnaround.
func (c *Config) tRTW() int { return max(c.TCL+c.Burst+2-c.WL, c.TCCD) }

// tRCDWR returns the time from activate to write. The data follows WL later, so the command may
// come before the row is open (GDDR3; GPGPU-Sim 2.1.1b).
func (c *Config) tRCDWR() int { return max(c.TRCD-(c.WL+1), 0) }

// settle returns a bound for the time from the last command before a refresh to the refresh.
func (c *Config) settle() int {
	return max(c.TRC, max(c.TRAS, c.TRTP, c.Burst, c.WL+c.Burst+c.TWR)+c.TRP)
}

// LeastTREFI returns the shortest legal time between refreshes. Between two of them a bank can be
// opened, read or written, and closed.
func (c *Config) LeastTREFI() int {
	return c.TRFC + 2*c.settle() + c.TRCD + max(c.TCL, c.WL) + c.Burst + c.TWTR + 2
}

// Check reports every reason why a DRAM for lines of the given number of bytes cannot be built.
func (c *Config) Check(line int) error {
	k := key.NewCheck("dram.", c)
	c.Rules(k, line)
	return k.Err()
}

// Rules refuses combinations of keys for which no DRAM can be built. It looks only at keys within
// their ranges; line is the line size in bytes. The rules between times are those of a bank: it is
// active from ACT to PRE and precharges until the next ACT.
func (c *Config) Rules(k *key.Check, line int) {
	for _, size := range []struct {
		name string
		v    int
	}{{"dram.interleave", c.Interleave}, {"dram.row_bytes", c.RowBytes}} {
		if k.Sound(size.name) && size.v < line {
			k.Refuse("want at least a line of %d bytes", line)
		}
	}
	if k.Sound("dram.bus_bytes", "dram.burst") {
		if b := c.burstBytes(); b > line || line%b != 0 || line/b > maxBursts {
			k.Refuse("a burst moves dram.bus_bytes * dram.burst = %d bytes: want a line of %d bytes to be 1 to %d whole bursts", b, line, maxBursts)
		}
	}
	if k.Sound("dram.t_rc", "dram.t_ras", "dram.t_rp") && c.TRC < c.TRAS+c.TRP {
		k.Refuse("want at least dram.t_ras + dram.t_rp = %d + %d = %d: between two activates of a bank its row is open and then precharges", c.TRAS, c.TRP, c.TRAS+c.TRP)
	}
	if k.Sound("dram.t_ras", "dram.t_rcd") && c.TRAS < c.TRCD {
		k.Refuse("want at least dram.t_rcd = %d: a row stays open until it can be read", c.TRCD)
	}
	if k.Sound("dram.write_low", "dram.write_high") && c.WriteHigh != 0 && c.WriteLow == c.WriteHigh {
		k.Refuse("want less than dram.write_high = %d", c.WriteHigh)
	}
	if k.Sound("dram.t_refi", "dram.t_rfc", "dram.t_rc", "dram.t_ras", "dram.t_rp", "dram.t_rtp", "dram.t_rcd",
		"dram.wl", "dram.t_cl", "dram.burst", "dram.t_wr", "dram.t_wtr") && c.TREFI != 0 {
		if n := c.LeastTREFI(); c.TREFI < n {
			k.Refuse("want 0 or at least %d: dram.t_rfc = %d, and the time to close a row and to open the next",
				n, c.TRFC)
		}
	}
	if k.Sound("dram.t_rrd", "dram.t_rc") && c.TRRD > c.TRC {
		k.Refuse("want at most dram.t_rc = %d: another bank can be activated no later than the same one", c.TRC)
	}
}
