package memsys

import (
	"math/bits"

	"divergo/internal/key"
	"divergo/memsys/dram"
	"divergo/units"
)

// Limits of the registers of the blocks.
const (
	MaxMSHRs   = 256 // range of a packet's ID
	MaxMerge   = 8   // requests that wait in one MSHR
	MaxPending = 64  // loads of an SM
	MaxAssoc   = 64
	MaxPorts   = 1025 // of a crossbar: 1,024 SMs and the dispatcher
	MaxBanks   = 64   // of shared memory

	minSector  = 32 // bytes
	maxSectors = MaxLine / minSector
)

// WritePolicy selects the action of the L1 for a store that hits. Neither policy allocates a line
// for a store that misses.
type WritePolicy string

// The write policies.
const (
	WriteBack    WritePolicy = "back"
	WriteThrough WritePolicy = "through"
)

// storing is the action for a store to a line in the cache.
type storing struct {
	write   func(c *cache, w int, data *Line, mask ByteMask)
	through bool // the store goes to the L2 at once
}

var writePolicies = key.Choices[WritePolicy, storing]{}.
	With(WriteBack, "keep the bytes until the line is evicted", storing{(*cache).write, false}).
	With(WriteThrough, "also send them to the L2", storing{(*cache).merge, true})

// Words lists the valid values.
func (WritePolicy) Words() key.Words { return writePolicies.Words() }

// TexFetch selects the hardware that executes tex and tld4.
type TexFetch string

// The choices of TexFetch.
const (
	FetchLoads TexFetch = "loads"
	FetchUnit  TexFetch = "unit"
)

// texFetches holds the clients of the texture cache: the Reader, and the texture unit.
var texFetches = key.Choices[TexFetch, int]{}.
	With(FetchLoads, "the program loads texels and computes", 1).
	With(FetchUnit, "a texture unit in each SM", 2)

// Words lists the valid values.
func (TexFetch) Words() key.Words { return texFetches.Words() }

// Config describes the memory system. Sizes are bytes. Times are cycles:
//   - of the core clock for L1, Const, ICache, Texture and Shared;
//   - of the interconnect clock for Icnt and L2;
//   - of the DRAM clock for DRAM.
//
// The SMs use Herd too.
type Config struct {
	L1      L1Config      `toml:"l1"`
	Const   ConstConfig   `toml:"const"`
	ICache  ICacheConfig  `toml:"icache"`
	Texture TextureConfig `toml:"texture"`
	Shared  SharedConfig  `toml:"shared"`
	Icnt    IcntConfig    `toml:"icnt"`
	L2      L2Config      `toml:"l2"`
	DRAM    dram.Config   `toml:"dram"`

	Herd units.HerdConfig `toml:"herd"`
}

// L1Config describes the coalescer and the L1 data cache of an SM.
type L1Config struct {
	Pending    int         `toml:"pending" range:"1..64" doc:"warp loads and atomics whose lanes the coalescer gathers" source:"ours"`
	Size       int         `toml:"size" range:"32..64Mi" unit:"bytes" doc:"L1 data cache of an SM" source:"tbc: table 2"`
	Assoc      int         `toml:"assoc" range:"1..64" unit:"ways" doc:"lines of a set" source:"tbc: table 2"`
	Line       int         `toml:"line" range:"32..128 pow2" unit:"bytes" doc:"cache line" source:"tbc: table 2"`
	Sector     int         `toml:"sector" range:"0..128 pow2" unit:"bytes" doc:"part of a line that is fetched by itself; 0: the line" source:"ours"`
	Hash       dram.Hash   `toml:"hash" doc:"bits of a line's number that choose its set: none (the lowest) or xor (higher ones too)" source:"GPGPU-Sim 4: set_index_function"`
	MSHRs      int         `toml:"mshrs" range:"1..256" doc:"misses in flight (miss status holding registers)" source:"gpgpu"`
	MSHRMerge  int         `toml:"mshr_merge" range:"1..8" unit:"loads" doc:"loads that one miss can answer" source:"ours"`
	Write      WritePolicy `toml:"write" doc:"what a store that hits does: back (kept until eviction) or through (also sent to the L2)" source:"gpgpu"`
	HitLatency int         `toml:"hit_latency" range:"1..1000" unit:"core cycles" doc:"from the tags to the coalescer" source:"ours"`
	MissQueue  int         `toml:"miss_queue" range:"1..1024" unit:"packets" doc:"packets that wait for the interconnect" source:"gpgpu"`
}

