package draw

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// A kernel with textures has one image in variables of its module: texels, and a description for each
// level (cuda/include/divergo/texture.h). Nothing writes to them.

// picture is the image of a kernel.
type picture struct {
	geometry string
	size     [3]int // texels of the first level; layers count as the third
	kind     texelKind
	channels int
	levels   int
	words    []uint32 // texels of all levels
	words64  []string // descriptions of all levels, as initial values of double words
}

// texelKind is the format of a channel, with the value of enum divergo_format.
type texelKind struct {
	of     string // type of a read
	bytes  int
	format uint32
}

var texelKinds = []texelKind{
	{"f32", 4, 0},
	{"u32", 1, 0},
	{"u32", 2, 0},
	{"u32", 4, 0},
	{"s32", 1, 0},
	{"s32", 2, 0},
	{"s32", 4, 0},
	{"f32", 1, 1},
	{"f32", 1, 2},
	{"f32", 2, 3},
	{"f32", 2, 4},
	{"f32", 2, 5},
	{"f32", 1, 6},
	{"f32", 4, 0},
}

var geometries = []string{"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"}

// axes returns the coordinates of a geometry, without the layer.
func (p *picture) axes() int {
	if p.cube() {
		return 3
	}
	return int(p.geometry[len(p.geometry)-2] - '0')
}

func (p *picture) cube() bool    { return strings.HasSuffix(p.geometry, "cube") }
func (p *picture) layered() bool { return p.geometry[0] == 'a' }

// newPicture draws the image of a seed.
func newPicture(seed uint64) *picture {
	r := rand.New(rand.NewPCG(seed, 0))
	p := &picture{
		geometry: geometries[r.IntN(len(geometries))], kind: texelKinds[r.IntN(len(texelKinds))],
		channels: 1 << r.IntN(3), levels: 1 + r.IntN(3), size: [3]int{1 + r.IntN(6), 1 + r.IntN(5), 1 + r.IntN(3)},
	}
	flag := func(of int) uint32 { return uint32(r.IntN(of) / (of - 1)) } // 1 in so many
	normalized, linear, between := flag(2), flag(2), flag(2)
	modes := [3]uint32{r.Uint32N(4), r.Uint32N(4), r.Uint32N(4)}
	if p.cube() {
		p.size[1], p.size[2] = p.size[0], 6
		normalized, modes = 1, [3]uint32{1 + r.Uint32N(3), 1 + r.Uint32N(3), 1}
	}
	if p.geometry == "acube" {
		p.size[2] *= 2
	}
	if p.axes() < 2 {
		p.size[1] = 1
	}
	float := func(x int) uint32 { return math.Float32bits(float32(x) / 4) }
	border := [4]uint32{float(r.IntN(9)), float(r.IntN(9)), float(r.IntN(9)), float(r.IntN(9))}
	bias, least, most := float(r.IntN(5)-2), float(r.IntN(3)), float(2+r.IntN(8))
	if p.geometry != "3d" && !p.layered() && !p.cube() {
		p.size[2] = 1
	}
	texel := p.channels * p.kind.bytes
	var texels []byte
	for level := range p.levels {
		size := [3]int{max(p.size[0]>>level, 1), max(p.size[1]>>level, 1), p.size[2]}
		if p.geometry == "3d" {
			size[2] = max(size[2]>>level, 1)
		}
		pitch := (size[0]*texel + 31) / 16 * 16
		d := binary.LittleEndian.AppendUint64(nil, uint64(pitch*size[1]))
		for _, v := range slices.Concat(
			[]uint32{uint32(pitch), uint32(size[0]), uint32(size[1]), uint32(size[2])},
			[]uint32{uint32(texel), uint32(p.channels)},
			[]uint32{p.kind.format, normalized, linear}, modes[:], border[:],
			[]uint32{uint32(p.levels - level), between, bias, least, most, 0x10DE},
		) {
			d = binary.LittleEndian.AppendUint32(d, v)
		}
		p.words64 = append(p.words64, fmt.Sprintf("texels+%d", len(texels)))
		for ; len(d) > 0; d = d[8:] {
			p.words64 = append(p.words64, fmt.Sprintf("%#x", binary.LittleEndian.Uint64(d)))
		}
		for range pitch * size[1] * size[2] / 4 {
			v := r.Uint32()
			switch p.kind {
			case texelKinds[0]:
				v = float(int(v%4001) - 2000)
			case texelKind{"f32", 2, 5}: // finite halves
				v &= 0xBBFF_BBFF
			}
			texels = binary.LittleEndian.AppendUint32(texels, v)
		}
	}
	for ; len(texels) > 0; texels = texels[4:] {
		p.words = append(p.words, binary.LittleEndian.Uint32(texels))
	}
	return p
}

// declare writes the variables of the image.
func (p *picture) declare(b *strings.Builder) {
	list := make([]string, len(p.words))
	for i, w := range p.words {
		list[i] = fmt.Sprint(w)
	}
	fmt.Fprintf(b, ".global .align 16 .u32 texels[%d] = {%s};\n", len(list), strings.Join(list, ", "))
	fmt.Fprintf(b, ".global .align 8 .u64 image[%d] = {%s};\n", len(p.words64), strings.Join(p.words64, ", "))
}

// These are the forms of a Texel.
const (
	texelPoint  = iota // tex at floats
	texelWhole         // tex at integers
	texelLevel         // tex of a level
	texelGrad          // tex of a level by gradients
	texelGather        // tld4
	texelSurface
	texelQuery
	numTexels
)

