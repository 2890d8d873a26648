package area

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"divergo/gpu"
	"divergo/memsys"
	"divergo/rtl"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/units"
)

// Sizes of fields that the model keeps in wider ones.
const (
	wordBits    = 32 // register of a thread
	addressBits = 40 // Our reading: physical addresses of the devices of the presets
	timerBits   = 10 // waits of up to 1,000 cycles, the range of latencies
	flightBits  = 5  // instructions in flight of a warp
	operands    = 3  // sources of an instruction
	results     = 2  // registers that an instruction writes
)

// core is the storage of an SM without its memory side.
type core struct {
	blocks    map[string][]Memory // by block: "Issue"
	mechanism divergence.Cost
	slots     int
	homes     bool // a slot can hold threads of several rows
	crossbar  bool // threads change lanes
	stalls    bool // hardware follows loads in flight
}

// memory is the storage of the memory side of an SM, of an L2 slice, of a memory controller, of the
// ports of the crossbar and of the dispatcher.
type memory struct{ blocks map[string][]Memory }

// What decides the storage of a core, and of the memory system.
type (
	coreKey struct {
		sm                        sm.Config
		options                   divergence.Options
		constant, fetch, textures bool
	}
	memoryKey struct {
		config memsys.Config
		lanes  int
	}
)

// memo remembers elaborations: a sweep has many machines with the same blocks.
type memo[K comparable, V any] struct {
	sync.Mutex
	known map[K]V
}

// memoSize is the number of elaborations that a memo keeps.
const memoSize = 4096

func (m *memo[K, V]) of(key K, elaborate func() (V, error)) (V, error) {
	m.Lock()
	v, ok := m.known[key]
	m.Unlock()
	if ok {
		return v, nil
	}
	v, err := elaborate()
	if err != nil {
		return v, err
	}
	m.Lock()
	defer m.Unlock()
	if m.known == nil || len(m.known) == memoSize {
		m.known = map[K]V{}
	}
	m.known[key] = v
	return v, nil
}

var (
	cores    memo[coreKey, *core]
	memories memo[memoryKey, *memory]
)

// coreOf measures the SM of a machine. Keys that change no storage are the same in each coreKey.
func coreOf(cfg *gpu.Config) (*core, error) {
	key := coreKey{
		cfg.SM, cfg.Divergence, cfg.Const.Size > 0, cfg.ICache.Size > 0, cfg.Texture.Fetch == memsys.FetchUnit,
	}
	c := &key.sm
	c.SIMDWidth, c.DPWidth, c.SFUWidth, c.RFBanks, c.WBPorts, c.Registers = 1, 1, 1, 1, 1, 3<<18
	c.ALULatency, c.OutcomeLat, c.DPLatency, c.SFULatency, c.AGULatency = staged, 0, staged, staged, staged
	c.Latency, c.Initiation, c.Stack = sm.Opcodes{}, sm.Opcodes{}, 0
	c.Lanes, c.CTAPriority, c.Scoreboard, c.Skip = units.Sequential, sm.PriorityNone, sm.OneInFlight, sm.SkipNone
	if c.Scheduler != sm.TwoLevel {
		c.Scheduler, c.FetchGroup = sm.LRR, 1
	}
	return cores.of(key, func() (*core, error) { return elaborateCore(key) })
}

// staged is a latency that makes a queue the stages of a pipeline: see rtl.Sim.Queues.
const staged = 2

// memoryOf measures the memory system of a machine. Its pipelines have the same latency in each
// memoryKey.
func memoryOf(cfg *gpu.Config) (*memory, error) {
	key := memoryKey{cfg.Config, cfg.SM.WarpSize}
	c := &key.config
	c.DRAM.Channels, c.Icnt.Concentration, c.Herd = 1, 1, units.DefaultHerd()
	c.L1.HitLatency, c.Const.HitLatency, c.Texture.HitLatency = staged, staged, staged
	c.Texture.Latency, c.Shared.Latency, c.Icnt.Latency = staged, staged, staged
	return memories.of(key, func() (*memory, error) { return elaborateMemory(key) })
}

