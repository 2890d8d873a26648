package cuda_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/cuda"
	"divergo/gpu"
	"divergo/internal/forall"
	"divergo/internal/need"
	"divergo/sm/divergence"
	"divergo/testbench"
)

func options() cuda.Options { return cuda.Options{Level: "2", Arch: cuda.DefaultArch} }

// compiler skips a test without the tools that compile CUDA. With -short, three tests compile.
func compiler(t *testing.T) {
	t.Helper()
	need.Tool(t, need.CUDA...)
	if testing.Short() && !slices.Contains([]string{"TestFeatures", "TestNewerC", "TestPrograms"}, t.Name()) {
		t.Skip("compiles CUDA")
	}
}

func build(t *testing.T, sources ...string) string {
	t.Helper()
	compiler(t)
	program := filepath.Join(t.TempDir(), "program")
	require.NoError(t, cuda.Build(sources, program, options()))
	return program
}

// ran is the outcome of a program.
type ran struct {
	server      *cuda.Server
	out, errors string // errors: the standard error of the program, then of the server
	code        int
}

// machine returns a preset with a mechanism. It has few SMs and a small L2, so that it builds
// quickly.
func machine(t *testing.T, preset, mechanism string) gpu.Config {
	t.Helper()
	p, err := gpu.FindPreset(preset)
	require.NoError(t, err)
	cfg := p.Config()
	cfg.GPU.SMs, cfg.L2.Size = 4, 64<<10
	cfg.Divergence.Mechanism = mechanism
	return cfg
}

func run(t *testing.T, mechanism, program string, args ...string) ran {
	t.Helper()
	return runOn(t, machine(t, gpu.DefaultPreset, mechanism), 1, program, args...)
}

func runOn(t *testing.T, cfg gpu.Config, workers int, program string, args ...string) ran {
	t.Helper()
	session, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 10_000_000})
	require.NoError(t, err)
	session.Machine.System().Workers = workers
	var out, wrong, told bytes.Buffer
	server := &cuda.Server{Session: session, Launch: (*testbench.Session).Launch, Stderr: &told, Name: "test"}
	code, err := cuda.Run(server, func() bool { return false }, nil, &out, &wrong, program, args...)
	require.NoError(t, err)
	return ran{server, out.String(), wrong.String() + told.String(), code}
}

// programs lists the programs of kernels/programs, with arguments that make them small.
var programs = []struct {
	name, args string
	launches   int // 0: depends on the data
}{
	{"align", "48", 5},
	{"bfs", "400 3", 0},
	{"kmeans", "300 4", 0},
	{"lu", "3", 7},
	{"particlefilter", "200 2", 7},
	{"raytrace", "20 3", 1},
	{"sort", "300", 24},
	{"stencil", "21 3", 4},
}

// TestPrograms: the programs are right under all mechanisms, with warps of 32 and of 16 threads,
// and copy the same bytes back. Output, copies and counters are the same with two workers. With
// -short it runs every fourth program.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("../kernels/programs/*.cu")
	require.NoError(t, err)
	assert.Len(t, files, len(programs))
	for i, c := range programs {
		if forall.LeftOut(i, 4) {
			continue
		}
		program := build(t, filepath.Join("../kernels/programs", c.name+".cu"))
		var first []cuda.Copy
		for i, m := range divergence.Mechanisms() {
			for j, preset := range []string{gpu.DefaultPreset, "ppc"} {
				if forall.LeftOut(2*i+j, 5) {
					continue
				}
				t.Run(c.name+"/"+m.Name+"/"+preset, func(t *testing.T) {
					r := runOn(t, machine(t, preset, m.Name), 1, program, strings.Fields(c.args)...)
					assert.Zero(t, r.code, r.errors)
					assert.Contains(t, r.out, ": PASS\n")
					assert.NoError(t, r.server.Failed)
					if c.launches > 0 {
						assert.Len(t, r.server.Session.Runs, c.launches)
					}
					if first == nil {
						first = r.server.Copies
					}
					assert.NotEmpty(t, r.server.Copies)
					assert.Equal(t, first, r.server.Copies)
					if preset != gpu.DefaultPreset || m.Name != "pdom" && m.Name != "tbc" {
						return
					}
					two := runOn(t, machine(t, preset, m.Name), 2, program, strings.Fields(c.args)...)
					assert.Equal(t, r.out, two.out)
					assert.Equal(t, r.server.Copies, two.server.Copies)
					assert.Equal(t, r.server.Session.Counters(), two.server.Session.Counters())
				})
			}
		}
	}
}

