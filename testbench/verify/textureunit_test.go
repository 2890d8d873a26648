package verify

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/internal/audit"
	"divergo/internal/forall"
	"divergo/memsys"
	"divergo/ptx"
	"divergo/sm"
	"divergo/testbench"
)

// withUnit returns a machine with a texture unit.
func withUnit() gpu.Config {
	c := small()
	c.GPU.SMs, c.DRAM.Channels = 1, 1
	c.Texture.Fetch, c.Texture.Size, c.Texture.Assoc = memsys.FetchUnit, 4096, 4
	return c
}

// unitCase is a warp that reads a texture.
type unitCase struct {
	Geometry, Data, Level, Gather, Access string
	Kind, Channels                        int // of Kinds that the data can have; 0 to 2: 1, 2 or 4
	Width, Height, Depth, Levels          int // Depth: also layers
	Normalized, Linear, Between           bool
	Modes                                 []int
	Whole, Apart                          bool
	Texels                                int // seed
	Points                                []unitPoint
	Machine                               int // one of several
}

// unitPoint is the fetch of a thread, as bits.
type unitPoint struct {
	X, Y, Z, Lod uint32
	Layer        int
}

func (c unitCase) String() string {
	k := c.kernel()
	var b strings.Builder
	fmt.Fprintf(&b, "machine %d, %d levels of %dx%dx%d texels, %d x %s, %+v\n", c.Machine, len(k.image.levels), k.image.width,
		k.image.height, k.image.depth, k.image.channels, k.image.kind, k.read)
	for i, p := range c.Points {
		f := math.Float32frombits
		fmt.Fprintf(&b, "thread %d: %v %v %v, layer %d, lod %v\n", i, f(p.X), f(p.Y), f(p.Z), p.Layer, f(p.Lod))
	}
	return b.String() + k.text()
}

// kernel returns the case as a kernel with its texture.
func (c unitCase) kernel() *textureCase {
	rng := rand.New(rand.NewPCG(uint64(c.Texels), 1))
	cube, layered := strings.HasSuffix(c.Geometry, "cube"), c.Geometry[0] == 'a'
	dims := textureDims[c.Geometry]
	k := &textureCase{geometry: c.Geometry, data: c.Data, coord: "f32", mip: c.Level, access: c.Access, apart: c.Apart}
	kinds := map[string][]string{"u32": {"u8", "u16", "u32"}, "s32": {"s8", "s16", "s32"}}[c.Data]
	if kinds == nil {
		kinds = []string{"f32", "f16", "unorm8", "snorm8", "unorm16", "snorm16", "srgb8"}
	}
	if c.Whole && !cube {
		k.coord = "s32"
		if c.Level == "grad" {
			k.mip = ""
		}
	}
	if cube && c.Level == "grad" {
		k.mip = "level"
	}
	if dims == 2 && k.coord == "f32" && !strings.HasPrefix(c.Data, "f16") && c.Gather != "" {
		k.gather, k.component, k.mip = c.Gather, strings.Index("rgba", c.Gather), ""
	}
	k.read = reading{normalized: c.Normalized || cube, linear: c.Linear, between: c.Between, bias: 0.25, most: 1.75}
	for d := range k.read.mode {
		if k.read.mode[d] = c.Modes[d]; cube && k.read.mode[d] == 0 {
			k.read.mode[d] = 1
		}
	}
	for i := range k.read.border {
		k.read.border[i] = float64(rng.IntN(9)) - 2.5
	}
	if c.Access == "sampler" {
		k.read.border, k.read.bias, k.read.most, k.read.between = [4]float64{}, 0, 0, false
	}
	levels := c.Levels
	if c.Access != "register" && c.Access != "parameter" {
		levels = 1 // a reference has space for one level
	}
	w, h := c.Width, c.Height
	if cube {
		h = w
	}
	for l := range levels {
		depth := max(c.Depth>>l, 1)
		if dims < 3 {
			depth = pick(layered, c.Depth, 1) * pick(cube, 6, 1)
		}
		m := randomImage(rng, kinds[c.Kind%len(kinds)], 1<<c.Channels, max(w>>l, 1),
			pick(dims > 1, max(h>>l, 1), 1), depth)
		if l == 0 {
			k.image = m
		}
		k.image.levels = append(k.image.levels, m)
	}
	return k
}

