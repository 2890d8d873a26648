package audit

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"divergo/isa"
	"divergo/memsys"
)

// textureUnit audits the texture unit of an SM. Each instruction is answered once, with what the CUDA
// C++ Programming Guide, appendix "Texture Fetching", gives for each lane. The auditor computes that
// from the lines that have come, in double precision. Coordinates have single precision there too.
// Every line that the unit asks for holds a texel or a description that a lane needs.
type textureUnit struct {
	block
	line uint64 // bytes
	c    *memsys.TextureUnit

	lines map[uint64]*memsys.Line // that came since the last flush, by address
	asked map[uint64]bool         // lines asked for; true: needed
	owed  int                     // lines that have not come
	open  []*textureFetch         // without an answer
	flush bool                    // the lines are forgotten with the last answer
	next  *textureFetch           // whose packets are coming
}

// textureFetch is an instruction.
type textureFetch struct {
	of               memsys.Access // the first packet
	texture, sampler [isa.RowLanes]uint64
	words            [][isa.RowLanes]uint32
}

func newTextureUnit(m *Memory, index int, c *memsys.TextureUnit, line int) *textureUnit {
	return &textureUnit{
		block: block{m, fmt.Sprintf("texture unit of SM %d", index)}, line: uint64(line), c: c,
		lines: map[uint64]*memsys.Line{}, asked: map[uint64]bool{},
	}
}

func (a *textureUnit) taps() []func() {
	return []func(){a.c.In.Tap(a.packet), a.c.Req.Tap(a.request), a.c.Rsp.Tap(a.response), a.c.Out.Tap(a.reply)}
}

// packet notes a packet that the unit takes.
func (a *textureUnit) packet(_ uint64, v *memsys.Access) {
	if v.Kind == memsys.Flush {
		a.flush = true
		a.forget()
		return
	}
	if a.next == nil {
		a.next = &textureFetch{of: *v, texture: v.Addr}
	} else if len(a.next.words) == 4 {
		a.next.sampler = v.Addr
	}
	for k := range 4 {
		var word [isa.RowLanes]uint32
		for lane := range word {
			word[lane] = uint32(v.Data[lane][k/2] >> (k % 2 * 32))
		}
		a.next.words = append(a.next.words, word)
	}
	if !v.More {
		a.open, a.next = append(a.open, a.next), nil
	}
}

// forget forgets the lines after a flush, when nothing is in flight.
func (a *textureUnit) forget() {
	if a.flush && len(a.open) == 0 {
		a.needed()
		clear(a.lines)
		clear(a.asked)
		a.flush = false
	}
}

// request notes a line that the unit asks for.
func (a *textureUnit) request(cycle uint64, r *memsys.ReadRequest) {
	if a.owed++; r.Line%a.line != 0 {
		a.fail(Rule{Texture, "a request of no line"}, "cycle %d: a request of line %#x", cycle, r.Line)
	}
	if _, known := a.asked[r.Line]; !known {
		a.asked[r.Line] = false
	}
}

// response notes a line that comes. One answer may serve equal requests.
func (a *textureUnit) response(_ uint64, r *memsys.ReadResponse) {
	line := r.Data
	a.lines[r.Line] = &line
	a.owed--
}

// reply checks an answer.
func (a *textureUnit) reply(cycle uint64, r *memsys.Reply) {
	if a.over() {
		return
	}
	for i, f := range a.open {
		if f.of.Tag != r.Tag {
			continue
		}
		a.open = append(a.open[:i], a.open[i+1:]...)
		if r.Fault.Kind == memsys.NoViolation {
			a.check(cycle, f, r)
		}
		a.forget()
		return
	}
	a.fail(Rule{Texture, "an answer of no instruction"}, "cycle %d: tag %#x is answered, which waits for nothing", cycle, r.Tag)
}