func TestFeatures(t *testing.T) {
	r := run(t, "pdom", build(t, "testdata/features.cu", "testdata/part.cu", "testdata/plain.cpp"))
	assert.Zero(t, r.code)
	assert.Equal(t, "4 SMs at 1300000 kHz, compute capability 6.0\n0 wrong\n", r.out)
	assert.Empty(t, r.errors)
}

// TestEnds: the death of a program ends its server, which leaves nothing behind. If the server is
// killed, the program's next call returns an error.
func TestEnds(t *testing.T) {
	program := build(t, "testdata/errors.cu")
	self, err := os.Executable()
	require.NoError(t, err)
	for _, who := range []string{"program", "server"} {
		t.Run(who, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("DIVERGO", self)
			t.Setenv("DIVERGO_TEST", dir)
			t.Setenv("TMPDIR", dir)
			var out, told bytes.Buffer
			c := exec.Command(program, "hours")
			c.Stdout, c.Stderr = &out, &told
			c.WaitDelay = 30 * time.Second // the server shares the standard error
			require.NoError(t, c.Start())
			exists := func(name string) func() bool {
				return func() bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil }
			}
			require.Eventually(t, exists("launched"), 30*time.Second, 10*time.Millisecond)
			data, err := os.ReadFile(filepath.Join(dir, "pid"))
			require.NoError(t, err)
			pid, err := strconv.Atoi(string(data))
			require.NoError(t, err)
			server, err := os.FindProcess(pid)
			require.NoError(t, err)
			defer func() { _ = server.Kill() }() // in case it still runs
			if who == "program" {
				require.NoError(t, c.Process.Kill())
				assert.Error(t, c.Wait())
				assert.Eventually(t, exists("ended"), 30*time.Second, 10*time.Millisecond)
				names, err := os.ReadDir(dir)
				require.NoError(t, err)
				assert.Len(t, names, 3, "but for pid, launched and ended")
				return
			}
			require.NoError(t, server.Kill())
			assert.NoError(t, c.Wait())
			assert.Equal(t, 4, strings.Count(out.String(), ": cudaErrorUnknown\n"), out.String())
			assert.Equal(t, "cuda: divergo does not answer\n", told.String())
		})
	}
}

// TestMain is also the simulator of the programs of TestEnds. It writes its outcome to a file of
// the folder.
func TestMain(m *testing.M) {
	dir := os.Getenv("DIVERGO_TEST")
	if len(os.Args) != 4 || os.Args[2] != "serve" || dir == "" {
		os.Exit(m.Run())
	}
	mark := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	session, err := testbench.NewSession(gpu.Default(), testbench.Limits{})
	descriptor, wrong := strconv.Atoi(os.Args[3])
	if err != nil || wrong != nil {
		panic(errors.Join(err, wrong))
	}
	mark("pid", strconv.Itoa(os.Getpid()))
	launch := func(s *testbench.Session, l testbench.Launch) error {
		mark("launched", "")
		return s.Launch(l)
	}
	// an error means that the program ended
	_ = cuda.ServeDescriptor(&cuda.Server{Session: session, Launch: launch, Stderr: io.Discard, Name: "test"},
		descriptor)
	mark("ended", "")
}