// elaborateCore builds a machine of one SM with the smallest memory system.
func elaborateCore(key coreKey) (*core, error) {
	one := gpu.Default()
	one.GPU.SMs, one.GPU.Memory, one.Icnt.Concentration, one.DRAM.Channels = 1, 1, 1, 1
	one.SM, one.Divergence = key.sm, key.options
	set := func(assoc, line int) int { return assoc * line }
	one.L1.Size, one.L2.Size = set(one.L1.Assoc, one.L1.Line), set(one.L2.Assoc, one.L2.Line)
	one.Const.Size = flag(key.constant) * set(one.Const.Assoc, one.Const.Line)
	one.ICache.Size = flag(key.fetch) * set(one.ICache.Assoc, one.ICache.Line)
	if key.textures {
		one.Texture.Fetch, one.Texture.Size = memsys.FetchUnit, set(one.Texture.Assoc, one.Texture.Line)
	}
	m, err := gpu.New(one)
	if err != nil {
		return nil, err
	}
	mech, _ := divergence.Find(key.options.Mechanism)
	s := m.SMs[0]
	c := &core{
		blocks: map[string][]Memory{}, slots: s.Div.Slots().Len(), homes: s.Div.Homes() != nil, crossbar: mech.Moves,
		stalls: s.Stalls != nil,
	}
	g := key.sm.Geometry()
	if c.mechanism, err = mech.Cost(key.options, g); err != nil {
		return nil, err
	}
	sizes := common(&one, g.Lanes)
	for name, n := range map[string]int{
		"warps": g.Warps, "ctas": g.CTAs, "threads": g.Lanes * g.Warps, "slots": c.slots, "homes": flag(c.homes),
		"crossbar": flag(c.crossbar), "flights": flightBits, "operands": operands, "results": results,
		"entries": key.sm.MemQueue, "share": ceilDiv(g.Warps, g.CTAs), "calls": 1,
	} {
		sizes[name] = n
	}
	for name, there := range s.Div.Parts() {
		sizes[name] = flag(there)
	}
	others := func(block string) bool { return block != "Div" && !strings.HasPrefix(block, "Mem.") }
	return c, measure(c.blocks, m.System().Sims()[0], sizes, others)
}

// common returns the sizes of fields that all blocks share.
func common(cfg *gpu.Config, lanes int) map[string]int {
	caches := cfg.Const.Size+cfg.ICache.Size+cfg.Texture.Size > 0
	textures := flag(cfg.Texture.Fetch == memsys.FetchUnit)
	return map[string]int{
		"lanes": lanes, "lanes_bits": units.LaneBits(lanes), "word": wordBits, "address": addressBits, "timer": timerBits, "valid": 1,
		"clients": flag(caches), "textures": textures, "fold": wordBits * textures, "line": cfg.L1.Line,
		"sectors": 1, "merge": 1, "mshrs": 1, "way": 1, "tag": 1, "age": 1, "have": 0, "dirty": 0,
	}
}

// elaborateMemory builds a machine of one SM, one L2 slice and one channel.
func elaborateMemory(key memoryKey) (*memory, error) {
	one := gpu.Default()
	one.GPU.SMs, one.GPU.Memory = 1, 1
	one.SM.WarpSize, one.SM.SIMDWidth, one.SM.SFUWidth, one.SM.DPWidth = key.lanes, 1, 1, 1
	one.SM.Threads, one.SM.CTAs = key.lanes, 1
	one.Config = key.config
	m, err := gpu.New(one)
	if err != nil {
		return nil, err
	}
	x, c, sims := &memory{map[string][]Memory{}}, &key.config, m.System().Sims()
	k, f, t := &c.Const, &c.ICache, &c.Texture
	l1 := cacheShape{c.L1.Size, c.L1.Assoc, c.L1.Line, c.L1.Sector, c.L1.MSHRs, c.L1.MSHRMerge, false, true}
	l2 := cacheShape{c.L2.Size, c.L2.Assoc, c.L2.Line, c.L2.Sector, c.L2.MSHRs, c.L2.MSHRMerge, true, true}
	others := []string{"Mem.PreMem", "Mem.Coalescer", "Mem.WriteBack", "Mem.Shared", "Mem.Clients"}
	for _, of := range []struct {
		island string
		there  bool
		cache  cacheShape
		blocks []string // prefixes of their names; none: all
	}{
		{"sm[0]", true, cacheShape{}, others},
		{"sm[0]", true, l1, []string{"Mem.L1"}},
		{"sm[0]", k.Size > 0, readOnly(k.Size, k.Assoc, k.Line, k.MSHRs, k.MSHRMerge), []string{"Mem.Const"}},
		{"sm[0]", f.Size > 0, readOnly(f.Size, f.Assoc, f.Line, f.MSHRs, 1), []string{"Mem.ICache"}},
		{"sm[0]", t.Size > 0, readOnly(t.Size, t.Assoc, t.Line, t.MSHRs, t.MSHRMerge), []string{"Mem.Texture"}},
		{"l2[0]", true, l2, nil},
		{"dram[0]", true, cacheShape{}, nil},
		{"icnt", true, cacheShape{}, nil},
		{"dispatch", true, cacheShape{}, nil},
	} {
		if !of.there {
			continue
		}
		sizes := common(&one, key.lanes)
		for name, n := range map[string]int{
			"warps": 1, "ctas": 1, "threads": key.lanes, "slots": 1, "homes": 0, "crossbar": 0, "flights": 1,
			"operands": 1, "results": 1, "share": 1, "calls": 1, "likely": 0, "entries": c.L1.Pending,
			"queue": c.DRAM.Queue, "banks": c.DRAM.Banks,
		} {
			sizes[name] = n
		}
		of.cache.sizes(sizes)
		at := slices.IndexFunc(sims, func(s *rtl.Sim) bool { return s.Name() == of.island })
		take := func(block string) bool {
			under := func(p string) bool { return strings.HasPrefix(block, p) }
			return of.blocks == nil || slices.ContainsFunc(of.blocks, under)
		}
		if err := measure(x.blocks, sims[at], sizes, take); err != nil {
			return nil, err
		}
	}
	if f.Size > 0 { // the model keeps no bytes of instructions
		block := "Mem.ICache"
		x.blocks[block] = append(x.blocks[block], newMemory("cache.data", f.Size/f.Line, 8*f.Line))
	}
	return x, nil
}

