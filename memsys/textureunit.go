package memsys

import (
	"math"
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
)

// TextureUnit executes tex and tld4 of an SM, and computes the addresses of surfaces. It has three stages:
//
//	In --> address --> texture cache --> groups that wait --> filter --> Out
//	          |                              (a FIFO)
//	     descriptions
//
// The address stage takes a group of lanes a cycle: lanes that are neighbours, whose descriptions and
// level are the same. It computes up to four texels of each lane. Two levels, or two planes of a
// texture in three dimensions, take a cycle each. The stage then asks the texture cache for one line
// a cycle, for all texels of the group in it.
//
// The group waits in a FIFO for its texels (Igehy, Eldridge & Proudfoot, Prefetching in a Texture
// Cache Architecture, Graphics Hardware 1998, section 2). The filter takes the oldest group when its
// texels have come. An instruction is answered once, when the filter has all of its lanes.
//
// Descriptions come through the texture cache. The unit holds some, and forgets them with the
// cache, at the end of a kernel.
//
// The set of a line in the cache follows from its place in the texture: see tiled.
type TextureUnit struct {
	rtl.State[textureState]
	Count rtl.State[TextureCounters] `rtl:"sim,inplace"`
	In    rtl.In[Access]
	Out   rtl.Out[Reply]
	Req   rtl.Out[ReadRequest] // to the cache
	Rsp   rtl.In[ReadResponse]

	// Readable reports whether the program may read so many bytes at an address. Nil: it may read
	// everything.
	Readable func(address, size uint64) bool

	sim     *rtl.Sim
	pending int // entries of the table
	lanes   int // of a group at most
	groups  int
	line    uint64                    // bytes
	table   *rtl.Mem[textureEntry]    `rtl:"inplace"`                         // instructions in flight
	rows    *rtl.Mem[row]             `rtl:"inplace" len:"lanes" bits:"word"` // their results
	front   *rtl.Mem[textureOperands] `rtl:"inplace"`                         // of the instruction in the address stage
	waiting *rtl.Mem[textureGroup]    `rtl:"inplace"`                         // the FIFO, a ring
	part    *rtl.Mem[textureParts]    `rtl:"inplace"`                         // of the group in the filter
	handles *rtl.Mem[handle]          `rtl:"inplace"`
}

type textureState struct {
	Used uint64 `bits:"entries"` // entries in use

	// The address stage.
	Parts  uint8  `bits:"2"` // packets of an instruction that have come
	Full   bool   // all of them
	Entry  uint8  `bits:"6"`     // of the instruction
	Left   uint32 `bits:"lanes"` // its lanes not yet in a group
	Pass   uint8  `bits:"2"`     // cycles that the next group has spent
	Asking bool   // the youngest group has texels without a request
	First  bool   // it has no request yet

	Oldest  uint8  // group
	Waiting uint16 `bits:"9"` // groups

	// The description on its way.
	Fetching bool
	Handle   uint8  `bits:"6"`
	Next     uint64 // line to ask for
	Lines    uint8  `bits:"3"` // lines to ask for
	Owed     uint8  `bits:"3"` // lines that have not come
	Clock    uint64 // uses of descriptions, for LRU

	Fault Violation
	Since uint64 `rtl:"sim"` // cycle in which the unit got its first instruction, if it has one
}

// TextureCounters are the counts of a TextureUnit since reset.
type TextureCounters struct {
	Fetches   uint64 // instructions of warps
	Surfaces  uint64 // those of surfaces
	Groups    uint64 // groups of lanes, once for each pass
	Texels    uint64 // texels read
	Places    uint64 // lines of texels and descriptions, each a read of the cache
	Conflicts uint64 // cycles beyond the first that groups took for their lines
	Handles   uint64 // descriptions fetched
	Busy      uint64 // cycles with an instruction in the unit, before textureState.Since
}

// textureEntry is an instruction in flight.
type textureEntry struct {
	Tag  uint16
	Mask uint32 `bits:"lanes"`
	Left uint32 `bits:"lanes"` // lanes without a result
	Type isa.Type
	Tex  isa.Tex
}

// textureWords is the largest number of operands of 32 bits.
const textureWords = 12

// textureOperands are the operands of an instruction.
type textureOperands struct {
	Texture, Sampler [isa.RowLanes]uint64               `len:"lanes" bits:"address"`
	Words            [textureWords][isa.RowLanes]uint32 `len:"12,lanes"`
}