// TestHeaders: functions that clang's headers lack, for a GPU that has all of them.
func TestHeaders(t *testing.T) {
	compiler(t)
	program := filepath.Join(t.TempDir(), "program")
	o := options()
	o.Arch = "sm_80"
	require.NoError(t, cuda.Build([]string{"testdata/headers.cu"}, program, o))
	for _, m := range []string{"pdom", "ptpc", "barrier"} {
		r := run(t, m, program)
		assert.Equal(t, "0 wrong\n", r.out, r.errors)
		assert.NoError(t, r.server.Failed)
	}
}

// TestDevice: the device heap, whose lists are changed by threads on different paths; groups; and
// 16-bit numbers.
func TestDevice(t *testing.T) {
	program := build(t, "testdata/device.cu")
	for _, m := range []string{"pdom", "tbc", "ppc", "barrier"} {
		r := run(t, m, program)
		assert.Equal(t, "0 wrong\n", r.out, m)
		assert.NoError(t, r.server.Failed, m)
		assert.Contains(t, r.errors, "of them can run at a time")
	}
}

// TestMatrices: matrix products of a warp, which needs 32 threads.
func TestMatrices(t *testing.T) {
	program := build(t, "testdata/wmma.cu")
	for _, m := range []string{"pdom", "tbc"} {
		r := runOn(t, machine(t, "kepler", m), 1, program)
		assert.Equal(t, "0 wrong\n", r.out, m)
		assert.NoError(t, r.server.Failed, m)
	}
	r := runOn(t, machine(t, "ppc", "pdom"), 1, program)
	assert.ErrorContains(t, r.server.Failed, "launch 1, ")
	assert.Contains(t, r.errors, "wmma::mma_sync: warps have 32 threads")
}

// TestTextures: each way to read a texture compared with the host; formats, references, surfaces
// and arrays.
func TestTextures(t *testing.T) {
	program := build(t, "testdata/texture.cu")
	for _, m := range []string{"pdom", "tbc"} {
		r := run(t, m, program)
		assert.Equal(t, "0 wrong\n", r.out, m)
		assert.Contains(t, r.errors, "launch 53, trap(unsigned long long): fault: trap")
	}
}

// TestTexturesInPTX: the functions of CUDA C and the instructions of PTX give the same values as
// fetches in C, for objects and for references, by loads and by a texture unit.
func TestTexturesInPTX(t *testing.T) {
	program, references := build(t, "testdata/fetchptx.cu"), build(t, "testdata/texref.cpp")
	for _, run := range [][2]string{{"pdom", "loads"}, {"pdom", "unit"}, {"tbc", "unit"}} {
		m, fetch := run[0], run[1]
		cfg := machine(t, gpu.DefaultPreset, m)
		require.NoError(t, cfg.Set("texture.size=32768"))
		require.NoError(t, cfg.Set("texture.fetch="+fetch))
		r := runOn(t, cfg, 1, program)
		assert.Equal(t, "0 wrong\n", r.out, "%s, %s: %s", m, fetch, r.errors)
		texels := r.server.Session.Counters()
		assert.Equal(t, fetch == "unit", texels.TextureUnit.Fetches > 0, "%s, %s", m, fetch)
		r = runOn(t, cfg, 1, references, "testdata/texref.ptx")
		assert.Equal(t, "0 wrong\n", r.out, "%s, %s: %s", m, fetch, r.errors)
	}
}

// TestEachHeader: each header can be the only one included, in CUDA, C++ and C.
func TestEachHeader(t *testing.T) {
	var all strings.Builder
	for _, pattern := range []string{"include/*.h", "include/*/*.h"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range names {
			if !strings.HasPrefix(name, "include/divergo/") {
				fmt.Fprintf(&all, "#include <%s>\n", strings.TrimPrefix(name, "include/"))
			}
		}
	}
	// Programs test these guards to learn which headers are included.
	for _, guard := range []string{
		"__DRIVER_TYPES_H__", "__CUDA_RUNTIME_H__", "__CUDA_RUNTIME_API_H__",
		"__VECTOR_TYPES_H__", "__cuda_cuda_h__",
	} {
		fmt.Fprintf(&all, "#ifndef %[1]s\n#error %[1]s\n#endif\n", guard)
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.cu", "b.cpp", "c.c"} {
		require.NoError(t, os.WriteFile(name, []byte(all.String()+"int "+name[:1]+";\n"), 0o600))
	}
	_, err := nvcc(t, "-c", "a.cu", "b.cpp", "c.c")
	assert.NoError(t, err)
	_, err = nvcc(t, "-c", "-std=c++03", "b.cpp")
	assert.NoError(t, err)
}

