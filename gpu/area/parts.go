package area

import (
	"strings"

	"divergo/gpu"
	"divergo/memsys"
	"divergo/sm"
	"divergo/units"
)

// Part is a part of a machine.
type Part struct {
	Name string `json:"name"`
	// In is what the machine has Count of, each with this part: "SM", "L2 slice", "machine".
	In    string `json:"in"`
	Count int    `json:"count"`
	// One of the part has these.
	Memories  []Memory      `json:"memories,omitempty"`
	Logic     []units.Logic `json:"logic,omitempty"`
	Gates     []Gates       `json:"gates,omitempty"`
	Datapaths []Datapath    `json:"datapaths,omitempty"`
	// Area is that of one part, in mm2.
	Area Range `json:"mm2"`
}

// Gates is logic that the model of the machine does not declare, in gate equivalents.
type Gates struct {
	Name  string `json:"name"`
	Count Range  `json:"gates"`
}

// Datapath is a number of units whose area is published.
type Datapath struct {
	Name  string       `json:"name"`
	Count int          `json:"count"`
	Range `json:"mm2"` // of one
}

// Bits returns the storage of one of the part.
func (p *Part) Bits() (n int) {
	for i := range p.Memories {
		n += p.Memories[i].TotalBits()
	}
	return n
}

// GateCount returns the logic of one of the part, without published units, in gate equivalents.
func (p *Part) GateCount() Range {
	sum := exactly(GatesOf(p.Logic...))
	for _, g := range p.Gates {
		sum = sum.plus(g.Count)
	}
	return sum
}

// build computes the area of the part.
func (p *Part) build(n *Node) {
	p.Area = n.gates(p.GateCount())
	for i := range p.Memories {
		p.Area = p.Area.plus(p.Memories[i].area(n))
	}
	for _, d := range p.Datapaths {
		p.Area = p.Area.plus(d.Range.scale(float64(d.Count)))
	}
}

// What a thread has at most.
const (
	threadRegisters  = 64 // compute capability 3.0 has 63 (CUDA C Programming Guide)
	threadPredicates = 8  // Our reading
)

// instructionBits is the size of an instruction: see memsys.ICacheConfig.
const instructionBits = 64

// estimate collects the parts of a machine.
type estimate struct {
	cfg   *gpu.Config
	node  *Node
	core  *core
	mem   *memory
	parts []Part
}

// add adds a part to each of so many SMs, slices or machines.
func (e *estimate) add(name, in string, count int, p Part) {
	p.Name, p.In, p.Count = name, in, count
	p.build(e.node)
	e.parts = append(e.parts, p)
}

// sm adds a part to each SM.
func (e *estimate) sm(name string, p Part) { e.add(name, "SM", e.cfg.GPU.SMs, p) }

// blocks returns the memories of blocks of the elaborated design. Those whose names end in a word of
// visible are visible.
func blocks(from map[string][]Memory, names []string, visible ...string) (list []Memory) {
	for _, name := range names {
		for _, m := range from[name] {
			if len(names) > 1 {
				m.Name = name + "." + m.Name
			}
			for _, v := range visible {
				m.Visible = m.Visible || strings.HasSuffix(m.Name, v)
			}
			list = append(list, m)
		}
	}
	return list
}

// selector returns the gates of multiplexers: so many bits, each of one of so many sources.
func selector(name string, bits, sources int) Gates {
	return Gates{name, muxInput.Range.scale(float64(bits) * float64(sources-1))}
}

// published returns units of the table of figures.
func (e *estimate) published(f Figure, count int) Datapath {
	return Datapath{f.Name, count, e.node.datapath(f)}
}

// lanes adds the arithmetic of the pipes.
func (e *estimate) lanes() {
	c, cores := &e.cfg.SM, e.cfg.SM.Schedulers
	own := func(block string) []Memory {
		var list []Memory
		for _, m := range blocks(e.core.blocks, []string{block}) {
			if m.Name != "Line" && !strings.HasPrefix(m.Name, "Herd") { // Line: stages of the published units
				list = append(list, m)
			}
		}
		return list
	}
	e.sm("ALU lanes", Part{
		Memories:  own("ALU"),
		Datapaths: []Datapath{e.published(fma, c.SIMDWidth*cores), e.published(integer, c.SIMDWidth*cores)},
	})
	e.sm("double-precision lanes", Part{
		Memories: own("DPU"), Datapaths: []Datapath{e.published(double, c.DPWidth*cores)},
	})
	e.sm("special-function lanes", Part{
		Memories: own("SFU"), Datapaths: []Datapath{e.published(special, c.SFUWidth*cores)},
	})
}

