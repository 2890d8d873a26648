// Package audit checks a memory system from outside while it runs. An auditor watches the ends of a
// block. It keeps its own model of the packets that enter and leave, and reports impossible events:
//
//	Access --> Coalescer --> L1 --> network --> Slice --> Channel
//	               |         |         |          |          |
//	           coalescer  cache, mshr  |     cache, mshr    dram
//	                                crossbar
//
//	Access --> Shared    Access --> Reader --> ReadCache --> network
//	              |                   |           |
//	            banks              coalescer  cache, mshr
//
//	Access --> TextureUnit --> ReadCache
//	                |
//	             texture
//
// An auditor shares nothing with the blocks but their packets and the configuration. It knows
// rules, not how a block follows them. An auditor of a cache, for example, finds a hit only when
// the answer comes without a request for the line.
//
// Auditors use the taps of queues (package rtl), so a machine without auditors is unchanged. Each
// auditor watches only one block and one clock, because islands do not run in the order of time.
package audit

import (
	"fmt"
	"slices"

	"divergo/memsys"
	"divergo/memsys/dram"
)

// The checkers, by the subject of their rules.
const (
	Coalescer = "coalescer" // cover and minimality of an access's lines
	Cache     = "cache"     // data against flat memory
	MSHR      = "mshr"      // conservation of requests
	Texture   = "texture"   // texels that are read, and what filters make of them
	// Replacement is the choice of the line that makes room.
	Replacement = "replacement"
	Crossbar    = "crossbar" // turns of the ports of a network

	Banks   = "banks"   // cycles of accesses to shared memory
	DRAM    = "dram"    // timing of the data sheet, order of the scheduler
	Recount = "recount" // statistics of a block
)

// Rule is something that must hold. Its name says what was found instead. The name stays the same
// when the text about a fault changes.
type Rule struct{ Checker, Name string }

// Fault is a broken rule that an auditor found.
type Fault struct {
	Rule Rule
	What string // text with the block and the cycle of its clock
}

// Memory holds the auditors of a memory system.
type Memory struct {
	first Fault
	parts []auditor
	leave [][]func() // by part and tap
}

// auditor watches one block.
type auditor interface {
	taps() []func() // attaches it to its block, and returns functions that detach it
	end()           // checks what must hold when nothing is in flight and the caches are flushed
}

// Watch attaches auditors to every block of a memory system, with the present contents of its
// store. The system is in its first state or between kernels.
func Watch(cfg *memsys.Config, memory *memsys.Memory) *Memory {
	m := &Memory{}
	for i, u := range memory.Units {
		m.parts = append(m.parts, newCoalescer(m, i, cfg, u), newShared(m, i, cfg, u), newL1(m, i, cfg, u.L1))
		if u.Const != nil {
			c := &cfg.Const
			m.parts = append(m.parts, newReader(m, "constants", i, c.Line, 1, u.Const), newReadCache(m, "constant cache", i, u.ConstCache,
				readSize{c.Line, cfg.L2.Line, c.Size, c.Assoc, c.MSHRs, c.MSHRMerge, false}))
		}
		if u.Texture != nil {
			c := &cfg.Texture
			m.parts = append(m.parts, newReader(m, "textures", i, c.Line, c.Line, u.Texture),
				newReadCache(m, "texture cache", i, u.TextureCache,
					readSize{c.Line, cfg.L2.Line, c.Size, c.Assoc, c.MSHRs, c.MSHRMerge, false}))
		}
		if u.TextureUnit != nil {
			m.parts = append(m.parts, newTextureUnit(m, i, u.TextureUnit, cfg.Texture.Line))
		}
		if u.ICache != nil {
			c := &cfg.ICache
			m.parts = append(m.parts, newReadCache(m, "instruction cache", i, u.ICache,
				readSize{c.Line, cfg.L2.Line, c.Size, c.Assoc, c.MSHRs, 1, c.Prefetch}))
		}
	}
	for i, s := range memory.Slices {
		m.parts = append(m.parts, newSlice(m, i, cfg, s, memory))
	}
	networks := &cfg.Icnt
	m.parts = append(m.parts,
		newCrossbar(m, "request network", networks, memory.Net.Requests, networks.Concentration, 1),
		newCrossbar(m, "response network", networks, memory.Net.Responses, 1, networks.Concentration))
	for i, c := range memory.Channels {
		m.parts = append(m.parts, newChannel(m, i, cfg.L2.Line, &cfg.DRAM, c))
	}
	return m.attach()
}

// WatchChannel is Watch for one channel of a memory with one channel.
func WatchChannel(line int, cfg *dram.Config, c *dram.Channel) *Memory {
	m := &Memory{}
	m.parts = []auditor{newChannel(m, 0, line, cfg, c)}
	return m.attach()
}

// attach attaches the auditors to their blocks.
func (m *Memory) attach() *Memory {
	for _, p := range m.parts {
		m.leave = append(m.leave, p.taps())
	}
	return m
}

// Fault is the first fault found, nil if there is none.
func (m *Memory) Fault() *Fault {
	if m.first.What == "" {
		return nil
	}
	return &m.first
}

// End checks what must hold when all caches are flushed and nothing is in flight.
func (m *Memory) End() {
	for _, p := range m.parts {
		p.end()
	}
}

// Detach detaches the auditors.
func (m *Memory) Detach() {
	for _, leave := range slices.Concat(m.leave...) {
		leave()
	}
}

// block is the part common to all auditors: the name of the watched block, and where to report.
type block struct {
	memory *Memory
	name   string
}

// over reports whether a fault was found already. Then the auditor's model may be wrong.
func (b *block) over() bool { return b.memory.first.What != "" }

// fail reports a fault, unless one was reported before.
func (b *block) fail(rule Rule, format string, args ...any) {
	if !b.over() {
		b.memory.first = Fault{rule, b.name + ": " + fmt.Sprintf(format, args...)}
	}
}

// replaced checks that a cache has found and missed the lines that true LRU keeps.
func (b *block) replaced(w *ways) {
	if w.wrong != "" {
		b.fail(Rule{Replacement, "another line than the one used longest ago"}, "%s", w.wrong)
	}
}

// tally is a statistic as the auditor has counted it since it came, and as the block has.
type tally struct {
	what        string
	own, theirs uint64
}

// recount compares the statistics of a block.
func (b *block) recount(list ...tally) {
	for _, t := range list {
		if t.own != t.theirs {
			b.fail(Rule{Recount, t.what}, "%s: %d at its ends, its statistics have %d", t.what, t.own, t.theirs)
		}
	}
}
