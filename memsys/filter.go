package memsys

import (
	"encoding/binary"
	"math"

	"divergo/isa"
)

// This file is the arithmetic of the texture unit: coordinates become indices of texels and shares,
// stored channels become floats, and filters mix texels. The rules are those of the CUDA C++
// Programming Guide, appendix "Texture Fetching". A share has 9 bits, 8 of them behind the point.

// handleBytes is the size of a description in memory, struct divergo_texture of
// cuda/include/divergo/texture.h. The levels of a texture follow one another.
const handleBytes = 104

// description describes a level of a texture, or a sampler.
type description struct {
	Base, Plane        uint64 // address of the first texel; bytes from one plane or layer to the next
	Pitch              uint32 // bytes from one row to the next
	Size               [3]uint32
	Normalized, Linear uint32
	Mode               [3]uint32
	Levels, Between    uint32
	Bias, Least, Most  float32
	look
}

// look tells how the texels of a level are stored.
type look struct {
	Bytes, Channels, Format uint32
	Border                  [4]uint32
}

// The address modes, as enum cudaTextureAddressMode numbers them, and the formats of channels, as
// enum divergo_format does.
const (
	modeWrap = iota
	modeClamp
	modeMirror
	modeBorder
)

const (
	formatPlain = iota
	formatUnorm8
	formatSnorm8
	formatUnorm16
	formatSnorm16
	formatHalf
	formatSRGB8
)

// decode reads a description.
func (d *description) decode(raw *[handleBytes]byte) {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(raw[at:]) }
	real := func(at int) float32 { return math.Float32frombits(word(at)) }
	d.Base, d.Plane = binary.LittleEndian.Uint64(raw[:]), binary.LittleEndian.Uint64(raw[8:])
	d.Pitch, d.Bytes, d.Channels, d.Format = word(16), word(32), word(36), word(40)
	d.Normalized, d.Linear = word(44), word(48)
	for i := range 3 {
		d.Size[i], d.Mode[i] = word(20+4*i), word(52+4*i)
	}
	for c := range d.Border {
		d.Border[c] = word(64 + 4*c)
	}
	d.Levels, d.Between, d.Bias, d.Least, d.Most = word(80), word(84), real(88), real(92), real(96)
}

// element returns the address of the bytes of a surface at an index, and whether they lie in it (PTX ISA,
// section 9.7.10). The first index counts bytes, or texels if the access is formatted.
func (d *description) element(t *isa.Tex, i [3]int32) (at uint64, inside bool) {
	size := int32(t.Bytes)
	if size == 0 {
		size = int32(d.Bytes)
		i[0] *= size
	}
	most := [3]int32{int32(d.Size[0]*d.Bytes) - size, int32(d.Size[1]) - 1, int32(d.Size[2]) - 1}
	for axis := range i {
		switch {
		case axis == 1 && t.Dims < 2 || axis == 2 && !t.Planes():
			i[axis] = 0
		case t.Clamp:
			i[axis] = min(max(i[axis], 0), most[axis])
		case i[axis] < 0 || i[axis] > most[axis]:
			return 0, false
		}
	}
	return d.Base + uint64(uint32(i[0])) + uint64(uint32(i[1]))*uint64(d.Pitch) + uint64(uint32(i[2]))*d.Plane, true
}

// address returns the address of the texel at an index.
func (d *description) address(t *isa.Tex, i [3]int32) uint64 {
	at := d.Base + uint64(uint32(i[0]))*uint64(d.Bytes)
	if t.Dims > 1 {
		at += uint64(uint32(i[1])) * uint64(d.Pitch)
	}
	if t.Planes() {
		at += uint64(uint32(i[2])) * d.Plane
	}
	return at
}

// layer returns the third index of the texels of a layer.
func (d *description) layer(layer uint32) int32 { return min(max(int32(layer), 0), int32(d.Size[2])-1) }

// filtering tells how the lanes of a group read a level.
type filtering struct {
	linear, normal bool
	mode           [3]uint32
}

