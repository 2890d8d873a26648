package cuda_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/cuda"
	"divergo/gpu"
	"divergo/testbench"
)

// within fails a test whose program does not end in time. The programs of this file hang if
// something is wrong.
func within(t *testing.T, limit time.Duration, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatal("it does not end")
	}
}

// newServer returns a server with one machine.
func newServer(t *testing.T, told io.Writer) *cuda.Server {
	t.Helper()
	session, err := testbench.NewSession(machine(t, gpu.DefaultPreset, "pdom"), testbench.Limits{MaxCycles: 10_000_000})
	require.NoError(t, err)
	return &cuda.Server{Session: session, Launch: (*testbench.Session).Launch, Stderr: told, Name: "test"}
}

// TestProcesses: the device belongs to the first process that uses it. A forked process gets CUDA's
// error for this case and does no harm.
//
// Source: CUDA C++ Programming Guide, "Initialization": a device must not be used across fork.
func TestProcesses(t *testing.T) {
	program := build(t, "testdata/processes.cu")
	self, err := os.Executable()
	require.NoError(t, err)
	const inherited, busy = "cudaErrorInitializationError", "cudaErrorDevicesUnavailable"
	const forked = "cuda: this process was forked from one that uses the device"
	for _, c := range []struct {
		what       string
		run, alone string // output under "divergo cuda run", and of a program run by itself
		told       string // follows each error
	}{
		{"exit", "parent: cudaSuccess, 42\nparent: cudaSuccess, 44\n", "", ""},
		{"exec", "parent: cudaSuccess, 42\nparent: cudaSuccess, 44\n", "", ""},
		{"child", "parent: cudaSuccess, 42\nchild: " + inherited + ", -1\nchild: " + inherited + ", " + inherited +
			"\nparent: cudaSuccess, 44\n", "", forked},
		{"daemon", "parent: cudaSuccess, 42\ndaemon: " + inherited + ", -1\n", "", forked},
		{"early", "daemon: cudaSuccess, 42\ndaemon: cudaSuccess, 44\n", "", ""},
		{
			"both", "child: cudaSuccess, 42\nparent: " + busy + ", -1\n",
			"child: cudaSuccess, 42\nparent: cudaSuccess, 42\n", "cuda: another process of the program has the device",
		},
		{"threads", "0 wrong\n", "", forked},
	} {
		t.Run(c.what, func(t *testing.T) {
			within(t, time.Minute, func() {
				r := run(t, "pdom", program, c.what)
				assert.Equal(t, c.run, r.out, r.errors)
				assert.Contains(t, r.errors, c.told)
				assert.NotContains(t, r.errors, "does not answer")
				assert.Zero(t, r.code)
			})
			t.Setenv("DIVERGO", self)
			t.Setenv("DIVERGO_TEST", t.TempDir())
			var out, told bytes.Buffer
			command := exec.Command(program, c.what)
			command.Stdout, command.Stderr = &out, &told
			within(t, time.Minute, func() { assert.NoError(t, command.Run()) })
			want := c.alone
			if want == "" {
				want = c.run
			}
			assert.Equal(t, want, out.String(), told.String())
		})
	}
}

// TestResets: a reset frees everything of a program, including its modules' variables and the
// buffer of printf. So does unloading a module.
func TestResets(t *testing.T) {
	program := build(t, "testdata/processes.cu")
	for what, want := range map[string]string{
		"resets":  "40\n0 wrong\n",
		"modules": "parent: cudaSuccess, 42\n0 wrong\n",
	} {
		within(t, 2*time.Minute, func() {
			r := run(t, "pdom", program, what)
			assert.Equal(t, want, r.out, what)
			assert.NoError(t, r.server.Failed)
		})
	}
}