// threads returns the words of the threads, as the kernel loads them: see textureCase.words.
func (c unitCase) threads() (list [][]uint32) {
	for _, p := range c.Points {
		list = append(list, []uint32{uint32(p.Layer), p.X, p.Y, p.Z, p.Lod, 0, 0, p.Lod, p.X, p.Y, p.Z, p.Lod, p.X})
	}
	return list
}

// coordinate draws bits of coordinates: texels, fractions, edges, the ends of what floats hold, NaN.
func coordinate() gopter.Gen {
	float := func(x float64) uint32 { return math.Float32bits(float32(x)) }
	return gen.Weighted([]gen.WeightedGen{
		{Weight: 4, Gen: gen.IntRange(-300, 2600).Map(func(i int) uint32 { return float(float64(i) / 256) })},
		{Weight: 2, Gen: gen.IntRange(-3, 12).Map(func(i int) uint32 { return uint32(i) })},
		{Weight: 2, Gen: gen.IntRange(-12, 24).Map(func(i int) uint32 { return float(float64(i) / 4) })},
		{Weight: 1, Gen: gen.UInt32()},
		{Weight: 1, Gen: forall.OneOf(float(0), float(math.Copysign(0, -1)), float(math.Inf(1)), float(math.Inf(-1)),
			float(math.NaN()), 0xFFFF_FFFF, 1<<31, float(1e-45), float(math.MaxFloat32), float(-math.MaxFloat32))},
	})
}

func unitCases() gopter.Gen {
	return forall.Struct[unitCase](map[string]gopter.Gen{
		"Geometry": forall.OneOf("2d", "1d", "3d", "a1d", "a2d", "cube", "acube"),
		"Data":     forall.OneOf("f32", "u32", "s32", "f16", "f16x2"),
		"Level":    forall.OneOf("", "", "base", "level", "grad"), "Gather": forall.OneOf("", "", "", "r", "g", "b", "a"),
		"Access": forall.OneOf("register", "parameter", "name", "sampler"),
		"Kind":   gen.IntRange(0, 6), "Channels": gen.IntRange(0, 2),
		"Width": gen.IntRange(1, 40), "Height": gen.IntRange(1, 9), "Depth": gen.IntRange(1, 4), "Levels": gen.IntRange(1, 3),
		"Normalized": forall.Bool(), "Linear": forall.Bool(), "Between": forall.Bool(),
		"Modes": gen.SliceOfN(3, gen.IntRange(0, 3)), "Whole": forall.OneOf(false, false, false, true), "Apart": forall.Bool(),
		"Texels": gen.IntRange(0, 1000), "Machine": gen.IntRange(0, 3),
		"Points": gen.SliceOfN(8, forall.Struct[unitPoint](map[string]gopter.Gen{
			"X": coordinate(), "Y": coordinate(), "Z": coordinate(), "Lod": coordinate(), "Layer": gen.IntRange(-2, 6),
		})),
	})
}

// unitMachines returns machines with texture units: the usual one; one with the smallest parts; one
// with the largest lines and groups; and one with two channels and shared lines.
func unitMachines() (list [4]gpu.Config) {
	for i := range list {
		list[i] = withUnit()
	}
	t := &list[1].Texture
	t.Size, t.Assoc, t.Line, t.Pending, t.MSHRs, t.MSHRMerge, t.MissQueue = 32, 1, 32, 1, 1, 1, 1
	t.Lanes, t.Groups, t.Latency, t.Handles = 1, 1, 1, 3
	c := &list[2]
	c.L1.Line, c.L2.Line, c.Texture.Line, c.Texture.Lanes, c.Texture.Groups = 128, 128, 128, 8, 5
	c.SM.Scoreboard, c.Divergence.Mechanism = sm.PerRegister, "tbc"
	c = &list[3]
	c.DRAM.Channels, c.Texture.Lanes, c.Texture.Handles, c.Divergence.Mechanism = 2, 2, 4, "dwf"
	return list
}

