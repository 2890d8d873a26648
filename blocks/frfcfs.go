package blocks

import (
	"divergo/memsys/dram"
	"divergo/rtl"
)

var frfcfs = &Block{
	Name: "fr-fcfs", Source: "memsys/dram/channel.go",
	Doc: "FR-FCFS: the request that a DRAM bank serves, the oldest one for the open row before the oldest one",
	Notes: "The requests of one bank, with an arrival and a departure a cycle. It counts 32 bits of arrivals: a reset\n" +
		"comes before they wrap.\n",
	Sizes: []Size{
		{"queue", "requests", 32, 2, 64, true, 4},
		{"cap", "row hits that may overtake an older request, 0 is no limit", 32, 0, 128, false, 2},
	},
	derive: func(s Sizes) { s["timer"] = 32 },
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[RequestsIn]) (rtl.Ticker, *rtl.Wire[Served]) {
			b := &FRFCFS{In: in, Entries: rtl.NewMem[dram.Entry](s["queue"]), cap: s["cap"]}
			return b, &b.Out
		})
	},
}

// FRFCFS chooses a request of a bank: see dram.Channel.
type FRFCFS struct {
	rtl.State[struct {
		Waiting uint64 `bits:"queue"` // entries in use
		Arrived uint64 `bits:"timer"` // requests so far: the age of entries
	}]
	Entries *rtl.Mem[dram.Entry]
	In      *rtl.Wire[RequestsIn]
	Out     rtl.Wire[Served]
	cap     int
}

// RequestsIn has a request that arrives in a free entry, an entry whose request has been served, and the
// state of the bank.
type RequestsIn struct {
	Arrives   bool
	Row       uint32
	Entry     uint8 `bits:"queue_bits"` // of the request that arrives
	Served    bool
	Left      uint8 `bits:"queue_bits"` // entry that has been served
	Open      bool
	OpenRow   uint32
	Overtaken uint8 // requests served in succession ahead of an older one
}

// Served is the entry that the bank works for, if there is one.
type Served struct {
	Valid  bool
	Chosen uint8 `bits:"queue_bits"`
}

// Tick chooses.
func (b *FRFCFS) Tick() {
	in, q, d := b.In.At(), b.Q(), b.D()
	bank := dram.Bank{Open: in.Open, Row: in.OpenRow, Overtaken: in.Overtaken}
	var out Served
	if oldest, hit := bank.Oldest(q.Waiting, b.Entries); oldest >= 0 {
		out = Served{true, uint8(bank.FirstReady(oldest, hit, b.cap))}
	}
	b.Out.Set(out)
	if in.Served {
		d.Waiting &^= 1 << in.Left
	}
	if in.Arrives && q.Waiting>>in.Entry&1 == 0 {
		e := b.Entries.Edit(int(in.Entry))
		e.Row, e.Age = in.Row, q.Arrived
		d.Waiting |= 1 << in.Entry
		d.Arrived++
	}
}
