package audit

import (
	"fmt"
	"math/bits"

	"divergo/memsys/dram"
)

// channel audits a DRAM channel. It has the data sheet as the shortest time between two commands.
// It checks each command against all earlier ones that may still matter, pair by pair. It also
// knows the request that the scheduler must choose (Rixner et al., ISCA 2000, with the limits of
// dram.Config.HitCap and AgeCap, and the watermarks of writes). A refresh must come when it is due,
// before any other command, and as soon as the banks can be closed.
type channel struct {
	block
	index int
	line  int
	cfg   dram.Config
	ch    *dram.Channel

	log   []command
	reach uint64    // largest distance in cycles that a pair of commands may require
	queue []request // requests that need commands, in the order of arrival
	moved []request // requests that wait for their data, in the order of the bus
	open  [dram.MaxBanks]bool
	row   [dram.MaxBanks]uint64
	bus   uint64 // cycle from which the data bus is free
	came  uint64 // cycle of the last request
	// passed counts the row hits served ahead of an older request of a bank, since its row was opened.
	passed [dram.MaxBanks]int
	drain  bool          // writes are served until few are left
	due    uint64        // cycle of the next refresh
	count  dram.Counters // the expected counters, except QueueFull and Unmapped
}

// command is a past command.
type command struct {
	dram.Command
	cycle uint64
}

// request is a request that the channel has taken.
type request struct {
	write   bool
	id      uint8
	bank    int
	row     uint64
	col     int
	todo    uint32 // bursts still needed, one bit each
	arrived uint64
	urgent  uint64 // first cycle in which it is served in either direction; 0: never
	mask    dram.ByteMask
	opened  bool   // its row was opened for it
	end     uint64 // cycle after its last data
}

func newChannel(m *Memory, index, line int, cfg *dram.Config, ch *dram.Channel) *channel {
	a := &channel{
		block: block{m, fmt.Sprintf("DRAM channel %d", index)}, index: index, line: line, cfg: *cfg, ch: ch,
		count: *ch.Count.Q(), due: ch.Q().Due,
	}
	data := max(cfg.WL, cfg.TCL) + cfg.Burst
	a.reach = uint64(max(cfg.TRFC, cfg.TRC, cfg.TRRD, cfg.TRP, cfg.TRAS, cfg.TRTP, cfg.TRCD, cfg.TCCD, data+cfg.TWR,
		data+cfg.TWTR, data+2))
	return a
}

func (a *channel) taps() []func() {
	return []func(){a.ch.In.Tap(a.request), a.ch.Out.Tap(a.response), a.ch.OnCommand.Add(a.command)}
}

// request notes a request that the channel takes.
func (a *channel) request(cycle uint64, r *dram.Request) {
	c := &a.cfg
	a.turn(cycle)
	a.came = cycle
	block, channels := r.Addr/uint64(c.Interleave), uint64(c.Channels)
	if home := channelOf(c, r.Addr); home != a.index {
		a.fail(Rule{DRAM, "a request in another channel"}, "cycle %d: a request for %#x, which is in channel %d", cycle,
			r.Addr, home)
	}
	local := block/channels*uint64(c.Interleave) + r.Addr%uint64(c.Interleave)
	rows := local / uint64(c.RowBytes)
	q := request{
		write: r.Write, id: r.ID, arrived: cycle, mask: r.Mask,
		bank: int(rows % uint64(c.Banks)), row: rows / uint64(c.Banks), col: int(local % uint64(c.RowBytes)),
	}
	n := c.BusBytes * c.Burst
	for i := range a.line / n {
		if !r.Write && r.Mask == (dram.ByteMask{}) || r.Mask.And(dram.Span(i*n, n)) != (dram.ByteMask{}) {
			q.todo |= 1 << i
		}
	}
	for i := range a.queue {
		if old := &a.queue[i]; old.bank == q.bank && old.row == q.row && old.col == q.col && old.write != q.write &&
			old.urgent == 0 {
			old.urgent = cycle + 1
		}
	}
	q.todo = max(q.todo, 1) // a write without bytes takes a burst, too
	a.queue = append(a.queue, q)
	n = len(a.queue) + len(a.moved)
	if n > c.Queue {
		a.fail(Rule{DRAM, "a queue too full"}, "cycle %d: %d requests in a queue of %d", cycle, n, c.Queue)
	}
}

