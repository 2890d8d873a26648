//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stuck is a program that is asked to write a file and does not end. It says that it has begun.
const stuck = "#!/bin/sh\nfor a; do case $a in --fstname=*) >\"${a#--fstname=}.hier\" ;; esac; done\n>begun\nexec sleep 600\n"

// TestSignals: each signal that asks for an end does so while a compiler or a converter does not
// answer. Nothing is left behind: no temporary folder, no hidden file, no process.
func TestSignals(t *testing.T) {
	if testing.Short() {
		t.Log("one signal of four")
	}
	own, err := os.Executable()
	require.NoError(t, err)
	for _, command := range [][]string{
		{"cuda", "build", "k.cu", "-o", "k"},
		{"cuda", "run", "k.cu"},
		{"cuda", "nvcc", "-c", "k.cu", "-o", "k.o"},
		{"run", "bitonic", "--set", "gpu.sms=1", "--vcd", "k.fst"},
	} {
		for i, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
			if testing.Short() && i > 0 {
				break
			}
			t.Run(strings.Join(command, " ")+", "+s.String(), func(t *testing.T) {
				t.Parallel()
				work, bin, temp := t.TempDir(), t.TempDir(), t.TempDir()
				for _, tool := range []string{"clang-19", "vcd2fst"} {
					require.NoError(t, os.WriteFile(filepath.Join(bin, tool), []byte(stuck), 0o755))
				}
				require.NoError(t, os.WriteFile(filepath.Join(work, "k.cu"), []byte("int main() {}\n"), 0o666))
				require.NoError(t, os.Symlink(own, filepath.Join(bin, "divergo"))) // see TestMain
				c := exec.Command(filepath.Join(bin, "divergo"), command...)
				c.Dir = work
				c.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "TMPDIR="+temp)
				require.NoError(t, c.Start())
				begun := filepath.Join(work, "begun")
				require.Eventually(t, func() bool { _, err := os.Stat(begun); return err == nil }, time.Minute, 10*time.Millisecond)
				for range 2 { // the second one ends it at once
					_ = c.Process.Signal(s)
					time.Sleep(100 * time.Millisecond)
				}
				err := c.Wait()
				var exit *exec.ExitError
				require.ErrorAs(t, err, &exit)
				assert.Equal(t, exitInterrupted, exit.ExitCode())
				require.NoError(t, os.Remove(begun))
				for folder, want := range map[string][]string{work: {"k.cu"}, temp: nil} {
					entries, err := os.ReadDir(folder)
					require.NoError(t, err)
					var names []string
					for _, e := range entries {
						names = append(names, e.Name())
					}
					assert.Equal(t, want, names)
				}
			})
		}
	}
}