// registers adds the register file with its operand collectors and write-back.
func (e *estimate) registers() {
	c, cores := &e.cfg.SM, e.cfg.SM.Schedulers
	file := newMemory("registers", ceilDiv(c.Registers, c.WarpSize*cores), c.WarpSize*wordBits)
	file.Count, file.Banks, file.Writes = cores, c.RFBanks, c.WBPorts
	if e.core.homes {
		file.Segment = wordBits // each lane has its own row address
	}
	predicates := newMemory("predicates", ceilDiv(c.Warps(), cores)*threadPredicates, c.WarpSize)
	predicates.Count, predicates.Reads, predicates.Writes = cores, operands, c.WBPorts
	e.sm("register file", Part{Memories: []Memory{file, predicates}})

	row := c.WarpSize * wordBits
	gates := []Gates{selector("banks to collectors", cores*row*operands, c.RFBanks)}
	if e.core.crossbar {
		gates = append(gates, selector("lanes to lanes, reading", cores*row*operands, c.WarpSize),
			selector("lanes to lanes, writing", cores*row*c.WBPorts, c.WarpSize))
	}
	e.sm("operand collectors", Part{Memories: blocks(e.core.blocks, []string{"Operands"}), Gates: gates})
	e.sm("write-back", Part{
		Memories: blocks(e.core.blocks, []string{"Writeback"}),
		Gates:    []Gates{selector("pipes to ports", cores*row*c.WBPorts, 4)},
	})
}

// front adds fetch, scoreboard and scheduler.
func (e *estimate) front() {
	c, cores := &e.cfg.SM, e.cfg.SM.Schedulers
	slots := ceilDiv(e.core.slots, cores) // of a sub-core
	buffers := newMemory("instructions", slots*c.IBuffer, instructionBits)
	buffers.Count = cores
	e.sm("fetch and I-buffers", Part{
		Memories: append(blocks(e.core.blocks, []string{"Fetch"}, "IBuffer"), buffers),
		Logic:    []units.Logic{{Kind: units.Encoder, Bits: slots, Count: cores}},
		Gates:    []Gates{{decoder.Name, decoder.Range.scale(float64(cores * c.FetchWidth))}},
	})

	var board Part
	pending := func(name string, cores int) {
		m := newMemory(name, slots, threadRegisters)
		m.Count, m.Visible = cores, true
		board.Memories = append(board.Memories, m)
		board.Gates = append(board.Gates, selector(name, cores*slots*(operands+1), threadRegisters))
	}
	if c.Scoreboard == sm.PerRegister {
		pending("pending registers", cores)
	}
	if e.core.stalls {
		pending("pending loads", cores)
	}
	e.sm("scoreboard", board)

	rows := ceilDiv(c.Warps(), cores)
	sched := Part{
		Memories: blocks(e.core.blocks, []string{"Issue", "Stalls"}, "Ranks"),
		Logic: []units.Logic{
			{Kind: units.Equality, Bits: wordBits, Count: cores * slots}, // PC of the I-buffer and of the slot
			{Kind: units.Encoder, Bits: slots, Count: cores},
		},
	}
	ages := func(name string, n, count int) { // a bit for each pair
		m := newMemory(name, 1, n*(n-1)/2)
		m.Count = count
		sched.Memories = append(sched.Memories, m)
		sched.Gates = append(sched.Gates, Gates{name, muxInput.Range.scale(float64(count * n * n))})
	}
	arbiter := func(n, count int) {
		sched.Logic = append(sched.Logic, units.Logic{Kind: units.Encoder, Bits: n, Count: count})
	}
	switch c.Scheduler {
	case sm.LRR:
		arbiter(slots, cores)
	case sm.TwoLevel:
		arbiter(slots, cores)
		arbiter(ceilDiv(rows, c.FetchGroup), 2*cores)
	default:
		ages("ages of slots", slots, cores)
	}
	switch c.CTAPriority {
	case sm.PriorityNone:
	case sm.PriorityAge:
		ages("ages of CTAs", c.CTAs, cores)
	default:
		arbiter(c.CTAs, 2*cores)
	}
	e.sm("warp scheduler", sched)
	e.sm("CTA control", Part{Memories: blocks(e.core.blocks, []string{"CTA", "MemPort", "FetchPort"})})
}

