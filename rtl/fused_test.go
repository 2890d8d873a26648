package rtl_test

import "divergo/rtl"

type fusedFifo struct {
	mem               [8]packet
	head, tail, count uint8
}

// fused is the workload of mini_test.go as one function. The order of its statements is the whole
// argument for its correctness. It is the limit for the speed of a kernel, and an independent model
// of the same hardware.
type fused struct {
	cfg profile
	now uint64
	src [4]struct {
		start      uint64
		pkt        packet
		lfsr       uint32
		burst, seq uint16
		valid      bool
	}
	fifo   [5]fusedFifo
	last   uint8
	grants [4]uint32
	st     [4]struct {
		data         uint64
		addr         uint32
		op, src, dst uint8
		valid        bool
	}
	tbl [32]struct {
		cnt   uint16
		busy  bool
		owner uint8
	}
	inflight uint8
	csum     uint64
	count    uint32
	slfsr    uint32
	sready   bool
}

func newFused(cfg profile) *fused {
	s := &fused{cfg: cfg, last: 3, slfsr: 0xdeadbeef, sready: true}
	for i := range s.src {
		s.src[i].lfsr = 0x12345 * uint32(i+1)
		if cfg.Active>>i&1 == 0 {
			s.src[i].start = rtl.Never
		}
	}
	return s
}

func (s *fused) Run(n uint64) {
	end := s.now + n
	for s.now < end {
		s.step()
	}
}

func (s *fused) step() {
	now := s.now
	st0, st1, st2, st3 := &s.st[0], &s.st[1], &s.st[2], &s.st[3]
	of := &s.fifo[4]
	// combinational
	ofReady, ofValid := of.count < 8, of.count > 0
	r3 := !st3.valid || ofReady
	r2 := !st2.valid || r3
	ok1 := r2 && !s.tbl[st1.dst&31].busy
	r1 := !st1.valid || ok1
	r0 := !st0.valid || r1
	sel, any := s.last, false
	for k := uint8(1); k <= 4; k++ {
		i := (s.last + k) & 3
		if s.fifo[i].count > 0 {
			sel, any = i, true
			break
		}
	}
	full := [4]bool{s.fifo[0].count == 8, s.fifo[1].count == 8, s.fifo[2].count == 8, s.fifo[3].count == 8}
	// sink
	deq4 := false
	if ofValid {
		if s.sready {
			s.csum = s.csum*0x100000001b3 ^ of.mem[of.head&7].Data
			s.count++
			deq4 = true
		}
		s.slfsr = xorshift(s.slfsr)
		s.sready = s.slfsr&7 != 0
	}
	// out fifo
	if deq4 {
		of.head = (of.head + 1) & 7
		of.count--
	}
	if st3.valid && ofReady {
		of.mem[of.tail&7] = packet{Data: st3.data, Addr: st3.addr, Op: st3.op, Src: st3.src, Dst: st3.dst}
		of.tail = (of.tail + 1) & 7
		of.count++
		s.tbl[st3.dst&31].busy = false
		s.inflight--
	}
	// S3
	if r3 {
		st3.valid = st2.valid
		if st2.valid {
			st3.data = st2.data ^ st2.data>>17
			st3.addr, st3.op, st3.src, st3.dst = st2.addr, st2.op+1, st2.src, st2.dst
		}
	}
	// S2 and table allocation
	if r2 {
		st2.valid = st1.valid && ok1
		if st1.valid && ok1 {
			st2.data = st1.data*31 + uint64(st1.addr)
			st2.addr, st2.op, st2.src, st2.dst = st1.addr, st1.op, st1.src, st1.dst
			e := &s.tbl[st1.dst&31]
			e.busy, e.owner = true, st1.src
			e.cnt++
			s.inflight++
		}
	}
	// S1
	if r1 {
		st1.valid = st0.valid
		if st0.valid {
			st1.addr = st0.addr + 4*uint32(st0.op)
			st1.data = st0.data ^ uint64(st1.addr)
			st1.op, st1.src, st1.dst = st0.op, st0.src, st0.dst
		}
	}
	// S0, arbiter, fifo dequeue
	if r0 {
		st0.valid = any
		if any {
			f := &s.fifo[sel&3]
			p := &f.mem[f.head&7]
			st0.data, st0.addr = p.Data, p.Addr
			st0.op, st0.src, st0.dst = p.Op, p.Src, p.Dst
			f.head = (f.head + 1) & 7
			f.count--
			s.last = sel
			s.grants[sel&3]++
		}
	}
	// sources, fifo enqueue
	for i := range s.src {
		p := &s.src[i]
		fire := p.valid && !full[i]
		if fire {
			f := &s.fifo[i]
			f.mem[f.tail&7] = p.pkt
			f.tail = (f.tail + 1) & 7
			f.count++
		}
		l := p.lfsr
		if p.burst == 0 {
			if fire {
				p.valid = false
			}
			if now >= p.start {
				p.burst = s.cfg.Burst + uint16(l)&s.cfg.Mask
				p.start = now + s.cfg.Gap
			}
		} else if !p.valid || fire {
			l = xorshift(l)
			p.lfsr = l
			p.pkt = makePacket(l, uint8(i))
			p.seq++
			p.burst--
			p.valid = true
		}
	}
	s.now++
}

func (s *fused) dump(d []uint64) []uint64 {
	for i := range s.src {
		p := &s.src[i]
		d = append(d, p.start, uint64(p.lfsr), uint64(p.burst), uint64(p.seq), bit(p.valid))
		d = p.pkt.dump(d)
	}
	for i := range s.fifo {
		f := &s.fifo[i]
		for k := range f.count {
			d = f.mem[(f.head+k)&7].dump(d)
		}
		d = append(d, uint64(f.count))
	}
	d = append(d, uint64(s.last))
	for _, g := range s.grants {
		d = append(d, uint64(g))
	}
	for i := range s.st {
		p := &s.st[i]
		d = append(d, bit(p.valid), p.data, uint64(p.addr), uint64(p.op), uint64(p.src), uint64(p.dst))
	}
	for i := range s.tbl {
		e := &s.tbl[i]
		d = append(d, bit(e.busy), uint64(e.owner), uint64(e.cnt))
	}
	return append(d, uint64(s.inflight), s.csum, uint64(s.count), uint64(s.slfsr), bit(s.sready))
}
