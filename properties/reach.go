package properties

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"divergo/gpu"
	"divergo/isa"
	"divergo/properties/draw"
	"divergo/testbench"
)

// The bins of hardware activity come from tables elsewhere: statistics, keys and instructions. They
// are counted by name, so that a new table entry gets its bins.

// pattern describes the lanes of a warp that issue an instruction.
type pattern uint8

const (
	patternFull pattern = iota
	patternOne
	patternAlternating
	patternSome
	numPatterns
)

// String names p.
func (p pattern) String() string { return [...]string{"full", "one lane", "alternating", "some"}[p] }

// patternOf returns the pattern of a mask in warps of so many lanes.
func patternOf(mask uint64, lanes int) pattern {
	all := uint64(1)<<lanes - 1
	switch {
	case mask == all:
		return patternFull
	case mask&(mask-1) == 0:
		return patternOne
	case mask == all&0x5555_5555_5555_5555 || mask == all&0xaaaa_aaaa_aaaa_aaaa:
		return patternAlternating
	}
	return patternSome
}

// reach increments a bin.
func (c *Coverage) reach(name string) {
	if c.Reached == nil {
		c.Reached = map[string]uint64{}
	}
	c.Reached[name]++
}

// event is a statistic with counts.
type event struct {
	name  string
	stat  testbench.Stat
	parts map[string]string // names of its parts, if any
}

// events are all events, in the order of testbench.Stats.
var events = sync.OnceValue(func() (list []event) {
	for _, s := range testbench.Stats() {
		e := event{name: "event: " + s.Name, stat: s}
		switch v := s.Value(new(testbench.Counters)).(type) {
		case uint64:
			list = append(list, e)
		case map[string]uint64:
			e.parts = map[string]string{}
			for part := range v {
				e.parts[part] = e.name + "." + part
			}
			list = append(list, e)
		}
	}
	return list
})

// happened calls f with the name and the count of each event of a run.
func happened(d *testbench.Counters, f func(name string, n uint64)) {
	for _, e := range events() {
		switch v := e.stat.Value(d).(type) {
		case uint64:
			f(e.name, v)
		case map[string]uint64:
			for _, part := range slices.Sorted(maps.Keys(v)) {
				f(e.parts[part], v[part])
			}
		}
	}
}

// opcode holds the bins of the instructions with an opcode.
type opcode struct {
	name  string // with its type
	bin   string // of the opcode without it
	lanes [numPatterns]string
}

// opcodes are the opcodes that opcodeOf has seen, by their text.
var opcodes sync.Map

// opcodeOf returns the opcode of an instruction.
func opcodeOf(in *isa.Inst) *opcode {
	text := in.Text
	if strings.HasPrefix(text, "@") {
		_, text, _ = strings.Cut(text, " ")
	}
	text, _, _ = strings.Cut(strings.TrimSuffix(text, ";"), " ")
	if o, known := opcodes.Load(text); known {
		return o.(*opcode)
	}
	parts := strings.Split(text, ".")
	o := &opcode{name: parts[0], bin: "opcode: " + parts[0]}
	if last := parts[len(parts)-1]; len(parts) > 1 && strings.ContainsAny(last, "0123456789") || last == "pred" {
		o.name += "." + last
	}
	for p := range numPatterns {
		o.lanes[p] = instructionBin(o.name, p)
	}
	opcodes.Store(strings.Clone(text), o)
	return o
}

// issued counts the instructions of a program by the lanes that issue them: by has one bit for each
// pattern.
func (c *Coverage) issued(p *isa.Program, by []uint8) {
	seen := map[*opcode]uint8{}
	for pc, set := range by {
		if set != 0 {
			seen[opcodeOf(&p.Insts[pc])] |= set
		}
	}
	reached := map[string]bool{} // opcodes share bins
	reach := func(bin string) {
		if !reached[bin] {
			reached[bin] = true
			c.reach(bin)
		}
	}
	for o, set := range seen { // the order does not matter to sums
		reach(o.bin)
		for p := range numPatterns {
			if set>>p&1 != 0 {
				reach(o.lanes[p])
			}
		}
	}
}

func instructionBin(name string, p pattern) string {
	return fmt.Sprintf("instruction: %s, %v", name, p)
}