// check compares the results of an answer with those of the guide.
func (a *textureUnit) check(cycle uint64, f *textureFetch, r *memsys.Reply) {
	if r.Mask != f.of.Mask {
		a.fail(Rule{Texture, "an answer for other lanes"}, "cycle %d: tag %#x is answered for lanes %#x, it has %#x", cycle,
			r.Tag, r.Mask, f.of.Mask)
		return
	}
	for lane := range isa.RowLanes {
		if r.Mask>>lane&1 == 0 {
			continue
		}
		s := sampling{textureUnit: a, f: f, lane: lane, tex: &f.of.Tex, typ: f.of.Type}
		var place [2]uint64
		var want [4]float64
		if s.tex.Surface {
			place = s.place()
		} else {
			want = s.result()
		}
		if s.absent != 0 {
			a.fail(Rule{Texture, "a texel that has not come"}, "cycle %d: tag %#x, lane %d is answered without the bytes at %#x",
				cycle, r.Tag, lane, s.absent)
			return
		}
		if s.tex.Surface {
			if got := r.Data[lane]; got != place {
				a.fail(Rule{Texture, "another address of a surface"}, "cycle %d: tag %#x, lane %d: %#x, by the manual %#x", cycle,
					r.Tag, lane, got, place)
				return
			}
			continue
		}
		for c := range want {
			if got := s.element(r.Data[lane], c); !s.near(got, want[c]) {
				a.fail(Rule{Texture, "a filtered texel with another value"},
					"cycle %d: tag %#x, lane %d, component %d: %v, by the guide %v", cycle, r.Tag, lane, c, got, want[c])
				return
			}
		}
	}
}

// needed checks that all lines asked for were needed. Then nothing is in flight.
func (a *textureUnit) needed() {
	for _, line := range slices.Sorted(maps.Keys(a.asked)) {
		if !a.asked[line] {
			a.fail(Rule{Texture, "a line that no texel needs"}, "line %#x is asked for, no lane reads it", line)
		}
	}
}

func (a *textureUnit) end() {
	for _, f := range a.open {
		a.fail(Rule{Texture, "an instruction without an answer"}, "the instruction with tag %#x is never answered", f.of.Tag)
	}
	if a.owed != 0 {
		a.fail(Rule{Texture, "a line that never comes"}, "%d lines asked for have not come", a.owed)
	}
	a.needed()
}

// sampling computes the results of a lane.
type sampling struct {
	*textureUnit
	f       *textureFetch
	lane    int
	tex     *isa.Tex
	typ     isa.Type
	absent  uint64  // address of a byte that has not come
	largest float64 // magnitude of a channel
	linear  bool
	normal  bool
	// The descriptions of the level, and of the way in which it is read.
	level, how []byte
}

// bytes reads memory as it came.
func (s *sampling) bytes(addr uint64, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		at := addr + uint64(i)
		line := s.lines[at-at%s.line]
		if s.asked[at-at%s.line] = true; line == nil {
			s.absent = at
			continue
		}
		b[i] = line[at%s.line]
	}
	return b
}

func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

func f32(b []byte, at int) float32 { return math.Float32frombits(u32(b, at)) }

// descriptionBytes is the size of struct divergo_texture.
const descriptionBytes = 104

// place returns the address of an access to a surface and 1, or zeros if it lies outside (PTX ISA, section
// 9.7.10).
func (s *sampling) place() [2]uint64 {
	d, w := s.bytes(s.f.texture[s.lane], descriptionBytes), s.f.words
	texel := int32(u32(d, 32))
	step, size := int32(1), int32(s.tex.Bytes)
	if s.tex.Bytes == 0 {
		step, size = texel, texel
	}
	axes := []int{0, 1, 2}[:s.tex.Dims]
	if s.tex.Layered {
		axes = append([]int{2}, axes...)
	}
	at := binary.LittleEndian.Uint64(d)
	for n, axis := range axes {
		i, last := int32(w[n][s.lane]), int32(u32(d, 20+4*axis))-1
		stride := []uint64{1, uint64(u32(d, 16)), binary.LittleEndian.Uint64(d[8:])}[axis]
		if axis == 0 {
			i, last = i*step, (last+1)*texel-size
		}
		if s.tex.Clamp {
			i = min(max(i, 0), last)
		}
		at += uint64(uint32(i)) * stride
		if !s.tex.Clamp && (i < 0 || i > last) {
			return [2]uint64{}
		}
	}
	return [2]uint64{at, 1}
}

