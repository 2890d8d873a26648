package verify

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/memsys"
	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// image is a texture of this file's own model. The model follows the CUDA C++ Programming Guide,
// appendix "Texture Fetching", and the PTX ISA, section 9.7.9. It shares nothing with the lowering.
type image struct {
	width, height, depth int // depth also counts layers
	channels             int
	kind                 string // of a channel: u8 s8 u16 s16 u32 s32 f16 f32, or unorm8 snorm8 unorm16 snorm16 srgb8
	texels               [][4]float64
	raw                  []byte
	pitch                int
	levels               []*image
}

// reading describes how an image is read.
type reading struct {
	normalized, linear bool
	mode               [3]int // wrap, clamp, mirror, border: as CUDA numbers them
	border             [4]float64
	between            bool
	bias, least, most  float64
}

var channelBytes = map[string]int{
	"u8": 1, "s8": 1, "unorm8": 1, "snorm8": 1, "srgb8": 1, "u16": 2, "s16": 2, "f16": 2,
	"unorm16": 2, "snorm16": 2, "u32": 4, "s32": 4, "f32": 4,
}

var channelFormat = map[string]uint32{"unorm8": 1, "snorm8": 2, "unorm16": 3, "snorm16": 4, "f16": 5, "srgb8": 6}

// randomImage draws random texels, with padding after each row.
func randomImage(rng *rand.Rand, kind string, channels, w, h, d int) *image {
	m := &image{width: w, height: h, depth: d, channels: channels, kind: kind}
	n := channelBytes[kind]
	m.pitch = (w*channels*n + 31) / 16 * 16
	m.raw = make([]byte, m.pitch*h*d)
	m.texels = make([][4]float64, w*h*d)
	for i := range m.texels {
		at := m.pitch*(i/w) + i%w*channels*n
		for c := range channels {
			bits := rng.Uint32()
			if kind == "f32" {
				bits = math.Float32bits(float32(rng.IntN(2001)-1000) / 8)
			}
			if kind == "f16" {
				bits = uint32(rng.IntN(30)<<10|rng.IntN(1<<10)) | uint32(rng.IntN(2)<<15)
			}
			for b := range n {
				m.raw[at+c*n+b] = byte(bits >> (8 * b))
			}
			m.texels[i][c] = channelValue(kind, bits&(1<<(8*n)-1), c)
		}
	}
	return m
}