// TestAPI: each function of the runtime and of the driver.
func TestAPI(t *testing.T) {
	r := run(t, "pdom", build(t, "testdata/api.cu", "testdata/api_other.cu"))
	assert.Equal(t, "0 wrong\n", r.out, r.errors)
	assert.Zero(t, r.code)
	assert.NoError(t, r.server.Failed)
	for _, text := range []string{
		"cuda: cudaGraphDebugDotPrint is not supported\n",
		"cuda: cudaHostGetDevicePointer: 0x", "attribute 7777 is not known",
	} {
		assert.Contains(t, r.errors, text)
	}
}

// TestLenient: old programs compile and run.
func TestLenient(t *testing.T) {
	assert.Equal(t, "7 4 4 1 23 111\n", run(t, "pdom", build(t, "testdata/lenient.cu", "testdata/lenient.c")).out)
}

// TestGraphs: graphs do the same as separate calls.
func TestGraphs(t *testing.T) {
	r := run(t, "pdom", build(t, "testdata/graph.cu"))
	assert.Equal(t, "0 wrong\n", r.out, r.errors)
	assert.NoError(t, r.server.Failed)
	assert.Contains(t, r.errors, "nodes of the graph wait for each other in a circle")
}

func TestDriverAPI(t *testing.T) {
	fetch := filepath.Join(t.TempDir(), "fetch.ptx")
	_, err := nvcc(t, "-ptx", "testdata/fetch.cu", "-o", fetch)
	require.NoError(t, err)
	r := run(t, "pdom", build(t, "testdata/driver.cpp"), "testdata/scale.ptx", fetch)
	assert.Equal(t, "0 wrong\n", r.out, r.errors)
	assert.Zero(t, r.code)
	for _, text := range []string{
		"module 3:3:1: ", "cuda: cuTexRefCreate is not supported\n", "found machine code (cubin or fatbin), want PTX",
		"missing.ptx: No such file",
		"scale takes 12 bytes of parameters, the launch gives 8", "sclae", "fcator: its file has no such variable",
		"which was freed",
	} {
		assert.Contains(t, r.errors, text)
	}
}

// TestVirtualMemory: addresses and memory that are managed separately, and accesses that they
// refuse.
func TestVirtualMemory(t *testing.T) {
	program := build(t, "testdata/virtual.cpp")
	r := run(t, "pdom", program, "calls")
	assert.Equal(t, "0 wrong\n", r.out, r.errors)
	for _, text := range []string{
		"memory at two addresses at a time is not supported", "cuMemExportToShareableHandle is not supported",
		"memory for other processes (requestedHandleTypes 1)",
		"memory that can only be read is not supported", "want multiples of 2097152",
		"of which 6291456 are accessible: ",
	} {
		assert.Contains(t, r.errors, text)
	}
	for what, where := range map[string]string{
		"reserved": "which is reserved, and no memory is mapped there",
		"unmapped": "which is reserved, and no memory is mapped there",
		"mapped":   "to which memory is mapped without access", "denied": "to which memory is mapped without access",
	} {
		r := run(t, "pdom", program, what)
		assert.Zero(t, r.code, r.out)
		assert.ErrorContains(t, r.server.Failed, where)
	}
}