// result returns the four components: numbers, or integers if the type is one.
func (s *sampling) result() (v [4]float64) {
	t, lane := s.tex, s.lane
	at := s.f.texture[lane]
	first := s.bytes(at, descriptionBytes)
	s.level, s.how, s.normal = first, first, u32(first, 44) != 0
	if t.Sampler {
		s.how = s.bytes(s.f.sampler[lane], descriptionBytes)
		s.normal = u32(first, 44)&u32(s.how, 44) != 0
	}
	var words []uint32
	for _, w := range s.f.words {
		words = append(words, w[lane])
	}
	layer := 0
	if t.Layered {
		layer, words = int(int32(words[0])), words[1:]
	}
	n := int(t.Dims)
	if t.Cube {
		n = 3
	}
	x, rest := words[:n], words[n:]
	s.linear = s.typ.Float() && !t.Gather && !t.Whole && u32(s.how, 48) != 0
	enter := func(level int) {
		if s.level = s.bytes(at+uint64(level)*descriptionBytes, descriptionBytes); !t.Sampler {
			s.how = s.level
		}
	}
	if t.Whole {
		if t.Level == isa.LevelGiven {
			enter(max(min(int(int32(rest[0])), int(u32(first, 80))-1), 0))
		}
		var i [3]int
		i[2] = s.plane(layer)
		for axis := range n {
			if i[axis] = int(int32(x[axis])); uint64(x[axis]) >= uint64(u32(s.level, 20+4*axis)) {
				return v
			}
		}
		return s.texel(i)
	}
	var p [3]float32
	for i := range n {
		p[i] = math.Float32frombits(x[i])
	}
	if t.Cube {
		var face int
		face, p = cubeFace(p)
		layer = int(int32(6*uint32(layer) + uint32(face)))
	}
	level, share := s.levels(rest)
	if t.Level != isa.LevelBase {
		enter(level)
	}
	v = s.point(p, layer)
	if share > 0 {
		enter(level + 1)
		w := s.point(p, layer)
		for c := range v {
			v[c] = between(v[c], w[c], share)
		}
	}
	return v
}

func between(a, b, share float64) float64 { return (1-share)*a + share*b }

// plane is the number of a layer.
func (s *sampling) plane(layer int) int {
	if !s.tex.Layered && !s.tex.Cube {
		return 0
	}
	return min(max(layer, 0), int(int32(u32(s.level, 28)))-1)
}

// cubeFace returns the face of a cube in a direction, and the point on it.
func cubeFace(p [3]float32) (n int, q [3]float32) {
	abs := func(v float32) float32 { return float32(math.Abs(float64(v))) }
	axis := 2
	if abs(p[1]) >= abs(p[2]) {
		axis = 1
	}
	if abs(p[0]) >= abs(p[1]) && abs(p[0]) >= abs(p[2]) {
		axis = 0
	}
	sign := float32(1)
	if n = 2 * axis; p[axis] < 0 {
		n, sign = n+1, -1
	}
	point := [3][2]float32{{-sign * p[2], -p[1]}, {p[0], sign * p[2]}, {sign * p[0], -p[1]}}[axis]
	for i, c := range point {
		q[i] = (c/abs(p[axis]) + 1) / 2
	}
	return n, q
}

