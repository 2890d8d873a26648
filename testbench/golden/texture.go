package golden

import (
	"encoding/binary"
	"math"

	"divergo/isa"
)

// This file executes tex and tld4 as one instruction (PTX ISA, sections 9.7.9.3 and 9.7.9.4), and the
// addresses of surfaces. It
// follows the CUDA C++ Programming Guide, appendix "Texture Fetching". Each operation rounds to f32,
// in the order in which the loads form of a program computes.

// descriptionBytes is the size of struct divergo_texture (cuda/include/divergo/texture.h).
const descriptionBytes = 104

// description is a struct divergo_texture.
type description []byte

func (d description) word(at int) uint32 { return binary.LittleEndian.Uint32(d[at:]) }

func (d description) float(at int) float32 { return math.Float32frombits(d.word(at)) }

func (d description) size(axis int) uint32 { return d.word(20 + 4*axis) }

// fetch is a texture instruction of a thread.
type fetch struct {
	*block
	t       *thread
	in      *isa.Inst
	linear  bool
	normal  bool
	at      uint64      // address of the level
	texture description // of the level
	sampler description // nil: the texture's
	layer   uint32
	fault   *Fault
}

// read returns bytes of global memory. After a fault it returns zeros.
func (f *fetch) read(addr, size, aligned uint64) []byte {
	data := f.m.at(addr, size)
	if data == nil && f.m.Pad > 0 {
		if data = f.m.around(addr, size); data != nil {
			f.r.Outside++
		}
	}
	kind := outOfBounds
	if addr%aligned != 0 {
		kind, data = misaligned, nil
	}
	if data != nil {
		return data
	}
	if f.fault == nil {
		f.fault = &Fault{ID: f.name(f.t), Kind: kind, PC: f.t.pc, Addr: addr, Space: isa.SpaceGlobal, Size: int(size)}
	}
	return make([]byte, size)
}

// enter goes to a level of the texture.
func (f *fetch) enter(level uint32) {
	f.at += descriptionBytes * uint64(level)
	f.texture = f.read(f.at, descriptionBytes, 8)
}

// how is the description of the way in which texels are read.
func (f *fetch) how() description {
	if f.sampler != nil {
		return f.sampler
	}
	return f.texture
}

// sample executes a texture instruction.
func (b *block) sample(t *thread, in *isa.Inst, v *values) *Fault {
	if in.Tex.Surface {
		return b.element(t, in, v)
	}
	f := &fetch{block: b, t: t, in: in, at: v.src[0]}
	f.enter(0)
	if in.Tex.Sampler {
		f.sampler = f.read(v.src[1], descriptionBytes, 8)
	}
	var words []uint32
	for _, w := range v.src[in.Tex.Handles():in.NSrc] {
		words = append(words, uint32(w))
	}
	if in.Tex.Layered {
		f.layer, words = words[0], words[1:]
	}
	n := in.Tex.Coordinates()
	place, rest := words[:n], words[n:]
	var r [4]uint32
	if in.Tex.Whole {
		r = f.whole(place, rest)
	} else {
		var x []float32
		for _, w := range place {
			x = append(x, math.Float32frombits(w))
		}
		r = f.filtered(x, rest)
	}
	for i := range int(in.Vec) {
		switch in.Type {
		case isa.F16:
			v.dst[i] = encodeHalf(isa.F16, isa.RoundNearest, float64(math.Float32frombits(r[i])))
		case isa.F16x2:
			v.dst[i] = encodeHalf(isa.F16, isa.RoundNearest, float64(math.Float32frombits(r[2*i]))) |
				encodeHalf(isa.F16, isa.RoundNearest, float64(math.Float32frombits(r[2*i+1])))<<16
		default:
			v.dst[i] = uint64(r[i])
		}
	}
	return f.fault
}

// plane is the third index of the texels of an array of layers.
func (f *fetch) plane() int32 { return min(max(int32(f.layer), 0), int32(f.texture.size(2))-1) }