// TestDriverFunctions: cuGetProcAddress knows all functions that cuda.h declares.
func TestDriverFunctions(t *testing.T) {
	header, err := os.ReadFile("include/cuda.h")
	require.NoError(t, err)
	driver, err := os.ReadFile("runtime/driver.c")
	require.NoError(t, err)
	_, list, _ := strings.Cut(string(driver), "#define FUNCTIONS(F)")
	list, _, _ = strings.Cut(list, "\n\n")
	declared := regexp.MustCompile(`(?m)^CUresult (cu\w+)\(`).FindAllStringSubmatch(string(header), -1)
	assert.Greater(t, len(declared), 150)
	for _, name := range declared {
		assert.Contains(t, list, "F("+name[1]+")")
	}
}

// TestCopies: short copies go over the socket, long ones through the window.
func TestCopies(t *testing.T) {
	r := run(t, "pdom", build(t, "testdata/copies.cu"))
	assert.Zero(t, r.code, r.out)
	assert.Equal(t, "all the same\n", r.out)
	assert.Equal(t, 2, strings.Count(r.errors, "\n"), r.errors) // two allocations that do not fit
}

// TestAnotherVersion: the user is told if a program was built with another runtime.
func TestAnotherVersion(t *testing.T) {
	session, err := testbench.NewSession(machine(t, gpu.DefaultPreset, "pdom"), testbench.Limits{})
	require.NoError(t, err)
	server := &cuda.Server{Session: session, Launch: (*testbench.Session).Launch, Stderr: io.Discard, Name: "test"}
	code, err := cuda.Run(server, func() bool { return false }, nil, io.Discard, io.Discard,
		build(t, "testdata/old.cpp"))
	assert.Zero(t, code)
	assert.ErrorContains(t, err, "build it again")
}

// TestErrors: CUDA's codes are those that its manual gives (CUDA Runtime API, cudaError_t).
func TestErrors(t *testing.T) {
	program := build(t, "testdata/errors.cu")
	calls := run(t, "pdom", program, "calls")
	assert.Zero(t, calls.code)
	assert.NoError(t, calls.server.Failed)
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(calls.out), "\n") {
		_, name, _ := strings.Cut(line, "): ")
		names = append(names, strings.TrimPrefix(name, "cuda"))
	}
	const invalid, config = "ErrorInvalidValue", "ErrorInvalidConfiguration"
	assert.Equal(t, []string{
		invalid, invalid, invalid, invalid, "ErrorInvalidMemcpyDirection", invalid,
		"Success", invalid, "ErrorInvalidSymbol",
		invalid, invalid, "Success", invalid, "Success", invalid,
		"ErrorInvalidDevice", "ErrorMemoryAllocation", "ErrorMemoryAllocation", "ErrorMemoryAllocation", "Success",
		config, config, config, "ErrorLaunchOutOfResources", "Success", "Success",
	}, names, calls.out)
	for _, text := range []string{
		"68 bytes at 0x10000000, 4 more than there are", "which was freed",
		"a pointer of the host", "block 2000x1x1: 2000 threads in x",
		"registers, an SM has 16384; there is room with --preset kepler or --preset maxwell",
	} {
		assert.Contains(t, calls.errors, text)
	}

	for _, c := range []struct{ what, code, diagnosis string }{
		{"bounds", "IllegalAddress", "0 bytes behind the end of the allocation"},
		{"host", "IllegalAddress", "a pointer of the host"},
		{"freed", "IllegalAddress", "4 bytes behind the start of [0x10000100, 0x10000140), which was freed"},
		{"misaligned", "MisalignedAddress", "errors.cu:7"},
		{"assert", "Assert", "errors.cu:8: void asserts(int): x == 3"},
		{"endless", "LaunchTimeout", "endless loop"},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := run(t, "pdom", program, c.what)
			assert.Zero(t, r.code)
			assert.Equal(t, 4, strings.Count(r.out, ": cudaError"+c.code+"\n"), r.out)
			assert.NotContains(t, r.out, "in the kernel")
			assert.ErrorContains(t, r.server.Failed, "launch 1, ")
			assert.Contains(t, r.errors, c.diagnosis)
		})
	}
	kernel := run(t, "pdom", program, "kernel")
	assert.Equal(t, 3, strings.Count(kernel.out, ": cudaErrorInvalidDeviceFunction\n"), kernel.out)
	assert.Contains(t, kernel.out, "in the kernel\ncudaDeviceSynchronize(): cudaSuccess\n", "the error is not sticky")
	assert.Contains(t, kernel.errors, "is no kernel of the program")
	assert.NoError(t, kernel.server.Failed)

	memory := run(t, "pdom", program, "memory")
	assert.Equal(t, `cudaMalloc(&q, left + 1): cudaErrorMemoryAllocation
cudaMallocManaged(&q, left + 1): cudaErrorMemoryAllocation
cudaMalloc(&q, left / 2): cudaSuccess
cudaMalloc(&p, left): cudaErrorMemoryAllocation
cudaFree(q): cudaSuccess
cudaMalloc(&p, left): cudaSuccess
`, memory.out)
	assert.Contains(t, memory.errors, "bytes asked for, ")

	killed := run(t, "pdom", program, "killed")
	assert.Equal(t, 128+9, killed.code)
	assert.Empty(t, killed.errors)
	assert.NoError(t, killed.server.Failed)

	r := run(t, "pdom", program, "noticed")
	assert.Equal(t, 3, r.code)
	assert.Contains(t, r.out, "in the kernel\ncudaDeviceSynchronize(): cudaSuccess\n")
}