// TestTextureUnit: a texture unit gives each thread the bits of the loads and the arithmetic that the
// instruction becomes without one. The auditors of the memory system find no fault.
func TestTextureUnit(t *testing.T) {
	var units, loads [4]*testbench.Session
	for i, c := range unitMachines() {
		units[i] = session(t, c)
		c.Texture.Fetch = memsys.FetchLoads
		loads[i] = session(t, c)
		loads[i].Emulates = func(int) bool { return true }
	}
	forall.Check(t, "a texture unit reads what loads read", unitCases(), func(t *forall.T, c unitCase) {
		k, unit, load := c.kernel(), units[c.Machine], loads[c.Machine]
		unit.Reset()
		load.Reset()
		p := k.program(t)
		books := audit.Watch(&unit.Machine.Config.Config, unit.Machine.Memory)
		defer books.Detach()
		got, want := k.run(t, unit, p, c.threads()), k.run(t, load, p, c.threads())
		for i := range c.Points {
			require.Equal(t, want[16*i:16*i+16], got[16*i:16*i+16], "thread %d", i)
		}
		books.End()
		if f := books.Fault(); f != nil {
			require.Fail(t, f.What)
		}
	})
}

// reads runs a kernel of one warp in which thread i reads a plain texture of f32 at the i-th point,
// and returns the machine.
func reads(t *testing.T, c gpu.Config, instruction string, texture testbench.Texture, points [][3]float32,
) *gpu.Machine {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(`.version 8.0
.target sm_60
.address_size 64
.entry k(.param .u64 image, .param .u64 in, .param .u64 out)
{
	.reg .b64 %d<3>;
	.reg .b32 %x<4>;
	.reg .f32 %y<4>;
	ld.param.u64 %d0, [image];
	ld.param.u64 %d1, [in];
	ld.param.u64 %d2, [out];
	mov.u32 %x0, %tid.x;
	mad.wide.u32 %d1, %x0, 12, %d1;
	mad.wide.u32 %d2, %x0, 4, %d2;
	ld.global.u32 %x1, [%d1];
	ld.global.u32 %x2, [%d1+4];
	ld.global.u32 %x3, [%d1+8];
	`+instruction+`
	st.global.f32 [%d2], %y0;
	ret;
}
`))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	s := session(t, c)
	size := texture.Size[0] * texture.Size[1] * texture.Size[2]
	texels := s.Alloc(4 * size)
	for i := range size {
		s.Write(texels+4*uint64(i), testbench.Address(uint64(math.Float32bits(float32(i))))[:4])
	}
	description := texture.Describe(texels, nil)
	handle := s.Alloc(len(description))
	s.Write(handle, description)
	in, out := s.Alloc(12*len(points)), s.Alloc(4*len(points))
	for i, x := range slices.Concat(points) {
		for k, v := range x {
			s.Write(in+12*uint64(i)+4*uint64(k), testbench.Address(uint64(math.Float32bits(v)))[:4])
		}
	}
	require.NoError(t, Run(s, testbench.Launch{
		Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(len(points)), 1, 1},
		Params: slices.Concat(testbench.Address(handle), testbench.Address(in), testbench.Address(out)),
	}))
	return s.Machine
}

// plain returns a texture of f32.
func plain(words string) testbench.Texture {
	t, _, err := testbench.SplitTexture("tex:" + words + ":buf:zero:f32:1")
	if err != nil {
		panic(err)
	}
	t.Channels = 1
	return *t
}