// ConstConfig describes the constant cache of an SM.
type ConstConfig struct {
	Size       int `toml:"size" range:"0..1Mi" unit:"bytes" doc:"constant cache of an SM, for constants and parameters; 0: constants through the L1, parameters from a bank" source:"ours"`
	Assoc      int `toml:"assoc" range:"1..64" unit:"ways" doc:"lines of a set" source:"gpgpu"`
	Line       int `toml:"line" range:"32..128 pow2" unit:"bytes" doc:"cache line, at most l2.line" source:"gpgpu"`
	Pending    int `toml:"pending" range:"1..64" doc:"warp loads whose lanes are gathered" source:"ours"`
	MSHRs      int `toml:"mshrs" range:"1..256" doc:"misses in flight" source:"ours"`
	MSHRMerge  int `toml:"mshr_merge" range:"1..8" unit:"requests" doc:"requests that one miss can answer" source:"ours"`
	HitLatency int `toml:"hit_latency" range:"1..1000" unit:"core cycles" doc:"from the tags to the lanes" source:"ours"`
	MissQueue  int `toml:"miss_queue" range:"1..1024" unit:"packets" doc:"packets that wait for the port of the SM" source:"ours"`
}

// ICacheConfig describes the instruction cache of an SM.
type ICacheConfig struct {
	Size      int  `toml:"size" range:"0..1Mi" unit:"bytes" doc:"instruction cache of an SM, 8 bytes an instruction; 0: every fetch hits" source:"tbc: section 2.2"`
	Assoc     int  `toml:"assoc" range:"1..64" unit:"ways" doc:"lines of a set" source:"ours"`
	Line      int  `toml:"line" range:"32..128 pow2" unit:"bytes" doc:"cache line, at most l2.line" source:"ours"`
	Prefetch  bool `toml:"prefetch" doc:"fetch the next line too, after a miss and at the first use of a prefetched line" source:"Smith, Computing Surveys 1982, section 2.1"`
	MSHRs     int  `toml:"mshrs" range:"1..256" doc:"misses in flight" source:"ours"`
	MissQueue int  `toml:"miss_queue" range:"1..1024" unit:"packets" doc:"packets that wait for the port of the SM" source:"ours"`
}

// TextureConfig describes the texture cache of an SM, and its texture unit.
type TextureConfig struct {
	Fetch      TexFetch `toml:"fetch" doc:"what executes tex and tld4, and the addresses of surfaces: loads (loads and arithmetic of the program) or unit (a texture unit in each SM, which needs a texture cache)" source:"ours"`
	Size       int      `toml:"size" range:"0..1Mi" unit:"bytes" doc:"texture cache of an SM, for texels and ld.global.nc; 0: both through the L1" source:"tbc: table 2 has 32 KiB"`
	Assoc      int      `toml:"assoc" range:"1..64" unit:"ways" doc:"lines of a set" source:"tbc: table 2"`
	Line       int      `toml:"line" range:"32..128 pow2" unit:"bytes" doc:"cache line, at most l2.line" source:"tbc: table 2"`
	Pending    int      `toml:"pending" range:"1..64" doc:"warp loads whose lanes are gathered" source:"ours"`
	MSHRs      int      `toml:"mshrs" range:"1..256" doc:"misses in flight" source:"ours"`
	MSHRMerge  int      `toml:"mshr_merge" range:"1..8" unit:"requests" doc:"requests that one miss can answer" source:"ours"`
	HitLatency int      `toml:"hit_latency" range:"1..1000" unit:"core cycles" doc:"from the tags to the lanes" source:"ours"`
	MissQueue  int      `toml:"miss_queue" range:"1..1024" unit:"packets" doc:"packets that wait for the port of the SM" source:"ours"`
	Lanes      int      `toml:"lanes" range:"1..8 pow2" unit:"lanes" doc:"lanes of the texture unit: each addresses, and filters, up to four texels a cycle" source:"NVIDIA, Fermi whitepaper 2009: four texture units an SM"`
	Groups     int      `toml:"groups" range:"1..256" doc:"groups of lanes that wait for their texels in the texture unit" source:"ours"`
	Latency    int      `toml:"latency" range:"1..1000" unit:"core cycles" doc:"of the filters of the texture unit" source:"ours"`
	Handles    int      `toml:"handles" range:"3..64" doc:"descriptions of textures and samplers that the texture unit holds" source:"ours"`
}

