package ptx

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
)

func lowerFile(t testing.TB, file, kernel string) *isa.Program {
	t.Helper()
	src, err := os.ReadFile(file)
	require.NoError(t, err)
	m, err := Parse(file, src)
	require.NoError(t, err)
	p, err := m.Program(kernel)
	require.NoError(t, err)
	return p
}

func lowerText(t testing.TB, text string) *isa.Program {
	t.Helper()
	m, err := Parse("k.ptx", []byte(text))
	require.NoError(t, err)
	p, err := m.Program("")
	require.NoError(t, err)
	return p
}

//go:generate sh testdata/cuda/build.sh

// samples are the files whose kernels must all lower.
func samples(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"testdata/clang/*.ptx", "testdata/nvcc/*.ptx", "../kernels/ptx/*.ptx"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		all = append(all, files...)
	}
	require.Greater(t, len(all), 20)
	return all
}

// Every kernel from a real compiler lowers, and the machine has a datapath for all of it. One
// instruction of the text is one of the program.
func TestSamples(t *testing.T) {
	for _, file := range samples(t) {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		m, err := Parse(file, src)
		require.NoError(t, err)
		require.NotEmpty(t, m.Kernels())
		for _, k := range m.Kernels() {
			p, err := m.Program(k)
			if !assert.NoError(t, err) {
				continue
			}
			assert.NoError(t, isa.Bind(p))
			if strings.Contains(file, "clang") {
				assert.Equal(t, countInstructions(t, string(src), k), len(p.Insts), "%s %s", file, k)
			}
			for pc := range p.Insts {
				in := &p.Insts[pc]
				// Not the brace that is an exit. A call may take several lines.
				if in.Pos.Line != p.Insts[len(p.Insts)-1].Pos.Line && !in.Inserted {
					lines := strings.Split(string(src), "\n")[in.Pos.Line-1:]
					assert.Contains(t, strings.Join(strings.Fields(strings.Join(lines[:min(len(lines), 10)], " ")),
						" "), in.Text)
				}
				if in.Op == isa.OpBra {
					assert.Less(t, in.Target, uint32(len(p.Insts)))
				}
			}
		}
	}
}

var localDeclaration = regexp.MustCompile(`[\s{]\.(reg|shared|local|pragma)[^;]*;|//.*`)

// countInstructions counts the statements of a clang kernel that are not declarations: each ends in
// ';'.
func countInstructions(t *testing.T, src, kernel string) int {
	_, body, ok := strings.Cut(src, ".entry "+kernel+"(")
	require.True(t, ok, kernel)
	_, body, ok = strings.Cut(body, "\n{")
	require.True(t, ok, kernel)
	body, _, ok = strings.Cut(body, "\n}")
	require.True(t, ok, kernel)
	return strings.Count(localDeclaration.ReplaceAllString(body, ""), ";")
}

// The old dialect: sizes and addresses of everything in scale.ptx, by hand.
func TestOldDialect(t *testing.T) {
	p := lowerFile(t, "testdata/nvcc/scale.ptx", "")
	assert.Equal(t, "_Z5scalePfS_fi", p.Name)
	assert.EqualValues(t, 32, p.AddressBits)
	assert.EqualValues(t, 16, p.ParamBytes)
	assert.EqualValues(t, 1024, p.SharedBytes)
	assert.Equal(t, []string{"<command-line>", "scale.cudafe2.gpu", "scale.cu"}, p.Files)
	assert.Equal(t, []isa.Global{
		{
			Name: "bias", Space: isa.SpaceConst, Addr: isa.ModuleBase, Size: 8,
			Init: []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40},
		},
		{Name: "rounds", Space: isa.SpaceGlobal, Addr: isa.ModuleBase + 8, Size: 4},
	}, p.Globals)
	assert.Equal(t, "scale.cu:6", p.Where(0))
	assert.Equal(t, "scale.cu:8", p.Where(8))
	assert.Equal(t, []isa.Label{{Name: "$LDWbegin__Z5scalePfS_fi"}, {Name: "$Lt_0_1282", PC: 20}}, p.Labels,
		"no label behind the end")
	assert.EqualValues(t, 20, p.Insts[7].Target)
	byText := map[string]*isa.Inst{}
	for i := range p.Insts {
		byText[p.Insts[i].Text] = &p.Insts[i]
	}
	mad := byText["mad.f32 %f5, %f3, %f2, %f4"]
	require.NotNil(t, mad)
	assert.Equal(t, isa.FlagFtz, mad.Flags, "sm_10 flushes subnormal numbers")
	assert.Equal(t, isa.RoundNearest, mad.Round)
	assert.Equal(t, isa.FlagFtz|isa.FlagSat, byText["cvt.sat.f32.f32 %f6, %f5"].Flags)
	assert.Equal(t, isa.OperandNone, byText["mov.f32 %f7, 0f3f000000"].Guard.Kind)
	assert.Equal(t, isa.Operand{Kind: isa.OperandPred, Not: true}, byText["sub.s32 %r13, %r4, 1"].Guard)
}

