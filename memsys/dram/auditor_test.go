package dram_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/memsys/dram"
)

// auditor reads the command log of a channel and knows the data sheet. It keeps
// the history and checks each command against all earlier ones that may still
// matter, pair by pair, and the choice of the scheduler against the requests that
// were there.
type auditor struct {
	t   *testing.T
	cfg *dram.Config
	log []logged
	req []audited
	in  int         // requests that have arrived
	row map[int]int // open row by bank
	bus uint64      // cycle from which the data bus is free
	// Row hits served since the oldest request of a bank became the oldest.
	passed map[int]int
}

type logged struct {
	dram.Command
	cycle uint64
}

// audited is a request as the auditor sees it.
type audited struct {
	write          bool
	id             uint8
	bank, row, col int
	todo           []int // columns to go
	dataEnd        uint64
	answered       bool
}

func newAuditor(t *testing.T, cfg *dram.Config) *auditor {
	return &auditor{t: t, cfg: cfg, row: map[int]int{}, passed: map[int]int{}}
}

// send notes a request, in the order that the channel will take them.
func (a *auditor) send(r *dram.Request) {
	c := a.cfg
	q := audited{write: r.Write, id: r.ID}
	q.col = int(r.Addr) % c.RowBytes
	q.bank = int(r.Addr) / c.RowBytes % c.Banks
	q.row = int(r.Addr) / c.RowBytes / c.Banks
	n := c.BusBytes * c.Burst
	for off := 0; off < line; off += n {
		wanted := !r.Write
		for i := off; i < off+n; i++ {
			wanted = wanted || r.Mask[0]>>i&1 != 0
		}
		if wanted {
			q.todo = append(q.todo, q.col+off)
		}
	}
	if len(q.todo) == 0 {
		q.todo = []int{q.col}
	}
	a.req = append(a.req, q)
}

// arrived notes how many requests the channel may choose from.
func (a *auditor) arrived(n int) { a.in = n }

// command checks a command.
func (a *auditor) command(cycle uint64, c dram.Command) {
	if c.Op == dram.Nop {
		return
	}
	const longest = 128 // no timing is longer
	for i := len(a.log) - 1; i >= 0 && a.log[i].cycle+longest > cycle; i-- {
		old := &a.log[i]
		if min := a.apart(old, &c); min >= 0 {
			require.GreaterOrEqual(a.t, int(cycle-old.cycle), min, "%s of bank %d in cycle %d, %s of bank %d in cycle %d",
				old.Op, old.Bank, old.cycle, c.Op, c.Bank, cycle)
		}
	}
	a.choice(cycle, &c)
	a.log = append(a.log, logged{c, cycle})
}

// apart is the fewest cycles from an old command to a new one, -1 if any.
func (a *auditor) apart(old *logged, c *dram.Command) int {
	f := a.cfg
	read := func(o dram.Op) bool { return o == dram.Read }
	column := func(o dram.Op) bool { return o == dram.Read || o == dram.Write }
	same := old.Bank == c.Bank
	n := -1
	need := func(when bool, cycles int) {
		if when {
			n = max(n, cycles)
		}
	}
	act, pre := old.Op == dram.Activate, old.Op == dram.Precharge
	need(true, 1) // one command bus
	need(same && act && c.Op == dram.Activate, f.TRC)
	need(same && act && c.Op == dram.Precharge, f.TRAS)
	need(same && act && read(c.Op), f.TRCD)
	need(same && act && c.Op == dram.Write, f.TRCD-f.WL-1)
	need(same && pre && c.Op == dram.Activate, f.TRP)
	need(same && read(old.Op) && c.Op == dram.Precharge, f.TRTP)
	need(same && old.Op == dram.Write && c.Op == dram.Precharge, f.WL+f.Burst+f.TWR)
	need(act && c.Op == dram.Activate, f.TRRD)
	need(column(old.Op) && column(c.Op), f.TCCD)
	need(old.Op == dram.Write && read(c.Op), f.WL+f.Burst+f.TWTR)
	need(read(old.Op) && c.Op == dram.Write, f.TCL+f.Burst+2-f.WL)
	return n
}

// choice checks that a command serves the request that FR-FCFS or FCFS chooses.
func (a *auditor) choice(cycle uint64, c *dram.Command) {
	bank := int(c.Bank)
	open, isOpen := a.row[bank]
	oldest, hit, first := -1, -1, -1
	for i := a.in - 1; i >= 0; i-- {
		r := &a.req[i]
		if len(r.todo) == 0 {
			continue
		}
		first = i
		if r.bank == bank {
			oldest = i
			if isOpen && r.row == open {
				hit = i
			}
		}
	}
	require.NotEqual(a.t, -1, oldest, "cycle %d: %s of bank %d, for which there is no request", cycle, c.Op, bank)
	serve := oldest
	if a.cfg.Scheduler == dram.FCFS {
		require.Equal(a.t, first, oldest, "cycle %d: FCFS serves bank %d out of turn", cycle, bank)
	} else if hit >= 0 && (a.cfg.HitCap == 0 || a.passed[bank] < a.cfg.HitCap) {
		serve = hit
	}
	r := &a.req[serve]
	switch c.Op {
	case dram.Activate:
		require.False(a.t, isOpen, "cycle %d: ACT of open bank %d", cycle, bank)
		require.EqualValues(a.t, r.row, c.Row, "cycle %d: row opened in bank %d", cycle, bank)
		a.row[bank] = int(c.Row)
	case dram.Precharge:
		require.True(a.t, isOpen, "cycle %d: PRE of closed bank %d", cycle, bank)
		require.NotEqual(a.t, open, r.row, "cycle %d: PRE of bank %d closes the row that request %d wants", cycle, bank, serve)
		delete(a.row, bank)
	default:
		require.True(a.t, isOpen, "cycle %d: %s of closed bank %d", cycle, c.Op, bank)
		require.Equal(a.t, open, r.row, "cycle %d: %s of bank %d for the wrong row", cycle, c.Op, bank)
		require.Equal(a.t, r.write, c.Op == dram.Write, "cycle %d: request %d", cycle, serve)
		require.EqualValues(a.t, r.todo[0], c.Col, "cycle %d: column of request %d", cycle, serve)
		delay := a.cfg.TCL
		if r.write {
			delay = a.cfg.WL
		}
		start := cycle + uint64(delay)
		require.GreaterOrEqual(a.t, start, a.bus, "cycle %d: data bus in use", cycle)
		a.bus = start + uint64(a.cfg.Burst)
		if r.todo = r.todo[1:]; len(r.todo) > 0 {
			return
		}
		r.dataEnd = a.bus
		if serve == oldest {
			a.passed[bank] = 0
		} else {
			a.passed[bank]++
		}
	}
}

// answer finds the request that a response seen in a cycle belongs to.
func (a *auditor) answer(cycle uint64, r *dram.Response) int {
	best := -1
	for i := range a.req {
		q := &a.req[i]
		if q.answered || q.dataEnd == 0 || q.dataEnd >= cycle {
			continue
		}
		if best < 0 || q.dataEnd < a.req[best].dataEnd {
			best = i
		}
	}
	require.NotEqual(a.t, -1, best, "cycle %d: a response before its data", cycle)
	require.Equal(a.t, a.req[best].id, r.ID, "cycle %d: response out of order", cycle)
	a.req[best].answered = true
	return best
}