// channelOf is the channel of an address. Each bit of the hash is the parity of the higher bits that
// are a multiple of the group's length apart.
func channelOf(c *dram.Config, addr uint64) int {
	block := int(addr / uint64(c.Interleave))
	high, turn := block/c.Channels, 0
	if c.Hash == dram.HashXOR {
		n := 0
		for 1<<n < c.Channels {
			n++
		}
		for bit := range n {
			parity := 0
			for at := bit; at < 64; at += n {
				parity ^= high >> at & 1
			}
			turn += parity << bit
		}
	}
	return (block%c.Channels + turn) % c.Channels
}

// turn moves the watermark of writes to a cycle. Requests of the cycle itself do not count yet.
func (a *channel) turn(cycle uint64) {
	writes := 0
	for i := range a.queue {
		if r := &a.queue[i]; r.write && r.arrived < cycle {
			writes++
		}
	}
	switch {
	case a.cfg.WriteHigh == 0:
	case a.drain && writes <= a.cfg.WriteLow:
		a.drain = false
	case !a.drain && writes >= a.cfg.WriteHigh:
		a.drain = true
		a.count.Drains++
	}
}

// command checks a command.
func (a *channel) command(e dram.Commanded) {
	cycle, c := e.Cycle, e.Command
	if a.over() {
		return
	}
	kept, free := a.log[:0], a.came+1
	for _, old := range a.log {
		n := a.apart(old.Op, c.Op, old.Bank == c.Bank)
		free = max(free, old.cycle+uint64(n))
		if old.cycle+a.reach <= cycle {
			continue
		}
		kept = append(kept, old)
		if cycle < old.cycle+uint64(n) {
			a.fail(Rule{DRAM, "commands too close"},
				"%s of bank %d in cycle %d, %s of bank %d in cycle %d: they have to be %d apart",
				old.Op, old.Bank, old.cycle, c.Op, c.Bank, cycle, n)
		}
	}
	a.log = append(kept, command{c, cycle})
	a.rests(cycle, free, c.Op)
	if c.Op == dram.PrechargeAll || c.Op == dram.Refresh {
		a.refresh(cycle, c.Op)
		return
	}
	if a.cfg.TREFI != 0 && cycle >= a.due {
		a.fail(Rule{DRAM, "a command while a refresh is due"},
			"cycle %d: %s of bank %d, a refresh is due since cycle %d", cycle, c.Op, c.Bank, a.due)
	}
	a.turn(cycle)
	a.choice(cycle, &c)
}

// rests checks that a command is given in the first cycle in which earlier commands allow it. Since
// the last command or request nothing has changed, so the choice was the same. Refreshes and AgeCap
// change it with time.
func (a *channel) rests(cycle, free uint64, op dram.Op) {
	if a.cfg.TREFI != 0 || a.cfg.AgeCap != 0 {
		return
	}
	switch op {
	case dram.Read:
		free = max(free, a.bus-min(a.bus, uint64(a.cfg.TCL)))
	case dram.Write:
		free = max(free, a.bus-min(a.bus, uint64(a.cfg.WL)))
	}
	if cycle > free {
		a.fail(Rule{DRAM, "a command later than it could be"},
			"cycle %d: %s, which could come in cycle %d", cycle, op, free)
	}
}

// refresh checks a command for all banks. The command is late if banks could have been closed and
// refreshed before.
func (a *channel) refresh(cycle uint64, op dram.Op) {
	f := &a.cfg
	most := a.due + uint64(max(f.TRC, f.TRP+max(f.TRAS, f.TRTP, f.Burst, f.WL+f.Burst+f.TWR)))
	if f.TREFI == 0 || cycle < a.due || cycle > most {
		a.fail(Rule{DRAM, "a refresh at another time"},
			"cycle %d: %s, the refresh is due in cycle %d, at the latest in %d", cycle, op, a.due, most)
	}
	for bank, open := range a.open {
		if !open {
			continue
		}
		if op == dram.Refresh {
			a.fail(Rule{DRAM, "a refresh of an open bank"}, "cycle %d: row %d of bank %d is open", cycle,
				a.row[bank], bank)
		}
		a.open[bank] = false
	}
	if op == dram.Refresh {
		a.count.Refreshes++
		a.due += uint64(f.TREFI)
	}
}