// textureGroup is a pass of a group of lanes. The texels of its k-th lane have the numbers 4k to
// 4k+3, by corner: bit 0 is set for the second along the first axis, bit 1 along the second.
type textureGroup struct {
	Entry         uint8
	Lanes         uint32
	Corners       uint8  // texels of a lane: 1, 2 or 4; more than 1, and no gather: filtered
	Second, Again bool   // the second plane, the second level
	Planes, Level bool   // there is a second plane, a second level
	Ask, Need     uint32 // texels without a request, and those that have not come
	Edge          uint32 // texels of the border
	Address       [4 * maxGroup]uint64
	Raw           [4 * maxGroup][2]uint64 // bytes of the texels; 0 for those outside that are no border
	Share         [maxGroup][3]uint16     // of the second texel along each axis, in 1/256
	Between       [maxGroup]uint16        // share of the second level, in 1/256
	Base          uint64                  // of the level, with its pitch for the sets of its lines
	Pitch         uint32
	look
}

// maxGroup is the largest number of lanes of a group.
const maxGroup = 8

// textureParts are the results of earlier passes of a group, by lane.
type textureParts struct{ Plane, Level [maxGroup]texel }

// handle is a description that the unit holds or fetches.
type handle struct {
	Valid   bool
	Address uint64
	Used    uint64 // time of the last use
	Raw     [handleBytes]byte
	description
}

// handleTag marks requests of descriptions. The others have the number of their group as the tag.
const handleTag = 1 << 14

// TexturePort joins the Reader and the texture unit at the texture cache. They send a request a cycle
// and take turns. The top bit of a tag names the client.
type TexturePort struct {
	rtl.State[struct {
		Last uint8 `bits:"1"` // client that sent last
	}]
	In  []rtl.In[ReadRequest] // by client
	Out rtl.Out[ReadRequest]
	Rsp rtl.In[ReadResponse]
	To  []rtl.Out[ReadResponse] // by client
}

// clientTag is the number of the bit of a tag that names the client.
const clientTag = 15

// add makes the queues of the next client.
func (p *TexturePort) add() (rtl.Out[ReadRequest], rtl.In[ReadResponse]) {
	req, rsp := rtl.NewQueue[ReadRequest](2), rtl.NewQueue[ReadResponse](2)
	p.In, p.To = append(p.In, req.In()), append(p.To, rsp.Out())
	return req.Out(), rsp.In()
}

// Tick moves a request and a response.
func (p *TexturePort) Tick() {
	if p.Rsp.Valid() {
		r := p.Rsp.Front()
		if to := p.To[r.Tag>>clientTag]; to.Ready() {
			s := to.PushSlot()
			*s = *r
			s.Tag &^= 1 << clientTag
			p.Rsp.Pop()
		}
	}
	if !p.Out.Ready() {
		return
	}
	last := int(p.Q().Last)
	for n := range p.In {
		i := (last + 1 + n) % len(p.In)
		if in := p.In[i]; in.Valid() {
			r := p.Out.PushSlot()
			*r = *in.Front()
			r.Tag |= uint16(i) << clientTag
			in.Pop()
			p.D().Last = uint8(i)
			return
		}
	}
}

func newTextureUnit(c *TextureConfig, in rtl.In[Access], out rtl.Out[Reply], req rtl.Out[ReadRequest],
	rsp rtl.In[ReadResponse],
) *TextureUnit {
	return &TextureUnit{
		In: in, Out: out, Req: req, Rsp: rsp,
		pending: c.Pending, lanes: c.Lanes, groups: c.Groups, line: uint64(c.Line),
		table: rtl.NewMem[textureEntry](c.Pending), rows: rtl.NewMem[row](c.Pending),
		front: rtl.NewMem[textureOperands](1), waiting: rtl.NewMem[textureGroup](c.Groups),
		part: rtl.NewMem[textureParts](1), handles: rtl.NewMem[handle](c.Handles),
	}
}