// levels returns the level, and the share of the next one.
func (s *sampling) levels(rest []uint32) (int, float64) {
	n := int(int32(u32(s.level, 80)))
	if s.tex.Level == isa.LevelBase || uint32(n) <= 1 {
		return 0, 0
	}
	lod := math.Float32frombits(rest[0])
	if s.tex.Level == isa.LevelGradient {
		var longest float32
		for side := range 2 {
			sum := float32(0)
			for axis := range int(s.tex.Dims) {
				d := math.Float32frombits(rest[side*int(s.tex.Dims)+axis])
				if s.normal {
					d *= float32(int32(u32(s.level, 20+4*axis)))
				}
				sum = isa.Fma(d, d, sum)
			}
			longest = most32(longest, sum)
		}
		lod = isa.Lg2Approx(longest) / 2
	}
	lod = least32(most32(lod+f32(s.how, 88), f32(s.how, 92)), f32(s.how, 96))
	lod = least32(most32(lod, 0), float32(n-1))
	if u32(s.how, 84) == 0 {
		return int(math.Floor(float64(lod + 0.5))), 0
	}
	whole := math.Floor(float64(lod))
	if !s.typ.Float() || s.tex.Gather {
		return int(whole), 0
	}
	return int(whole), math.RoundToEven((float64(lod)-whole)*256) / 256
}

// most32 and least32 return the number if one of the two is NaN.

func most32(a, b float32) float32 {
	if b > a || a != a {
		return b
	}
	return a
}

func least32(a, b float32) float32 {
	if b < a || a != a {
		return b
	}
	return a
}

// point returns the texels of the level around a point.
func (s *sampling) point(p [3]float32, layer int) (v [4]float64) {
	var at [3]int
	var share [3]float64
	dims := int(s.tex.Dims)
	for axis := range dims {
		at[axis], share[axis] = s.coordinate(p[axis], axis)
	}
	if s.tex.Gather {
		for k, corner := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
			v[k] = s.at([3]int{at[0] + corner[0], at[1] + corner[1]}, layer)[s.tex.Component%4]
		}
		return v
	}
	if !s.linear {
		return s.at(at, layer)
	}
	var corners [8][4]float64
	for c := range 1 << dims {
		corners[c] = s.at([3]int{at[0] + c&1, at[1] + c>>1&1, at[2] + c>>2&1}, layer)
	}
	for axis := range dims {
		for c := range 1 << (dims - axis - 1) {
			for i := range v {
				corners[c][i] = between(corners[2*c][i], corners[2*c+1][i], share[axis])
			}
		}
	}
	return corners[0]
}

// coordinate returns the first texel along an axis, and the share of the second.
func (s *sampling) coordinate(x float32, axis int) (int, float64) {
	n, mode := float32(int32(u32(s.level, 20+4*axis))), u32(s.how, 52+4*axis)
	if s.normal {
		whole := float32(math.Floor(float64(x)))
		if mode%2 == 0 { // wrap or mirror
			if x -= whole; mode == 2 && math.Mod(float64(whole), 2) != 0 && !math.IsInf(float64(whole), 0) {
				x = 1 - x
			}
		}
		x *= n
	}
	if s.linear || s.tex.Gather {
		x -= 0.5
	}
	x = least32(most32(x, -2), n+1)
	whole := math.Floor(float64(x))
	return int(whole), math.RoundToEven(float64((x-float32(whole))*256)) / 256
}

// at returns the texel at an index, by the address modes.
func (s *sampling) at(i [3]int, layer int) [4]float64 {
	outside := false
	for axis := range int(s.tex.Dims) {
		n, mode := int(int32(u32(s.level, 20+4*axis))), u32(s.how, 52+4*axis)
		if !s.normal && mode != 3 {
			mode = 1
		}
		switch x := i[axis]; {
		case mode == 3:
			outside = outside || x < 0 || x >= n
		case mode == 0 && (s.linear || s.tex.Gather):
			if x < 0 {
				x += n
			}
			if x >= n {
				x -= n
			}
			if i[axis] = x; x < 0 {
				outside = true
			}
		default:
			i[axis] = min(max(x, 0), n-1)
		}
	}
	if s.tex.Layered || s.tex.Cube {
		i[2] = s.plane(layer)
	}
	if !outside {
		return s.texel(i)
	}
	var v [4]float64
	for c := range int(u32(s.level, 36)) % 5 {
		x := f32(s.how, 64+4*c)
		if v[c] = float64(x); !s.typ.Float() {
			v[c] = whole(float64(x), s.typ)
		}
		s.note(v[c])
	}
	return v
}