// TestTextureGroups counts groups and texels by hand: 32 lanes in a row of texels.
func TestTextureGroups(t *testing.T) {
	row := make([][3]float32, 32)
	for i := range row {
		row[i] = [3]float32{float32(i) + 1, 1, 1}
	}
	same := slices.Repeat([][3]float32{{0.5, 0.5, 0.5}}, 32)
	for _, c := range []struct {
		what, instruction, texture  string
		lanes                       int
		points                      [][3]float32
		groups, texels, mostPerLine uint64
	}{
		{"points", "tex.1d.v4.f32.f32 {%y0, %y1, %y2, %y3}, [%d0, {%x1}];", "64,f32", 4, row, 8, 32, 0},
		{"a lane a cycle", "tex.1d.v4.f32.f32 {%y0, %y1, %y2, %y3}, [%d0, {%x1}];", "64,f32", 1, row, 32, 32, 0},
		{"eight lanes a cycle", "tex.1d.v4.f32.f32 {%y0, %y1, %y2, %y3}, [%d0, {%x1}];", "64,f32", 8, row, 4, 32, 0},
		{"two texels of a row", "tex.1d.v4.f32.f32 {%y0, %y1, %y2, %y3}, [%d0, {%x1}];", "64,f32,linear", 4, row, 8, 64, 0},
		{"four texels", "tex.2d.v4.f32.f32 {%y0, %y1, %y2, %y3}, [%d0, {%x1, %x2}];", "64x4,f32,linear", 4, row, 8, 128, 0},
		{"gather", "tld4.r.2d.v4.f32.f32 {%y0, %y1, %y2, %y3}, [%d0, {%x1, %x2}];", "64x4,f32", 4, row, 8, 128, 0},
		{"two planes", "tex.3d.v4.f32.f32 {%y0, %y1, %y2, %y3}, [%d0, {%x1, %x2, %x3, %x3}];", "64x4x4,f32,linear", 4, row, 16, 256, 0},
		{"border", "tex.2d.v4.f32.f32 {%y0, %y1, %y2, %y3}, [%d0, {%x1, %x1}];", "4x4,f32,border", 4, row, 8, 3, 0},
		{"texels of other lanes", "tex.2d.v4.f32.f32 {%y0, %y1, %y2, %y3}, [%d0, {%x1, %x2}];", "64x4,f32", 4, same, 8, 32, 8},
	} {
		cfg := withUnit()
		cfg.Texture.Lanes = c.lanes
		n := reads(t, cfg, c.instruction, plain(c.texture), c.points).Units[0].TextureUnit.Count.Q()
		assert.EqualValues(t, 1, n.Fetches, c.what)
		assert.Equal(t, c.groups, n.Groups, c.what)
		assert.Equal(t, c.texels, n.Texels, c.what)
		assert.EqualValues(t, 1, n.Handles, c.what)
		if c.mostPerLine > 0 { // one line of texels a group, and the two of the description
			assert.Equal(t, c.mostPerLine+2, n.Places, c.what)
			assert.Zero(t, n.Conflicts, c.what)
		}
	}
}

// TestTextureTiles: a square of 4 lines of 4 rows stays in a cache of 16 sets, even though the rows
// are as far apart as the cache is large. By the addresses alone, its 16 lines would share 4 sets.
func TestTextureTiles(t *testing.T) {
	cfg := withUnit()
	cfg.Texture.Size, cfg.Texture.Assoc, cfg.Texture.Line = 1024, 1, 64
	var points [][3]float32
	for range 2 {
		for row := range 4 {
			for column := range 4 {
				points = append(points, [3]float32{float32(16 * column), float32(row), 0})
			}
		}
	}
	cfg.Texture.Lanes, cfg.Texture.Handles = 1, 8
	m := reads(t, cfg, "tex.2d.v4.f32.f32 {%y0, %y1, %y2, %y3}, [%d0, {%x1, %x2}];", plain("256x4,f32"), points)
	n := m.Units[0].TextureCache.Count.Q()
	assert.EqualValues(t, 16+2, n.Misses, "lines of texels, and of the description")
	assert.EqualValues(t, 16, n.Hits+n.Merges)
}