// Tick takes a line, filters a group, addresses a group or asks for a line, and takes a packet.
func (u *TextureUnit) Tick() {
	if u.Rsp.Valid() {
		u.arrive(u.Rsp.Front())
		u.Rsp.Pop()
	}
	u.filter()
	switch d := u.D(); {
	case d.Fault.Kind != NoViolation:
		u.answerFault()
	case d.Asking:
		u.ask()
	case d.Fetching:
		u.fetch()
	case d.Full:
		u.address()
	}
	if u.In.Valid() && !u.D().Full {
		u.accept(u.In.Front())
	}
}

// CountBy returns the counts up to a cycle.
func (u *TextureUnit) CountBy(now uint64) TextureCounters {
	n := *u.Count.Q()
	if q := u.Q(); q.Used != 0 {
		n.Busy += now - q.Since
	}
	return n
}

// accept takes a packet of an instruction, or a flush.
func (u *TextureUnit) accept(a *Access) {
	d := u.D()
	if a.Kind == Flush {
		for i := range u.handles.Len() {
			*u.handles.Edit(i) = handle{}
		}
		u.In.Pop()
		return
	}
	ops := u.front.Edit(0)
	if d.Parts == 0 {
		entry := bits.TrailingZeros64(^d.Used)
		if entry >= u.pending {
			return
		}
		if d.Used == 0 {
			d.Since = u.sim.Now()
		}
		d.Used |= 1 << entry
		d.Entry, d.Left = uint8(entry), a.Mask
		*u.table.Edit(entry) = textureEntry{Tag: a.Tag, Mask: a.Mask, Left: a.Mask, Type: a.Type, Tex: a.Tex}
		*u.rows.Edit(entry) = row{}
		*ops = textureOperands{}
		n := u.Count.D()
		if n.Fetches++; a.Tex.Surface {
			n.Surfaces++
		}
	}
	switch {
	case d.Parts == 0:
		ops.Texture = a.Addr
	case d.Parts == 1 && a.Tex.Sampler:
		ops.Sampler = a.Addr
	}
	for k := range 4 {
		to := &ops.Words[(4*int(d.Parts)+k)%textureWords]
		for lane := range to {
			to[lane] = uint32(a.Data[lane][k>>1] >> (32 * (k & 1)))
		}
	}
	if d.Parts++; !a.More {
		d.Parts, d.Full = 0, true
	}
	u.In.Pop()
}

// find returns the description at an address. If the unit does not have it, it is fetched, and find
// returns nil.
func (u *TextureUnit) find(address uint64, lane int) *description {
	d, oldest := u.D(), 0
	for i := range u.handles.Len() {
		h := u.handles.Next(i)
		if h.Valid && h.Address == address {
			d.Clock++
			u.handles.Edit(i).Used = d.Clock
			return &u.handles.Next(i).description
		}
		if h.Used < u.handles.Next(oldest).Used {
			oldest = i
		}
	}
	if !u.allowed(address, handleBytes, 8, lane) {
		return nil
	}
	first := address &^ (u.line - 1)
	d.Fetching, d.Handle, d.Next = true, uint8(oldest), first
	d.Lines = uint8((address+handleBytes-1-first)/u.line + 1)
	d.Owed = d.Lines
	*u.handles.Edit(oldest) = handle{Address: address}
	u.Count.D().Handles++
	return nil
}

// allowed checks an access of a lane. If the program may not make it, the unit stops with a fault.
func (u *TextureUnit) allowed(address, size, alignment uint64, lane int) bool {
	kind := NoViolation
	switch {
	case address%alignment != 0:
		kind = Misaligned
	case u.Readable != nil && !u.Readable(address, size):
		kind = OutOfBounds
	default:
		return true
	}
	u.D().Fault = Violation{Kind: kind, Lane: uint8(lane), Size: uint8(size), Addr: address}
	return false
}

// element computes the address of the k-th lane of a group of a surface. The lane has no texels: the load/store
// unit reads or writes the bytes, so that they are coherent with other accesses.
func (u *TextureUnit) element(g *textureGroup, k, lane int, e *textureEntry, of *description) {
	words := &u.front.At(0).Words
	at, i := 0, [3]int32{}
	if e.Tex.Layered {
		at, i[2] = 1, int32(words[0][lane])
	}
	for axis := range int(e.Tex.Dims) {
		i[axis] = int32(words[at+axis][lane])
	}
	address, inside := of.element(&e.Tex, i)
	g.Raw[4*k] = [2]uint64{address}
	if inside {
		g.Raw[4*k][1] = 1
	}
}