func TestBuildErrors(t *testing.T) {
	compiler(t)
	for _, c := range []struct{ name, text, want string }{
		{
			"k.cu", "__global__ void k(int *a) {\n    a[0] = b;\n}\n",
			"k.cu:2:12: error: use of undeclared identifier 'b'",
		},
		{"k.cu", "#include <cufft.h>\n", "k.cu:1:10: fatal error: 'cufft.h' file not found"},
		{"k.cu", "#include <cuda/no_such>\n", "NVIDIA's C++ library is not installed (Debian package libcu++-dev)"},
		{
			"k.cu", "__global__ void k(float *a) { a[0] = j0f(a[1]); }\nint main() {}\n",
			"k.cu: the device function j0f is not supported",
		},
		{
			"k.cu", "__device__ int other(int);\n__global__ void k(int *a) { a[0] = other(a[1]); }\nint main() {}\n",
			"other(int) is defined in no file",
		},
		{"k.cu", "int main() { return cudaMalocManaged(); }\n", "undeclared identifier 'cudaMalocManaged'"},
		{
			"k.cu", "#include <cooperative_groups.h>\n__global__ void k() { cooperative_groups::this_multi_grid(); }\n",
			"'this_multi_grid' is unavailable: groups of several devices are not supported",
		},
		{"k.cu", "#include <mma.h>\nnvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> c;\n__device__ nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 4, half, nvcuda::wmma::row_major> a;\n", "there is no such shape of this type; 16x16x16, 32x8x16 and"},
		{
			"k.cu", "__global__ void c() {}\n__global__ void k() { c<<<1, 1>>>(); }\n",
			"kernels that launch kernels (dynamic parallelism) are not supported",
		},
		{"k.f90", "", "k.f90: want a file that ends in .cu, .cpp"},
	} {
		file := filepath.Join(t.TempDir(), c.name)
		require.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
		err := cuda.Build([]string{file}, filepath.Join(t.TempDir(), "program"), options())
		assert.ErrorContains(t, err, c.want)
	}
}

func TestBuildWithoutCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := cuda.Build([]string{"testdata/errors.cu"}, filepath.Join(t.TempDir(), "program"), options())
	assert.ErrorContains(t, err, "clang-19 is not installed (Debian packages clang-19, libclc-19 and g++)")
}

func ExampleBuild() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "bfs")
	fmt.Println(cuda.Build([]string{"../kernels/programs/bfs.cu"}, program,
		cuda.Options{Level: "2", Arch: cuda.DefaultArch}))
}