// TestDeaf: a program that ignores SIGTERM, and its children, are killed.
func TestDeaf(t *testing.T) {
	program := build(t, "testdata/processes.cu")
	out, wrong, err := os.Pipe() // every remaining process holds the other end
	require.NoError(t, err)
	defer out.Close()
	server := newServer(t, io.Discard)
	start := time.Now()
	within(t, 30*time.Second, func() {
		code, err := cuda.Run(server, func() bool { return time.Since(start) > time.Second }, nil, wrong, io.Discard,
			program, "deaf")
		assert.NoError(t, err)
		assert.Equal(t, 128+9, code)
		assert.NoError(t, wrong.Close())
		_, err = io.Copy(io.Discard, out)
		assert.NoError(t, err)
	})
}

// TestGarbage: bytes that are no request end both sides.
func TestGarbage(t *testing.T) {
	program := build(t, "testdata/processes.cu")
	for _, args := range [][]string{
		{"1"},
		{"7"},
		{"48"},
		{"4096"},
		{"1", "ones"},
		{"8", "ones"},
		{"48", "ones"},
		{"4000", "ones"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			within(t, 30*time.Second, func() {
				var out, told bytes.Buffer
				_, err := cuda.Run(newServer(t, io.Discard), func() bool { return false }, nil, &out, &told, program,
					append([]string{"garbage"}, args...)...)
				assert.ErrorContains(t, err, "connection to the program: found ")
				assert.ErrorContains(t, err, "want a request: something else has written to its descriptor 3")
				assert.Equal(t, "parent: cudaSuccess, 42\nparent: cudaErrorUnknown, -1\n", out.String())
				assert.Equal(t, "cuda: divergo does not answer\n", told.String())
			})
		})
	}
	within(t, 30*time.Second, func() {
		r := run(t, "pdom", program, "taken")
		assert.Equal(t, "parent: cudaErrorDevicesUnavailable, -1\n", r.out)
	})
}

// TestRequests: no request does harm, whatever its fields are.
func TestRequests(t *testing.T) {
	values := []uint64{
		0, 1, 2, 4, 255, 256, 1 << 16, 1 << 20, 1 << 28, 1<<28 + 256, 1 << 32, 1 << 62, 1 << 63,
		1<<64 - 1,
	}
	random := rand.New(rand.NewPCG(1, 2))
	value := func() uint64 { return values[random.IntN(len(values))] }
	for range 300 {
		ours, theirs := net.Pipe()
		within(t, 20*time.Second, func() {
			go func() {
				_, _ = io.Copy(io.Discard, ours) // returns when the other end is closed
			}()
			go func() {
				for range 8 {
					r := cuda.Request(uint32(random.IntN(30)), uint32(random.IntN(2)), value(), value(), value(),
						make([]byte, random.IntN(100)))
					if _, err := ours.Write(r); err != nil {
						return
					}
				}
				_ = ours.Close()
			}()
			_ = newServer(t, io.Discard).Serve(theirs) // an error is expected
			_ = theirs.Close()
		})
	}
}

// TestWindow: the simulator refuses shared memory that could become shorter while it reads.
func TestWindow(t *testing.T) {
	program := build(t, "testdata/window.cpp")
	for what, want := range map[string]string{
		"open":  "it can become shorter, want a file with the seal F_SEAL_SHRINK",
		"file":  "it can become shorter, want a file with the seal F_SEAL_SHRINK",
		"pipe":  "it can become shorter, want a file with the seal F_SEAL_SHRINK",
		"short": "found 4096 bytes, want 2097152",
	} {
		t.Run(what, func(t *testing.T) {
			within(t, 30*time.Second, func() {
				code, err := cuda.Run(newServer(t, io.Discard), func() bool { return false }, nil, io.Discard,
					io.Discard, program, what, "1")
				assert.Zero(t, code)
				assert.ErrorContains(t, err, "memory that is shared with the program: "+want)
			})
		})
	}
	within(t, 30*time.Second, func() {
		_, err := cuda.Run(newServer(t, io.Discard), func() bool { return false }, nil, io.Discard, io.Discard, program,
			"sealed", "0")
		assert.ErrorContains(t, err, "build it again")
	})
}