// channelValue returns the value of the bits of a channel (guide, section "Texture Memory"; IEC
// 61966-2-1 for sRGB).
func channelValue(kind string, bits uint32, channel int) float64 {
	switch kind {
	case "s8":
		return float64(int8(bits))
	case "s16":
		return float64(int16(bits))
	case "s32":
		return float64(int32(bits))
	case "unorm8":
		return float64(bits) / 255
	case "unorm16":
		return float64(bits) / 65535
	case "snorm8":
		return max(float64(int8(bits))/127, -1)
	case "snorm16":
		return max(float64(int16(bits))/32767, -1)
	case "f32":
		return float64(math.Float32frombits(bits))
	case "f16":
		v := math.Ldexp(float64(bits&0x3ff|0x400), int(bits>>10&31)-25)
		if bits>>10&31 == 0 {
			v = math.Ldexp(float64(bits&0x3ff), -24)
		}
		if bits>>15 != 0 {
			v = -v
		}
		return v
	case "srgb8":
		v := float64(bits) / 255
		switch {
		case channel == 3:
			return v
		case v <= 0.04045:
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return float64(bits)
}

// at returns the texel at indices, after it applies the address modes.
func (m *image) at(r *reading, i, j, k int) [4]float64 {
	size := [3]int{m.width, m.height, m.depth}
	index := [3]int{i, j, k}
	for d, n := range size {
		switch x := index[d]; r.mode[d] {
		case 0: // wrap
			index[d] = ((x % n) + n) % n
		case 2: // mirror
			if x = ((x % (2 * n)) + 2*n) % (2 * n); x >= n {
				x = 2*n - 1 - x
			}
			index[d] = x
		case 3: // border
			if x < 0 || x >= n {
				b := r.border
				for c := m.channels; c < 4; c++ {
					b[c] = 0
				}
				return b
			}
		default:
			index[d] = min(max(x, 0), n-1)
		}
	}
	return m.texels[(index[2]*m.height+index[1])*m.width+index[0]]
}

// place returns a coordinate in texels (guide, section "Texture Memory", on address modes).
func (r *reading) place(d int, x float64, n int) float64 {
	if !r.normalized {
		if r.mode[d] == 0 || r.mode[d] == 2 {
			r.mode[d] = 1 // wrap and mirror need normalized coordinates
		}
		return x
	}
	whole := math.Floor(x)
	switch frac := x - whole; {
	case r.mode[d] == 2 && math.Mod(whole, 2) != 0:
		x = 1 - frac
	case r.mode[d] == 0 || r.mode[d] == 2:
		x = frac
	}
	return x * float64(n)
}

// sample returns the value at a point (guide, sections "Nearest-Point Sampling" and "Linear
// Filtering"). The weights have 8 bits of fraction.
func (m *image) sample(r reading, dims int, p [3]float64, layer int) (v [4]float64) {
	size := [3]int{m.width, m.height, m.depth}
	var first [3]int
	var share [3]float64
	for d := range dims {
		x := r.place(d, p[d], size[d])
		if r.linear {
			x -= 0.5
		}
		first[d] = int(math.Floor(x))
		share[d] = math.RoundToEven((x-math.Floor(x))*256) / 256
	}
	if dims < 3 {
		first[2], r.mode[2] = layer, 1
	}
	if dims < 2 {
		first[1], r.mode[1] = 0, 1
	}
	if !r.linear {
		return m.at(&r, first[0], first[1], first[2])
	}
	for corner := range 1 << dims {
		weight := 1.0
		at := first
		for d := range dims {
			if corner>>d&1 == 1 {
				at[d]++
				weight *= share[d]
			} else {
				weight *= 1 - share[d]
			}
		}
		texel := m.at(&r, at[0], at[1], at[2])
		for c := range v {
			v[c] += weight * texel[c]
		}
	}
	return v
}

// level returns the value at a point with a level of detail.
func (m *image) level(r reading, dims int, p [3]float64, layer int, lod float64) (v [4]float64) {
	if len(m.levels) <= 1 {
		return m.sample(r, dims, p, layer)
	}
	lod = min(max(lod+r.bias, r.least), r.most)
	lod = min(max(lod, 0), float64(len(m.levels)-1))
	if !r.between {
		return m.levels[int(math.Floor(lod+0.5))].sample(r, dims, p, layer)
	}
	whole := int(lod)
	share := math.RoundToEven((lod-float64(whole))*256) / 256
	v = m.levels[whole].sample(r, dims, p, layer)
	if share > 0 && r.filterable(m) {
		w := m.levels[whole+1].sample(r, dims, p, layer)
		for c := range v {
			v[c] = (1-share)*v[c] + share*w[c]
		}
	}
	return v
}

func (r *reading) filterable(m *image) bool {
	return m.kind[0] != 'u' && m.kind[0] != 's' || len(m.kind) > 3
}

// face returns the face of a cube in a direction, and the position on it (guide, table "Cubemap
// Fetch").
func face(p [3]float64) (n int, q [3]float64) {
	x, y, z := p[0], p[1], p[2]
	m := max(math.Abs(x), math.Abs(y), math.Abs(z))
	var s, t float64
	switch {
	case math.Abs(x) == m && x >= 0:
		n, s, t = 0, -z, -y
	case math.Abs(x) == m:
		n, s, t = 1, z, -y
	case math.Abs(y) == m && y >= 0:
		n, s, t = 2, x, z
	case math.Abs(y) == m:
		n, s, t = 3, x, -z
	case z >= 0:
		n, s, t = 4, x, -y
	default:
		n, s, t = 5, -x, -y
	}
	return n, [3]float64{(s/m + 1) / 2, (t/m + 1) / 2}
}

// description returns a struct divergo_texture (cuda/include/divergo/texture.h).
func (m *image) description(r *reading, base uint64, levels int) []byte {
	d := binary.LittleEndian.AppendUint64(nil, base)
	d = binary.LittleEndian.AppendUint64(d, uint64(m.pitch*m.height))
	word := func(list ...uint32) {
		for _, v := range list {
			d = binary.LittleEndian.AppendUint32(d, v)
		}
	}
	flag := func(b bool) uint32 { return uint32(pick(b, 1, 0)) }
	word(uint32(m.pitch), uint32(m.width), uint32(m.height), uint32(m.depth), uint32(m.channels*channelBytes[m.kind]),
		uint32(m.channels), channelFormat[m.kind])
	word(flag(r.normalized), flag(r.linear), uint32(r.mode[0]), uint32(r.mode[1]), uint32(r.mode[2]))
	for _, b := range r.border {
		word(math.Float32bits(float32(b)))
	}
	word(uint32(levels), flag(r.between), math.Float32bits(float32(r.bias)), math.Float32bits(float32(r.least)),
		math.Float32bits(float32(r.most)), 0)
	return d
}

// shot is one fetch of a case.
type shot struct {
	layer int
	at    [3]float64
	lod   float64
	dx    [3]float64
	dy    [3]float64
}

var textureDims = map[string]int{"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 2, "acube": 2}

// textureCase is a random fetch of a random texture.
type textureCase struct {
	geometry, data, coord, mip, gather string
	access                             string // name, register, parameter or sampler
	apart                              bool   // every fourth thread fetches on a path of its own
	component                          int
	image                              *image
	read                               reading
	shots                              []shot
}

func randomTexture(rng *rand.Rand) *textureCase {
	one := func(words ...string) string { return words[rng.IntN(len(words))] }
	c := &textureCase{geometry: one("1d", "2d", "3d", "a1d", "a2d", "cube", "acube"), coord: "f32"}
	c.data = one("f32", "f32", "f32", "u32", "s32", "f16", "f16x2")
	kind := one("f32", "f16", "unorm8", "snorm8", "unorm16", "snorm16", "srgb8")
	switch c.data {
	case "u32":
		kind = one("u8", "u16", "u32")
	case "s32":
		kind = one("s8", "s16", "s32")
	}
	c.access = one("name", "register", "parameter", "sampler")
	c.apart = rng.IntN(2) == 0
	cube := strings.HasSuffix(c.geometry, "cube")
	r := &c.read
	*r = reading{normalized: cube || rng.IntN(2) == 0, linear: rng.IntN(2) == 0, between: rng.IntN(2) == 0, most: 10}
	for d := range r.mode {
		r.mode[d] = rng.IntN(4)
		if cube && r.mode[d] == 0 {
			r.mode[d] = 1
		}
	}
	for i := range r.border {
		r.border[i] = float64(rng.IntN(9))
	}
	switch {
	case !cube && rng.IntN(5) == 0:
		c.coord = "s32"
	case strings.Contains("2d a2d cube acube", c.geometry) && rng.IntN(4) == 0 && !strings.HasPrefix(c.data, "f16"):
		c.component = rng.IntN(4)
		c.gather = one("r", "g", "b", "a")
		c.component = strings.Index("rgba", c.gather)
	case r.normalized && rng.IntN(2) == 0:
		if c.mip = one("level", "grad", "base"); cube {
			c.mip = "level"
		}
	}
	integer := c.data == "u32" || c.data == "s32"
	if integer {
		r.linear = false
	}
	dims := textureDims[c.geometry]
	size := [3]int{1 + rng.IntN(9), 1, 1}
	for d := 1; d < dims; d++ {
		size[d] = 1 + rng.IntN(7)
	}
	layers := 1
	if c.geometry[0] == 'a' {
		layers = 1 + rng.IntN(3)
	}
	if cube {
		size[1] = size[0]
	}
	channels := []int{1, 2, 4}[rng.IntN(3)]
	levels := 1
	if c.mip != "" || c.coord == "s32" {
		levels = 1 + rng.IntN(3)
	}
	for l := range levels {
		depth := max(size[2]>>l, 1)
		if dims < 3 {
			depth = pick(cube, 6, 1) * layers
		}
		m := randomImage(rng, kind, channels, max(size[0]>>l, 1), max(size[1]>>l, 1), depth)
		if l == 0 {
			c.image = m
		}
		c.image.levels = append(c.image.levels, m)
	}
	if levels > 1 {
		c.access = one("register", "parameter") // a reference has space for one level
		r.bias, r.least, r.most = float64(rng.IntN(5)-2)/4, float64(rng.IntN(3))/4, float64(2+rng.IntN(8))/4
	}
	if c.access == "sampler" {
		r.border = [4]float64{}
	}
	for range 64 {
		s := shot{layer: rng.IntN(layers), lod: float64(rng.IntN(1200)-200) / 256}
		for d := range s.at {
			n := pick(d < dims, size[d], 1)
			s.at[d] = float64(rng.IntN(3*256*n)-256*n) / 256
			if r.normalized {
				s.at[d] = float64(rng.IntN(3*256)-256) / 256
			}
			if c.coord == "s32" {
				s.at[d] = float64(rng.IntN(n+4) - 2)
			}
			s.dx[d] = math.Ldexp(1, rng.IntN(3)-2) / float64(pick(d < dims, c.image.width, 1))
		}
		if c.mip == "grad" { // along one axis only, so that its length is a power of two
			s.dx, s.dy = [3]float64{}, [3]float64{}
			s.dx[0] = math.Ldexp(1, rng.IntN(4)-2)
			if rng.IntN(2) == 0 {
				s.dx, s.dy = s.dy, s.dx
			}
		}
		if c.mip == "grad" || c.mip == "level" {
			s.lod = float64(rng.IntN(16)-4) / 8
			if !r.between {
				s.lod += 1.0 / 16
			}
		}
		if cube {
			major := rng.IntN(3)
			for d := range s.at {
				s.at[d] = float64(rng.IntN(511)-255) / 256
			}
			s.at[major] = float64(2*rng.IntN(2) - 1)
		}
		c.shots = append(c.shots, s)
	}
	return c
}

// words returns the operands of a shot, in the order in which the kernel loads them.
func (c *textureCase) words(s *shot) (list []uint32) {
	number := func(x float64) uint32 {
		if c.coord == "s32" {
			return uint32(int32(x))
		}
		return math.Float32bits(float32(x))
	}
	list = append(list, uint32(s.layer))
	for _, v := range [][3]float64{s.at, {s.lod}, s.dx, s.dy} {
		for _, x := range v {
			list = append(list, number(x))
		}
	}
	if c.coord == "s32" {
		list[4] = uint32(int32(math.Floor(s.lod)))
	}
	return list
}

// text returns the kernel: each thread fetches by its words.
func (c *textureCase) text() string {
	dims := textureDims[c.geometry]
	x := []string{"%x1", "%x2", "%x3"}[:pick(strings.HasSuffix(c.geometry, "cube"), 3, dims)]
	if c.geometry[0] == 'a' {
		x = append([]string{"%x0"}, x...)
	}
	for len(x) == 3 {
		x = append(x, "%x3")
	}
	of, sampler := map[string]string{
		"name": "image", "register": "%d0", "parameter": "handle",
		"sampler": "image, how",
	}[c.access], ""
	if c.access == "sampler" {
		modes := []string{"wrap", "clamp_to_edge", "mirror", "clamp_to_border"}
		sampler = fmt.Sprintf(".global .samplerref how = { addr_mode_0 = %s, addr_mode_1 = %s, addr_mode_2 = %s, filter_mode = %s };\n",
			modes[c.read.mode[0]], modes[c.read.mode[1]], modes[c.read.mode[2]], map[bool]string{
				true:  "linear",
				false: "nearest",
			}[c.read.linear])
	}
	name, rest := "tex", ""
	switch c.mip {
	case "level":
		name, rest = "tex.level", ", %x4"
	case "grad":
		name = "tex.grad"
		for _, first := range []int{7, 10} {
			rest += ", {" + strings.Join(strings.Fields(fmt.Sprintf("%%x%d %%x%d %%x%d %%x0", first, first+1,
				first+2))[:pick(dims == 3, 4, dims)], ", ") + "}"
		}
	case "base":
		name = "tex.base"
	}
	if c.gather != "" {
		name = "tld4." + c.gather
	}
	reg := map[string]string{"f16": "b16", "f16x2": "b32"}[c.data]
	vector, to, store := "v4", "{%y0, %y1, %y2, %y3}", ""
	if c.data == "f16x2" {
		vector, to = "v2", "{%y0, %y1}|%p"
	}
	if reg == "" {
		reg = c.data
	}
	for i := range pick(c.data == "f16x2", 2, 4) {
		store += fmt.Sprintf("\tst.global.%s [%%d2+%d], %%y%d;\n", reg, 4*i, i)
	}
	load := ""
	for i := range 13 {
		load += fmt.Sprintf("\tld.global.b32 %%x%d, [%%d1+%d];\n", i, 4*i)
	}
	fetch := fmt.Sprintf("\t%s.%s.%s.%s.%s %s, [%s, {%s}]%s;\n", name, c.geometry, vector, c.data, c.coord, to, of,
		strings.Join(x, ", "), rest)
	if c.apart {
		fetch = "\tmov.u32 %x13, %tid.x;\n\tand.b32 %x13, %x13, 3;\n\tsetp.eq.u32 %q, %x13, 1;\n\t@%q bra OTHERS;\n" + fetch +
			"\tbra JOIN;\nOTHERS:\n" + fetch + "JOIN:\n"
	}
	return fmt.Sprintf(`.version 8.0
.target sm_60, texmode_unified
.address_size 64
.global .texref image;
%s.visible .entry k(.param .u64 .ptr .texref handle, .param .u64 in, .param .u64 out)
{
	.reg .b64 %%d<4>;
	.reg .b32 %%x<16>;
	.reg .%s %%y<4>;
	.reg .pred %%p, %%q;
	ld.param.u64 %%d0, [handle];
	ld.param.u64 %%d1, [in];
	ld.param.u64 %%d2, [out];
	mov.u32 %%x0, %%tid.x;
	mad.wide.u32 %%d1, %%x0, 52, %%d1;
	mad.wide.u32 %%d2, %%x0, 16, %%d2;
%s%s%s	ret;
}
`, sampler, reg, load, fetch, store)
}

// want returns the result of a shot.
func (c *textureCase) want(s *shot) [4]float64 {
	dims := textureDims[c.geometry]
	p, layer := s.at, s.layer
	if c.coord == "s32" {
		m := c.image
		size := [3]int{m.width, m.height, m.depth}
		for d := range dims {
			if p[d] < 0 || int(p[d]) >= size[d] {
				return [4]float64{}
			}
		}
		i := [3]int{int(p[0]), pick(dims > 1, int(p[1]), 0), pick(dims > 2, int(p[2]), layer)}
		return m.texels[(i[2]*m.height+i[1])*m.width+i[0]]
	}
	if strings.HasSuffix(c.geometry, "cube") {
		var n int
		n, p = face(p)
		layer = 6*layer + n
	}
	switch c.mip {
	case "level":
		return c.image.level(c.read, dims, p, layer, s.lod)
	case "grad":
		longest := 0.0
		size := [3]int{c.image.width, c.image.height, c.image.depth}
		for _, g := range [][3]float64{s.dx, s.dy} {
			sum := 0.0
			for d := range dims {
				sum += math.Pow(g[d]*float64(size[d]), 2)
			}
			longest = max(longest, math.Sqrt(sum))
		}
		return c.image.level(c.read, dims, p, layer, math.Log2(longest))
	}
	if c.gather != "" {
		var v [4]float64
		r := c.read
		x, y := r.place(0, p[0], c.image.width), r.place(1, p[1], c.image.height)
		for i, corner := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
			r.mode[2] = 1
			v[i] = c.image.at(&r, int(math.Floor(x-0.5))+corner[0], int(math.Floor(y-0.5))+corner[1],
				layer)[c.component]
		}
		return v
	}
	return c.image.sample(c.read, dims, p, layer)
}

// program parses the kernel.
func (c *textureCase) program(t require.TestingT) *isa.Program {
	m, err := ptx.Parse("k.ptx", []byte(c.text()))
	require.NoError(t, err, c.text())
	p, err := testbench.Program(m, "")
	require.NoError(t, err, c.text())
	return p
}

// run launches the kernel with threads that fetch by their words, and returns their results.
func (c *textureCase) run(t require.TestingT, s *testbench.Session, p *isa.Program, threads [][]uint32) []byte {
	var list, words []byte
	for l, level := range c.image.levels {
		at := s.Alloc(len(level.raw))
		s.Write(at, level.raw)
		r := c.read
		if c.access == "sampler" { // all but the first belong to the sampler
			r = reading{normalized: r.normalized, linear: !r.linear, mode: [3]int{1, 1, 1}}
		}
		list = append(list, level.description(&r, at, len(c.image.levels)-l)...)
	}
	handle := s.Alloc(len(list))
	s.Write(handle, list)
	if c.access == "name" || c.access == "sampler" {
		require.NoError(t, s.PlaceModule(p))
		s.Write(p.Globals[0].Addr, list)
	}
	for _, thread := range threads {
		for _, w := range thread {
			words = binary.LittleEndian.AppendUint32(words, w)
		}
	}
	in, out := s.Alloc(len(words)), s.Alloc(16*len(threads))
	s.Write(in, words)
	var bank []byte
	for _, v := range []uint64{handle, in, out} {
		bank = binary.LittleEndian.AppendUint64(bank, v)
	}
	require.NoError(t, Run(s, testbench.Launch{
		Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(len(threads)), 1, 1},
		Params: bank,
	}), c.text())
	results := make([]byte, 16*len(threads))
	s.Read(out, results)
	return results
}

// TestTextures reads random textures in all ways under all mechanisms, half of them by a texture
// unit. The results must follow the guide, and the golden model must have the same bits.
func TestTextures(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 9))
	mechanisms := divergence.Mechanisms()
	for n := range pick(testing.Short(), 150, 1500) {
		c := randomTexture(rng)
		text := c.text()
		machine := small()
		machine.GPU.SMs = 1
		machine.Divergence.Mechanism = mechanisms[n%len(mechanisms)].Name
		if t := &machine.Texture; n%3 > 0 {
			t.Assoc, t.Line = n%3, machine.L2.Line
			t.Size = 2 * t.Assoc * t.Line
			if n/len(mechanisms)%2 == 0 {
				t.Fetch = memsys.FetchUnit
			}
		}
		var threads [][]uint32
		for i := range c.shots {
			threads = append(threads, c.words(&c.shots[i]))
		}
		results := c.run(t, session(t, machine), c.program(t), threads)
		for i := range c.shots {
			want := c.want(&c.shots[i])
			for j := range want {
				got := c.result(results[16*i:], j)
				if !c.near(got, want[j]) {
					t.Fatalf("%s\n%+v\n%+v of %dx%dx%d %d x %s: result %d is %v, want %v", text, c.shots[i], c.read,
						c.image.width, c.image.height, c.image.depth, c.image.channels, c.image.kind, j, got, want[j])
				}
			}
		}
	}
}

