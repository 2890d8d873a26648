package functional

import (
	"encoding/binary"
	"math/bits"

	"divergo/isa"
	"divergo/sm"
)

// matrixRow is the size of a row of ldmatrix and stmatrix in bytes.
const matrixRow = 16

// access executes ld, st, atom or red. It returns false after a fault.
func (w *warp) access(d *inst, exec uint32) bool {
	g := w.grid
	base := w.row(&d.src[0])
	low, high, all := ^uint64(0), uint64(0), uint64(0)
	at, off, reach := &g.at, uint64(d.Off), g.reach
	if exec == 1<<isa.RowLanes-1 {
		for lane := range isa.RowLanes {
			a := (base[lane] + off) & reach
			at[lane] = a
			low = min(low, a)
			high = max(high, a)
			all |= a
		}
	} else {
		for m := exec; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			a := (base[lane] + off) & reach
			at[lane], low, high, all = a, min(low, a), max(high, a), all|a
		}
	}
	space, skip := spaceOf(d.Space, low)
	top, _ := spaceOf(d.Space, high)
	if top != space || all&(d.align-1) != 0 || space == isa.SpaceParam && d.Op != isa.OpLd {
		return w.each(d, exec)
	}
	var data []byte
	switch space {
	case isa.SpaceShared:
		data = w.cta.shared
	case isa.SpaceLocal:
		data = w.local[:g.local]
	case isa.SpaceParam:
		data = g.Params
	default:
		s := g.m.find(low)
		if s == nil {
			return w.each(d, exec)
		}
		data, skip = s.data, s.start
	}
	if end := uint64(len(data)); high-skip >= end || d.size > end-(high-skip) {
		return w.each(d, exec)
	}
	switch space {
	case isa.SpaceLocal:
		w.words(d, exec, skip)
		for lane := range at { // places in the local memory of the warp
			at[lane] += uint64(lane)*g.local - skip
		}
		data, skip = w.local, 0
	case isa.SpaceGlobal:
		g.reads = g.reads || d.Op != isa.OpSt
		s, state := &g.m.ranges[g.m.last], d.makes()
		if from, to := low-skip, high-skip+d.size-1; from>>pageBits == to>>pageBits {
			if s.pages[from>>pageBits] < state {
				g.m.touch(s, from, to, state)
			}
		} else {
			for m := exec; m != 0; m &= m - 1 {
				at := g.at[bits.TrailingZeros32(m)&(isa.RowLanes-1)] - skip
				g.m.touch(s, at, at+d.size-1, state)
			}
		}
		g.lines(d, exec, low, high, d.size)
	}
	w.transfer(d, exec, data, skip, space == isa.SpaceShared)
	return true
}

// spaceOf returns the space of an address, and the address at which the space starts.
func spaceOf(space isa.Space, a uint64) (isa.Space, uint64) {
	switch space {
	case isa.SpaceGeneric:
	case isa.SpaceConst:
		return isa.SpaceGlobal, 0
	default:
		return space, 0
	}
	switch {
	case a-isa.SharedWindow < isa.WindowSize:
		return isa.SpaceShared, isa.SharedWindow
	case a-isa.LocalWindow < isa.WindowSize:
		return isa.SpaceLocal, isa.LocalWindow
	case a-isa.ParamWindow < isa.WindowSize:
		return isa.SpaceParam, isa.ParamWindow
	}
	return isa.SpaceGlobal, 0
}

// makes returns the state of the pages that an instruction has accessed.
func (d *inst) makes() pageState {
	if d.Op == isa.OpLd {
		return loaded
	}
	return changed
}

// words counts the lines of an access to local memory, whose addresses are those in g.at less skip. A
// word of 4 bytes is an access of its own: equal local addresses of a warp are neighbours, see
// sm.Kernel.LocalBytes.
func (w *warp) words(d *inst, exec uint32, skip uint64) {
	g := w.grid
	local := g.at
	for word := uint64(0); 4*word < d.size; word++ {
		low, high := ^uint64(0), uint64(0)
		for m := exec; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			a := ((local[lane]-skip)/4+word)*uint64(g.WarpSize)*4 + uint64(lane)*4
			g.at[lane], low, high = a, min(low, a), max(high, a)
		}
		g.lines(d, exec, low, high, min(d.size, 4))
	}
	g.at = local
}