// apart is the smallest number of cycles from an old command to a new one. It is at least 1, since
// there is one command bus. A command for all banks is one for the same bank.
func (a *channel) apart(old, c dram.Op, same bool) int {
	f := &a.cfg
	for _, op := range []*dram.Op{&old, &c} {
		switch *op {
		case dram.PrechargeAll:
			*op, same = dram.Precharge, true
		case dram.Refresh:
			same = true
		}
	}
	n := 1
	switch [2]dram.Op{old, c} {
	case [2]dram.Op{dram.Activate, dram.Refresh}:
		n = f.TRC
	case [2]dram.Op{dram.Precharge, dram.Refresh}:
		n = f.TRP
	case [2]dram.Op{dram.Refresh, dram.Activate}, [2]dram.Op{dram.Refresh, dram.Refresh}:
		n = f.TRFC
	case [2]dram.Op{dram.Activate, dram.Activate}:
		if n = f.TRRD; same {
			n = max(n, f.TRC)
		}
	case [2]dram.Op{dram.Read, dram.Read}, [2]dram.Op{dram.Write, dram.Write}:
		n = f.TCCD
	case [2]dram.Op{dram.Write, dram.Read}:
		n = max(f.TCCD, f.WL+f.Burst+f.TWTR)
	case [2]dram.Op{dram.Read, dram.Write}:
		n = max(f.TCCD, f.TCL+f.Burst+2-f.WL)
	case [2]dram.Op{dram.Activate, dram.Precharge}:
		n = within(same, f.TRAS)
	case [2]dram.Op{dram.Activate, dram.Read}:
		n = within(same, f.TRCD)
	case [2]dram.Op{dram.Activate, dram.Write}:
		n = within(same, f.TRCD-f.WL-1)
	case [2]dram.Op{dram.Precharge, dram.Activate}:
		n = within(same, f.TRP)
	case [2]dram.Op{dram.Read, dram.Precharge}:
		n = within(same, max(f.TRTP, f.Burst))
	case [2]dram.Op{dram.Write, dram.Precharge}:
		n = within(same, f.WL+f.Burst+f.TWR)
	}
	return max(n, 1)
}

// within is the time between two commands if it binds only commands of the same bank.
func within(same bool, cycles int) int {
	if same {
		return cycles
	}
	return 1
}

// choice checks that a command serves the request that FR-FCFS or FCFS chooses for its bank. It
// also checks the state of the bank. While the oldest request of the channel is late, its bank
// serves it, and no other moves data.
func (a *channel) choice(cycle uint64, c *dram.Command) {
	bank := int(c.Bank) & (dram.MaxBanks - 1)
	open, row := a.open[bank], a.row[bank]
	writing := a.drain
	if a.cfg.WriteHigh != 0 && !writing {
		writing = true
		for i := range a.queue {
			if r := &a.queue[i]; !r.write && r.arrived < cycle {
				writing = false
			}
		}
	}
	eldest, late := -1, false // of the requests that may be served; whether the oldest of all is late
	oldest, hit := -1, -1
	for i := range a.queue {
		r := &a.queue[i]
		if r.arrived == cycle {
			continue
		}
		if i == 0 {
			late = a.cfg.AgeCap != 0 && cycle >= r.arrived+uint64(a.cfg.AgeCap)
		}
		if a.cfg.WriteHigh != 0 && r.write != writing && (r.urgent == 0 || r.urgent > cycle) {
			continue
		}
		if eldest < 0 {
			eldest = i
		}
		if r.bank != bank {
			continue
		}
		if oldest < 0 {
			oldest = i
		}
		if open && r.row == row && hit < 0 {
			hit = i
		}
	}
	own := late && a.queue[0].bank == bank
	if own {
		oldest = 0
	}
	if oldest < 0 {
		a.fail(Rule{DRAM, "a command without a request"}, "cycle %d: %s of bank %d, for which there is no request",
			cycle, c.Op, bank)
		return
	}
	serve := oldest
	switch {
	case own:
	case late && (c.Op == dram.Read || c.Op == dram.Write):
		a.fail(Rule{DRAM, "data before a late request"}, "cycle %d: %s of bank %d, the oldest request came in cycle %d",
			cycle, c.Op, bank, a.queue[0].arrived)
	case a.cfg.Scheduler == dram.FCFS:
		if oldest != eldest {
			a.fail(Rule{DRAM, "not the oldest request"},
				"cycle %d: FCFS serves bank %d, the oldest request is of bank %d", cycle, bank, a.queue[eldest].bank)
		}
	case hit >= 0 && (a.cfg.HitCap == 0 || a.passed[bank] < a.cfg.HitCap):
		serve = hit
	}
	r := &a.queue[serve]
	if (c.Op == dram.Activate) == open {
		a.fail(Rule{DRAM, "a bank in another state"}, "cycle %d: %s of bank %d, open %t", cycle, c.Op, bank, open)
	}
	switch c.Op {
	case dram.Activate:
		if uint64(c.Row) != r.row {
			a.fail(Rule{DRAM, "a row that no request wants"},
				"cycle %d: row %d of bank %d is opened, the request to serve is for row %d", cycle, c.Row, bank, r.row)
		}
		a.open[bank], a.row[bank], a.passed[bank] = true, r.row, 0
		r.opened = true
		a.count.Activates++
	case dram.Precharge:
		if r.row == row {
			a.fail(Rule{DRAM, "a row closed too soon"},
				"cycle %d: PRE of bank %d closes row %d, which the request to serve wants", cycle, bank, row)
		}
		a.open[bank] = false
		a.count.Precharges++
	default:
		a.column(cycle, c, serve, serve == oldest)
	}
}

