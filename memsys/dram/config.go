package dram

import (
	"errors"
	"fmt"
	"math/bits"
)

// Limits of what the registers of a channel hold.
const (
	MaxBanks    = 16
	MaxQueue    = 64
	MaxChannels = 64
)

// Scheduler is the order in which a channel serves its queue.
type Scheduler string

// The schedulers.
const (
	FRFCFS Scheduler = "frfcfs" // first ready: requests to open rows first, then the oldest
	FCFS   Scheduler = "fcfs"   // strictly the oldest
)

// Config describes the DRAM. Times are cycles of the DRAM clock.
type Config struct {
	Channels   int       `toml:"channels"`   // each behind its own L2 slice
	Interleave int       `toml:"interleave"` // consecutive bytes in one channel
	Banks      int       `toml:"banks"`
	RowBytes   int       `toml:"row_bytes"` // row buffer of a bank
	BusBytes   int       `toml:"bus_bytes"` // on the data bus in a cycle
	Burst      int       `toml:"burst"`     // cycles of the data bus for a column command: BL/2
	Queue      int       `toml:"queue"`     // requests
	Scheduler  Scheduler `toml:"scheduler"`
	HitCap     int       `toml:"hit_cap"` // row hits that may overtake an older request of their bank; 0: no limit
	Latency    int       `toml:"latency"` // on the way from the L2 to the controller and back, each

	TCL  int `toml:"t_cl"`  // read command to first data
	WL   int `toml:"wl"`    // write command to first data
	TRP  int `toml:"t_rp"`  // precharge to activate
	TRC  int `toml:"t_rc"`  // activate to activate in a bank
	TRAS int `toml:"t_ras"` // activate to precharge
	TRCD int `toml:"t_rcd"` // activate to read
	TRRD int `toml:"t_rrd"` // activate to activate of another bank
	TWTR int `toml:"t_wtr"` // end of write data to read command
	TCCD int `toml:"t_ccd"` // column command to column command
	TRTP int `toml:"t_rtp"` // read to precharge, at least burst
	TWR  int `toml:"t_wr"`  // end of write data to precharge
}

// Default is the memory of Fung and Aamodt (HPCA 2011, table 2), completed from
// GPGPU-Sim 2.1.1b: GDDR3 with
// nbk8:tCCD2:tRRD8:tRCD12:tRAS25:tRP10:tRC35:CL10:WL7:tWTR6.
func Default() Config {
	return Config{
		Channels: 8, Interleave: 256, Banks: 8, RowBytes: 2048, BusBytes: 8, Burst: 2,
		Queue: 32, Scheduler: FRFCFS, HitCap: 32, Latency: 10,
		TCL: 10, WL: 7, TRP: 10, TRC: 35, TRAS: 25, TRCD: 12, TRRD: 8, TWTR: 6, TCCD: 2,
	}
}

// BurstBytes is what one column command moves.
func (c *Config) BurstBytes() int { return c.BusBytes * c.Burst }

// tRTW is from a read to a write command: one idle cycle of the bus on either
// side of the turn.
func (c *Config) tRTW() int { return max(c.TCL+c.Burst+2-c.WL, c.TCCD) }

// tRCDWR is from activate to write: the data follow WL later, so the command
// may come before the row is open (GDDR3; GPGPU-Sim 2.1.1b).
func (c *Config) tRCDWR() int { return max(c.TRCD-(c.WL+1), 0) }

// Check says what is wrong with the configuration for lines of the given
// number of bytes, one error for each key.
func (c *Config) Check(line int) error {
	var errs []error
	between := func(key string, v, lo, hi int) {
		if v < lo || v > hi {
			errs = append(errs, fmt.Errorf("dram.%s = %d: expected %d to %d", key, v, lo, hi))
		}
	}
	power := func(key string, v, lo, hi int) {
		if v < lo || v > hi || bits.OnesCount(uint(v)) != 1 {
			errs = append(errs, fmt.Errorf("dram.%s = %d: expected a power of two from %d to %d", key, v, lo, hi))
		}
	}
	between("channels", c.Channels, 1, MaxChannels)
	power("interleave", c.Interleave, line, pageBytes)
	power("banks", c.Banks, 1, MaxBanks)
	power("row_bytes", c.RowBytes, line, 1<<16)
	power("bus_bytes", c.BusBytes, 1, MaxLine)
	between("burst", c.Burst, 1, 16)
	if b := c.BurstBytes(); b < 1 || b > line || line%b != 0 || line/b > 32 {
		errs = append(errs, fmt.Errorf("dram.bus_bytes * dram.burst = %d: a burst must divide a line of %d bytes into 1 to 32 parts", b, line))
	}
	between("queue", c.Queue, 1, MaxQueue)
	between("hit_cap", c.HitCap, 0, 255)
	between("latency", c.Latency, 1, 1000)
	if c.Scheduler != FRFCFS && c.Scheduler != FCFS {
		errs = append(errs, fmt.Errorf("dram.scheduler = %q: expected %q or %q", c.Scheduler, FRFCFS, FCFS))
	}
	const most = 1000
	between("t_cl", c.TCL, 1, most)
	between("wl", c.WL, 1, most)
	between("t_rp", c.TRP, 1, most)
	between("t_ras", c.TRAS, 1, most)
	between("t_rc", c.TRC, 1, most)
	between("t_rcd", c.TRCD, 1, most)
	between("t_rrd", c.TRRD, 1, most)
	between("t_wtr", c.TWTR, 0, most)
	between("t_ccd", c.TCCD, max(c.Burst, 1), most)
	between("t_rtp", c.TRTP, 0, most)
	between("t_wr", c.TWR, 0, most)
	return errors.Join(errs...)
}
