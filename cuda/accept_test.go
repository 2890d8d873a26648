package cuda_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/cuda"
	"divergo/gpu"
	"divergo/internal/need"
)

// TestHost: signed overflow wraps, and memory can be read by another type: 2.0f is 0x40000000 (IEEE
// 754).
func TestHost(t *testing.T) {
	r := run(t, "pdom", build(t, "testdata/host.cu", "testdata/hostplain.cpp", "testdata/hostplain.c"))
	assert.Equal(t, "0 0x40000000\n0 0x40000000\n0 0x40000000\n0 wrong\n", r.out, r.errors)
}

// TestSpelling: spellings that nvcc accepts and clang refuses. Messages about the program have its
// own line numbers.
func TestSpelling(t *testing.T) {
	r := run(t, "pdom", build(t, "testdata/spelling.cu"))
	assert.Equal(t, "111111 111111 111111 111111\n0 21\nk << <1, 1 >> >(p)|k << <1, 1 >> >(\"p|<\" 12 40 2\n1000\n",
		r.out, r.errors)

	wrong := filepath.Join(t.TempDir(), "wrong.cu")
	text := "__global__ void k(int *p) {}\nint main() {\n    k << <1, 1 >> >(nothing);\n    k << 1;\n}\n"
	require.NoError(t, os.WriteFile(wrong, []byte(text), 0o600))
	err := cuda.Build([]string{wrong}, filepath.Join(t.TempDir(), "program"), options())
	assert.ErrorContains(t, err, wrong+":3:21: error: use of undeclared identifier 'nothing'")
	assert.ErrorContains(t, err, "    3 |     k <<<")
	assert.ErrorContains(t, err, wrong+":4:7: error: invalid operands")
}

// TestShuffles: shuffles of classes and of values wider than a word.
func TestShuffles(t *testing.T) {
	program := build(t, "testdata/shuffles.cu")
	for _, m := range []string{"pdom", "ptpc", "barrier"} {
		r := run(t, m, program)
		assert.Equal(t, "0 -45\n0 wrong\n", r.out, r.errors)
	}
}

// TestPureVirtual: a device class with undefined functions. Their call is a fault.
func TestPureVirtual(t *testing.T) {
	files := []string{build(t, "testdata/virtual.cu"), filepath.Join(t.TempDir(), "relocatable")}
	_, err := nvcc(t, "-rdc=true", "testdata/virtual.cu", "-o", files[1])
	require.NoError(t, err)
	for _, program := range files {
		r := run(t, "pdom", program)
		assert.Equal(t, "0 1 4 9 8 25 12 49 808 cudaSuccess\n", r.out, r.errors)
		r = run(t, "pdom", program, "early")
		assert.ErrorContains(t, r.server.Failed, "pure virtual function called")
		assert.Contains(t, r.out, "cudaErrorAssert\n")
	}
}

// TestStd: NVIDIA's C++ library, as packaged by Debian, works together with the barriers of our
// headers. 0 + 1 + ... + 63 + 4 = 2020.
func TestStd(t *testing.T) {
	need.Tool(t, "libcu++")
	for _, arch := range []string{"sm_60", "sm_80"} {
		program := filepath.Join(t.TempDir(), "program")
		_, err := nvcc(t, "-arch="+arch, "testdata/std.cu", "-o", program)
		require.NoError(t, err)
		r := run(t, "pdom", program)
		assert.Equal(t, "2020 189 64 -128\n2.5 0 wrong\n", r.out, r.errors)
	}
}

// TestNewer: functions that programs for CUDA 12.2 to 13 call, and headers of other tools.
func TestNewer(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	_, err := nvcc(t, "testdata/newer.cu", "-lcuda", "-lnvToolsExt", "-o", program)
	require.NoError(t, err)
	r := run(t, "pdom", program)
	assert.Equal(t, "0 wrong\ncudaErrorAssert\n", r.out, r.errors)
	for _, text := range []string{
		"cuCtxCreate: contexts with some of the SMs (execAffinityParams) are not supported",
		"cudaGraphConditionalHandleCreate is not supported",
		"cudaGraphAddNode is not supported", "cudaGraphSetConditional: conditional nodes of graphs are not supported",
		"memory pools of the host are not supported",
	} {
		assert.Contains(t, r.errors, text)
	}
}