// each executes an access lane by lane. It first looks for a lane whose address is not valid: see
// sm.LSU.
func (w *warp) each(d *inst, exec uint32) bool {
	g := w.grid
	params, global, local := true, uint32(0), uint32(0) // all lanes read parameters; lanes by space
	for m := exec; m != 0; m &= m - 1 {
		space, _ := spaceOf(d.Space, g.at[bits.TrailingZeros32(m)&(isa.RowLanes-1)])
		params = params && space == isa.SpaceParam
	}
	for m := exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		a := g.at[lane]
		space, start := spaceOf(d.Space, a)
		kind := sm.NoFault
		switch {
		case space == isa.SpaceParam && d.Op != isa.OpLd:
			kind = sm.ReadOnly
		case space == isa.SpaceParam && !params:
			kind = sm.MixedParam
		case a&(d.align-1) != 0:
			kind = sm.Misaligned
		case w.bytes(space, lane, a-start, d.size, loaded) != nil:
		case d.Op == isa.OpLd && space == isa.SpaceGlobal && g.m.around(a, d.size) != nil:
		case space == isa.SpaceLocal && g.Prog.OnStack(d.Inst):
			kind = sm.FrameOverflow
		default:
			kind = sm.OutOfBounds
		}
		if kind != sm.NoFault {
			w.fault(sm.Fault{Kind: kind, Lane: uint8(lane), Size: uint8(d.size), Space: space, Addr: a})
			return false
		}
	}
	for m := exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		a := g.at[lane]
		space, start := spaceOf(d.Space, a)
		data := w.bytes(space, lane, a-start, d.size, d.makes())
		if data == nil {
			data = g.m.around(a, d.size)
			g.r.Outside++
		}
		w.transfer(d, 1<<lane, data, a, space == isa.SpaceShared)
		switch space {
		case isa.SpaceGlobal:
			global |= 1 << lane
		case isa.SpaceLocal:
			local |= 1 << lane
		}
	}
	if global != 0 {
		g.lines(d, global, 0, 1<<63, d.size)
	}
	if local != 0 {
		_, start := spaceOf(d.Space, g.at[bits.TrailingZeros32(local)&(isa.RowLanes-1)])
		w.words(d, local, start)
	}
	return true
}

// bytes returns size bytes of a lane, or nil if they do not belong to the program.
func (w *warp) bytes(space isa.Space, lane int, at, size uint64, state pageState) []byte {
	var data []byte
	switch space {
	case isa.SpaceShared:
		data = w.cta.shared
	case isa.SpaceLocal:
		data = w.local[uint64(lane)*w.grid.local:][:w.grid.local]
	case isa.SpaceParam:
		data = w.grid.Params
	default:
		return w.grid.m.bytes(at, size, state)
	}
	if end := uint64(len(data)); at >= end || size > end-at {
		return nil
	}
	return data[at : at+size]
}

// lines counts the cache lines of an access of some lanes, with size bytes each, from low to high:
// see memsys.Coalescer.
func (g *grid) lines(d *inst, exec uint32, low, high, size uint64) {
	mask := ^(g.Line - 1)
	switch {
	case d.Op == isa.OpAtom || d.Op == isa.OpRed: // atomics are not merged
		g.r.Lines += uint64(bits.OnesCount32(exec))
		return
	case low&mask == (high+size-1)&mask:
		g.r.Lines++
		return
	}
	var seen [2 * isa.RowLanes]uint64 // lines by hash, plus 1
	last, shift := uint64(1), bits.TrailingZeros64(g.Line)
	for lane, a := range &g.at {
		line := a & mask
		if line == last || exec>>lane&1 == 0 {
			continue
		}
		last = line
		h := line >> shift
		for seen[h%uint64(len(seen))] != 0 && seen[h%uint64(len(seen))] != line+1 {
			h++
		}
		if at := &seen[h%uint64(len(seen))]; *at == 0 {
			*at = line + 1
			g.r.Lines++
		}
	}
}