// shapesOf returns the bins of a launch.
func shapesOf(k *draw.Case) (names []string) {
	threads, warp := int(k.Block[0]*k.Block[1]*k.Block[2]), k.Machine.SM.WarpSize
	dims := func(d [3]uint32) int {
		switch {
		case d[2] > 1:
			return 3
		case d[1] > 1:
			return 2
		}
		return 1
	}
	size := "of whole warps"
	switch {
	case threads == 1:
		size = "of one thread"
	case threads < warp:
		size = "of less than a warp"
	case threads%warp != 0:
		size = "whose last warp is not full"
	case threads >= 1024:
		size = "of 1024 threads"
	}
	ctas, count := k.Grid[0]*k.Grid[1]*k.Grid[2], "more than 100"
	switch {
	case ctas == 1:
		count = "one"
	case int(ctas) <= k.Machine.GPU.SMs:
		count = "no more than SMs"
	case ctas <= 100:
		count = "2 to 100"
	}
	return []string{
		"launch: block in " + strconv.Itoa(dims(k.Block)) + " dimensions", "launch: grid in " +
			strconv.Itoa(dims(k.Grid)) + " dimensions",
		"launch: block " + size, "launch: blocks: " + count, "launch: times: " + strconv.Itoa(1+k.Again),
	}
}

// launchBins are all bins of launches.
var launchBins = []string{
	"launch: block in 1 dimensions", "launch: block in 2 dimensions", "launch: block in 3 dimensions",
	"launch: grid in 1 dimensions", "launch: grid in 2 dimensions", "launch: grid in 3 dimensions",
	"launch: block of one thread", "launch: block of less than a warp", "launch: block of whole warps",
	"launch: block whose last warp is not full", "launch: block of 1024 threads",
	"launch: blocks: one", "launch: blocks: no more than SMs", "launch: blocks: 2 to 100",
	"launch: blocks: more than 100",
	"launch: times: 1", "launch: times: 2", "launch: times: 3",
}

// values returns the bins of a key. An integer has the lowest value, the usual one and any other,
// where these differ.
func values(k *gpu.Key) (list []string) {
	switch k.Type {
	case "boolean":
		return []string{"false", "true"}
	case "word":
		return k.Words
	}
	low, high := k.Range.Low, k.Range.High
	list = []string{"lowest"}
	if low.Key != "" || k.Value(usualMachine()).(int) != low.N {
		list = append(list, "usual")
	}
	if low.Key != "" || high.Key != "" || high.N-low.N > 1 {
		list = append(list, "other")
	}
	return list
}

var usualMachine = sync.OnceValue(func() *gpu.Config { c := gpu.Default(); return &c })

// settingOf returns the bin of a key in a machine.
func settingOf(k *gpu.Key, c *gpu.Config) string {
	value := k.Get(c)
	if k.Type == "integer" {
		low, _ := c.Ends(k)
		switch n := k.Value(c).(int); {
		case n == low:
			value = "lowest"
		case n == k.Value(usualMachine()).(int):
			value = "usual"
		default:
			value = "other"
		}
	}
	return "key: " + k.Name + " = " + value
}

// drawn counts the launch of a case. It counts the machine once for all seeds that share it.
func (c *Coverage) drawn(k *draw.Case) {
	for _, name := range shapesOf(k) {
		c.reach(name)
	}
	if k.Seed%draw.MachineSeeds != 0 {
		return
	}
	for _, key := range gpu.Keys() {
		c.reach(settingOf(&key, &k.Machine))
	}
}

// Hardware lists the bins of hardware activity with their counts, in order.
//
//   - Events, and outcomes of branches: runs.
//   - Launches: cases.
//   - Values of keys: machines.
//   - Opcodes, and instructions by their issuing lanes: runs.
func (c *Coverage) Hardware() (names []string, counts []uint64) {
	add := func(name string) { names, counts = append(names, name), append(counts, c.Reached[name]) }
	happened(new(testbench.Counters), func(name string, _ uint64) { add(name) })
	for _, name := range c.outcomeBins() {
		add(name)
	}
	for _, name := range launchBins {
		add(name)
	}
	for _, key := range gpu.Keys() {
		if key.Name == "divergence.mechanism" { // the run sets it
			continue
		}
		for _, v := range values(&key) {
			add("key: " + key.Name + " = " + v)
		}
	}
	for _, name := range draw.Drawn() {
		add("opcode: " + name)
	}
	last := ""
	for _, name := range slices.Sorted(maps.Keys(c.Reached)) {
		of, _, _ := strings.Cut(strings.TrimPrefix(name, "instruction: "), ", ")
		if !strings.HasPrefix(name, "instruction: ") || of == last {
			continue
		}
		last = of
		for p := range numPatterns {
			add(instructionBin(of, p))
		}
	}
	return names, counts
}
