package dram

import (
	"math/bits"

	"divergo/rtl"
)

// Request is a request of an L2 slice to its channel: the bytes of a line to read or to write. A
// read without a mask is one of the whole line.
type Request struct {
	Write bool
	ID    uint8    // returned with the Response
	Addr  uint64   `bits:"address"`      // of the line
	Mask  ByteMask `len:"1" bits:"line"` // bytes to write or to read
	Data  Line     `len:"line"`
}

// Response answers one Request. A read returns the bytes of its mask; a write is answered when its
// last byte is in the Store.
type Response struct {
	Write bool
	ID    uint8
	Mask  ByteMask `len:"1" bits:"line"` // of a read, as in the Request
	Data  Line     `len:"line"`
}

// Op is a command on the command bus of a channel.
type Op uint8

// The commands.
const (
	Nop          Op = iota
	Activate        // open a row
	Precharge       // close the row
	Read            // one burst from the open row
	Write           // one burst to the open row
	PrechargeAll    // close the rows of all banks
	Refresh         // refresh all banks, which are closed
)

// String returns the mnemonic of data sheets.
func (o Op) String() string {
	if names := [...]string{"NOP", "ACT", "PRE", "RD", "WR", "PREA", "REF"}; int(o) < len(names) {
		return names[o]
	}
	return "?"
}

// Command is the content of the command bus in one cycle.
type Command struct {
	Op   Op     `bits:"3"`
	Bank uint8  `bits:"4"`
	Row  uint32 // Activate: the row to open; otherwise the open row
	Col  uint16 // Read, Write: byte in the row
}

// Commanded is a command with its cycle.
type Commanded struct {
	Cycle uint64
	Command
}

// Counters are the counts of a channel since reset.
type Counters struct {
	Reads, Writes uint64 // requests
	RowHits       uint64 // requests whose row was already open
	RowMisses     uint64
	Activates     uint64
	Precharges    uint64 // of single banks; a refresh closes all
	Refreshes     uint64 // of all banks
	Drains        uint64 // turns from reads to writes because of many writes
	BusCycles     uint64 // cycles of the data bus in use
	Bytes         uint64 // moved by the data bus; a burst moves masked bytes too
	QueueFull     uint64 // cycles in which a request waited for a place in the queue
	Unmapped      uint64 // bursts to addresses outside of the Store
}

// Channel is one DRAM channel: the controller and its banks. It issues at most one command a cycle.
// It searches the banks in turn, from the one after the bank of the last command. The first bank
// with a legal command gets it. A bank works for its oldest request to the open row, or else for
// its oldest request. The command is RD or WR if the row is open, ACT if no row is open, and PRE
// otherwise. A request overtaken HitCap times by row hits goes first.
//
// When the oldest request of the channel has waited for AgeCap cycles, it gets the first legal
// command. Other banks may then open and close rows, but move no data before it.
//
// With WriteHigh the channel serves reads only, and writes while it has no read. When WriteHigh
// writes wait, it serves writes only, until WriteLow are left. An older request of the other kind
// to the same line keeps its place in time.
//
// Every TREFI cycles the channel closes all banks and refreshes them, and gives no other command
// meanwhile. A channel without requests sleeps. The next request finds the banks as the refreshes
// in between have left them.
//
// The controller is that of GPGPU-Sim 2.1.1b, with the write-to-read turnaround that GPGPU-Sim
// omits.
type Channel struct {
	rtl.State[channelState]
	Count rtl.State[Counters] `rtl:"sim,inplace"`
	In    rtl.In[Request]
	Out   rtl.Out[Response]

	// OnCommand receives each command.
	OnCommand rtl.Observers[Commanded]

	sim      *rtl.Sim
	cfg      Config
	schedule choose
	addrs    AddrMap
	store    *Store // maps local addresses to cells
	bursts   int    // column commands for a line
	entries  *rtl.Mem[Entry]
	data     *rtl.Mem[Line] `len:"line"`
	banks    *rtl.Mem[Bank]
	cells    *rtl.Mem[Line] `rtl:"inplace"` // contents of all rows; at most one command a cycle reads or writes them
	writing  bool           `rtl:"scratch"` // wire: writes are served, not reads (WriteHigh)
}