// transfer moves the data of lanes whose places are in data: their addresses less skip.
func (w *warp) transfer(d *inst, exec uint32, data []byte, skip uint64, shared bool) {
	g := w.grid
	size := uint64(d.Type.Bytes())
	switch d.Op {
	case isa.OpLd:
		for i, row := range d.dst {
			if row == g.sink {
				continue
			}
			to := &w.rows[row]
			gather(to, exec, data, &g.at, skip-uint64(i)*size, size)
			if d.Type.Signed() {
				isa.ExtendAll(d.Type, to, exec, g.Prog.Regs[row].Type.Bits())
			}
		}
	case isa.OpSt:
		for i := range d.src[1:] {
			from := w.row(&d.src[1+i])
			if g.watching && differs(from, exec, data, &g.at, skip-uint64(i)*size, size) {
				g.change()
			}
			scatter(from, exec, data, &g.at, skip-uint64(i)*size, size)
		}
	default:
		w.atomic(d, exec, data, skip, size, shared)
	}
}

// atomic executes atom or red, lane by lane.
func (w *warp) atomic(d *inst, exec uint32, data []byte, skip, size uint64, shared bool) {
	g := w.grid
	does := isa.GlobalAtomic
	if shared {
		does = isa.Atomic
	}
	a, b, old := w.row(&d.src[1]), &isa.Row{}, &g.scratch[0]
	if len(d.src) > 2 {
		b = w.row(&d.src[2])
	}
	for m := exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		at := data[g.at[lane]-skip:]
		old[lane] = loadBytes(at, size)
		v := does(d.Atom, d.Type, old[lane], a[lane], b[lane])
		if v != old[lane] {
			g.change()
		}
		storeBytes(at, size, v)
	}
	if len(d.dst) > 0 && d.dst[0] != g.sink {
		w.write(d.dst[0], exec, old)
		if d.Type.Signed() {
			isa.ExtendAll(d.Type, &w.rows[d.dst[0]], exec, g.Prog.Regs[d.dst[0]].Type.Bits())
		}
	}
}

// gather loads a value of size bytes for each lane.
func gather(to *isa.Row, exec uint32, data []byte, at *[isa.RowLanes]uint64, skip, size uint64) {
	switch {
	case size == 4 && exec == 1<<isa.RowLanes-1:
		for lane := range to {
			to[lane] = uint64(binary.LittleEndian.Uint32(data[at[lane]-skip:]))
		}
	case size == 4:
		for m := exec; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			to[lane] = uint64(binary.LittleEndian.Uint32(data[at[lane]-skip:]))
		}
	default:
		for m := exec; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			to[lane] = loadBytes(data[at[lane]-skip:], size)
		}
	}
}

// scatter stores a value of size bytes of each lane, the highest lane last.
func scatter(from *isa.Row, exec uint32, data []byte, at *[isa.RowLanes]uint64, skip, size uint64) {
	switch {
	case size == 4 && exec == 1<<isa.RowLanes-1:
		for lane := range from {
			binary.LittleEndian.PutUint32(data[at[lane]-skip:], uint32(from[lane]))
		}
	default:
		for m := exec; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			storeBytes(data[at[lane]-skip:], size, from[lane])
		}
	}
}

// differs reports whether a store would change memory.
func differs(from *isa.Row, exec uint32, data []byte, at *[isa.RowLanes]uint64, skip, size uint64) bool {
	for m := exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		if loadBytes(data[at[lane]-skip:], size) != from[lane]&(^uint64(0)>>(64-8*size)) {
			return true
		}
	}
	return false
}

// loadBytes and storeBytes move size bytes, the lowest first.

func loadBytes(data []byte, size uint64) uint64 {
	switch size {
	case 1:
		return uint64(data[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data))
	}
	return binary.LittleEndian.Uint64(data)
}