// element computes the address of an access to a surface, and whether it lies inside, one axis after the
// other (PTX ISA, section 9.7.10).
func (b *block) element(t *thread, in *isa.Inst, v *values) *Fault {
	f := &fetch{block: b, t: t, in: in, at: v.src[0]}
	f.enter(0)
	d, words := f.texture, v.src[1:in.NSrc]
	texel, size := int32(d.word(32)), int32(in.Tex.Bytes)
	axis := func(w uint64, unit, end int32, step uint64) bool {
		i, inside := int32(w)*unit, true
		if i < 0 {
			i, inside = 0, false
		}
		if i > end {
			i, inside = end, false
		}
		v.dst[0] += uint64(uint32(i)) * step
		return inside || in.Tex.Clamp
	}
	v.dst[0], v.dst[1] = binary.LittleEndian.Uint64(d), 1
	inside := true
	if in.Tex.Layered {
		inside = axis(words[0], 1, int32(d.size(2))-1, binary.LittleEndian.Uint64(d[8:]))
		words = words[1:]
	}
	unit := int32(1)
	if size == 0 {
		unit, size = texel, texel
	}
	inside = axis(words[0], unit, int32(d.size(0))*texel-size, 1) && inside
	if in.Tex.Dims > 1 {
		inside = axis(words[1], 1, int32(d.size(1))-1, uint64(d.word(16))) && inside
	}
	if in.Tex.Dims > 2 {
		inside = axis(words[2], 1, int32(d.size(2))-1, binary.LittleEndian.Uint64(d[8:])) && inside
	}
	if !inside {
		v.dst[0], v.dst[1] = 0, 0
	}
	return f.fault
}

// whole reads the texel at integer coordinates; outside of the texture everything is 0.
func (f *fetch) whole(place, rest []uint32) (r [4]uint32) {
	if f.in.Tex.Level == isa.LevelGiven {
		f.enter(uint32(max(min(max(int32(rest[0]), 0), int32(f.texture.word(80))-1), 0)))
	}
	var i [3]int32
	if f.in.Tex.Layered {
		i[2] = f.plane()
	}
	for axis, w := range place {
		if w >= f.texture.size(axis) {
			return r
		}
		i[axis] = int32(w)
	}
	return f.texel(i)
}

// texel reads the channels of a texel. Missing ones are 0.
func (f *fetch) texel(i [3]int32) (r [4]uint32) {
	d := f.texture
	size, channels := d.word(32), d.word(36)
	width := size >> (channels >> 1)
	if width != 1 && width != 2 {
		width = 4
	}
	if channels != 1 && channels != 2 && channels != 4 {
		return f.floats(r, width, channels)
	}
	at := binary.LittleEndian.Uint64(d) + uint64(uint32(i[0]))*uint64(size)
	if f.in.Tex.Dims > 1 {
		at += uint64(uint32(i[1])) * uint64(d.word(16))
	}
	if f.in.Tex.Planes() {
		at += uint64(uint32(i[2])) * binary.LittleEndian.Uint64(d[8:])
	}
	bytes := f.read(at, uint64(width*channels), uint64(width*channels))
	for c := range channels {
		v := uint32(load(bytes[c*width:], uint64(width)))
		if f.in.Type == isa.S32 && width == 1 {
			v = uint32(int32(int8(v)))
		}
		if f.in.Type == isa.S32 && width == 2 {
			v = uint32(int32(int16(v)))
		}
		r[c] = v
	}
	return f.floats(r, width, channels)
}

// isFloat reports whether the results are floats.
func (f *fetch) isFloat() bool { return f.in.Type.Float() }

// floats turns stored channels into floats, by enum divergo_format.
func (f *fetch) floats(r [4]uint32, width, channels uint32) [4]uint32 {
	format := f.texture.word(40)
	if !f.isFloat() || format == 0 {
		return r
	}
	if channels != 1 && channels != 2 {
		channels = 4
	}
	for c := range channels {
		var x float32
		switch format {
		case 5:
			x = float32(decodeHalf(isa.F16, uint64(r[c]&0xffff)))
		case 2, 4:
			shift := 32 - 8*min(f.texture.word(32)>>(f.texture.word(36)>>1), 4)
			x = float32(int32(r[c]<<shift)>>shift) / f.largest(1)
		default:
			x = float32(int32(r[c])) / f.largest(0)
		}
		if format != 5 {
			x = float32(extremeOf(isa.OpMax, x, -1))
		}
		if format == 6 && c < 3 {
			x = linearized(x)
		}
		r[c] = uint32(bits32(x))
	}
	return r
}