type channelState struct {
	Used    uint64           `bits:"queue"`             // entries in use
	Waiting [MaxBanks]uint64 `len:"banks" bits:"queue"` // entries that need commands, by bank
	Arrived uint64           `bits:"timer"`             // requests so far: the age of entries
	Blocked bool             // a request waits because the queue is full
	Since   uint64           `rtl:"sim"` // first cycle of that wait

	// First cycles in which the commands are legal, for any bank.
	NextAct, NextRead, NextWrite uint64 `bits:"timer"`

	Drain  bool   // since WriteHigh writes have waited (WriteHigh)
	Writes uint64 `bits:"timer"` // entries that are writes (WriteHigh)
	Urgent uint64 `bits:"queue"` // entries with a younger one of the other kind to the same line (WriteHigh)
	Due    uint64 `bits:"timer"` // first cycle of the next refresh (TREFI)

	Last    uint8   `bits:"4"` // bank of the last command
	Command Command // on the bus

	// Entries whose last command has been issued, in the order of the data bus.
	Done     [MaxQueue]uint8 `len:"queue"`
	DoneHead uint8           `bits:"6"`
	DoneLen  uint8           `bits:"7"`
}

// Entry is a place in the request queue.
type Entry struct {
	Write  bool
	Opened bool // a row was opened for this request
	ID     uint8
	Bank   uint8 `bits:"4"`
	Col    uint16
	Row    uint32
	Todo   uint32   // remaining bursts, one bit each
	Local  uint64   `bits:"address"` // address within the channel
	Age    uint64   `bits:"timer"`   // value of Arrived when the request came
	Came   uint64   `rtl:"sim"`      // cycle in which it came
	Ready  uint64   `bits:"timer"`   // first cycle after its last data
	Mask   ByteMask `len:"1" bits:"line"`
}

// Bank is the state of one bank: its row buffer and the first cycles in which commands are legal.
type Bank struct {
	Open                                  bool
	Row                                   uint32
	Overtaken                             uint8  // requests served in succession ahead of an older one
	NextAct, NextPre, NextRead, NextWrite uint64 `bits:"timer"`
}

// NewChannel makes the next channel of a store, for lines of the given number of bytes. The
// configuration must have passed Check. Channels are made in the order of their numbers.
func NewChannel(cfg *Config, line int, store *Store, in rtl.In[Request], out rtl.Out[Response]) *Channel {
	m := NewAddrMap(cfg)
	c := &Channel{
		In: in, Out: out, cfg: *cfg, schedule: schedulers.Must(cfg.Scheduler), addrs: m, store: store,
		bursts:  line / cfg.burstBytes(),
		entries: rtl.NewMem[Entry](cfg.Queue), data: rtl.NewMem[Line](cfg.Queue), banks: rtl.NewMem[Bank](cfg.Banks),
		cells: store.attach(m),
	}
	c.Init(channelState{Due: uint64(cfg.TREFI)})
	return c
}

// Tick answers a request whose data has passed the bus, accepts a new request and issues a command.
func (c *Channel) Tick() {
	c.D().Command = Command{}
	wake := c.answer()
	c.accept()
	c.sim.WakeAt(min(wake, c.command()))
}

// answer sends the response of the request that has left the data bus. It returns the cycle of the
// next response.
func (c *Channel) answer() uint64 {
	q, d := c.Regs()
	if q.DoneLen == 0 {
		return rtl.Never
	}
	i := int(q.Done[q.DoneHead])
	e := c.entries.At(i)
	if e.Ready > c.sim.Now() {
		return e.Ready
	}
	if !c.Out.Ready() {
		return rtl.Never
	}
	r := c.Out.PushSlot()
	r.Write, r.ID = e.Write, e.ID
	switch {
	case e.Write:
	case e.Mask == ByteMask{}:
		r.Data = *c.data.At(i)
	default:
		r.Mask = e.Mask
		r.Data.Merge(c.data.At(i), e.Mask)
	}
	d.Used &^= 1 << i
	d.DoneHead = (q.DoneHead + 1) % MaxQueue
	d.DoneLen--
	return c.sim.Now() + 1
}