// TestTextureFaults: a fetch by a handle that is none, or of texels outside of memory, is the fault of
// the thread, with and without a texture unit.
func TestTextureFaults(t *testing.T) {
	for _, c := range []struct {
		what    string
		handle  uint64 // added to the address of the description
		texels  uint64 // added to that of the texels
		kind    sm.FaultKind
		ofTexel bool
	}{
		{"no description", 1 << 20, 0, sm.OutOfBounds, false},
		{"half a description", 4, 0, sm.Misaligned, false},
		{"no texels", 0, 1 << 20, sm.OutOfBounds, true},
		{"texels between words", 0, 2, sm.Misaligned, true},
	} {
		for _, fetch := range []memsys.TexFetch{memsys.FetchLoads, memsys.FetchUnit} {
			cfg := withUnit()
			cfg.Texture.Fetch = fetch
			m, err := ptx.Parse("k.ptx", []byte(`.version 8.0
.target sm_60
.address_size 64
.entry k(.param .u64 image)
{
	.reg .b64 %d<1>;
	.reg .b32 %x<1>;
	.reg .f32 %y<4>;
	.reg .pred %p;
	ld.param.u64 %d0, [image];
	mov.u32 %x0, %tid.x;
	setp.eq.u32 %p, %x0, 5;
	@%p tex.1d.v4.f32.s32 {%y0, %y1, %y2, %y3}, [%d0, {%x0}];
	ret;
}
`))
			require.NoError(t, err)
			p, err := testbench.Program(m, "")
			require.NoError(t, err)
			s := session(t, cfg)
			texture := plain("32,f32")
			texels := s.Alloc(128) + c.texels
			description := texture.Describe(texels, nil)
			handle := s.Alloc(len(description))
			s.Write(handle, description)
			err = Run(s, testbench.Launch{
				Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1},
				Params: testbench.Address(handle + c.handle),
			})
			var outcome *testbench.Outcome
			require.ErrorAs(t, err, &outcome, "%s, %s", c.what, fetch)
			assert.Equal(t, gpu.Faulted, outcome.End)
			f := outcome.Fault
			assert.Equal(t, c.kind.String(), f.Kind, "%s, %s", c.what, fetch)
			assert.Equal(t, [3]uint32{5, 0, 0}, f.Thread, "%s, %s", c.what, fetch)
			if fetch == memsys.FetchUnit {
				assert.Contains(t, f.Text, "tex.1d", c.what)
			}
			if c.ofTexel {
				assert.Equal(t, texels+5*4, f.Addr, "%s, %s", c.what, fetch)
			}
		}
	}
}

// TestTextureForms: the program for a texture unit has one instruction, the other one has none. A
// machine without the unit refuses it.
func TestTextureForms(t *testing.T) {
	c := randomTexture(rand.New(rand.NewPCG(1, 1)))
	p := c.program(t)
	require.NotNil(t, p.Textured)
	assert.Less(t, len(p.Textured.Insts), len(p.Insts))
	cfg := withUnit()
	cfg.Texture.Fetch = memsys.FetchLoads
	err := session(t, cfg).Launch(testbench.Launch{
		Prog: p.Textured, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Params: make([]byte, p.ParamBytes),
	})
	assert.ErrorContains(t, err, "texture.fetch is loads")
}