// The meaning of div, rcp and others without modifiers in PTX ISA 1.0 to 1.3.
func TestDefaultsOfVersion10(t *testing.T) {
	p := lowerFile(t, "testdata/nvcc/defaults10.ptx", "defaults")
	approx := map[isa.Op]bool{}
	for _, in := range p.Insts {
		switch in.Op {
		case isa.OpDiv, isa.OpRcp, isa.OpSqrt, isa.OpRsqrt, isa.OpSin, isa.OpCos, isa.OpLg2, isa.OpEx2:
			switch {
			case in.Type == isa.F32:
				assert.Equal(t, isa.FlagApprox|isa.FlagFtz, in.Flags, in.Text)
				assert.Equal(t, isa.RoundNone, in.Round, in.Text)
				approx[in.Op] = true
			case in.Op == isa.OpRsqrt:
				assert.Equal(t, isa.FlagApprox, in.Flags, in.Text)
			default:
				assert.Equal(t, isa.RoundNearest, in.Round, in.Text)
				assert.Zero(t, in.Flags, in.Text)
			}
		}
	}
	assert.Len(t, approx, 8)
	assert.EqualValues(t, 64, p.AddressBits, "a 64-bit register holds the address")
	last := p.Insts[len(p.Insts)-1]
	assert.Equal(t, isa.OpExit, last.Op, "control reaches the closing brace")
	assert.EqualValues(t, len(p.Insts)-1, p.Insts[len(p.Insts)-4].Target)
}

func TestRequiredSinceVersion14(t *testing.T) {
	m, err := Parse("k.ptx", []byte(".version 1.4\n.target sm_13\n.entry k() { .reg .f32 %f; div.f32 %f, %f, %f; }"))
	require.NoError(t, err)
	_, err = m.Program("k")
	assert.ErrorContains(t, err, "div.f32 wants one of .approx")
}

// Parameters, variables and scopes of ocl30.ptx.
func TestScopesAndParameters(t *testing.T) {
	p := lowerFile(t, "testdata/nvcc/ocl30.ptx", "blur")
	assert.Equal(t, []isa.Param{
		{Name: "blur_param_0", Type: isa.U32, Offset: 0, Size: 4, Align: 4},
		{Name: "blur_param_1", Type: isa.U32, Offset: 4, Size: 4, Align: 4},
		{Name: "blur_param_2", Type: isa.B8, Offset: 8, Size: 8, Align: 8},
	}, p.Params)
	assert.EqualValues(t, 16, p.ParamBytes)
	assert.Equal(t, [3]uint32{16, 8, 1}, p.ReqThreads)
	assert.EqualValues(t, 128, p.MaxThreads)
	assert.EqualValues(t, 32, p.AddressBits)
	assert.EqualValues(t, 8, p.LocalBytes)
	outer, inner := p.Insts[2].Dst[0], p.Insts[16].Dst[0]
	require.Equal(t, "mov.u32 %r1, %tid.x", p.Insts[2].Text)
	require.Equal(t, "mov.u32 %r1, %laneid", p.Insts[16].Text)
	assert.NotEqual(t, outer.Index, inner.Index, "the block has a register %r1 of its own")
	assert.Equal(t, "%r1", p.Regs[outer.Index].Name)
	assert.Equal(t, "%r1", p.Regs[inner.Index].Name)
	assert.EqualValues(t, 21, p.Insts[18].Target, "a label of the enclosing block")
	assert.Equal(t, isa.Operand{Kind: isa.OperandImm, Imm: 8}, p.Insts[5].Src[0], "the address of a parameter")
}