// answerFault answers the instruction in the address stage with its fault.
func (u *TextureUnit) answerFault() {
	if !u.Out.Ready() {
		return
	}
	d := u.D()
	e := u.table.At(int(d.Entry))
	r := u.Out.PushSlot()
	r.Tag, r.Mask, r.Fault = e.Tag, e.Mask, d.Fault
	d.Fault, d.Full, d.Asking = Violation{}, false, false
}

// fetch asks for a line of the description on its way.
func (u *TextureUnit) fetch() {
	d := u.D()
	if d.Lines == 0 || !u.Req.Ready() {
		return
	}
	u.Req.Push(ReadRequest{Tag: handleTag, Lanes: 1 << d.Lines, Line: d.Next})
	d.Next += u.line
	d.Lines--
	u.Count.D().Places++
}

// arrive takes a line of texels or of a description.
func (u *TextureUnit) arrive(r *ReadResponse) {
	d := u.D()
	if r.Tag == handleTag {
		h := u.handles.Edit(int(d.Handle))
		for i := range h.Raw {
			if at := h.Address + uint64(i); at&^(u.line-1) == r.Line {
				h.Raw[i] = r.Data[at&(u.line-1)]
			}
		}
		if d.Owed--; d.Owed == 0 {
			d.Fetching = false
			d.Clock++
			h.Valid, h.Used = true, d.Clock
			h.decode(&h.Raw)
		}
		return
	}
	g := u.waiting.Edit(int(r.Tag))
	g.Need &^= r.Lanes
	size := uint8(g.stored())
	for m := r.Lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		g.Raw[i] = getWord(r.Data[g.Address[i]&(u.line-1):], size)
	}
}

// ask asks for the line of the lowest texel without a request, for all texels in it.
func (u *TextureUnit) ask() {
	if !u.Req.Ready() {
		return
	}
	d, n := u.D(), u.Count.D()
	tag := (int(d.Oldest) + int(d.Waiting) - 1) % u.groups
	g := u.waiting.Edit(tag)
	line, texels := g.Address[bits.TrailingZeros32(g.Ask)]&^(u.line-1), uint32(0)
	for m := g.Ask; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros32(m); g.Address[i]&^(u.line-1) == line {
			texels |= 1 << i
		}
	}
	u.Req.Push(ReadRequest{Tag: uint16(tag), Lanes: texels, Line: line, Fold: u.tiled(line, g)})
	n.Places++
	if !d.First {
		n.Conflicts++
	}
	g.Ask &^= texels
	d.First, d.Asking = false, g.Ask != 0
}

// tiled returns the change to the number of a line of texels that chooses its set. Memory keeps the rows of a
// texture one behind the other, as the host has written them. Hardware stores textures in tiles, so
// that texels that are close in two dimensions share a line and do not evict one another (Hakura &
// Gupta, The Design and Analysis of a Cache Architecture for Texture Mapping, ISCA 1997). Here the
// bits of the row and of the place of the line in the row alternate: a rectangle of lines fills
// different sets, whatever the pitch. The tag is the address of the line.
func (u *TextureUnit) tiled(line uint64, g *textureGroup) uint32 {
	shift := bits.TrailingZeros64(u.line)
	base := g.Base &^ (u.line - 1)
	if g.Pitch == 0 || line < base {
		return 0
	}
	row, column := uint32((line-base)/uint64(g.Pitch)), uint32((line-base)%uint64(g.Pitch)>>shift)
	return uint32(line>>shift) ^ (uint32(base>>shift) + (spread(row) | spread(column)<<1))
}

// spread moves bit i of the lowest 16 to bit 2i.
func spread(x uint32) uint32 {
	x &= 0xFFFF
	x = (x | x<<8) & 0x00FF_00FF
	x = (x | x<<4) & 0x0F0F_0F0F
	x = (x | x<<2) & 0x3333_3333
	return (x | x<<1) & 0x5555_5555
}