// place returns the indices of the one or two texels along an axis, negative for the border, and the
// share of the second in 1/256.
func (f *filtering) place(x float32, n uint32, axis int, gather bool) (first, second int32, share uint16) {
	size, mode, two := float32(int32(n)), f.mode[axis], f.linear || gather
	switch {
	case f.normal:
		whole := floorOf(x)
		switch mode {
		case modeWrap:
			x -= whole
		case modeMirror:
			x -= whole
			if isa.Fma(floorOf(whole*0.5), -2, whole) >= 1 {
				x = 1 - x
			}
		}
		x *= size
	case mode != modeBorder:
		mode = modeClamp
	}
	if two {
		x -= 0.5
	}
	x = lesser(larger(x, -2), size+1)
	whole := floorOf(x)
	if mode == modeWrap && !two {
		mode = modeClamp // rounded up to the size
	}
	first = toInt(whole)
	return index(mode, first, int32(n)), index(mode, first+1, int32(n)), fixed(x - whole)
}

// index applies an address mode to an index along an axis of n texels.
func index(mode uint32, i, n int32) int32 {
	switch {
	case mode == modeBorder && i >= n:
		return -1
	case mode == modeBorder:
		return i
	case mode == modeWrap:
		if i < 0 {
			i += n
		}
		if i >= n {
			i -= n
		}
		return i
	}
	return min(max(i, 0), n-1)
}

// fixed returns a fraction in 1/256, rounded to nearest even.
func fixed(x float32) uint16 { return uint16(math.RoundToEven(float64(x * 256))) }

func floorOf(x float32) float32 { return float32(math.Floor(float64(x))) }

// lesser and larger return the number if one of the operands is NaN.

func lesser(a, b float32) float32 {
	if a != a || b < a {
		return b
	}
	return a
}

func larger(a, b float32) float32 {
	if a != a || b > a {
		return b
	}
	return a
}

// toInt truncates to the nearest s32; NaN gives 0.
func toInt(x float32) int32 {
	switch {
	case x != x:
		return 0
	case x >= 1<<31:
		return math.MaxInt32
	case x <= -1<<31:
		return math.MinInt32
	}
	return int32(x)
}

// level returns the number of the level for a level of detail, and the share of the next one in
// 1/256.
func (d *description) level(lod float32, levels uint32, filters bool) (level uint32, share uint16) {
	if levels <= 1 {
		return 0, 0
	}
	lod = lesser(larger(lod+d.Bias, d.Least), d.Most)
	lod = lesser(larger(lod, 0), float32(int32(levels-1)))
	if d.Between == 0 {
		return uint32(toInt(floorOf(lod + 0.5))), 0
	}
	whole := floorOf(lod)
	if filters {
		share = fixed(lod - whole)
	}
	return uint32(toInt(whole)), share
}

// wholeLevel returns the number of the level that an integer names.
func (d *description) wholeLevel(level int32) uint32 {
	return uint32(max(min(max(level, 0), int32(d.Levels)-1), 0))
}

// detail returns the level of detail of two gradients: that of the longer one, in texels (OpenGL
// 4.6, section 8.14.1; not anisotropic).
func (d *description) detail(dx, dy []uint32, normal bool) float32 {
	var x, y float32
	for axis := range dx {
		n := float32(1)
		if normal {
			n = float32(int32(d.Size[axis]))
		}
		a, b := n*math.Float32frombits(dx[axis]), n*math.Float32frombits(dy[axis])
		x, y = isa.Fma(a, a, x), isa.Fma(b, b, y)
	}
	return isa.Lg2Approx(larger(x, y)) * 0.5
}

// face returns the face of a cube in a direction, that of the longest coordinate, and the point on it
// (guide, table "Cubemap Fetch").
func face(x, y, z float32) (n uint32, s, t float32) {
	a, b, c := magnitude(x), magnitude(y), magnitude(z)
	most := a
	switch {
	case a >= b && a >= c:
		if s, t = -z, -y; x < 0 {
			n, s = 1, z
		}
	case b >= c:
		most = b
		if n, s, t = 2, x, z; y < 0 {
			n, t = 3, -z
		}
	default:
		most = c
		if n, s, t = 4, x, -y; z < 0 {
			n, s = 5, -x
		}
	}
	return n, (s/most + 1) * 0.5, (t/most + 1) * 0.5
}