// result returns element j of a thread's stored results.
func (c *textureCase) result(stored []byte, j int) float64 {
	switch word := binary.LittleEndian.Uint32(stored[4*(j%4):]); c.data {
	case "u32":
		return float64(word)
	case "s32":
		return float64(int32(word))
	case "f16":
		return channelValue("f16", word&0xffff, 0)
	case "f16x2":
		return channelValue("f16", binary.LittleEndian.Uint32(stored[4*(j/2):])>>(16*(j%2))&0xffff, 0)
	default:
		return float64(math.Float32frombits(word))
	}
}

// near reports whether the rounding of the result's type explains the difference.
func (c *textureCase) near(got, want float64) bool {
	switch {
	case c.data == "u32" || c.data == "s32":
		return got == math.Trunc(want)
	case c.data[:3] == "f16":
		return math.Abs(got-want) <= math.Abs(want)/1500+1e-4
	}
	return math.Abs(got-want) <= 1e-5*max(1, math.Abs(want), c.largest())
}

// largest returns the magnitude of the largest texel. A small result consists of that texel's
// rounding errors.
func (c *textureCase) largest() (v float64) {
	if c.image.kind != "f32" && c.image.kind != "f16" {
		return 1
	}
	for _, l := range c.image.levels {
		for _, t := range l.texels {
			for _, x := range t {
				v = max(v, math.Abs(x))
			}
		}
	}
	return v
}