// cacheShape is the size of a cache. Bytes and dirty tell whether each line has masks of the bytes that
// it holds, and of those to write back.
type cacheShape struct {
	size, assoc, line, sector, mshrs, merge int
	bytes, dirty                            bool
}

// readOnly returns the size of a cache that is never written.
func readOnly(size, assoc, line, mshrs, merge int) cacheShape {
	return cacheShape{size: size, assoc: assoc, line: line, mshrs: mshrs, merge: merge}
}

// sizes sets the sizes of fields of a cache; the zero value has none.
func (c cacheShape) sizes(to map[string]int) {
	if c.size == 0 {
		return
	}
	to["line"], to["sectors"], to["mshrs"], to["merge"] = c.line, c.line/cmp.Or(c.sector, c.line), c.mshrs, c.merge
	to["have"], to["dirty"] = flag(c.bytes)*c.line, flag(c.dirty)*c.line
	to["way"], to["age"] = bitsFor(c.size/c.line), bitsFor(c.assoc)
	to["tag"] = addressBits - bitsFor(c.line) - bitsFor(c.size/c.line/c.assoc)
}

// measure adds the storage of blocks of a simulation. A block of an SM has the name of its field
// ("Issue", "Mem.L1"); another island is one block with the name of the island. Equal memories of
// several sub-cores are one with a count.
func measure(to map[string][]Memory, sim *rtl.Sim, sizes map[string]int, take func(block string) bool) error {
	states, err := sim.Storage(sizes)
	if err != nil {
		return err
	}
	queues, err := sim.Queues(sizes)
	if err != nil {
		return err
	}
	for i, s := range append(states, queues...) {
		path := strings.Split(strings.TrimPrefix(s.Path, sim.Name()), ".")[1:]
		if len(path) > 0 && strings.HasPrefix(path[0], "Sub[") {
			path = path[1:]
		}
		n := 1
		if len(path) > 1 && path[0] == "Mem" {
			n = 2
		}
		block, name := sim.Name(), strings.Join(path, ".")
		if strings.HasPrefix(block, "sm[") {
			block, name = strings.Join(path[:n], "."), strings.Join(path[n:], ".")
		}
		if !take(block) {
			continue
		}
		mem := newMemory(cmp.Or(name, "state"), s.Words, s.Width())
		if i >= len(states) {
			mem.Name = fmt.Sprintf("queue %s", mem.Name)
		}
		if !join(to[block], &mem) && !again(to[block], &mem) {
			to[block] = append(to[block], mem)
		}
	}
	return nil
}

// join puts the byte masks of the lines of a cache beside the rest of their state: one memory of the
// hardware, which the model divides by what a cache needs. It reports whether mem has such masks.
func join(list []Memory, mem *Memory) bool {
	if mem.Name != "cache.dirtyBytes" && mem.Name != "have" {
		return false
	}
	for i := range list {
		if x := &list[i]; x.Name == "cache.ways" && x.Words == mem.Words {
			x.Bits += mem.Bits
			return true
		}
	}
	return false
}

// again counts a memory that is in the list. It reports whether it is.
func again(list []Memory, mem *Memory) bool {
	for i := range list {
		if x := &list[i]; x.Name == mem.Name && x.Words == mem.Words && x.Bits == mem.Bits {
			x.Count++
			return true
		}
	}
	return false
}

// flag is 1 for true.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
