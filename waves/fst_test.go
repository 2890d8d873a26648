package waves_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/waves"
	"divergo/waves/vcdread"
)

// inMemory is a file in memory.
type inMemory struct{ b []byte }

func (m *inMemory) Write(b []byte) (int, error) { return m.WriteAt(b, int64(len(m.b))) }

func (m *inMemory) WriteAt(b []byte, at int64) (int, error) {
	m.b = append(m.b, make([]byte, max(0, int(at)+len(b)-len(m.b)))...)
	return copy(m.b[at:], b), nil
}

// fstToy runs the toy and returns its dump in FST.
func fstToy(t *testing.T, workers int, opts waves.Options, run func(*toy)) []byte {
	y := newToy(t, workers)
	opts.FST = true
	var m inMemory
	d, err := waves.Attach(y.sys, &m, opts)
	require.NoError(t, err)
	run(y)
	require.NoError(t, d.Close())
	return m.b
}

// TestFST: GTKWave's fst2vcd reads from an FST file what the dump in VCD has.
func TestFST(t *testing.T) {
	for name, d := range tortureDumps {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "x.fst"), fstToy(t, 1, d.opts, d.run), 0o666))
			back, errs := tool(t, dir, "fst2vcd", "x.fst")
			assert.Empty(t, errs)
			got, err := vcdread.ReadAll(strings.NewReader(back))
			require.NoError(t, err)
			want := read(t, dumpToy(t, 1, d.opts, d.run))
			requireSameDump(t, want, got)
			assert.Equal(t, want.Timescale, strings.Replace(got.Timescale, "1fs", "1 fs", 1))
			assert.Equal(t, want.Begin, got.Begin)
			assert.Equal(t, want.End, got.End)
			for i, s := range want.Signals {
				assert.Equal(t, s.Kind, got.Signals[i].Kind, s.Path)
				assert.Equal(t, s.Path, got.Signals[i].Path, "the order is that of the scopes")
			}
		})
	}
}

func TestFSTHasTheSameBytes(t *testing.T) {
	opts := waves.Options{Clocks: true}
	want := fstToy(t, 1, opts, runToy)
	for _, workers := range []int{2, 4} {
		assert.True(t, bytes.Equal(want, fstToy(t, workers, opts, runToy)), "%d workers", workers)
	}
	assert.True(t, bytes.Equal(want, fstToy(t, 1, opts, func(y *toy) {
		for range toyCycles {
			y.sys.Run(y.core, 1)
		}
	})), "cycle by cycle")
}

func TestFSTNeedsAFile(t *testing.T) {
	_, err := waves.Attach(newToy(t, 1).sys, new(bytes.Buffer), waves.Options{FST: true})
	assert.EqualError(t, err, "waves: FST needs a writer with WriteAt, such as a file, not *bytes.Buffer")
}

func TestCreateFST(t *testing.T) {
	dir := t.TempDir()
	y := newToy(t, 1)
	f, err := waves.Create(y.sys, filepath.Join(dir, "x.fst"), waves.Options{})
	require.NoError(t, err)
	runToy(y)
	require.NoError(t, f.Close())
	back, _ := tool(t, dir, "fst2vcd", "x.fst")
	assert.Contains(t, back, "$enddefinitions")
	save, err := os.ReadFile(filepath.Join(dir, "x.gtkw"))
	require.NoError(t, err)
	assert.Contains(t, string(save), filepath.Join(dir, "x.fst"))
}
