package verify

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/internal/audit"
	"divergo/internal/forall"
	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// surfaceCase is a random access to a surface: suld.b, sust.b, sust.p or sured.b.
type surfaceCase struct {
	op, geometry, mode, atom string
	element, vector          int // bytes, elements
	image                    *image
	places                   [][4]int // layer, x, y, z of each thread
}

func randomSurface(rng *rand.Rand) *surfaceCase {
	one := func(words ...string) string { return words[rng.IntN(len(words))] }
	c := &surfaceCase{
		op: one("suld.b", "sust.b", "sust.p", "sured.b"), geometry: one("1d", "2d", "3d", "a1d", "a2d"),
		mode: one("zero", "clamp"),
	}
	c.element, c.vector = 1<<rng.IntN(4), 1<<rng.IntN(3)
	kind, channels := one("u8", "s16", "u32", "f32", "f16"), 1<<rng.IntN(3)
	switch c.op {
	case "sust.p":
		c.element = 4
	case "sured.b":
		c.atom, c.element, c.vector = one("add", "min", "max", "and", "or"), 4, 1
		kind = "u32"
	default:
		for c.element*c.vector > 16 {
			c.vector /= 2
		}
	}
	dims := textureDims[c.geometry]
	c.image = randomImage(rng, kind, channels, 16*(1+rng.IntN(2)), pick(dims > 1, 1+rng.IntN(4), 1),
		pick(dims > 2 || c.geometry[0] == 'a', 1+rng.IntN(3), 1))
	seen := map[[4]int]bool{}
	for range 64 {
		x := rng.IntN(c.image.width*channels*channelBytes[kind]+64) - 32
		if c.op == "sust.p" {
			x = rng.IntN(c.image.width+4) - 2
		} else if x &= -c.element * c.vector; c.mode == "clamp" {
			x = max(x, 0) // its end depends on the size of the access
		}
		at := [4]int{rng.IntN(c.image.depth+2) - 1, x, rng.IntN(c.image.height+2) - 1, rng.IntN(c.image.depth+2) - 1}
		if strings.HasPrefix(c.op, "sust") { // threads that write the same bytes would race
			if at[1] < 0 || at[0] < 0 || at[2] < 0 || at[3] < 0 {
				continue
			}
			key := [4]int{}
			_, key[0] = c.offset(at)
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		c.places = append(c.places, at)
	}
	return c
}

// offset returns the offset of a thread's bytes (PTX ISA, section 9.7.10).
func (c *surfaceCase) offset(at [4]int) (inside bool, offset int) {
	m := c.image
	texel := m.channels * channelBytes[m.kind]
	x, size := at[1], c.element*c.vector
	if c.op == "sust.p" {
		x, size = x*texel, texel
	}
	index := [3]int{x, at[2], at[3]}
	most := [3]int{m.width*texel - size, m.height - 1, m.depth - 1}
	dims := textureDims[c.geometry]
	if c.geometry[0] == 'a' {
		index[2] = at[0]
	} else if dims < 3 {
		index[2] = 0
	}
	if dims < 2 {
		index[1] = 0
	}
	inside = true
	for d := range index {
		if index[d] < 0 || index[d] > most[d] {
			inside = c.mode == "clamp"
			index[d] = min(max(index[d], 0), most[d])
			if !inside {
				return false, -1
			}
		}
	}
	return true, (index[2]*m.height+index[1])*m.pitch + index[0]
}

// text returns the kernel. Each thread has five words of its own for its position and its stored
// values.
func (c *surfaceCase) text() string {
	x := strings.Fields("%x1 %x2 %x3")[:textureDims[c.geometry]]
	if c.geometry[0] == 'a' {
		x = append([]string{"%x0"}, x...)
	}
	for len(x) == 3 {
		x = append(x, "%x3")
	}
	place := "[image, {" + strings.Join(x, ", ") + "}]"
	typ := fmt.Sprint("b", 8*c.element)
	reg := map[int]string{1: "b16"}[c.element] // registers are wider than a byte
	if reg == "" {
		reg = typ
	}
	var list []string
	load := ""
	for i := range c.vector {
		list = append(list, fmt.Sprint("%", "y", i))
		load += fmt.Sprintf("\tld.global.%s %%y%d, [%%d1+%d];\n", typ, i, 16+i*c.element)
	}
	vector, value := "", "{"+strings.Join(list, ", ")+"}"
	if c.vector > 1 {
		vector = fmt.Sprint(".v", c.vector)
	}
	var access string
	switch c.op {
	case "suld.b":
		access = fmt.Sprintf("suld.b.%s%s.%s.%s %s, %s;\n", c.geometry, vector, typ, c.mode, value, place)
		for i := range c.vector {
			access += fmt.Sprintf("\tst.global.%s [%%d2+%d], %%y%d;\n", typ, i*c.element, i)
		}
	case "sured.b":
		typ = map[string]string{"and": "b32", "or": "b32", "min": "s32"}[c.atom]
		if typ == "" {
			typ = "u32"
		}
		access = fmt.Sprintf("sured.b.%s.%s.%s.%s %s, %%y0;\n", c.atom, c.geometry, typ, c.mode, place)
	default:
		access = fmt.Sprintf("%s.%s%s.%s.%s %s, %s;\n", c.op, c.geometry, vector, typ, c.mode, place, value)
	}
	return fmt.Sprintf(`.version 8.0
.target sm_60
.address_size 64
.global .surfref image;
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.reg .b64 %%d<4>;
	.reg .b32 %%x<4>;
	.reg .%s %%y<4>;
	ld.param.u64 %%d1, [in];
	ld.param.u64 %%d2, [out];
	mov.u32 %%x0, %%tid.x;
	mad.wide.u32 %%d1, %%x0, 32, %%d1;
	mad.wide.u32 %%d2, %%x0, 16, %%d2;
	ld.global.v4.b32 {%%x0, %%x1, %%x2, %%x3}, [%%d1];
%s	%s	ret;
}
`, reg, load, access)
}

// want applies the access of a thread to memory and to its result.
func (c *surfaceCase) want(memory, result, written []byte, at [4]int) {
	inside, to := c.offset(at)
	if !inside {
		return
	}
	size := c.element * c.vector
	word := func(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
	switch c.op {
	case "suld.b":
		copy(result, memory[to:to+size])
	case "sust.b":
		copy(memory[to:to+size], written)
	case "sust.p":
		n := channelBytes[c.image.kind]
		for i := range min(c.vector, c.image.channels) {
			v := word(written[4*i:])
			if c.image.kind == "f16" {
				v = nearestHalf(float64(math.Float32frombits(v)))
			}
			var bytes [4]byte
			binary.LittleEndian.PutUint32(bytes[:], v)
			copy(memory[to+i*n:], bytes[:n])
		}
	case "sured.b":
		a, b := word(memory[to:]), word(written)
		v := map[string]uint32{
			"add": a + b, "and": a & b, "or": a | b, "max": max(a, b),
			"min": uint32(min(int32(a), int32(b))),
		}[c.atom]
		binary.LittleEndian.PutUint32(memory[to:], v)
	}
}

// nearestHalf searches for the nearest 16-bit number; of two equally near ones it returns the even
// one.
func nearestHalf(x float64) uint32 {
	size := math.Abs(x)
	value := func(bits uint32) float64 { return channelValue("f16", bits, 0) }
	above := uint32(sort.Search(0x7bff, func(i int) bool { return value(uint32(i)) >= size }))
	best := above
	if above > 0 {
		up, down := value(above)-size, size-value(above-1)
		if down < up || down == up && above&1 == 1 {
			best--
		}
	}
	return best | uint32(pick(math.Signbit(x), 0x8000, 0))
}

// check runs the kernel on a machine in its initial state. Memory and results are as the manual demands.
func (c *surfaceCase) check(t require.TestingT, s *testbench.Session, rng *rand.Rand) {
	text := c.text()
	m, err := ptx.Parse("k.ptx", []byte(text))
	require.NoError(t, err, text)
	p, err := testbench.Program(m, "")
	require.NoError(t, err, text)
	base := s.Alloc(len(c.image.raw))
	s.Write(base, c.image.raw)
	require.NoError(t, s.PlaceModule(p))
	s.Write(p.Globals[0].Addr, c.image.description(&reading{}, base, 1))
	words := make([]byte, 32*64)
	results, memory := make([]byte, 16*64), append([]byte(nil), c.image.raw...)
	for i := range 64 {
		at := [4]int{0, -64, 0, 0}
		if i < len(c.places) {
			at = c.places[i]
		} else if strings.HasPrefix(c.op, "sust") && c.mode == "clamp" {
			at = c.places[0]
		}
		for j, v := range at {
			binary.LittleEndian.PutUint32(words[32*i+4*j:], uint32(int32(v)))
		}
		value := words[32*i+16 : 32*i+32]
		for j := range 4 {
			binary.LittleEndian.PutUint32(value[4*j:], math.Float32bits(float32(rng.IntN(4000)-2000)/8))
		}
		if i >= len(c.places) && len(c.places) > 0 {
			copy(value, words[16:32])
		}
		c.want(memory, results[16*i:], value, at)
	}
	in, out := s.Alloc(len(words)), s.Alloc(len(results))
	s.Write(in, words)
	bank := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in), out)
	require.NoError(t, Run(s, testbench.Launch{
		Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1},
		Params: bank,
	}), text)
	gotMemory, gotResults := make([]byte, len(memory)), make([]byte, len(results))
	s.Read(base, gotMemory)
	s.Read(out, gotResults)
	require.Equal(t, memory, gotMemory, text)
	require.Equal(t, results, gotResults, text)
}