// TestInlined: a fault in a header's function is reported at the user's line that calls it, in
// linked code too.
func TestInlined(t *testing.T) {
	at := map[string]string{} // lines by kernel
	for _, name := range []string{"testdata/inlined.cu", "testdata/inlined.h"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for i, line := range strings.Split(string(text), "\n") {
			if _, kernel, found := strings.Cut(line, "// HERE "); found {
				at[kernel] = fmt.Sprintf("%s:%d", name, i+1)
			}
		}
	}
	require.Len(t, at, 6)
	linked := filepath.Join(t.TempDir(), "program")
	_, err := nvcc(t, "-rdc=true", "testdata/inlined.cu", "-o", linked)
	require.NoError(t, err)
	for _, program := range []string{build(t, "testdata/inlined.cu"), linked} {
		for kernel, line := range at {
			r := run(t, "pdom", program, kernel)
			require.ErrorContains(t, r.server.Failed, "\n  at "+line+", in ", kernel)
			assert.Regexp(t, `, in \S*(__clang_cuda_\w+\.h|divergo/cuda/include/mma\.h):\d+, PC `,
				r.server.Failed.Error())
		}
	}
}

// TestCallSites: incomplete or malformed debugging information is removed, and the rest of the PTX
// stays unchanged.
func TestCallSites(t *testing.T) {
	const text = ".version 6.4\n.target sm_60\n.visible .entry k()\n{\n\t.loc\t1 3 7\n\tret;\n}\n"
	const file = "\t.file\t1 \"/usr/include/a.h\"\n"
	for _, section := range []string{
		"", "\t.section\t.debug_loc\t{\t}\n", "\t.section\t.debug_info\n\t{\n.b32 7\n\t}\n",
		"\t.section\t.debug_abbrev\n\t{\n.b8 1, 17\n.b8 1\n\t}\n\t.section\t.debug_info\n\t{\n.b32 $L__nowhere\n.b64 $L__tmp0\n.b8\n.b8 x\n\t}\n",
	} {
		debug := strings.Replace(text, "sm_60", "sm_60, debug", 1)
		assert.Equal(t, text+file, string(cuda.CallSites([]byte(debug+section+file))), section)
	}
}

// TestCallSitesOverlap: the compiler moves an instruction of one inlined function between those of
// another. The numbers follow DWARF 2, section 7.
func TestCallSitesOverlap(t *testing.T) {
	const ptx = `.version 6.4
.target sm_60, debug
.visible .entry k()
{
$L__begin:
	.loc	1 9 0
	mov.u32 %r1, 1;
$L__long:
	.loc	2 5 1                           // a.h:5:1
	mov.u32 %r2, 1;
$L__short:
	.loc	2 6 1                           // a.h:6:1
	trap;
$L__end:
	.loc	2 5 2                           // a.h:5:2
	ret;
$L__last:
}
	.section	.debug_abbrev
	{
.b8 1                                   // Abbreviation Code
.b8 17,1,0,0
.b8 2,46,1,17,1,18,1,0,0
.b8 3,29,0,17,1,18,1,88,11,89,11,87,11,0,0
.b8 0
	}
	.section	.debug_info
	{
.b32 67                                 // Length of Unit
.b8 2,0
.b32 .debug_abbrev                      // Offset Into Abbrev. Section
.b8 8,1,2
.b64 $L__begin
.b64 $L__last
.b8 3
.b64 $L__long
.b64 $L__last
.b8 1,10,7                              // DW_AT_call_file, line, column
.b8 3
.b64 $L__short
.b64 $L__end
.b8 1,11,8
.b8 0,0
	}
	.file	1 "k.cu"
	.file	2 "/usr/include/a.h"
`
	var found []string
	for _, line := range strings.Split(string(cuda.CallSites([]byte(ptx))), "\n") {
		if strings.Contains(line, ".loc") {
			found = append(found, strings.TrimSpace(line))
		}
	}
	assert.Equal(t, []string{
		".loc\t1 9 0", ".loc 2 5 1, inlined_at 1 10 7", ".loc 2 6 1, inlined_at 1 11 8",
		".loc 2 5 2, inlined_at 1 10 7",
	}, found)
}