// address makes the next pass of a group of lanes, and asks for its first line.
func (u *TextureUnit) address() {
	d := u.D()
	if int(d.Waiting) == u.groups {
		return
	}
	ops, e := u.front.At(0), u.table.At(int(d.Entry))
	lead := bits.TrailingZeros32(d.Left) & (isa.RowLanes - 1)
	f, base, sampler := filtering{}, u.find(ops.Texture[lead], lead), (*description)(nil)
	if base == nil {
		return
	}
	how := base
	if f.normal = base.Normalized != 0; e.Tex.Sampler {
		if sampler = u.find(ops.Sampler[lead], lead); sampler == nil {
			return
		}
		how, f.normal = sampler, base.Normalized&sampler.Normalized != 0
	}
	filters := e.Type.Float() && !e.Tex.Gather && !e.Tex.Whole
	f.linear = filters && how.Linear != 0
	var shares [isa.RowLanes]uint16 // of the second level
	level, lanes := uint32(0), uint32(0)
	for m := d.Left & u.block(lead); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		if ops.Texture[lane] != ops.Texture[lead] || ops.Sampler[lane] != ops.Sampler[lead] {
			continue
		}
		at, share := u.level(e, lane, base, how, f.normal, filters)
		if lane == lead {
			level = at
		}
		if shares[lane] = share; at == level && (share != 0) == (shares[lead] != 0) {
			lanes |= 1 << lane
		}
	}
	planes, passes := uint8(1), uint8(1)
	if f.linear && e.Tex.Dims == 3 {
		planes, passes = 2, 2
	}
	if shares[lead] != 0 {
		passes *= 2
	}
	again := d.Pass / planes
	of := u.find(ops.Texture[lead]+handleBytes*uint64(level+uint32(again)), lead)
	if of == nil {
		return
	}
	if sampler == nil {
		how = of
	}
	f.mode = how.Mode
	g := u.waiting.Edit((int(d.Oldest) + int(d.Waiting)) % u.groups)
	*g = textureGroup{
		Entry: d.Entry, Lanes: lanes, Corners: 1, Second: d.Pass%planes != 0, Again: again != 0, Planes: planes > 1,
		Level: shares[lead] != 0, Base: of.Base, Pitch: of.Pitch, look: of.look,
	}
	g.look.Border = how.Border
	switch {
	case e.Tex.Gather || f.linear && e.Tex.Dims > 1:
		g.Corners = 4
	case f.linear:
		g.Corners = 2
	}
	k := 0
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		if !u.texels(g, k, lane, e, of, &f) {
			return
		}
		g.Between[k] = shares[lane]
		k++
	}
	g.Need = g.Ask
	n := u.Count.D()
	n.Groups++
	n.Texels += uint64(bits.OnesCount32(g.Ask))
	d.Waiting++
	d.Asking, d.First = g.Ask != 0, true
	if d.Pass++; d.Pass == passes {
		d.Pass, d.Left = 0, d.Left&^lanes
		d.Full = d.Left != 0
	}
	if d.Asking {
		u.ask()
	}
}

// block returns the lanes that can be in a group with a lane: its neighbours.
func (u *TextureUnit) block(lane int) uint32 {
	return (1<<u.lanes - 1) << (lane &^ (u.lanes - 1))
}

// level returns the level that a lane reads, and the share of the next one in 1/256. The texture's
// first level is of; how is the sampler's description.
func (u *TextureUnit) level(e *textureEntry, lane int, of, how *description, normal, filters bool) (uint32, uint16) {
	at := e.Tex.Coordinates()
	if e.Tex.Layered {
		at++
	}
	words := &u.front.At(0).Words
	switch n := int(e.Tex.Dims); {
	case e.Tex.Level == isa.LevelBase:
		return 0, 0
	case e.Tex.Whole:
		return of.wholeLevel(int32(words[at][lane])), 0
	case e.Tex.Level == isa.LevelGiven:
		return how.level(math.Float32frombits(words[at][lane]), of.Levels, filters)
	default:
		var dx, dy [3]uint32
		for axis := range n {
			dx[axis], dy[axis] = words[at+axis][lane], words[at+n+axis][lane]
		}
		return how.level(of.detail(dx[:n], dy[:n], normal), of.Levels, filters)
	}
}