func storeBytes(data []byte, size, v uint64) {
	switch size {
	case 1:
		data[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(data, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(data, uint32(v))
	default:
		binary.LittleEndian.PutUint64(data, v)
	}
}

// copy executes cp.async (PTX ISA, section 9.7.8.22.1), all of it at once. This is exact for a
// program without races. It returns false after a fault.
func (w *warp) copy(d *inst, exec uint32) bool {
	g := w.grid
	n := func(lane int) uint64 { // bytes to read
		switch {
		case len(d.src) < 3:
			return d.size
		case d.src[2].pred:
			return d.size * uint64(1-w.predicate(&d.src[2])>>lane&1)
		}
		return min(uint64(uint32(w.value(d, 2, lane))), d.size)
	}
	to := func(lane int) uint64 { return (w.value(d, 0, lane) + uint64(d.Off)) & g.reach }
	from := func(lane int) uint64 { return (w.value(d, 1, lane) + uint64(d.From)) & g.reach }
	for m := exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		f := sm.Fault{Lane: uint8(lane), Size: uint8(d.size), Space: isa.SpaceShared, Addr: to(lane)}
		bytes := n(lane)
		if f.Kind = w.invalid(isa.SpaceShared, f.Addr, d.size, d.size); f.Kind == sm.NoFault && bytes > 0 {
			f.Space, f.Addr = isa.SpaceGlobal, from(lane)
			f.Kind = w.invalid(isa.SpaceGlobal, f.Addr, bytes, d.size)
		}
		if f.Kind != sm.NoFault {
			w.fault(f)
			return false
		}
	}
	read := uint32(0) // lanes that read
	for m := exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		dst := w.bytes(isa.SpaceShared, lane, to(lane), d.size, changed)
		clear(dst)
		if bytes := n(lane); bytes > 0 {
			copy(dst, g.m.bytes(from(lane), bytes, loaded))
			g.at[lane], read = from(lane), read|1<<lane
		}
	}
	if read != 0 {
		g.lines(d, read, 0, 1<<63, d.size)
	}
	g.change()
	return true
}

// invalid returns the fault of an access to size bytes, or NoFault.
func (w *warp) invalid(space isa.Space, a, size, align uint64) sm.FaultKind {
	switch {
	case a%align != 0:
		return sm.Misaligned
	case w.bytes(space, 0, a, size, loaded) == nil:
		return sm.OutOfBounds
	}
	return sm.NoFault
}

// rowsOfMatrix executes ldmatrix or stmatrix, whose first threads give the addresses of rows (PTX
// ISA, sections 9.7.13.4.15 and 9.7.13.4.16). It returns false after a fault.
func (w *warp) rowsOfMatrix(d *inst) bool {
	g := w.grid
	var rows [isa.RowLanes][]byte
	for lane := range 8 * int(d.Vec) {
		a := (w.value(d, 0, lane) + uint64(d.Off)) & g.reach
		space, start := spaceOf(d.Space, a)
		kind := sm.OutOfBounds
		if space == isa.SpaceShared {
			kind = w.invalid(space, a-start, d.size, d.align)
		}
		if kind != sm.NoFault {
			w.fault(sm.Fault{Kind: kind, Lane: uint8(lane), Size: uint8(d.size), Space: space, Addr: a})
			return false
		}
		rows[lane] = w.bytes(space, lane, a-start, d.size, changed)
	}
	for i := range int(d.Vec) {
		for lane := range isa.RowLanes {
			from, at := d.MatrixRow(i, lane)
			for h := range 2 {
				element := rows[from[h]][2*at[h]:]
				if d.Op == isa.OpStmatrix {
					storeBytes(element, 2, w.value(d, 1+i, lane)>>(16*h))
				} else if h == 0 {
					g.scratch[i][lane] = loadBytes(element, 2)
				} else {
					g.scratch[i][lane] |= loadBytes(element, 2) << 16
				}
			}
		}
	}
	g.change()
	for i, row := range d.dst {
		w.write(row, g.all, &g.scratch[i])
	}
	return true
}