func magnitude(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// texel is the four channels of a texel as the instruction gives them. Those that it does not have
// are 0.
type texel [4]uint32

// width returns the bytes of a channel.
func (l *look) width() uint32 {
	if w := l.Bytes >> (l.Channels >> 1); w == 1 || w == 2 {
		return w
	}
	return 4
}

// stored returns the number of bytes of a texel, 0 for a number of channels that there is not.
func (l *look) stored() uint32 {
	if l.Channels == 1 || l.Channels == 2 || l.Channels == 4 {
		return l.width() * l.Channels
	}
	return 0
}

// channels returns a texel from its bytes in memory, for results of a type.
func (l *look) channels(raw [2]uint64, typ isa.Type) (v texel) {
	bits := 8 * l.width()
	for c := range l.Channels & 7 {
		at := c * bits
		u := uint32(raw[at>>6&1] >> (at & 63) & (1<<bits - 1))
		switch {
		case typ.Float() && l.Format != formatPlain:
			u = l.float(u, c)
		case typ == isa.S32:
			u = uint32(int32(u<<(32-bits)) >> (32 - bits))
		}
		v[c&3] = u
	}
	return v
}

// float returns the float of a stored channel.
func (l *look) float(u, channel uint32) uint32 {
	bits := 8 * l.width()
	var x float32
	switch l.Format {
	case formatHalf:
		return bitsOf(isa.HalfValue(uint16(u)))
	case formatSnorm8, formatSnorm16:
		x = larger(float32(int32(u<<(32-bits))>>(32-bits))/float32(uint32(1)<<(bits-1)-1), -1)
	default:
		x = larger(float32(int32(u))/float32(uint32(1)<<bits-1), -1)
	}
	if l.Format == formatSRGB8 && channel < 3 { // IEC 61966-2-1
		if x <= 0.04045 {
			x /= 12.92
		} else {
			x = isa.Ex2Approx(isa.Lg2Approx((x+0.055)/1.055) * 2.4)
		}
	}
	return bitsOf(x)
}

// border returns the color of the border.
func (l *look) border(typ isa.Type) (v texel) {
	n := 2
	if l.Channels == 1 || l.Channels == 4 {
		n = int(l.Channels)
	}
	copy(v[:n], l.Border[:n])
	for c := range v {
		switch x := math.Float32frombits(v[c]); {
		case typ == isa.S32:
			v[c] = uint32(toInt(x))
		case typ != isa.U32:
		case x >= 1<<32:
			v[c] = math.MaxUint32
		default:
			v[c] = uint32(int64(larger(x, 0)))
		}
	}
	return v
}

// mix returns a texel between two, with the share of the second in 1/256.
func mix(a, b texel, share uint16) (v texel) {
	second := float32(share) / 256
	first := 1 - second
	for c := range v {
		v[c] = bitsOf(isa.Fma(first, math.Float32frombits(a[c]), float32(second*math.Float32frombits(b[c]))))
	}
	return v
}

// bitsOf returns the bits of a float. There is one NaN, as in all instructions.
func bitsOf(x float32) uint32 {
	if x != x {
		return 0x7FFF_FFFF
	}
	return math.Float32bits(x)
}

// pack returns the results of a lane as a load of them would: in order, by their type.
func pack(v texel, typ isa.Type) (row [2]uint64) {
	if typ == isa.F16 || typ == isa.F16x2 {
		for c := range v {
			row[0] |= uint64(isa.NearestHalf(math.Float32frombits(v[c]))) << (16 * c)
		}
		return row
	}
	return [2]uint64{uint64(v[0]) | uint64(v[1])<<32, uint64(v[2]) | uint64(v[3])<<32}
}