// texels computes the texels of the k-th lane of a group in a level. It reports false after a fault.
func (u *TextureUnit) texels(g *textureGroup, k, lane int, e *textureEntry, of *description, f *filtering) bool {
	if e.Tex.Surface {
		u.element(g, k, lane, e, of)
		return true
	}
	words := &u.front.At(0).Words
	at, layer := 0, uint32(0)
	if e.Tex.Layered {
		at, layer = 1, words[0][lane]
	}
	var ends [2][3]int32 // indices of the first and the second texel
	dims := int(e.Tex.Dims)
	if e.Tex.Whole {
		for axis := range dims {
			i := words[at+axis][lane]
			if i >= of.Size[axis] {
				return true
			}
			ends[0][axis] = int32(i)
		}
	} else {
		var x [3]float32
		for i := range e.Tex.Coordinates() {
			x[i] = math.Float32frombits(words[at+i][lane])
		}
		if e.Tex.Cube {
			var n uint32
			n, x[0], x[1] = face(x[0], x[1], x[2])
			layer = 6*layer + n
		}
		for axis := range dims {
			ends[0][axis], ends[1][axis], g.Share[k][axis] = f.place(x[axis], of.Size[axis], axis, e.Tex.Gather)
		}
	}
	if e.Tex.Layered || e.Tex.Cube {
		ends[0][2] = of.layer(layer)
	}
	third := ends[0][2]
	if g.Second {
		third = ends[1][2]
	}
	for c := range int(g.Corners) {
		texel, i := 4*k+c, [3]int32{ends[c&1][0], ends[c>>1][1], third}
		if !e.Tex.Whole && i[0]|i[1]|i[2] < 0 {
			g.Edge |= 1 << texel
			continue
		}
		size := uint64(of.stored())
		if size == 0 {
			continue
		}
		if g.Address[texel] = of.address(&e.Tex, i); !u.allowed(g.Address[texel], size, size, lane) {
			return false
		}
		g.Ask |= 1 << texel
	}
	return true
}

// filter takes the oldest group if its texels are there, and answers an instruction after its last
// group.
func (u *TextureUnit) filter() {
	d := u.D()
	if d.Waiting == 0 {
		return
	}
	g := u.waiting.Next(int(d.Oldest))
	e := u.table.Edit(int(g.Entry))
	last := g.Planes == g.Second && g.Level == g.Again
	done := last && e.Left&^g.Lanes == 0
	if g.Need != 0 || done && !u.Out.Ready() {
		return
	}
	parts, rows, k := u.part.Edit(0), u.rows.Edit(int(g.Entry)), 0
	for m := g.Lanes; m != 0; m &= m - 1 {
		if e.Tex.Surface {
			rows[bits.TrailingZeros32(m)&(isa.RowLanes-1)] = g.Raw[4*k]
			k++
			continue
		}
		v := g.value(k, e)
		switch {
		case g.Planes && !g.Second:
			parts.Plane[k] = v
		case g.Planes:
			v = mix(parts.Plane[k], v, g.Share[k][2])
		}
		switch {
		case g.Level && !g.Again:
			parts.Level[k] = v
		case g.Level:
			v = mix(parts.Level[k], v, g.Between[k])
		}
		if last {
			rows[bits.TrailingZeros32(m)&(isa.RowLanes-1)] = pack(v, e.Type)
		}
		k++
	}
	d.Oldest, d.Waiting = uint8((int(d.Oldest)+1)%u.groups), d.Waiting-1
	if last {
		e.Left &^= g.Lanes
	}
	if !done {
		return
	}
	r := u.Out.PushSlot()
	r.Tag, r.Mask, r.Data = e.Tag, e.Mask, *rows
	if d.Used &^= 1 << g.Entry; d.Used == 0 {
		u.Count.D().Busy += u.sim.Now() - d.Since
	}
}

// value filters the texels of the k-th lane of a group.
func (g *textureGroup) value(k int, e *textureEntry) texel {
	var corners [4]texel
	for c := range int(g.Corners) {
		if i := 4*k + c; g.Edge>>i&1 != 0 {
			corners[c] = g.border(e.Type)
		} else {
			corners[c] = g.channels(g.Raw[i], e.Type)
		}
	}
	switch share := &g.Share[k]; {
	case e.Tex.Gather: // against the clock from the lower left
		c := e.Tex.Component & 3
		return texel{corners[2][c], corners[3][c], corners[1][c], corners[0][c]}
	case g.Corners == 4:
		return mix(mix(corners[0], corners[1], share[0]), mix(corners[2], corners[3], share[0]), share[1])
	case g.Corners == 2:
		return mix(corners[0], corners[1], share[0])
	}
	return corners[0]
}
