package gpu

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"divergo/internal/nearest"
	"divergo/memsys"
	"divergo/memsys/dram"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/units"
)

// Key is one value of a Config.
type Key struct {
	Name   string   // dotted path: sm.warp_size
	Type   string   // "integer", "boolean" or "word"
	Unit   string   // of an integer; "" for a plain count
	Doc    string   // meaning, in a line
	Source string   // where the default comes from
	Words  []string // what a word can be

	index []int // of the field in Config
}

// Keys lists all keys in the order of Config's fields.
var Keys = sync.OnceValue(func() []Key {
	var keys []Key
	var walk func(t reflect.Type, path string, index []int)
	walk = func(t reflect.Type, path string, index []int) {
		for i := range t.NumField() {
			f := t.Field(i)
			name := path + f.Tag.Get("toml")
			at := append(append([]int(nil), index...), i)
			switch {
			case f.Anonymous:
				walk(f.Type, path, at)
				continue
			case f.Type.Kind() == reflect.Struct:
				walk(f.Type, name+".", at)
				continue
			}
			e := entries[name]
			k := Key{Name: name, Unit: e.unit, Doc: e.doc, Source: e.source, index: at}
			switch f.Type.Kind() {
			case reflect.Int:
				k.Type = "integer"
			case reflect.Bool:
				k.Type = "boolean"
			case reflect.String:
				k.Type = "word"
				k.Words = words(f.Type, name)
			}
			keys = append(keys, k)
		}
	}
	walk(reflect.TypeFor[Config](), "", nil)
	return keys
})

// FindKey returns the key of that name. The error suggests the nearest one.
func FindKey(name string) (Key, error) {
	for _, k := range Keys() {
		if k.Name == name {
			return k, nil
		}
	}
	return Key{}, unknownKey(name)
}

// Set parses value and stores it in c.
func (k Key) Set(c *Config, value string) error {
	f := k.field(c)
	switch f.Kind() {
	case reflect.Int:
		n, err := strconv.ParseInt(strings.ReplaceAll(value, "_", ""), 0, 32)
		if err != nil {
			return fmt.Errorf("%s = %q: want %s", k.Name, value, k.want())
		}
		f.SetInt(n)
	case reflect.Bool:
		switch value {
		case "true", "false":
			f.SetBool(value == "true")
		default:
			return fmt.Errorf("%s = %q: want %s", k.Name, value, k.want())
		}
	case reflect.String:
		value = strings.Trim(value, `"`)
		for _, w := range k.Words {
			if w == value {
				f.SetString(value)
				return nil
			}
		}
		return fmt.Errorf("%s: %w", k.Name, nearest.Unknown("value", value, k.Words))
	}
	return nil
}

// Get is the value in c as Set reads it.
func (k Key) Get(c *Config) string { return fmt.Sprint(k.field(c).Interface()) }

func (k Key) field(c *Config) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(k.index) }

// literal is the value in c as TOML writes it.
func (k Key) literal(c *Config) string {
	if k.Type == "word" {
		return strconv.Quote(k.Get(c))
	}
	return k.Get(c)
}

// want says what the key takes.
func (k Key) want() string {
	switch k.Type {
	case "integer":
		if k.Unit != "" {
			return "an integer (" + k.Unit + ")"
		}
		return "an integer"
	case "boolean":
		return "true or false"
	}
	return "one of " + strings.Join(k.Words, ", ")
}

// describe is the meaning with the unit before it.
func (k Key) describe() string {
	if k.Unit == "" {
		return k.Doc
	}
	return k.Unit + ": " + k.Doc
}

// words lists the values of a word by the type of its field.
func words(t reflect.Type, name string) []string {
	switch t {
	case reflect.TypeFor[units.Permutation]():
		var list []string
		for _, p := range units.Permutations() {
			list = append(list, string(p))
		}
		return list
	case reflect.TypeFor[sm.Scheduler]():
		return []string{string(sm.LRR), string(sm.GTO)}
	case reflect.TypeFor[sm.CTAPriority]():
		var list []string
		for _, p := range sm.CTAPriorities() {
			list = append(list, string(p))
		}
		return list
	case reflect.TypeFor[sm.Dependence]():
		return []string{string(sm.OneInFlight), string(sm.PerRegister)}
	case reflect.TypeFor[memsys.WritePolicy]():
		return []string{string(memsys.WriteBack), string(memsys.WriteThrough)}
	case reflect.TypeFor[dram.Scheduler]():
		return []string{string(dram.FRFCFS), string(dram.FCFS)}
	case reflect.TypeFor[divergence.IssuePolicy]():
		var list []string
		for _, p := range divergence.IssuePolicies() {
			list = append(list, string(p))
		}
		return list
	case reflect.TypeFor[divergence.PathOrder]():
		var list []string
		for _, o := range divergence.PathOrders() {
			list = append(list, string(o))
		}
		return list
	}
	if name == "divergence.mechanism" {
		var list []string
		for _, m := range divergence.Mechanisms() {
			list = append(list, m.Name)
		}
		return list
	}
	return nil
}