// whole truncates a number to an integer type.
func whole(x float64, t isa.Type) float64 {
	low, high := 0.0, float64(math.MaxUint32)
	if t == isa.S32 {
		low, high = math.MinInt32, math.MaxInt32
	}
	if x != x {
		return 0
	}
	return min(max(math.Trunc(x), low), high)
}

// note notes the magnitude of a channel.
func (s *sampling) note(x float64) {
	if a := math.Abs(x); a <= math.MaxFloat64 {
		s.largest = max(s.largest, a)
	}
}

// texel reads a texel.
func (s *sampling) texel(i [3]int) (v [4]float64) {
	d := s.level
	size, channels := int(u32(d, 32)), int(u32(d, 36))
	at := binary.LittleEndian.Uint64(d) + uint64(i[0]*size)
	if s.tex.Dims > 1 {
		at += uint64(i[1]) * uint64(u32(d, 16))
	}
	if s.tex.Planes() {
		at += uint64(i[2]) * binary.LittleEndian.Uint64(d[8:])
	}
	raw := s.bytes(at, size)
	for c := range channels {
		n := size / channels
		u := uint64(0)
		for k, b := range raw[c*n : (c+1)*n] {
			u |= uint64(b) << (8 * k)
		}
		v[c] = s.number(u, n, c)
		s.note(v[c])
	}
	return v
}

// number returns the value of a stored channel of n bytes.
func (s *sampling) number(u uint64, n, channel int) float64 {
	signed := float64(int64(u<<(64-8*n)) >> (64 - 8*n))
	switch format := u32(s.level, 40); {
	case s.typ == isa.S32:
		return signed
	case !s.typ.Float():
		return float64(u)
	case format == 0:
		return float64(math.Float32frombits(uint32(u)))
	case format == 5:
		return float64(isa.HalfValue(uint16(u)))
	case format == 2 || format == 4:
		return max(signed/(math.Exp2(float64(8*n-1))-1), -1)
	default:
		x := float64(u) / (math.Exp2(float64(8*n)) - 1)
		switch {
		case format != 6 || channel == 3:
			return x
		case x <= 0.04045:
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
}

// element returns a component of an answer.
func (s *sampling) element(data [2]uint64, c int) float64 {
	switch word := uint32(data[c/2] >> (c % 2 * 32)); s.typ {
	case isa.F16, isa.F16x2:
		return float64(isa.HalfValue(uint16(data[0] >> (16 * c))))
	case isa.S32:
		return float64(int32(word))
	case isa.F32:
		return float64(math.Float32frombits(word))
	default:
		return float64(word)
	}
}

// near reports whether rounding explains the difference of a result.
func (s *sampling) near(got, want float64) bool {
	switch {
	case got != got || want != want:
		return got != got && want != want
	case !s.typ.Float():
		return got == want
	case s.typ != isa.F32:
		if math.Abs(want) >= 65504 {
			return math.Abs(got) >= 65000 && math.Signbit(got) == math.Signbit(want)
		}
		return math.Abs(got-want) <= s.largest/1500+1e-7
	case math.IsInf(want, 0) || math.Abs(want) > math.MaxFloat32*(1-1e-6):
		return math.Abs(got) >= math.MaxFloat32*(1-1e-6) && math.Signbit(got) == math.Signbit(want)
	}
	return math.Abs(got-want) <= 1e-5*s.largest+1e-37
}