// largest is the largest number of a channel, without its sign bit if it has one.
func (f *fetch) largest(sign uint32) float32 {
	bits := 8 * (f.texture.word(32) >> (f.texture.word(36) >> 1))
	return float32(uint32(1)<<(bits-sign) - 1)
}

// linearized is the light of a channel of sRGB (IEC 61966-2-1).
func linearized(x float32) float32 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return isa.Ex2Approx(isa.Lg2Approx((x+0.055)/1.055) * 2.4)
}

// extremeOf is min or max of f32.
func extremeOf(op isa.Op, a, b float32) float32 {
	x, _ := extreme(op, float64(a), float64(b))
	return float32(x)
}

func fused(a, b, c float32) float32 { return fma32(float64(a), float64(b), float64(c)) }

func floor(x float32) float32 { return float32(math.Floor(float64(x))) }

// truncated is cvt.rzi.s32.f32.
func truncated(x float32) int32 {
	return int32(floatToInt(isa.S32, isa.F32, math.Trunc(float64(x))))
}

// filtered reads texels at a point, of one level or two.
func (f *fetch) filtered(x []float32, rest []uint32) [4]uint32 {
	filters := f.isFloat() && !f.in.Tex.Gather
	if f.in.Tex.Cube {
		var n uint32
		layer := f.layer
		n, x = face(x)
		if f.layer = n; f.in.Tex.Layered {
			f.layer = layer*6 + n
		}
	}
	f.normal = f.texture.word(44) != 0
	if f.sampler != nil {
		f.normal = f.texture.word(44)&f.sampler.word(44) != 0
	}
	f.linear = filters && f.how().word(48) != 0
	if f.in.Tex.Level == isa.LevelBase {
		return f.level(x)
	}
	level, share := f.choose(f.detail(rest), filters)
	f.enter(level)
	r := f.level(x)
	if share == 0 {
		return r
	}
	f.enter(1)
	return mix(r, f.level(x), share)
}

// mix is the value between two, with the share of the second.
func mix(a, b [4]uint32, share float32) (r [4]uint32) {
	for c := range r {
		r[c] = uint32(bits32(fused(1-share, math.Float32frombits(a[c]), share*math.Float32frombits(b[c]))))
	}
	return r
}

// face is the face of a cube in a direction, and the point on it (guide, table "Cubemap Fetch").
func face(p []float32) (n uint32, q []float32) {
	x, y, z := p[0], p[1], p[2]
	size := func(v float32) float32 { return float32(math.Abs(float64(v))) }
	var s, t, m float32
	switch {
	case size(x) >= size(y) && size(x) >= size(z):
		m, s, t = size(x), -z, -y
		if x < 0 {
			n, s = 1, z
		}
	case size(y) >= size(z):
		n, m, s, t = 2, size(y), x, z
		if y < 0 {
			n, t = 3, -z
		}
	default:
		n, m, s, t = 4, size(z), x, -y
		if z < 0 {
			n, s = 5, -x
		}
	}
	return n, []float32{(s/m + 1) * 0.5, (t/m + 1) * 0.5}
}

// detail is the level of detail: given, or that of the longer gradient in texels (OpenGL 4.6, section
// 8.14.1).
func (f *fetch) detail(rest []uint32) float32 {
	if f.in.Tex.Level == isa.LevelGiven {
		return math.Float32frombits(rest[0])
	}
	var longest [2]float32
	for axis := range int(f.in.Tex.Dims) {
		n := float32(1)
		if f.normal {
			n = float32(int32(f.texture.size(axis)))
		}
		for side := range longest {
			d := n * math.Float32frombits(rest[side*int(f.in.Tex.Dims)+axis])
			longest[side] = fused(d, d, longest[side])
		}
	}
	return isa.Lg2Approx(extremeOf(isa.OpMax, longest[0], longest[1])) * 0.5
}