// Parameters have their natural alignment or that of .align.
func TestParameterLayout(t *testing.T) {
	p := lowerText(t, `.version 4.2
.target sm_35
.entry k(.param .u8 a, .param .u64 b, .param .f32 c, .param .align 16 .b8 d[3], .param .u16 e,
	.param .v4 .f32 f, .param .u64 .ptr .global .align 256 g) { ret; }`)
	var offsets, aligns []uint32
	for _, v := range p.Params {
		offsets = append(offsets, v.Offset)
		aligns = append(aligns, v.Align)
	}
	assert.Equal(t, []uint32{0, 8, 16, 32, 36, 48, 64}, offsets)
	assert.Equal(t, []uint32{1, 8, 4, 16, 2, 16, 8}, aligns)
	assert.EqualValues(t, 72, p.ParamBytes)
}

// Code for sm_1x flushes subnormal numbers; cvt with a 64-bit type did not
// until PTX ISA 1.4 (section 9.7.8.18).
func TestSubnormalsOfOldTargets(t *testing.T) {
	body := `.entry k() { .reg .f32 %f<2>; .reg .f64 %d; .reg .s64 %l; .reg .s32 %r;
	add.f32 %f0, %f1, %f1;
	cvt.rzi.s32.f32 %r, %f0;
	cvt.rzi.s64.f32 %l, %f0;
	cvt.f64.f32 %d, %f0;
	set.eq.u32.f64 %r, %d, %d;
	add.f64 %d, %d, %d;
}`
	for _, tt := range []struct {
		version, target string
		flushes         []bool
	}{
		{"1.4", "sm_13", []bool{true, true, false, false, false, false}},
		{"2.0", "sm_13", []bool{true, true, true, true, false, false}},
		{"1.4", "sm_20", []bool{false, false, false, false, false, false}},
	} {
		p := lowerText(t, ".version "+tt.version+"\n.target "+tt.target+"\n"+body)
		for i, want := range tt.flushes {
			assert.Equal(t, want, p.Insts[i].Flags&isa.FlagFtz != 0, "%s %s %s", tt.version, tt.target, p.Insts[i].Text)
		}
	}
}

func TestNewDialect(t *testing.T) {
	p := lowerFile(t, "testdata/nvcc/nvvm83.ptx", "")
	assert.Equal(t, []isa.Local{
		{Name: "_ZZ4histPKjPjiE5local", Space: isa.SpaceShared, Size: 64},
		{Name: "bins", Space: isa.SpaceShared, Offset: 64},
	}, p.Vars)
	assert.EqualValues(t, 16, p.SharedAlign)
	assert.EqualValues(t, 256, p.MaxThreads)
	assert.Equal(t, [3]uint32{}, p.ReqThreads)
	assert.Equal(t, []string{"/src/hist.cu"}, p.Files)
	assert.Equal(t, "/src/hist.cu:4", p.Where(0))
	assert.Equal(t, "/src/hist.cu:15", p.Where(uint32(len(p.Insts)-1)))
	require.Len(t, p.Globals, 2)
	assert.Equal(t, isa.Global{
		Name: "managed", Space: isa.SpaceGlobal, Addr: isa.ModuleBase + 8, Size: 4,
		Init: []byte{3, 0, 0, 0},
	}, p.Globals[1])
}

func TestModuleSharedBelongsToTheKernelsThatNameIt(t *testing.T) {
	m, err := Parse("k.ptx", []byte(`.version 4.2
.target sm_35
.address_size 64
.shared .align 8 .b8 a[12];
.shared .b32 b;
.local .b64 mine;
.entry none() { ret; }
.entry both() {
	.reg .b32 %r<3>;
	.reg .b64 %l;
	ld.shared.b32 %r1, [b];
	mov.u32 %r2, a;
	mov.u64 %l, mine;
	ret;
}`))
	require.NoError(t, err)
	assert.Equal(t, []string{"none", "both"}, m.Kernels())
	none, err := m.Program("none")
	require.NoError(t, err)
	assert.Zero(t, none.SharedBytes)
	both, err := m.Program("both")
	require.NoError(t, err)
	assert.EqualValues(t, 8+12, both.SharedBytes)
	assert.EqualValues(t, 8, both.LocalBytes)
	assert.EqualValues(t, 8, both.Insts[1].Src[0].Imm)
}

