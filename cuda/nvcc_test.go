package cuda_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/cuda"
)

// nvcc runs the driver.
func nvcc(t *testing.T, args ...string) (messages string, err error) {
	t.Helper()
	compiler(t)
	var out, errs bytes.Buffer
	err = cuda.Nvcc(args, "", &out, &errs)
	return out.String() + errs.String(), err
}

// source returns the absolute path of a file of testdata.
func source(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	require.NoError(t, err)
	return path
}

// linkedOutput is the output of the program of testdata/rdc: 2x + 100 + 5 + 3, -x, 7x.
const linkedOutput = "110 112 114 116\n0 -1 -2 -3\n0 7 14 21\n3 5\n"

// TestRelocatable: the device parts of several files become one module, for each kind of object
// file.
func TestRelocatable(t *testing.T) {
	main, other, again := source(t, "rdc/main.cu"), source(t, "rdc/other.cu"), source(t, "rdc/again.cu")
	t.Chdir(t.TempDir())
	for _, line := range [][]string{
		{"-rdc=true", "-c", "-arch=sm_35", main},
		{"-dc", "-gencode", "arch=compute_50,code=[sm_50,compute_50]", other},
		{"main.o", "other.o", "-o", "objects"},
		{"-dlink", "main.o", "other.o", "-o", "device.o"},
		{"device.o", "main.o", "other.o", "-o", "dlink", "-lcudart"},
		{"-lib", "other.o", "-o", "libother.a"},
		{"main.o", "-L.", "-lother", "-o", "library"},
		{"main.o", "libother.a", "-o", "archive"},
		{"-rdc=true", main, other, "-O1", "-o", "sources"},
	} {
		_, err := nvcc(t, line...)
		require.NoError(t, err, line)
	}
	for _, program := range []string{"objects", "dlink", "library", "archive", "sources"} {
		r := run(t, "pdom", "./"+program)
		assert.Equal(t, linkedOutput, r.out, program)
		assert.Zero(t, r.code, program)
		assert.Empty(t, r.errors, program)
	}

	_, err := nvcc(t, "-rdc=true", main, other, again, "-o", "x")
	assert.ErrorContains(t, err, "link: table of the device is defined in "+other+" and in "+again)
	_, err = nvcc(t, "main.o", "-o", "x")
	assert.ErrorContains(t, err, "link: the device function twice(int) is defined in no file")
	assert.ErrorContains(t, err, "link: the device variable table is defined in no file")
	_, err = nvcc(t, main, other, "-o", "x")
	assert.ErrorContains(t, err, "main.cu: the device function twice(int) is defined in no file; with relocatable code of the device (-rdc=true)")
	assert.NoFileExists(t, "x")
}