// accept moves a request into the queue.
func (c *Channel) accept() {
	q, d := c.Regs()
	if !c.In.Valid() {
		return
	}
	i := bits.TrailingZeros64(^q.Used)
	if i >= c.cfg.Queue {
		if !q.Blocked {
			d.Blocked, d.Since = true, c.sim.Now()
		}
		return
	}
	if q.Blocked {
		d.Blocked = false
		c.Count.D().QueueFull += c.sim.Now() - q.Since
	}
	r := c.In.Front()
	e := c.entries.Edit(i)
	*e = Entry{Write: r.Write, ID: r.ID, Local: c.addrs.Local(r.Addr), Age: q.Arrived, Came: c.sim.Now(), Mask: r.Mask}
	e.Bank, e.Row, e.Col = c.addrs.Place(r.Addr)
	e.Todo = c.todo(r)
	if r.Write {
		c.data.Write(i, r.Data)
		c.Count.D().Writes++
	} else {
		c.Count.D().Reads++
	}
	if c.cfg.WriteHigh != 0 {
		c.sort(i, e)
	}
	d.Used |= 1 << i
	d.Waiting[e.Bank] |= 1 << i
	d.Arrived++
	c.In.Pop()
}

// sort notes the kind of the new entry i. Older entries of the other kind to its line are served in
// either direction, so that they stay before it.
func (c *Channel) sort(i int, e *Entry) {
	q, d := c.Regs()
	d.Urgent &^= 1 << i
	d.Writes &^= 1 << i
	if e.Write {
		d.Writes |= 1 << i
	}
	for m := q.Waiting[e.Bank]; m != 0; m &= m - 1 {
		n := bits.TrailingZeros64(m)
		if old := c.entries.At(n); old.Local == e.Local && old.Write != e.Write {
			d.Urgent |= 1 << n
		}
	}
}

// todo returns the bursts that r needs: those with a byte to read or to write.
func (c *Channel) todo(r *Request) uint32 {
	if !r.Write && r.Mask == (ByteMask{}) {
		return 1<<c.bursts - 1
	}
	todo := uint32(0)
	n := c.cfg.burstBytes()
	for b := range c.bursts {
		if r.Mask.And(Span(b*n, n)) != (ByteMask{}) {
			todo |= 1 << b
		}
	}
	return max(todo, 1)
}

// command issues the first legal command of the banks in turn. It returns the next cycle in which a
// command may be legal.
func (c *Channel) command() uint64 {
	q := c.Q()
	now := c.sim.Now()
	next := uint64(rtl.Never)
	if c.cfg.WriteHigh != 0 {
		c.direct()
	}
	if c.cfg.TREFI != 0 && bits.OnesCount64(q.Used) > int(q.DoneLen) {
		at, busy := c.refresh()
		if busy {
			return at
		}
		next = at
	}
	late := -1 // the request that has waited too long
	if c.cfg.AgeCap != 0 {
		if i := c.eldest(true); i >= 0 {
			if at := c.entries.At(i).Came + uint64(c.cfg.AgeCap); at > now {
				next = min(next, at)
			} else {
				late = i
				op, at := c.needs(i)
				if at <= now {
					c.give(op, i)
					return now + 1
				}
				next = min(next, at)
			}
		}
	}
	for n := range c.cfg.Banks {
		b := (int(q.Last) + 1 + n) % c.cfg.Banks
		if q.Waiting[b] == 0 || late >= 0 && b == int(c.entries.At(late).Bank) {
			continue
		}
		i := c.choose(b)
		if i < 0 {
			continue
		}
		op, at := c.needs(i)
		switch {
		case late >= 0 && (op == Read || op == Write): // after the late one
		case at > now:
			next = min(next, at)
		default:
			c.give(op, i)
			return now + 1
		}
	}
	return next
}

// direct chooses between reads and writes.
func (c *Channel) direct() {
	q, d := c.Regs()
	waiting := q.Used
	for n := range int(q.DoneLen) {
		waiting &^= 1 << q.Done[(int(q.DoneHead)+n)%MaxQueue]
	}
	writes := bits.OnesCount64(waiting & q.Writes)
	switch {
	case q.Drain && writes <= c.cfg.WriteLow:
		d.Drain = false
	case !q.Drain && writes >= c.cfg.WriteHigh:
		d.Drain = true
		c.Count.D().Drains++
	}
	c.writing = d.Drain || waiting&^q.Writes == 0
}