// A reference is memory with an address (PTX ISA 5.3). It holds the initial values of the
// description that the host fills in (cuda/include/divergo/texture.h).
func TestTextureReference(t *testing.T) {
	m, err := Parse("k.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.global .u8 before;
.visible .global .texref t;
.global .surfref s;
.global .texref set = { filter_mode = linear, addr_mode_1 = clamp_to_border, normalized_coords = 1 };
.global .samplerref how;
.tex .u64 old;
.entry k() { .reg .b64 %rd<3>; .reg .b32 %r; mov.u64 %rd1, t; ld.global.u32 %r, [%rd1+124]; mov.u64 %rd2, s; ret; }`))
	require.NoError(t, err)
	p, err := m.Program("k")
	require.NoError(t, err)
	for i, name := range []string{"before", "t", "s", "set", "how", "old"} {
		require.Equal(t, name, p.Globals[i].Name)
		if i > 0 {
			assert.EqualValues(t, 128, p.Globals[i].Size)
			assert.Zero(t, p.Globals[i].Addr%128)
			assert.GreaterOrEqual(t, p.Globals[i].Addr, p.Globals[i-1].Addr+p.Globals[i-1].Size)
		}
	}
	want := make([]byte, 128)
	want[52], want[56], want[60] = 1, 1, 1
	assert.Equal(t, want, p.Globals[1].Init, "clamped")
	assert.Equal(t, want, p.Globals[5].Init)
	want[44], want[48], want[56] = 1, 1, 3
	assert.Equal(t, want, p.Globals[3].Init)
	assert.Equal(t, append(append(make([]byte, 44), 1), make([]byte, 83)...), p.Globals[4].Init,
		"coordinates are as the texture has them")
}

// An instruction that reads a texture counts as one, at its line; the rest of it is inserted.
func TestFetchCountsAsOne(t *testing.T) {
	m, err := Parse("k.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.global .texref t;
.entry k() { .reg .f32 %f<6>; .reg .pred %p;
	@%p tex.2d.v4.f32.f32 {%f1, %f2, %f3, _}, [t, {%f4, %f5}];
	tex.2d.v4.f32.f32 {%f1, %f2, %f3, _}, [t, {%f4, %f5}];
	ret; }`))
	require.NoError(t, err)
	p, err := m.Program("k")
	require.NoError(t, err)
	var counted []string
	for _, in := range p.Insts {
		if !in.Inserted {
			counted = append(counted, in.Text)
		} else {
			assert.Contains(t, []int32{6, 7}, in.Pos.Line)
		}
	}
	assert.Equal(t, []string{
		"tex.2d.v4.f32.f32 {%f1, %f2, %f3, _}, [t, {%f4, %f5}]",
		"tex.2d.v4.f32.f32 {%f1, %f2, %f3, _}, [t, {%f4, %f5}]", "ret",
	}, counted)
}

func TestKernelNames(t *testing.T) {
	m, err := Parse("k.ptx", []byte(".version 4.2\n.target sm_35\n.entry scale() { ret; }\n.entry shift() { ret; }"))
	require.NoError(t, err)
	_, err = m.Program("")
	assert.EqualError(t, err, "k.ptx: the file has several kernels: name one of scale, shift")
	_, err = m.Program("scael")
	assert.EqualError(t, err, `k.ptx: no kernel "scael"; did you mean scale?`)
	_, err = m.Program("x")
	assert.EqualError(t, err, `k.ptx: no kernel "x"; the file has scale, shift`)
}