func TestNvccOptions(t *testing.T) {
	text := `
#include "two.h"
__global__ void k(float *p) { p[0] = sinf(p[0]) / p[1] + sqrtf(p[2]); }
__global__ void add(float *p) { p[1] = p[0] * p[1] + THREE; }
int main() { return TWO + THREE - 5; }
`
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("k.cu", []byte(text), 0o600))
	require.NoError(t, os.WriteFile("plain.c", []byte("int plain(int class) { return class; }\n"), 0o600))
	require.NoError(t, os.Mkdir("in", 0o700))
	require.NoError(t, os.WriteFile("in/two.h", []byte("#define TWO 2\n"), 0o600))
	ptx := func(args ...string) string {
		t.Helper()
		_, err := nvcc(t, append([]string{"-Iin", "-D", "THREE=3", "-ptx", "k.cu", "-o", "k.ptx"}, args...)...)
		require.NoError(t, err)
		out, err := os.ReadFile("k.ptx")
		require.NoError(t, err)
		return string(out)
	}
	precise := ptx()
	assert.Contains(t, precise, ".target sm_60")
	assert.Contains(t, precise, "div.rn.f32")
	assert.Contains(t, precise, "sqrt.rn.f32")
	assert.Contains(t, precise, "fma.rn.f32")
	fast := ptx("-use_fast_math", "-arch=compute_35")
	assert.Contains(t, fast, ".target sm_35")
	for _, instruction := range []string{"div.full.ftz.f32", "sqrt.approx.ftz.f32", "sin.approx.ftz.f32"} {
		assert.True(t, strings.Contains(fast, instruction), instruction)
	}
	some := ptx("-fmad=false", "-prec-div=false", "--gpu-architecture", "sm_52", "-gencode",
		"arch=compute_70,code=sm_70")
	assert.Contains(t, some, ".target sm_70")
	assert.Contains(t, some, "div.full.f32")
	assert.Contains(t, some, "sqrt.rn.f32")
	_, add, _ := strings.Cut(some, ".entry _Z3addPf(")
	assert.Contains(t, add, "mul.rn.f32")
	assert.NotContains(t, add, "fma.rn.f32")

	_, err := nvcc(t, "-Iin", "-DTHREE=3", "-fatbin", "k.cu")
	require.NoError(t, err)
	code, err := os.ReadFile("k.fatbin")
	require.NoError(t, err)
	assert.Equal(t, precise, string(code), "PTX is what there is")
	_, err = nvcc(t, "-Iin", "-DTHREE=3", "--ptxas-options=-v", "-Xptxas", "-O3", "-maxrregcount", "32", "-Xcompiler",
		"-Wall,-fPIC", "-std=c++17", "-m64", "-lineinfo",
		"--compiler-options", "-fno-strict-aliasing", "-ccbin", "g++", "-c", "k.cu", "plain.c", "-odir", "in", "-MD")
	require.NoError(t, err)
	assert.FileExists(t, "in/plain.o")
	assert.FileExists(t, "in/k.d")
	_, err = nvcc(t, "in/k.o", "in/plain.o", "-o", "k", "-lcudart", "-lm")
	require.NoError(t, err)
	assert.NoError(t, exec.Command("./k").Run())
	out, err := nvcc(t, "--version")
	require.NoError(t, err)
	assert.Contains(t, out, "\nnvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.1, V12.1.0\n")
	out, err = nvcc(t, "-Iin", "-DTHREE=3", "-M", "k.cu")
	require.NoError(t, err)
	assert.Equal(t, "k.o: k.cu in/two.h\n", out)

	for _, c := range []struct{ option, want string }{
		{"--use_fats_math", `nvcc: unknown option "--use_fats_math"; did you mean "-use_fast_math"?`},
		{"-ach=sm_35", `nvcc: unknown option "-ach=sm_35"; did you mean "-arch"?`},
		{"--gpu-architectur=sm_35", `did you mean "--gpu-architecture"?`},
		{"-fopenmp", `nvcc: unknown option "-fopenmp"; those of the host's compiler follow -Xcompiler`},
		{"-arch=35", `nvcc: -arch=35: "35": want sm_60, compute_60 or the like`},
		{"-O5", `nvcc: -O5: unknown value "5"; want one of 0, 1, 2, 3`},
		{"-rdc=yes", `nvcc: -rdc=yes: found "yes", want true or false`},
		{"-optix-ir", "there is no machine code here"},
		{"-m32", "nvcc: -m32: want 64"},
		{"-Xcompiler=-O2 -m32", "nvcc: -Xcompiler=-O2 -m32: want -m64"},
		{"-o", "nvcc: -o: want a value"},
		{"-shared", "shared libraries with device code are not supported"},
		{"-deviceemu", "kernels are not compiled for the host"},
		{"--options-file=none", "none: no such file"},
	} {
		_, err := nvcc(t, "k.cu", c.option)
		assert.ErrorContains(t, err, c.want)
	}
	_, err = nvcc(t, "-pthread", "k.cu")
	assert.ErrorContains(t, err, `unknown option "-pthread"`)
	_, err = nvcc(t, "-c", "k.cu", "plain.c", "-o", "x.o")
	assert.ErrorContains(t, err, "nvcc: -o x.o: found 2 sources, want one")
	_, err = nvcc(t)
	assert.ErrorContains(t, err, "nvcc: want files")
}

// TestBuildSystems: the uses of nvcc by makefiles and CMake, besides compiling
// (CMakeDetermineCUDACompiler, FindCUDA). One is C++ of the host part for another compiler (-cuda).
func TestBuildSystems(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("DIVERGO_TOOLKIT", "/there")
	text := `
#include <cstdio>
__global__ void k(int *p) {
#ifdef __CUDA_ARCH__
    p[0] = __CUDA_ARCH__;
#endif
}
int main() {
    int *d, h = 0;
    cudaMalloc(&d, sizeof h);
    k<<<1, 1>>>(d);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d \"%s\" %d\n", h, NAME, __CUDACC_VER_BUILD__);
}
`
	require.NoError(t, os.WriteFile("k.cu", []byte(text), 0o600))
	// The options file holds -DNAME="\"two words\"".
	require.NoError(t, os.WriteFile("o.rsp", []byte("-DNAME='\"two words\"'\n  -O1 \n"), 0o600))
	messages, err := nvcc(t, "-v", "-forward-unknown-to-host-compiler", "-fsigned-char", "--options-file", "o.rsp",
		"-Xcompiler", `,"-g"`,
		"-gencode", "arch=compute_50,code=[compute_50,sm_50]", "-gencode=arch=compute_120,code=sm_120", "-arch=sm_88",
		"k.cu", "-o", "k")
	require.NoError(t, err)
	for _, line := range []string{
		"#$ ARCHITECTURE=-arch compute_90\n", "#$ TOP=/there\n", "#$ NVVMIR_LIBRARY_DIR=/there/nvvm/libdevice\n",
		"#$ INCLUDES=\"-I/there/include\"\n",
		"#$ LIBRARIES=\"-L/there/lib64\"\n", "\"-L/there/lib64\" -lcudadevrt -lcudart_static -lrt -lpthread -ldl\n",
		" -fsigned-char ", "\n#$ clang-19 ",
	} {
		assert.Contains(t, messages, line)
	}
	assert.Equal(t, "900 \"two words\" 0\n", run(t, "pdom", "./k").out)

	_, err = nvcc(t, "-cuda", "-DNAME=\"\"", "-Xopencc", "-noinline", "--host-compilation", "C++",
		`-gencode=arch=compute_10,code="sm_10,compute_10"`, "-arch=sm_36", "k.cu")
	require.NoError(t, err)
	require.NoError(t, exec.Command("g++", "-c", "k.cu.cpp.ii", "-o", "k.o").Run())
	_, err = nvcc(t, "k.o", "-o", "k")
	require.NoError(t, err)
	assert.Equal(t, "350 \"\" 0\n", run(t, "pdom", "./k").out)
}