// TestTextureHandles: the threads of a warp read three textures by their handles, more than the unit
// holds descriptions. Before the second launch the host exchanges the texels of two of them, and makes
// the third one longer.
func TestTextureHandles(t *testing.T) {
	m, err := ptx.Parse("k.ptx", []byte(`.version 8.0
.target sm_60
.address_size 64
.entry k(.param .u64 handles, .param .u64 out)
{
	.reg .b64 %d<3>;
	.reg .b32 %x<3>;
	.reg .f32 %y<4>;
	ld.param.u64 %d0, [handles];
	ld.param.u64 %d1, [out];
	mov.u32 %x0, %tid.x;
	rem.u32 %x1, %x0, 3;
	mad.wide.u32 %d0, %x1, 8, %d0;
	mad.wide.u32 %d1, %x0, 4, %d1;
	ld.global.u64 %d2, [%d0];
	tex.1d.v4.f32.s32 {%y0, _, _, _}, [%d2, {%x0}];
	st.global.f32 [%d1], %y0;
	ret;
}
`))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	cfg := withUnit()
	cfg.Texture.Handles = 3
	s := session(t, cfg)
	var texels [3]uint64
	for k := range texels {
		texels[k] = s.Alloc(4 * 32)
		for i := range uint64(32) {
			s.Write(texels[k]+4*i, testbench.Address(uint64(math.Float32bits(float32(100*uint64(k+1) + i))))[:4])
		}
	}
	handles, out := s.Alloc(8*3), s.Alloc(4*32)
	var at [3]uint64
	for k := range at {
		at[k] = s.Alloc(testbench.TextureBytes)
		s.Write(handles+8*uint64(k), testbench.Address(at[k]))
	}
	for _, launch := range []struct {
		of    [3]int // texels of each texture
		sizes [3]int
	}{{[3]int{0, 1, 2}, [3]int{32, 32, 20}}, {[3]int{1, 0, 2}, [3]int{32, 32, 32}}} {
		for k := range at {
			texture := plain(fmt.Sprintf("%d,f32", launch.sizes[k]))
			s.Write(at[k], texture.Describe(texels[launch.of[k]], nil))
		}
		require.NoError(t, Run(s, testbench.Launch{
			Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1},
			Params: slices.Concat(testbench.Address(handles), testbench.Address(out)),
		}))
		got := make([]byte, 4*32)
		s.Read(out, got)
		for i := range 32 {
			want := float32(0)
			if k := i % 3; i < launch.sizes[k] {
				want = float32(100*(launch.of[k]+1) + i)
			}
			require.Equal(t, want, math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])), "thread %d", i)
		}
	}
}

// TestTexturePad: thread 31 reads a texel behind the allocation. It gets 0 and is counted, by a texture
// unit, by loads, and by the golden model.
func TestTexturePad(t *testing.T) {
	m, err := ptx.Parse("k.ptx", []byte(`.version 8.0
.target sm_60
.address_size 64
.entry k(.param .u64 image, .param .u64 out)
{
	.reg .b64 %d<2>;
	.reg .b32 %x<2>;
	.reg .f32 %y<4>;
	ld.param.u64 %d0, [image];
	ld.param.u64 %d1, [out];
	mov.u32 %x0, %tid.x;
	mad.wide.u32 %d1, %x0, 4, %d1;
	add.u32 %x1, %x0, 1;
	tex.1d.v4.f32.s32 {%y0, _, _, _}, [%d0, {%x1}];
	st.global.f32 [%d1], %y0;
	ret;
}
`))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	for _, fetch := range []memsys.TexFetch{memsys.FetchLoads, memsys.FetchUnit} {
		for _, emulated := range []bool{false, true} {
			cfg := withUnit()
			cfg.Texture.Fetch = fetch
			s := session(t, cfg)
			s.Pad, s.Emulates = 16, func(int) bool { return emulated }
			texels, texture := s.Alloc(4*32), plain("40,f32")
			for i := range uint64(32) {
				s.Write(texels+4*i, testbench.Address(uint64(math.Float32bits(float32(i))))[:4])
			}
			handle, out := s.Alloc(testbench.TextureBytes), s.Alloc(4*32)
			s.Write(handle, texture.Describe(texels, nil))
			require.NoError(t, Run(s, testbench.Launch{
				Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1},
				Params: slices.Concat(testbench.Address(handle), testbench.Address(out)),
			}))
			got := make([]byte, 4*32)
			s.Read(out, got)
			for i := range 32 {
				want := float32((i + 1) % 32)
				assert.Equal(t, want, math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])), "%s: thread %d", fetch, i)
			}
			assert.EqualValues(t, 1, s.Runs[0].Outside, "%s, emulated %t", fetch, emulated)
		}
	}
}