// An unsupported kernel does not keep others from running.
func TestOtherKernelsStillLower(t *testing.T) {
	m, err := Parse("k.ptx", []byte(`.version 7.0
.target sm_70
.global .texref t;
.extern .func (.param .b32 r) f (.param .b32 a);
.entry bad() { .reg .f16 %h<3>; .reg .b32 %r<9>; tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [t, {%r5}];
	{ .param .b32 p0; call.uni (p0), f, (p0); } fma.rn.f16 %h0, %h1, %h2, %h1; }
.entry good() { ret; }`))
	require.NoError(t, err)
	_, err = m.Program("good")
	assert.NoError(t, err)
	_, err = m.Program("bad")
	require.Error(t, err)
	for _, e := range err.(List) {
		assert.Equal(t, CodeUnsupported, e.Code, e.Msg)
	}
}

func TestNotPTX(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"", "the file is empty"},
		{" \n\t ", "the file is empty"},
		{"\x7fELF\x02\x01", "this is an ELF file"},
		{"a\x00\x01b", "this is a binary file"},
		{"\x80\x81 hello \xff", "this is not PTX text"},
		{"int main() { return 0; }", "expected .version at the start of the module, found 'int'"},
		{".version 4.2\n.entry k() { ret; }", "expected .target after .version, found '.entry'"},
		{".target sm_35\n.entry k() { ret; }", "expected .version at the start of the module, found '.target'"},
		{".version 4.2\n.target sm_35", "no kernel in this file: expected an .entry"},
		{".version 12.3\n.target sm_35", "expected a PTX ISA version such as 4.2, found '12.3'"},
		{".version 4.2\n.target compute_35", "unknown target compute_35"},
		{
			".version 4.2\n.target sm_35\n.address_size 48\n.entry k() { ret; }",
			"expected an address size of 32 or 64, found 48",
		},
		{".version 4.2\n.target sm_35\n.entry k() { ret; /* }", "this comment never ends"},
		{".version 4.2\n.target sm_35\n.file 1 \"k.cu\n.entry k() { ret; }", "this string never ends"},
		{".version 4.2\n.target sm_35\n#define x\n.entry k() { ret; }", "run the file through the C preprocessor"},
		{".version 4.2\n.target sm_35\n.entry k() { ret; } é", "character 'é' is not used in PTX"},
		{
			".version 4.2\n.target sm_35\n.func f() {\n.entry k() { ret; }",
			"found '.entry' inside a block: expected '}' for the '{' in line 3",
		},
		{".version 4.2\n.target sm_35\n.entry k();", "no kernel in this file"},
	} {
		t.Run(tt.src, func(t *testing.T) {
			_, err := Parse("k.ptx", []byte(tt.src))
			require.Error(t, err)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

// A file with a byte order mark, Windows line ends, line markers and the NUL
// that ends a PTX image.
func TestTolerated(t *testing.T) {
	p := lowerText(t, "\ufeff.version 4.2\r\n# 1 \"k.cu\"\r\n#line 3\r\n.target sm_35, debug\r\n.entry k() {\r\n\tret;\r\n}\r\n\x00\x00")
	assert.Equal(t, isa.Pos{Line: 6, Col: 2}, p.Insts[0].Pos)
	assert.Equal(t, "ret", p.Insts[0].Text)
}

// The form is that of the PTX ISA, section 11.5.4.
func TestInlinedAt(t *testing.T) {
	p := lowerText(t, ".version 7.2\n.target sm_35\n.file 1 \"k.cu\"\n.file 2 \"add.h\"\n.entry k() { .reg .b32 %r<4>;\n"+
		".loc 1 9 2\nmov.u32 %r1, 1;\n.loc 2 30 7, function_name $L__info_string0 + 4, inlined_at 1 10 5\nadd.u32 %r2, %r1, 1;\n"+
		".loc 2 31 1, function_name $L__info_string0, inlined_at 3 10 5\nsub.u32 %r2, %r1, 1;\n.loc 1 11 1\nret;\n}")
	// there is no file 3
	for pc, want := range [][2]string{
		{"k.cu:9", "k.cu:9"},
		{"add.h:30", "k.cu:10"},
		{"add.h:31", "add.h:31"},
		{"k.cu:11", "k.cu:11"},
	} {
		assert.Equal(t, want, [2]string{p.Where(uint32(pc)), p.Called(uint32(pc))}, "PC %d", pc)
	}
	assert.Equal(t, "k.cu:10", p.Near(1))
}

func TestInstructionOverSeveralLines(t *testing.T) {
	p := lowerText(t, ".version 4.2\n.target sm_35\n.entry k() { .reg .b32 %r<4>; .reg .pred p;\n@!p mad.lo.u32 // product\n\t%r1,\t%r2 , /* a\n b */ %r3,\n4;\nret\n;}")
	require.Len(t, p.Insts, 2)
	assert.Equal(t, "mad.lo.u32 %r1, %r2 , %r3, 4", p.Insts[0].Text)
	assert.Equal(t, isa.Pos{Line: 4, Col: 5}, p.Insts[0].Pos)
}

func TestTooManyErrors(t *testing.T) {
	body := strings.Repeat("\tadd.s32 %x, %y, %z;\n", 50)
	m, err := Parse("k.ptx", []byte(".version 4.2\n.target sm_35\n.entry k() {\n"+body+"}"))
	require.NoError(t, err)
	_, err = m.Program("k")
	list := err.(List)
	assert.Len(t, list, maxErrors+1)
	assert.Equal(t, "k.ptx: too many errors", list[maxErrors].Error())
	var one *Error
	require.ErrorAs(t, err, &one)
	assert.Equal(t, CodeName, one.Code)
}

// No small file may take much memory or time.
func TestLimits(t *testing.T) {
	head := ".version 4.2\n.target sm_35\n"
	for name, tt := range map[string]struct{ src, want string }{
		"blocks":      {head + ".entry k() {" + strings.Repeat("{", 100000), "nested more than 200 deep"},
		"parentheses": {head + ".global .u32 x = " + strings.Repeat("(", 100000) + "1;", "nested more than 200 deep"},
		"signs":       {head + ".global .u32 x = " + strings.Repeat("-", 100000) + "1;", "nested more than 200 deep"},
		"questions": {
			head + ".global .u32 x = " + strings.Repeat("1?1:", 100000) + "1;",
			"nested more than 200 deep",
		},
		"braces":     {head + ".global .u32 x[2] = " + strings.Repeat("{", 100000) + "1;", "too many braces"},
		"dimensions": {head + ".global .u32 x" + strings.Repeat("[100]", 1000) + ";", "the limit for .global"},
		"registers":  {head + ".entry k() { .reg .b32 %r<4294967295>; }", "from 0 to 1048576"},
		"modules": {head + strings.Repeat(".global .b8 x[150000000];\n.global .b8 y[150000000];\n", 1) +
			".entry k() { ret; }", "the variables of the module take more than"},
		"local": {
			head + ".entry k() { .local .b8 a[500000]; .local .b8 b[500000]; ret; }",
			"the .local variables take more than",
		},
		"digits": {
			head + ".entry k() { .reg .u32 %r<9>; mov.u32 %r1, " + strings.Repeat("9", 100000) + "; }",
			"does not fit in 64 bits",
		},
		"names":   {head + ".entry k() { " + strings.Repeat("x", 100000) + "; }", "unknown instruction xxx"},
		"garbage": {head + strings.Repeat("\x01 ", 100000), "byte 0x01: this is not PTX text"},
	} {
		t.Run(name, func(t *testing.T) {
			err := error(nil)
			if m, parseErr := Parse("k.ptx", []byte(tt.src)); parseErr != nil {
				err = parseErr
			} else {
				_, err = m.Program("k")
			}
			require.Error(t, err)
			assert.ErrorContains(t, err, tt.want)
			assert.Less(t, len(err.Error()), 10000, "diagnostics stay readable")
		})
	}
}

// The same text gives the same program, and lowering does not change the module.
func TestProgramIsPure(t *testing.T) {
	for _, file := range samples(t) {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		m, err := Parse(file, src)
		require.NoError(t, err)
		for _, k := range m.Kernels() {
			a, err := m.Program(k)
			require.NoError(t, err)
			b, err := m.Program(k)
			require.NoError(t, err)
			assert.Equal(t, a, b)
		}
	}
}
