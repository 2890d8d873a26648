// Package audit checks a memory system from outside while it runs. An auditor
// stands at the ends of a block, keeps books of its own of what goes in and
// comes out, and says what cannot be:
//
//	Access --> Coalescer --> L1 --> network --> Slice --> Channel
//	               |         |                    |          |
//	           coalescer  cache, mshr        cache, mshr    dram
//
//	Access --> Shared
//	              |
//	            banks
//
// It shares nothing with the blocks but their packets and the configuration. It
// knows rules, not how a block follows them: an auditor of a cache does not know
// what a hit is until the answer comes without a request for the line.
//
// Auditors look through the taps of queues (package rtl), so that a machine
// without them does not know of them. Each looks at one block and one clock
// only, because islands do not run in the order of time.
package audit

import (
	"fmt"
	"slices"

	"divergo/memsys"
	"divergo/memsys/dram"
)

// The checkers, by what their rules are about.
const (
	Coalescer = "coalescer" // cover and minimality of an access's lines
	Cache     = "cache"     // data against flat memory
	MSHR      = "mshr"      // conservation of requests
	Banks     = "banks"     // cycles of accesses to shared memory
	DRAM      = "dram"      // timing of the data sheet, order of the scheduler
)

// Rule is something that must hold. The name says what was found instead. It
// stays when the text about a fault changes.
type Rule struct{ Checker, Name string }

// Fault is what an auditor found.
type Fault struct {
	Rule Rule
	What string // with the block and the cycle of its clock
}

// Memory is the auditors of a memory system.
type Memory struct {
	first Fault
	parts []auditor
	leave [][]func() // by part and tap
}

// auditor is what stands at a block.
type auditor interface {
	taps() []func() // puts it at its block, and returns how it leaves
	end()           // what must hold when nothing is in flight and the caches are flushed
}

// Watch puts auditors at every block of a memory system in its first state or
// between kernels, with the contents that its store has now.
func Watch(cfg *memsys.Config, memory *memsys.Memory) *Memory {
	m := &Memory{}
	for i, u := range memory.Units {
		m.parts = append(m.parts, newCoalescer(m, i, cfg, u.Coalescer), newShared(m, i, cfg, u), newL1(m, i, cfg, u.L1))
	}
	for i, s := range memory.Slices {
		m.parts = append(m.parts, newSlice(m, i, cfg, s, memory.Store))
	}
	for i, c := range memory.Channels {
		m.parts = append(m.parts, newChannel(m, i, cfg.L2.Line, &cfg.DRAM, c))
	}
	return m.attach()
}

// WatchChannel is Watch for a channel of a memory of one.
func WatchChannel(line int, cfg *dram.Config, c *dram.Channel) *Memory {
	m := &Memory{}
	m.parts = []auditor{newChannel(m, 0, line, cfg, c)}
	return m.attach()
}

// attach puts the auditors at their blocks.
func (m *Memory) attach() *Memory {
	for _, p := range m.parts {
		m.leave = append(m.leave, p.taps())
	}
	return m
}

// Fault is the first that was found, nil if none was.
func (m *Memory) Fault() *Fault {
	if m.first.What == "" {
		return nil
	}
	return &m.first
}

// End asks for what must hold when all caches are flushed, and nothing is on
// its way.
func (m *Memory) End() {
	for _, p := range m.parts {
		p.end()
	}
}

// Detach takes the auditors away.
func (m *Memory) Detach() {
	for _, leave := range slices.Concat(m.leave...) {
		leave()
	}
}

// block is what all auditors have: where they stand, and to whom they report.
type block struct {
	memory *Memory
	name   string
}

// over says that something was found already, and the books may be wrong.
func (b *block) over() bool { return b.memory.first.What != "" }

// fail reports, unless something was found before.
func (b *block) fail(rule Rule, format string, args ...any) {
	if !b.over() {
		b.memory.first = Fault{rule, b.name + ": " + fmt.Sprintf(format, args...)}
	}
}