// column checks a read or write command for a request of the queue.
func (a *channel) column(cycle uint64, c *dram.Command, serve int, oldest bool) {
	r := &a.queue[serve]
	col := r.col + bits.TrailingZeros32(r.todo)*a.cfg.BusBytes*a.cfg.Burst
	want := dram.Command{Op: dram.Read, Bank: c.Bank, Row: uint32(r.row), Col: uint16(col)}
	delay := a.cfg.TCL
	if r.write {
		want.Op, delay = dram.Write, a.cfg.WL
	}
	if *c != want || r.row != a.row[r.bank] {
		a.fail(Rule{DRAM, "a command that the request does not need"},
			"cycle %d: %+v with row %d open, the request to serve needs %+v", cycle, *c, a.row[r.bank], want)
	}
	start := cycle + uint64(delay)
	if start < a.bus {
		a.fail(Rule{DRAM, "the data bus in use"},
			"cycle %d: the data of %s come in cycle %d, the bus is in use until %d", cycle, c.Op, start, a.bus)
	}
	a.bus = start + uint64(a.cfg.Burst)
	a.count.BusCycles += uint64(a.cfg.Burst)
	a.count.Bytes += uint64(a.cfg.BusBytes * a.cfg.Burst)
	if r.todo &= r.todo - 1; r.todo != 0 {
		return
	}
	r.end = a.bus
	if r.write {
		a.count.Writes++
	} else {
		a.count.Reads++
	}
	if r.opened {
		a.count.RowMisses++
	} else {
		a.count.RowHits++
	}
	if a.passed[r.bank]++; oldest {
		a.passed[r.bank] = 0
	}
	if n := a.longest(); n != 0 && cycle > r.arrived+n {
		a.fail(Rule{DRAM, "a request that waits too long"},
			"cycle %d: the last command for a request of cycle %d, %d at most", cycle, r.arrived, n)
	}
	a.moved = append(a.moved, *r)
	a.queue = append(a.queue[:serve], a.queue[serve+1:]...)
}

// longest is a bound for the wait of a request with AgeCap: the cap, and then the time of each older
// request by itself. There is none with refreshes, which this does not count.
func (a *channel) longest() uint64 {
	f := &a.cfg
	if f.AgeCap == 0 || f.TREFI != 0 {
		return 0
	}
	turn := max(f.TCCD, f.TCL+f.Burst+2-f.WL, f.WL+f.Burst+f.TWTR)
	open := max(f.TRC, max(f.TRAS, f.TRTP, f.Burst, f.WL+f.Burst+f.TWR)+f.TRP) + f.TRRD + f.TRCD
	return uint64(f.AgeCap + f.Queue*(open+turn+a.line/(f.BusBytes*f.Burst)*f.TCCD))
}

// response finds the request of a response. Responses come in the order of the data.
func (a *channel) response(cycle uint64, r *dram.Response) {
	if len(a.moved) == 0 || a.moved[0].end > cycle {
		a.fail(Rule{DRAM, "a response before its data"}, "cycle %d: a response before its data", cycle)
		return
	}
	q := &a.moved[0]
	if q.id != r.ID || q.write != r.Write || !q.write && q.mask != r.Mask {
		a.fail(Rule{DRAM, "a response out of order"},
			"cycle %d: a response with ID %d, write %t, the next is ID %d, write %t", cycle, r.ID, r.Write, q.id,
			q.write)
	}
	a.moved = append(a.moved[:0], a.moved[1:]...)
}

func (a *channel) end() {
	if len(a.queue)+len(a.moved) != 0 {
		a.fail(Rule{DRAM, "requests without an answer"}, "%d requests have no answer", len(a.queue)+len(a.moved))
		return
	}
	got := *a.ch.Count.Q()
	got.QueueFull, got.Unmapped = a.count.QueueFull, a.count.Unmapped
	if got != a.count {
		a.fail(Rule{DRAM, "another count of commands"}, "counted %+v, the commands are %+v", got, a.count)
	}
}