// TestSurfaces checks that random accesses under all mechanisms change memory as the manual
// demands, and nothing else.
func TestSurfaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 7))
	mechanisms := divergence.Mechanisms()
	for n := range pick(testing.Short(), 100, 800) {
		c := randomSurface(rng)
		machine := small()
		machine.GPU.SMs = 1
		machine.Divergence.Mechanism = mechanisms[n%len(mechanisms)].Name
		c.check(t, session(t, machine), rng)
	}
}

// TestSurfaceUnit: with a texture unit, which computes their addresses, accesses to surfaces change memory
// as the manual demands. The auditors of the memory system find no fault.
func TestSurfaceUnit(t *testing.T) {
	var units [4]*testbench.Session
	for i, c := range unitMachines() {
		units[i] = session(t, c)
	}
	forall.Check(t, "a texture unit finds the bytes of a surface", gen.UInt64Range(0, 1<<20),
		func(t *forall.T, seed uint64) {
			rng := rand.New(rand.NewPCG(seed, 8))
			unit := units[rng.IntN(len(units))]
			unit.Reset()
			books := audit.Watch(&unit.Machine.Config.Config, unit.Machine.Memory)
			defer books.Detach()
			randomSurface(rng).check(t, unit, rng)
			books.End()
			if f := books.Fault(); f != nil {
				require.Fail(t, f.What)
			}
			n := unit.Counters().TextureUnit
			require.EqualValues(t, 2, n.Surfaces, "one a warp")
			require.Equal(t, n.Fetches, n.Surfaces)
			require.Zero(t, n.Texels)
		})
}