// TestNewerC: C functions whose parameters differ in CUDA 13.
func TestNewerC(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	_, err := nvcc(t, "-Xcompiler", "-Wall,-Werror", "testdata/newerc.c", "-lcuda", "-o", program)
	require.NoError(t, err)
	r := run(t, "pdom", program)
	assert.Equal(t, "0 wrong\n", r.out, r.errors)
}

// TestMemory: the size of the device memory is that of the key gpu.memory.
func TestMemory(t *testing.T) {
	program := build(t, "testdata/memory.cu")
	for _, size := range []int{1, 640} {
		cfg := machine(t, gpu.DefaultPreset, "pdom")
		assert.Equal(t, 512, cfg.GPU.Memory)
		cfg.GPU.Memory = size
		r := runOn(t, cfg, 1, program)
		assert.Equal(t, fmt.Sprintf("%[1]d %[1]d %[1]d %[1]d\ncudaSuccess cudaErrorMemoryAllocation\n1 0 cudaSuccess\n",
			size<<20), r.out, r.errors)
	}
}

// TestAssembler: the cache operators that NVIDIA's assembler gives to loads and stores. Each of the
// three loads and the store accesses one line. Accesses of shared memory have no cache.
func TestAssembler(t *testing.T) {
	caches := source(t, "caches.cu")
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args     string
		bypasses int
	}{
		{"", 0},
		{"-Xptxas -dlcm=cg", 3},
		{"-Xptxas -O3,-dlcm=cs -Xptxas --def-store-cache=cg", 1},
		{"--ptxas-options=-dlcm,cg,-dscm,cg", 4},
		{"-rdc=true -Xptxas -dlcm=cg", 3},
	} {
		messages, err := nvcc(t, append(strings.Fields(c.args), caches, "-o", "program")...)
		require.NoError(t, err, c.args)
		assert.Empty(t, messages, c.args)
		r := runOn(t, machine(t, "kepler", "pdom"), 1, "./program") // lines of 128 bytes
		assert.Equal(t, "2048\n", r.out, r.errors)
		assert.EqualValues(t, c.bypasses, r.server.Session.Counters().L1.Bypasses, c.args)
	}

	text := "__global__ void k(int *p) { int a, b; asm volatile(\"ld.global.cs.u32 %0, [%2]; @p ld.volatile.u32 %1, [%2];\" : \"=r\"(a), \"=r\"(b) : \"l\"(p)); *p = a + b; }\n"
	require.NoError(t, os.WriteFile("k.cu", []byte(text), 0o600))
	ptx := func(args ...string) string {
		_, err := nvcc(t, append(args, "k.cu", "-o", "k.out")...)
		require.NoError(t, err)
		out, err := os.ReadFile("k.out")
		require.NoError(t, err)
		return string(out)
	}
	assert.Contains(t, ptx("-cubin", "-Xptxas", "-dlcm=cg"), "ld.global.cs.u32 %r1, [%rd1]; @p ld.volatile.u32")
	assert.Contains(t, ptx("-cubin", "-Xptxas", "-flcm=cg"), "ld.global.cg.u32 %r1, [%rd1]; @p ld.volatile.u32")
	assert.Contains(t, ptx("-cubin", "-Xptxas", "-fscm=wt"), "st.global.wt.u32")
	assert.NotContains(t, ptx("-ptx", "-Xptxas", "-fscm=wt"), "st.global.wt.u32")

	messages, err := nvcc(t, "-c", "k.cu", "-Xptxas", "-v,-O2,-warn-spills,--fancy=3",
		"-Xptxas=-register-usage-level,5 -w")
	require.NoError(t, err)
	assert.Equal(t, "nvcc: warning: -Xptxas --fancy=3 -register-usage-level does nothing: there is no assembler\n",
		messages)
	messages, err = nvcc(t, "-dc", "k.cu", "-Xptxas", "-dlcm=cg")
	require.NoError(t, err)
	assert.Contains(t, messages, "nvcc: warning: cache operators (-Xptxas) of relocatable code are chosen when it is linked")
	_, err = nvcc(t, "-c", "k.cu", "-Xptxas", "-dlcm=gc")
	assert.EqualError(t, err, `nvcc: -Xptxas -dlcm=gc: found "gc", want one of ca, cg, cs, lu, cv`)
}