// divergence adds the mechanism with the storage and logic of its Cost, lane permutation and herding. Logic
// that was synthesized counts as measured.
func (e *estimate) divergence() {
	c := &e.cfg.SM
	var p Part
	p.Gates, p.Logic = Synthesized(e.core.mechanism.Logic, c.WarpSize)
	for i := range e.core.mechanism.Storage {
		s := &e.core.mechanism.Storage[i]
		m := newMemory(s.Path, s.Words, s.Width())
		m.Visible = m.Visible || s.Path == "Table" // every slot is a candidate in each cycle
		p.Memories = append(p.Memories, m)
	}
	e.sm("divergence mechanism", p)
	if bits := c.Lanes.Bits(c.WarpSize); bits > 0 {
		e.sm("lane permutation", Part{Memories: []Memory{newMemory("permutations", 1, bits)}})
	}
	if !e.cfg.Herd.Enable {
		return
	}
	var herd Part
	for _, h := range units.HerdParts() {
		if n := h.Bits(&e.cfg.Herd, c.Warps()); n > 0 {
			herd.Memories = append(herd.Memories, newMemory(h.Name, 1, n))
		}
		gates, logic := Synthesized(h.Logic(c.WarpSize), c.WarpSize)
		herd.Gates, herd.Logic = append(herd.Gates, gates...), append(herd.Logic, logic...)
	}
	e.sm("herding", herd)
}

// cacheLogic returns the comparators of a cache: tags of a set, and lines in flight.
func cacheLogic(size, assoc, line, mshrs int) []units.Logic {
	tag := addressBits - bitsFor(line)
	return []units.Logic{
		{Kind: units.Equality, Bits: tag - bitsFor(size/line/assoc), Count: assoc},
		{Kind: units.Equality, Bits: tag, Count: mshrs},
		{Kind: units.Encoder, Bits: mshrs, Count: 1},
	}
}

// memory adds the load/store unit, shared memory and caches of an SM.
func (e *estimate) memory() {
	c, lanes := e.cfg, e.cfg.SM.WarpSize
	lineWords := c.L1.Line * 8 / wordBits
	lsu := Part{
		Memories: append(blocks(e.core.blocks, []string{"LSU"}),
			blocks(e.mem.blocks, []string{"Mem.PreMem", "Mem.Coalescer", "Mem.WriteBack"})...),
		Logic: []units.Logic{
			{Kind: units.Adder, Bits: addressBits, Count: lanes},
			{Kind: units.LessThan, Bits: addressBits, Count: lanes}, // bounds
			{Kind: units.Equality, Bits: addressBits - bitsFor(c.L1.Line), Count: lanes},
			{Kind: units.Encoder, Bits: lanes, Count: 1},
		},
		Gates: []Gates{
			selector("lanes to line", lineWords*wordBits, lanes),
			selector("line to lanes", lanes*wordBits, lineWords),
		},
	}
	e.sm("LSU and coalescer", lsu)

	s := &c.Shared
	shared := blocks(e.mem.blocks, []string{"Mem.Shared"})
	for i := range shared {
		if shared[i].Name == "words" {
			shared[i].Banks, shared[i].Writes = s.Banks, 0
		}
	}
	e.sm("shared memory", Part{
		Memories: shared,
		Logic: []units.Logic{
			{Kind: units.Equality, Bits: bitsFor(s.Size / 4), Count: s.Lanes},
			{Kind: units.Encoder, Bits: s.Lanes, Count: s.Banks},
		},
		Gates: []Gates{
			selector("lanes to banks", s.Banks*wordBits, s.Lanes),
			selector("banks to lanes", s.Lanes*wordBits, s.Banks),
		},
	})
	e.sm("L1 data cache", Part{
		Memories: onePort(blocks(e.mem.blocks, []string{"Mem.L1", "Mem.Clients"}, "mshrs")),
		Logic:    cacheLogic(c.L1.Size, c.L1.Assoc, c.L1.Line, c.L1.MSHRs),
	})
	if k := &c.ICache; k.Size > 0 {
		e.sm("instruction cache", Part{
			Memories: onePort(blocks(e.mem.blocks, []string{"Mem.ICache"}, "mshrs")),
			Logic:    cacheLogic(k.Size, k.Assoc, k.Line, k.MSHRs),
		})
	}
	if k := &c.Const; k.Size > 0 {
		e.sm("constant cache", Part{
			Memories: onePort(blocks(e.mem.blocks, []string{"Mem.Const", "Mem.ConstCache"}, "mshrs")),
			Logic:    cacheLogic(k.Size, k.Assoc, k.Line, k.MSHRs),
		})
	}
	if k := &c.Texture; k.Size > 0 {
		p := Part{
			Memories: onePort(blocks(e.mem.blocks,
				[]string{"Mem.Texture", "Mem.TextureCache", "Mem.TextureUnit", "Mem.TexturePort"}, "mshrs")),
			Logic: cacheLogic(k.Size, k.Assoc, k.Line, k.MSHRs),
		}
		if k.Fetch == memsys.FetchUnit {
			d := e.published(fma, k.Lanes)
			d.Name, d.Range = filter.Name, d.Range.times(filter.Range)
			p.Datapaths = append(p.Datapaths, d)
		}
		e.sm("texture cache and unit", p)
	}
}