// TestSurfaceTrap checks that an access outside ends the kernel with a trap if the program demands it, and
// with no fault of the access itself.
func TestSurfaceTrap(t *testing.T) {
	m, err := ptx.Parse("k.ptx", []byte(`.version 8.0
.target sm_60
.address_size 64
.visible .entry k(.param .u64 image)
{
	.reg .b64 %d;
	.reg .b32 %x;
	ld.param.u64 %d, [image];
	mov.u32 %x, %tid.x;
	sust.b.1d.b32.trap [%d, {%x}], %x;
	ret;
}
`))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	for _, cfg := range []gpu.Config{small(), withUnit()} {
		s := session(t, cfg)
		image := randomImage(rand.New(rand.NewPCG(1, 1)), "u8", 1, 4, 1, 1)
		base := s.Alloc(len(image.raw))
		handle := s.Alloc(104)
		s.Write(handle, image.description(&reading{}, base, 1))
		l := testbench.Launch{
			Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{2, 1, 1},
			Params: binary.LittleEndian.AppendUint64(nil, handle),
		}
		err := Run(s, l)
		assert.ErrorContains(t, err, "fault: trap\n", cfg.Texture.Fetch)
		assert.ErrorContains(t, err, "k.ptx:10, ", cfg.Texture.Fetch)
	}
}
