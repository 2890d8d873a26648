package hostcheck

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/need"
)

var (
	programs = flag.Int("programs", 96, "random programs to check")
	csmiths  = flag.Int("csmiths", 32, "programs of Csmith to check")
	seed     = flag.Uint64("seed", 0, "of the first program")
	cross    = flag.Bool("cross", false, "run every program at every level under every mechanism")
	mech     = flag.String("mech", "", "run every program at every level under this mechanism alone")
	shrink   = flag.Duration("shrink", 30*time.Second, "to spend on making a failure small")
	keep     = flag.String("keep", "counterexample", "folder for the source of a failure")
)

// TestPrograms: the machine gives the results of the host under each mechanism.
func TestPrograms(t *testing.T) {
	need.Tool(t, "clang-19")
	campaign(t, Options{Seed: *seed, Programs: *programs})
}

// TestCsmith is TestPrograms with programs of Csmith.
func TestCsmith(t *testing.T) {
	need.Tool(t, "clang-19", "csmith", "libcsmith")
	campaign(t, Options{Seed: *seed + 1, Programs: *csmiths, Csmith: true})
}

func campaign(t *testing.T, o Options) {
	o.Cross, o.Only, o.Shrink = *cross, *mech, *shrink
	if testing.Short() {
		o.Programs = min(o.Programs, batchSize/4)
	}
	o.Progress = func(r Report) { t.Log(r) }
	r, err := Run(o)
	require.NoError(t, err)
	if f := r.Failure; f != nil {
		text, err := f.Source()
		require.NoError(t, err)
		file := filepath.Join(*keep, "program.cu")
		require.NoError(t, os.MkdirAll(*keep, 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		t.Fatalf("%v\nsee %s", f, file)
	}
}

// TestDefined: no program has undefined behaviour, and its result does not depend on the optimiser
// of the host.
func TestDefined(t *testing.T) {
	need.Tool(t, "clang-19")
	var batch []*Program
	for s := range uint64(batchSize) {
		batch = append(batch, Draw(1_000_000+s))
	}
	w, err := newWorkplace(source(batch))
	require.NoError(t, err)
	defer w.remove()
	plain, err := w.host()
	require.NoError(t, err)
	checked, err := w.host("-O1", "-fsanitize=undefined", "-fno-sanitize=function,vptr", "-fsanitize-trap=all")
	require.NoError(t, err)
	assert.True(t, bytes.Equal(plain, checked))
}

// TestDraw: a program depends only on its seed.
func TestDraw(t *testing.T) {
	for s := range uint64(50) {
		assert.Equal(t, source([]*Program{Draw(s)}), source([]*Program{Draw(s)}))
	}
}

// TestSimplify: every simplified program compiles and ends. Simplifying ends with nearly nothing
// left.
func TestSimplify(t *testing.T) {
	need.Tool(t, "clang-19")
	var batch []*Program
	for s := range uint64(batchSize) {
		p := Draw(s)
		for n := int(s) % 7; p.simplify(n) && n < 60; n += 1 + int(s)%3 {
		}
		batch = append(batch, p)
	}
	w, err := newWorkplace(source(batch))
	require.NoError(t, err)
	defer w.remove()
	out, err := w.host()
	require.NoError(t, err)
	_, err = split(batch, out)
	require.NoError(t, err)

	p := Draw(6)
	for p.simplify(0) {
	}
	assert.Empty(t, p.Funcs[len(p.Funcs)-1].Body)
	assert.Equal(t, 1, p.Threads())
}