// unit reports whether there is a texture unit.
func (c *TextureConfig) unit() bool { return c.Fetch == FetchUnit }

// sector returns the bytes of a sector: those of the line if it has none.
func (c *L1Config) sector() int {
	if c.Sector == 0 {
		return c.Line
	}
	return c.Sector
}

// SharedConfig describes the shared memory of an SM.
type SharedConfig struct {
	Size    int `toml:"size" range:"4..16Mi" unit:"bytes" doc:"shared memory of an SM" source:"tbc: table 2"`
	Banks   int `toml:"banks" range:"1..64 pow2" doc:"banks of one 4-byte word each" source:"gpgpu"`
	Lanes   int `toml:"lanes" range:"1..32 pow2" unit:"lanes" doc:"looked at together: 16 checks a warp of 32 by halves" source:"gpgpu"`
	Latency int `toml:"latency" range:"1..1000" unit:"core cycles" doc:"from the banks to the coalescer" source:"ours"`
}

// IcntConfig describes the crossbars between SMs and L2 slices.
type IcntConfig struct {
	FlitBytes     int `toml:"flit_bytes" range:"1..256" unit:"bytes" doc:"width of a link of the crossbar" source:"gpgpu"`
	Latency       int `toml:"latency" range:"1..1000" unit:"interconnect cycles" doc:"from an SM or a slice to the crossbar, and on" source:"ours"`
	Queue         int `toml:"queue" range:"1..1024" unit:"packets" doc:"packets that wait at an input or an output" source:"gpgpu"`
	Concentration int `toml:"concentration" range:"1..64" unit:"SMs" doc:"SMs that share a port" source:"gpgpu"`
}

// L2Config describes a slice of the L2. Each DRAM channel has one slice.
type L2Config struct {
	Size      int       `toml:"size" range:"32..64Mi" unit:"bytes" doc:"slice of the L2 in front of one DRAM channel" source:"tbc: table 2"`
	Assoc     int       `toml:"assoc" range:"1..64" unit:"ways" doc:"lines of a set" source:"tbc: table 2"`
	Line      int       `toml:"line" range:"32..128 pow2" unit:"bytes" doc:"cache line, equal to l1.line" source:"tbc: table 2"`
	Sector    int       `toml:"sector" range:"0..128 pow2" unit:"bytes" doc:"part of a line that is fetched by itself; 0: the line" source:"ours"`
	Hash      dram.Hash `toml:"hash" doc:"bits of a line's number in its slice that choose its set: none (the lowest) or xor (higher ones too)" source:"GPGPU-Sim 4: set_index_function"`
	MSHRs     int       `toml:"mshrs" range:"1..256" doc:"misses in flight of a slice" source:"gpgpu"`
	MSHRMerge int       `toml:"mshr_merge" range:"1..64" unit:"requests" doc:"requests that wait for one line" source:"ours"`
	Latency   int       `toml:"latency" range:"1..1000" unit:"interconnect cycles" doc:"of an answer on its way to the interconnect" source:"gpgpu"`
	Keep      bool      `toml:"keep" doc:"keep the lines from one launch to the next, but for what the host has written; dirty ones are written back all the same" source:"ours"`
}

