package waves_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/need"
	"divergo/waves"
	"divergo/waves/vcdread"
)

// tool runs a program with a time limit, and returns what it prints. The test is skipped without
// the tools of GTKWave.
func tool(t *testing.T, dir, name string, args ...string) (stdout, stderr string) {
	t.Helper()
	need.Tool(t, "gtkwave")
	// timeout ends the program and all that it started.
	c := exec.Command("timeout", append([]string{"--kill-after=5", "60", name}, args...)...)
	c.Dir = dir
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	require.NoError(t, c.Run(), "%s: %s%s", name, out.String(), errs.String())
	return out.String(), errs.String()
}

// requireSameDump compares the signals of two dumps, change by change.
func requireSameDump(t *testing.T, want, got *vcdread.Dump) {
	t.Helper()
	require.Len(t, got.Signals, len(want.Signals))
	for _, s := range want.Signals {
		g, ok := got.Signal(s.Path)
		require.True(t, ok, "%s is lost", s.Path)
		require.Equal(t, s.Width, g.Width, s.Path)
		require.True(t, history(want, s) == history(got, g), "%s differs", s.Path)
	}
}

// history lists the changes of a signal as text, without repetitions of the same value.
func history(d *vcdread.Dump, s vcdread.Signal) string {
	var b strings.Builder
	last := ""
	for _, c := range d.Changes[s.Net] {
		if v := fmt.Sprintf("%x/%x", c.Value, c.Unknown); v != last {
			fmt.Fprintf(&b, "%d:%s ", c.Time, v)
			last = v
		}
	}
	return b.String()
}

// tortureDumps are dumps that are hard for readers: late starts, clocks, enough signals for
// identifiers of two characters, 64 bits, a trigger.
var tortureDumps = map[string]struct {
	opts waves.Options
	run  func(*toy)
}{
	"all":    {waves.Options{}, runToy},
	"clocks": {waves.Options{Clocks: true, From: 100, To: 200}, runToy},
	"trigger": {waves.Options{Trigger: &waves.Trigger{
		Signal: "**.PC", Op: ">", Value: "50",
		Before: 30,
	}}, runToy},
	"one":   {waves.Options{Filter: []string{"toy.sm[0].Flag"}}, runToy},
	"empty": {waves.Options{}, func(*toy) {}},
	"long": {waves.Options{Filter: []string{"toy.mem"}}, func(y *toy) {
		for range 20 {
			runToy(y)
		}
	}},
}

func TestOtherReadersAgree(t *testing.T) {
	need.Tool(t, "gtkwave")
	for name, d := range tortureDumps {
		vcd := dumpToy(t, 1, d.opts, d.run)
		want := read(t, vcd)
		for _, format := range []struct{ to, from, ext string }{
			{"vcd2fst", "fst2vcd", "fst"},
			{"vcd2lxt2", "lxt2vcd", "lxt"},
			{"vcd2vzt", "vzt2vcd", "vzt"},
		} {
			t.Run(name+"/"+format.ext, func(t *testing.T) {
				dir := t.TempDir()
				require.NoError(t, os.WriteFile(filepath.Join(dir, "x.vcd"), vcd, 0o644))
				out, errs := tool(t, dir, format.to, "x.vcd", "x."+format.ext)
				for _, l := range strings.Split(out+errs, "\n") {
					assert.NotContains(t, l, "!", "a complaint")
					assert.NotContains(t, strings.ToLower(l), "error")
				}
				if format.to == "vcd2fst" {
					assert.Empty(t, out+errs)
				}
				back, _ := tool(t, dir, format.from, "x."+format.ext)
				got, err := vcdread.ReadAll(strings.NewReader(back))
				require.NoError(t, err)
				requireSameDump(t, want, got)
			})
		}
	}
}