// choose is the level of a level of detail, and the share of the next one.
func (f *fetch) choose(lod float32, filters bool) (level uint32, share float32) {
	n, how := f.texture.word(80), f.how()
	if n <= 1 {
		return 0, 0
	}
	lod = extremeOf(isa.OpMax, lod+how.float(88), how.float(92))
	lod = extremeOf(isa.OpMin, lod, how.float(96))
	lod = extremeOf(isa.OpMin, extremeOf(isa.OpMax, lod, 0), float32(int32(n-1)))
	between := how.word(84) != 0
	if !between {
		lod += 0.5
	}
	whole := floor(lod)
	if filters && between {
		share = float32(math.RoundToEven(float64((lod-whole)*256))) / 256
	}
	return uint32(truncated(whole)), share
}

// axisPlace holds the one or two texels of a coordinate, and the share of the second in 1/256.
type axisPlace struct {
	at    [2]int32 // -1: the border
	share float32
}

// place finds the texels of a coordinate (guide, section "Texture Memory", on address modes).
func (f *fetch) place(axis int, x float32) (p axisPlace) {
	n, mode := int32(f.texture.size(axis)), f.how().word(52+4*axis)
	size := float32(n)
	if f.normal {
		whole := floor(x)
		if mode == 0 || mode == 2 {
			x -= whole
		}
		if odd := fused(floor(whole*0.5), -2, whole); mode == 2 && odd >= 1 {
			x = 1 - x
		}
		x *= size
	} else if mode != 3 {
		mode = 1
	}
	if f.linear || f.in.Tex.Gather {
		x -= 0.5
	}
	x = extremeOf(isa.OpMin, extremeOf(isa.OpMax, x, -2), size+1)
	whole := floor(x)
	first := truncated(whole)
	p.share = float32(math.RoundToEven(float64((x-whole)*256))) / 256
	for i := range p.at {
		at := first + int32(i)
		switch {
		case mode == 3:
			if at >= n {
				at = -1
			}
		case mode == 0 && (f.linear || f.in.Tex.Gather):
			if at < 0 {
				at += n
			}
			if at >= n {
				at -= n
			}
		default:
			at = min(max(at, 0), n-1)
		}
		p.at[i] = at
	}
	return p
}

// level reads the texels of the present level around a point.
func (f *fetch) level(x []float32) [4]uint32 {
	var places [3]axisPlace
	dims := int(f.in.Tex.Dims)
	for axis := range dims {
		places[axis] = f.place(axis, x[axis])
	}
	third := int32(0)
	if f.in.Tex.Layered || f.in.Tex.Cube {
		third = f.plane()
		places[2] = axisPlace{at: [2]int32{third, third}}
	}
	corner := func(bits int) [4]uint32 {
		var i [3]int32
		for axis := range i {
			i[axis] = places[axis].at[bits>>axis&1]
		}
		return f.bordered(i)
	}
	switch {
	case f.in.Tex.Gather:
		var r [4]uint32
		for k, bits := range [4]int{2, 3, 1, 0} { // against the clock from the lower left
			r[k] = corner(bits)[f.in.Tex.Component]
		}
		return r
	case !f.linear:
		return corner(0)
	}
	var around func(axis, bits int) [4]uint32
	around = func(axis, bits int) [4]uint32 {
		if axis < 0 {
			return corner(bits)
		}
		a := around(axis-1, bits)
		return mix(a, around(axis-1, bits|1<<axis), places[axis].share)
	}
	return around(dims-1, 0)
}

// bordered is the texel at an index, or the border if one of the indices is negative.
func (f *fetch) bordered(i [3]int32) (r [4]uint32) {
	if i[0] >= 0 && i[1] >= 0 && i[2] >= 0 {
		return f.texel(i)
	}
	channels := map[uint32]int{1: 1, 4: 4}[f.texture.word(36)]
	if channels == 0 {
		channels = 2
	}
	for c := range channels {
		r[c] = f.how().word(64 + 4*c)
	}
	if f.isFloat() {
		return r
	}
	for c := range r {
		x := math.Trunc(float64(math.Float32frombits(r[c])))
		r[c] = uint32(floatToInt(f.in.Type, isa.F32, x))
	}
	return r
}