// queries are the instructions that read the description.
var queries = []string{
	"txq.width", "txq.height", "txq.depth", "txq.normalized_coords", "txq.filter_mode", "txq.addr_mode_0",
	"txq.num_mipmap_levels", "suq.width", "suq.channel_data_type",
}

// texel reads the image at a place by A and B, and sets D to what all channels have.
func (e *emitter) texel(s *Stmt) {
	if e.image == nil {
		e.image = newPicture(e.k.Image)
	}
	p := e.image
	d, a, b := e.r(s.D), e.r(s.A), e.r(s.B)
	e.line("mov.u64 %%q, image;")
	form := s.Op % numTexels
	switch {
	case form == texelQuery:
		e.line("%s.b32 %s, [%%q];", queries[s.N%len(queries)], d)
		return
	case form == texelSurface && !p.cube():
	case form == texelWhole && !p.cube():
	case form == texelGather && (p.geometry == "2d" || p.geometry == "a2d" || p.cube()):
	case form == texelGrad && p.cube():
		form = texelLevel
	case form > texelWhole && form != texelLevel && form != texelGrad, form == texelWhole:
		form = texelPoint
	}
	var at []string
	coordinate := func(i int, whole bool) {
		reg := fmt.Sprintf("%%tx%d", i)
		at = append(at, reg)
		source := []string{a, b}[i&1]
		switch {
		case whole:
			e.line("and.b32 %%w, %s, 15;", source)
			e.line("add.s32 %s, %%w, -2;", reg)
			if form == texelSurface && i == 0 { // in bytes
				e.line("mul.lo.s32 %s, %s, %d;", reg, reg, p.kind.bytes)
			}
		case s.Generic && s.N>>i&1 != 0: // any bits
			e.line("mov.b32 %s, %s;", reg, source)
		default:
			e.line("shr.u32 %%w, %s, %d;", source, s.N>>i&3)
			e.line("and.b32 %%w, %%w, 255;")
			e.line("cvt.rn.f32.u32 %%x, %%w;")
			e.line("fma.rn.f32 %%x, %%x, %s, %s;", []string{"0f3C800000", "0f3D800000"}[s.N>>i&1], "0fBFC00000") // 1/64 or 1/16, -1.5
			e.line("mov.b32 %s, %%x;", reg)
		}
	}
	whole := form == texelWhole || form == texelSurface
	if p.layered() {
		coordinate(3, true)
	}
	for i := range p.axes() {
		coordinate(i, whole)
	}
	for len(at) == 3 {
		at = append(at, at[2])
	}
	name, coordinates, rest := "tex", "f32", ""
	switch form {
	case texelSurface:
		mode := []string{"clamp", "zero"}[s.N&1]
		e.line("suld.b.%s.b%d.%s %%sink, [%%q, {%s}];", p.geometry, 8*p.kind.bytes, mode, strings.Join(at, ", "))
		e.line("xor.b32 %s, %s, %%sink;", d, d)
		return
	case texelWhole:
		coordinates = "s32"
	case texelLevel:
		e.line("and.b32 %%w, %s, 31;", b)
		e.line("cvt.rn.f32.u32 %%x, %%w;")
		e.line("fma.rn.f32 %%x, %%x, 0f3E000000, 0fBF000000;") // 1/8, -0.5
		e.line("mov.b32 %%tx4, %%x;")
		name, rest = "tex.level", ", %tx4"
	case texelGrad:
		g := strings.Join([]string{"%tx0", "%tx1", "%tx2", "%tx2"}[:[]int{0, 1, 2, 4}[p.axes()]], ", ")
		name, rest = "tex.grad", fmt.Sprintf(", {%s}, {%[1]s}", g)
	case texelGather:
		name = "tld4." + "rgba"[s.N&3:s.N&3+1]
	}
	e.line("%s.%s.v4.%s.%s {%%ty0, %%ty1, %%ty2, %%ty3}, [%%q, {%s}]%s;", name, p.geometry, p.kind.of, coordinates,
		strings.Join(at, ", "), rest)
	e.line("mad.lo.u32 %%ty0, %%ty1, 3, %%ty0;")
	e.line("mad.lo.u32 %%ty2, %%ty3, 7, %%ty2;")
	e.line("mad.lo.u32 %s, %%ty2, 5, %%ty0;", d)
}

// texels gives one kernel in so many an image, and reads of it.
const texels = 16

// picture gives a kernel an image. Reads take the place of half of the statements, since a machine without a
// texture unit executes many instructions for each.
func (g *generator) picture(k *Kernel) {
	if g.IntN(texels) != 0 {
		return
	}
	k.Image = g.Uint64()
	for n := len(k.Body) / 2; n > 0; n-- {
		at := g.IntN(len(k.Body))
		k.Body = slices.Delete(k.Body, at, at+1)
	}
	read := func() Stmt {
		return Stmt{
			Kind: Texel, D: g.IntN(registers), A: g.IntN(registers), B: g.IntN(registers), Op: g.IntN(numTexels),
			N: g.IntN(256), Generic: g.IntN(8) == 0,
		}
	}
	for range 1 + g.IntN(2) {
		at := &k.Body
		for n := g.IntN(3); n > 0 && len(*at) > 0; n-- { // into an arm
			if s := &(*at)[g.IntN(len(*at))]; s.Kind == If {
				at = &s.Body[g.IntN(len(s.Body))]
			}
		}
		*at = slices.Insert(*at, g.IntN(len(*at)+1), read())
	}
}