// entry is what the key table says that the types do not.
type entry struct{ unit, doc, source string }

// Sources, as the table prints them.
const (
	tbc     = "Fung & Aamodt, HPCA 2011, table 2"
	gpgpu   = "GPGPU-Sim 2.1.1b"
	ours    = "this model"
	ssy     = "Bialas & Strzelecki, 2015, section IV: Kepler"
	fung223 = "Fung & Aamodt, HPCA 2011, section 2.2"
)

// entries has one entry for each key. The source is that of the value in the
// default preset.
var entries = map[string]entry{
	"gpu.sms": {"", "streaming multiprocessors", tbc},

	"clocks.core_mhz": {"MHz", "clock of the streaming multiprocessors and their L1 caches", tbc},
	"clocks.icnt_mhz": {"MHz", "clock of the interconnect and the L2 slices", tbc},
	"clocks.dram_mhz": {"MHz", "command clock of the DRAM", tbc},

	"sm.warp_size":    {"threads", "threads of a warp, a power of two up to 32", tbc},
	"sm.simd_width":   {"lanes", "lanes of the pipes; a warp enters one in warp_size / simd_width cycles", tbc},
	"sm.threads":      {"threads", "resident threads at most", tbc},
	"sm.ctas":         {"", "resident CTAs at most", gpgpu},
	"sm.registers":    {"", "32-bit registers", tbc},
	"sm.reg_alloc":    {"registers", "granularity of allocation: a thread's registers are rounded up to a multiple", gpgpu},
	"sm.lanes":        {"", "lane permutation: where the threads of a warp are, of each warp in its own way", "Rhu & Erez, ISCA 2013, figures 7 and 9"},
	"sm.scheduler":    {"", "warp scheduler: lrr (loose round robin) or gto (greedy, then oldest)", fung223},
	"sm.cta_priority": {"", "which CTA's warps are issued first, each CTA's in the order of the scheduler: age (the oldest), rrb (rotates each cycle), srr (the one that issued last, until it has no ready warp), none (all warps alike), or auto (age under tbc, tbc-lcp and capri, else none)", "Fung & Aamodt, HPCA 2011, section 6.2"},
	"sm.scoreboard":   {"", "what a dependent instruction waits for: warp (one instruction of a warp in flight) or register", fung223},
	"sm.fetch_width":  {"", "instructions fetched in a cycle, all of one slot", ours},
	"sm.ibuffer":      {"", "instructions buffered for a slot", ours},
	"sm.rf_banks":     {"", "register-file banks, one read each in a cycle", ours},
	"sm.wb_ports":     {"", "warp results written back in a cycle", fung223},
	"sm.alu_latency":  {"core cycles", "integer, logic and single-precision pipe, branches", ours},
	"sm.dp_latency":   {"core cycles", "double-precision pipe", ours},
	"sm.dp_width":     {"lanes", "lanes of the double-precision pipe", ours},
	"sm.sfu_latency":  {"core cycles", "special functions and division", ours},
	"sm.sfu_width":    {"lanes", "lanes of the special-function pipe", ours},
	"sm.agu_latency":  {"core cycles", "address generation in the memory pipe", ours},
	"sm.mem_queue":    {"", "memory instructions in flight in an SM", ours},
	"sm.stack":        {"bytes", "local memory of a thread for the frames of recursive functions", "CUDA C Programming Guide, cudaLimitStackSize"},

	"divergence.mechanism":     {"", "reconvergence mechanism; \"divergo list mechanisms\" describes them", tbc},
	"divergence.path_order":    {"", "which path of a divergent branch runs first", "Fung & Aamodt, HPCA 2011, figures 7 and 10"},
	"divergence.tbc_static":    {"", "tbc: compactor off, warps keep their static arrangement", "Fung & Aamodt, HPCA 2011, section 3.2"},
	"divergence.capri_entries": {"", "capri: branches in the adequacy prediction table", ours},
	"divergence.capri_ways":    {"ways", "capri: lines of a set of that table; 0: fully associative", ours},
	"divergence.ppc_verbatim":  {"", "ppc: delete one pair of paths for each instruction, as the paper's figure 4 does", ours},
	"divergence.token_window":  {"tokens", "token: those of a warp that are on the chip", ssy},
	"divergence.token_pop":     {"core cycles", "token: from the issue of an instruction that pops a token to the issue of the next one", ssy},
	"divergence.token_spill":   {"core cycles", "token: a warp waits for 4 tokens to move to memory, or as long as memory needs", ssy},
	"divergence.token_fill":    {"core cycles", "token: a warp waits for 4 tokens to come back, or as long as memory needs", ssy},
	"divergence.barrier_yield": {"", "barrier: a yield at the head of every loop", ours},
	"divergence.dwf_issue":     {"", "dwf: which warps of the pool are issued first: those of the PC with most threads (majority) or fewest, in order of time, fewest reconvergence points passed (pdom), smallest pc", tbc},
	"divergence.dwf_ways":      {"ways", "dwf: lines of a set of the PC-warp table", "Fung et al., MICRO 2007"},
	"divergence.dwf_aging":     {"warps", "dwf: formed after one in the pool before it goes first, 0 for never", ours},

	"l1.pending":     {"", "warp loads and atomics whose lanes the coalescer gathers", ours},
	"l1.size":        {"bytes", "L1 data cache of an SM", tbc},
	"l1.assoc":       {"ways", "lines of a set", tbc},
	"l1.line":        {"bytes", "cache line, a power of two", tbc},
	"l1.mshrs":       {"", "misses in flight (miss status holding registers)", gpgpu},
	"l1.mshr_merge":  {"loads", "loads that one miss can answer", ours},
	"l1.write":       {"", "what a store that hits does: back (kept until eviction) or through (also sent to the L2)", gpgpu},
	"l1.hit_latency": {"core cycles", "from the tags to the coalescer", ours},
	"l1.miss_queue":  {"packets", "packets that wait for the interconnect", gpgpu},

	"shared.size":    {"bytes", "shared memory of an SM", tbc},
	"shared.banks":   {"", "banks of one 4-byte word each", gpgpu},
	"shared.lanes":   {"lanes", "looked at together: 16 checks a warp of 32 by halves", gpgpu},
	"shared.latency": {"core cycles", "from the banks to the coalescer", ours},

	"icnt.flit_bytes":    {"bytes", "width of a link of the crossbar", gpgpu},
	"icnt.latency":       {"interconnect cycles", "from an SM or a slice to the crossbar, and on", ours},
	"icnt.queue":         {"packets", "packets that wait at an input or an output", gpgpu},
	"icnt.concentration": {"SMs", "SMs that share a port", gpgpu},

	"l2.size":       {"bytes", "slice of the L2 in front of one DRAM channel", tbc},
	"l2.assoc":      {"ways", "lines of a set", tbc},
	"l2.line":       {"bytes", "cache line, equal to l1.line", tbc},
	"l2.mshrs":      {"", "misses in flight of a slice", gpgpu},
	"l2.mshr_merge": {"requests", "requests that wait for one line", ours},
	"l2.latency":    {"interconnect cycles", "of an answer on its way to the interconnect", gpgpu},

	"dram.channels":   {"", "channels, each behind its own L2 slice", tbc},
	"dram.interleave": {"bytes", "consecutive bytes in one channel", gpgpu},
	"dram.banks":      {"", "banks of a channel", gpgpu},
	"dram.row_bytes":  {"bytes", "row buffer of a bank", gpgpu},
	"dram.bus_bytes":  {"bytes", "moved on the data bus of a channel in a cycle", "Fung & Aamodt, HPCA 2011, section 5: 8 B per cycle and channel"},
	"dram.burst":      {"DRAM cycles", "data bus cycles of a column command: half the burst length", gpgpu},
	"dram.queue":      {"requests", "capacity of a channel's request queue", tbc},
	"dram.scheduler":  {"", "frfcfs (open rows first, then the oldest) or fcfs", tbc},
	"dram.hit_cap":    {"requests", "row hits that may overtake an older request of their bank; 0: no limit", ours},
	"dram.latency":    {"DRAM cycles", "from the L2 to the controller, and back", gpgpu},
	"dram.t_cl":       {"DRAM cycles", "read command to first data", gpgpu},
	"dram.wl":         {"DRAM cycles", "write command to first data", gpgpu},
	"dram.t_rp":       {"DRAM cycles", "precharge to activate", gpgpu},
	"dram.t_rc":       {"DRAM cycles", "activate to activate of one bank", gpgpu},
	"dram.t_ras":      {"DRAM cycles", "activate to precharge", gpgpu},
	"dram.t_rcd":      {"DRAM cycles", "activate to read", gpgpu},
	"dram.t_rrd":      {"DRAM cycles", "activate to activate of another bank", gpgpu},
	"dram.t_wtr":      {"DRAM cycles", "end of write data to read command", gpgpu},
	"dram.t_ccd":      {"DRAM cycles", "column command to column command", gpgpu},
	"dram.t_rtp":      {"DRAM cycles", "read to precharge, at least the burst", ours},
	"dram.t_wr":       {"DRAM cycles", "end of write data to precharge", ours},
}