// Default returns the machine of Fung and Aamodt (HPCA 2011, table 2). Values missing in the paper
// are those of GPGPU-Sim 2.1.1b.
func Default() Config {
	return Config{
		L1: L1Config{
			Pending: 32, Size: 32 << 10, Assoc: 8, Line: 64, Hash: dram.HashNone, MSHRs: 64, MSHRMerge: 8,
			Write: WriteBack, HitLatency: 1, MissQueue: 8,
		},
		Const: ConstConfig{
			Assoc: 2, Line: 64, Pending: 8, MSHRs: 8, MSHRMerge: 8, HitLatency: 1, MissQueue: 4,
		},
		ICache: ICacheConfig{Assoc: 4, Line: 64, Prefetch: true, MSHRs: 4, MissQueue: 4},
		Texture: TextureConfig{
			Fetch: FetchLoads, Assoc: 16, Line: 64, Pending: 32, MSHRs: 64, MSHRMerge: 8, HitLatency: 1, MissQueue: 8,
			Lanes: 4, Groups: 64, Latency: 8, Handles: 8,
		},
		Shared: SharedConfig{Size: 16 << 10, Banks: 16, Lanes: 16, Latency: 1},
		Icnt:   IcntConfig{FlitBytes: 32, Latency: 4, Queue: 8, Concentration: 3},
		L2:     L2Config{Size: 1 << 20, Assoc: 64, Line: 64, Hash: dram.HashNone, MSHRs: 64, MSHRMerge: 8, Latency: 10},
		DRAM:   dram.Default(),
		Herd:   units.DefaultHerd(),
	}
}

// Check reports every reason why the memory system cannot be built.
func (c *Config) Check() error {
	k := key.NewCheck("", c)
	c.Rules(k)
	return k.Err()
}

// Rules refuses combinations of keys for which no memory system can be built. It looks only at keys
// within their ranges.
func (c *Config) Rules(k *key.Check) {
	for _, cache := range []struct {
		level                     string
		size, assoc, line, sector int
	}{
		{"l1", c.L1.Size, c.L1.Assoc, c.L1.Line, c.L1.Sector},
		{"l2", c.L2.Size, c.L2.Assoc, c.L2.Line, c.L2.Sector},
		{"const", c.Const.Size, c.Const.Assoc, c.Const.Line, 0},
		{"icache", c.ICache.Size, c.ICache.Assoc, c.ICache.Line, 0},
		{"texture", c.Texture.Size, c.Texture.Assoc, c.Texture.Line, 0},
	} {
		if n := cache.sector; n != 0 && k.Sound(cache.level+".sector", cache.level+".line") &&
			(n < minSector || n > cache.line) {
			k.Refuse("want 0, or %d to the %d bytes of a line", minSector, cache.line)
		}
		if !k.Sound(cache.level+".size", cache.level+".assoc", cache.level+".line") || cache.size == 0 {
			continue
		}
		if set := cache.assoc * cache.line; cache.size%set != 0 || bits.OnesCount(uint(cache.size/set)) != 1 {
			k.Refuse("want a power of two of sets of %[1]s.assoc * %[1]s.line = %d * %d = %d bytes", cache.level,
				cache.assoc, cache.line, set)
		}
	}
	if k.Sound("l2.line", "l1.line") && c.L2.Line != c.L1.Line {
		k.Refuse("want l1.line = %d: packets carry whole lines", c.L1.Line)
	}
	for _, cache := range []struct {
		level      string
		size, line int
	}{
		{"const", c.Const.Size, c.Const.Line},
		{"icache", c.ICache.Size, c.ICache.Line},
		{"texture", c.Texture.Size, c.Texture.Line},
	} {
		if cache.size > 0 && k.Sound(cache.level+".line", "l2.line") && cache.line > c.L2.Line {
			k.Refuse("want at most l2.line = %d: packets carry whole lines of the L2", c.L2.Line)
		}
	}
	if k.Sound("texture.fetch", "texture.size") && c.Texture.unit() && c.Texture.Size == 0 {
		k.Refuse("the texture unit reads through a texture cache: want at least texture.assoc * texture.line = %d bytes", c.Texture.Assoc*c.Texture.Line)
	}
	if k.Sound("shared.size") && c.Shared.Size%4 != 0 {
		k.Refuse("want whole words of 4 bytes")
	}
	if k.Sound("l2.line") {
		c.DRAM.Rules(k, c.L2.Line)
	}
}
