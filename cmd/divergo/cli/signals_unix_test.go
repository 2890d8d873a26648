//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"divergo/internal/forall"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stuck is a compiler that reports that it started, and never ends.
const stuck = "#!/bin/sh\n>begun\nexec sleep 600\n"

// writeProgram writes a program, while no other test starts a process. The process would have the file
// open for writing, and the program could not be run.
func writeProgram(t *testing.T, name string, data []byte) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(name, data, 0o755))
}

// TestSignals: each terminating signal ends the command while a compiler hangs. No temporary
// folder, hidden file or process remains.
func TestSignals(t *testing.T) {
	if testing.Short() {
		t.Log("one signal of four")
	}
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP) // else the programs inherit an ignored SIGHUP, as under nohup
	t.Cleanup(func() { signal.Stop(heard) })
	own, err := os.Executable()
	require.NoError(t, err)
	for _, command := range [][]string{
		{"cuda", "build", "k.cu", "-o", "k"},
		{"cuda", "run", "k.cu"},
		{"cuda", "nvcc", "-c", "k.cu", "-o", "k.o"},
		{"sweep", "plan.toml", "--store", "plan.toml.sweep"},
	} {
		for i, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
			if testing.Short() && i > 0 {
				break
			}
			t.Run(strings.Join(command, " ")+", "+s.String(), func(t *testing.T) {
				t.Parallel()
				work, bin, temp := t.TempDir(), t.TempDir(), t.TempDir()
				writeProgram(t, filepath.Join(bin, "clang-19"), []byte(stuck))
				require.NoError(t, os.WriteFile(filepath.Join(work, "k.cu"), []byte("int main() {}\n"), 0o666))
				program, err := os.ReadFile(own)
				require.NoError(t, err)
				// a copy, so that its processes have its name: see TestMain
				writeProgram(t, filepath.Join(bin, "divergo"), program)
				kept := []string{"k.cu"}
				if command[0] == "sweep" {
					plan := []byte("kernel = \"k.cu\"\n")
					require.NoError(t, os.WriteFile(filepath.Join(work, "plan.toml"), plan, 0o666))
					kept = append(kept, "plan.toml", "plan.toml.sweep")
				}
				c := exec.Command(filepath.Join(bin, "divergo"), command...)
				c.Dir = work
				c.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "TMPDIR="+temp)
				require.NoError(t, c.Start())
				begun := filepath.Join(work, "begun")
				require.Eventually(t, func() bool { _, err := os.Stat(begun); return err == nil }, time.Minute,
					10*time.Millisecond)
				for range 2 { // the second one ends the command at once
					_ = c.Process.Signal(s)
					time.Sleep(100 * time.Millisecond)
				}
				err = c.Wait()
				var exit *exec.ExitError
				require.ErrorAs(t, err, &exit)
				assert.Equal(t, exitInterrupted, exit.ExitCode())
				require.NoError(t, os.Remove(begun))
				for folder, want := range map[string][]string{work: kept, temp: nil} {
					// the workers of a sweep end by themselves, a moment later
					assert.EventuallyWithT(t, func(t *assert.CollectT) {
						entries, err := os.ReadDir(folder)
						require.NoError(t, err)
						var names []string
						for _, e := range entries {
							names = append(names, e.Name())
						}
						assert.Equal(t, want, names)
					}, time.Minute, 10*time.Millisecond)
				}
			})
		}
	}
}

// TestInterruptedCounterexample: a finding is reported before its waveform is made. If that is
// interrupted, the folder is complete except for the waveform, and holds no hidden files.
func TestInterruptedCounterexample(t *testing.T) {
	own, err := os.Executable()
	require.NoError(t, err)
	for i, flags := range [][]string{nil, {"--json"}} {
		if forall.LeftOut(i, 2) {
			continue
		}
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			t.Parallel()
			bin, work := t.TempDir(), t.TempDir()
			require.NoError(t, os.Symlink(own, filepath.Join(bin, "divergo")))
			c := exec.Command(filepath.Join(bin, "divergo"),
				append([]string{"check", "wrap", "--shrink", "1ms", "--features", "loops", "--seed", "3"}, flags...)...)
			c.Dir, c.Env = work, append(os.Environ(), "PLANTED=1")
			out, err := c.StdoutPipe()
			require.NoError(t, err)
			var said bytes.Buffer
			c.Stderr = &said
			require.NoError(t, c.Start())
			var told []byte
			for b := make([]byte, 4096); !bytes.Contains(told, []byte("counterexample/wrap-")) || flags != nil &&
				!bytes.HasSuffix(told, []byte("}\n")); {
				n, err := out.Read(b)
				require.NoError(t, err, "%s", told)
				told = append(told, b[:n]...)
			}
			require.NoError(t, c.Process.Signal(syscall.SIGINT), "it still runs")
			rest, err := io.ReadAll(out)
			require.NoError(t, err)
			assert.Empty(t, rest)
			var exit *exec.ExitError
			require.ErrorAs(t, c.Wait(), &exit)
			assert.Equal(t, exitInterrupted, exit.ExitCode())
			assert.Contains(t, said.String(), "divergo: wrap, seed ")
			assert.Contains(t, said.String(), "watchdog: not finished after 25000000 cycles")
			assert.Contains(t, said.String(), "\ninterrupted\n")
			if flags != nil {
				require.True(t, json.Valid(told), "%s", told)
			}
			entries, err := filepath.Glob(filepath.Join(work, "counterexample", "*"))
			require.NoError(t, err)
			require.Len(t, entries, 1)
			files, err := os.ReadDir(entries[0])
			require.NoError(t, err)
			var names []string
			for _, f := range files {
				names = append(names, f.Name())
			}
			assert.Equal(t, []string{"README.md", "bucket.json", "kernel.ptx", "launch.json", "machine.toml"}, names)
		})
	}
}