// onePort gives tags, ways and data of a cache one port: a cycle has one lookup, fill or write.
func onePort(list []Memory) []Memory {
	for i := range list {
		if strings.Contains(list[i].Name, "cache.") {
			list[i].Writes = 0
		}
	}
	return list
}

// chip adds what the SMs share.
func (e *estimate) chip() {
	c := e.cfg
	slices := c.DRAM.Channels
	l2 := cacheLogic(c.L2.Size, c.L2.Assoc, c.L2.Line, c.L2.MSHRs)
	e.add("L2 cache", "L2 slice", slices, Part{
		Memories: onePort(blocks(e.mem.blocks, []string{"l2[0]"}, "mshrs")), Logic: l2,
	})
	controller := blocks(e.mem.blocks, []string{"dram[0]"}, "entries", "banks")
	for i := range controller {
		if controller[i].Name == "cells" { // the DRAM itself
			controller = append(controller[:i], controller[i+1:]...)
			break
		}
	}
	e.add("memory controller", "L2 slice", slices, Part{
		Memories: controller,
		Logic: []units.Logic{
			{Kind: units.Equality, Bits: wordBits, Count: c.DRAM.Queue}, // row of an entry and open row
			{Kind: units.Encoder, Bits: c.DRAM.Queue, Count: c.DRAM.Banks},
		},
	})

	users := c.GPU.SMs + 1 // and the dispatcher
	ports := ceilDiv(users, c.Icnt.Concentration)
	flit := c.Icnt.FlitBytes * 8
	var queues []Memory
	for _, m := range e.mem.blocks["icnt"] {
		switch {
		case m.Name == "Requests.From" || m.Name == "Responses.Port":
			m.Words, m.Visible = ports, true
		case m.Name == "Requests.Port" || m.Name == "Responses.From":
			m.Words, m.Visible = slices, true
		case strings.HasPrefix(m.Name, "queue Requests.Out[0]"):
			m.Name, m.Count = "queues to slices", slices
		case strings.HasPrefix(m.Name, "queue Responses.Out[0]"):
			m.Name, m.Count = "queues to SMs", users
		default:
			continue // of another port
		}
		queues = append(queues, m)
	}
	xbar := Part{
		Memories: queues,
		Logic: []units.Logic{
			{Kind: units.Encoder, Bits: ports, Count: slices}, {Kind: units.Encoder, Bits: slices, Count: ports},
		},
		Gates: []Gates{
			selector("to slices", slices*flit, ports), selector("to SMs", ports*flit, slices),
		},
		Datapaths: []Datapath{{"wires", 2, e.node.wires(ports*flit, slices*flit)}},
	}
	e.add("crossbar", "machine", 1, xbar)

	dispatch := blocks(e.mem.blocks, []string{"dispatch"})
	for i := range dispatch {
		switch m := &dispatch[i]; {
		case m.Name == "Room":
			m.Words, m.Visible = c.GPU.SMs, true
		case strings.HasPrefix(m.Name, "queue SMs[0]"):
			m.Name, m.Count = "queues to SMs", c.GPU.SMs
		}
	}
	e.add("dispatcher", "machine", 1, Part{
		Memories: dispatch, Logic: []units.Logic{{Kind: units.Encoder, Bits: c.GPU.SMs, Count: 1}},
	})
}