// ready returns the requests that bank b may serve.
func (c *Channel) ready(b int) uint64 {
	q := c.Q()
	switch {
	case c.cfg.WriteHigh == 0:
		return q.Waiting[b]
	case c.writing:
		return q.Waiting[b] & (q.Writes | q.Urgent)
	}
	return q.Waiting[b] & (^q.Writes | q.Urgent)
}

// refresh closes and refreshes all banks if a refresh is due, and reports whether it is busy with
// that. It returns the cycle of its next command. Behind idle cycles it makes up for the commands
// of these, each with its own cycle.
func (c *Channel) refresh() (next uint64, busy bool) {
	q, now := c.Q(), c.sim.Now()
	if q.Due > now {
		return q.Due, false
	}
	open, pre, at := false, q.Due, q.Due
	for b := range c.cfg.Banks {
		bk := c.banks.At(b)
		at = max(at, bk.NextAct)
		if bk.Open {
			open = true
			pre = max(pre, bk.NextPre)
		}
	}
	if open {
		if pre > now {
			return pre, true
		}
		at = max(at, pre+uint64(c.cfg.TRP))
		c.all(PrechargeAll, pre, at)
	}
	for {
		if at > now {
			return at, true
		}
		due := c.D().Due + uint64(c.cfg.TREFI)
		c.D().Due = due
		c.Count.D().Refreshes++
		free := at + uint64(c.cfg.TRFC)
		c.all(Refresh, at, free)
		if at = max(due, free); due > now {
			return now + 1, true
		}
	}
}

// all gives a command for all banks, which stay closed until a cycle.
func (c *Channel) all(op Op, cycle, until uint64) {
	for b := range c.cfg.Banks {
		bk := c.banks.Edit(b)
		bk.Open, bk.NextAct = false, max(bk.NextAct, until)
	}
	command := Command{Op: op}
	if cycle == c.sim.Now() {
		c.D().Command = command
	}
	if c.OnCommand.Any() {
		c.OnCommand.Notify(Commanded{cycle, command})
	}
}

// choose returns the entry that bank b works for, or -1 if it waits for another bank.
func (c *Channel) choose(b int) int {
	oldest, hit := c.banks.At(b).Oldest(c.ready(b), c.entries)
	if oldest < 0 {
		return -1
	}
	return c.schedule(c, b, oldest, hit)
}

// Oldest returns the oldest of a set of entries, and the oldest one for the open row; -1 if there is
// none.
func (bk *Bank) Oldest(set uint64, entries *rtl.Mem[Entry]) (oldest, hit int) {
	oldest, hit = -1, -1
	var oldestAge, hitAge uint64
	for m := set; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		e := entries.At(i)
		if oldest < 0 || e.Age < oldestAge {
			oldest, oldestAge = i, e.Age
		}
		if bk.Open && e.Row == bk.Row && (hit < 0 || e.Age < hitAge) {
			hit, hitAge = i, e.Age
		}
	}
	return oldest, hit
}

// firstReady prefers the open row, up to HitCap overtaken requests.
func (c *Channel) firstReady(b, oldest, hit int) int {
	return c.banks.At(b).FirstReady(oldest, hit, c.cfg.HitCap)
}

// FirstReady chooses the oldest entry for the open row, or else the oldest entry. Row hits overtake
// at most hitCap times in succession; 0 is no limit.
func (bk *Bank) FirstReady(oldest, hit, hitCap int) int {
	if hit >= 0 && (hitCap == 0 || int(bk.Overtaken) < hitCap) {
		return hit
	}
	return oldest
}

// inOrder serves only the oldest request of the channel.
func (c *Channel) inOrder(_, oldest, _ int) int {
	if c.eldest(false) != oldest {
		return -1
	}
	return oldest
}

// eldest returns the oldest request of the channel that needs commands, or -1: any, or of those
// that the banks may serve.
func (c *Channel) eldest(any bool) int {
	q := c.Q()
	eldest, age := -1, uint64(rtl.Never)
	for b := range c.cfg.Banks {
		m := q.Waiting[b]
		if !any {
			m = c.ready(b)
		}
		for ; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros64(m); c.entries.At(i).Age < age {
				eldest, age = i, c.entries.At(i).Age
			}
		}
	}
	return eldest
}

// needs returns the next command of entry i and the first cycle in which it is legal.
func (c *Channel) needs(i int) (Op, uint64) {
	q := c.Q()
	e := c.entries.At(i)
	bk := c.banks.At(int(e.Bank))
	switch {
	case !bk.Open:
		return Activate, max(bk.NextAct, q.NextAct)
	case bk.Row != e.Row:
		return Precharge, bk.NextPre
	case e.Write:
		return Write, max(bk.NextWrite, q.NextWrite)
	}
	return Read, max(bk.NextRead, q.NextRead)
}

// give puts a command for entry i on the bus.
func (c *Channel) give(op Op, i int) {
	_, d := c.Regs()
	t := &c.cfg
	now := c.sim.Now()
	after := func(cycles int) uint64 { return now + uint64(cycles) }
	e := c.entries.At(i)
	bk := c.banks.Edit(int(e.Bank))
	d.Last = e.Bank
	d.Command = Command{Op: op, Bank: e.Bank, Row: bk.Row}
	switch op {
	case Activate:
		bk.Open, bk.Row, bk.Overtaken = true, e.Row, 0
		bk.NextAct, bk.NextPre = after(t.TRC), after(t.TRAS)
		bk.NextRead, bk.NextWrite = after(t.TRCD), after(t.tRCDWR())
		d.NextAct = after(t.TRRD)
		d.Command.Row = e.Row
		c.Count.D().Activates++
		c.entries.Edit(i).Opened = true
	case Precharge:
		bk.Open = false
		bk.NextAct = max(bk.NextAct, after(t.TRP))
		c.Count.D().Precharges++
	case Read:
		bk.NextPre = max(bk.NextPre, after(max(t.TRTP, t.Burst)))
		d.NextRead = after(t.TCCD)
		d.NextWrite = max(d.NextWrite, after(t.tRTW()))
		c.column(i, bk, after(t.TCL+t.Burst))
	case Write:
		end := t.WL + t.Burst
		bk.NextPre = max(bk.NextPre, after(end+t.TWR))
		d.NextWrite = after(t.TCCD)
		d.NextRead = max(d.NextRead, after(max(end+t.TWTR, t.TCCD)))
		c.column(i, bk, after(end))
	}
	if c.OnCommand.Any() {
		c.OnCommand.Notify(Commanded{now, d.Command})
	}
}

// column moves one burst of entry i between its data and the store. Ready is the first cycle after
// its data. The bytes move together with the command. No other access can distinguish this from
// moving with the data, because the data bus is in order.
func (c *Channel) column(i int, bk *Bank, ready uint64) {
	q, d := c.Regs()
	e := c.entries.Edit(i)
	burst := bits.TrailingZeros32(e.Todo)
	n := c.cfg.burstBytes()
	off := burst * n
	d.Command.Col = e.Col + uint16(off)
	cell, ok := c.store.cell(e.Local)
	at := int(e.Local % MaxLine) // offset of the line in its cell
	switch {
	case !ok:
		c.Count.D().Unmapped++
	case e.Write:
		data, cell := c.data.At(i), c.cells.Edit(cell)
		for k := off; k < off+n; k++ {
			if e.Mask[k/64]>>(k%64)&1 != 0 {
				cell[at+k] = data[k]
			}
		}
	default:
		copy(c.data.Edit(i)[off:off+n], c.cells.At(cell)[at+off:])
	}
	c.Count.D().Bytes += uint64(n)
	c.Count.D().BusCycles += uint64(c.cfg.Burst)
	e.Todo &= e.Todo - 1
	if e.Todo != 0 {
		return
	}
	e.Ready = ready
	d.Waiting[e.Bank] &^= 1 << i
	d.Done[(int(q.DoneHead)+int(q.DoneLen))%MaxQueue] = uint8(i)
	d.DoneLen++
	if e.Opened {
		c.Count.D().RowMisses++
	} else {
		c.Count.D().RowHits++
	}
	if older := c.ready(int(e.Bank)) &^ (1 << i); c.anyOlder(older, e.Age) {
		bk.Overtaken++
	} else {
		bk.Overtaken = 0
	}
}

// anyOlder reports whether an entry of the set is older than age.
func (c *Channel) anyOlder(set, age uint64) bool {
	for ; set != 0; set &= set - 1 {
		if c.entries.At(bits.TrailingZeros64(set)).Age < age {
			return true
		}
	}
	return false
}
